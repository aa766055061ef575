#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Builds without one optional library, and without all of them: they compile, report what they lack, and everything else
# works. Several unrelated libraries are left out in one build. CI builds without all of them only; make check-long has
# the others.

. "$(dirname "$0")/lib.sh"

# build_without LIBRARY...: builds ./ptprofil without these libraries, and without a warning.
build_without() {
    need gcc make pkg-config
    [ -x "$source_dir/configure" ] || skip "there is no configure"
    [ ! -e "$source_dir/config.status" ] || skip "the source is configured in its own folder"
    ! is_sanitized || skip "one build of that kind is enough"
    "$source_dir/configure" -q --enable-werror "${@/#/--without-}" CFLAGS=-O0 --disable-hardening >out 2>&1 && make -s ptprofil >out 2>&1 ||
        fail "it cannot be built" "$(tail -5 out)"
    ! grep -i 'warning' out || fail "warnings"
    ./ptprofil --version >version || fail "status $?"
    [ "$(grep -c ' left out ' version)" = $# ] || fail "not $# left out:" "$(cat version)"
}

long_all() {
    local library
    build_without libdw libunwind
    for library in libdw libunwind; do
        grep -qE "^  $library +left out " version || fail "$library:" "$(cat version)"
    done
    profiles run.pb.gz run.folded
    ./ptprofil report --annotate=spin_half run.pb.gz >source || fail "report --annotate: status $?"
    grep -q '^no lines of the source: this ptprofil was built without libdw' source || fail "why are there no lines?" "$(cat source)"
}

# profiles FILE...: profiles a run into all FILEs; the table of the first one must have names.
profiles() {
    local file files=()
    for file; do
        files+=(-o "$file")
    done
    within 60 ./ptprofil -F 500 "${files[@]}" -- "$TARGETS/mix" -s 0.5 >out 2>err || fail "status $?" "$(cat err)"
    ./ptprofil report -n all "$1" >table || fail "report: status $?"
    grep -q ' spin_half  *mix$' table || off "no name:" "$(cat table)"
}

long_libdw() {
    [ -z "${CI:-}" ] || skip "CI builds without both"
    build_without libdw
    profiles run.pb.gz run.folded
    within 60 ./ptprofil --by=line -F 500 -- "$TARGETS/mix" -s 0.5 >out 2>err || fail "status $?" "$(cat err)"
    grep -q 'hint: no line information for mix: this ptprofil was built without libdw' err || off "$(cat err)"
    grep -q ';main;.*;spin_half ' run.folded || off "no stack to its root:" "$(cat run.folded)"
}

long_libunwind() {
    [ -z "${CI:-}" ] || skip "CI builds without both"
    local status=0
    build_without libunwind
    profiles run.pb.gz run.folded
    grep -q 'hint: stacks are cut .*built without libunwind' err || off "$(cat err)"
    ./ptprofil --stacks=dwarf true 2>err || status=$?
    [ $status = 125 ] && grep -q 'built without libunwind, which dwarf needs; use fp' err || fail "status $status" "$(cat err)"
    ./ptprofil doctor >doctor
    grep -q 'stacks .*built without libunwind' doctor || fail "$(cat doctor)"
}

run_cases "$@"
