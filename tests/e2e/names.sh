#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The names of functions, wherever their code comes from.

. "$(dirname "$0")/lib.sh"

# named FUNCTION PERCENT COMMAND...: in a profile of COMMAND, FUNCTION must have at least PERCENT of the CPU time.
named() {
    local name=$1 least=$2
    shift 2
    rm -f profile.folded
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$@" || fail "status $?: $*"
    expect_share profile.folded "$name" "$least"
}

all_kinds() { # all_kinds PROGRAM
    named named_work 70 "$1" plain
    named local_work 70 "$1" local
    named 'outer::Inner<int>::work(unsigned long)' 70 "$1" mangled
    named chosen_by_ifunc 70 "$1" ifunc
}

case_pie() {
    all_kinds "$TARGETS/names_pie"
}

long_no_pie() {
    all_kinds "$TARGETS/names_nopie"
}

long_static() {
    all_kinds "$TARGETS/names_static"
}

long_static_pie() {
    all_kinds "$TARGETS/names_static_pie"
}

# Without symbols, a function is shown as its module and the offset of its first byte.
long_stripped() {
    need strip nm
    local program start
    for program in names_pie names_nopie names_static; do
        strip -o $program "$TARGETS/$program"
        start=$(nm "$TARGETS/$program" | awk '$3 == "named_work" { sub(/^0*/, "", $1); print $1 }')
        within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./$program plain || fail "status $?"
        expect_share profile.folded "$program+0x$start" 70
    done
}

# A program whose file is deleted while it runs has its names.
case_deleted() {
    cp "$TARGETS/names_pie" gone
    named named_work 70 ./gone -u plain
    cp "$TARGETS/names_static" gone
    named named_work 70 ./gone -u plain
}

# ptprofil keeps the file of each program open for its names. The last of many programs has its names, too, with any
# limit of open files.
case_many_programs() {
    local i
    mkdir many
    for ((i = 0; i < 80; i++)); do
        cp "$(type -P true)" many/$i
    done
    # shellcheck disable=SC2016
    (ulimit -S -n 64 && within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- \
        bash -c 'for one in many/*; do $one; done; [ "$(ulimit -S -n)" = 64 ] && exec "$0" -s 0.2' "$TARGETS/mix" >/dev/null 2>err) ||
        fail "status $?" "$(cat err)"
    [ "$(weight_of profile.folded spin_half)" -gt 1000 ] || off "$(cat profile.folded)"
}

# A program whose file is replaced while it runs has the names of the old file.
case_replaced() {
    cp "$TARGETS/names_pie" program
    cp "$TARGETS/mix" other
    # shellcheck disable=SC2016
    named named_work 60 sh -c './program plain 600 &
        for i in $(seq 500); do case $(readlink "/proc/$!/exe") in */program) break ;; esac; sleep 0.01; done
        mv other program; wait'
    expect_absent profile.folded ';spin_(half|three|fifth)'
}

long_dlopen() {
    cp "$TARGETS/plugin.so" .
    named plugin_work 50 "$TARGETS/loader" ./plugin.so 300
    expect_share profile.folded loader_work 10
    named plugin_work 50 "$TARGETS/loader" -u ./plugin.so 300
}

# A library that is loaded later calls a function of the program.
long_dlopen_in_the_middle() {
    cp "$TARGETS/plugin.so" .
    named loader_work 60 "$TARGETS/loader" -c ./plugin.so 500
    local called
    called=$(matching_weight profile.folded ';main;be_called;plugin_call;')
    [ "$called" -ge 400000 ] || off "called: $called us of 500000" "$(cat profile.folded)"
}

# wrong_plugin FILE: prints the percentage of the two libraries' time that is shown in the wrong one. The caller shows
# which library is right.
wrong_plugin() {
    awk '/;runs_even;plugin;even_|;runs_odd;plugin;odd_/ { right += $NF } /;runs_even;plugin;odd_|;runs_odd;plugin;even_/ { wrong += $NF }
         END { if (!right) exit 1; printf "%d", 100 * wrong / (right + wrong) }' "$1"
}

