#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Stacks of real programs at random stops, which ptprofil unwinds from a copy. If libunwind-ptrace reaches the thread's
# start, both have the same frames (bench/captures compares them). Also stacks that are hard to unwind, or cut.

. "$(dirname "$0")/lib.sh"


same_stacks() { # same_stacks PROGRAM...: compares the stacks of the installed ones among these programs
    local witness
    need /usr/bin/python3
    witness=$(find_built bench/witness) || skip "bench/witness has not been built: it needs libunwind and libdw"
    within 60 /usr/bin/python3 "$source_dir/bench/captures" --captures=12 --between=3000 --seconds=3 --shown=3 "$witness" "$@" \
        >table 2>err || fail "$(cat table err)"
    grep -q '^| all | [1-9]' table || skip "none of these is installed: $*"
    cat table
}

long_c() {
    same_stacks gzip sort sqlite3 openssl
}

long_more_of_c() {
    same_stacks xz bzip2 awk grep tar
}

case_interpreters() {
    same_stacks perl python3
}

long_compilers() {
    same_stacks cc1 ld 'C++, exceptions'
}

# whole_stacks PROGRAM...: at least 99 % of the CPU time must have stacks that reach the thread's start.
whole_stacks() {
    need /usr/bin/python3
    within 60 /usr/bin/python3 "$source_dir/bench/stacks" --no-perf --broken=5 "$PTPROFIL" "$@" >table 2>err || fail "$(cat table err)"
    grep -q '^| .* %' table || skip "none of these is installed: $*"
    awk -F '|' '/ %/ && $4 + 0 < 99 { exit 1 }' table || off "$(cat table)"
    cat table
}

# The static program with musl has no unwind tables and no frame pointers.
case_whole() {
    whole_stacks gzip 'musl, static'
}

# Code that the process generated has neither tables nor frame pointers. Its callers are found by its instructions.
case_through_generated_code() {
    local whole='^generated;([^;]+;)*main;(evaluate;)?py::outer:[^;]*;evaluate;void Java.run[^;]*;evaluate;py::inner:[^;]*;evaluate;made_leaf$'
    local kind
    for kind in private shared memfd; do
        # shellcheck disable=SC2016
        within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c 'echo $$ >pid; exec "$1" 300 $2' - "$TARGETS/generated" $kind ||
            fail "status $?"
        rm -f "/tmp/perf-$(cat pid).map"
        [ "$(matching_weight profile.folded "$whole")" -gt 250000 ] || off "$kind:" "$(cat profile.folded)"
    done
}

most_of() { # most_of FILE: prints the ends of the stacks with the most time
    awk '{ print $NF, substr($0, length($0) > 300 ? length($0) - 300 : 1) }' "$1" | sort -rn | head -n 6
}

# runtime_stacks PERCENT REGEX COMMAND...: PERCENT of the CPU time must have a whole stack, and at least one stack must
# match REGEX.
runtime_stacks() {
    local least=$1 regex=$2 total cut
    shift 2
    # shellcheck disable=SC2016
    within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- sh -c 'echo $$ >pid; exec "$@"' - "$@" >out 2>&1 || fail "status $?" "$(cat out)"
    rm -f "/tmp/perf-$(cat pid).map"
    ! is_sanitized || return 0 # it asks for code too late: here only its use of memory matters
    total=$(total_of profile.folded)
    cut=$(matching_weight profile.folded ';\[(unknown|truncated)\];')
    [ $((cut * 100)) -le $((total * (100 - least))) ] || off "$cut of $total us are cut" "$(most_of profile.folded)"
    [ "$(matching_weight profile.folded "$regex")" -gt $((total / 5)) ] || off "too little of $regex" "$(most_of profile.folded)"
}

