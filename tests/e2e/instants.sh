#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --between: each sample keeps its timestamp.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

# phases OPTION...: profiles the target, which writes the times of its phases to the file truth.
phases() {
    within 60 "$PTPROFIL" -q -F 1000 -o run.pb.gz "$@" -- "$TARGETS/phases" -o truth 2>err ||
        fail "status $?" "$(cat err)"
    report -o run.json run.pb.gz
    began=$(sed -n 's/.*"began_ns":\([0-9]*\).*/\1/p' run.json | head -n 1)
    [ "${began:-0}" -gt 0 ] || fail "no beginning in run.json"
}

# stretch NAME: sets from and to to the milliseconds of the target's phase NAME, and 20 ms of the naps before and after.
stretch() {
    from=$(awk -v name="$1" -v began="$began" '$1 == name { printf "%d", ($2 - began) / 1e6 - 20 }' truth)
    to=$(awk -v name="$1" -v began="$began" '$1 == name { printf "%d", ($3 - began) / 1e6 + 20 }' truth)
    [ "${to:-0}" -gt "${from:-0}" ] || fail "no truth about $1" "$(cat truth)"
}

same() { # same US US: the times are equal, except for rounding
    [ "$1" -gt 0 ] && [ $(($1 - $2)) -ge -2 ] && [ $(($1 - $2)) -le 2 ]
}

long_between() {
    phases -o run.folded
    stretch first
    report --between="${from}ms..${to}ms" -o first.folded -o first.pb.gz run.pb.gz
    same "$(weight_of first.folded phase_first)" "$(weight_of run.folded phase_first)" ||
        fail "the first phase is not whole from $from to $to ms:" "$(cat run.folded)" - "$(cat first.folded)"
    expect_absent first.folded 'phase_second|no samples'
    report --between="..${to}ms" -o until.folded run.pb.gz
    report --between="${to}ms.." -o after.folded run.pb.gz
    expect_absent until.folded phase_second
    expect_absent after.folded phase_first
    same "$(weight_of after.folded phase_second)" "$(weight_of run.folded phase_second)" ||
        fail "the second phase is not whole after $to ms:" "$(cat after.folded)"
    # A stored part keeps its timestamps, too.
    report --between="..${to}ms" -o again.folded first.pb.gz
    cmp first.folded again.folded || fail "another part of a part" "$(cat again.folded)"
}

# All formats of a part have the same sum.
case_formats() {
    phases
    stretch second
    report --between="${from}ms..${to}ms" -o a.pb.gz -o a.json -o a.folded -o a.perf -o a.csv run.pb.gz
    report -o b.json -o b.folded -o b.perf -o b.csv a.pb.gz
    for ending in folded perf csv; do
        cmp a.$ending b.$ending || fail "a part and its file differ in .$ending"
    done
    [ "$(sed -n 's/.*: *\([0-9]*\) cpu-clock: *$/\1/p' a.perf | awk '{ sum += $1 } END { printf "%d", sum }')" = \
        "$(sed -n 's/^"whole":{"ns":\([0-9]*\).*/\1/p' a.json)" ] || fail "sums differ:" "$(head -c 2000 a.json)"
}

# Formats that have an order are in the order of time.
long_order() {
    phases -o run.speedscope.json -o run.perf
    python3 - run.speedscope.json <<'END' || off "not first and then second"
import json, sys
file = json.load(open(sys.argv[1]))
names = [frame["name"] for frame in file["shared"]["frames"]]
thread = max(file["profiles"], key=lambda profile: profile["endValue"])
order = [[names[number] for number in sample] for sample in thread["samples"]]
first = [i for i, stack in enumerate(order) if "phase_first" in stack]
second = [i for i, stack in enumerate(order) if "phase_second" in stack]
sys.exit(not first or not second or max(first) > min(second))
END
    local phase
    for phase in first second; do
        stretch $phase
        awk -v phase="phase_$phase" -v from="$from" -v to="$to" '
            /^[^\t]/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) at = 1000 * $i }
            $2 == phase || index($2, phase "+") == 1 { seen++; if (at < from || at > to) { print at, from, to; wrong = 1 } }
            END { exit wrong || !seen }' run.perf || fail "$phase has times that are not its own"
    done
    awk '/^[^\t]/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { if ($i + 0 < last) exit 1; last = $i + 0 } }' run.perf ||
        fail "the events are not in the order of time"
    # Waits have a length, and overlap other threads' samples.
    "$PTPROFIL" -q -F 1000 --clock=wall -o wall.perf -- "$TARGETS/mix" -s 0.2 -t 3 2>err || fail "status $?" "$(cat err)"
    python3 "$script_dir/perf.py" wall.perf >stacks 2>err || fail "perf.py, by wall time:" "$(cat err)"
    # A profile that is read again from perf script's format keeps its timestamps.
    report --between=..100h -o again.folded run.perf
    report -o all.folded run.perf
    same "$(weight_of again.folded phase_first)" "$(weight_of all.folded phase_first)" ||
        fail "perf script's times are not kept:" "$(cat again.folded)"
    expect_absent again.folded 'no samples'
}

