#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ptprofil doctor predicts correctly whether sampling works: each report is compared with an attempt.

. "$(dirname "$0")/lib.sh"

begin() {
    "$@" &
    target=$!
    poll_until 10 has_execed "$target" || fail "it does not begin: $*"
}

end_target() {
    kill -KILL "$target" 2>/dev/null
    wait "$target" 2>/dev/null || true
}

# says STATUS REGEX COMMAND...: COMMAND runs the doctor on $target. The doctor must end with STATUS, and a line of its
# output must match REGEX. Sampling must work if STATUS is 0, and must fail otherwise.
says() {
    local wanted=$1 regex=$2 status=0 works=0
    shift 2
    within 20 "$@" "$PTPROFIL" doctor ${target:+-p "$target"} >out 2>err || status=$?
    [ $status = "$wanted" ] && [ ! -s err ] || fail "status $status:" "$(cat out err)"
    grep -qE -- "$regex" out || fail "no \"$regex\":" "$(cat out)"
    grep -vqE '^  (ok|note|NO) +[^ ]+ .|^Sampling (works|does not work: see the lines that begin with NO)\.$' out &&
        fail "a line of another kind:" "$(cat out)"
    [ -z "${target:-}" ] || is_gone "$target" || is_untraced "$target" || fail "it is traced"
    if [ -n "${target:-}" ]; then
        within 20 "$@" "$PTPROFIL" -q -d 0.1 -p "$target" 2>err || works=$?
    else
        within 20 "$@" "$PTPROFIL" -q -- true 2>err || works=$?
    fi
    [ $((works != 0)) = "$wanted" ] || fail "it says $wanted, and sampling ends with $works:" "$(cat out err)"
}

case_of_the_machine() {
    unset target
    says 0 '^  ok    kernel +Linux [0-9.]+.*, x86_64' env
    says 0 '^  (ok|note) +real time ' env
    says 0 '^  ok    ptrace ' env
    says 0 '^Sampling works\.$' env
    DEBUGINFOD_URLS=http://localhost:1 says 0 '^  ok    symbols .*http://localhost:1' env
    need taskset
    says 0 '^  note  CPUs +1 of ' taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
}

case_reader() {
    unset target
    is_sanitized && skip "the sanitizer's own calls are refused"
    says 0 '^  (ok|note) +reader ' env
    says 0 '^  note  reader .*does not get here: .*namespaces' "$TARGETS/refuse" unshare
}

case_of_a_user() {
    need_root
    unset target
    says 0 "^  note  rights +user $nobody without CAP_SYS_PTRACE" "${as_nobody[@]}"
    says 0 '^  note  rights +ptprofil is root here, but without the capability SYS_PTRACE' setpriv --bounding-set=-sys_ptrace
}

case_filtered() {
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # LeakSanitizer needs ptrace itself
    unset target
    says 1 '^  NO    ptrace +.*a seccomp filter forbids ptrace' "$TARGETS/refuse" ptrace
    says 1 '^  NO    memory +process_vm_readv.*--stacks=none' "$TARGETS/refuse" process_vm_readv
    begin sleep 600
    says 1 "^  NO    $target +.*a seccomp filter forbids ptrace" "$TARGETS/refuse" ptrace
    end_target
}

# In an emulator of one program, doctor and a recording give the same reason, and no option that does not help.
case_emulated() {
    local emulator
    emulator=$(command -v "qemu-$(uname -m)-static" || command -v "qemu-$(uname -m)") || skip "no qemu-user here"
    is_sanitized && skip "the emulator has too little memory for it"
    unset target
    says 1 '^  NO    ptrace +.*emulators of one program' "$emulator"
    grep -q '^ptprofil: process_vm_readv.* is missing here: emulators of one program' err || fail "$(cat err)"
}

