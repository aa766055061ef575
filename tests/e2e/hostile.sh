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

# The file that code is mapped from cannot be read while the process lives: that costs its name.
case_asleep_behind_the_file() {
    local status=0 target
    "$TARGETS/asleep" fuse caller 40000 >out 2>&1 &
    target=$!
    poll_until 10 grep -q mounted/file "/proc/$target/maps" || skip "no such memory here: $(cat out)"
    within 20 "$PTPROFIL" -F 1000 -d 0.3 -o profile.folded -p $target >err 2>&1 || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    kill -0 $target || fail "the process has ended"
    grep -q 'mounted/file;asleep_work' profile.folded || off "$(cat profile.folded)"
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

#
# One that does what no sane program does, and its neighbour
#

# plays TRICK...: both end as they would alone, the neighbour's time is in the profile, and nothing else is written.
plays() {
    local trick weight ms=150
    for trick; do
        local status=0
        rm -f profile.folded
        within 60 "$PTPROFIL" -q -F 1000 --calls=on -o profile.folded -- "$TARGETS/tricks" "$trick" $ms >out 2>err || status=$?
        [ $status = 0 ] || fail "$trick: status $status" "$(cat out err)"
        weight=$(weight_of profile.folded neighbour_work)
        [ "$weight" -ge $((ms * 800)) ] || off "$trick: the neighbour has $weight us" "$(cat profile.folded)"
        [ "$(echo *)" = 'err out profile.folded' ] || fail "$trick: files are left: $(ls)"
    done
}

case_stack_pointer_anywhere() {
    plays stack-pointer
}

case_strange_maps() {
    plays many-maps strange-names short-file
}

case_strange_jit_maps() {
    plays jit-device jit-fifo jit-large jit-lines
}

case_as_fast_as_it_goes() {
    plays fork exec thread
}

case_traces_its_children() {
    plays trace
}

case_no_signals() {
    plays block ignore
}

case_no_limits_left() {
    plays limits
}

run_cases "$@"
