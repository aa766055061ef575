#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ptprofil attaches to processes in every state, samples them, and ends in every way. Afterwards, neither /proc nor the
# process itself shows a change.

. "$(dirname "$0")/lib.sh"

seconds=0.1
[ -z "$full" ] || seconds=2
repetitions=${PTPROFIL_TEST_REPETITIONS:-2}
cycles=50 races=20
[ -z "$full" ] || cycles=1000 races=500
at_once=4 # processes tested in parallel

# start_state KIND [THREADS]: starts a process in this state. Sets target and keeper (the process and its parent; pids),
# and left_out (the parts of its portrait that may change).
start_state() {
    local letter=S
    left_out=
    case $1 in
    running | all | traced) letter=R left_out=m ;;
    churning) letter=? left_out=mt ;;
    leaderless) letter=Z left_out=m ;;
    stopped | suspended) letter=T ;;
    vfork) letter=D ;;
    esac
    # Without rseq, because the kernel would write each thread's CPU into its memory.
    GLIBC_TUNABLES=glibc.pthread.rseq=0 "$TARGETS/states" "$1" ready release "${@:2}" 2>states.err &
    keeper=$!
    poll_until 20 test -e ready || fail "$1: does not get ready" "$(cat states.err)"
    target=$(cat ready)
    poll_until 10 is_in_state "$letter" || fail "$1: is in state $(state_of "$target")"
    [ "$1" != all ] || poll_until 10 has_sleepers || fail "its threads do not sleep"
    poll_until 10 is_at_rest || fail "$1: does not come to rest" "$(diff before after)"
}

is_in_state() {
    [[ $(state_of "$target") == $1 ]]
}

has_sleepers() {
    [ "$(cat /proc/"$target"/task/*/stat | grep -c ') S ')" = 8 ]
}

portrait() {
    "$TARGETS/portrait" "$target" "$left_out"
}

is_at_rest() {
    portrait >before && sleep 0.02 && is_unchanged
}

is_unchanged() {
    portrait >after && cmp -s before after
}

used_ticks() { # prints the target's CPU time, in ticks
    local text
    read -r text <"/proc/$target/stat"
    text=${text##*) }
    set -- $text
    echo $((${12} + ${13}))
}

goes_on() { # goes_on KIND: the target's CPU time grows, if KIND works at all
    local used
    case $1 in running | all | leaderless | churning) ;; *) return 0 ;; esac
    used=$(used_ticks)
    poll_until 10 has_used_more "$used"
}

has_used_more() {
    [ "$(used_ticks)" -gt "$1" ]
}

is_traced() { # at least one thread of the target is traced
    grep -qs '^TracerPid:.*[1-9]' /proc/"$target"/task/*/status
}

ours_are_gone() {
    is_gone_or_zombie "$front" && { [ -z "$tracer" ] || is_gone_or_zombie "$tracer"; }
}

has_tracer() {
    tracer=$(tracer_of "$front")
    [ "$tracer" ]
}

# The C library has breakpoints. In state D there are none: the target waits in vfork, and its child uses the same
# memory.
has_planted() {
    ! is_in_state D || return 0
    portrait | grep -q '^code of .*/libc\..*: [1-9][0-9]* bytes changed'
}

# leave_by done|INT|tracer|front on|off: attaches to the target, with or without --calls, samples for a while, and ends:
# after --duration, by SIGINT, or by killing the tracer or the front.
leave_by() {
    local way=$1 calls=$2 duration=600 status=0
    [ "$way" != done ] || duration=$seconds
    # A script's background commands ignore SIGINT by default.
    env --default-signal=INT "$PTPROFIL" -q -F 1000 -d $duration --calls="$calls" -o profile.folded -p "$target" 2>err &
    front=$! tracer=
    if [ "$way" != done ]; then
        poll_until 20 is_traced || fail "it is not traced" "$(cat err)"
        poll_until 20 has_tracer || fail "no tracer"
        [ "$calls" = off ] || poll_until 60 has_planted || fail "$(pwd): nothing is planted" "$(portrait | grep code)"
        sleep $seconds
    fi
    case $way in
    INT) kill -INT $front ;;
    tracer) kill -KILL "$tracer" ;;
    front) kill -KILL $front ;;
    esac
    poll_until 30 ours_are_gone || fail "ptprofil does not end" "$(show_family $front)"
    wait $front || status=$?
    case $way:$status in
    done:0 | INT:0 | tracer:125 | front:137) ;;
    *) fail "status $status" "$(cat err)" ;;
    esac
}

