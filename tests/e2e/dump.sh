#!/bin/bash
# SPDX-License-Identifier: MIT
#
# `ptprofil dump`: the whole stack of every thread, what it waits for, and which thread has that.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_interpreters.sh"

dump() { # dump OPTION...: into the file dump
    within 30 "$PTPROFIL" dump "$@" >dump 2>err || fail "status $?: dump $*" "$(cat err)"
}

# heading_of NAME: prints the heading of the only thread with that name.
heading_of() {
    grep -E "^thread [0-9]+ \"$1\": " dump || fail "no thread $1:" "$(cat dump)"
}

# tid_of NAME
tid_of() {
    heading_of "$1" | awk '{ print $2 }'
}

# stack_of NAME: prints the functions of that thread, innermost first.
stack_of() {
    awk -v heading="^thread [0-9]+ \"$1\": " '$0 ~ heading { on = 1; next } !/^  #/ { on = 0 } on { print $2 }' dump
}

# has_stack NAME FUNCTION...: these follow each other in the stack, directly.
has_stack() {
    local name=$1
    shift
    stack_of "$name" | tr '\n' ' ' | grep -q -F " $* " || fail "$name: not $*:" "$(stack_of "$name")"
}

write_stuck() {
    cat >stuck.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>
#define KEPT __attribute__((noinline, noclone)) static
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER, pi, robust, nested;
static pthread_mutex_t of_news = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static int pipes[2], file;
static volatile long count;
static void begin(const char *name)
{
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&all);
}
KEPT void want(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); count++; }
static void *forth(void *none) { pthread_mutex_lock(&first); begin("forth"); want(&second); return none; }
static void *back(void *none) { pthread_mutex_lock(&second); begin("back"); want(&first); return none; }
static void *owner(void *none)
{
    pthread_mutex_lock(&pi);
    pthread_mutex_lock(&robust);
    pthread_mutex_lock(&nested);
    begin("owner");
    for (;;)
        pause();
    return none;
}
static void *of_pi(void *none) { begin("of_pi"); want(&pi); return none; }
static void *of_robust(void *none) { begin("of_robust"); want(&robust); return none; }
static void *of_nested(void *none) { begin("of_nested"); want(&nested); return none; }
static void *of_condition(void *none)
{
    begin("of_condition");
    pthread_mutex_lock(&of_news);
    pthread_cond_wait(&news, &of_news);
    return none;
}
static void *of_pipe(void *none) { char byte; begin("of_pipe"); count += read(pipes[0], &byte, 1); return none; }
static void *of_file(void *none) { begin("of_file"); count += flock(file, LOCK_EX); return none; }
KEPT void spin(void) { for (;;) count++; }
static void *spins(void *none) { begin("spins"); spin(); return none; }
static void *(*const functions[])(void *) = {forth, back, owner, of_pi, of_robust, of_nested, of_condition, of_pipe,
                                             of_file, spins};
enum { COUNT = sizeof functions / sizeof *functions };
int main(void)
{
    pthread_t threads[COUNT];
    pthread_mutexattr_t kind;
    char byte;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&pi, &kind);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&nested, &kind);
    if (pipe(pipes) || fork() == 0) { /* the child has the lock, and the other end of the pipe, until the parent ends */
        int own = open("locked", O_CREAT | O_RDWR, 0600);
        char ready = flock(own, LOCK_EX) == 0 ? 'x' : 0;
        count += write(pipes[1], &ready, 1);
        for (;;)
            pause();
    }
    count += read(pipes[0], &byte, 1);
    close(pipes[1]);
    file = open("locked", O_CREAT | O_RDWR, 0600);
    pthread_barrier_init(&all, NULL, COUNT + 1);
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    pthread_barrier_wait(&all);
    puts("begun");
    fflush(stdout);
    pthread_join(threads[2], NULL);
    return 0;
}
END
    gcc -g -O1 -pthread stuck.c -o stuck || fail "gcc"
}

