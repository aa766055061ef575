#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The machine's clock is set, or its memory is used up, during sampling. Runs only in an emulated machine, which
# tests/vm/run makes.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

#
# The clock
#

# move_clock SECONDS
move_clock() {
    date -s "@$(($(date +%s) + $1))" >/dev/null || fail "the clock cannot be set"
}

# Sets the clock an hour ahead, a day back, and so on. At the end it is right again, because this shell's waits need
# that.
move_clock_often() {
    local seconds sum=0
    for seconds in 3600 -86400 1000000 -7 -1000000 60; do
        nap 0.4
        move_clock $seconds
        sum=$((sum + seconds))
    done
    nap 0.4
    move_clock $((-sum))
}

# Neither shares nor sums depend on the time of day.
case_clock_is_set() {
    begin_sampling 50 "$TARGETS/mix" -t 2 -s 6
    move_clock_often
    end_sampling
}

# uptime_ms: prints the machine's uptime, which does not depend on its clock.
uptime_ms() {
    local up
    read -r up _ </proc/uptime
    echo "${up/./}0"
}

# The end of a recording does not depend on the time of day.
case_duration() {
    local began took
    begin_steady env
    began=$(uptime_ms)
    "$PTPROFIL" -q --clock=wall -F 100 -d 4 -o profile.folded -p "$target" 2>err &
    front=$!
    move_clock_often
    poll_until 20 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)"
    wait $front || fail "status $?: $(cat err)"
    took=$(($(uptime_ms) - began))
    [ $took -ge 4000 ] || fail "it ended after $took ms of 4000"
    end_steady
}

#
# Memory
#

# limit_memory NAME BYTES: makes a control group with this limit; sets group to its folder.
limit_memory() {
    make_group "$1"
    [ -e "$group/memory.max" ] || skip "memory is not counted here"
    echo "$2" >"$group/memory.max"
    [ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
}

in_group() { # in_group COMMAND...
    bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' - "$group" "$@"
}

# The kernel kills the sampled process for lack of memory: the earlier samples are written, and the status is 137.
case_target_is_killed() {
    local status=0
    limit_memory greedy 40000000
    within 60 "$PTPROFIL" -q -F 200 -o profile.folded -- bash -c 'echo $$ >"$1/cgroup.procs"; exec tail /dev/zero' - "$group" 2>err ||
        status=$?
    [ $status = 137 ] || fail "status $status: $(cat err)"
    grep -q oom_kill\ 1 "$group/memory.events" || fail "the kernel did not kill it: $(cat "$group/memory.events")"
    grep -q '^tail;' profile.folded || off "no samples:" "$(cat profile.folded)"
    rmdir "$group"
}

# All of ptprofil is in a group with too little memory: the target is not disturbed, however ptprofil ends.
case_too_little_memory() {
    local bytes
    for bytes in 3000000 6000000 12000000; do
        begin_steady env
        limit_memory poor $bytes
        in_group "$PTPROFIL" -q --calls=on -F 500 -d 2 -o profile.folded -p "$target" 2>err
        printf '  %s bytes: status %s; %s\n' $bytes $? "$(tr '\n' ' ' <"$group/memory.events")"
        poll_until 30 is_untraced "$target" || fail "it is still traced" "$(cat err)"
        nap 0.5
        end_steady
        rmdir "$group"
    done
}

# kill_by_memory PID: makes the kernel's OOM killer choose this process, by giving it the highest score.
kill_by_memory() {
    echo 1000 >"/proc/$1/oom_score_adj"
    echo f >/proc/sysrq-trigger
    poll_until 30 is_gone_or_zombie "$1" || fail "process $1 was not chosen"
}

# killed_while_it_samples tracer|front
killed_while_it_samples() {
    local pid
    begin_steady env
    "$PTPROFIL" --calls=on -F 500 -o profile.folded -p "$target" 2>err &
    front=$!
    poll_until 30 is_traced || fail "it is not traced: $(cat err)"
    nap 0.5
    pid=$front
    [ "$1" = front ] || pid=$(tracer_of $front)
    kill_by_memory "$pid"
    poll_until 30 is_untraced "$target" || fail "it is still traced"
    poll_until 30 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)"
    wait $front || :
    [ "$1" = front ] || grep -q 'sampling ended early: the tracer was killed' err || fail "not reported:" "$(cat err)"
    end_steady
}

case_tracer_is_killed() {
    killed_while_it_samples tracer
}

case_front_is_killed() {
    killed_while_it_samples front
}

run_cases "$@"
