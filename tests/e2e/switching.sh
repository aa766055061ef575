#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sampling is switched on and off while a program runs: --delay, --toggle, --control.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

# begun OPTION...: starts the target under ptprofil with OPTIONs, and waits until it is ready for its first phase.
begun() {
    "$PTPROFIL" -F 1000 -v -o run.folded -o run.json "$@" -- "$TARGETS/phases" -m "${phase_ms:-300}" -w go 2>err &
    pid=$!
    poll_until 30 test -e go.first || fail "the target does not begin:" "$(cat err)"
}

# proceed FROM TO: lets the target go on at FROM, and waits until it has reached TO ("": until ptprofil has ended).
proceed() {
    : >"go.$1.go"
    if [ -n "$2" ]; then
        poll_until 60 test -e "go.$2" || fail "the target has not come to $2:" "$(cat err)"
    else
        status=0
        wait "$pid" || status=$?
        [ "$status" = 0 ] || fail "status $status" "$(cat err)"
    fi
}

sleeps_of() { # sleeps_of PID: prints how often its threads went to sleep; a stop counts, too
    awk '$1 == "voluntary_ctxt_switches:" { sum += $2 } END { printf "%d\n", sum }' /proc/"$1"/task/*/status 2>/dev/null
}

has_heard() { # has_heard PID SLEEPS: it woke and went to sleep again since it had SLEEPS
    is_gone_or_zombie "$1" || [ "$(sleeps_of "$1")" -gt "$2" ]
}

# after COMMAND PID...: COMMAND sends something to ptprofil. Waits until the processes PID, which slept, have woken and
# sleep again. Then waits a little longer, because something else may have woken them.
after() {
    local command=$1 who slept=()
    shift
    for who; do
        slept+=("$(sleeps_of "$who")")
    done
    $command || fail "cannot send it"
    for who; do
        poll_until 20 has_heard "$who" "${slept[0]}" || fail "it does not wake" "$(show_family "$pid")"
        slept=("${slept[@]:1}")
    done
    sleep 0.2
}

# tell LINE...: writes LINEs to ptprofil's control FIFO. The front handles marks itself, and forwards on and off to the
# tracer.
tell() {
    local lines=("$@") hearers=("$pid")
    case $* in on | off) hearers+=("$(tracer_of "$pid")") ;; esac
    after write_lines "${hearers[@]}"
}

write_lines() {
    printf '%s\n' "${lines[@]}" >ctl
}

toggle() {
    after "kill -USR2 $pid" "$pid" "$(tracer_of "$pid")"
}

only() { # only PHASE: nearly all samples are from this phase
    local other=first
    [ "$1" = second ] || other=second
    [ "$(weight_of run.folded "phase_$1")" -gt 200000 ] || off "phase $1 is missing:" "$(cat run.folded)"
    [ "$(weight_of run.folded "phase_$other")" -lt 30000 ] || off "phase $other was sampled:" "$(cat run.folded)"
    [ "$(total_of run.folded)" -lt 450000 ] || off "what was not sampled counts:" "$(cat run.folded)"
    ns=$(sed -n 's/^"whole":{"ns":\([0-9]*\).*/\1/p' run.json)
    due=$(sed -n 's/^"recording":.*"due":\([0-9]*\).*/\1/p' run.json)
    near "due of a millisecond each" "$due" $((ns / 1000000)) 1
}

case_control_off() {
    begun --control=ctl
    [ -p ctl ] && [ "$(stat -c %a ctl)" = 600 ] || fail "no FIFO of our own" "$(ls -l)"
    proceed first second
    tell off
    proceed second end
    proceed end ""
    only first
    [ ! -e ctl ] || fail "the FIFO is left"
    grep -qE 'sampled for [0-9.]+ m?s of [0-9.]+ m?s, as requested' err || fail "not reported:" "$(cat err)"
}

long_control_on() {
    mkfifo ctl
    begun --control=ctl --delay=forever
    proceed first second
    tell on
    proceed second end
    proceed end ""
    only second
    [ -p ctl ] || fail "a FIFO that was there is gone"
}