java_stacks() { # java_stacks OPTION
    need javac java
    cat >Fib.java <<'END'
public class Fib {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] arguments) { for (int i = 0; i < 10; i++) if (fib(35) != 9227465) System.exit(3); }
}
END
    javac Fib.java || skip "javac does not work here"
    runtime_stacks 80 'JavaMain;.*;int Fib\.fib\(int\);int Fib\.fib\(int\)' \
        java "$1" -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp . Fib
}

case_java() {
    java_stacks -XX:-PreserveFramePointer
}

long_java() {
    java_stacks -XX:+PreserveFramePointer
}

# A method that is compiled while its loop runs (on-stack replacement) calls the JVM's stubs.
case_java_loops() {
    need java javac
    cat >Loops.java <<'END'
public class Loops {
    public static void main(String[] arguments) {
        byte[] from = new byte[1 << 16], to = new byte[1 << 16];
        long end = System.nanoTime() + 1500000000L, sum = 0;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 100; i++)
                System.arraycopy(from, i, to, 0, 60000);
            java.util.Arrays.fill(from, (byte) sum++);
            sum += java.util.Arrays.hashCode(to);
        }
    }
}
END
    within 60 javac Loops.java || fail "javac"
    within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- java -cp . Loops || fail "status $?"
    [ $(($(matching_weight profile.folded '\\[unknown\\];.*\\[anon\\]') * 20)) -lt "$(total_of profile.folded)" ] || off "$(cut -c 1-200 profile.folded)"
}

case_node() {
    need node
    cat >work.js <<'END'
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sin(i) * i % 7; return s }
function outer() { let s = 0; for (let i = 0; i < 1000; i++) s += inner(10000); return s }
if (outer() === 1) process.exit(3)
END
    runtime_stacks 90 'node;_start;.*(outer|inner) ' node --perf-basic-prof --interpreted-frames-native-stack work.js
}

case_python() {
    local python
    for python in python3.13 python3.12 ''; do
        [ -z "$python" ] || ! $python -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null || break
    done
    [ -n "$python" ] || skip "no Python that names its functions"
    cat >work.py <<'END'
def inner(n):
    return sum(i * i % 7 for i in range(n))
def outer():
    for i in range(60): inner(10000)
outer()
END
    runtime_stacks 90 'python[0-9.]*;_start;.*py::<module>.*py::outer.*py::inner' $python -X perf work.py
}

# profile_hollow PROGRAM KIND OPTION...
profile_hollow() {
    local program=$1 kind=$2
    shift 2
    within 40 "$PTPROFIL" -F 500 -o profile.folded "$@" -- "$TARGETS/$program" "$kind" 1 2>err || fail "status $?: $(cat err)"
}

# reaches_root CALLERS LEAF: all stacks of LEAF reach main and CALLERS, and have at least 80 % of the time.
reaches_root() {
    expect_absent profile.folded "\[(truncated|unknown)\].*;$2 "
    [ $(($(matching_weight profile.folded ";main;$1;$2$") * 100)) -ge $(($(total_of profile.folded) * 80)) ] ||
        off "$(cat profile.folded)"
}

# A large array that was never touched does not end the stack, and reading the stack does not allocate it.
case_hollow() {
    profile_hollow hollow array
    reaches_root 'work_in_array;use_ends' work_below_array
}

long_hollow_by_frame_pointers() {
    profile_hollow hollow_framed array --stacks=fp
    reaches_root 'work_in_array;use_ends' work_below_array
}

# A large array that was never touched does not count for --stack-bytes.
long_hollow_of_few_bytes() {
    profile_hollow hollow array --stack-bytes=16384
    reaches_root 'work_in_array;use_ends' work_below_array
}

# Assembler functions in a stripped program: their beginnings are unknown.
case_untold() {
    local status=0 caller
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/untold" 600 >out 2>err || status=$?
    [ $status != 77 ] || skip "$(cat out)"
    [ $status = 44 ] || fail "status $status" "$(cat err)"
    for caller in calls_plain calls_restored calls_hidden; do
        near "below $caller, %" "$(($(matching_weight profile.folded "_start;.*;main;$caller;\\[unknown\\]\$") * 100 /
            $(total_of profile.folded)))" 33 4
    done
}

