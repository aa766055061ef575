#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The default output on a terminal: the first screen, and its hints.
. "$(dirname "$0")/lib.sh"
need_stored_profiles

case_signal() {
    local status=0
    within 30 "$PTPROFIL" -o run.pb.gz -o run.json -- sh -c 'kill -SEGV $$' 2>err || status=$?
    [ $status = 139 ] || fail "status $status"
    grep -qE '^[0-9.]+ m?u?s of CPU time, .*; ended by signal 11 \(.+\)$' err || fail "the signal is not shown:" "$(cat err)"
    report run.pb.gz >later 2>/dev/null
    grep -qE '; ended by signal 11 \(.+\)$' later || fail "it is not stored:" "$(cat later)"
    grep -q '"ended_by_signal":11' run.json || fail "$(cat run.json)"
    within 30 "$PTPROFIL" -- sh -c 'exit 11' 2>err && fail "status 0"
    ! grep -q 'ended by' err || fail "a status is shown as a signal:" "$(cat err)"
}

# The user's own functions are on the screen, although the time is spent in a library that they call.
case_own_functions() {
    need_terminal
    need stty g++
    cat >sorts.cpp <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
typedef std::vector<std::string> names;
__attribute__((noinline)) static names make_names(int n)
{
    names all;
    for (unsigned i = 0; i < (unsigned)n; i++)
        all.push_back(std::to_string(i * 2654435761u));
    return all;
}
__attribute__((noinline)) static void order(names &all)
{
    std::sort(all.begin(), all.end());
}
__attribute__((noinline)) static unsigned long distinct(const names &all)
{
    std::map<std::string, int> seen;
    for (const std::string &one : all)
        seen[one]++;
    return seen.size();
}
int main()
{
    unsigned long sum = 0;
    for (int i = 0; i < 30; i++) {
        names all = make_names(20000);
        order(all);
        sum += distinct(all);
    }
    return sum == 0;
}
END
    g++ -O0 -g sorts.cpp -o sorts || fail "g++"
    within 60 "$PTPROFIL" -q -F 1000 -o a.pb.gz -- ./sorts || fail "status $?"
    TERM=xterm within 20 script -qec "stty rows 24 cols 80; '$PTPROFIL' report a.pb.gz" typescript >seen || fail "$(cat seen)"
    [ "$(wc -l <seen)" -le 24 ] || fail "more than 24 lines:" "$(cat seen)"
    sed -n '/heaviest paths/,$p' seen >paths
    for name in order distinct; do
        grep -qE "[ >→] ?$name( |\$|$(printf '\r'))" paths || off "no $name:" "$(cat seen)"
    done
    ! grep -q '_start' seen || fail "the C library's start-up code:" "$(cat seen)"
}

case_hints() {
    within 30 "$PTPROFIL" -- sleep 0.4 2>err || fail "status $?"
    grep -q 'hint: .* --clock=wall ' err || fail "no word of waiting:" "$(cat err)"
    within 30 "$PTPROFIL" --clock=wall -- sleep 0.4 2>err || fail "status $?"
    ! grep -q 'hint: .* --clock=wall ' err || fail "it is used already:" "$(cat err)"
    # shellcheck disable=SC2016  # the profiled shell expands it
    within 60 "$PTPROFIL" -o run.pb.gz -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do "$0" -s 0.0$i; done' "$TARGETS/mix" >/dev/null 2>err ||
        fail "status $?"
    grep -q 'hint: 1[2-9] programs were run; --by=command ' err || fail "no word of command lines:" "$(cat err)"
    [ "$(grep -c ' hint: ' err)" -le 3 ] || fail "more than three hints:" "$(cat err)"
    within 30 "$PTPROFIL" report --by=command run.pb.gz >out 2>err || fail "status $?"
    ! grep -q 'by=command' err || fail "it is used already:" "$(cat err)"
}

# A profile of several programs, such as a build, begins with a table of programs. A profile of one program does not.
case_build() {
    mkdir tools
    for name in one two three four five six; do
        cp "$TARGETS/mix" tools/$name
    done
    within 60 "$PTPROFIL" -o run.pb.gz -- sh -c 'for name in tools/*; do "$name" -s 0.05; done' >/dev/null 2>err || fail "status $?"
    grep -oE '(self  program|self  command|function +module|heaviest paths)' err | tr -s ' ' >parts
    printf '%s\n' 'self program' 'self command' 'function module' 'heaviest paths' | diff - parts || fail "$(cat err)"
    within 60 "$PTPROFIL" -- "$TARGETS/mix" -s 0.2 >/dev/null 2>err || fail "status $?"
    grep -oE '(self  program|self  command|function +module|heaviest paths)' err | tr -s ' ' >parts
    printf '%s\n' 'function module' 'heaviest paths' | diff - parts || fail "$(cat err)"
}

# A script that reads ptprofil's output gets the same table as a file.
case_for_scripts() {
    within 60 "$PTPROFIL" -q -F 1000 -o run.pb.gz -o run.txt -- "$TARGETS/mix" -s 0.2 || fail "status $?"
    grep -qE '^ +0 +0\.[0-9]+ +0\.0% .* main ' run.txt || off "no row of what only calls:" "$(cat run.txt)"
    report -o again.txt run.pb.gz
    cmp run.txt again.txt || fail "$(diff run.txt again.txt)"
    report -o - run.pb.gz | cmp - run.txt || fail "-o - is another table"
    report --format=flat run.pb.gz >flat
    ! grep -q 'heaviest paths' flat || fail "paths below a table that was asked for:" "$(cat flat)"
    ! grep -q 'heaviest paths' run.txt || fail "$(cat run.txt)"
}

run_cases "$@"
