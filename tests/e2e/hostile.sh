#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Processes that mean no good: ptprofil gets to its end, says what it knows, and goes on sampling those beside.

. "$(dirname "$0")/lib.sh"

#
# Memory that nobody brings
#

# sleeps_in KIND WHAT [MILLISECONDS]: what asleep says of its own CPU time, and its neighbour of his, is in the profile.
sleeps_in() {
    local status=0 name
    echo "  $*"
    within 40 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/asleep" "$1" "$2" "${3:-150}" >out 2>err || status=$?
    [ $status != 77 ] || skip "no such memory here: $(cat out)"
    [ $status = 0 ] || fail "status $status" "$(cat out err)"
    for name in asleep neighbour; do
        [ "$(weight_of profile.folded ${name}_work)" -ge $(($(truth_of out $name) * 600)) ] ||
            off "too little of ${name}_work" "$(cat out profile.folded)"
    done
}

case_asleep_behind_userfaultfd() {
    local what
    for what in stack request profil sprofil pcsample; do
        sleeps_in uffd $what
    done
}

case_asleep_behind_fuse() {
    local what
    for what in stack request profil sprofil pcsample; do
        sleeps_in fuse $what
    done
}

case_asleep_now_and_then() {
    sleeps_in uffd shifting 600
}

# A page that is taken away just when it is being copied: sampling ends, and all run on.
case_asleep_while_copied() {
    ! is_sanitized || skip "nothing can be preloaded"
    local status=0
    LD_PRELOAD=$TARGETS/liar.so within 60 "$PTPROFIL" -F 1000 -o profile.folded -- \
        env -u LD_PRELOAD "$TARGETS/asleep" uffd stack 150 >out 2>err || status=$?
    [ $status != 77 ] || skip "no such memory here: $(cat out)"
    [ $status = 0 ] || fail "status $status" "$(cat out err)"
    grep -q 'ended early: a process kept the tracer waiting for its memory' err || fail "$(cat err)"
    [ -s profile.folded ] || fail "what was gathered by then is not there"
}

run_cases "$@"
