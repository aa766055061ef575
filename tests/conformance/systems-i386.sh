#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs systems.sh with the 32-bit program, which takes long. CI runs only two systems, which differ in most rules.

[ -n "${PTPROFIL_TEST_LONG:-}" ] || { echo "SKIP: all that is here takes long: make check-long"; exit 77; }

program=${CONFORMANCE_I386:-./ptprofil-conformance-i386}
[ -x "$program" ] || program=$(dirname "$0")/../../build/ptprofil-conformance-i386
[ -x "$program" ] || { echo "SKIP: the compiler makes no 32-bit programs: no ptprofil-conformance-i386 has been built"; exit 77; }
"$program" --version >/dev/null 2>&1 || { echo "SKIP: 32-bit programs do not run here"; exit 77; }
CONFORMANCE=$(realpath "$program")
export CONFORMANCE
turns=${PTPROFIL_TEST_ALONE:-} # see tests/e2e/lib.sh; of these cases, linux alone runs alone
[ "$turns" = only ] || PTPROFIL_TEST_LONG= bash "$(dirname "$0")/systems.sh" "$@" || exit
if [ -n "${CI:-}" ] && [ $# = 0 ]; then
    case $turns in later) set -- irix ;; only) set -- linux ;; *) set -- linux irix ;; esac
fi
PTPROFIL_TEST_LONG=1 exec bash "$(dirname "$0")/systems.sh" "$@"
