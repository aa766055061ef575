#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A control group freezes the program, as `docker pause` does, wherever its threads are, also in the middle of a call.
# Then ptprofil ends, or dies. When it is thawed, the program goes on as if nothing had happened.

. "$(dirname "$0")/lib.sh"

repetitions=${PTPROFIL_TEST_REPETITIONS:-2}
[ -z "$full" ] || repetitions=50

# Makes a control group that can freeze. Sets group, the file state, and the words that freeze and thaw.
need_freezer() { # need_freezer 1|2
    need_root
    local at type options
    group=''
    while read -r _ at type options _; do
        if [ "$1 $type" = '2 cgroup2' ]; then
            group=$at/ptprofil-test-$$-$BASHPID state=cgroup.freeze frozen=1 thawed=0
        elif [ "$1 $type" = '1 cgroup' ] && [[ ,$options, == *,freezer,* ]]; then
            group=$at/ptprofil-test-$$-$BASHPID state=freezer.state frozen=FROZEN thawed=THAWED
        fi
    done </proc/mounts
    [ "$group" ] || skip "no control groups of version $1 that can freeze are mounted here"
    trap thaw_left EXIT
    mkdir "$group" 2>/dev/null && [ -e "$group/$state" ] || skip "no control group can be made here"
}

thaw_left() {
    [ -z "${group:-}" ] || {
        echo $thawed >"$group/$state"
        poll_until 20 rmdir "$group"
    } 2>/dev/null
}

is_frozen() {
    if [ $state = cgroup.freeze ]; then
        grep -q '^frozen 1' "$group/cgroup.events"
    else
        grep -q FROZEN "$group/$state"
    fi
}

start_attached() { # start_attached TARGET...
    rm -f ready out err told
    "$TARGETS/$1" "${@:2}" -r ready >out 2>told &
    target=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat told)"
    "$PTPROFIL" -q -F 2000 -o profile.folded --calls=on -p $target 2>err &
    front=$!
    poll_until 20 tracer_known || fail "it is not traced" "$(cat err)"
}

tracer_known() {
    tracer=$(tracer_of $front) && [ "$tracer" ] && [ "$(status_field "$target" TracerPid)" = "$tracer" ]
}

# outlives VERSION SIGNAL front|tracer SECONDS: the group is frozen, ptprofil's process gets SIGNAL, and the group stays
# frozen for SECONDS.
outlives() {
    local i who=$3
    need_freezer "$1"
    for ((i = 0; i < repetitions; i++)); do
        rm -f over
        start_attached call_storm profil -t 3 -s 1 -o over -c
        echo "$target" >"$group/cgroup.procs"
        sleep "0.$(printf '%03d' $((300 + SRANDOM % 300)))"
        echo $frozen >"$group/$state"
        poll_until 20 is_frozen || fail "it is not frozen" "$(cat "$group/$state")"
        kill -"$2" "${!who}"
        nap "$4"
        : >over
        echo $thawed >"$group/$state"
        poll_until 60 is_gone_or_zombie "$target" || fail "time $i: the target does not end" "$(show_family "$target")"
        wait "$target" 2>/dev/null || fail "time $i: status $?" "$(cat out told err)"
        wait "$front" 2>/dev/null
        tail -n 1 out | grep -q '^refused' || fail "time $i" "$(cat out told err)"
        poll_until 20 is_gone_or_zombie "$tracer" || fail "time $i: the tracer stays" "$(show_family "$tracer")"
    done
}

case_frozen_tracer_told_to_end() {
    outlives 1 TERM tracer 0.3
}

case_frozen_front_killed() {
    outlives 1 KILL front 0.3
}

# For longer than the tracer waits for a thread to stop.
case_frozen_for_long() {
    outlives 1 INT front 4
}

case_frozen_tracer_killed() {
    outlives 1 KILL tracer 0.3
}

case_frozen2_tracer_told_to_end() {
    outlives 2 TERM tracer 0.3
}

case_frozen2_front_killed() {
    outlives 2 KILL front 0.3
}

case_frozen2_for_long() {
    outlives 2 INT front 4
}

run_cases "$@"
