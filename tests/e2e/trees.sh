#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Call trees on the screen: callers and callees, small branches left out, chains in one line, cut to the width.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

export LC_ALL=C

recorded() { # recorded OPTION... -- COMMAND...: stores a profile as a.pb.gz, and folded as a.folded
    within 30 "$PTPROFIL" -q -F 1000 -o a.pb.gz -o a.folded "$@" >out 2>err || fail "status $?: $*" "$(cat err)"
}

# tree OPTION...: writes the tree of a.pb.gz to the file tree, without the empty line and the summary after it.
tree() {
    COLUMNS=100 report --min=0 "$@" a.pb.gz >all
    # A tree of --callers or --callees begins with a line and an empty line.
    awk 'blank && !/^ +total/ { exit } { blank = 0 } !NF { blank = 1; next } { print }' all >tree
    [ -s tree ] || fail "no tree: report $*" "$(cat all)"
}

# share PATTERN: prints the total of the first line with names that match PATTERN, in tenths of a percent.
share() {
    awk -v pattern="$1" '/%/ { line = $0; sub(/^[ 0-9.%]*/, "", line)
        if (line ~ pattern) { sub(/%/, "", $1); printf "%d\n", $1 * 10 + 0.5; exit } }' tree
}

folded_share() { # folded_share PATTERN: prints the share of the folded stacks that match, in tenths of a percent
    echo $((($(matching_weight a.folded "$1") * 1000 + $(total_of a.folded) / 2) / $(total_of a.folded)))
}

case_callers_and_callees() {
    recorded -- "$TARGETS/recursion" 600
    tree --callers='^walk$'
    near "walk, called from outside" "$(share '^walk( |$)')" "$(folded_share ';walk;')" 2
    ! grep -q 'walk.*walk' tree || fail "recursion is its own caller:" "$(cat tree)"
    tree --callers='^pong$'
    near "pong" "$(share '^pong( |$)')" "$(folded_share ';pong;')" 2
    ! grep -q 'pong.*pong' tree || fail "recursion is its own caller:" "$(cat tree)"
    tree --callees='^(ping|visit)$'
    near "ping" "$(share '^ping( |$)')" "$(folded_share ';ping;')" 2
    near "visit" "$(share '^visit( |$)')" "$(folded_share ';visit;')" 2
    near "both" "$(sed -n 's/^callees of .*, \([0-9]*\)\.\([0-9]\) % .*/\1\2/p' tree)" "$(folded_share ';(ping|visit);')" 2
    tree --callers='^spin$'
    for name in walk pong visit; do
        near "spin from $name" "$(share "^$name( |\$)")" "$(folded_share ";$name;spin$")" 2
    done
    report --callers='^spin$' --callees='^main$' -o b.tree a.pb.gz
    grep -q '^callers of' b.tree && grep -q '^callees of' b.tree || fail "$(cat b.tree)"
    local status=0
    within 20 "$PTPROFIL" --callers=no_such_function -o c.tree -- "$TARGETS/recursion" 50 2>err || status=$?
    [ $status = 1 ] || fail "status $status" "$(cat err)"
    grep -q "^ptprofil: nothing in the profile fits --callers=no_such_function" err &&
        grep -q "^callers of 'no_such_function': no function matches" c.tree || fail "the unmatched pattern is not reported:" "$(cat err)"
}

case_on_the_screen() {
    recorded -- "$TARGETS/recursion" 600
    COLUMNS=60 report --format=tree a.pb.gz >narrow
    grep -q 'ping' narrow || fail "$(cat narrow)"
    awk 'NF && length > 60 && !/left out|Hz:/ { print; bad = 1 } END { exit bad }' narrow || fail "lines are too long"
    grep -qE '([0-9]+ more)' narrow || fail "a chain of twenty calls is not cut:" "$(cat narrow)"
    [ "$(grep -c % narrow)" -lt 25 ] || fail "chains are not folded:" "$(cat narrow)"
    COLUMNS=200 report --bottom-up a.pb.gz >up
    head -n 2 up | grep -q '  spin ' || fail "does not begin with spin:" "$(cat up)"
    COLUMNS=200 report --bottom-up --min=50 a.pb.gz >pruned
    grep -qE '^[0-9]+ branch.* left out, [0-9.]+ % in all; --min=0 shows them' pruned || fail "$(cat pruned)"
    [ "$(wc -l <pruned)" -lt "$(wc -l <up)" ] || fail "nothing is pruned"
    within 20 "$PTPROFIL" -F 1000 --callers='^pong$' -- "$TARGETS/recursion" 200 2>err || fail "status $?"
    grep -q '^callers of .^pong\$.: ' err && grep -q 'pong <- ping <- ' err || fail "not while recording:" "$(cat err)"
    within 20 "$PTPROFIL" -F 1000 --bottom-up -o b.html -- "$TARGETS/recursion" 200 2>err || fail "status $?"
    grep -q '(total\|function  *module' err || fail "the page's option changes the screen:" "$(cat err)"
}

# A file has the whole tree, with each function on its own line.
case_in_files() {
    recorded -- "$TARGETS/recursion" 300
    COLUMNS=60 report -o b.tree a.pb.gz
    [ "$(grep -c ' walk  recursion$' b.tree)" -ge 20 ] || fail "$(cat b.tree)"
    ! grep -q 'left out\|more)' b.tree || fail "$(cat b.tree)"
    report -o c.tree --min=5 a.pb.gz
    grep -q 'left out' c.tree || fail "--min is for files, too:" "$(cat c.tree)"
}

# Without -o a format goes to standard output. Formats for programs are not cut to the width.
case_formats_on_standard_output() {
    recorded -- "$TARGETS/recursion" 100
    report -o b.json -o b.folded a.pb.gz
    for format in json folded; do
        COLUMNS=60 report --format=$format a.pb.gz >seen
        cmp seen b.$format || fail "$format is other on standard output"
    done
}

case_terminal() {
    need_terminal
    recorded -- "$TARGETS/recursion" 300
    TERM=xterm within 20 script -qec "stty cols 60; '$PTPROFIL' report --format=tree -o - a.pb.gz" typescript >seen || fail "status $?"
    tr -d '\r' <seen | LC_ALL=C.UTF-8 sed 's|[^ -~]|?|g' >plain # awk counts bytes
    grep -q 'walk' plain && awk 'length > 60 && !/left out/ { exit 1 }' plain || fail "not cut to the terminal:" "$(cat plain)"
}

run_cases "$@"