long_inherited_descriptor() {
    mkfifo ctl
    exec 7<>ctl
    "$PTPROFIL" -q --control=fd:7 -- sh -c 'ls -l /proc/self/fd' >descriptors 2>err || fail "status $?" "$(cat err)"
    ! grep -q ctl descriptors || fail "the command has inherited it:" "$(cat descriptors)"
    begun --control=fd:7 --delay=forever
    proceed first second
    tell on
    proceed second end
    proceed end ""
    exec 7>&-
    only second
}

case_toggle() {
    begun --toggle=USR2 --delay=forever
    toggle
    proceed first second
    toggle
    proceed second end
    proceed end ""
    only first
}

case_delay() {
    "$PTPROFIL" -F 1000 -v --delay=100h -o run.json -- "$TARGETS/phases" 2>err || fail "status $?" "$(cat err)"
    grep -q '"ns":0,' run.json || fail "something was sampled, or counts:" "$(head -c 1000 run.json)"
    ! grep -q 'pause a sample' err || fail "something was stopped:" "$(cat err)"
    "$PTPROFIL" -q -F 1000 --delay=1ms -o run.folded -- "$TARGETS/phases" 2>err || fail "status $?" "$(cat err)"
    [ "$(weight_of run.folded phase_second)" -gt 200000 ] || off "it does not begin" "$(cat run.folded)"
}

long_end() {
    begun --control=ctl
    proceed first second
    tell end
    proceed second end
    proceed end ""
    only first
    grep -q 'sampling ended early: it was asked for' err || fail "not reported:" "$(cat err)"
}

case_attached() {
    "$TARGETS/phases" -w go &
    target=$!
    poll_until 30 test -e go.first || fail "the target does not begin"
    "$PTPROFIL" -F 1000 -o run.folded -o run.json --control=ctl --delay=forever -p "$target" 2>err &
    pid=$!
    poll_until 30 grep -q profiling err || fail "not attached:" "$(cat err)"
    proceed first second
    tell on
    proceed second end
    tell end
    wait "$pid" || fail "status $?" "$(cat err)"
    : >go.end.go
    wait "$target" || fail "the target ended with $?"
    only second
}

# The emulated calls are served while sampling is off, too.
long_calls_go_on() {
    within 30 "$PTPROFIL" -v --delay=forever --toggle=USR2 -o run.json --impose=profil --impose-output=gmon.out -- \
        "$TARGETS/phases" -m 500 2>err || fail "status $?" "$(cat err)"
    grep -q '"samples":0,' run.json || fail "something was sampled:" "$(head -c 1000 run.json)"
    ticks=$(sed -n 's/.*calls: .* served, \([0-9]*\) ticks.*/\1/p' err)
    [ "${ticks:-0}" -ge 50 ] || off "$ticks ticks of a second of CPU time:" "$(cat err)"
}

long_waiting_is_switched_off() {
    begun --control=ctl --clock=wall
    tell off
    sleep 1
    tell on
    proceed first second
    tell off
    sleep 1
    proceed second end
    proceed end ""
    # The phases take 0.3 s of CPU time each. In the remaining time the target only waits.
    expect_absent run.folded 'phase_second'
    total=$(total_of run.folded)
    off_ns=$(sed -n 's/.*"off_ns":\([0-9]*\).*/\1/p' run.json | head -n 1)
    wall_ns=$(sed -n 's/.*"wall_ns":\([0-9]*\).*/\1/p' run.json | head -n 1)
    near "sampled, ms" $((total / 1000)) $(((wall_ns - off_ns) / 1000000)) 150
}

