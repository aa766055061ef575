#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tracer, the front or both are killed at a random moment while they serve calls. No program finds a register
# changed. A program that calls pcsample, or is compiled with -pg, only notices that the calls have ended.

. "$(dirname "$0")/lib.sh"

repetitions=${PTPROFIL_TEST_REPETITIONS:-1}
[ -z "$full" ] || repetitions=200
attached_s=$((6 * slow / 10)).$((6 * slow % 10)) # lifetime of a target that ptprofil attaches to

# start_target TARGET...: starts TARGET under ptprofil, and waits until it is ready. Sets front, tracer and target
# (pids).
start_target() {
    rm -f ready out err gmon.out
    # shellcheck disable=SC2086  # options are words
    "$PTPROFIL" -q ${START_OPTIONS:-} -- "$TARGETS/$1" "${@:2}" -r ready >out 2>err &
    front=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)" "$(show_family $front)"
    target=$(cat ready)
    tracer=$(tracer_of $front)
    [ "$tracer" ] || is_gone_or_zombie "$target" || fail "no process named pt-tracer" "$(show_family $front)"
}

is_traced_or_gone() {
    ! is_untraced "$target" || is_gone_or_zombie "$target"
}

# start_attached TARGET...: like start_target, but ptprofil attaches to the running TARGET.
start_attached() {
    rm -f ready out err told
    "$TARGETS/$1" "${@:2}" -r ready >out 2>told &
    target=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat told)" "$(show_family $target)"
    "$PTPROFIL" -q -o profile.folded --calls=on -p $target 2>err &
    front=$!
    poll_until 20 is_traced_or_gone || fail "it is not traced" "$(cat err)" "$(show_family $front)"
    tracer=$(tracer_of $front)
    [ "$tracer" ] || is_gone_or_zombie "$target" || fail "no process named pt-tracer" "$(show_family $front)"
}

# strike SIG front|tracer|both: sends SIG to this process, or to both, between 0 and 300 ms after the start. Returns 1
# if the target has ended by then, which can happen on a busy machine.
strike() {
    sleep "0.$(printf '%03d' $((SRANDOM % 300)))"
    ! is_gone_or_zombie "$target" || return 1
    [ -z "${stuck:-}" ] || { kill -STOP "$tracer" && nap 0.2; }
    case $2 in
    front) kill -"$1" "$front" ;;
    tracer) kill -"$1" "$tracer" ;;
    both) kill -"$1" "$tracer" "$front" ;;
    esac 2>/dev/null
}

# Waits until the front and the target have ended. Sets status to the front's status.
wait_for_all() {
    status=0
    wait "$front" 2>/dev/null || status=$?
    poll_until 30 is_gone_or_zombie "$target" || fail "the target does not end" "$(show_family "$target")"
}

# struck_again: succeeds until $repetitions targets have been struck. Skips the case if too many ended too early.
struck_again() {
    [ "$struck" -lt "$repetitions" ] || return 1
    tries=$((tries + 1))
    [ "$tries" -lt $((repetitions * 3 + 10)) ] || skip "the machine is too busy: targets end before they are struck"
}

# survives SIG WHO LINE TARGET...: strikes WHO again and again. Each time TARGET must run to its end, and the last line
# of its output must begin with LINE.
survives() {
    local status signal=$1 who=$2 line=$3 struck=0 tries=0
    shift 3
    while struck_again; do
        "${start:-start_target}" "$@"
        if ! strike "$signal" "$who"; then
            wait_for_all
            continue
        fi
        struck=$((struck + 1))
        wait_for_all
        tail -n 1 out | grep -q "^$line" || fail "time $struck: status $status" "$(cat out)" "$(cat err)" "$(cat told 2>&1)"
        [ "$who" != tracer ] || tells_death "$status" || fail "time $struck: status $status" "$(cat err)"
    done
    echo "  $struck of $struck"
}