release() { # release KIND: lets the target go on, which checks that nothing has changed
    local status=0
    : >release
    poll_until 30 is_gone_or_zombie "$keeper" || fail "$1: does not go on" "$(show_family "$keeper")"
    wait "$keeper" || status=$?
    [ $status = 0 ] || fail "$1: status $status" "$(cat states.err)"
}

# is_left_alone KIND [THREADS]: attaching and ending in each way, without and with --calls, leaves no change.
is_left_alone() {
    local way calls
    start_state "$@"
    for calls in off on; do
        for way in done INT tracer front; do
            leave_by $way $calls
            poll_until 60 is_unchanged || fail "$1, left by $way, calls $calls:" "$(diff before after)"
            goes_on "$1" || fail "$1, left by $way, calls $calls: does not go on"
        done
    done
    release "$1"
}

# are_left_alone KIND...: is_left_alone for each KIND, $at_once in parallel.
are_left_alone() {
    local kind status=0
    for kind; do
        [ "$(jobs -pr | wc -l)" -lt $at_once ] || wait -n || status=1
        mkdir "$kind"
        (cd "$kind" && is_left_alone "$kind") 2>shell.err &
    done
    for kind; do
        wait -n || status=$?
        [ $status = 127 ] && break
        [ $status = 0 ] || fail "see above"
    done
}

threads_left_out() { # prints the number of untraced threads
    grep -l '^TracerPid:\s*0$' /proc/"$target"/task/*/status 2>/dev/null | wc -l
}

all_are_traced() {
    is_traced && [ "$(threads_left_out)" = 0 ]
}

attach_for_long() { # attach_for_long OPTION...: sets front
    "$PTPROFIL" -q -F 1000 "$@" -o profile.folded -p "$target" 2>err &
    front=$!
}

# All threads are traced, however many start and end while ptprofil attaches. An untraced thread would start other
# untraced ones.
long_every_thread() {
    local i repetitions=5
    start_state churning ${full:+200}
    for ((i = 0; i < repetitions; i++)); do
        attach_for_long
        poll_until 20 all_are_traced || fail "time $i: $(threads_left_out) threads are not traced" "$(cat err)"
        kill -TERM $front
        wait $front || fail "time $i: status $?" "$(cat err)"
    done
    release churning
}

# A process whose first thread has ended lives until its last thread ends. Then ptprofil ends, too.
case_ends_without_its_leader() {
    start_state leaderless
    attach_for_long
    poll_until 20 is_traced || fail "it is not traced" "$(cat err)"
    release leaderless
    poll_until 20 is_gone_or_zombie $front || fail "ptprofil waits on" "$(show_family $front)"
}


# attach_once OPTION...: attaches for a moment. A variable in the environment identifies processes that it leaves
# behind.
attach_once() {
    PTPROFIL_TEST_MARK=$PWD within 20 "$PTPROFIL" -q -F 1000 "$@" -p "$target" 2>err
}

leftovers() { # prints processes that attach_once left behind
    grep -lz "^PTPROFIL_TEST_MARK=$PWD\$" /proc/[0-9]*/environ 2>/dev/null
}

has_no_leftovers() {
    [ -z "$(leftovers)" ]
}

# A thread that does not stop, because it waits in the kernel, does not delay ptprofil: other processes are sampled. If
# such a thread is released without having stopped, a message says so.
case_out_of_reach() {
    local other status=0
    start_state vfork
    "$TARGETS/mix" -s 600 &
    other=$!
    within 20 "$PTPROFIL" -F 1000 -d 0.5 --calls=on -o profile.folded -p "$target,$other" 2>err || fail "status $?: $(cat err)"
    expect_share profile.folded spin_half 30
    poll_until 10 is_unchanged || fail "$(diff before after)"
    { kill -KILL $other && wait $other; } 2>/dev/null
    release vfork

    rm -f ready release
    "$PTPROFIL" -F 1000 --calls=on -o profile.folded -- "$TARGETS/states" vfork ready release 2>err &
    front=$!
    poll_until 20 test -e ready || fail "does not get ready" "$(cat err)"
    target=$(cat ready)
    poll_until 10 is_in_state D || fail "is in state $(state_of "$target")"
    poll_until 10 has_tracer || fail "no tracer"
    kill -TERM "$tracer"
    poll_until 20 is_gone_or_zombie "$tracer" || fail "the tracer waits" "$(show_family $front)"
    : >release
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q '1 thread was let go without having stopped' err || fail "not reported: $(cat err)"
}