# Two libraries take turns at one address. Their frames have the right names, although samples hit only the program's
# own function that they call. In the second run, the kernel lacks the ioctl that returns the mapping at an address.
long_reopened() {
    need gcc
    cat >plugin.c <<'END'
void ENTRY(void (*work)(void));
void ENTRY(void (*work)(void)) { work(); __asm__ volatile(""); }
void plugin(void (*work)(void));
void plugin(void (*work)(void)) { ENTRY(work); __asm__ volatile(""); }
END
    cat >turns.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
typedef void plugin_function(void (*)(void));
static clock_t end;
static void work(void) { while (clock() < end) for (volatile int i = 0; i < 10000; i++); }
static __attribute__((noinline)) void runs_even(plugin_function *f) { f(work); __asm__ volatile(""); }
static __attribute__((noinline)) void runs_odd(plugin_function *f) { f(work); __asm__ volatile(""); }
int main(void)
{
    void *before = NULL;
    int same = 0;
    for (int i = 0; i < 40; i++) {
        void *library = dlopen(i % 2 ? "./odd.so" : "./even.so", RTLD_NOW);
        plugin_function *f = (plugin_function *)dlsym(library, "plugin");
        same += before == (void *)f;
        before = (void *)f;
        end = clock() + 50 * (CLOCKS_PER_SEC / 1000);
        (i % 2 ? runs_odd : runs_even)(f);
        dlclose(library);
    }
    return same < 30;
}
END
    echo 'int ioctl(int fd, unsigned long what, ...) { return -(__errno_location()[0] = 25) / 25; }' >no_ioctl.c
    sed -i '1i int *__errno_location(void); int ioctl(int fd, unsigned long what, ...);' no_ioctl.c
    gcc -O1 -shared -fPIC -DENTRY=even_work plugin.c -o even.so && gcc -O1 -shared -fPIC -DENTRY=odd_work plugin.c -o odd.so &&
        gcc -O1 -shared -fPIC no_ioctl.c -o no_ioctl.so && gcc -O1 -w turns.c -o turns || fail "gcc"
    ./turns || skip "the libraries do not come to the same address here"
    within 30 "$PTPROFIL" -q -F 100 -o profile.folded -- ./turns || fail "status $?"
    [ "$(wrong_plugin profile.folded)" -le 3 ] || off "$(wrong_plugin profile.folded) %" "$(cat profile.folded)"
    within 30 env LD_PRELOAD=./no_ioctl.so "$PTPROFIL" -q -F 100 -o profile.folded -- ./turns || fail "status $?"
    [ "$(wrong_plugin profile.folded)" -le 40 ] || off "$(wrong_plugin profile.folded) % without ioctl" "$(cat profile.folded)"
}

# Code that a program moved to its own memory, at the same addresses, has the names and tables of its file. Here it is a
# part in the middle, in two mappings, with the rest of the file around it. It also works in a program that was running
# before.
case_moved_text() {
    need gcc
    local how called pid
    cat >moved.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static void replace(char *at, size_t size, int shared)
{
    int fd = shared ? memfd_create("text", 0) : -1;
    if (shared && ftruncate(fd, size))
        abort();
    char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    if (copy == MAP_FAILED)
        abort();
    memcpy(copy, at, size);
    if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != at)
        abort();
}
__attribute__((noinline, aligned(8192))) void moved_work(void) { for (volatile int i = 0; i < 100000; i++); }
__attribute__((noinline, aligned(8192))) void moved_caller(clock_t end) { while (clock() < end) moved_work(); __asm__ volatile(""); }
__attribute__((aligned(8192))) int main(int count, char **arguments)
{
    char *first = (char *)((uintptr_t)moved_work & ~4095ul), *other = (char *)((uintptr_t)moved_caller & ~4095ul);
    replace(first, other - first, 0);
    replace(other, 4096, count > 2);
    moved_caller(atoi(arguments[1]) * (CLOCKS_PER_SEC / 1000));
}
END
    gcc -O1 -fomit-frame-pointer moved.c -o moved || fail "gcc"
    for how in '' shared attach; do
        if [ "$how" = attach ]; then
            ./moved 600000 &
            pid=$!
            within 30 "$PTPROFIL" -q -F 500 -d 0.4 -o profile.folded -p $pid || fail "status $?"
            kill $pid
        else
            within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./moved 400 $how || fail "status $?"
        fi
        called=$(matching_weight profile.folded ';main;moved_caller;moved_work')
        [ $((called * 10)) -gt $(($(total_of profile.folded) * 8)) ] || off "$how: $called us" "$(cat profile.folded)"
    done
}

