#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Processes that may not be traced, or not be read: the message says what prevents it and what to do, and no process is
# disturbed.

. "$(dirname "$0")/lib.sh"

# sleeps_as COMMAND...: starts sleep by COMMAND; sets target to its pid.
sleeps_as() {
    "$@" sleep 600 &
    target=$!
    poll_until 10 has_become sleep || fail "it does not begin"
}

has_become() {
    [ "$(cat "/proc/$target/comm" 2>/dev/null)" = "$1" ]
}

# refuses REGEX COMMAND...: ptprofil, run by COMMAND, cannot attach to $target, and its message matches REGEX.
refuses() {
    local wanted=$1 status=0
    shift
    within 20 "$@" "$PTPROFIL" -q -d 0.1 -p "$target" >out 2>err || status=$?
    [ $status = 125 ] && grep -qE "cannot attach to process $target: $wanted" err || fail "status $status: $(cat err)"
    [ "$(wc -l <err)" = 1 ] || fail "more than one line" "$(cat err)"
    is_untraced "$target" || fail "it is traced"
}

end_target() {
    kill -KILL "$target" 2>/dev/null
    wait "$target" 2>/dev/null || true
}

case_other_user() {
    need_root
    sleeps_as env
    refuses 'it belongs to another user' "${as_nobody[@]}"
    end_target
}

case_other_group() {
    need_root
    sleeps_as setpriv --reuid=$nobody --regid=65533 --clear-groups
    refuses 'it is of another group' "${as_nobody[@]}"
    end_target
}

case_more_capable() {
    need_root
    sleeps_as "${as_nobody[@]}" setpriv --no-new-privs
    within 20 "${as_nobody[@]}" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || fail "status $?: $(cat err)"
    end_target
    sleeps_as setpriv --reuid=$nobody --regid=$nobody --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw
    refuses 'it has capabilities that ptprofil has not' "${as_nobody[@]}"
    end_target
}

# Root without the capability SYS_PTRACE, as in a container.
case_not_capable() {
    need_root
    sleeps_as env
    refuses 'ptprofil is root here, but without the capability SYS_PTRACE' setpriv --bounding-set=-sys_ptrace
    end_target
}

case_set_user_id() {
    need_root
    cp "$(command -v sleep)" sleep
    chown 65533 sleep && chmod u+s,a+rx sleep
    "${as_nobody[@]}" ./sleep 600 &
    target=$!
    poll_until 10 has_become sleep || fail "it does not begin"
    [ "$(status_field "$target" Uid | cut -f 2)" = 65533 ] || skip "set-user-id is off here"
    refuses 'it runs with the rights of several users' "${as_nobody[@]}"
    end_target
    chmod a+x .. # if the process has ended, ptprofil opens the file by its name
    within 20 "${as_nobody[@]}" "$PTPROFIL" -- ./sleep 0 >out 2>err || fail "status $?" "$(cat err)"
    grep -q 'sleep gains rights when it is started' err || fail "the lost rights are not reported" "$(cat err)"
    within 20 "${as_nobody[@]}" "$PTPROFIL" -- sleep 0 >out 2>err || fail "status $?" "$(cat err)"
    ! grep 'gains rights' err || fail "that is no such program"
}

case_user_namespace() {
    need_root
    need unshare
    "${as_nobody[@]}" unshare --user true 2>/dev/null || skip "no user namespaces here"
    sleeps_as "${as_nobody[@]}"
    refuses 'it is in another user namespace' "${as_nobody[@]}" unshare --user
    end_target
    # The user who made the namespace may attach.
    sleeps_as "${as_nobody[@]}" unshare --user
    within 20 "${as_nobody[@]}" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || fail "status $?: $(cat err)"
    end_target
}

case_seccomp() {
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # LeakSanitizer needs ptrace itself
    sleeps_as env
    refuses 'a seccomp filter forbids ptrace' "$TARGETS/refuse" ptrace
    end_target
    # A filter that allows ptrace is not reported as the cause.
    need_root
    sleeps_as env
    refuses 'it belongs to another user' "${as_nobody[@]}" "$TARGETS/refuse" kexec_load
    end_target
}

# Without process_vm_readv(), ptprofil works with --stacks=none --calls=off.
case_seccomp_memory() {
    local status=0
    "$TARGETS/mix" -s 30 &
    target=$!
    poll_until 10 has_become mix || fail "it does not begin"
    within 20 "$TARGETS/refuse" process_vm_readv "$PTPROFIL" -q -d 0.1 -p $target 2>err || status=$?
    [ $status = 125 ] && grep -q 'process_vm_readv.*seccomp.*--stacks=none --calls=off' err ||
        fail "status $status: $(cat err)"
    is_untraced $target || fail "it is traced"
    profile_its_work $target 300 "$TARGETS/refuse" process_vm_readv "$PTPROFIL" -q -F 1000 --stacks=none --calls=off \
        -o profile.folded -p $target
    expect_share profile.folded spin_half 30
    end_target
}

case_landlock() {
    local status=0
    "$TARGETS/refuse" landlock true || status=$?
    [ $status != 77 ] || skip "this kernel has no Landlock"
    sleeps_as env
    refuses 'a security module of the kernel refuses it.*Landlock' "$TARGETS/refuse" landlock
    end_target
    # The command of ptprofil is in the same sandbox, so ptprofil may trace it.
    within 20 "$TARGETS/refuse" landlock "$PTPROFIL" -q -- true 2>err || fail "status $?: $(cat err)"
}

case_yama() {
    local scope
    read -r scope 2>/dev/null </proc/sys/kernel/yama/ptrace_scope || skip "this kernel has no Yama"
    [ "$scope" != 0 ] || skip "Yama allows it here"
    need_root
    sleeps_as "${as_nobody[@]}"
    refuses "/proc/sys/kernel/yama/ptrace_scope is $scope" "${as_nobody[@]}"
    end_target
}

