#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Python programs with frames that are hard to read: several interpreters in one process, very deep recursion, and 64
# threads that change their frames all the time.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_interpreters.sh"

# A thread that calls code of another interpreter has frames of both.
check_subinterpreters() {
    within 60 "$PTPROFIL" -q -F 1000 -o sub.folded "$1" sub.py || fail "status $?"
    [ "$(matching_weight sub.folded ';f_sub;.*<module>[^;]*;s_work;s_burn$')" -ge $(($(matching_weight sub.folded ';s_burn$') * 9 / 10)) ] ||
        off "s_burn is not below f_sub:" "$(grep s_burn sub.folded)"
    [ "$(matching_weight sub.folded ';s_burn$')" -ge $(($(total_of sub.folded) / 3)) ] || off "no s_burn:" "$(cat sub.folded)"
}

case_python_subinterpreters() {
    cat >sub.py <<'END'
import sys, time
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

code = """
import time
def s_burn():
    x = 0
    for i in range(3000):
        x += i
def s_work():
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        s_burn()
s_work()
"""

def f_sub(interpreter):
    interpreters.run_string(interpreter, code)

interpreter = interpreters.create()
end = time.process_time() + 0.8
while time.process_time() < end:
    f_sub(interpreter)
interpreters.destroy(interpreter)
END
    with_each_python check_subinterpreters
}

# Very deep stacks: only the frames near the leaf are copied, and the stack is shown as cut.
check_deep() {
    local stacks
    within 60 "$PTPROFIL" -q -F 1000 -o deep.folded "$1" deep.py || fail "status $?"
    stacks=$(grep -c -E '(;recursive){512}' deep.folded)
    [ "$stacks" -gt 0 ] || off "no deep stack"
    [ "$(grep -E '(;recursive){512}' deep.folded | grep -c -E '^[^;]+;\[truncated\];recursive;')" = "$stacks" ] ||
        fail "not all $stacks are cut"
}

check_greenlets() {
    "$1" -c 'import greenlet' 2>/dev/null || return 0
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || return 0 # nothing shows where frames are
    within 60 "$PTPROFIL" -q -F 1000 -o green.folded "$1" green.py || fail "status $?"
    for stack in 'odd;step;.*bsearch.*;by_size;odd_burn' 'even;.*bsearch.*;by_length;even_burn'; do
        [ "$(matching_weight green.folded ";$stack(;burn)?(;[^;]*clock_gettime[^;]*)*$")" -ge 150000 ] || off "no $stack:" "$(cat green.folded)"
    done
    expect_absent green.folded ';odd;.*;even_burn|;even;.*;odd_burn'
    [ $(($(matching_weight green.folded '\[\?\]') * 50)) -le "$(total_of green.folded)" ] || off "marks:" "$(grep -F '[?]' green.folded)"
    green_checked=yes
}

# A greenlet's calls are on the thread's stack below those of another greenlet, which has changed since.
case_python_greenlets() {
    local green_checked=''
    cat >green.py <<'END'
import ctypes, greenlet, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(200):
            pass

def odd_burn():
    burn(0.005)

def even_burn():
    burn(0.005)

def by_size(key, other):
    odd_burn()
    return 0

def by_length(key, other):
    even_burn()
    return 0

def search(function):
    values = (ctypes.c_int * 1)(1)
    libc.bsearch(values, values, 1, 4, function)

libc = ctypes.CDLL(None)
prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
size_function, length_function = prototype(by_size), prototype(by_length)

def step():
    search(size_function)

def odd():
    while True:
        step()
        greenlet.getcurrent().parent.switch()

def even():
    while True:
        search(length_function)
        main.switch()

def begin(depth, function):
    if depth:
        return sorted([depth], key=lambda value: begin(depth - 1, function))
    started.append(greenlet.greenlet(function))
    started[-1].switch()

main = greenlet.getcurrent()
started = []
begin(3, odd)
begin(1, even)

def drive():
    for _ in range(40):
        for one in started:
            one.switch()

drive()
END
    with_each_python check_greenlets
    [ -n "$green_checked" ] || skip "no Python from 3.10 with greenlet here"
}

