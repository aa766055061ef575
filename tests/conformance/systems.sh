#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs ptprofil-conformance for every system under ptprofil, and without ptprofil on the C library's own calls.
# CONFORMANCE names the program if it is not in the build tree.

# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

CONFORMANCE=${CONFORMANCE:-$(find_built ptprofil-conformance)} ||
    { echo "SKIP: no ptprofil-conformance has been built"; exit 77; }

# check_report STATUS FILE: copies failures, wrong tick counts and the summary to the log, and fails unless all is ok.
check_report() {
    grep -E '^(not ok|# )' "$2"
    [ "$1" = 0 ] || fail "status $1"
    ! grep -q '^not ok' "$2" || fail "a rule was found broken"
    grep -q '^1\.\.[1-9]' "$2" || fail "the report is not complete"
}

show_system() { # show_system NAME [RULE...]
    local status=0
    within 20 "$PTPROFIL" -q -- true || skip "this machine lets no process be traced"
    within 300 "$PTPROFIL" -q --semantics="$1" --calls=on -- "$CONFORMANCE" --system="$1" "${@:2}" >report 2>&1 || status=$?
    check_report "$status" report
    grep "^# $1: [0-9]* rules" report >>"$scratch/counts"
}

# Rules that need seconds of CPU time each, and all other rules of linux.
slow_rules='profil.threads profil.clock pcsample.vtime'
quick_rules() { # quick_rules OPTION
    "$CONFORMANCE" "$1" --list | sed 's/^linux\.//' | grep -vx "${slow_rules// /\\|}"
}

# shellcheck disable=SC2046,SC2086  # names are words
case_linux() { show_system linux $(quick_rules --system=linux); }
# shellcheck disable=SC2086
long_linux() { show_system linux $slow_rules; }
long_freebsd() { show_system freebsd; }
long_freebsd_built() { show_system freebsd:built; }
long_irix() { show_system irix; }
long_darwin() { show_system darwin; }
long_darwin_classic() { show_system darwin:classic; }
long_illumos() { show_system illumos; }

# Runs without ptprofil, to prove that the C library has these rules of linux.
ask_oracle() { # ask_oracle RULE...
    local status=0
    within 300 "$CONFORMANCE" --oracle "$@" >report 2>&1 || status=$?
    check_report "$status" report
}

# shellcheck disable=SC2046,SC2086
long_oracle() { ask_oracle $(quick_rules --oracle) $slow_rules; }

# A broken rule must be found: tests the rules of one system on the calls of another.
case_tells_systems_apart() {
    within 20 "$PTPROFIL" -q -- true || skip "this machine lets no process be traced"
    ! within 60 "$PTPROFIL" -q --semantics=illumos --calls=on -- "$CONFORMANCE" --system=linux sprofil.disable >report ||
        fail "illumos disables as linux does"
    ! within 60 "$PTPROFIL" -q --semantics=linux --calls=on -- "$CONFORMANCE" --system=irix sprofil.disable >>report ||
        fail "irix disables as linux does"
    ! within 60 "$PTPROFIL" -q --calls=off -- "$CONFORMANCE" pcsample.first >>report ||
        fail "pcsample is served where no calls are"
    [ "$(grep -c '^not ok' report)" -ge 3 ] || fail "$(cat report)"
}

case_options_are_documented() {
    local page=$source_dir/man/ptprofil-conformance.1 option
    for option in $("$CONFORMANCE" --help | grep -o -e '--[a-z]*' | sort -u); do
        case $option in --semantics | --calls) continue ;; esac # ptprofil's
        sed 's/\\-/-/g' "$page" | grep -q -e "^\.B[IR]* .*$option" || fail "$option is not in the manual page"
    done
    "$CONFORMANCE" --version | grep -q "$("$PTPROFIL" --version | awk '{ print $NF }')" || fail "another version"
}

# Adds up the counts of the cases before; its name sorts it last.
case_totals() {
    [ -s "$scratch/counts" ] || skip "no system has been shown"
    sed 's/^# [a-z:]*: //' "$scratch/counts" | awk '{ rules += $1; shown += $3; not_shown += $5 }
        END { printf "  %d systems: %d rules of %d are shown, %d cannot be shown here\n", NR, shown, rules, not_shown }'
}

# The others say by themselves when a busy machine made a number of ticks wrong, and count them again.
measures='long_linux oracle'
run_cases "$@"