# Marks are stored. Unknown commands change nothing, and twenty of them are reported.
case_marks() {
    need python3
    begun --control=ctl -o run.pb.gz -o run.json.gz
    tell 'mark before the first' '' 'mark'
    head -c 100000 /dev/zero | tr '\0' 'x' >ctl
    echo >ctl
    for i in $(seq 50); do echo "nonsense $i"; done >ctl
    tell 'mark <end> "of"' 'on'
    proceed first second
    proceed second end
    proceed end ""
    [ "$(grep -c 'unknown command' err)" = 20 ] || fail "not twenty complaints:" "$(cut -c 1-100 err)"
    grep -q "'a line of more than 1023 bytes'" err || fail "the long line is not reported:" "$(cut -c 1-100 err)"
    python3 "$script_dir/firefox.py" run.json.gz >seen 2>&1 || fail "firefox.py:" "$(tail -n 3 seen)"
    [ "$(grep '^mark ' seen | cut -d ' ' -f 3- | tr '\n' '|')" = 'before the first|<end> "of"|' ] ||
        fail "other markers:" "$(grep '^mark ' seen)"
    gzip -dc run.pb.gz | tr -c '[:print:]' '\n' | grep -q 'before the first' || fail "no mark in the file"
    [ "$(weight_of run.folded phase_second)" -gt 200000 ] || off "not sampled" "$(cat run.folded)"
}

# --between with marks shows a part of a run.
long_between_marks() {
    begun --control=ctl -o run.pb.gz
    tell 'mark one'
    proceed first second
    tell 'mark two'
    proceed second end
    proceed end ""
    report --between=one..two -o first.folded run.pb.gz
    report --between=two.. -o second.folded run.pb.gz
    expect_absent first.folded phase_second
    expect_absent second.folded phase_first
    [ $(($(weight_of first.folded phase_first) - $(weight_of run.folded phase_first))) -ge -2 ] ||
        fail "a part of the first phase is missing:" "$(cat run.folded)" "$(cat first.folded)"
    within 20 "$PTPROFIL" report --between=three.. run.pb.gz >out 2>err && fail "there is no such mark"
    grep -q "'three' .* there are 'one' at .*, 'two' at" err || fail "the marks are not listed:" "$(cat err)"
}

cpu_ns_of() { # cpu_ns_of PID: prints the CPU time of all its threads
    awk '{ sum += $1 } END { printf "%.0f\n", sum }' /proc/"$1"/task/*/schedstat
}

costs() { # costs FROM TO: lets the target proceed; sets ns (CPU time of the tracer) and sleeps (of the target) in that time
    ns=$(cpu_ns_of "$tracer") sleeps=$(sleeps_of "$target")
    proceed "$@"
    ns=$(($(cpu_ns_of "$tracer") - ns)) sleeps=$(($(sleeps_of "$target") - sleeps))
}

# cheaper_off PERCENT OPTION...: for the same work with sampling off, the tracer needs less than PERCENT of its CPU time
# with sampling on, and stops the target less often. One run measures both, so that a busy machine affects both.
cheaper_off() {
    local phase_ms=1000 percent=$1 tracer target ns sleeps on_ns on_sleeps
    shift
    begun --control=ctl "$@"
    tracer=$(tracer_of "$pid") target=$(command_of "$pid")
    costs first second
    on_ns=$ns on_sleeps=$sleeps
    tell off
    costs second end
    proceed end ""
    echo "  on: $on_ns ns, $on_sleeps sleeps; off: $ns ns, $sleeps sleeps"
    [ $((100 * ns)) -lt $((percent * on_ns)) ] || off "it costs too much while sampling is off"
    [ $((2 * sleeps)) -lt "$on_sleeps" ] || off "the target is stopped while sampling is off"
}

long_off_is_cheap() {
    cheaper_off 25
}

long_off_is_cheap_by_wall_clock() {
    cheaper_off 25 --clock=wall
}

# With an imposed call, ticks and their stops go on while sampling is off.
long_off_is_cheap_with_calls() {
    cheaper_off 200 --impose=profil --impose-output=gmon.out
}

long_off_is_cheap_with_calls_by_wall_clock() {
    cheaper_off 200 --clock=wall --impose=profil --impose-output=gmon.out
}

none_is_stopped() { # none_is_stopped PID: its tracer holds none of its threads
    ! grep -q '^State:.*tracing stop' /proc/"$1"/task/*/status
}

counts() {
    od -A n -t u8 -w8 -v counts
}

all_count_on() { # each thread's count is higher than in the file before
    counts | paste before - | awk '$1 == $2 { stands = 1 } END { exit stands }'
}

