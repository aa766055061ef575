#!/bin/bash
# SPDX-License-Identifier: MIT
#
# 32-bit programs beside 64-bit ones: the same source gives the same profile.

. "$(dirname "$0")/lib.sh"

# gcc for 32-bit programs. Finds the kernel's headers also without the package gcc-multilib, which conflicts with cross
# compilers.
gcc_32() {
    gcc -m32 -isystem "/usr/include/$(gcc -print-multiarch)" "$@" 2>log
}

# build_twins FLAGS...: compiles the programs wide (64-bit) and narrow (32-bit).
build_twins() {
    need gcc
    local source=$source_dir/tests/targets/twins.c status=0
    gcc -g "$@" "$source" -o wide 2>log || fail "gcc $*" "$(cat log)"
    gcc_32 -g "$@" "$source" -o narrow || skip "gcc does not make 32-bit programs here (package gcc-12-multilib)"
    ./narrow 0 >out || status=$?
    [ $status = 44 ] || skip "the kernel does not run 32-bit programs"
}

seen() { # seen PROGRAM: profiles half a second of PROGRAM
    local status=0
    within 60 "$PTPROFIL" -q -F 1000 -o "$1.folded" -- "./$1" 500 >out 2>err || status=$?
    [ $status = 44 ] || fail "$1: status $status" "$(cat err)"
    [ ! -s err ] || fail "$(cat err)"
}

# stack_of FUNCTION: prints the expected stack from the program's start to FUNCTION, its leaf.
stack_of() {
    case $1 in
    at_the_bottom) echo ';main;(recurse[^;]*;)+(spin_cpu_ms[^;]*;)?at_the_bottom$' ;;
    in_the_handler) echo ';main;raise_it;.*;handle;(spin_cpu_ms[^;]*;)?in_the_handler$' ;;
    for_the_library) echo ';main;search;(.*;)?compare;(spin_cpu_ms[^;]*;)?for_the_library$' ;;
    by_pointer) echo ';main;(spin_cpu_ms[^;]*;)?by_pointer$' ;;
    esac
}

percent_of() { # percent_of PROGRAM FUNCTION: the share of FUNCTION, in stacks that reach the program's start
    awk -v part="$(matching_weight "$1.folded" "^$1;_start;.*$(stack_of "$2")")" -v total="$(total_of "$1.folded")" \
        'BEGIN { printf "%.2f\n", total ? 100 * part / total : 0 }'
}

twins() { # twins FLAGS...
    local name
    build_twins "$@"
    seen wide
    seen narrow
    for name in at_the_bottom in_the_handler for_the_library by_pointer; do
        near "$name in 64 bits" "$(percent_of wide $name)" 24.5 2
        near "$name in 32 bits" "$(percent_of narrow $name)" "$(percent_of wide $name)" 3
    done
}

case_without_frame_pointers() {
    twins -O1 -fomit-frame-pointer -fno-optimize-sibling-calls
}

long_untold() {
    local status=0 caller
    need gcc
    gcc_32 -O2 -rdynamic -s "$source_dir/tests/targets/untold.c" -o untold || skip "gcc does not make 32-bit programs here"
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./untold 600 >out 2>err || status=$?
    [ $status = 44 ] || fail "status $status" "$(cat err)"
    for caller in calls_plain calls_restored calls_hidden; do
        near "below $caller, %" "$(($(matching_weight profile.folded "_start;.*;main;$caller;\\[unknown\\]\$") * 100 /
            $(total_of profile.folded)))" 33 4
    done
}

long_with_frame_pointers() {
    twins -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls
}

long_static() {
    twins -O1 -static
}

long_not_pie() {
    twins -O1 -fno-pie -no-pie
}

whole_of() { # whole_of PROGRAM: percent of its time in stacks that reach the program's start
    awk '{ sum += $NF } !/;\[unknown\]/ { whole += $NF } END { printf "%.2f\n", sum ? 100 * whole / sum : 0 }' "$1.folded"
}

# Stacks of a stripped program are whole: .eh_frame is enough.
case_stripped() {
    build_twins -O1 -fomit-frame-pointer
    strip narrow
    seen narrow
    near "percent of whole stacks" "$(whole_of narrow)" 100 3
}

# Without tables, stacks are unwound by frame pointers, and by the instructions of a function that has not set its frame
# pointer yet.
long_frame_pointers_alone() {
    build_twins -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions
    seen narrow
    near "percent of at_the_bottom" "$(percent_of narrow at_the_bottom)" 24.5 3
    near "percent of in_the_handler" "$(percent_of narrow in_the_handler)" 24.5 3
}

