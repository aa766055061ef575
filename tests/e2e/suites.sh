#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Some of Python's own tests of signals and processes have the same results as without ptprofil. `make check-suites`
# runs all of them, and the test suites of other projects.

. "$(dirname "$0")/lib.sh"

long_python() {
    need python3 timeout
    local status=0
    within 250 "$source_dir/tests/suites/run" --quick "$PTPROFIL" python || status=$?
    [ $status != 77 ] || skip "Python's tests are not here"
    [ $status = 0 ] || fail "status $status"
}

run_cases "$@"