# Threads that are stopped when sampling is switched off go on. There are more threads than the tracer asks for events
# in one round.
long_no_thread_stays_stopped() {
    local i target rounds=${full:+200}
    "$PTPROFIL" -q -F 1000 -o run.json --control=ctl -- "$TARGETS/crowd" 80 counts end 2>err &
    pid=$!
    poll_until 60 test -e counts || fail "the threads do not run:" "$(cat err)"
    target=$(command_of "$pid")
    for ((i = 0; i < ${rounds:-40}; i++)); do
        printf 'on\n' >ctl
        sleep 0.05
        printf 'off\n' >ctl
        sleep 0.02
        poll_until 20 none_is_stopped "$target" || fail "after $i times:" "$(grep '^State' /proc/"$target"/task/*/status)"
    done
    sleep 0.2 # the last threads go on
    counts >before
    poll_until 60 all_count_on || fail "not all threads run:" "$(counts | paste before -)"
    : >end
    wait "$pid" || fail "status $?" "$(cat err)"
}

all_are_stopped() {
    ! grep -q '^State:[[:space:]]*[^Tt[:space:]]' /proc/"$1"/task/*/status
}

# A signal stops all threads at once, and another continues them. Most stops have no SIGCHLD of their own, because it is
# not queued.
case_many_threads_stop_at_once() {
    local i target status=0
    "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/crowd" 400 counts end 100 2>err &
    pid=$!
    poll_until 60 test -e counts || fail "the threads do not run:" "$(cat err)"
    target=$(command_of "$pid")
    for i in 1 2 3; do
        kill -STOP "$target"
        poll_until 20 all_are_stopped "$target" || fail "time $i:" "$(grep '^State' /proc/"$target"/task/*/status)"
        poll_until 20 is_stopped "$pid" || fail "not mirrored" "$(show_family "$pid")"
        counts >before
        kill -CONT "$pid"
        poll_until 60 all_count_on || fail "time $i: not all threads run:" "$(counts | paste before -)"
    done
    : >end
    wait "$pid" || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

is_stopped_itself() {
    [ "$(state_of "$1")" = T ]
}

# is_in_exec PID: an exec has killed the other threads, and waits for their ends.
is_in_exec() {
    grep -q '^State:.*disk sleep' /proc/"$1"/task/*/status
}

# A new child stays stopped until its parent's event reports which process it belongs to. The event may never come: here
# an exec ends the parent before the tracer hears of it. While sampling is off, nothing else wakes the tracer. A stop
# makes the tracer slow; the front, which would continue it, was stopped before.
case_child_of_a_maker_that_is_gone() {
    local tracer target
    "$PTPROFIL" -q --toggle=USR2 --delay=forever -o run.json -- "$TARGETS/torn_fork" ready go 2>err &
    pid=$!
    poll_until 30 test -e ready || fail "the target is not ready:" "$(cat err)"
    tracer=$(tracer_of "$pid") target=$(cat ready)
    kill -STOP "$pid"
    poll_until 30 is_stopped_itself "$pid" || fail "the front runs on"
    kill -STOP "$tracer"
    poll_until 30 is_stopped_itself "$tracer" || fail "the tracer runs on"
    : >go
    poll_until 30 is_in_exec "$target" || fail "the maker was not killed" "$(show_family "$target")"
    kill -CONT "$pid" "$tracer"
    poll_until 30 is_gone_or_zombie "$pid" || fail "its child did not run:" "$(show_family "$pid")"
    wait "$pid" || fail "status $?" "$(cat err)"
}

case_refusals() {
    : >file
    for wrong in --control=file --control=fd:99 --toggle=KILL --delay=forever --delay=x; do
        status=0
        within 20 "$PTPROFIL" "$wrong" -- true 2>err || status=$?
        [ "$status" = 125 ] || fail "status $status: $wrong" "$(cat err)"
        grep -q -e "${wrong%%=*}" err || fail "not reported: $wrong" "$(cat err)"
    done
    within 20 "$PTPROFIL" report --delay=1s run.pb.gz 2>err && fail "report takes --delay"
    grep -q "is an option of 'ptprofil'" err || fail "the right command is not named:" "$(cat err)"
    [ "$(ls)" = "$(printf 'err\nfile')" ] || fail "something was left:" "$(ls)"
}

measures=waiting_is_switched_off
run_cases "$@"
