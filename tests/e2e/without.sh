#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A build that leaves out all libraries that can be: it can be made, says what it lacks, and does the rest.

. "$(dirname "$0")/lib.sh"

long_all() {
    local library
    need gcc make pkg-config
    [ -x "$source_dir/configure" ] || skip "there is no configure"
    [ ! -e "$source_dir/config.status" ] || skip "the source is configured in its own folder"
    ! is_sanitized || skip "one build of that kind is enough"
    "$source_dir/configure" -q --without-libdw --without-libunwind --without-lzma --without-ncurses --without-zlib \
        CFLAGS='-O0 -w' >out 2>&1 && make -s ptprofil >out 2>&1 || fail "it cannot be built" "$(tail -5 out)"
    ./ptprofil --version >version || fail "status $?"
    for library in libdw libunwind liblzma ncurses zlib; do
        grep -qE "^  $library +left out " version || fail "$library:" "$(cat version)"
    done
    within 60 ./ptprofil -q -F 500 -o run.pb -o run.folded -- "$TARGETS/mix" -s 0.5 >out 2>err || fail "status $?" "$(cat err)"
    ./ptprofil report -n all run.pb >table || fail "report: status $?"
    ./ptprofil report --annotate=spin_half run.pb >source || fail "report --annotate: status $?"
    grep -q '^no lines of the source: this ptprofil was built without libdw' source || fail "why are there no lines?" "$(cat source)"
    [ -s run.folded ] && grep -q ' mix$' table || fail "nothing of the program is seen:" "$(cat table)"
}

run_cases "$@"