# The file for the Firefox Profiler follows its documentation: threads, times, CPU use.
case_firefox() {
    need python3
    phases -o run.json.gz --clock=wall
    python3 "$script_dir/firefox.py" run.json.gz >seen 2>&1 || fail "firefox.py:" "$(tail -n 3 seen)"
    ns=$(sed -n 's/^"whole":{"ns":\([0-9]*\).*/\1/p' run.json)
    cpu_ns=$(sed -n 's/^"whole":.*"cpu_ns":\([0-9]*\).*/\1/p' run.json)
    [ "$(awk '$1 == "sum" { print $2 }' seen)" = "$ns" ] || fail "not $ns ns:" "$(head -n 2 seen)"
    [ "$(awk '$1 == "cpu" { print $2 }' seen)" = "$cpu_ns" ] || fail "not $cpu_ns ns of CPU time:" "$(head -n 2 seen)"
    local phase
    for phase in first second; do
        stretch $phase
        awk -v phase=";phase_$phase" -v from="$from" -v to="$to" '
            $1 == "sample" && $NF ~ phase "$" { seen++; if ($2 < from || $2 > to) { print; wrong = 1 } }
            END { exit wrong || !seen }' seen || fail "$phase is not where it was, from $from to $to ms"
    done
    report -o again.json.gz run.pb.gz
    cmp run.json.gz again.json.gz || fail "the file differs when it is made from a stored profile"
    report --between="${from}ms..$((from + 100))ms" -o part.json.gz -o part.json run.pb.gz
    python3 "$script_dir/firefox.py" part.json.gz >seen 2>&1 || fail "firefox.py:" "$(tail -n 3 seen)"
    # Profiles of other programs have no timestamps.
    gzip -dc run.pb.gz | python3 "$script_dir/untimed.py" >untimed.pb
    report -o untimed.json.gz untimed.pb
    python3 "$script_dir/firefox.py" untimed.json.gz >seen 2>&1 || fail "firefox.py:" "$(tail -n 3 seen)"
    [ "$(awk '$1 == "sum" { print $2 }' seen)" = "$ns" ] || fail "without times not $ns ns:" "$(head -n 2 seen)"
}

case_waiting() {
    phases --clock=wall
    stretch first
    report --between="${from}ms..${to}ms" -o first.folded run.pb.gz
    # A wait for a CPU is known when the thread gets one, which may be in the second phase.
    expect_absent first.folded 'phase_second [0-9]'
    [ "$(last_frame_weight first.folded '[clock_nanosleep]')" -le $(((to - from) * 1000)) ] ||
        fail "one thread has waited longer than the part, $from to $to ms:" "$(cat first.folded)"
    # The nap after the second phase has its true length.
    stretch second
    report --between="$((to - 10))ms..$((to + 10))ms" -o nap.folded run.pb.gz
    [ "$(total_of nap.folded)" -ge 15000 ] || off "not 20 ms of the nap:" "$(cat nap.folded)"
}

# With little memory only the first samples have timestamps, and a message says so.
long_memory() {
    within 60 "$PTPROFIL" -F 20000 --max-overhead=off --max-memory=1M --stacks=none -o run.pb.gz -o run.folded -- "$TARGETS/phases" \
        -m 1500 2>err || fail "status $?" "$(cat err)"
    [ "$(awk '/ total$/ { print $1 }' err)" -gt 45000 ] || skip "too few samples for a megabyte on this machine"
    tr -s '\n ' '  ' <err | grep -q 'timestamps only for the first .* (memory limit)' ||
        fail "not reported:" "$(tail -n 5 err)"
    report -o again.folded run.pb.gz
    cmp run.folded again.folded || fail "samples without their times are lost"
    report --between=..0.1s -o begin.folded run.pb.gz
    [ -s begin.folded ] || fail "nothing of the beginning"
    within 20 "$PTPROFIL" report --between=0s..100h run.pb.gz >out 2>err && fail "taken for the whole"
    grep -q 'says only until' err || fail "missing timestamps are not reported:" "$(cat err)"
}

long_refusals() {
    phases
    local value
    for value in 3s 5s..3s .. x..y; do
        ! within 20 "$PTPROFIL" report --between="$value" run.pb.gz >out 2>err || fail "taken: $value"
        grep -q -e '--between' err || fail "not reported: $value" "$(cat err)"
    done
    within 20 "$PTPROFIL" report --between=100h.. run.pb.gz >out 2>err && fail "there is nothing then" "$(cat out)"
    grep -q 'nothing in' err || fail "the empty part is not reported:" "$(cat err)"
    # Samples in a file of another program have no timestamps.
    report --format=folded -o run.folded run.pb.gz
    gzip -dc run.pb.gz | python3 "$script_dir/untimed.py" >untimed.pb || fail "no file without times"
    report -o untimed.folded untimed.pb
    cmp run.folded untimed.folded || fail "it is not the same profile without its times"
    within 20 "$PTPROFIL" report --between=0s.. untimed.pb >out 2>err && fail "taken without times"
    grep -q 'has no timestamps' err || fail "missing timestamps are not reported:" "$(cat err)"
}

measures=memory
run_cases "$@"
