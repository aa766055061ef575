#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Attaching to what runs already: it is profiled, and afterwards it is as it was.

. "$(dirname "$0")/lib.sh"

# begin COMMAND...: starts it in the background; its pid is in $target.
begin() {
    "$@" &
    target=$!
}

is_running() { # at work, or waiting for its own threads
    case $(state_of "$1") in R | S) return 0 ;; *) return 1 ;; esac
}

end_target() {
    kill -KILL "$@" 2>/dev/null
    wait "$@" 2>/dev/null || true
}

attach() { # attach OPTION...: profiles $target into profile.folded, for a second if nothing ends it sooner
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded "$@" -p "$target" 2>err || status=$?
    [ $status = 0 ] || fail "status $status: $(cat err)"
}

case_running() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    attach -d 1
    [ "$(weight_of profile.folded steady_work)" -gt 1000 ] || off "$(cat profile.folded)"
    [ "$(weight_of profile.folded steady_other_work)" -gt 1000 ] || off "$(cat profile.folded)"
    is_untraced "$target" || fail "it is still traced"
    is_running "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

# What a master forked in advance is not followed: it is named.
case_children_that_ran() {
    local worker
    begin sh -c '"$0" -s 600 -r one & "$0" -s 600 -r two & wait' "$TARGETS/steady"
    poll_until 10 test -e one && poll_until 10 test -e two || fail "the targets do not run"
    within 20 "$PTPROFIL" -d 0.3 -p "$target" 2>err || fail "status $?: $(cat err)"
    for worker in $(cat one two); do
        grep -q "hint: process $target has 2 child(ren).* -p $target,[0-9,]*\b$worker\b" err || fail "no word of $worker:" "$(cat err)"
    done
    within 20 "$PTPROFIL" -d 0.3 -p "$(cat one two | paste -s -d,)" 2>err || fail "status $?: $(cat err)"
    ! grep 'child(ren)' err || fail "of whom?" "$(cat err)"
    kill -KILL $(cat one two) # they are not ours to wait for
    end_target "$target"
}

# Neither we are one of them, nor what started us, nor what has ended; and a name is only told if they have it.
case_children_that_are_none() {
    need perl timeout
    cat >shell.sh <<'END'
"$TARGETS/steady" -s 600 -r worker &
perl -e 'my $child = fork; exit if !$child; open my $ready, ">", "zombie"; print $ready $child; close $ready; sleep 600' &
until [ -s worker ] && [ -s zombie ] && grep -q 'State:.*Z' "/proc/$(cat zombie)/status"; do sleep 0.02; done
timeout 60 sh -c '"$PTPROFIL" -d 0.3 -p "$0" 2>err; true' $$
timeout 60 sh -c '"$PTPROFIL" -d 0.3 -p "$0" 2>zombie.err; true' $!
kill -KILL $! $(cat worker)
END
    export PTPROFIL TARGETS
    within 60 sh shell.sh || fail "status $?"
    grep -q 'hint: process [0-9]* has 2 child(ren).* takes them, too$' err || fail "not two children:" "$(cat err)"
    ! grep 'child(ren)' zombie.err || fail "one that has ended:" "$(cat zombie.err)"
    begin perl -e '$0 = "prefork"; fork; open my $ready, ">", "forked.$$"; sleep 600'
    poll_until 10 eval '[ "$(ls forked.* 2>/dev/null | wc -l)" = 2 ]' || fail "the target does not run"
    within 20 "$PTPROFIL" -d 0.3 -p "$target" 2>err || fail "status $?: $(cat err)"
    grep -q 'has 1 child(ren).*, and --name prefork all processes of that name$' err || fail "no name:" "$(cat err)"
    kill -KILL $(ls forked.* | sed "s/forked\.//; /^$target\$/d")
    end_target "$target"
}

long_again_and_again() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    for _ in $(seq "${PTPROFIL_TEST_REPETITIONS:-20}"); do
        attach -d 0.02
        is_untraced "$target" || fail "it is still traced"
    done
    is_running "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

case_threads() {
    begin "$TARGETS/mix" -t 3 -s 600
    attach -d 1
    expect_share profile.folded spin_half 30
    is_untraced "$target" || fail "it is still traced"
    end_target "$target"
}

