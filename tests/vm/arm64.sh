#!/bin/bash
# SPDX-License-Identifier: MIT
#
# arm64 programs from Debian and from the tests: their results are the same as without ptprofil, and their stacks are
# whole. Runs in an arm64 machine, which tests/vm/run makes.

# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

[ "$(uname -m)" = aarch64 ] || { echo "SKIP: not on arm64: make check-vm ARCH=arm64"; exit 77; }

built=$(pwd)

# whole RATE COMMAND...: COMMAND's output and status must be the same as without ptprofil, and at least 97 % of its time
# must be in whole stacks.
whole() {
    local rate=$1 alone=0 status=0
    shift
    "$@" >alone.out 2>/dev/null || alone=$?
    "$PTPROFIL" -q -F "$rate" --max-overhead=off -o profile.folded -- "$@" >profiled.out 2>err || status=$?
    [ $status = $alone ] || fail "status $status, alone $alone" "$(cat err)"
    cmp alone.out profiled.out || fail "another output than alone"
    awk '!/\[unsampled\]/ { sampled += $NF; if (!/;\[(truncated|unknown)\];/) whole += $NF }
        END { printf "%d of %d us in whole stacks\n", whole, sampled; exit !(whole > 0 && whole >= 0.97 * sampled) }' \
        profile.folded || off "$(cut -c 1-300 profile.folded | head -n 20)"
    grep -q ";${begins:-__libc_start_main}[.;]" profile.folded || off "no stack begins at the program's start:" "$(cut -c 1-300 profile.folded | head -n 20)"
}

case_unit_tests() {
    within 60 "$built/tests/unit/test_arch_arm64" >out 2>&1 || fail "$(cat out)"
    within 60 "$built/tests/unit/test_arch_detour" >out 2>&1 || fail "$(cat out)"
}

case_gzip() {
    seq 1 400000 >words
    whole 100 gzip -9 -c words
}

case_xz() {
    seq 1 400000 >words
    whole 100 xz -2 -c words
}

case_sqlite() {
    whole 100 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<150000)
        select sum(x*x), count(distinct x%1000) from c;'
}

case_python() {
    whole 100 python3 -c 'print(sum(i * i for i in range(600000)))'
}

# A 32-bit program, which cannot be sampled, runs as without ptprofil; a message names it.
case_32_bit() {
    [ -x "$built/foreign" ] || skip "there was no compiler for it"
    local status=0
    "$built/foreign" || status=$?
    [ $status = 7 ] || skip "alone it ends with status $status"
    for clock in cpu wall; do
        status=0
        "$PTPROFIL" -F 500 --clock=$clock --unsampled=separate -o profile.folded -- "$built/foreign" 2>err || status=$?
        [ $status = 7 ] || fail "status $status" "$(cat err)"
        grep -q '^ptprofil: 1 process was not sampled (foreign, process [0-9]*): 32-bit arm programs are not supported' err || fail "$(cat err)"
        ! grep -v '\[unsampled\]' profile.folded || fail "it was sampled"
    done
}

# Stops do not change SVE and SME registers.
case_vector_registers() {
    within 110 "$PTPROFIL" -q -F 2000 --max-overhead=off -o profile.folded -- "$TARGETS/vectors" >out 2>err || fail "status $?" "$(cat out err)"
    cat out
}

# A Go program, which was compiled outside of the machine. It has no dynamic linker, and its stacks move.
case_go() {
    [ -x "$built/go-program" ] || skip "there was no Go to compile it"
    begins=runtime.goexit whole 100 "$built/go-program" 8
    expect_share profile.folded main.busyLoop 20
}

# A compiler, an assembler and a linker at work.
case_compiler() {
    cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) { char text[99]; snprintf(text, sizeof text, "%d %s", argc, *argv); return (int)strlen(text) & 1; }
END
    need gcc
    whole 100 sh -c 'gcc -O2 -g program.c -o program && sha256sum program'
}

case_perl() {
    whole 100 perl -e 'my %h; for my $i (1..400000) { $h{$i % 997} .= $i; } print scalar keys %h'
}

