#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The benchmarks still work: each row of bench/run has numbers, and bench/servers measures the servers that are installed.
# No number is compared, because other programs run at the same time.

. "$(dirname "$0")/lib.sh"

# measures OPTION...: runs bench/run for a moment, at 500 Hz.
measures() {
    within 60 "$source_dir/bench/run" --rates=500 --rounds=1 --iterations=4000 --gaps=0.2 \
        --programs="$(dirname "$(find_built bench/workload)")" --ptprofil="$PTPROFIL" "$@" >table 2>err
}

# expect_row TITLE: a row with a wall ratio, and a number of samples a second.
expect_row() {
    awk -F ' *[|] *' -v title="$1" '$2 == title && $3 + 0 > 0 && $9 + 0 > 0 { found = 1 } END { exit !found }' table ||
        fail "no row of $1:" "$(cat table err)"
}

case_rows() {
    local title
    measures || fail "status $?" "$(cat err)"
    for title in 'in-process, SIGPROF' floor '**ptprofil --stacks=none**' 'ptprofil, with stacks' 'ptprofil top, with stacks'; do
        expect_row "$title"
    done
    grep -q '^| limit: in-process + floor | .* | 1\.00 | ' table || fail "no limit:" "$(cat table)"
    grep -q '^perf: .*, left out\.$' table || expect_row 'perf record -e cpu-clock'
    grep -q '^ptprofil to the floor: pause ' table || fail "ptprofil is not compared:" "$(cat table)"
}

# A summary with other words must not give a table without the row.
case_unreadable() {
    printf '#!/bin/sh\n"%s" "$@" 2>/dev/null\n' "$PTPROFIL" >mute && chmod +x mute || fail "mute"
    ! measures --only=ptprofil-stacks --ptprofil="$PWD/mute" || fail "status 0:" "$(cat table)"
    grep -q '^run: ptprofil-stacks at 500 Hz reported no number of samples:$' err || fail "$(cat err)"
}

# rows_beside FILE: prints the rows of all tables but that of 500 Hz.
rows_beside() {
    sed '/^### 500 Hz$/,/^###/{/^|/d}' "$1" | grep '^|'
}

# --update replaces the table of a rate and the lines about the machine, and nothing else.
case_update() {
    sed 's/^### 100 Hz$/### 500 Hz/' "$source_dir/bench/README.md" >README.md
    cp README.md before
    measures --only=inprocess,floor,ptprofil --update=README.md || fail "status $?" "$(cat err)"
    sed -n '/^### 500 Hz$/,$p' table | grep -vxFf README.md && fail "not all of the table is there:" "$(cat README.md)"
    diff before README.md | sed -n 's/^[<>] //p' | grep -vE '^(Linux |Workload: |\||ptprofil to the floor: |$)' && fail "other lines changed"
    cmp <(rows_beside before) <(rows_beside README.md) || fail "other tables changed"
    cp before README.md
    ! measures --rates=7 --update=README.md || fail "a table that is not there was replaced"
    grep -qx "run: README.md: no table '### 7 Hz'" err || fail "$(cat err)"
    cmp before README.md || fail "the file changed"
}

long_servers() {
    need /usr/bin/python3
    within 120 /usr/bin/python3 "$source_dir/bench/servers" "$PTPROFIL" --always --every=1 --seconds=1 >table 2>err || fail "status $?" "$(cat table err)"
    [ $(($(grep -cE '^\| [a-z]+( \| [0-9.]+){5} \|$' table) + $(grep -c ' is not installed$' err))) = 4 ] ||
        fail "not each server has a row:" "$(cat table err)"
}

run_cases "$@"
