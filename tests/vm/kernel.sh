#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Settings of the whole machine, and rare features of kernels: restrictions of ptrace, CPUs that go offline, isolated
# CPUs, control groups. Runs only in an emulated machine, which tests/vm/run makes.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

scope_file=/proc/sys/kernel/yama/ptrace_scope

#
# Restrictions of ptrace
#

# yama SCOPE LAUNCH [REGEX]: sets ptrace_scope to SCOPE. An ordinary user must not be able to attach. Starting a command
# must work if LAUNCH is yes, and fail with a message that matches REGEX if it is no.
yama() {
    local status=0
    echo "$1" >$scope_file || fail "there is no scope $1"
    chmod 777 .
    begin_steady "${as_nobody[@]}"
    within 60 "${as_nobody[@]}" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || status=$?
    [ $status = 125 ] && grep -q "cannot attach to process $target: $scope_file is $1: " err || fail "status $status: $(cat err)"
    end_steady
    status=0
    within 60 "${as_nobody[@]}" "$PTPROFIL" -F 100 $options -o profile.folded -- "$TARGETS/mix" -s 1 2>err || status=$?
    if [ "$2" = yes ]; then
        [ $status = 0 ] || fail "status $status: $(cat err)"
        grep -q ';main;.*;spin_' profile.folded || off "no stacks:" "$(cat profile.folded)"
    else
        [ $status = 125 ] && grep -qE "$3" err || fail "status $status: $(cat err)"
    fi
}

# attaches COMMAND...: COMMAND runs ptprofil, which must sample $target (see begin_steady) with stacks.
attaches() {
    within 60 "$@" "$PTPROFIL" -q -F 200 -d 2 -o profile.folded -p "$target" 2>err || fail "status $?: $(cat err)"
    grep -q ';.*;.*steady_' profile.folded || off "no stacks:" "$(cat profile.folded)"
    end_steady
}

root_attaches() {
    begin_steady env
    attaches
}

case_yama_1() {
    yama 1 yes
    root_attaches
}

# When the tracer has died, the front, as an ancestor of the target, may still restore its code.
case_yama_1_tracer_killed() {
    echo 1 >$scope_file
    chmod 777 .
    "${as_nobody[@]}" "$PTPROFIL" -q --calls=on -F 100 -o profile.folded -- "$TARGETS/steady" -s 1 -e end -r ready -o result 2>err &
    front=$!
    poll_until 60 test -s ready || fail "the target does not run" "$(cat err)"
    kill -KILL "$(tracer_of $front)"
    sleep 1
    : >end
    poll_until 20 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)"
    wait $front
    [ "$(head -n 1 result)" = ok ] || fail "it was touched: $(cat result err)"
}

case_yama_2() {
    yama 2 no "$scope_file is 2: only root may trace"
    root_attaches
}

# The last case, because scope 3 lasts until the machine ends.
case_yama_3() {
    local status=0
    yama 3 no "$scope_file is 3: nobody may trace"
    begin_steady env
    within 60 "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || status=$?
    [ $status = 125 ] && grep -q "$scope_file is 3: nobody may trace" err || fail "status $status: $(cat err)"
    end_steady
}

#
# AppArmor
#

# need_profiles: loads two AppArmor profiles: no_tracing allows everything except ptrace, tracing allows ptrace, too.
need_profiles() {
    need apparmor_parser
    need aa-exec
    grep -q apparmor /sys/kernel/security/lsm || skip "this kernel is without AppArmor"
    local all='file, capability, signal, network, unix,'
    apparmor_parser -qr <<<"abi <abi/3.0>, profile no_tracing { $all } profile tracing { $all ptrace, }" ||
        fail "no profile can be loaded"
}

# apparmor_refuses WORDS COMMAND...: COMMAND runs ptprofil, which cannot attach to $target; its message has WORDS.
apparmor_refuses() {
    local words=$1 status=0
    shift
    within 60 "$@" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || status=$?
    [ $status = 125 ] && grep -qF "AppArmor probably forbids it: it confines $words: let" err ||
        fail "$*: status $status: $(cat err)"
    is_untraced "$target" || fail "it is traced"
}