# A server may make the thread states of its workers in another thread. The thread that runs a state has its frames.
check_lent_states() {
    local library
    library=$(library_of "$1")
    [ -n "$library" ] || return 0
    # up to 3.9, only the thread that made a state is known
    ! "$1" -c 'import sys; sys.exit(sys.version_info >= (3, 10))' || return 0
    within 60 "$PTPROFIL" -q -F 1000 -o lent.folded ./lender "$library" || fail "status $?"
    for thread in first second; do
        [ "$(matching_weight lent.folded ";run_$thread;.*;${thread}_work;burn")" -ge 200000 ] ||
            off "${thread}_work is not in its thread:" "$(cat lent.folded)"
    done
    expect_absent lent.folded ';run_first;.*second_work|;run_second;.*first_work'
    lent_checked=yes
}

case_python_lent_states() {
    need gcc
    local lent_checked=''
    cat >lender.c <<'END'
/* The first thread runs Python with a state that the second thread made, and the other way round. argv[1]: libpython */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *python, *states[2];
static pthread_barrier_t made;

#define CALL(type, name) ((type)(dlsym(python, name)))

static void run(void *state, const char *name)
{
    char code[400];
    snprintf(code, sizeof code,
             "import time\n"
             "def burn():\n"
             "    for i in range(300):\n"
             "        pass\n"
             "def %s():\n"
             "    end = time.thread_time() + 0.4\n"
             "    while time.thread_time() < end:\n"
             "        burn()\n"
             "%s()\n",
             name, name);
    CALL(void (*)(void *), "PyEval_AcquireThread")(state);
    CALL(int (*)(const char *, void *), "PyRun_SimpleStringFlags")(code, NULL);
    CALL(void (*)(void *), "PyEval_ReleaseThread")(state);
}

void *run_second(void *interpreter)
{
    states[0] = CALL(void *(*)(void *), "PyThreadState_New")(interpreter);
    pthread_barrier_wait(&made);
    run(states[1], "second_work");
    pthread_barrier_wait(&made);
    return NULL;
}

void run_first(void)
{
    run(states[0], "first_work");
    pthread_barrier_wait(&made);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 2 || !(python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)))
        return 2;
    CALL(void (*)(void), "Py_Initialize")();
    void *own = CALL(void *(*)(void), "PyThreadState_Get")();
    void *interpreter = CALL(void *(*)(void *), "PyThreadState_GetInterpreter")(own);
    states[1] = CALL(void *(*)(void *), "PyThreadState_New")(interpreter);
    CALL(void *(*)(void), "PyEval_SaveThread")();
    pthread_barrier_init(&made, NULL, 2);
    pthread_create(&thread, NULL, run_second, interpreter);
    pthread_barrier_wait(&made);
    run_first();
    pthread_join(thread, NULL);
    return 0;
}
END
    gcc -O1 lender.c -o lender -ldl -lpthread || fail "gcc"
    with_each_python check_lent_states
    [ -n "$lent_checked" ] || skip "no shared library of Python from 3.10 here"
}

case_python_deep() {
    cat >deep.py <<'END'
import sys, time
sys.setrecursionlimit(4000)

def recursive(n):
    for i in range(10):
        pass
    return n if n == 0 else recursive(n - 1)

end = time.process_time() + 0.5
while time.process_time() < end:
    recursive(2500)
END
    with_each_python check_deep
}

# The callers of every function are known. A function that C calls back has the C function between itself and its
# caller.
write_stress() {
    cat >stress.py <<'END'
import asyncio, contextlib, ctypes, gc, os, re, sys, threading, time

libc = ctypes.CDLL(None)
compare_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))

def b_burn():
    x = 0
    for i in range(300):
        x += i
    return x

def c_compare(a, b):
    b_burn()
    return a[0] - b[0]

def f_qsort():
    values = (ctypes.c_int * 12)(*range(12, 0, -1))
    libc.qsort(values, 12, ctypes.sizeof(ctypes.c_int), compare_type(c_compare))

def k_key(x):
    b_burn()
    return -x

def f_sorted():
    sorted(range(20), key=k_key)

def r_sub(match):
    b_burn()
    return "y"

def f_resub():
    re.compile("x").sub(r_sub, "x" * 20)

def g_inner(n):
    for i in range(n):
        yield b_burn()