case_red_zone() {
    profile_hollow hollow red_zone
    reaches_root work_in_red_zone spin_in_red_zone
}

long_red_zone_that_is_closed() {
    profile_hollow hollow edge
    reaches_root work_at_edge spin_at
}

# grows_to CALLERS: at least 60 % of the time is in stacks of work_below_array that begin with CALLERS.
grows_to() {
    [ $(($(matching_weight profile.folded "$1;work_in_deep;.*;work_below_array\$") * 100)) -ge $(($(total_of profile.folded) * 60)) ] ||
        off "$(cut -c 1-100 profile.folded)"
}

# A function calls through a bad pointer, to no code or to data. It is the caller of the signal handler.
case_wild_calls() {
    need gcc
    cat >wild.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <time.h>
static sigjmp_buf back;
static long data[1024];
static void *volatile bad[] = {0, data + 100};
__attribute__((noinline)) void handler_work(void) { for (volatile int i = 0; i < 100000; i++); }
static void handle(int signal) { handler_work(); siglongjmp(back, signal); }
__attribute__((noinline)) void calls_nowhere(void) { ((void (*)(void))bad[0])(); __asm__ volatile(""); }
__attribute__((noinline)) void calls_data(void) { ((void (*)(void))bad[1])(); __asm__ volatile(""); }
int main(void)
{
    signal(SIGSEGV, handle);
    for (volatile int i = 0; clock() < 4 * (CLOCKS_PER_SEC / 10); i++)
        if (!sigsetjmp(back, 1))
            (i % 2 ? calls_nowhere : calls_data)();
}
END
    gcc -O2 wild.c -o wild || fail "gcc"
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./wild || fail "status $?"
    local caller
    for caller in calls_nowhere calls_data; do
        [ "$(matching_weight profile.folded ";main;$caller;\\[[a-z]*\\];.*handle;handler_work")" -gt 100000 ] || off "$caller:" "$(cat profile.folded)"
    done
}

# A handler on its own stack (sigaltstack) is called by the interrupted function, on the first thread's stack and on
# another thread's.
case_handlers_stack() {
    need gcc
    cat >handlers.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void handler_work(void) { for (volatile int i = 0; i < 3000000; i++); }
static void handle(int signal) { handler_work(); (void)signal; }
__attribute__((noinline)) void interrupted(int deep)
{
    if (deep)
        interrupted(deep - 1);
    else
        raise(SIGUSR1);
    __asm__ volatile("");
}
static void *run(void *name)
{
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    struct timespec used;
    sigaltstack(&stack, NULL);
    do {
        interrupted(5);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < 400);
    return name;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    run(NULL);
}
END
    gcc -O2 handlers.c -o handlers -pthread || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./handlers || fail "status $?"
    local root
    for root in main start_thread; do
        [ "$(matching_weight profile.folded ";$root;run;interrupted;.*;interrupted;.*;handler_work")" -gt 250000 ] ||
            off "$root:" "$(cat profile.folded)"
    done
}