# waiting_threads PID: threads that sleep.
all_wait_but_one() {
    [ "$(cat /proc/"$1"/task/*/stat | grep -c ') S ')" = 10 ]
}

begin_stuck() { # sets target and child
    need gcc
    write_stuck
    ./stuck >begun &
    target=$!
    poll_until 10 grep -q begun begun || fail "it does not begin"
    poll_until 10 all_wait_but_one $target || fail "its threads do not wait"
    child=$(pgrep -P $target)
}

end_stuck() {
    kill -KILL "$child" "$target"
}

case_locks() {
    local target child owner
    begin_stuck
    dump -p $target
    end_stuck
    owner=$(tid_of owner)
    heading_of stuck | grep -q "waits for the end of thread $owner \"owner\"; CPU" || fail "join:" "$(heading_of stuck)"
    for name in of_pi of_robust of_nested; do
        heading_of $name | grep -q "in futex, waits for the mutex 0x[0-9a-f]* that thread $owner \"owner\" has; CPU" ||
            fail "$(heading_of $name)"
        has_stack $name want $name start_thread
    done
    heading_of forth | grep -q "that thread $(tid_of back) \"back\" has (deadlock)" || fail "$(heading_of forth)"
    heading_of back | grep -q "that thread $(tid_of forth) \"forth\" has (deadlock)" || fail "$(heading_of back)"
    [ "$(grep -c '(deadlock)' dump)" = 2 ] || fail "$(grep deadlock dump)"
    heading_of of_condition | grep -q 'waits for the futex 0x[0-9a-f]*; CPU' || fail "$(heading_of of_condition)"
    heading_of of_pipe | grep -q "in read, waits for descriptor 3, pipe:.* others have open, too: stuck ($child)" ||
        fail "$(heading_of of_pipe)"
    heading_of of_file | grep -q "in flock, waits for descriptor [0-9]*, .*/locked, whose lock process $child has" ||
        fail "$(heading_of of_file)"
    heading_of owner | grep -q ': sleeping in pause; CPU' || fail "$(heading_of owner)"
    heading_of spins | grep -q ': running' || fail "$(heading_of spins)"
    has_stack spins spins start_thread
    stack_of spins | head -n 1 | grep -qx spin || fail "spins:" "$(stack_of spins)"
}

# The program's own functions and lines are those of gdb.
case_gdb() {
    local target child
    need gdb
    begin_stuck
    dump --sort=waiting -p $target
    gdb -batch -p $target -ex 'thread apply all bt' >gdb.txt 2>gdb.err || skip "gdb cannot attach: $(tail -n 1 gdb.err)"
    end_stuck
    grep -q 'stuck.c:' gdb.txt || skip "gdb shows no stacks"
    # THREAD FUNCTION LINE, sorted; spins moves on
    awk '/^Thread / { tid = $0; sub(/.*LWP /, "", tid); sub(/[)].*/, "", tid) }
        /^#/ && / at .*stuck[.]c:[0-9]+$/ { name = $2 ~ /^0x/ ? $4 : $2; sub(/.*:/, ""); print tid, name, $0 }' gdb.txt |
        grep -v ' spin' | sort >wanted
    awk '/^thread / { tid = $2 } /^  #/ && /stuck[.]c:[0-9]+$/ { name = $2; sub(/.*:/, ""); print tid, name, $0 }' dump |
        grep -v ' spin' | sort >shown
    [ "$(wc -l <wanted)" -ge 15 ] || skip "gdb shows too little: $(cat wanted)"
    diff wanted shown || fail "other frames than gdb's"
    [ "$(grep -c '^thread' dump)" = 11 ] && grep '^thread' dump | tail -n 1 | grep -q '"spins"' || fail "order:" "$(grep ^thread dump)"
}

