#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that read ptprofil's output files (callgrind_annotate, flamegraph.pl, speedscope, the Firefox Profiler,
# perf): they accept the files, and show the same functions and times.

. "$(dirname "$0")/lib.sh"

# recorded FILE... -- COMMAND...: profiles COMMAND once, and writes the profile to each FILE.
recorded() {
    local options=()
    while [ "$1" != -- ]; do
        options+=(-o "$1")
        shift
    done
    within 60 "$PTPROFIL" -q -F 1000 "${options[@]}" "$@" >out 2>err || fail "status $?: $*" "$(cat err)"
}

# annotate FILE OPTION...: writes callgrind_annotate's output to the file "annotated", without commas in its numbers.
annotate() {
    callgrind_annotate --threshold=100 "${@:2}" "$1" >annotated.raw 2>annotated.err || fail "callgrind_annotate:" \
        "$(cat annotated.err)"
    [ ! -s annotated.err ] || fail "callgrind_annotate says:" "$(cat annotated.err)"
    sed -E ':again; s/([0-9]),([0-9]{3})/\1\2/; t again' annotated.raw >annotated
}

# cost_of NAME: prints the function's nanoseconds, from lines "COST (SHARE) SAMPLES (SHARE) FILE:NAME [OBJECT]".
cost_of() {
    awk -v name="$1" '{
        line = $0
        sub(/ \[[^ ]*\]$/, "", line)
        if (substr(line, length(line) - length(name)) == ":" name)
            sum += $1
    } END { printf "%d\n", sum }' annotated
}

program_total() {
    awk '/PROGRAM TOTALS/ { print $1 }' annotated
}

case_callgrind_annotate() {
    need callgrind_annotate
    local name
    recorded a.callgrind a.folded -- "$TARGETS/mix" -s 0.5
    annotate a.callgrind
    near "total, us" "$(($(program_total) / 1000))" "$(total_of a.folded)" 1
    for name in spin_half spin_three_tenths spin_fifth; do
        near "$name, us" "$(($(cost_of $name) / 1000))" "$(weight_of a.folded $name)" 20
    done
    # A name that begins with callgrind.out selects the format, too.
    recorded callgrind.out.1 -- "$TARGETS/mix" -s 0.1
    annotate callgrind.out.1
    [ "$(program_total)" -gt 0 ] || fail "$(cat annotated)"
}

# The inclusive cost of a recursive function is not more than the total.
long_callgrind_recursion() {
    need callgrind_annotate
    local name whole
    recorded a.callgrind a.folded -- "$TARGETS/recursion" 600
    annotate a.callgrind --inclusive=yes
    whole=$(program_total)
    awk -v whole="$whole" '/\[/ && $1 + 0 > whole { print; found = 1 } END { exit found }' annotated ||
        fail "more than all:" "$(cat annotated)"
    for name in walk ping pong visit by_way_of main; do
        near "$name, us" "$(($(cost_of $name) / 1000))" "$(matching_weight a.folded ";$name(;|\$)")" 20
    done
    near "walk's share, %" $((100 * $(cost_of walk) / whole)) 33 10
    # The trees of callers and callees come from the same lines of the file.
    annotate a.callgrind --inclusive=yes --tree=both
    grep -q '< .*:by_way_of' annotated || fail "by_way_of is no caller:" "$(cat annotated)"
}

# Where the source is known, lines have costs.
case_callgrind_lines() {
    need callgrind_annotate gcc
    cp "$source_dir/tests/targets/recursion.c" "$source_dir/tests/targets/target.h" .
    gcc -g -O1 -o program recursion.c || fail "gcc fails"
    recorded a.callgrind -- ./program 300
    grep -q '^c*f[il]=.*recursion\.c$' a.callgrind || skip "no source lines are known here"
    annotate a.callgrind --auto=yes
    grep -qE '^ *[0-9]+ \([ 0-9.]+%\).*DEFINE_SPIN' annotated || fail "$(cat annotated)"
}

find_flamegraph() {
    local program
    for program in "$(command -v flamegraph.pl)" /usr/share/perl5/Devel/NYTProf/flamegraph.pl; do
        [ -n "$program" ] && [ -e "$program" ] || continue
        printf '%s\n' "$program"
        return
    done
    return 1
}