case_of_a_process() {
    begin "$TARGETS/mix" -s 60
    says 0 "^  ok    $target +mix can be attached to" env
    says 0 "^  ok    symbols +.*/mix has symbols of all" env
    end_target
    cp "$TARGETS/mix" stripped
    need strip
    strip stripped
    begin ./stripped -s 60
    says 0 "^  note  symbols +.*/stripped has no symbols" env
    kill -STOP "$target"
    poll_until 5 is_stopped "$target" || fail "it does not stop"
    says 0 "^  note  $target +it is stopped.*kill -CONT $target" env
    end_target
    begin sh -c 'sleep 600 & sleep 600 & wait'
    poll_until 5 eval '[ "$(pgrep -P $target | wc -l)" = 2 ]' || fail "no children"
    says 0 '^  ok    children +2, ' env
    kill -KILL $(pgrep -P "$target")
    end_target
    says 1 "^  NO    $target +.*there is no such process" env
}

case_of_another_user() {
    need_root
    begin sleep 600
    says 1 "^  NO    $target +.*it belongs to another user; .*sudo" "${as_nobody[@]}"
    end_target
    "${as_nobody[@]}" sleep 600 &
    target=$!
    poll_until 5 eval '[ "$(cat "/proc/$target/comm")" = sleep ]' || fail "it does not begin"
    says 0 "^  ok    $target +sleep can be attached to" "${as_nobody[@]}"
    end_target
}

case_of_a_traced_one() {
    need strace
    begin sleep 600
    strace -o /dev/null -p "$target" 2>/dev/null &
    local other=$!
    poll_until 5 eval '! is_untraced "$target"' || fail "strace does not trace it"
    local status=0
    within 20 "$PTPROFIL" doctor -p "$target" >out 2>err || status=$?
    [ $status = 1 ] && grep -qE "^  NO    $target +.*traced already, by strace \(process $other\)" out || fail "$(cat out err)"
    kill $other
    end_target
}

case_of_a_32_bit_one() {
    need gcc
    gcc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector "$source_dir/tests/targets/small32.c" -o small32 2>log ||
        skip "gcc cannot compile for 32 bits here"
    mkfifo answer
    sleep 600 >answer &
    ./small32 >out32 <answer & # it may end at once where 32-bit programs cannot run
    target=$!
    poll_until 5 test -s out32 && ! is_gone_or_zombie "$target" || skip "32-bit programs do not run here"
    says 0 "^  ok    $target +small32 can be attached to"
    grep -qE '^  ok    symbols .*small32 has symbols of all' out || fail "$(cat out)"
    end_target
}

case_of_a_runtime() {
    need perl
    begin perl -e 'sleep 600'
    poll_until 5 eval 'grep -q perl "/proc/$target/maps" && grep -qE "^(230|115|35|101) " "/proc/$target/syscall"' ||
        fail "it does not sleep"
    says 0 '^  (ok|note) +language +Perl [0-9.]+: its functions are ' env
    end_target
}

# In gVisor, which does not support sampling, the doctor and ptprofil report the same reason.
case_in_gvisor() {
    local status=0
    need runsc
    within 60 runsc --network=none --ignore-cgroups do true 2>err || skip "runsc does not run here: $(tail -n 1 err)"
    within 60 runsc --network=none --ignore-cgroups do "$PTPROFIL" doctor >out 2>err || status=$?
    [ $status = 1 ] && grep -qE '^  NO    kernel +this is gVisor, which lacks .*/proc/PID/schedstat .*--runtime=runc' out ||
        fail "status $status:" "$(cat out err)"
    ! grep -q CONFIG_ out || fail "a wrong reason:" "$(cat out)"
}

case_misused() {
    local words
    for words in '-p 12x' '-p' '-x' 'again' '--pdi=1' "-p $$ again"; do
        local status=0
        # shellcheck disable=SC2086  # several words
        within 10 "$PTPROFIL" doctor $words >out 2>err || status=$?
        [ $status = 125 ] && [ ! -s out ] && grep -q '^ptprofil: ' err || fail "status $status: $words" "$(cat out err)"
    done
    grep -q "doctor: unexpected argument 'again'" err || fail "$(cat err)"
    "$PTPROFIL" doctor --help | grep -q 'ptprofil doctor' || fail "no help"
}

run_cases "$@"