long_other_ways_of_stacks() {
    build_twins -O1 -fno-omit-frame-pointer
    within 60 "$PTPROFIL" -q -F 1000 --stacks=fp -o narrow.folded -- ./narrow 500 >out || [ $? = 44 ] || fail "status $?"
    [ "$(matching_weight narrow.folded '(recurse[^;]*;)+(spin_cpu_ms[^;]*;)?at_the_bottom$')" -gt 80000 ] || off "$(cat narrow.folded)"
    within 60 "$PTPROFIL" -q -F 1000 --stacks=none -o narrow.folded -- ./narrow 500 >out || [ $? = 44 ] || fail "status $?"
    expect_share narrow.folded at_the_bottom 20
}

case_lines() {
    build_twins -O1
    within 60 "$PTPROFIL" -q -F 1000 --by=line -o profile.txt -- ./narrow 300 >out || [ $? = 44 ] || fail "status $?"
    grep -q 'target.h:[0-9]\|twins.c:[0-9]' profile.txt || fail "no lines" "$(head -n 20 profile.txt)"
}

# 64-bit and 32-bit processes in one tree.
case_tree() {
    build_twins -O1
    within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- bash -c './wide 300 & ./narrow 300 & wait' >out 2>err || fail "status $?" "$(cat err)"
    [ "$(sort out | tr '\n' ' ')" = "32-bit 64-bit " ] || fail "$(cat out)"
    near "time of the 64-bit process" "$(process_weight profile.folded wide)" 300000 30000
    near "time of the 32-bit process" "$(process_weight profile.folded narrow)" 300000 30000
}

long_exec() {
    local status=0
    build_twins -O1
    within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./narrow 200 ./wide 200 ./narrow 200 >out 2>err || status=$?
    [ $status = 44 ] || fail "status $status" "$(cat err)"
    [ "$(tr '\n' ' ' <out)" = "32-bit 64-bit 32-bit " ] || fail "$(cat out)"
    near "time of the 64-bit image" "$(process_weight profile.folded wide)" 200000 20000
    near "time of the 32-bit images" "$(process_weight profile.folded narrow)" 400000 40000
    near "of it at the bottom" "$(matching_weight profile.folded "^narrow;.*$(stack_of at_the_bottom)")" 98000 20000
}

begin_narrow() { # begin_narrow CPU_MILLISECONDS: starts narrow in the background with its output in out; sets target
    build_twins -O1
    ./narrow "$1" >out &
    target=$!
    poll_until 5 eval '[ "$(cat /proc/$target/comm)" = narrow ]' || fail "it does not begin"
}

case_attach() {
    local status=0
    begin_narrow 1500
    within 60 "$PTPROFIL" -q -F 1000 -o narrow.folded -p $target 2>err || fail "status $?" "$(cat err)"
    wait $target || status=$?
    [ $status = 44 ] && [ "$(cat out)" = 32-bit ] || fail "status $status" "$(cat out)"
    near "percent of in_the_handler" "$(percent_of narrow in_the_handler)" 24.5 4
    is_whole=$(whole_of narrow)
    near "percent of whole stacks" "$is_whole" 100 3
}

# Waits are shown under the kernel's names for the 32-bit system calls.
long_waits() {
    build_twins -O1
    printf '#include <unistd.h>\n#include <time.h>\nint main(void) { struct timespec t = {0, 500000000}; return nanosleep(&t, 0); }\n' >sleeps.c
    gcc_32 -O1 sleeps.c -o sleeps || fail "$(cat log)"
    within 60 "$PTPROFIL" -q -F 500 --clock=wall -o profile.folded -- ./sleeps || fail "status $?"
    [ "$(matching_weight profile.folded 'main;.*nanosleep.*;\[(clock_)?nanosleep\]$')" -gt 400000 ] || off "$(cat profile.folded)"
    sed -i 's/t = {0, 500000000}/t = {2, 0}/' sleeps.c
    gcc_32 -O1 sleeps.c -o sleeps || fail "$(cat log)"
    ./sleeps &
    target=$!
    poll_until 5 eval '[ "$(cat /proc/$target/comm)" = sleeps ]' || fail "it does not begin"
    within 60 "$PTPROFIL" -q -F 500 --clock=wall -o profile.folded -p $target || fail "status $?"
    wait $target || fail "status $?"
    [ "$(matching_weight profile.folded 'main;.*nanosleep.*;\[(clock_)?nanosleep\]$')" -gt 400000 ] || off "$(cat profile.folded)"
}