# find_freezer: makes a control group that can be frozen. Sets group, freeze_file, and the values frozen and thawed.
find_freezer() {
    local place
    for place in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/freezer; do
        group=$place/ptprofil-test-$$-$SRANDOM
        [ -e $place/cgroup.procs ] && mkdir "$group" 2>/dev/null || continue
        freeze_file=$group/cgroup.freeze frozen=1 thawed=0
        [ -e "$freeze_file" ] || freeze_file=$group/freezer.state frozen=FROZEN thawed=THAWED
        [ ! -w "$freeze_file" ] || return 0
        rmdir "$group"
    done
    return 1
}

has_stopped_running() {
    [ "$(state_of "$target")" != R ]
}

leave_group() {
    echo $thawed >"$freeze_file"
    kill -KILL "$target" 2>/dev/null
    poll_until 10 is_gone_or_zombie "$target"
    poll_until 10 rmdir "$group" 2>/dev/null
}

case_frozen() {
    local calls
    [ "$(id -u)" = 0 ] && find_freezer || skip "no control group can be made here"
    trap leave_group EXIT
    start_state all
    echo "$target" >"$group/cgroup.procs"
    echo $frozen >"$freeze_file"
    poll_until 10 has_stopped_running || fail "it does not freeze"
    for calls in off on; do
        attach_once -d 0.1 --calls=$calls || fail "status $?: $(cat err)"
        is_traced && fail "calls $calls: it is still traced"
        has_stopped_running || fail "calls $calls: it runs"
    done
    echo $thawed >"$freeze_file"
    poll_until 10 is_unchanged || fail "$(diff before after)"
    goes_on all || fail "it does not go on"
    release all
}

long_again_and_again() {
    local i
    start_state all
    mkdir empty
    for ((i = 0; i < cycles; i++)); do
        TMPDIR=$PWD/empty attach_once -d 0.01 --calls=$( ((i % 2)) && echo on || echo off) ||
            fail "time $i: status $?: $(cat err)"
        is_traced && fail "time $i: it is still traced"
    done
    poll_until 10 is_unchanged || fail "$(diff before after)"
    poll_until 10 has_no_leftovers || fail "left behind: $(leftovers)"
    [ -z "$(ls -A empty)" ] || fail "left behind: $(ls -A empty)"
    release all
}

# Any thread of the target execs while ptprofil attaches.
long_execs_meanwhile() {
    local i status=0
    "$TARGETS/exec_on" ready end 2>states.err &
    target=$!
    poll_until 10 test -e ready || fail "the target does not get ready"
    for ((i = 0; i < races; i++)); do
        attach_once -d "0.0$((SRANDOM % 3 + 1))" || fail "time $i: status $?: $(cat err)"
        is_traced && fail "time $i: it is still traced"
    done
    # If ptprofil had lost the process, it would not notice its end.
    attach_once &
    front=$!
    poll_until 10 is_traced || fail "it is not traced"
    : >end
    wait "$target" || status=$?
    [ $status = 34 ] || fail "status $status: $(cat states.err)"
    wait $front || fail "status $?: $(cat err)"
}

# The target ends while ptprofil attaches: it is sampled to its end, or a message says that it has ended.
case_ends_meanwhile() {
    local i status ends='there is no such process|it has ended, and only waits' seen=0
    for ((i = 0; i < races; i++)); do
        "$TARGETS/many_threads" $((SRANDOM % 20 + 1)) 0 2>states.err &
        target=$!
        [ $((i % 4)) = 0 ] || sleep "0.0$((SRANDOM % 8))"
        status=0
        attach_once || status=$?
        case $status in
        0) seen=$((seen + 1)) ;;
        125) grep -qE "$ends" err || fail "time $i: $(cat err)" ;;
        *) fail "time $i: status $status: $(cat err)" ;;
        esac
        status=0
        wait "$target" || status=$?
        [ $status = 40 ] || fail "time $i: status $status: $(cat states.err)"
    done
    echo "  $seen of $races were sampled"
}

long_sleeping() {
    are_left_alone read poll select epoll_wait nanosleep pause futex sigtimedwait semop accept recv wait4 io_getevents
}

case_running() {
    at_once=2 are_left_alone running all
}

long_churning() {
    at_once=2 are_left_alone churning leaderless
}

# Threads start all the time while ptprofil checks that no thread is in its jump, before it removes the jump. It
# succeeds, because new threads start elsewhere. Twelve threads are few enough for a jump. After a kill of the front,
# only the tracer can do this.
long_churning_with_jumps() {
    local i way
    start_state churning 12
    for ((i = 0; i < repetitions; i++)); do
        for way in front INT tracer; do
            leave_by $way on
            poll_until 60 is_unchanged || fail "time $i, left by $way:" "$(diff before after)"
        done
    done
    goes_on churning || fail "it does not go on"
    release churning
}

case_held() {
    are_left_alone stopped suspended vfork
}

run_cases "$@"
