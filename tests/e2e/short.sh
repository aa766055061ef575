#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Processes and threads that end before they are sampled: their time is shown like other samples of the same program,
# and sums stay exact.

. "$(dirname "$0")/lib.sh"

# brief KIND COUNT OPTION...: profiles COUNT short processes or threads.
brief() {
    local kind=$1 count=$2
    shift 2
    within 100 "$PTPROFIL" -q "$@" -o profile.folded -o profile.json -o run.pb.gz -- "$TARGETS/brief" "$kind" "$count" truth 2>err ||
        fail "status $?: $(cat err)"
    [ -s truth ] && [ -s profile.folded ] || fail "nothing was written"
}

value() { # value NAME FILE: prints the number NAME of the whole profile in the JSON FILE
    sed -n "s/.*\"whole\":{.*\"$1\":\([0-9]*\).*/\1/p" "$2"
}

# check_shares NAME...: each function's share must be correct within five standard deviations.
check_shares() {
    local name total count
    total=$(total_of profile.folded)
    count=$(value samples profile.json)
    [ "${count:-0}" -ge 50 ] || skip "$count samples only: the machine is too busy"
    for name; do
        near "$name, %" "$(percent "$(weight_of profile.folded "$name")" "$total")" \
            "$(percent "$(truth_of truth "$name")" "$total")" \
            "$(awk -v p="$(percent "$(truth_of truth "$name")" "$total")" -v n="$count" 'BEGIN { p /= 100; print 1 + 500 * sqrt(p * (1 - p) / n) }')"
    done
}

check_no_samples() { # check_no_samples PERCENT
    local seen
    seen=$(percent "$(last_frame_weight profile.folded '[no samples]')" "$(total_of profile.folded)")
    echo "  without samples: $seen %"
    awk -v seen="$seen" -v most="$1" 'BEGIN { exit !(seen <= most) }' || off "$seen % without samples"
}

report() {
    within 60 "$PTPROFIL" report "$@" || fail "status $?: report $*"
}

# The estimate changes no process's and no thread's time: it equals the measured time to the nanosecond.
check_exact() {
    report --by=process -o estimated.csv run.pb.gz
    report --by=process --unsampled=separate -o separate.csv run.pb.gz
    cut -d, -f1,2,3,4 estimated.csv | sort >estimated
    cut -d, -f1,2,3,4 separate.csv | sort >separate
    cmp estimated separate || fail "processes have other times:" "$(diff estimated separate | head)"
    report --by=thread -o estimated.csv run.pb.gz
    report --by=thread --unsampled=separate -o separate.csv run.pb.gz
    cut -d, -f1,2,3,4 estimated.csv | sort >estimated
    cut -d, -f1,2,3,4 separate.csv | sort >separate
    cmp estimated separate || fail "threads have other times:" "$(diff estimated separate | head)"
    report --format=json -o separate.json --unsampled=separate run.pb.gz
    [ "$(value ns separate.json)" = "$(value ns profile.json)" ] || fail "the sum is another"
    [ "$(value estimated_ns separate.json)" = 0 ] || fail "something is estimated"
    [ "$(($(value estimated_ns profile.json) + $(value unsampled_ns profile.json)))" = "$(value unsampled_ns separate.json)" ] ||
        fail "estimated and unsampled time do not add up:" "$(head -c 1000 profile.json)"
}

case_processes() {
    brief exec 300 -F 100
    check_shares brief_most brief_rest
    check_no_samples 3
    check_exact
    report run.pb.gz >table
    grep -q '% of the time has no sample' table || fail "not reported:" "$(cat table)"
}

case_at_the_default_rate() {
    brief exec 150
    check_shares brief_most brief_rest
    check_no_samples 3
    check_exact
}

case_workers() {
    brief fork 200 -F 400
    check_shares brief_most brief_rest
    check_no_samples 3
    check_exact
}

# Each worker has its own process name, and all have the same executable file.
case_workers_by_name() {
    brief named 200 -F 100
    check_shares brief_most brief_rest
    check_no_samples 3
    check_exact
}

case_threads() {
    brief thread 1500 -F 400
    check_shares brief_most brief_rest
    check_no_samples 3
    check_exact
}

case_among_them_a_long_one() {
    brief mixed 200 -F 400
    check_shares brief_most brief_rest brief_long
    check_no_samples 3
    check_exact
}

# The kernel's time for ending a process, and for exec, is shown at the system call. If the tracer is late, ticks are
# skipped, so a part of this time may be missing.
case_exit_and_exec() {
    local seen truth
    within 100 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/leaver" exit 60 truth || fail "status $?"
    seen=$(percent "$(last_frame_weight profile.folded '[exit_group]')" "$(total_of profile.folded)")
    truth=$(percent "$(truth_of truth exit)" "$(total_of profile.folded)")
    echo "  exit: $seen %, truth $truth %"
    awk -v seen="$seen" -v truth="$truth" 'BEGIN { exit !(seen >= truth / 2 && seen <= truth + 3) }' || off "exit has $seen % of the time, not $truth"
    # The kernel's account of one short process is coarse, but the sum is not.
    seen=$(percent "$(matching_weight profile.folded ';[[][^;]*[]]$')" "$(total_of profile.folded)")
    near "system time, %" "$seen" "$(percent "$(truth_of truth system)" "$(total_of profile.folded)")" 12
    within 100 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/leaver" exec 600 || fail "status $?"
    seen=$(percent "$(last_frame_weight profile.folded '[execve]')" "$(total_of profile.folded)")
    echo "  exec: $seen %"
    awk -v seen="$seen" 'BEGIN { exit !(seen >= 3) }' || off "exec has $seen % of the time"
}

# The chosen part has the same estimated time as in the whole profile, in all formats.
case_parts() {
    brief exec 100 -F 200
    report --focus=brief_most -o part.folded -o part.pb.gz -o part.perf run.pb.gz
    near "the chosen part, us" "$(total_of part.folded)" "$(matching_weight profile.folded ';brief_most(;|$)')" 20
    report -o again.folded part.pb.gz
    cmp part.folded again.folded || fail "a stored part is another:" "$(diff part.folded again.folded | head)"
    report -o again.folded part.perf
    near "as perf script has it, us" "$(total_of again.folded)" "$(total_of part.folded)" 20
    report -o again.pb.gz -o again.folded run.pb.gz
    cmp profile.folded again.folded || fail "the stored profile differs:" "$(diff profile.folded again.folded | head)"
    report --between=0s..100h -o between.folded run.pb.gz
    near "all times, us" "$(total_of between.folded)" \
        "$(($(total_of profile.folded) - $(matching_weight profile.folded 'no samples')))" 2000
    report -o twice.folded run.pb.gz again.pb.gz
    near "two together, us" "$(total_of twice.folded)" "$((2 * $(total_of profile.folded)))" 20
    report --diff=again.pb.gz -o diff.csv run.pb.gz
    awk -F, 'NR > 1 && $(NF - 4) != 0 { exit 1 }' diff.csv || off "it differs from itself:" "$(cat diff.csv)"
}

measures=yes
run_cases "$@"