case_tracer_killed() {
    build_twins -O1
    local front status=0
    "$PTPROFIL" -q -F 5000 -o profile.folded -- ./narrow 1500 >out 2>err &
    front=$!
    poll_until 10 eval 'target=$(command_of $front) && [ -n "$target" ] && [ "$(cat /proc/$target/comm)" = narrow ]' || fail "no command"
    kill -KILL "$(tracer_of $front)"
    wait $front || status=$?
    [ "$(cat out)" = 32-bit ] || fail "it has not come to its end: status $status" "$(cat err)"
}

# The C library has assembler functions that push values which their unwind tables do not describe.
long_tables_that_lie() {
    local name register
    build_twins -O1
    cat >untold.c <<'END'
__asm__(".text\n.type untold, @function\nuntold:\n.cfi_startproc\nmov $7, %eax\npush %" REGISTER "\n"
        "mov $400000000, %ecx\n1: dec %ecx\njnz 1b\npop %" REGISTER "\nret\n.cfi_endproc\n.size untold, . - untold\n");
int untold(void);
__attribute__((noinline, noclone)) static int outer(void)
{
    int result = untold();
    __asm__ volatile("" ::: "memory");
    return result;
}
int main(void)
{
    return outer() & 0;
}
END
    gcc -O1 -DREGISTER='"rax"' untold.c -o wide || fail "cannot compile"
    gcc_32 -O1 -DREGISTER='"eax"' untold.c -o narrow || fail "$(cat log)"
    for name in wide narrow; do
        within 60 "$PTPROFIL" -q -F 500 -o $name.folded -- ./$name || fail "status $?"
        near "percent of whole stacks in $name" \
            "$(awk -v part="$(matching_weight $name.folded ';main;outer;untold$')" -v total="$(total_of $name.folded)" \
                'BEGIN { printf "%.2f", 100 * part / total }')" 98 3
    done
}

build_target() { # build_target NAME: compiles tests/targets/NAME.c as a 32-bit program
    build_twins -O1
    gcc_32 -D_GNU_SOURCE -O2 -std=gnu17 -pthread "$source_dir/tests/targets/$1.c" -o "$1" || fail "$(cat log)"
}

# interruptions CLOCK [storm] threads|processes: system calls that only a handled signal may interrupt, and must
# interrupt. Their timeouts expire when they would without ptprofil.
interruptions() {
    local status=0 clock=$1
    build_target interruptions
    within 110 "$PTPROFIL" -q --clock="$clock" -F 2000 --max-overhead=off -o profile.folded -- ./interruptions "${@:2}" 1 >out 2>err ||
        status=$?
    [ $status = 0 ] || fail "status $status" "$(tail -n 20 out err)"
    cat out
}

long_interruptions() {
    interruptions cpu processes
    interruptions wall threads
}

long_storm() {
    interruptions cpu storm threads
}

