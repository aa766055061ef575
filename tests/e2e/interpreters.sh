#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that run in an interpreter: their own functions, in one stack with what these call.

. "$(dirname "$0")/lib.sh"

# All interpreters of Python 3.8 and later that are here: python3 of the system, and those of pyenv.
pythons() {
    local python
    for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
        [ -x "$python" ] && "$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null &&
            echo "$python"
    done
}

with_each_python() { # with_each_python CHECK: the function is called with each as its argument
    local python found=''
    for python in $(pythons); do
        echo "  $python"
        "$1" "$python"
        found=yes
    done
    [ -n "$found" ] || skip "no Python from 3.8 to 3.13 here"
}

# One, two and five parts of the CPU time of their thread, by Python's own clock.
write_shares() {
    cat >shares.py <<'END'
import time

def spin(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        x = 0
        for i in range(200):
            x += i * i

def one():
    spin(10)

def two():
    spin(20)

def five():
    spin(50)

for i in range(ROUNDS):
    one()
    two()
    five()
END
    sed -i "s/ROUNDS/$1/" shares.py
}

expect_part() { # expect_part FILE REGEX PERCENT POINTS: stacks that match have that share of those of spin
    local weight total
    total=$(matching_weight "$1" ';spin')
    weight=$(matching_weight "$1" "$2")
    [ $((weight * 100)) -ge $((($3 - $4) * total)) ] && [ $((weight * 100)) -le $((($3 + $4) * total)) ] && [ "$total" -gt 0 ] ||
        off "$2 has $weight of $total us, not $3 %"
}

check_shares() {
    within 120 "$PTPROFIL" -q -F 1000 -o shares.folded "$1" shares.py || fail "status $?"
    [ "$(matching_weight shares.folded ';spin')" -ge $(($(total_of shares.folded) * 3 / 4)) ] || off "$(cat shares.folded)"
    expect_part shares.folded ';one;spin' 12 "$points"
    expect_part shares.folded ';two;spin' 25 "$points"
    expect_part shares.folded ';five;spin' 63 "$points"
    expect_absent shares.folded ';_PyEval_EvalFrameDefault.*;spin'
    expect_absent shares.folded '\[\?\]'
}

case_python_shares() {
    points=6
    [ -z "$full" ] || points=2
    write_shares "${full:+60}${full:-8}"
    with_each_python check_shares
}

# C that calls Python, which calls C: in the order in which they do.
write_nested() {
    cat >nested.py <<'END'
import ctypes, sys, time
libc = ctypes.CDLL(None)
compare_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))

def burn():
    x = 0
    for i in range(300):
        x += i
    return x

class Order:
    def compare(self, a, b):
        burn()
        return a[0] - b[0]

def gen(n):
    for i in range(n):
        yield burn()

def outer(order):
    values = (ctypes.c_int * 40)(*range(40, 0, -1))
    libc.qsort(values, 40, ctypes.sizeof(ctypes.c_int), compare_type(order.compare))

def by_key():
    sorted(range(40), key=lambda x: burn())

def recursive(n):
    return burn() if n == 0 else recursive(n - 1)

def failing(n):
    try:
        return failing(n - 1) if n else 1 // 0
    except ZeroDivisionError:
        burn()
        raise

end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    outer(Order())
    by_key()
    sum(gen(40))
    for i in range(20):
        recursive(30)
    try:
        failing(20)
    except ZeroDivisionError:
        pass
END
}

check_nested() {
    within 60 "$PTPROFIL" -q -F 1000 -o nested.folded "$1" nested.py 1.5 || fail "status $?"
    [ "$(matching_weight nested.folded ';outer;.*qsort.*;(Order\.)?compare;burn')" -gt 0 ] ||
        off "no outer, qsort, compare, burn in this order:" "$(grep qsort nested.folded)"
    [ "$(matching_weight nested.folded ';by_key;(by_key\.<locals>\.)?<lambda>[^;]*;burn')" -gt 0 ] || off "no by_key, lambda, burn"
    [ "$(matching_weight nested.folded ';gen;burn')" -gt 0 ] || off "no generator's burn"
    grep -q -E '(;recursive){31};burn' nested.folded || off "no 31 times recursive"
    grep -q -E '(;failing){1,21};burn' nested.folded || off "no failing"
    expect_absent nested.folded '(;recursive){32}|(;failing){22}'
    # whatever calls burn is what does so in the source
    expect_absent nested.folded ';(outer|<module>[^;]*|qsort[^;]*|main);burn'
    expect_absent nested.folded ';outer;(Order\.)?compare'
    expect_absent nested.folded '\[\?\]'
    expect_absent nested.folded ';[^;]+;\[unknown\].*;burn'
}

case_python_nested() {
    write_nested
    with_each_python check_nested
}

# Lines, files and all that formats make of them.
check_lines() {
    local line
    within 60 "$PTPROFIL" -q -F 1000 -o lines.pb.gz "$1" nested.py 1 || fail "status $?"
    line=$(grep -n 'x += i$' nested.py | cut -d: -f1)
    report lines.pb.gz --by=line >lines.txt
    grep -q "nested.py:$line  *burn\$" lines.txt || off "no line $line of burn:" "$(head -n 20 lines.txt)"
    report lines.pb.gz >table.txt
    grep -q ' burn  *\[python\]$' table.txt || fail "no burn in [python]:" "$(head -n 20 table.txt)"
    report lines.pb.gz --format=speedscope >speedscope.json
    grep -q '"burn"' speedscope.json || fail "no burn for speedscope"
}

case_python_lines() {
    need_stored_profiles
    write_nested
    with_each_python check_lines
}

measures='case_python_shares'
run_cases "$@"