# An assembler function without a size ends where its code ends. The code behind it, without symbol and table, does not
# get its name.
case_unsized() {
    need gcc objcopy
    cat >unsized.c <<'END'
#include <time.h>
void in_assembler(void);
void hidden_work(void);
#ifdef __aarch64__
#define RETURNS "cbz x0, 1f\n ret\n .balign 16\n 1: ret\n"
#else
#define RETURNS "test %edi, %edi\n jz 1f\n ret\n .balign 16\n 1: ret\n"
#endif
__asm__(".text\n.globl in_assembler\n.type in_assembler, %function\nin_assembler:\n" RETURNS ".balign 16\n");
void hidden_work(void) { for (volatile int i = 0; i < 100000; i++); }
int main(void)
{
    while (clock() < 4 * (CLOCKS_PER_SEC / 10)) {
        in_assembler();
        hidden_work();
    }
}
END
    gcc -O1 -fno-toplevel-reorder -fno-asynchronous-unwind-tables -fno-unwind-tables unsized.c -o unsized &&
        objcopy -N hidden_work unsized || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./unsized || fail "status $?"
    [ "$(weight_of profile.folded in_assembler)" -lt 50000 ] && [ "$(matching_weight profile.folded 'main;\[unknown\]$')" -gt 250000 ] ||
        off "$(cat profile.folded)"
}

# A library that is mapped from the middle of an archive has the names of its own symbol table.
case_library_in_an_archive() {
    need gcc
    cat >part.c <<'END'
__attribute__((noinline)) static void deep_in_archive(void) { for (volatile int i = 0; i < 1000000; i++); }
void entered(void) { deep_in_archive(); __asm__ volatile(""); }
END
    cat >archive.c <<'END'
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    int fd = open(arguments[1], O_RDONLY);
    long base = atol(arguments[2]), entry = strtol(arguments[3], NULL, 16);
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    char *image = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pread(fd, &header, sizeof header, base);
    for (int i = 0; i < header.e_phnum; i++) {
        pread(fd, &segment, sizeof segment, base + header.e_phoff + i * sizeof segment);
        long rest = segment.p_offset % 4096;
        if (segment.p_type == PT_LOAD)
            mmap(image + segment.p_vaddr - rest, segment.p_filesz + rest,
                 PROT_READ | (segment.p_flags & PF_X ? PROT_EXEC : 0), MAP_PRIVATE | MAP_FIXED, fd,
                 base + segment.p_offset - rest);
    }
    while (clock() < 4 * (CLOCKS_PER_SEC / 10))
        ((void (*)(void))(image + entry))();
    return count < 4;
}
END
    library_in_an_archive
    gcc -m32 -isystem "/usr/include/$(gcc -print-multiarch)" part.c -shared -o part.so 2>/dev/null || return 0 # 32-bit programs cannot be compiled
    library_in_an_archive -m32 -isystem "/usr/include/$(gcc -print-multiarch)"
}

# library_in_an_archive FLAGS...: compiles the library with FLAGS. Its names are in stacks and in --annotate.
library_in_an_archive() {
    gcc "$@" -g -O1 -fPIC -shared -Wl,--build-id part.c -o part.so && gcc "$@" -O1 -w archive.c -o archive || fail "gcc"
    head -c 20480 /dev/zero | tr '\0' P >whole.zip
    cat part.so >>whole.zip
    truncate -s %4096 whole.zip
    cat part.so >>whole.zip
    within 30 "$PTPROFIL" -q -F 500 -o run.pb.gz -- ./archive whole.zip 20480 "$(nm part.so | awk '$3 == "entered" { print $1 }')" || fail "status $?"
    within 30 "$PTPROFIL" report -q -o profile.folded run.pb.gz || fail "status $?"
    [ "$(matching_weight profile.folded ';main;entered;deep_in_archive$')" -gt 300000 ] || off "$(cat profile.folded)"
    within 30 "$PTPROFIL" report -q --format=annotate --annotate=deep_in_archive -o annotated run.pb.gz 2>err || fail "status $?" "$(cat err)"
    grep -q 'i < 1000000' annotated || fail "no source:" "$(cat annotated)"
}

