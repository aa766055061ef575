#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Stacks of real programs that were stopped at random instants, as ptprofil unwinds them from a copy: where
# libunwind-ptrace's stock accessors reach the thread's start, ours are the same, frame by frame. bench/captures does the
# work, and more of it.

. "$(dirname "$0")/lib.sh"

WITNESS=$(find_built bench/witness) || { echo "SKIP: bench/witness has not been built: it needs libunwind and libdw"; exit 77; }

same_stacks() { # same_stacks PROGRAM...: those that are not installed are left out
    need /usr/bin/python3
    within 60 /usr/bin/python3 "$source_dir/bench/captures" --captures=12 --between=3000 --seconds=3 --shown=3 "$WITNESS" "$@" \
        >table 2>err || fail "$(cat table err)"
    grep -q '^| all | [1-9]' table || skip "none of these is installed: $*"
    cat table
}

case_c() {
    same_stacks gzip xz bzip2 sort awk sqlite3 grep tar openssl
}

case_interpreters() {
    same_stacks perl python3
}

case_compilers() {
    same_stacks cc1 ld 'C++, exceptions'
}

# whole_stacks PROGRAM...: at least 99 % of their CPU time has a stack to the thread's start
whole_stacks() {
    need /usr/bin/python3
    within 60 /usr/bin/python3 "$source_dir/bench/stacks" --no-perf --broken=5 "$PTPROFIL" "$@" >table 2>err || fail "$(cat table err)"
    grep -q '^| .* %' table || skip "none of these is installed: $*"
    awk -F '|' '/ %/ && $4 + 0 < 99 { exit 1 }' table || off "$(cat table)"
    cat table
}

# The second has no unwind tables and no frame pointers.
case_whole() {
    whole_stacks gzip 'musl, static'
}

run_cases "$@"