case_flamegraph() {
    local program
    need perl
    program=$(find_flamegraph) || skip "no flamegraph.pl here"
    recorded a.folded -- "$TARGETS/mix" -s 0.5
    perl "$program" --countname=us a.folded >a.svg 2>svg.err || fail "flamegraph.pl:" "$(cat svg.err)"
    [ ! -s svg.err ] || fail "flamegraph.pl says:" "$(cat svg.err)"
    tr -d , <a.svg | grep -q "<title>all ($(total_of a.folded) us 100%)" || fail "another total:" "$(grep 'title>all' a.svg)"
    grep -q '<title>spin_half (' a.svg || fail "no spin_half"
}

need_stored() {
    ! "$PTPROFIL" report /dev/null 2>&1 | grep 'built without' || skip "no stored profiles in this build"
}

# In a comparison, each folded line has two weights, and the second one determines the widths.
long_flamegraph_difference() {
    local program
    need perl
    need_stored
    program=$(find_flamegraph) || skip "no flamegraph.pl here"
    recorded a.pb.gz -- "$TARGETS/mix" -s 0.2
    recorded b.pb.gz b.folded -- "$TARGETS/mix" -s 0.3
    within 30 "$PTPROFIL" report --diff=a.pb.gz -o diff.folded b.pb.gz || fail "status $?"
    perl "$program" --countname=us diff.folded >a.svg 2>svg.err && [ ! -s svg.err ] || fail "$(cat svg.err)"
    tr -d , <a.svg | grep -q "<title>all ($(total_of b.folded) us 100%)" || fail "another total:" "$(grep 'title>all' a.svg)"
}

case_speedscope() {
    need python3
    local total
    recorded a.speedscope.json a.folded -- "$TARGETS/mix" -s 0.3 -t 3
    total=$(python3 "$script_dir/speedscope.py" a.speedscope.json 2>&1) || fail "$total"
    near "total, us" $((total / 1000)) "$(total_of a.folded)" 1
    [ "$(python3 -c 'import json; print(len(json.load(open("a.speedscope.json"))["profiles"]))')" -ge 4 ] ||
        fail "not a profile for each thread"
}

# Python's parsers find the same rows in the JSON and the CSV of each --by, and the rows add up to the whole time.
case_json_and_csv() {
    need python3
    local by total
    need_stored
    recorded a.pb.gz a.folded -- sh -c "'$TARGETS/mix' -s 0.2 -t 2; '$TARGETS/kernel_half' -s 0.2"
    recorded b.pb.gz -- "$TARGETS/mix" -s 0.2
    for by in function module process thread line syscall; do
        within 30 "$PTPROFIL" report --by=$by -o a.json -o a.csv a.pb.gz || fail "status $?: --by=$by"
        total=$(python3 "$script_dir/listing.py" a.json a.csv 2>&1) || fail "--by=$by:" "$total"
        near "--by=$by, us" $((total / 1000)) "$(total_of a.folded)" 1
        within 30 "$PTPROFIL" report --by=$by --diff=b.pb.gz --focus=. -o d.json -o d.csv a.pb.gz || fail "status $?"
        [ "$(python3 "$script_dir/listing.py" d.json d.csv 2>&1)" = "$total" ] || fail "--by=$by --diff: another total"
    done
    python3 -c 'import json; assert json.load(open("d.json"))["filters"] == ["--focus=."]' || fail "the filter is not in the file"
}

# Names of the program, its process and its functions that look like syntax of the formats. Each installed reader still
# finds the same total, and the same number of functions.
long_hostile_names() {
    need objcopy
    local program=$'a;b "c" <script>\n\xff' total folder
    objcopy -g --redefine-sym spin_half=$'half;"quoted" \'name\' </script><b>\n\xff\x1b[31m 1 2' \
        --redefine-sym spin_fifth="fn=(1) $(printf '%100000s' | tr ' ' n)" --redefine-sym work='calls=1 0x0;[unsampled] 7' \
        "$TARGETS/mix" renamed && mv renamed "$program" || skip "no such names here"
    recorded a.folded a.callgrind a.speedscope.json a.html a.tree a.json a.csv -- "./$program" -s 0.3
    total=$(total_of a.folded)
    [ "$(grep -c 'half:"quoted"' a.folded)" -gt 0 ] || fail "the name has changed:" "$(cut -c1-300 a.folded)"
    if command -v callgrind_annotate >/dev/null; then
        annotate a.callgrind
        near "callgrind_annotate's total, us" "$(($(program_total) / 1000))" "$total" 1
    fi
    if folder=$(find_flamegraph); then
        perl "$folder" --countname=us a.folded >a.svg 2>svg.err && [ ! -s svg.err ] || fail "$(cat svg.err)"
        tr -d , <a.svg | grep -q "<title>all ($total us 100%)" || fail "another total:" "$(grep 'title>all' a.svg)"
    fi
    if command -v python3 >/dev/null; then
        near "in speedscope's file, us" $(($(python3 "$script_dir/speedscope.py" a.speedscope.json) / 1000)) "$total" 1
        near "in json and csv, us" $(($(python3 "$script_dir/listing.py" a.json a.csv) / 1000)) "$total" 1
    fi
    if command -v node >/dev/null; then
        near "on the page, us" $(($(node "$script_dir/viewer.js" "$source_dir/data" a.html) / 1000)) "$total" 1
        if folder=$(find_speedscope); then
            node "$script_dir/speedscope-import.js" "$folder" a.speedscope.json >imported || fail "status $?"
            near "imported, us" "$(awk '{ print $1 / 1000; exit }' imported)" "$total" 1
        fi
    fi
}