# A program with signed return addresses (pointer authentication).
case_signed() {
    cat >signed.c <<'END'
#include <stdio.h>
static volatile unsigned long sum;
__attribute__((noipa)) void signed_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i * i; }
__attribute__((noipa)) void signed_middle(unsigned long n) { signed_leaf(n); sum++; }
__attribute__((noipa)) void signed_outer(unsigned long n) { signed_middle(n); sum++; }
int main(void) { for (int i = 0; i < 200; i++) signed_outer(300000); printf("%lu\n", sum); }
END
    gcc -O2 -mbranch-protection=standard signed.c -o signed || skip "no compiler in this machine"
    for mode in dwarf fp; do
        "$PTPROFIL" -q -F 100 --max-overhead=off --stacks=$mode -o $mode.folded -- ./signed >out 2>err || fail "status $?" "$(cat err)"
        awk '/main;signed_outer;signed_middle;signed_leaf [0-9]+$/ { good += $NF } !/\[unsampled\]|;ld-/ { all += $NF }
            END { exit !(good > 0 && good >= 0.9 * all) }' $mode.folded || off "$mode:" "$(cut -c 1-300 $mode.folded)"
    done
}

# With branch target identification, an indirect call may only reach a landing instruction (bti or paciasp), so ptprofil
# must keep the one at profil's beginning. The program has the symbols of a static C library, but is not one.
case_landing_marks() {
    local mark
    for mark in 'bti c' paciasp; do
        cat >marks.c <<END
#define FUNCTION(name, text) __asm__(".globl " name ", __" name "\\n.type " name ", @function\\n.type __" name ", @function\\n" \
    name ":\\n__" name ":\\n" text "\\n.size " name ", . - " name "\\n.size __" name ", . - " name "\\n");
FUNCTION("setitimer", "bti c\\n mov x8, #103\\n svc #0\\n cmn x0, #1, lsl #12\\n b.cs 1f\\n ret\\n 1: ret")
FUNCTION("profil", "$mark\\n hint #29\\n mov x0, #7\\n ret")
FUNCTION("_start", "bti j\\n mov x29, #0\\n mov x30, #0\\n bl begin")
long profil(unsigned short *cells, unsigned long size, unsigned long offset, unsigned scale);
static long (*volatile pointer)(unsigned short *, unsigned long, unsigned long, unsigned) = profil;
static unsigned short cells[8];
void begin(void)
{
    long wrong = 0;
    for (int i = 0; i < 1000; i++)
        wrong += pointer(cells, sizeof cells, 0, 65536) != 0;
    register long status __asm__("x0") = wrong ? 3 : 0, number __asm__("x8") = 94;
    __asm__ volatile("svc #0" : : "r"(status), "r"(number));
}
END
        [ "$mark" = paciasp ] || sed -i 's/ hint #29.*mov x0/ mov x0/' marks.c
        gcc -O1 -nostdlib -static -ffreestanding -mbranch-protection=standard -Wl,-z,force-bti marks.c -o marks 2>log || skip "no compiler in this machine: $(cat log)"
        status=0
        ./marks || status=$?
        [ $status = 3 ] || skip "alone it ends with $status"
        status=0
        "$PTPROFIL" -v --calls=on -o profile.folded -- ./marks 2>err || status=$?
        [ $status = 0 ] || off "$mark: status $status" "$(cat err)" # if the file is read too late, profil is not served
        grep -q 'calls: 1000 served' err || fail "$mark:" "$(cat err)"
    done
}