#
# A program that calls pcsample without a pause. Each call is served or fails with ENOSYS; the last calls fail.
#

case_pcsample_tracer_killed() {
    survives KILL tracer refused call_storm pcsample -t 2 -s 0.4 -e
}

case_pcsample_front_killed() {
    survives KILL front refused call_storm pcsample -t 2 -s 0.4 -e
}

case_pcsample_both_killed() {
    survives KILL both refused call_storm pcsample -t 2 -s 0.4 -e
}

#
# A program compiled with -pg ends normally, with its own code restored, and writes the ticks that were counted.
#

case_gprof_tracer_killed() {
    survives KILL tracer profiled gprof_pie -w -c 400
    [ -s gmon.out ] || fail "no gmon.out"
}

case_gprof_front_killed() {
    survives KILL front profiled gprof_pie -w -c 400
    [ -s gmon.out ] || fail "no gmon.out"
}

case_gprof_static_tracer_killed() {
    survives KILL tracer profiled gprof_static -w -c 400
}

# SIGTERM, which the tracer can handle.
case_gprof_tracer_told_to_end() {
    survives TERM tracer profiled gprof_static_pie -w -c 400
}

#
# A program that calls the C library's profil without a pause
#

case_profil_front_killed() {
    survives KILL front refused call_storm profil -t 2 -s 0.4 -c
}

case_profil_tracer_told_to_end() {
    survives TERM tracer refused call_storm profil -t 2 -s 0.4 -c
}

# The tracer handles its own crash, too: it restores everything before it dies, even if the front cannot.
case_profil_tracer_crashed() {
    local signal
    for signal in SEGV ABRT; do
        survives $signal tracer refused call_storm profil -t 2 -s 0.4 -c
    done
}