# Prints the folder of speedscope's npm package.
find_speedscope() {
    local folder
    for folder in "${SPEEDSCOPE_DIR:-}" /usr/local/lib/node_modules/speedscope /usr/lib/node_modules/speedscope; do
        [ -n "$folder" ] && [ -d "$folder/dist/release" ] || continue
        printf '%s\n' "$folder"
        return
    done
    return 1
}

# speedscope's own importer finds the same times, also for recursive functions.
case_speedscope_itself() {
    need node
    local folder name
    folder=$(find_speedscope) || skip "no speedscope here (npm install -g speedscope, or its folder as SPEEDSCOPE_DIR)"
    recorded a.speedscope.json a.folded -- "$TARGETS/recursion" 300
    within 30 node "$script_dir/speedscope-import.js" "$folder" a.speedscope.json >imported 2>import.err ||
        fail "speedscope-import.js:" "$(cat import.err)"
    near "total, us" "$(awk 'NR == 1 { print $1 / 1000 }' imported)" "$(total_of a.folded)" 1
    for name in walk ping pong visit by_way_of main; do
        near "$name, us" "$(awk -v name="$name" 'NR > 1 && $3 == name { print $2 / 1000 }' imported)" \
            "$(matching_weight a.folded ";$name(;|\$)")" 20
    done
    near "spin itself, us" "$(awk '$3 == "spin" { print $1 / 1000 }' imported)" "$(weight_of a.folded spin)" 20
}

# Prints the path of profiler-cli, an npm package that reads files like the Firefox Profiler's page.
find_profiler_cli() {
    local folder
    for folder in "${PROFILER_CLI_DIR:-}" {/usr/local,/usr}/lib/node_modules/@firefox-devtools/profiler-cli; do
        [ -n "$folder" ] && [ -e "$folder/dist/profiler-cli.js" ] || continue
        printf '%s\n' "$folder/dist/profiler-cli.js"
        return
    done
    return 1
}

# profiler-cli finds the same functions, CPU time, idle time and times of marks, to the nanosecond.
case_firefox_itself() {
    need node python3
    need_stored
    local program
    program=$(find_profiler_cli) ||
        skip "no profiler-cli here (npm install -g @firefox-devtools/profiler-cli, or its folder as PROFILER_CLI_DIR)"
    within 60 "$PTPROFIL" -q -F 1000 --clock=wall --delay=20ms -o a.pb.gz -- "$TARGETS/mix" -s 0.3 -t 3 2>err ||
        fail "status $?" "$(cat err)"
    within 60 "$PTPROFIL" report --names=full -o a.json.gz -o a.json a.pb.gz || fail "status $?"
    within 240 python3 "$script_dir/firefox-import.py" "$program" a.json.gz >seen 2>import.err || fail "$(cat seen import.err)"
    python3 - seen a.json <<'END' >off || fail "profiler-cli finds other times:" "$(cat off)"
import collections, json, sys
seen = [line.split() for line in open(sys.argv[1])]
file = json.load(open(sys.argv[2]))
functions = collections.Counter()
for row in file["rows"]:
    functions[row["name"]] += row["self_ns"]
busy = sum(row["waiting_ns"] for row in file["rows"] if row["name"] in ("[runnable]", "[no samples]"))
wanted = {
    "functions": {name.replace(" ", ""): ns for name, ns in functions.items() if ns},
    "cpu": file["whole"]["cpu_ns"],
    "idle": file["whole"]["waiting_ns"] - busy,
    "marks": [[mark["time_ns"], mark["text"]] for mark in file["marks"]],
}
found = {
    "functions": {"".join(words[3:]): int(words[1]) for words in seen if words[0] == "function" and words[1] != "0"},
    "cpu": sum(int(words[1]) for words in seen if words[0] == "cpu"),
    "idle": int(seen[-1][1]),
    "marks": [[int(words[1]), " ".join(words[2:])] for words in seen if words[0] == "mark"],
}
for what in wanted:
    if wanted[what] != found[what]:
        print(what, wanted[what], found[what], sep="\n")
        sys.exit(1)
sys.exit(not wanted["marks"] or not wanted["idle"])
END
}