# Names in Ada, a language that is recognized by symbols in the program's file; two functions with one name.
case_ada() {
    need gnatmake
    cat >hot.adb <<'END'
with Ada.Command_Line;
procedure Hot is
   Sum : Integer := Ada.Command_Line.Argument_Count;
   pragma Volatile (Sum);
   package Inner is
      procedure Work (N : Integer);
      procedure Work (N : Long_Integer);
   end Inner;
   package body Inner is
      procedure Work (N : Integer) is
      begin
         for I in 1 .. N loop Sum := Sum + I mod 7; end loop;
      end Work;
      procedure Work (N : Long_Integer) is
      begin
         for I in 1 .. N loop Sum := Sum + Integer (I mod 5); end loop;
      end Work;
   end Inner;
begin
   for I in 1 .. 10 loop
      Inner.Work (N => Integer'(10_000_000));
      Inner.Work (N => Long_Integer'(10_000_000));
      Sum := 0;
   end loop;
end Hot;
END
    gnatmake -q -O1 -fno-inline hot.adb >log 2>&1 || fail "gnatmake" "$(cat log)"
    within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- ./hot || fail "status $?"
    grep -q ';hot;.*hot\.inner\.work' profile.folded && grep -q 'hot\.inner\.work#2' profile.folded && ! grep 'hot__' profile.folded ||
        fail "$(cat profile.folded)"
}

case_library() {
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/names_pie" libc 300 || fail "status $?"
    # An IFUNC of libc has the name of one of its implementations, or its address range if libc is stripped.
    local weight
    weight=$(matching_weight profile.folded ';(__)?strlen[^;]*$|;libc[^;]*\+0x[0-9a-f]+$')
    [ "$weight" -gt 200000 ] || off "strlen has $weight us:" "$(cat profile.folded)"
}

# In a root directory without /dev/null, as a folder with nothing but the static program.
case_without_null() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    # shellcheck disable=SC2016  # expanded there
    within 20 unshare --mount sh -c 'mount -t tmpfs none /dev && exec "$@"' - \
        "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/mix" -s 0.5 >out || fail "status $?"
    [ "$(weight_of profile.folded spin_half)" -gt 0 ] || off "no name:" "$(cat profile.folded)"
}

case_plt() {
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/plt" 600 || fail "status $?"
    [ "$(weight_of profile.folded 'labs@plt')" -gt 0 ] || off "no labs@plt:" "$(cat profile.folded)"
}

case_jit() {
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c 'echo $$ >pid; exec "$1" 300' - "$TARGETS/jit" || fail "status $?"
    local map
    map=/tmp/perf-$(cat pid).map
    expect_jit "$map"
    # A name with a semicolon must stay one frame.
    ! grep -q ';y' profile.folded || fail "a semicolon of a name has become a frame's end:" "$(cat profile.folded)"
}

# expect_jit MAP: both functions must have their names. Removes the map.
expect_jit() {
    [ -e "$1" ] || fail "the target left no map"
    rm -f "$1"
    expect_share profile.folded made_first 25
    [ "$(matching_weight profile.folded 'Made::second')" -gt 50000 ] || off "$(cat profile.folded)"
}

# Some JIT compilers write their map when the process ends, others during the run.
case_jit_map_when_it_is_written() {
    local when
    for when in last grows; do
        echo "  $when"
        # shellcheck disable=SC2016
        within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c 'echo $$ >pid; exec "$@"' - "$TARGETS/jit" 300 $when ||
            fail "status $?"
        expect_jit "/tmp/perf-$(cat pid).map"
    done
}

# A map of generated code that appears after ptprofil has attached; and one that another program writes on demand.
long_jit_map_after_attaching() {
    local target
    "$TARGETS/jit" 600 last &
    target=$!
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -p $target || fail "status $?"
    expect_jit /tmp/perf-$target.map
}

# The process has its own /tmp, which is unmounted when it ends.
long_jit_map_in_another_place() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare mount
    unshare --mount --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces here"
    cp "$TARGETS/jit" .
    # shellcheck disable=SC2016
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- unshare --mount --pid --fork --mount-proc sh -c '
        mkdir box && cp jit box && mount -t tmpfs none /tmp && ! ls /tmp/* 2>/dev/null && exec ./box/jit 300 last' ||
        fail "status $?"
    expect_share profile.folded made_first 25
}

# The map of an earlier process with the same number is not used.
long_jit_map_of_another_process() {
    # shellcheck disable=SC2016
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c '
        echo "0 7fffffffffff not_mine" >/tmp/perf-$$.map; touch -d "1 hour ago" /tmp/perf-$$.map
        echo $$ >pid; exec "$1" 300 never' - "$TARGETS/jit" || fail "status $?"
    rm -f "/tmp/perf-$(cat pid).map"
    expect_absent profile.folded not_mine
}

# hints_at NAME COMMAND...
hints_at() {
    local name=$1
    shift
    within 30 "$PTPROFIL" -F 500 -- "$@" >/dev/null 2>err || fail "status $?" "$(cat err)"
    grep -q "hint: $name" err || off "no hint at $name" "$(cat err)"
}

# Runtimes are recognized by their mapped libraries, because the program may be only a launcher.
case_runtimes_are_hinted_at() {
    ! is_sanitized || skip "nothing can be preloaded"
    cp "$TARGETS/plugin.so" libjvm.so
    hints_at Java: env LD_PRELOAD="$PWD/libjvm.so" "$TARGETS/jit" 200 never
    hints_at '\[anon\] is code' "$TARGETS/jit" 200 never
    within 20 "$PTPROFIL" -F 500 -- sh -c 'echo $$ >pid; exec "$1" 200' - "$TARGETS/jit" 2>err || fail "status $?"
    rm -f "/tmp/perf-$(cat pid).map"
    ! grep -q 'hint: \[anon\]' err || off "a hint without need" "$(cat err)"
}

case_node_is_hinted_at() {
    need node
    hints_at Node.js: node -e 'let s = 0; for (let i = 0; i < 1e8; i++) s = (s * 31 + i) | 0; if (s === 1) process.exit(3)'
}

# Generated code without a map has no names. Its time is shown nevertheless.
long_jit_unnamed() {
    # shellcheck disable=SC2016
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c '"$1" 300 & wait; rm -f /tmp/perf-$!.map' - "$TARGETS/jit" ||
        fail "status $?"
    local total
    total=$(process_weight profile.folded jit)
    [ "$total" -gt 250000 ] || off "$(cat profile.folded)"
}

case_vdso() {
    grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null ||
        skip "the clock is not read in the vDSO here"
    within 20 "$PTPROFIL" -F 1000 --by=module -- "$TARGETS/names_pie" vdso 300 2>err || fail "status $?"
    awk '/\[vdso\]/ && $2 > 150 { found = 1 } END { exit !found }' err || off "the vDSO is not where the time went:" "$(cat err)"
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/names_pie" vdso 300 || fail "status $?"
    [ "$(matching_weight profile.folded 'clock_gettime|vdso')" -gt 150000 ] || off "$(cat profile.folded)"
}

case_c_plus_plus() {
    need g++
    cat >program.cc <<'END'
#include <cstdint>
#include <algorithm>
#include <vector>
namespace deep {
template <class T> struct Worker {
    __attribute__((noinline)) T operator()(T n) const
    {
        for (T i = 0; i < 400000000; i++)
            asm volatile("" : "+r"(n));
        return n;
    }
};
}
int main()
{
    return deep::Worker<std::uint64_t>()(0) != 0;
}
END
    g++ -O2 program.cc -o program || fail "g++"
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./program || fail "status $?"
    # perhaps with " [clone ...]" behind it
    awk 'index($0, ";deep::Worker<unsigned long>::operator()(unsigned long) const") && $NF > 50000 { found = 1 }
        END { exit !found }' profile.folded || off "$(cat profile.folded)"
}

# rows_of FILE NAME: prints the number of rows for NAME in FILE's table.
rows_of() {
    awk -v name="$2" '$1 == "samples" { rows = 1; next } $NF == "total" { exit } rows {
        for (i = 0; i < 6; i++) # numbers
            sub(/^ *[^ ]+/, "")
        sub(/^ +/, "")
        sub(/  +[^ ]+$/, "") # the module
        n += $0 == name
    } END { print n + 0 }' "$1"
}

# Names are short in output for people, and full in output for programs. One function is one row, and two are two.
case_short_names() {
    need g++
    cat >program.cc <<'END'
#include <cstdint>
namespace deep {
template <class T> struct Worker {
    __attribute__((noinline)) T operator()(T n) const
    {
        for (T i = 0; i < 100000000; i++)
            asm volatile("" : "+r"(n));
        return n;
    }
};
}
static long fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
#define SPIN                                                                                                           \
    for (int i = 0; i < 100000000; i++)                                                                                \
    asm volatile("" : "+r"(i))
template <class T> __attribute__((noinline)) T twice(T n)
{
    SPIN;
    return 2 * n;
}
__attribute__((noinline)) long over(int n)
{
    SPIN;
    return n;
}
__attribute__((noinline)) long over(double n)
{
    SPIN;
    return long(n);
}
int main(int argc, char **)
{
    auto spin = [](int n) __attribute__((noinline)) { for (int i = 0; i < n; i++) asm volatile(""); return n; };
    return fib(argc + 37) + deep::Worker<std::uint64_t>()(0) + over(argc) + over(1.5) + twice(long(argc)) + twice(std::uint64_t(argc)) + spin(100000000) == 0;
}
END
    g++ -g -O2 program.cc -o program || fail "g++"
    within 60 "$PTPROFIL" -q -F 1000 -o run.pb.gz -o short.txt -o profile.folded -- ./program || fail "status $?"
    local name
    for name in fib 'over(int)' 'over(double)' 'twice<long>' 'twice<unsigned long>' 'deep::Worker<...>::operator()' 'main::{lambda#1}::operator()' main; do
        [ "$(rows_of short.txt "$name")" = 1 ] || fail "$(rows_of short.txt "$name") rows of $name:" "$(cat short.txt)"
    done
    ! grep -E 'fib\(|lambda\(' short.txt || fail "a name is not short"
    within 20 "$PTPROFIL" report --names=full -o full.txt -o again.folded run.pb.gz || fail "status $?"
    for name in 'fib(int)' 'deep::Worker<unsigned long>::operator()(unsigned long) const'; do # perhaps with " [clone ...]"
        grep -qF "  $name" full.txt || fail "no $name:" "$(cat full.txt)"
        grep -qF ";$name" profile.folded || fail "no $name:" "$(cat profile.folded)"
    done
    [ "$(grep -c '  fib' full.txt)" = 1 ] || fail "an inlined copy of fib has a name of its own:" "$(cat full.txt)"
    cmp profile.folded again.folded || fail "folded stacks have other names than full ones"
    within 20 "$PTPROFIL" report --names=short -o short.folded -o later.txt run.pb.gz || fail "status $?"
    cmp short.txt later.txt || fail "another table later"
    near "all time, us" "$(total_of short.folded)" "$(total_of profile.folded)" 0
    for name in 'main;deep::Worker<...>::operator()' 'fib;fib'; do
        grep -qF "$name" short.folded || fail "no $name:" "$(cat short.folded)"
    done
    for name in '^fib$' '^fib\(int\)$'; do
        within 20 "$PTPROFIL" report --focus="$name" -o focus.folded run.pb.gz || fail "status $?"
        near "$name, us" "$(total_of focus.folded)" "$(matching_weight profile.folded ';fib\(int\)')" 20
    done
}

share_in_csv() { # share_in_csv FILE NAME: the share of its row
    awk -F, -v name="$2" '$1 == name { print 100 * $(NF - 1) }' "$1"
}

# two_rows FIRST SECOND: in each format, ./two has these names for its two functions called helper.
two_rows() {
    local format
    within 60 "$PTPROFIL" -q -F 1000 -o a.pb.gz -o a.csv -o a.txt -o a.folded -- ./two || fail "status $?"
    near "share of the first one" "$(share_in_csv a.csv "$1")" 25 8
    near "share of the second one" "$(share_in_csv a.csv "$2")" 75 8
    [ "$(rows_of a.txt "$1") $(rows_of a.txt "$2") $(rows_of a.txt helper)" = '1 1 0' ] || fail "$(cat a.txt)"
    grep -qF "first;$1 " a.folded && grep -qF "second;$2 " a.folded || fail "$(cat a.folded)"
    for format in csv json tree html svg speedscope callgrind folded flat; do
        report -o b.$format --format=$format a.pb.gz
        grep -qF "$1" b.$format && grep -qF "$2" b.$format || fail "$format has no '$1' and '$2'"
    done
    cmp a.csv b.csv || fail "the stored profile has other rows"
    cmp a.folded b.folded || fail "the stored profile has other stacks"
}

# Functions private to two files of a program have a name each, in every format: inlined or not, with debug information
# or without.
case_two_functions_of_one_name() {
    need gcc
    two_of_one_name -g
    two_rows 'helper (first.c)' 'helper (second.c)'
    cp a.pb.gz old.pb.gz
    two_of_one_name -g '-DINLINE=inline __attribute__((always_inline))'
    two_rows 'helper (first.c)' 'helper (second.c)'
    # another build has other addresses, and other folders
    mkdir other && cd other && two_of_one_name -g -falign-functions=256 && cd .. || fail "another build"
    within 60 "$PTPROFIL" -q -F 1000 -o new.pb.gz -- other/two || fail "status $?"
    report --diff=old.pb.gz -o diff.csv new.pb.gz
    [ "$(grep -c '^helper (' diff.csv)" = 2 ] || fail "two builds do not correspond:" "$(cat diff.csv)"
}

case_two_symbols_of_one_name() {
    need gcc
    need nm
    two_of_one_name
    local symbols
    mapfile -t symbols < <(nm -n two | sed -n 's/^0*\([0-9a-f]*\) t helper$/0x\1/p')
    [ ${#symbols[@]} = 2 ] || fail "$(nm two)"
    two_rows "helper (${symbols[0]})" "helper (${symbols[1]})"
    cp a.pb.gz old.pb.gz
    two_of_one_name -falign-functions=256
    within 60 "$PTPROFIL" -q -F 1000 -o new.pb.gz -- ./two || fail "status $?"
    report --diff=old.pb.gz -o diff.csv new.pb.gz
    [ "$(grep -c '^helper (' diff.csv)" = 2 ] || fail "two builds do not correspond:" "$(cat diff.csv)"
}

# A static function of a header has a copy in each file, but is one function.
case_copies_of_one_function() {
    need gcc
    local file
    mkdir source
    cat >source/helper.h <<'END'
static __attribute__((noinline)) void helper(unsigned long count)
{
    for (volatile unsigned long i = 0; i < count; i++)
        ;
}
END
    for file in first second; do
        printf '#include "helper.h"\nvoid %s(void) { for (int i = 0; i < 100; i++) helper(1000000); }\n' $file >source/$file.c
    done
    echo 'void first(void), second(void); int main(void) { first(); second(); return 0; }' >source/main.c
    gcc -O1 -g -o copies source/*.c || fail "gcc"
    within 60 "$PTPROFIL" -q -F 1000 -o a.csv -- ./copies || fail "status $?"
    near "share of helper" "$(share_in_csv a.csv helper)" 100 5
}

# A name of 70,000 letters is read, stored and shown in its short form, and files have all of it.
case_long_names() {
    need g++
    {
        echo 'template<int...> struct L {}; template<class T, class... U> __attribute__((noinline)) void huge(unsigned long n)'
        echo '{ for (volatile unsigned long i = 0; i < n; i++) ; }'
        echo 'int main() { huge<int'
        for i in $(seq 90); do echo ", L<$(seq -s, $((1000000 + i)) $((1000080 + i)))>"; done
        echo '>(50000000); return 0; }'
    } >long.cc
    g++ -O1 -g long.cc -o long || fail "g++"
    [ "$(nm long | awk '{ print length($3) }' | sort -n | tail -1)" -gt 70000 ] || fail "the name is too short"
    within 60 "$PTPROFIL" -q -F 1000 -o a.csv -o a.txt -o a.pb.gz -- ./long || fail "status $?"
    [ "$(rows_of a.txt 'huge<...>')" = 1 ] || fail "$(cut -c1-200 a.txt)"
    grep -q '^"huge<int, L<1000001, .*, 1000170> >(unsigned long)"' a.csv || fail "$(cut -c1-200 a.csv)"
    report -o b.csv a.pb.gz
    cmp a.csv b.csv || fail "the stored profile has another name"
}

# What a compiler makes of one function has the function's name, in each language.
case_variants_of_one_function() {
    need gcc
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    local names=(_D4cart5priceFiZv _D4cart5priceFiZv.isra.0 _D4cart5priceFiZv.constprop.1.cold
        cart__till__price cart__till__price.constprop.0.isra.0 price__cart_31 price__cart_31.part.0
        _ZN4cart5priceEi _ZN4cart5priceEi.warm _ZN4cart5priceEi.specialized.2
        priced.__uniq.77 priced.__uniq.77.cold) name i=0
    {
        echo .text
        for name in "${names[@]}"; do
            i=$((i + 1))
            printf '.globl part%s\n.type "%s", @function\n"%s":\npart%s:\nmovq $90000, %%rcx\n1: decq %%rcx\njnz 1b\nret\n' $i "$name" "$name" $i
            printf '.size "%s", .-"%s"\n' "$name" "$name"
        done
        echo '.section .note.GNU-stack, "", @progbits'
    } >variants.s
    {
        echo 'void NimMain(void) {} void __gnat_rcheck(void) {}'
        for i in $(seq ${#names[@]}); do echo "void part$i(void);"; done
        echo 'int main(void) { for (int i = 0; i < 2000; i++) {'
        for i in $(seq ${#names[@]}); do echo "part$i();"; done
        echo '} return 0; }'
    } >main.c
    gcc -O1 main.c variants.s -o variants || fail "gcc"
    for i in $(seq ${#names[@]}); do objcopy --strip-symbol=part$i variants || fail objcopy; done
    within 60 "$PTPROFIL" -q -F 1000 --names=short -o a.csv -- ./variants || fail "status $?"
    for name in cart.price=3 cart.till.price=2 cart.price_31=2 cart::price=3 priced=2; do
        near "share of ${name%=*}" "$(share_in_csv a.csv "${name%=*}")" "$((${name#*=} * 100 / 12))" 6
    done
    ! grep -E '^(_D|cart__|price__|_Z|[^,]*\.(isra|constprop|part|cold|warm|uniq))' a.csv || fail "$(cat a.csv)"
}

# The entry of a C++ function in the procedure linkage table has the function's name with @plt.
long_c_plus_plus_plt() {
    need g++
    echo 'namespace far { void away(int n) { asm volatile("" : "+r"(n)); } }' >far.cc
    echo 'namespace far { void away(int); } int main() { for (int i = 0; i < 300000000; i++) far::away(i); }' >program.cc
    g++ -O1 -fPIC -shared far.cc -o libfar.so && g++ -O1 -fno-pie -no-pie program.cc ./libfar.so -o program || fail "g++"
    within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -o profile.txt -- ./program || fail "status $?"
    [ "$(weight_of profile.folded 'far::away(int)@plt')" -gt 0 ] || off "no far::away(int)@plt:" "$(cat profile.folded)"
    [ "$(rows_of profile.txt far::away@plt)" = 1 ] || off "no far::away@plt:" "$(cat profile.txt)"
}

# Separate debug information is not needed for the names of dynamic symbols.
case_dynamic_symbols_only() {
    need strip
    strip -o plugin.so "$TARGETS/plugin.so"
    named plugin_work 50 "$TARGETS/loader" ./plugin.so 300
}

# Paths and command names that would confuse a careless reader of /proc.
long_odd_names() {
    local name
    for name in 'a b' 'a) R 1 (b' $'new\nline' 'semi;colon' 'back\slash' 'ends (deleted)'; do
        mkdir -p "in $name"
        cp "$TARGETS/names_pie" "in $name/$name"
        rm -f profile.folded
        within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "in $name/$name" plain 100 || fail "status $? for $name"
        expect_share profile.folded named_work 70
    done
    # each line is one stack and one number
    ! grep -vE '^[^;]+(;[^;]+)+ [0-9]+$' profile.folded || fail "a malformed line"
}

# A path means another file in another mount namespace or below another root directory.
long_other_root() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    mkdir root decoy
    cp "$TARGETS/names_static" root/program
    cp "$TARGETS/mix" decoy/program
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- unshare --mount sh -c '
        mount --bind root decoy && exec ./decoy/program plain' || fail "status $?"
    expect_share profile.folded named_work 60
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- chroot root /program plain || fail "status $?"
    expect_share profile.folded named_work 70
}

# in_overlay COMMAND...: runs COMMAND in a mount namespace with the folder merged/, an overlay of $TARGETS.
in_overlay() {
    need unshare mount
    local namespaces=(--mount)
    [ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user)
    unshare "${namespaces[@]}" true 2>/dev/null || skip "no mount namespaces here"
    mkdir -p layers merged
    cat >overlay.sh <<'END'
mount -t tmpfs none layers && mkdir layers/lower layers/upper layers/work || exit 77
cp "$TARGETS/names_pie" "$TARGETS/steady" "$TARGETS/loader" "$TARGETS/plugin.so" layers/lower || exit
mount -t overlay -o lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work none merged 2>/dev/null || exit 77
"$@"
END
    local status=0
    export PTPROFIL TARGETS
    within 60 unshare "${namespaces[@]}" bash overlay.sh "$@" 2>err || status=$?
    [ $status != 77 ] || skip "no overlays here"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

# chmod copies the file to the overlay's upper layer. Some kernels then show another inode number in /proc/PID/maps.
long_changed_in_overlay() {
    # shellcheck disable=SC2016
    in_overlay sh -c 'chmod 700 merged/names_pie && exec "$PTPROFIL" -q -F 1000 -o profile.folded -- merged/names_pie plain 600'
    expect_share profile.folded named_work 60
    ! grep -v ';main;' profile.folded | grep ';named_work ' || off "stacks end too early" "$(cat profile.folded)"
}

case_changed_in_overlay_while_it_runs() {
    # shellcheck disable=SC2016
    in_overlay sh -c 'merged/steady -s 600 -r ready & until [ -s ready ]; do sleep 0.02; done
        chmod 700 merged/steady && "$PTPROFIL" -q -F 1000 -d $1 -o profile.folded -p $!; kill $!' - "$slow"
    [ "$(weight_of profile.folded steady_work)" -gt 1000 ] || off "$(cat profile.folded)"
}

# A file in an overlay is overwritten while it is mapped: the process keeps the old file, and the names come from it.
case_rewritten_in_overlay() {
    # shellcheck disable=SC2016
    in_overlay sh -c 'merged/loader -c merged/plugin.so 60000 & until grep -q plugin.so /proc/$!/maps; do sleep 0.02; done
        cat "$TARGETS/liar.so" >merged/plugin.so && "$PTPROFIL" -q -F 1000 -d $1 -o profile.folded -p $!; kill $!' - "$slow"
    expect_share profile.folded loader_work 70
    grep -qE ';be_called;([^;]*[/[])?plugin.so[^;]*;(called;)?spin_cpu_ms;' profile.folded || off "a name of another file?" "$(cat profile.folded)"
}

run_cases "$@"