# A signal that arrives in a system call leaves the thread at the first instruction of its handler. The call is the
# interrupted function's, whatever the handler's stack and arguments are. The handlers here make no call.
case_calls_and_handlers() {
    need gcc
    [ "$(uname -m)" = x86_64 ] || skip "other kernels do not show the call in the handler"
    cat >signalled.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t count;
static int zero;
static char data[1 << 19];
static void handle(int number) { count += number; }
static void handle_info(int number, siginfo_t *info, void *context) { count += number + (info && context); }
__attribute__((noinline)) void raises(void) { raise(SIGUSR1); __asm__ volatile(""); }
__attribute__((noinline)) void sends(void) { syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2); __asm__ volatile(""); }
__attribute__((noinline)) void reads(void) { if (read(zero, data, sizeof data) < 0) abort(); __asm__ volatile(""); }
__attribute__((noinline)) void unblocks(void)
{
    sigset_t both, before;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    raise(SIGUSR1);
    raise(SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    __asm__ volatile("");
}
static void *run(void *work)
{
    struct timespec used;
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    sigaltstack(&stack, NULL);
    do {
        for (int i = 0; i < 100; i++)
            ((void (*)(void))work)();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < 150);
    return NULL;
}
int main(int count_arguments, char **arguments)
{
    const char *name = count_arguments > 1 ? arguments[1] : "";
    int flags = strstr(name, "stack") ? SA_ONSTACK : SA_RESTART;
    struct sigaction plain = {.sa_handler = handle, .sa_flags = flags};
    struct sigaction informed = {.sa_sigaction = handle_info, .sa_flags = flags | SA_SIGINFO};
    struct itimerval often = {{0, 200}, {0, 200}};
    pthread_t thread;
    void (*work)(void) = !strncmp(name, "sends", 5) ? sends : !strncmp(name, "reads", 5) ? reads : !strncmp(name, "unblocks", 8) ? unblocks : raises;
    zero = open("/dev/zero", O_RDONLY);
    sigaction(SIGUSR1, &plain, NULL);
    sigaction(SIGPROF, &plain, NULL);
    sigaction(SIGUSR2, &informed, NULL);
    if (work == reads)
        setitimer(ITIMER_PROF, &often, NULL);
    pthread_create(&thread, NULL, run, (void *)work);
    pthread_join(thread, NULL);
    return 0;
}
END
    gcc -O2 signalled.c -o signalled -pthread 2>log || fail "$(cat log)"
    gcc -m32 -isystem "/usr/include/$(gcc -print-multiarch)" -O2 signalled.c -o signalled32 -pthread 2>log || rm -f signalled32
    local program kind call
    for program in ./signalled ./signalled32; do
        [ -x "$program" ] || continue
        for kind in raises:tgkill raises_stack:tgkill sends:tgkill sends_stack:tgkill unblocks:rt_sigprocmask unblocks_stack:rt_sigprocmask reads:read; do
            call=${kind#*:} kind=${kind%:*}
            within 30 "$PTPROFIL" -q -F 2000 -o profile.folded -- "$program" "$kind" || fail "status $?"
            [ "$(matching_weight profile.folded ";run;${kind%_*}(;[^;]*)*;\\[$call\\]\$")" -gt 5000 ] || off "$program $kind:" "$(cat profile.folded)"
            [ "$(matching_weight profile.folded ";handle(_info)?;\\[[a-z0-9_]*\\]\$")" -eq 0 ] || off "$program $kind, handler:" "$(cat profile.folded)"
        done
    done
}

# A goroutine's stack ends at goexit, and a thread's at clone: above that are words of any kind. Where the runtime
# switches to its own stack, the goroutine's is missing: each such stack says so.
case_goroutines() {
    need go
    cat >goroutines.go <<'END'
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

var garbage []string

//go:noinline
func orders(n int) int {
	values, x := make([]int, n), 1
	for i := range values {
		x = x*1103515245 + 12345
		values[i] = x
	}
	sort.Ints(values)
	return values[0]
}

//go:noinline
func writes(n int) {
	var text strings.Builder
	for i := 0; i < n; i++ {
		fmt.Fprintf(&text, "%d,", i)
	}
	garbage = strings.Split(text.String(), ",")
}

func main() {
	for round := 0; round < 4; round++ {
		var group sync.WaitGroup
		for i := 0; i < 1500; i++ {
			group.Add(1)
			go func(i int) {
				defer group.Done()
				if i%2 == 0 {
					orders(1000)
				} else {
					writes(400)
				}
			}(i)
		}
		group.Wait()
	}
}
END
    local flags
    for flags in '' '-s -w' -compressdwarf=false; do
        GO111MODULE=off GOCACHE=${TMPDIR:-/tmp}/ptprofil-test.gocache within 200 go build -ldflags="$flags" -o goroutines goroutines.go >log 2>&1 ||
            skip "go builds nothing here: $(tail -n 1 log)"
        within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- ./goroutines || fail "status $?"
        [ "$(matching_weight profile.folded '^[^;]*;runtime\.goexit[^;]*;main\.main.*;main\.(orders|writes)')" -gt 200000 ] || off "$flags:" "$(head -n 20 profile.folded)"
        [ "$(matching_weight profile.folded '^[^;]*;[^;]*;(.*;)?runtime\.(goexit|clone|rt0_go)(\.abi0)?(;|$)')" -eq 0 ] || off "$flags, below the end:" "$(grep ';.*;runtime\.goexit' profile.folded)"
        [ "$(matching_weight profile.folded '^[^;]*;runtime\.(systemstack|mcall|morestack)')" -eq 0 ] || off "$flags, switches:" "$(head -n 20 profile.folded)"
    done
}

# A library for coroutines puts the address of a function on a new stack, to which the coroutine would return. No call
# is before that function, and above it are words of any kind.
case_built_stacks() {
    need gcc
    [ "$(uname -m)" = x86_64 ] || skip "x86-64's registers"
    cat >built.c <<'END'
#include <stdlib.h>
#include <time.h>
void switches(void **old, void *new);
__asm__(".text\n.type switches,@function\nswitches:\n.cfi_startproc\n push %rbp\n.cfi_adjust_cfa_offset 8\n push %rbx\n"
        ".cfi_adjust_cfa_offset 8\n push %r12\n.cfi_adjust_cfa_offset 8\n mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r12\n"
        ".cfi_adjust_cfa_offset -8\n pop %rbx\n.cfi_adjust_cfa_offset -8\n pop %rbp\n.cfi_adjust_cfa_offset -8\n ret\n"
        ".cfi_endproc\n.size switches,.-switches\n");
static void *main_sp, *sp;
__attribute__((noinline)) void works(void) { for (volatile int i = 0; i < 100000; i++); __asm__ volatile(""); }
__attribute__((noinline)) void is_over(void) { abort(); }
__attribute__((noinline)) void enters(void) { for (;;) { works(); switches(&sp, main_sp); } }
int main(int count, char **arguments)
{
    enum { WORDS = 8192 };
    unsigned long *stack = aligned_alloc(16, WORDS * sizeof *stack), *top = stack + WORDS - 8;
    struct timespec used;
    for (int i = 0; i < WORDS; i++)
        stack[i] = count > 1 ? (unsigned long)works + 3 : 0x4141414141;
    *--top = (unsigned long)is_over;
    *--top = (unsigned long)enters;
    sp = top - 3;
    do {
        switches(&main_sp, sp);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_nsec < 300000000 && !used.tv_sec);
    return arguments == 0;
}
END
    gcc -O1 built.c -o built 2>log || fail "$(cat log)"
    local words
    for words in '' code; do
        within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./built $words || fail "status $?"
        [ "$(matching_weight profile.folded '^built;is_over;enters;works$')" -gt 200000 ] || off "$words:" "$(cat profile.folded)"
        [ "$(matching_weight profile.folded ';.*;(is_over|enters);')" -eq "$(matching_weight profile.folded '^built;is_over;enters;')" ] || off "$words:" "$(cat profile.folded)"
    done
}

# In code without tables, symbols and frames, the frame pointer can have any value, also 0. This does not mean the end
# of the stack.
case_zero_in_the_frame_pointer() {
    need gcc strip
    [ "$(uname -m)" = x86_64 ] || skip "x86-64's registers"
    cat >zero.c <<'END'
#include <time.h>
void works(void);
void counts(void);
void works(void) { for (volatile int i = 0; i < 100000; i++); }
__asm__(".text\ncounts:\n push %rbp\n push %r12\n push %rbx\n mov $3, %ebx\n xor %ebp, %ebp\n"
        "1: call works\n dec %ebx\n jnz 1b\n pop %rbx\n pop %r12\n pop %rbp\n ret\n");
int main(void)
{
    while (clock() < 4 * (CLOCKS_PER_SEC / 10)) {
        counts();
        __asm__ volatile("");
    }
}
END
    gcc -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables zero.c -o zero && strip zero || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./zero || fail "status $?"
    [ "$(matching_weight profile.folded ';__libc_start_call_main;.*;.*;.*$|;__libc_start_main.*;.*;.*;.*$')" -gt 300000 ] || off "$(cat profile.folded)"
}

# A call through a table at an absolute address is an instruction of seven bytes.
case_calls_through_a_table() {
    need gcc
    cat >table.c <<'END'
#include <time.h>
void works(void);
__attribute__((noinline)) void works(void) { for (volatile int i = 0; i < 100000; i++); }
void (*table[])(void) = {works, works};
__attribute__((noinline)) void calls(long which)
{
    volatile char room[100];
    room[3] = 1;
    table[which]();
    room[4] = 1;
}
int main(void)
{
    for (long i = 0; clock() < 4 * (CLOCKS_PER_SEC / 10); i++)
        calls(i & 1);
}
END
    gcc -O2 -fno-pie -no-pie -fno-asynchronous-unwind-tables -fno-unwind-tables table.c -o table || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./table || fail "status $?"
    [ "$(matching_weight profile.folded ';main;calls;works$')" -gt 300000 ] || off "$(cat profile.folded)"
}

# Without tables: large frames, which a loop allocates page by page, and a main function that aligns its stack.
case_frames_of_loops_and_aligned_ones() {
    need gcc
    [ "$(uname -m)" = x86_64 ] || skip "x86-64's code"
    cat >frames.c <<'END'
#include <time.h>
void works(void);
__attribute__((noinline)) void works(void) { for (volatile int i = 0; i < 100000; i++); }
__attribute__((noinline)) void has_large_frame(void)
{
    volatile char room[200000];
    room[3] = 1;
    works();
    room[199999] = 1;
}
int main(void)
{
    while (clock() < 4 * (CLOCKS_PER_SEC / 10))
        has_large_frame();
}
END
    local option
    for option in -m64 -m32; do
        gcc "$option" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fstack-clash-protection frames.c -o frames ||
            skip "no compiler for $option"
        within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./frames || fail "status $?"
        [ "$(matching_weight profile.folded '^frames;_start;.*;main;has_large_frame;works$')" -gt 300000 ] ||
            off "$option" "$(cat profile.folded)"
    done
}

# A retpoline replaces its own return address. Compilers' tables do not describe this, and linkers generate none.
case_retpolines() {
    [ "$(uname -m)" = x86_64 ] || skip "x86-64's code"
    need gcc clang ld.lld
    cat >library.c <<'END'
void empty(void) {}
END
    cat >retpoline.c <<'END'
#include <time.h>
void empty(void);
void nothing(void);
__attribute__((noinline)) void nothing(void) { __asm__ volatile(""); }
void (*volatile pointer)(void) = nothing;
__attribute__((noinline)) void calls(void)
{
    for (int i = 0; i < 50000; i++) {
        pointer();
        empty();
    }
}
int main(void)
{
    while (clock() < 4 * (CLOCKS_PER_SEC / 10))
        calls();
}
END
    gcc -O1 -fPIC -shared library.c -o libempty.so || fail "gcc"
    local compiler wrong
    for compiler in "clang -mretpoline" "gcc -mindirect-branch=thunk -fcf-protection=none" \
        "gcc -mindirect-branch=thunk-inline -fcf-protection=none" "gcc -Wl,-z,now"; do
        $compiler -O1 retpoline.c -L. -lempty -fuse-ld=lld -Wl,-z,retpolineplt "-Wl,-rpath,$PWD" -o retpoline || fail "$compiler"
        within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./retpoline || fail "status $?"
        [ "$(matching_weight profile.folded ';main;calls')" -gt 350000 ] || off "$compiler" "$(cat profile.folded)"
        [ "$(matching_weight profile.folded ';main;calls;(empty|retpoline)@plt')" -gt 0 ] || off "$compiler" "$(cat profile.folded)"
        wrong=$(matching_weight profile.folded 'unknown|__llvm_retpoline_r11;|frame_dummy')
        [ "$wrong" -lt 2000 ] || off "$compiler: $wrong us" "$(cat profile.folded)"
    done
}

# A return probe replaces a function's return address by the address of other code. The caller is unknown, but its
# callers are known.
case_replaced_return_address() {
    need gcc
    [ "$(uname -m)" = x86_64 ] || skip "x86-64's code"
    cat >replaced.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
static unsigned char *code;
__attribute__((noinline)) static void works(void) { for (volatile int i = 0; i < 100000; i++); }
__attribute__((noinline, optimize("no-omit-frame-pointer"))) static void probed(void)
{
    void *volatile *frame = __builtin_frame_address(0);
    void *back = frame[1];
    memcpy(code + 8, &back, sizeof back);
    frame[1] = code;
    works();
}
__attribute__((noinline)) static void calls_probed(void) { probed(); __asm__ volatile(""); }
__attribute__((noinline)) static void outer(void) { calls_probed(); __asm__ volatile(""); }
int main(void)
{
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, "\xff\x25\x02\0\0\0\x0f\x0b", 8); /* jmp *2(%rip); ud2 */
    while (clock() < 4 * (CLOCKS_PER_SEC / 10))
        outer();
}
END
    gcc -O1 -fcf-protection=none replaced.c -o replaced || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./replaced || fail "status $?"
    [ "$(matching_weight profile.folded '^replaced;_start;.*;main;outer;\[anon\];probed;works$')" -gt 300000 ] || off "$(cat profile.folded)"
}

