#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ptprofil's front or tracer, or both, are killed or stopped at a random moment. The profiled programs go on
# undisturbed, and the surviving process of ptprofil still writes the profile and ends with the right status.

. "$(dirname "$0")/lib.sh"

repetitions=${PTPROFIL_TEST_REPETITIONS:-1}
[ -z "$full" ] || repetitions=100

# start_steady [SECONDS]: starts a busy target under ptprofil; sets front, tracer and target (pids). The target works
# for at least SECONDS, and until target_went_on is called, so that it cannot end too early on a busy machine.
start_steady() {
    rm -f ready result profile.folded err over
    "$PTPROFIL" -F 1000 -o profile.folded -- "$TARGETS/steady" -s "${1:-0.6}" -e over -r ready -o result -x 7 2>err &
    front=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)" "$(show_family $front)"
    target=$(cat ready)
    tracer=$(tracer_of $front)
    [ "$tracer" ] || fail "no process named pt-tracer" "$(show_family $front)"
    [ "$(status_field "$target" TracerPid)" = "$tracer" ] ||
        fail "traced by $(status_field "$target" TracerPid), not by $tracer"
}

# Sleeps for a random time of 0 to 300 ms.
at_random() {
    local wait=$((SRANDOM % 300))
    echo "  after $wait ms"
    sleep 0.$(printf '%03d' $wait)
}

target_went_on() { # ends the target, which reports that nothing disturbed it
    : >over
    poll_until 20 test -e result || fail "the target did not end well" "$(cat err)" "$(show_family "$target")"
    grep -q '^ok$' result || fail "$(cat result)"
}

front_ends_with() { # front_ends_with STATUS
    local status=0
    poll_until 20 is_gone_or_zombie "$front" || fail "ptprofil does not end" "$(show_family "$front")"
    wait "$front" || status=$?
    [ $status = "$1" ] || fail "status $status, not $1" "$(cat err)"
}

case_undisturbed() {
    start_steady
    target_went_on
    front_ends_with 7
    # a low bound: a busy machine leaves little CPU time
    [ "$(matching_weight profile.folded ';steady_(other_)?work$')" -gt 0 ] || off "$(cat profile.folded)"
}

case_tracer_killed() {
    local i
    for ((i = 0; i < repetitions; i++)); do
        start_steady
        at_random
        kill -KILL "$tracer"
        poll_until 5 is_untraced "$target" || fail "the target is still traced"
        target_went_on
        front_ends_with 7
        [ -e profile.folded ] || fail "the record up to there was not written" "$(cat err)"
        grep -qi 'tracer' err || fail "nothing says what happened:" "$(cat err)"
    done
    [ -s profile.folded ] || off "the record is empty"
}

case_front_killed() {
    local i
    for ((i = 0; i < repetitions; i++)); do
        start_steady
        at_random
        kill -KILL "$front"
        wait "$front" 2>/dev/null
        poll_until 5 is_untraced "$target" || fail "the target is still traced" "$(show_family "$tracer")"
        poll_until 5 is_gone_or_zombie "$tracer" || fail "the tracer lives on" "$(show_family "$tracer")"
        target_went_on
        grep -q '^tracer 0$' result || fail "$(cat result)"
    done
}

case_both_killed() {
    local i
    for ((i = 0; i < repetitions; i++)); do
        start_steady
        at_random
        if ((i % 2)); then
            kill -KILL "$front" "$tracer"
        else
            kill -KILL "$tracer" "$front"
        fi
        wait "$front" 2>/dev/null
        poll_until 5 is_untraced "$target" || fail "the target is still traced"
        target_went_on
    done
}

# SIGTERM to the tracer alone does no harm.
case_tracer_told_to_end() {
    start_steady
    at_random
    kill -TERM "$tracer"
    target_went_on
    front_ends_with 7
    grep -q 'ended early: the tracer was told to end' err || fail "not reported: $(cat err)"
}

# Signals that a terminal or a careless killall sends to the tracer.
case_tracer_pestered() {
    local signal
    start_steady 0.8
    for signal in INT QUIT HUP TSTP TTIN TTOU PIPE CHLD WINCH CONT URG; do
        kill -$signal "$tracer" 2>/dev/null
        sleep 0.02
    done
    target_went_on
    front_ends_with 7
}

stopped_for_a_while() { # stopped_for_a_while PID...: stops them for a tenth of a second, unless another process continues them
    local i
    for ((i = 0; i < 3; i++)); do
        at_random
        kill -STOP "$@"
        sleep 0.1
        kill -CONT "$@"
    done
}

case_tracer_stopped() {
    local i
    for ((i = 0; i < (repetitions + 1) / 2; i++)); do
        start_steady 1.6
        stopped_for_a_while "$tracer"
        target_went_on
        front_ends_with 7
        [ -s profile.folded ] || fail "no profile"
    done
}