# The message names the confined processes. Attaching works with profiles that allow it.
case_apparmor() {
    local status=0
    need_profiles
    begin_steady aa-exec -p no_tracing --
    apparmor_refuses 'ptprofil (profile tracing (enforce)) and the process (profile no_tracing (enforce))' aa-exec -p tracing --
    end_steady
    begin_steady env
    apparmor_refuses 'ptprofil (profile no_tracing (enforce))' aa-exec -p no_tracing --
    end_steady
    within 60 aa-exec -p no_tracing -- "$PTPROFIL" -q -o profile.folded -- touch started 2>err || status=$?
    [ $status = 125 ] && [ ! -e started ] && grep -q 'AppArmor.*profile no_tracing' err || fail "status $status: $(cat err)"
    within 60 aa-exec -p no_tracing -- "$PTPROFIL" doctor >doctor.txt 2>&1 || true
    grep -q 'AppArmor.*profile no_tracing' doctor.txt || fail "doctor does not report it:" "$(cat doctor.txt)"
    begin_steady aa-exec -p tracing --
    attaches aa-exec -p tracing --
}

#
# CPUs
#

set_online() { # set_online CPU 0|1
    echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# All CPUs except the first one go offline, one after the other, and come back.
case_cpus_go_and_come() {
    local cpus cpu
    cpus=$(nproc)
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 8
    for ((cpu = 1; cpu < cpus; cpu++)); do
        set_online $cpu 0 || fail "CPU $cpu does not go"
        sleep 0.5
    done
    [ "$(nproc)" = 1 ] || fail "there are still $(nproc)"
    for ((cpu = 1; cpu < cpus; cpu++)); do
        set_online $cpu 1
        sleep 0.2
    done
    end_sampling
}

# The only CPU of a program's affinity mask goes offline. The kernel then lets the program run on other CPUs.
case_the_only_cpu_goes() {
    local last=$(($(nproc) - 1))
    begin_sampling 50 taskset -c $last "$TARGETS/mix" -s 4
    sleep 1
    set_online $last 0
    sleep 1
    set_online $last 1
    end_sampling
}

case_affinity_changes() {
    local cpu i
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 4
    for ((i = 0; i < 20; i++)); do
        cpu=$((i % $(nproc)))
        taskset -a -c -p $cpu "$target" >/dev/null 2>&1 || break
        sleep 0.2
    done
    end_sampling
}

# on_set_apart CPUS: samples programs that run only on these CPUs, where the kernel does not balance load.
on_set_apart() {
    local cpus=$1
    begin_sampling 50 taskset -c "${cpus%%[,-]*}" "$TARGETS/mix" -s 4
    end_sampling
    begin_sampling 50 taskset -c "$cpus" "$TARGETS/mix" -t 2 -s 2
    end_sampling
}

case_isolated() {
    local cpus
    cpus=$(cat /sys/devices/system/cpu/isolated)
    [ "$cpus" ] || skip "no CPU is isolated: isolcpus="
    on_set_apart "$cpus"
}

# On these CPUs, the kernel's own tick stops while a single thread runs.
case_without_ticks() {
    local cpus
    cpus=$(cat /sys/devices/system/cpu/nohz_full)
    [[ $cpus == [0-9]* ]] || skip "the tick never stops on a busy CPU: nohz_full="
    on_set_apart "$cpus"
    begin_steady taskset -c "$cpus"
    attaches
}

# The CPUs of a container change while ptprofil samples it, from inside the container and from outside.
case_cpuset_changes() {
    local last=$(($(nproc) - 1)) cpus
    make_group sampled
    echo "1-$last" >"$group/cpuset.cpus"
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 6
    for pid in $target $front $(tracer_of $front); do
        echo "$pid" >"$group/cgroup.procs" || fail "process $pid does not go there"
    done
    for cpus in 1 "$last" "1-$last" 0; do
        echo "$cpus" >"$group/cpuset.cpus"
        sleep 0.5
    done
    end_sampling
    rmdir "$group" || fail "something is left in it: $(cat "$group/cgroup.procs")"
    make_group sampled
    echo "$last" >"$group/cpuset.cpus"
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 4
    echo "$target" >"$group/cgroup.procs"
    sleep 1
    echo 0 >"$group/cpuset.cpus"
    end_sampling
    rmdir "$group"
}

# The target runs on CPUs that ptprofil may not use: it is sampled from another CPU, and a hint says so.
case_cpuset_forbidden() {
    local last=$(($(nproc) - 1))
    make_group others
    echo "$last" >"$group/cpuset.cpus"
    begin_steady env
    echo "$target" >"$group/cgroup.procs"
    make_group ours
    echo 0 >"$group/cpuset.cpus"
    within 60 bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' - "$group" \
        "$PTPROFIL" -F 100 -d 3 -o profile.folded -p "$target" 2>err || fail "status $?: $(cat err)"
    [ "$(weight_of profile.folded steady_work)" -gt 1000 ] || off "$(cat profile.folded err)"
    grep -qE '^ptprofil: hint: [0-9]+ of [0-9]+ samples are from CPUs that ptprofil may not use' err || fail "no hint:" "$(cat err)"
    end_steady
    rmdir "$group" "$groups/others"
}

# With a CPU quota, the kernel throttles the threads.
case_quota() {
    make_group held
    echo '20000 100000' >"$group/cpu.max"
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 1
    echo "$target" >"$group/cgroup.procs"
    end_sampling
    rmdir "$group"
}

is_frozen() {
    grep -qx "frozen $1" "$group/cgroup.events"
}

# The target is frozen and thawed during sampling, and is frozen when sampling ends.
case_frozen() {
    make_group frozen
    begin_steady env
    echo "$target" >"$group/cgroup.procs"
    "$PTPROFIL" -q -F 100 -o profile.folded -p "$target" 2>err &
    front=$!
    poll_until 10 is_traced || fail "it is not traced: $(cat err)"
    for time in 1 2 3; do
        echo 1 >"$group/cgroup.freeze"
        poll_until 10 is_frozen 1 || fail "it does not freeze"
        sleep 0.5
        is_frozen 1 || fail "it does not stay frozen"
        [ $time = 3 ] || { echo 0 >"$group/cgroup.freeze"; poll_until 10 is_frozen 0 || fail "it does not thaw"; sleep 1; }
    done
    kill -INT $front
    poll_until 20 is_gone_or_zombie $front || fail "sampling does not end" "$(show_family $front)"
    wait $front || fail "status $?: $(cat err)"
    poll_until 10 is_frozen 1 || fail "it was thawed"
    echo 0 >"$group/cgroup.freeze"
    grep -q ';.*;.*steady_' profile.folded || off "no stacks:" "$(cat profile.folded)"
    end_steady
    rmdir "$group"
}

is_traced() {
    ! is_untraced "$target"
}

# An x32 program, which cannot be sampled, runs as without ptprofil; a message names it. Needs the kernel parameter
# syscall.x32=y.
case_x32() {
    need gcc
    local status=0
    gcc -mx32 -O1 -nostdlib -static -ffreestanding "$source_dir/tests/targets/foreign.c" -o foreign 2>log || skip "gcc: $(cat log)"
    ./foreign 2>/dev/null || status=$?
    [ $status = 7 ] || skip "alone it ends with status $status"
    status=0
    "$PTPROFIL" -F 500 --unsampled=separate -o profile.folded -- ./foreign 2>err || status=$?
    [ $status = 7 ] || fail "status $status" "$(cat err)"
    grep -q '^ptprofil: 1 process was not sampled (foreign, process [0-9]*): x32 programs are not supported' err || fail "$(cat err)"
    ! grep -v '\[unsampled\]' profile.folded || fail "it was sampled"
}

run_cases "$@"