# survives_crash [idle]: the tracer crashes while the front is stopped, so that only the tracer can restore the target.
# Without idle, the target runs on at once. With idle, the target gets a CPU only when no other program wants one: the
# tracer does not wait without end for its threads to leave the stubs. The stubs do no harm, and the front, which is
# continued then, removes them.
survives_crash() {
    local status=0 struck=0 tries=0
    while struck_again; do
        start_target call_storm profil -t 2 -s 0.6 -c
        [ $# = 0 ] || chrt --all-tasks --idle --pid 0 "$target"
        kill -STOP "$front"
        if ! strike SEGV tracer; then
            kill -CONT "$front"
            wait_for_all
            continue
        fi
        struck=$((struck + 1))
        poll_until 60 is_gone_or_zombie "$tracer" || fail "time $struck: the tracer does not end" "$(show_family "$front")"
        [ $# = 0 ] || { chrt --all-tasks --other --pid 0 "$target"; kill -CONT "$front"; } 2>/dev/null
        poll_until 30 is_gone_or_zombie "$target" || fail "time $struck: the target does not end" "$(show_family "$target")"
        [ $# -gt 0 ] || kill -CONT "$front"
        status=0
        wait "$front" 2>/dev/null || status=$?
        tells_death "$status" && tail -n 1 out | grep -q '^refused' || fail "time $struck: status $status" "$(cat out)" "$(cat err)"
    done
    echo "  $struck of $struck"
}

case_profil_tracer_crashed_alone() {
    survives_crash
}

# A thread that has hit a breakpoint may wait long for a CPU before it reports its stop.
long_profil_tracer_crashed_among_busy_ones() {
    need chrt
    local i busy=''
    for ((i = $(nproc); i > 0; i--)); do
        "$TARGETS/steady" -s 600 &
        busy="$busy $!"
    done
    repetitions=$((repetitions * 2))
    survives_crash idle
    # shellcheck disable=SC2086  # pids are words
    { kill -KILL $busy && wait $busy; } 2>/dev/null
    return 0
}

# children_survive SIGNAL WHO SECONDS [OPTION]: strikes WHO while a program makes children of each kind.
children_survive() {
    local kind
    repetitions=$(((repetitions + 2) / 3))
    for kind in fork clone_vm thread_fork; do
        survives "$1" "$2" call_family call_family $kind -s "$3" ${4:+"$4"}
    done
}

case_children_front_killed() {
    children_survive KILL front 0.4
}

case_children_tracer_told_to_end() {
    children_survive TERM tracer 0.4
}

# SIGKILL leaves the tracer no time to restore anything. A call that a program makes before the front has restored its
# code waits, and then runs in the C library: no program dies, or runs on with anything changed. The calls are 0, 1 or
# 20 milliseconds apart.
case_profil_tracer_killed() {
    local apart
    for apart in 0 1 20; do
        survives KILL tracer refused call_storm profil -t 1 -s 0.4 -c -p $apart
    done
}

case_profil_threads_tracer_killed() {
    survives KILL tracer refused call_storm profil -t 4 -s 0.4 -c
}

# The same in a program that calls already when ptprofil attaches. A jump is written only after each thread has been
# seen outside of the bytes that the jump replaces.
case_profil_attached_tracer_killed() {
    local start=start_attached apart
    for apart in 0 1 20; do
        survives KILL tracer refused call_storm profil -t 1 -s $attached_s -c -p $apart
    done
}

# The program loads a library after its tracer has died, before its code is restored.
case_loader_tracer_killed() {
    local status=0
    within 60 "$PTPROFIL" --calls=on --semantics=freebsd -o profile.folded -- "$TARGETS/call_loader" served -k "$TARGETS/call_plugin.so" >out 2>err ||
        status=$?
    ! grep 'not served' err || off "its library was read too late"
    grep -q 'tracer was killed' err || fail "the tracer was not killed" "$(cat err)"
    [ "$status $(cat out)" = '125 call_loader: as expected' ] || fail "status $status" "$(cat out err)"
}

# A profil call that the C library began must be ended by the C library. Otherwise, it would go on counting in a buffer
# that the program has freed.
case_profil_begun_before() {
    local status=0
    rm -f ready end
    "$TARGETS/profiling" ready end >out 2>told &
    target=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat told)"
    "$PTPROFIL" -v --calls=on -F 1000 -o profile.folded -p $target 2>err &
    front=$!
    poll_until 20 is_traced_or_gone || fail "it is not traced" "$(cat err)"
    nap 0.5 # all breakpoints are written by then
    touch end
    wait $target || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat told err)"
    status=0
    wait $front || status=$?
    [ $status = 0 ] || fail "the front: status $status" "$(cat err)"
    grep -q '^ptprofil: calls: 0 served' err || fail "$(cat err)"
}

case_profil_attached_threads_tracer_killed() {
    local start=start_attached apart
    for apart in 0 1 20; do
        survives KILL tracer refused call_storm profil -t 2 -s $attached_s -c -p $apart
    done
}

# The tracer is stopped first, until all threads wait in a call for its answer.
case_profil_attached_tracer_stuck() {
    local start=start_attached stuck=yes
    survives KILL tracer refused call_storm profil -t 2 -s 1 -c
    survives KILL both refused call_storm profil -t 2 -s 1 -e
}

# Before and after ptprofil, the C library serves the calls. Its profil is not made for several processes that share
# memory and switch it on, so the target only switches it off (-z).
case_children_attached_tracer_killed() {
    local start=start_attached
    children_survive KILL tracer 1.2 -z
}

# No process is left to remove the detour: the calls run in the C library.
case_profil_both_killed() {
    local apart
    for apart in 0 1 20; do
        survives KILL both refused call_storm profil -t 1 -s 0.4 -e -p $apart
    done
}

case_children_tracer_killed() {
    children_survive KILL tracer 1.2
}

long_again() {
    [ "$full" ] || repetitions=3
    # shellcheck disable=SC2046  # names are words
    again $(declare -F | sed -n 's/^declare -f case_//p')
}

run_cases "$@"
