#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The cases of all scripts that must run alone. In a run of all tests, the scripts leave these cases to this script, which
# runs last (tests/e2e/Makemodule.am). A script that waited to be alone would keep one of make's jobs from the others.

set -u
cd "$(dirname "$0")" && here=$PWD && cd "$OLDPWD" || exit 99
conformance=$(dirname "$here")/conformance
passed=0 failed=0 skipped=0

while read -r script; do
    status=0
    printf -- '--- %s\n' "${script##*/}"
    PTPROFIL_TEST_ALONE=only bash "$script" || status=$?
    case $status in
    0) ((++passed)) ;;
    77) ((++skipped)) ;;
    *) ((++failed)) ;;
    esac
done < <(grep -lE '^measures=' "$here"/*.sh "$conformance/systems.sh" && echo "$conformance/systems-i386.sh")

printf '%d ok, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed = 0 ] || exit 1
[ $passed != 0 ] || exit 77