def g_outer(n):
    yield from g_inner(n)

def f_generator():
    return sum(g_outer(20))

def e_raise(n):
    try:
        return e_raise(n - 1) if n else 1 // 0
    except ZeroDivisionError:
        b_burn()
        raise

def f_exception():
    try:
        e_raise(10)
    except ZeroDivisionError:
        pass

def d_deep(n):
    return b_burn() if n == 0 else d_deep(n - 1)

def f_deep():
    d_deep(60)

class Node:
    def __init__(self):
        self.me = self

def f_gc():
    for i in range(10):
        Node()
    gc.collect(0)

async def a_leaf():
    b_burn()
    await asyncio.sleep(0)
    b_burn()

def f_async():
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(a_leaf())
    finally:
        loop.close()

def f_exec():
    exec(compile("def x_new():\n  b_burn()\nx_new()", "<new>", "exec"), {"b_burn": b_burn})

@contextlib.contextmanager
def m_context():
    b_burn()
    yield

def f_with():
    with m_context():
        b_burn()

works = [f_qsort, f_sorted, f_resub, f_generator, f_exception, f_deep, f_gc, f_async, f_exec, f_with]

def t_thread(k):
    while time.time() < end:
        works[k % len(works)]()
        k += 1

def t_fork():
    while time.time() < end:
        pid = os.fork()
        if pid == 0:
            stop = time.process_time() + 0.05
            while time.process_time() < stop:
                f_sorted()
                f_generator()
                f_qsort()
            os._exit(0)
        os.waitpid(pid, 0)
        time.sleep(0.2)

end = time.time() + float(sys.argv[1])
threads = [threading.Thread(target=t_thread, args=(k,)) for k in range(64)]
for thread in threads:
    thread.start()
t_fork()
for thread in threads:
    thread.join()
END
    cat >callers.py <<'END'
import re, sys

work = {"t_thread", "t_fork"}
callers = {
    "b_burn": {"c_compare", "k_key", "r_sub", "g_inner", "e_raise", "d_deep", "a_leaf", "x_new", "m_context", "f_with"},
    "c_compare": {"f_qsort"}, "k_key": {"f_sorted"}, "r_sub": {"f_resub"}, "g_inner": {"g_outer", "f_generator"},
    "g_outer": {"f_generator"}, "e_raise": {"e_raise", "f_exception"}, "d_deep": {"d_deep", "f_deep"}, "a_leaf": {"f_async"},
    "x_new": {"f_exec"}, "m_context": {"f_with"}, "f_qsort": work, "f_sorted": work, "f_generator": work, "f_resub": work,
    "f_exception": work, "f_deep": work, "f_gc": work, "f_async": work, "f_exec": work, "f_with": work,
}
own = set(callers) | work
total = bad = marked = lost = 0
for line in open(sys.argv[1]):
    stack, weight = line.rsplit(" ", 1)
    names = [re.sub(r" \(.*", "", name).split(".<locals>.")[-1] for name in stack.split(";")]
    total += int(weight)
    marked += int(weight) * ("[?]" in names)
    lost += int(weight) * ("start_thread" in names and "_PyEval_EvalFrameDefault" in names)
    found = [(at, name) for at, name in enumerate(names) if name in own]
    for (above, caller), (below, name) in zip(found, found[1:]):
        if caller not in callers.get(name, ()) or (name == "c_compare" and not any("qsort" in n for n in names[above + 1:below])):
            bad += int(weight)
            print("wrong:", stack)
            break
print("of %d us: wrong %d, marked %d, lost %d" % (total, bad, marked, lost))
sys.exit(bad > 0 or marked * 200 > total or lost * 500 > total)
END
}

check_stress() {
    within 120 "$PTPROFIL" -q -F 2000 -o stress.folded "$1" -W ignore stress.py "$seconds" || fail "status $?"
    /usr/bin/python3 callers.py stress.folded >callers.txt || off "$(tail -n 5 callers.txt)"
    tail -n 1 callers.txt
}

long_python_stress() {
    [ -x /usr/bin/python3 ] || skip "no Python of the system"
    seconds=4
    [ -z "$full" ] || seconds=30
    write_stress
    with_each_python check_stress
}

run_cases "$@"