# Readers of perf script's format find the same stacks and times, and an event for each sample.
case_perf_script() {
    need python3
    local total name
    recorded a.perf a.folded a.json -- "$TARGETS/recursion" 300
    python3 "$script_dir/perf.py" a.perf >stacks 2>perf.err || fail "perf.py:" "$(cat perf.err)"
    total=$(awk '{ sum += $(NF - 1) } END { printf "%d\n", sum }' stacks)
    [ "$total" = "$(python3 -c 'import json; print(json.load(open("a.json"))["whole"]["ns"])')" ] || fail "$total ns in all"
    # Compares the time of each stack. Rounding may change it by 1 us.
    awk '{ ns = $(NF - 1); sub(/ [0-9]+ [0-9]+$/, ""); printf "%s %d\n", $0, int(ns / 1000 + 0.5) }' stacks | sort >seen
    sort a.folded | awk 'NR == FNR { ns = $NF; sub(/ [0-9]+$/, ""); seen[$0] = ns; next }
        { ns = $NF; sub(/ [0-9]+$/, ""); off = ns - seen[$0]; if (off > 1 || off < -1) { print $0, ns, seen[$0]; bad = 1 } }
        END { exit bad }' seen - >off || fail "other stacks:" "$(cat off)"
    if name=$(find_speedscope) && command -v node >/dev/null; then
        within 30 node "$script_dir/speedscope-import.js" "$name" a.perf seconds >imported 2>import.err ||
            fail "speedscope-import.js:" "$(cat import.err)"
        # speedscope uses the times between samples, so a part of the first sample is missing.
        near "speedscope's total, us" "$(awk 'NR == 1 { print $1 * 1000000 }' imported)" "$(total_of a.folded)" 3000
        near "spin itself, us" "$(awk '$3 == "spin" { print $1 * 1000000 }' imported)" "$(weight_of a.folded spin)" 5000
    fi
}

# ptprofil reads a recording of perf, shows the same stacks and sums, and can write them in perf script's format again.
case_perf_recorded() {
    need perf python3
    need_stored
    perf record -q -e cpu-clock -F 997 -g -o perf.data "$TARGETS/mix" -s 0.5 >perf.out 2>&1 &&
        perf script -F +pid,+period -i perf.data >a.perf 2>perf.err && [ -s a.perf ] || skip "perf records nothing here" "$(cat perf.*)"
    within 30 "$PTPROFIL" report -o a.json -o a.folded -o b.perf -o a.pb.gz a.perf 2>err || fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "an unexpected message:" "$(cat err)"
    python3 "$script_dir/perf.py" a.perf >before && python3 "$script_dir/perf.py" b.perf >after || fail "perf.py"
    cmp before after || fail "other stacks:" "$(diff before after | head)"
    [ "$(awk '{ ns += $(NF - 1); count += $NF } END { printf "%d %d\n", ns, count }' before)" = "$(python3 -c '
import json
whole = json.load(open("a.json"))["whole"]
print(whole["ns"], whole["samples"])')" ] || fail "another sum" "$(cat a.json)"
    expect_share a.folded spin_half 30
    within 30 "$PTPROFIL" report --diff=a.perf -o diff.json a.pb.gz || fail "status $?: report --diff"
    python3 -c 'import json; assert not any(row["self_change_ns"] for row in json.load(open("diff.json"))["rows"])' ||
        fail "a file differs from itself"
    # A message reports lines that cannot be read.
    { cat a.perf; echo 'no such line'; } | within 30 "$PTPROFIL" report -o - - >out 2>err || fail "status $?"
    grep -q "^ptprofil: 'standard input' has 1 lines that are not as 'perf script' prints them, the first is line " err ||
        fail "$(cat err)"
}

run_cases "$@"