# The process makes threads as fast as it can while it is attached to.
case_thread_churn() {
    cat >churn.py <<'END'
import threading, time
end = time.monotonic() + 300
while time.monotonic() < end:
    threads = [threading.Thread(target=lambda: sum(range(2000))) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
END
    begin python3 churn.py
    poll_until 5 is_running "$target" || fail "the target does not run"
    for _ in 1 2 3; do
        attach -d 0.2
        is_untraced "$target" || fail "it is still traced"
        for task in /proc/"$target"/task/*; do
            [ "$(sed -n 's/^TracerPid:\s*//p' "$task/status" 2>/dev/null || echo 0)" -le 0 ] 2>/dev/null ||
                [ ! -e "$task" ] || fail "thread ${task##*/} is still traced"
        done
    done
    [ -s profile.folded ] || fail "no profile"
    end_target "$target"
}

# Children from then on are followed; without that they are left alone.
case_children() {
    begin sh -c 'while :; do "$1/mix" -s 0.02; done' - "$TARGETS"
    attach -d 1
    [ "$(process_weight profile.folded mix)" -gt 10000 ] || off "$(cat profile.folded)"
    attach -d 0.5 --no-follow
    [ "$(process_weight profile.folded mix)" = 0 ] || fail "$(cat profile.folded)"
    end_target "$target"
}

case_sleeping() {
    begin sleep 600
    poll_until 5 test -e "/proc/$target/task/$target/children" || true
    attach -d 0.3
    [ "$(state_of "$target")" = S ] || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

case_stopped() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    kill -STOP "$target"
    poll_until 5 is_stopped "$target" || fail "it does not stop"
    attach -d 0.3
    grep -q "process $target (steady) is stopped" err || fail "not told: $(cat err)"
    poll_until 5 is_stopped "$target" || fail "it is in state $(state_of "$target")"
    kill -CONT "$target"
    poll_until 5 is_running "$target" || fail "it does not go on"
    end_target "$target"
}

# Ctrl-C, also where our caller ignores it, as a script does for what is in its background, and what a supervisor of services
# sends: everything is written, and the target runs on.
case_ended_by_signal() {
    for signal in INT TERM HUP; do
        begin "$TARGETS/steady" -s 600 -r ready
        poll_until 5 test -e ready || fail "the target does not run"
        (trap '' INT && exec "$PTPROFIL" -q -F 1000 -o profile.folded -p "$target") 2>err &
        local front=$! status=0
        poll_until 5 is_traced "$target" || fail "it is not traced: $(cat err)"
        sleep 1
        kill -s $signal $front
        poll_until 20 is_gone_or_zombie $front || fail "SIG$signal: it goes on"
        wait $front || status=$?
        [ $status = 0 ] || fail "SIG$signal: status $status"
        poll_until 5 is_untraced "$target" || fail "SIG$signal: it is still traced"
        is_running "$target" || fail "SIG$signal: it is in state $(state_of "$target")"
        [ -s profile.folded ] || fail "SIG$signal: nothing was written"
        end_target $front "$target"
        rm -f ready profile.folded
    done
}

is_traced() {
    ! is_untraced "$1"
}

case_ends_with_the_target() {
    begin "$TARGETS/mix" -s 0.5
    attach
    expect_share profile.folded spin_half 30
}

case_several() {
    begin "$TARGETS/steady" -s 600
    local other
    poll_until 5 is_running "$target" || fail "the target does not run"
    "$TARGETS/mix" -s 600 &
    other=$!
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -d 1 -o profile.folded -p "$target,$other" || status=$?
    [ $status = 0 ] || fail "status $status"
    [ "$(process_weight profile.folded steady)" -gt 10000 ] && [ "$(process_weight profile.folded mix)" -gt 10000 ] ||
        off "$(cat profile.folded)"
    end_target "$target" $other
}

case_by_name() {
    cp "$TARGETS/steady" one-of-its-name
    begin ./one-of-its-name -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -d 0.5 -o profile.folded --name one-of-its-name || status=$?
    [ $status = 0 ] || fail "status $status"
    [ "$(process_weight profile.folded one-of-its-na)" -gt 0 ] || [ -s profile.folded ] || fail "no profile"
    end_target "$target"
    status=0
    within 20 "$PTPROFIL" --name no-such-name 2>err || status=$?
    [ $status = 125 ] && grep -q "no process is called 'no-such-name'" err || fail "status $status: $(cat err)"
}

# The tracer, or the front, is killed: the target runs on untraced.
case_killed() {
    for victim in tracer front; do
        begin "$TARGETS/steady" -s 600 -r ready
        poll_until 5 test -e ready || fail "the target does not run"
        "$PTPROFIL" -q -F 1000 -o profile.folded -p "$target" 2>err &
        local front=$!
        poll_until 5 is_traced "$target" || fail "it is not traced: $(cat err)"
        if [ $victim = tracer ]; then kill -KILL "$(tracer_of $front)"; else kill -KILL $front; fi
        wait $front || true
        poll_until 5 is_untraced "$target" || fail "$victim: it is still traced"
        is_running "$target" || fail "$victim: it is in state $(state_of "$target")"
        end_target "$target"
        rm -f ready
    done
}

# Children that are made while their parent is attached to, or left, have its memory or copies of it, with what is planted
# there for the calls, and must not run into it.
case_calls_of_children() {
    local kind status follow round pids='' list=''
    for kind in fork vfork exec spawn clone_vm thread_fork; do
        "$TARGETS/call_family" $kind -u -z -s 3 -r $kind.ready >$kind.out 2>$kind.err &
        poll_until 10 test -e $kind.ready || fail "$kind: the target does not run"
        pids="$pids $!" list="$list${list:+,}$!"
    done
    # They may end sooner than they are attached to.
    for round in $(seq "${PTPROFIL_TEST_REPETITIONS:-5}"); do
        for follow in '' --no-follow; do
            within 20 "$PTPROFIL" -q -d "0.0$round" $follow --calls=on -p "$list" 2>err
        done
    done
    for target in $pids; do
        status=0
        wait "$target" || status=$?
        [ $status = 0 ] || fail "process $target of $list: status $status" "$(cat ./*.err)"
    done
}

# begin_boxed PROGRAM ARGUMENT...: in mount and pid namespaces of its own, with a root directory of its own. There the path
# of a program is that of another one outside, and so are the names of the maps that compilers write.
begin_boxed() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        set -e
        mount -t tmpfs none box
        mkdir box/usr box/tmp box/proc
        mount --rbind /usr box/usr
        for name in lib lib64; do ln -s usr/$name box/$name; done
        cp "$1"/names_pie box/program
        cp "$1"/jit "$1"/states box
        shift
        exec chroot box "$@"' - "$TARGETS" "$@" 2>boxed.err &
    box=$!
    poll_until 10 has_begun "$1" || fail "it does not begin: $(cat boxed.err)"
}