# musl, another C library, static and shared; pcsample is served.
case_musl() {
    cat >musl.c <<'END'
#include <pcsample.h>
#include <stdio.h>
static uintptr_t samples[1000];
static volatile unsigned long sum;
__attribute__((noipa)) void musl_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i * i; }
__attribute__((noipa)) void musl_outer(unsigned long n) { musl_leaf(n); sum++; }
int main(void)
{
    long first = pcsample(samples, 1000), last;
    for (int i = 0; i < 600; i++)
        musl_outer(300000);
    last = pcsample(0, 0);
    printf("%ld %d\n", first, last > 0 && last <= 1000 && samples[last - 1] != 0);
}
END
    need aarch64-linux-musl-gcc
    for linked in -static -no-pie -pie; do
        aarch64-linux-musl-gcc -O2 -g $linked -I"$source_dir/src/libpcsample" -I"$source_dir/include" musl.c "$built/.libs/libpcsample.a" -o musl ||
            fail "$linked: not compiled"
        "$PTPROFIL" -q -F 100 --max-overhead=off -o profile.folded -- ./musl >out 2>err || fail "$linked: status $?" "$(cat err)"
        [ "$(cat out)" = '0 1' ] || fail "$linked: pcsample: $(cat out err)"
        awk '/;main;musl_outer;musl_leaf [0-9]+$/ { good += $NF } !/\[unsampled\]|;ld-/ { all += $NF }
            END { exit !(good > 0 && good >= 0.9 * all) }' profile.folded || off "$linked:" "$(cut -c 1-300 profile.folded)"
    done
}

# Functions without unwind tables, known only by their symbols: musl's C library has no tables.
case_without_tables() {
    cat >bare.c <<'END'
#include <stdlib.h>
#include <stdio.h>
static int compare(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }
static int numbers[200000];
int main(void)
{
    for (int round = 0; round < 6; round++) {
        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
            numbers[i] = (int)(i * 2654435761u >> 1);
        qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    }
    printf("%d\n", numbers[1000]);
}
END
    libraries=/usr/lib/aarch64-linux-musl
    gcc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -nostdinc -isystem /usr/include/aarch64-linux-musl -nostdlib -static \
        $libraries/crt1.o $libraries/crti.o bare.c -L$libraries -lc -lgcc $libraries/crtn.o -o bare ||
        skip "no compiler for musl in this machine"
    "$PTPROFIL" -q -F 100 --max-overhead=off -o profile.folded -- ./bare >out 2>err || fail "status $?" "$(cat err)"
    awk '/;main;.*(compare|sift|trinkle|cycle|smooth)/ { good += $NF } !/\[unsampled\]|;ld-/ { all += $NF } END { exit !(good > 0 && good >= 0.9 * all) }' \
        profile.folded || off "$(cut -c 1-300 profile.folded | head -n 20)"
}

# An assembler function without a symbol or a table: only the call to it shows where it begins. It uses x29 for another
# purpose, and leaves its loop by a branch to an address in a register.
case_without_beginnings() {
    cat >hidden.s <<'END'
    .text
hidden:
    stp x29, x30, [sp, #-48]!
    stp x19, x20, [sp, #16]
    str x21, [sp, #32]
    mov x19, x0
    mov x20, x1
    mov x29, #0x1234
    adr x21, 2f
1:  mov x0, x29
0:  subs x0, x0, #1
    b.ne 0b
    mov x0, x29
    blr x20
    adr x1, 1b
    subs x19, x19, #1
    csel x1, x1, x21, ne
    br x1
2:  ldr x21, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #48
    ret
    .globl enter
    .type enter, @function
enter:
    .cfi_startproc
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    bl hidden
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size enter, . - enter
    .section .note.GNU-stack, "", @progbits
END
    cat >entered.c <<'END'
void enter(unsigned long rounds, void (*leaf)(unsigned long));
static volatile unsigned long sum;
__attribute__((noipa)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i * i; }
int main(void) { enter(20000, leaf); }
END
    gcc -O2 -s -rdynamic entered.c hidden.s -o entered || skip "no compiler in this machine"
    "$PTPROFIL" -q -F 100 --max-overhead=off -o profile.folded -- ./entered >out 2>err || fail "status $?" "$(cat err)"
    awk '/;main;enter;[^;]*;leaf [0-9]+$/ { called += $NF } /;main;enter;[^;]* [0-9]+$/ { inside += $NF } !/\[unsampled\]|;ld-/ { all += $NF }
        END { exit !(called > 0 && inside > 0 && called + inside >= 0.9 * all) }' profile.folded || off "$(cut -c 1-300 profile.folded | head -n 20)"
}

# shellcheck disable=SC2034
measures=yes
run_cases "$@"