case_another_tracer() {
    "$TARGETS/states" traced ready release &
    local keeper=$! status=0
    poll_until 10 test -e ready || fail "the target does not get ready"
    target=$(cat ready)
    poll_until 10 is_traced || fail "it is not traced"
    within 20 "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || status=$?
    [ $status = 125 ] && grep -q "it is traced already, by states (process $keeper)" err || fail "status $status: $(cat err)"
    [ "$(status_field "$target" TracerPid)" = $keeper ] || fail "its tracer is $(status_field "$target" TracerPid)"
    : >release
    wait $keeper || fail "it was touched: status $?"
}

is_traced() {
    ! is_untraced "$target"
}

case_zombie() {
    sh -c 'sh -c "until [ -e go ]; do sleep 0.01; done" & echo $! >pid; exec sleep 600' &
    local parent=$!
    target=$parent
    poll_until 10 has_become sleep || fail "it does not begin"
    target=$(cat pid)
    : >go
    poll_until 10 has_ended || fail "state $(state_of "$target")"
    refuses 'it has ended, and only waits for its parent' env
    kill -KILL $parent
}

has_ended() {
    [ "$(state_of "$target")" = Z ]
}

case_kernel_thread() {
    target=2
    [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] || skip "no kernel threads are seen here"
    [ "$(id -u)" = 0 ] || skip "needs root"
    refuses "it is a kernel thread" env
}

# A process protects itself while it is sampled: ptprofil goes on as far as possible and says so, and the process is not
# disturbed.
case_protects_itself() {
    need_root
    local way front tracer status
    for way in END tracer; do
        "${as_nobody[@]}" "$TARGETS/protect" ready go end 2>target.err &
        target=$!
        poll_until 10 test -e ready || fail "the target does not get ready" "$(cat target.err)"
        "${as_nobody[@]}" "$PTPROFIL" -q -F 1000 -o profile.folded -p $target 2>err &
        front=$!
        poll_until 10 is_traced || fail "it is not traced: $(cat err)"
        works $target 100
        : >go
        poll_until 10 is_protected || fail "it does not protect itself"
        works $target 100
        if [ $way = END ]; then
            : >end
        else
            kill -KILL "$(tracer_of $front)"
        fi
        status=0
        wait $front || status=$?
        [ $way != END ] || [ $status = 0 ] || fail "status $status: $(cat err)"
        poll_until 10 is_untraced_or_gone || fail "it is still traced"
        : >end
        wait $target || fail "the target's status is $?: $(cat target.err)"
        [ "$(weight_of profile.folded open_work)" -gt 10000 ] && [ "$(weight_of profile.folded protected_work)" -gt 10000 ] ||
            off "$(cat profile.folded)"
        rm -f ready go end
    done
    # The process protects itself before ptprofil attaches.
    "${as_nobody[@]}" "$TARGETS/protect" ready go end 2>target.err &
    target=$!
    : >go
    poll_until 10 is_protected || fail "it does not protect itself"
    refuses 'it has protected itself \(PR_SET_DUMPABLE\)' "${as_nobody[@]}"
    profile_its_work $target 200 "$PTPROFIL" -q -F 1000 -o profile.folded -p $target
    expect_share profile.folded protected_work 70
    : >end
    wait $target || fail "the target's status is $?"
}

is_protected() {
    [ "$(stat -c %u "/proc/$target/status" 2>/dev/null)" = 0 ]
}

is_untraced_or_gone() {
    is_gone_or_zombie "$target" || is_untraced "$target"
}

# In a folder like /tmp ptprofil writes to its user's files and FIFOs, but not to another user's, whatever
# fs.protected_regular is.
case_planted_output() {
    need_root
    mkdir sticky
    chmod 1777 sticky
    "${as_nobody[@]}" sh -c 'echo before >sticky/file && mkfifo sticky/fifo && chmod 666 sticky/file sticky/fifo'
    ln -s file sticky/link
    local name status
    for name in file fifo link; do
        status=0
        within 20 "$PTPROFIL" -q --format=flat -o sticky/$name -- true 2>err || status=$?
        [ $status = 125 ] && grep -q "sticky/$name" err || fail "$name: status $status" "$(cat err)"
    done
    [ "$(cat sticky/file)" = before ] || fail "it was written to"
    status=0
    within 20 "$PTPROFIL" -q --control=sticky/fifo -- true 2>err || status=$?
    [ $status = 125 ] || fail "another user's FIFO controls us: status $status"
    echo 'as it was' >sticky/own
    within 20 "$PTPROFIL" -q --format=flat -o sticky/own -- true || fail "status $?"
    ! grep -q 'as it was' sticky/own || fail "our own is not written to"
    mkdir plain
    "${as_nobody[@]}" sh -c 'echo before >plain/file' 2>/dev/null || { chmod 777 plain; "${as_nobody[@]}" sh -c 'echo before >plain/file'; }
    within 20 "$PTPROFIL" -q --format=flat -o plain/file -- true || fail "no sticky folder: status $?"
}

case_says_that_stacks_are_missing() {
    need_root
    "${as_nobody[@]}" "$TARGETS/protect" ready go end &
    target=$!
    poll_until 10 test -e ready || fail "the target does not get ready"
    (poll_until 20 is_traced "$target"; : >go) &
    within 20 "${as_nobody[@]}" "$PTPROFIL" -F 1000 -d 1 -p $target 2>err || fail "status $?: $(cat err)"
    grep -q "cannot read the memory of .*(protect, process $target:" err || off "nothing says so:" "$(cat err)"
    : >end
    wait $target || fail "the target's status is $?"
}

run_cases "$@"
