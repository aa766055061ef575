#!/bin/bash
# SPDX-License-Identifier: MIT
#
# While the profiled programs are idle, no process of ptprofil runs: there is not one wakeup.

. "$(dirname "$0")/lib.sh"

switches_of() { # switches_of PID...: prints how often all their threads were scheduled
    local pid
    for pid; do
        cat /proc/"$pid"/task/*/status 2>/dev/null
    done | awk '/ctxt_switches/ { sum += $2 } END { print sum + 0 }'
}

# all_asleep PID...: these processes and their descendants sleep. A process that still waits for a CPU would run later.
all_asleep() {
    local pid
    for pid; do
        is_asleep "$pid" || return 1
        # shellcheck disable=SC2046  # numbers
        all_asleep $(pgrep -P "$pid") || return 1
    done
}

has_settled() {
    local now
    all_asleep "$front" || quiet=-1
    now=$(switches_of "$front" "$tracer")
    [ "$now" = "${last_switches:-}" ] && quiet=$((quiet + 1)) || quiet=0
    last_switches=$now
    sleep 0.1
    [ $quiet -ge 5 ]
}

# stays_quiet RATE SECONDS COMMAND...: profiles COMMAND, which waits until it can read the FIFO "end". Once all
# processes are quiet, counts wakeups for SECONDS.
stays_quiet() {
    local rate=$1 seconds=$2 front tracer before after quiet=0 last_switches
    shift 2
    mkfifo end
    "$PTPROFIL" -q -F "$rate" -o profile.folded -- "$@" &
    front=$!
    poll_until 10 has_tracer "$front" || fail "no process named pt-tracer below ptprofil: $(show_family $front)"
    tracer=$(tracer_of $front)
    poll_until 5 has_settled || fail "never quiet for half a second"
    before=$(switches_of $front "$tracer")
    sleep "$seconds" # no wakeup is allowed
    is_gone_or_zombie $front && fail "over already"
    after=$(switches_of $front "$tracer")
    [ "$before" = "$after" ] || fail "$((after - before)) wakeups in $seconds seconds"
    : >end
    wait $front || fail "status $?"
}

has_tracer() {
    [ "$(tracer_of "$1")" ]
}

case_sleep() {
    stays_quiet 1000 2 cat end
}

long_sleep_20000() {
    stays_quiet 20000 1 cat end
}

case_pipeline() {
    stays_quiet 1000 1 sh -c 'cat end | cat | cat'
}

# ptprofil is quiet again after work, and samples again after the quiet.
long_wakes_again() {
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c '"$1/mix" -s 0.2; sleep 1.5; "$1/mix" -s 0.2 -o truth' - "$TARGETS" ||
        fail "status $?"
    [ "$(weight_of profile.folded spin_half)" -gt 150000 ] || off "$(cat profile.folded)"
}

measures=wakes_again
run_cases "$@"
