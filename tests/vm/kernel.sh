#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What changes the whole machine, and what few kernels have: who may trace, CPUs that go and come, control groups. Only in
# a machine of its own; tests/vm/run makes one.

# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

[ -e /run/machine ] || { echo "SKIP: not in a machine of its own: make check-vm"; exit 77; }

groups=/sys/fs/cgroup
scope_file=/proc/sys/kernel/yama/ptrace_scope
options='--max-overhead=off'

begin_steady() { # begin_steady COMMAND...: by COMMAND; its pid is in $target
    rm -f ready end result
    "$@" "$TARGETS/steady" -s 1 -e end -r ready -o result &
    target=$!
    poll_until 60 test -s ready || fail "the target does not run"
}

# It has found nothing wrong, and is not traced.
end_steady() {
    is_untraced "$target" || fail "it is still traced"
    : >end
    wait "$target" || fail "the target's status is $?"
    [ "$(head -n 1 result)" = ok ] || fail "it was touched: $(cat result)"
}

# begin_sampling RATE COMMAND...: COMMAND, which writes its own measurement to "truth", under ptprofil, whose pid is in
# $front.
begin_sampling() {
    local rate=$1
    shift
    "$PTPROFIL" -v -F "$rate" $options -o profile.folded -- "$@" -o truth 2>err &
    front=$!
    poll_until 20 has_begun || fail "it does not run:" "$(cat err)"
}

has_begun() {
    local pid name
    for pid in $(<"/proc/$front/task/$front/children"); do
        { read -r name <"/proc/$pid/comm"; } 2>/dev/null
        [ "$name" != mix ] || { target=$pid; return 0; }
    done
    return 1
}

percent() { # percent PART WHOLE
    awk -v part="$1" -v whole="$2" 'BEGIN { printf "%.3f\n", 100 * part / whole }'
}

# Shares and sum are what mix says: no time was lost, and none invented.
end_sampling() {
    local status=0 name total chance
    poll_until 30 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)" "$(tail -n 5 err)"
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    sed -n '/ samples of [0-9]* due/,$s/^ */  /p' err
    chance=$(sed -n 's/.*: \([0-9]*\) samples of .*/\1/p' err | awk '{ print 300 / sqrt($1) }') # four deviations of a half
    total=$(truth_of truth total)
    for name in spin_half spin_three_tenths spin_fifth; do
        near "$name, %" "$(percent "$(weight_of profile.folded $name)" "$(total_of profile.folded)")" \
            "$(percent "$(truth_of truth $name)" "$total")" "$chance"
    done
    near "sum of the weights, ms" "$(percent "$(total_of profile.folded)" 100000)" "$(percent "$total" 100000)" \
        "$(percent "$total" 10000000)"
}

#
# Who may trace
#

# yama SCOPE LAUNCH [REGEX]: an ordinary user cannot attach; LAUNCH (yes, or no, for the reason REGEX): what becomes of a
# command.
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

# attaches COMMAND...: COMMAND ptprofil samples $target, which begin_steady has begun, with stacks.
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

# What an ancestor may write when its tracer has died.
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

# Until the machine ends: the last case.
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

# need_profiles: no_tracing, which allows all but that, and tracing, which allows it.
need_profiles() {
    need apparmor_parser
    need aa-exec
    grep -q apparmor /sys/kernel/security/lsm || skip "this kernel is without AppArmor"
    local all='file, capability, signal, network, unix,'
    apparmor_parser -qr <<<"abi <abi/3.0>, profile no_tracing { $all } profile tracing { $all ptrace, }" ||
        fail "no profile can be loaded"
}

# apparmor_refuses WORDS COMMAND...: COMMAND ptprofil cannot attach to $target, and says WORDS.
apparmor_refuses() {
    local words=$1 status=0
    shift
    within 60 "$@" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || status=$?
    [ $status = 125 ] && grep -qF "nothing but AppArmor stands against it, which confines $words: let" err ||
        fail "$*: status $status: $(cat err)"
    is_untraced "$target" || fail "it is traced"
}

# Whom it confines is told, and profiles that allow it are enough.
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
    grep -q 'AppArmor.*profile no_tracing' doctor.txt || fail "doctor does not tell:" "$(cat doctor.txt)"
    begin_steady aa-exec -p tracing --
    attaches aa-exec -p tracing --
}

#
# CPUs
#

set_online() { # set_online CPU 0|1
    echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# All but the first CPU go, one after the other, and come back.
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

# The one that the program was bound to; the kernel lets it run elsewhere then.
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

isolated_cpus() {
    cat /sys/devices/system/cpu/isolated
}

# Nothing is moved to these, and nothing away from them.
case_isolated() {
    local cpus
    cpus=$(isolated_cpus)
    [ "$cpus" ] || skip "no CPU is isolated: isolcpus="
    begin_sampling 50 taskset -c "${cpus%%[,-]*}" "$TARGETS/mix" -s 4
    end_sampling
    begin_sampling 50 taskset -c "$cpus" "$TARGETS/mix" -t 2 -s 2
    end_sampling
}

make_group() { # make_group NAME: its folder is in $group
    echo '+cpuset +cpu' >$groups/cgroup.subtree_control || skip "no control groups here"
    group=$groups/$1
    mkdir -p "$group"
}

leave_group() {
    [ ! -e "$group" ] || { cat "$group/cgroup.procs" | while read -r pid; do echo "$pid" >$groups/cgroup.procs; done; rmdir "$group"; }
}

# A container's CPUs change while it is sampled, from within it and from outside.
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

# What is attached runs on CPUs that are not for ptprofil: that is sampled from another CPU, and told.
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
    grep -qE '^ptprofil: hint: [0-9]+ of [0-9]+ samples are from CPUs that ptprofil may not use' err || fail "not told:" "$(cat err)"
    end_steady
    rmdir "$group" "$groups/others"
}

# A quota: the kernel holds the threads at times.
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

# Frozen and thawed while it is sampled, and when sampling ends.
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

run_cases "$@"