# On a stack from makecontext(), no call instruction precedes the return address of the first function: the C library
# stored it there.
case_made_context() {
    need gcc
    cat >context.c <<'END'
#include <time.h>
#include <ucontext.h>
static ucontext_t outside, inside;
static char stack[1 << 16];
__attribute__((noinline)) static void works(void) { for (volatile int i = 0; i < 100000; i++); }
static void runs(void)
{
    for (;;) {
        works();
        swapcontext(&inside, &outside);
    }
}
int main(void)
{
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    makecontext(&inside, runs, 0);
    while (clock() < 4 * (CLOCKS_PER_SEC / 10))
        swapcontext(&outside, &inside);
}
END
    gcc -O1 context.c -o context || fail "gcc"
    within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./context || fail "status $?"
    [ "$(matching_weight profile.folded '^context;(__start_context|__startcontext);runs;works$')" -gt 300000 ] || off "$(cat profile.folded)"
}

# Without --stack-bytes, more is copied of stacks that turn out to be deeper.
case_deep() {
    profile_hollow hollow deep
    grows_to ';main'
}

# The same for a stack with an unknown end, in memory that the program allocated itself.
long_deep_elsewhere() {
    profile_hollow hollow elsewhere
    grows_to ';begin_elsewhere'
}

long_deep_hint() {
    profile_hollow hollow deep --stack-bytes=65536
    [ "$(matching_weight profile.folded ';main;work_in_deep;.*;work_below_array$')" = 0 ] || fail "more was copied than was asked for"
    grep -q 'of the stacks are cut.*; --stack-bytes=524288 would show them whole' err || fail "hint: $(cat err)"
    profile_hollow hollow deep --stack-bytes=524288
    expect_absent profile.folded '\[(truncated|unknown)\].*;work_below_array '
    ! grep 'stacks are cut' err || fail "it was enough"
}

run_cases "$@"