# A seccomp filter may forbid the system call with which the kernel continues an interrupted call.
case_filtered() {
    local status=0
    build_target filtered
    within 60 "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- ./filtered 200 >out 2>err || status=$?
    [ $status != 77 ] || skip "no filters here"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

# Restarting a system call does not change segment registers, even if 64-bit code of the same thread has set their
# bases.
case_segments() {
    local name status
    build_target segments
    mv segments narrow_segments
    gcc -D_GNU_SOURCE -O1 -std=gnu17 -fno-pie -no-pie "$source_dir/tests/targets/segments.c" -o wide_segments || fail "cannot compile"
    for name in narrow_segments wide_segments; do
        status=0
        within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./$name >out 2>err || status=$?
        [ $status = 0 ] || fail "$name: status $status" "$(cat err)"
    done
}

long_transfers() {
    local mode status
    build_target transfers
    for mode in 'zero 0.3' 'getrandom 0.3' 'pipe 0.3' 'socket 0.3' 'send 0.3' 'pipe 0.3 storm' 'pipe 0.3 storm'; do
        status=0
        # shellcheck disable=SC2086  # words
        within 110 "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- ./transfers $mode >out 2>err || status=$?
        [ $status = 0 ] || fail "transfers $mode: status $status" "$(tail -n 20 err)"
        cat out
    done
}

# Reading the arguments of a call never waits for a page that a FUSE server must provide.
case_packed_behind_fuse() {
    local status=0
    build_target packed
    within 40 "$PTPROFIL" -q -F 1000 --max-overhead=off -o profile.folded -- ./packed >out 2>err || status=$?
    [ $status != 77 ] || skip "no such memory here: $(cat out)"
    [ $status = 0 ] || fail "status $status" "$(cat out err)"
    [ "$(matching_weight profile.folded 'work_after$')" -gt 150000 ] || off "$(cat profile.folded)"
}

# gprof_twin NAME FLAGS...: compiles a 32-bit program with gcc -pg and FLAGS. The shares in its gmon.out must agree with
# the program's own measurement.
gprof_twin() {
    local status=0 all function name=$1
    build_twins -O1
    need gprof
    gcc_32 -D_GNU_SOURCE -O1 -std=gnu17 -pthread -pg "${@:2}" "$source_dir/tests/targets/gprof.c" -o "$name" || fail "$(cat log)"
    within 60 "$PTPROFIL" -q -v --hz=2000 -- "./$name" -w 1000 >out 2>err || status=$?
    [ $status = 0 ] || fail "$name: status $status" "$(tail -n 5 err)"
    [ "$(count_of err served)" -ge 2 ] || fail "$name: profil is not served" "$(cat err)"
    all=$(truth_of out functions)
    for function in has_half has_three_tenths has_three_twentieths; do
        near "$name: $function" \
            "$(gprof -b -p "$name" gmon.out | awk -v name=$function '$NF == name { share = $1 } END { printf "%.2f\n", share }')" \
            "$(awk -v part="$(truth_of out $function)" -v all="$all" 'BEGIN { print 100 * part / all }')" 6
    done
}

# ptprofil's profile in the gmon format, written directly and from a stored profile.
case_gmon() {
    local file
    build_twins -O1
    need gprof
    within 60 "$PTPROFIL" -q -F 1000 -o narrow.pb.gz --format=gmon -o narrow.gmon -- ./narrow 300 >out 2>err || [ $? = 44 ] || fail "$(cat err)"
    within 60 "$PTPROFIL" report --format=gmon -o again.gmon narrow.pb.gz >out 2>err || fail "status $?" "$(cat err)"
    for file in narrow.gmon again.gmon; do
        near "$file: at_the_bottom" "$(gprof -b -p narrow $file | awk '$NF == "at_the_bottom" { print $1 }')" 25 6
    done
}

case_gprof() {
    gprof_twin pie
}

long_gprof() {
    gprof_twin nopie -fno-pie -no-pie
    gprof_twin static -static
    gprof_twin static_pie -static-pie
}

# A process with profil on execs from 64-bit to 32-bit and back: each image has its own call. So have 64-bit and 32-bit
# processes in one tree.
case_calls_of_both_kinds() {
    local status=0
    build_twins -O1
    cat >calls.c <<'END'
#include "target.h"
DEFINE_SPIN(spin, 7)
static unsigned short cells[512];
static const unsigned bits = 8 * sizeof(long);
int main(int argc, char **argv)
{
    unsigned ticks = 0;
    CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)spin, 65536) == 0);
    spin_cpu_ms(spin, 100);
    for (int i = 0; i < 512; i++)
        ticks += cells[i];
    printf("%u bits: %s\n", bits, ticks >= 6 && ticks <= 14 ? "counted" : "not counted");
    fflush(stdout);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 0;
}
END
    gcc -D_GNU_SOURCE -I"$source_dir/tests/targets" -O1 -std=gnu17 calls.c -o calls_wide 2>log || fail "$(cat log)"
    gcc_32 -D_GNU_SOURCE -I"$source_dir/tests/targets" -O1 -std=gnu17 calls.c -o calls_narrow || fail "$(cat log)"
    within 60 "$PTPROFIL" -q -v -- ./calls_narrow ./calls_wide ./calls_narrow ./calls_wide >out 2>err || status=$?
    [ $status = 0 ] && [ "$(uniq -c out | awk '{ print $1 $2 $4 }' | tr '\n' ' ')" = "132counted 164counted 132counted 164counted " ] ||
        off "status $status" "$(cat out err)"
    within 60 "$PTPROFIL" -q -v -- bash -c './calls_narrow & ./calls_wide & ./calls_narrow & wait' >out 2>err || fail "status $?" "$(cat err)"
    [ "$(sort out | tr '\n' ' ')" = "32 bits: counted 32 bits: counted 64 bits: counted " ] || off "$(cat out err)"
    [ "$(count_of err served)" = 3 ] || fail "$(cat err)"
}

measures='gmon gprof without_frame_pointers with_frame_pointers static not_pie stripped frame_pointers_alone attach
    tables_that_lie transfers'
run_cases "$@"