case_front_stopped() {
    local i
    for ((i = 0; i < (repetitions + 1) / 2; i++)); do
        start_steady 1.6
        stopped_for_a_while "$front"
        target_went_on
        front_ends_with 7
        [ -s profile.folded ] || fail "no profile"
    done
}

case_both_stopped() {
    local i
    for ((i = 0; i < (repetitions + 1) / 2; i++)); do
        start_steady 1.6
        stopped_for_a_while "$front" "$tracer"
        target_went_on
        front_ends_with 7
        [ -s profile.folded ] || fail "no profile"
    done
}

# The target goes on while the front is stopped, for any time.
case_front_lies_still() {
    start_steady 0.6
    kill -STOP "$front"
    target_went_on
    kill -CONT "$front"
    front_ends_with 7
}

# The tracer is killed while it is stopped.
case_tracer_stopped_and_killed() {
    start_steady
    at_random
    kill -STOP "$tracer"
    kill -KILL "$tracer"
    target_went_on
    front_ends_with 7
}

case_front_stopped_and_killed() {
    start_steady
    at_random
    kill -STOP "$front"
    kill -KILL "$front"
    wait "$front" 2>/dev/null
    poll_until 5 is_untraced "$target" || fail "the target is still traced"
    target_went_on
}

# A stopped tracer is continued by the signal that the kernel sends it when the front dies.
case_front_killed_tracer_stopped() {
    start_steady
    at_random
    kill -STOP "$front"
    poll_until 5 is_stopped "$front" || fail "the front does not stop"
    kill -STOP "$tracer"
    poll_until 5 is_stopped "$tracer" || fail "the tracer does not stop"
    kill -KILL "$front"
    wait "$front" 2>/dev/null
    poll_until 20 is_untraced "$target" || fail "the target is still traced" "$(show_family "$tracer")"
    target_went_on
}

# The target is killed: ptprofil writes the profile, and its status is 137.
case_target_killed() {
    local i
    for ((i = 0; i < repetitions; i++)); do
        start_steady
        at_random
        kill -KILL "$target"
        front_ends_with 137
        [ -s profile.folded ] || off "no profile" "$(cat err)"
    done
}

case_target_stopped() {
    start_steady 1.2
    at_random
    kill -STOP "$target"
    poll_until 5 is_stopped "$target" || fail "it does not stop: $(show_family "$front")"
    poll_until 5 is_stopped "$front" || fail "not mirrored: $(show_family "$front")"
    sleep 0.2 # it must stay so
    is_stopped "$target" || fail "it does not stay stopped"
    kill -CONT "$target"
    [ "$(state_of "$front")" != T ] || kill -CONT "$front" # as a shell continues a job
    target_went_on
    front_ends_with 7
}

# The tracer dies while its tracee is stopped by job control: the tracee stays stopped until SIGCONT.
case_tracer_killed_target_stopped() {
    start_steady 1
    kill -STOP "$target"
    poll_until 5 is_stopped "$target" || fail "it does not stop"
    kill -KILL "$tracer"
    poll_until 5 is_untraced "$target" || fail "still traced"
    poll_until 5 is_stopped "$target" || fail "no longer stopped: $(state_of "$target")" # the kernel stops it again
    kill -CONT "$target"
    [ "$(state_of "$front")" != T ] || kill -CONT "$front"
    target_went_on
    front_ends_with 7
}

# The tracer's death must not end a sleep early.
case_sleeper() {
    local front tracer target began
    "$PTPROFIL" -q -o profile.folded -- sh -c 'echo $$ >ready; until [ -e go ]; do sleep 0.02; done; exec sleep 2' 2>err &
    front=$!
    poll_until 20 test -s ready || fail "the target did not get ready" "$(cat err)"
    target=$(cat ready) tracer=$(tracer_of "$front")
    [ "$tracer" ] || fail "no tracer"
    began=${EPOCHREALTIME/./}
    : >go
    poll_until 20 sleeps_or_is_gone "$target" || fail "no sleep"
    ! is_gone_or_zombie "$target" || skip "the machine is too busy: it has slept already"
    kill -KILL "$tracer"
    front_ends_with 125
    grep -q '^ptprofil: sampling ended early: the tracer was killed$' err || fail "not reported, with -q: $(cat err)"
    [ $((${EPOCHREALTIME/./} - began)) -ge 2000000 ] || fail "slept too short"
}

sleeps_or_is_gone() {
    local name
    ! { read -r name <"/proc/$1/comm"; } 2>/dev/null || [ "$name" = sleep ]
}

long_again() {
    [ "$full" ] || repetitions=3
    again tracer_killed front_killed both_killed target_killed tracer_stopped front_stopped both_stopped
}

measures=undisturbed
run_cases "$@"