has_begun() { # sets target, the innermost process
    target=$(pgrep -P $box | head -n 1)
    [ "$target" ] && [ "/$(cat "/proc/$target/comm")" = "$1" ]
}

case_other_namespaces() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare chroot
    unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
    [ -h /lib ] && [ -h /lib64 ] || skip "the libraries are not all in /usr here"
    mkdir box
    cp "$TARGETS/mix" box/program
    begin_boxed /program plain 30000
    attach -d 0.5
    expect_share profile.folded named_work 70
    end_target "$box"
    begin_boxed /jit 30000
    echo "0 7fffffffffff not_of_this_process" >"/tmp/perf-$target.map"
    attach -d 0.5
    rm -f "/tmp/perf-$target.map"
    expect_share profile.folded made_first 20
    expect_absent profile.folded not_of_this_process
    end_target "$box"
    begin_boxed /states leaderless /ready /release
    target=$(pgrep -P "$target")
    poll_until 5 is_gone_or_zombie "$target" || fail "its first thread lives"
    attach -d 0.5
    expect_share profile.folded states_work 70
    end_target "$box"
}

refused() { # refused REGEX OPTION...
    local wanted=$1 status=0
    within 20 "$PTPROFIL" "${@:2}" >out 2>err || status=$?
    [ $status = 125 ] && grep -qE "$wanted" err || fail "status $status: $(cat err)"
}

case_refusals() {
    refused 'there is no such process' -p 4194303
    refused 'not a process number' -p 12x
    refused 'not both' -p $$ -- true
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    refused "is a thread of process $target" -p "$(find "/proc/$target/task" -mindepth 1 -printf '%f\n' -prune | grep -vx "$target" | head -n 1)"
    if command -v strace >/dev/null; then
        strace -o /dev/null -p "$target" 2>/dev/null &
        local other=$!
        poll_until 5 is_traced "$target" || fail "strace does not trace it"
        refused 'traced already, by strace' -p "$target"
        end_target $other
    fi
    if [ "$(id -u)" = 0 ]; then
        local status=0
        chmod 755 .
        poll_until 5 is_untraced "$target"
        setpriv --reuid=65534 --clear-groups "$PTPROFIL" -p "$target" 2>err || status=$?
        [ $status = 125 ] && grep -q 'another user' err || fail "status $status: $(cat err)"
    fi
    end_target "$target"
}

run_cases "$@"