# Frame by frame as Python's own faulthandler.
check_python() {
    cat >hung.py <<'END'
import faulthandler, signal, threading, time
faulthandler.register(signal.SIGUSR1, open("wanted.txt", "w"), all_threads=True)
a, b = threading.Lock(), threading.Lock()
met = threading.Barrier(3)

def second(lock):
    lock.acquire()

def first(one, other):
    with one:
        met.wait()
        second(other)

threads = [threading.Thread(target=first, args=both) for both in ((a, b), (b, a))]
for thread in threads:
    thread.start()
met.wait()
time.sleep(0.1)
print("begun", flush=True)
threads[0].join()
END
    local target
    : >wanted.txt
    rm -f begun # the shell that begins the next interpreter empties it later
    "$1" hung.py >begun &
    target=$!
    poll_until 20 grep -q begun begun || fail "$1: it does not begin"
    poll_until 20 is_asleep $target || fail "$1: it does not wait"
    dump -p $target
    kill -USR1 $target
    poll_until 20 grep -q 'in <module>' wanted.txt || fail "$1: faulthandler wrote nothing"
    kill -KILL $target
    wait $target 2>/dev/null || true
    # each stack is one line: FILE:LINE of its frames
    awk '/^(Thread|Current)/ { if (stack) print stack; stack = "" }
        /^  File/ { split($0, part, "\""); line = $4; sub(",", "", line); sub(/.*\//, "", part[2]); stack = stack " " part[2] ":" line }
        END { if (stack) print stack }' wanted.txt | sort >wanted
    awk '/^(thread|[0-9]+ threads)/ { count = /^[0-9]/ ? $1 : 1 }
        /^$/ && stack { while (count-- > 0) print stack; stack = "" }
        /^  #/ && /[.]py:[0-9]+$/ { file = $NF; sub(/.*\//, "", file); stack = stack " " file }
        END { if (stack) print stack }' dump | sort >shown
    [ "$(wc -l <wanted)" = 3 ] || fail "$1: $(cat wanted.txt)"
    diff wanted shown || fail "$1: other frames than faulthandler's:" "$(cat dump)"
}

case_python() {
    with_each_python check_python
}

# shows_holder INTERPRETER FILE REGEX: a dump shows, sooner or later, the thread that waits for the lock, and the other
# one as its holder. The lock changes hands all the time.
shows_holder() {
    local target tries=0 tid=''
    rm -f begun
    "$1" "$2" >begun &
    target=$!
    poll_until 20 grep -q begun begun || fail "$1: it does not begin"
    while [ -z "$tid" ] && [ $((tries++)) -lt 40 ]; do
        dump -p $target
        tid=$(sed -nE "s/^thread ([0-9]+) .*waits for $3 that thread ([0-9]+) \".*/\\1 \\2/p" dump | head -n 1)
    done
    kill -KILL $target
    wait $target 2>/dev/null || true
    [ -n "$tid" ] || fail "$1: no thread has the lock:" "$(cat dump)"
    [ "${tid% *}" != "${tid#* }" ] && grep -qE "^thread ${tid#* } " dump || fail "$1: $tid" "$(cat dump)"
}

check_python_holder() {
    shows_holder "$1" spins.py "Python's global lock [(]GIL[)]"
}

case_language_locks() {
    cat >spins.py <<'END'
import threading, time
def spin():
    while True:
        pass
for i in range(2):
    threading.Thread(target=spin, daemon=True).start()
print("begun", flush=True)
time.sleep(1000)
END
    printf '2.times { Thread.new { i = 0; i += 1 while true } }\nputs "begun"\n$stdout.flush\nsleep 1000\n' >spins.rb
    with_each_python check_python_holder
    if is_known_ruby 2>/dev/null; then shows_holder ruby spins.rb "Ruby's global lock [(]GVL[)]"; fi
}

# has_line WHAT REGEX COMMAND...: a dump of the hung COMMAND has a frame that matches, and below it the same thread's
# `serve`.
has_line() {
    local target what=$1 regex=$2
    shift 2
    "$@" <&8 >/dev/null 2>hung.err &
    target=$!
    poll_until 10 is_asleep $target || fail "$what does not wait:" "$(cat hung.err)"
    dump -p $target
    kill -KILL $target
    wait $target 2>/dev/null || true
    awk -v regex="$regex" '/^thread/ { hit = 0 } $0 ~ regex { hit = 1 } hit && $2 ~ /^serve/ { found = 1 } END { exit !found }' dump ||
        fail "$what:" "$(cat dump)"
}

case_languages() {
    local found=''
    exec 8<>"$scratch/never"
    printf 'def nap() = sleep(100)\ndef serve\n  nap\nend\nserve\n' >hung.rb
    printf 'sub take { sysread(STDIN, my $x, 1) }\nsub serve { take(); 1 }\nserve();\n' >hung.pl
    printf '<?php\nfunction take($s) { return fread($s, 1); }\nfunction serve() {\n $l = stream_socket_server("tcp://127.0.0.1:0");\n take(stream_socket_client("tcp://" . stream_socket_get_name($l, false)));\n}\nserve();\n' >hung.php
    if is_known_ruby 2>/dev/null; then found=1; has_line ruby '#[0-9]+ +nap .*hung.rb:1$' ruby hung.rb; fi
    if is_known_perl 2>/dev/null; then found=1; has_line perl '#[0-9]+ +take .*hung.pl:1$' perl hung.pl; fi
    if is_known_php 2>/dev/null; then found=1; has_line php '#[0-9]+ +take .*hung.php:2$' php hung.php; fi
    [ -n "$found" ] || skip "no interpreter here that ptprofil knows"
}

# Every thread of many is there, and equal stacks are shown once.
case_many() {
    need gcc
    cat >many.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait_here(void *none) { pause(); return none; }
int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int count = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (count < 1500 && pthread_create(&thread, &small, wait_here, NULL) == 0)
        count++;
    printf("%d\n", count);
    fflush(stdout);
    pause();
}
END
    gcc -O1 -pthread many.c -o many || fail "gcc"
    ./many >begun &
    local target=$! count
    poll_until 20 test -s begun || fail "it does not begin"
    count=$(cat begun)
    [ "$count" -gt 1000 ] || skip "only $count threads are allowed here"
    dump -p $target
    dump --format=json -p $target
    kill -KILL $target
    python3 - "$count" <<'END' || fail "$(head -c 400 dump)"
import json, sys
threads = json.load(open("dump"))["processes"][0]["threads"]
stacks = [[f["function"] for f in t["frames"]] for t in threads]
assert len(threads) == int(sys.argv[1]) + 1, len(threads)
assert stacks[0][1] == "main", stacks[0]
assert all("wait_here" in s for s in stacks[1:]), [s for s in stacks[1:] if "wait_here" not in s]
assert all(t["state"] == "sleeping" and t["call"] == "pause" and t["whole"] for t in threads)
END
}

# Processes in unusual states.
case_states() {
    sleep 60 &
    local target=$! status=0
    kill -STOP $target
    poll_until 5 is_stopped $target || fail "it is not stopped"
    dump -p $target
    poll_until 5 is_stopped $target || fail "it is in state $(state_of $target)"
    heading_of '[a-z]*' | grep -q ': stopped; CPU' || fail "$(cat dump)"
    kill -KILL $target
    "$TARGETS/zombie_leader" >/dev/null &
    target=$!
    poll_until 10 has_used_ms $target 100 || fail "it does not run"
    if [ -d /proc/$target ]; then
        dump -p $target
        grep -qE "^thread $target \"zombie_leader\": ended, a zombie" dump || fail "$(cat dump)"
        grep -q 'work .*zombie_leader.c' dump || fail "$(cat dump)"
    fi
    within 10 "$PTPROFIL" dump -p 99999999 >dump 2>err || status=$?
    [ $status = 125 ] || fail "status $status for no process: $(cat err)"
    [ ! -s dump ] || fail "$(cat dump)"
}

case_traced_by_another() {
    need strace
    sleep 60 &
    local target=$! tracer status=0
    strace -o trace -p $target 2>strace.err &
    tracer=$!
    poll_until 10 is_traced $target || skip "strace cannot attach: $(cat strace.err)"
    within 10 "$PTPROFIL" dump -p $target >dump 2>err || status=$?
    kill $tracer $target
    [ $status = 125 ] && grep -q 'it is traced already, by strace' err || fail "status $status: $(cat err)"
}

# --repeat says which threads have run.
case_repeat() {
    local target child
    begin_stuck
    dump --repeat=2 --interval=200ms -p $target
    end_stuck
    awk '/^process/ { number++ } /^thread/ && number == 2' dump >second
    [ "$(grep -c 'has not run since the dump before$' second)" = 10 ] || fail "$(cat second)"
    grep '"spins"' second | grep -qE ', [0-9.]+ ms since the dump before$' || fail "$(cat second)"
    ! awk '/^process/ { number++ } /^thread/ && number == 1' dump | grep 'dump before' || fail "$(cat dump)"
}

# A program whose calls must not be interrupted is attached again and again. Each of its threads repeats one call, which
# may end only by its timeout.
long_unharmed() {
    local target rounds=0 status=0
    need gcc
    cat >calls.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
enum { CALLS = 7 };
static int ends[2], epoll;
static sem_t semaphore;
static volatile int over;
static long wait_once(long number)
{
    struct timespec nap = {0, 5000000}, until;
    struct pollfd poll_fd = {ends[0], POLLIN, 0};
    struct epoll_event event;
    fd_set set;
    char byte;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    switch (number) {
    case 0: return poll(&poll_fd, 1, 5);
    case 1: return nanosleep(&nap, NULL);
    case 2: return epoll_wait(epoll, &event, 1, 5);
    case 3: return pselect(ends[0] + 1, &set, NULL, NULL, &nap, NULL);
    case 4: return recv(ends[1], &byte, 1, 0) == -1 && errno == EAGAIN ? 0 : -1;
    case 5: return sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT ? 0 : -1;
    default: for (volatile int i = 0; i < 100000; i++) {} return 0;
    }
}
static void *repeat(void *number)
{
    while (!over)
        if (wait_once((long)number)) {
            printf("call %ld: %m\n", (long)number);
            exit(1);
        }
    return NULL;
}
int main(void)
{
    pthread_t threads[CALLS];
    struct timeval timeout = {0, 5000};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout))
        return 2;
    epoll = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    for (long i = 0; i < CALLS; i++)
        pthread_create(&threads[i], NULL, repeat, (void *)i);
    sleep(10);
    over = 1;
    for (long i = 0; i < CALLS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
    gcc -O1 -w -pthread -o calls calls.c || skip "no compiler"
    ./calls >out &
    target=$!
    while [ -d /proc/$target ] && [ "$(state_of $target)" != Z ]; do
        timeout 30 "$PTPROFIL" dump -p $target >dump 2>err && rounds=$((rounds + 1))
    done
    wait $target || status=$?
    [ $status = 0 ] || fail "status $status after $rounds dumps: $(cat out)"
    echo "  $rounds dumps"
    [ $rounds -gt 5 ] || fail "only $rounds dumps" "$(cat err)"
}

# A sleeping thread is not woken.
case_left_alone() {
    sleep 60 &
    local target=$! before
    poll_until 5 is_asleep $target || fail "it does not sleep"
    before=$(cat /proc/$target/task/*/status | grep ctxt_switches)
    dump --repeat=3 --interval=10ms -p $target
    [ "$(cat /proc/$target/task/*/status | grep ctxt_switches)" = "$before" ] || fail "it was woken"
    is_untraced $target || fail "it is still traced"
    kill -KILL $target
}

run_cases "$@"
