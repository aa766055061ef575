#!/bin/bash
# SPDX-License-Identifier: MIT
#
# User and system time equal the kernel's account, in system calls and in page faults. Page faults are where they
# happen.

. "$(dirname "$0")/lib.sh"

# used KIND SECONDS OPTION...: profiles the target while it does work of this KIND.
used() {
    local kind=$1 seconds=$2
    shift 2
    within 100 "$PTPROFIL" -q -F 1000 -o profile.folded -o profile.txt "$@" -- \
        "$TARGETS/system_time" "$kind" -s "$seconds" -o truth 2>err || fail "status $?: $(cat err)"
    [ -s truth ] && [ -s profile.folded ] || fail "nothing was written"
}

share() { # share REGEX: prints the share of matching stacks, in percent
    awk "BEGIN { printf \"%.3f\\n\", 100 * $(matching_weight profile.folded "$1") / $(total_of profile.folded) }"
}

# check_system [TOLERANCE]: compares with the kernel's account, which is itself an estimate from a few hundred ticks a
# second.
check_system() {
    near "system time, %" "$(share ';\[[a-z_0-9 ]*\]$')" \
        "$(awk "BEGIN { print 100 * $(truth_of truth system) / $(truth_of truth total) }")" "${1:-5}"
    near "time in all, % of the truth" \
        "$(awk "BEGIN { print 100 * $(total_of profile.folded) / $(truth_of truth total) }")" 100 2
}

check_faults() { # check_faults REGEX LEAST MOST: percent of the time in stacks that match
    local seen
    seen=$(share "$1")
    echo "  $1: $seen %"
    awk -v seen="$seen" -v least="$2" -v most="$3" 'BEGIN { exit !(seen >= least && seen <= most) }' ||
        off "$1 has $seen %, not from $2 to $3:" "$(cat profile.folded)"
}

long_touch() {
    used touch 2
    check_system
    check_faults ';main;touch;touch_pages;\[page fault\]$' 60 100
}

# The table adds up: user and system time together are the sampled time.
case_table() {
    used touch 1
    awk '
        $NF == "[unsampled]" { unsampled = $2 }
        $NF == "total" { all = $2; told = $(NF - 2) + $(NF - 1); found = 1 }
        END { off = all - unsampled - told; exit !(found && off < 0.0021 && off > -0.0021) }' profile.txt ||
        fail "it does not add up: $(cat profile.txt)"
    grep -Eq '^ +[0-9]+ +[0-9.]+ .* 0\.000 +[0-9.]+ +\[page fault\] +\[kernel\]$' profile.txt ||
        fail "$(cat profile.txt)"
}

long_spin() {
    used spin 2 -F 100 # a low rate, because the kernel accounts stops as system time, too
    check_system
    check_faults 'page fault' 0 1
}

long_call() {
    used call 2
    check_system
    check_faults ';\[getppid\]$' 20 100
    check_faults 'page fault' 0 1
}

# Two functions take turns: only the function with page faults has system time.
long_turns() {
    used turns 2
    check_system
    check_faults ';touch_pages;\[page fault\]$' 25 65
    check_faults 'spin_only;\[page fault\]$' 0 4
}

# Most of these processes end before a scheduler tick.
long_short() {
    used short 4
    check_system 8
    check_faults '\[page fault\]$' 15 60
}

long_attached() {
    "$TARGETS/system_time" touch -s 60 &
    local target=$!
    within 20 "$PTPROFIL" -q -F 1000 -d 1.5 -o profile.folded -p $target 2>err || fail "status $?: $(cat err)"
    kill -KILL $target
    check_faults '\[page fault\]$' 60 100
}

long_wall() {
    used touch 1 --clock=wall
    [ "$(last_frame_weight profile.folded '[page fault]')" -ge $(($(truth_of truth total) * 60 / 100)) ] ||
        off "$(cat profile.folded)"
}

# need_marks: skips where a stop does not show whether the thread was in a page fault.
need_marks() {
    "$TARGETS/page_faults" marked || skip "this processor does not mark page faults"
}

# expect_below_touch KIND OPTION...: page faults are below the function that has them, and nearly all of its time.
expect_below_touch() {
    local kind=$1 all below touch
    shift
    within 100 "$PTPROFIL" -q -o profile.folded "$@" 2>err || fail "status $?: $(cat err)"
    all=$(matching_weight profile.folded ';turn;(.*;)?\[page fault\]$') # not the shell's
    below=$(matching_weight profile.folded ';touch;(.*;)?\[page fault\]$')
    touch=$(matching_weight profile.folded ';touch(;|$)')
    echo "  $kind: $touch us in touch, $below us in its page faults, $all us in all page faults"
    [ "$touch" -gt 0 ] && [ $((below * 100)) -ge $((all * 90)) ] && [ $((below * 100)) -ge $((touch * 50)) ] ||
        off "$kind: $(cat profile.folded)"
}

# Two functions take turns in each sampling period.
case_places() {
    local rate kind
    need_marks
    for rate in auto 200 1000 5000; do
        expect_below_touch "write at $rate" -F $rate -- "$TARGETS/page_faults" write -s 0.3
    done
    for kind in read copy fill huge; do
        expect_below_touch $kind -F 500 -- "$TARGETS/page_faults" $kind -s 0.3
    done
    expect_below_touch "write in threads" -F 500 -- "$TARGETS/page_faults" write -s 0.15 -t 4
}

# Processes that are shorter than a tick of the kernel's account.
case_short_places() {
    need_marks
    expect_below_touch "short" -F 1000 -- \
        bash -c "for ((i = 0; i < 100; i++)); do '$TARGETS/page_faults' write -s 0.003; done"
}

# Every format has page faults, and a stored profile gives the same outputs later.
case_formats() {
    local format
    used touch 0.5 -o run.pb.gz -o 1.tree -o 1.html -o 1.speedscope.json -o 1.callgrind -o 1.gmon
    "$PTPROFIL" report -o later.folded -o later.txt run.pb.gz || fail "report: status $?"
    cmp profile.folded later.folded || fail "other stacks"
    diff profile.txt later.txt || fail "another table"
    for format in profile.txt 1.tree 1.html 1.speedscope.json 1.callgrind; do
        grep -q '\[page fault\]' $format || fail "not in $format"
    done
    # With --by=syscall, page faults are a row, too.
    "$PTPROFIL" report --by=syscall run.pb.gz | grep -q '\[page fault\]$' || fail "not among the system calls"
    [ -s 1.gmon ] || fail "no gmon.out"
}

measures='touch spin call turns short attached wall'
run_cases "$@"
