#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Interpreted programs: stacks have the interpreted functions, and the native functions that these call.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_interpreters.sh"

# Expected: one, two and five parts of the thread's CPU time, measured with Python's clock.
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

expect_part() { # expect_part FILE REGEX PERCENT POINTS: matching stacks have PERCENT (+- POINTS) of the stacks with spin
    local weight total
    total=$(matching_weight "$1" ';spin')
    weight=$(matching_weight "$1" "$2")
    [ $((weight * 100)) -ge $((($3 - $4) * total)) ] && [ $((weight * 100)) -le $((($3 + $4) * total)) ] && [ "$total" -gt 0 ] ||
        off "$2 has $weight of $total us, not $3 %"
}

expect_few_marks() { # expect_few_marks FILE: stacks with a mark have at most 0.5 % of the time (see doc/GLOSSARY.md)
    [ $(($(matching_weight "$1" '\[\?\]') * 200)) -le "$(total_of "$1")" ] || off "$(grep -F '[?]' "$1")"
}

# By CPU time, so that other work beside it changes nothing.
check_shares() { # check_shares INTERPRETER [FILE]
    ! is_sanitized || skip "it measures, and this ptprofil is sanitized"
    within 120 "$PTPROFIL" -q -F 1000 -o shares.folded "$1" "${2:-shares.py}" || fail "status $?"
    [ "$(matching_weight shares.folded ';spin')" -ge $(($(total_of shares.folded) * least / 100)) ] || off "$(cat shares.folded)"
    expect_part shares.folded ';one;spin' 12 "$points"
    expect_part shares.folded ';two;spin' 25 "$points"
    expect_part shares.folded ';five;spin' 63 "$points"
    expect_absent shares.folded ';_PyEval_EvalFrameDefault.*;spin'
    expect_few_marks shares.folded
}

case_python_shares() {
    set_points
    write_shares "$rounds"
    with_each_python check_shares
}

set_points() {
    points=6
    rounds=$((8 * slow)) # most of the time is the loops, not the start
    least=75
    [ "$slow" = 1 ] || least=50
    [ -z "$full" ] || { points=2; rounds=60; }
}

case_perl_shares() {
    need perl
    set_points
    cat >shares.pl <<END
use Time::HiRes qw(clock_gettime);
sub now { clock_gettime(3) } # CLOCK_THREAD_CPUTIME_ID
sub spin { my \$end = now() + \$_[0] / 1000; while (now() < \$end) { my \$x = 0; \$x += \$_ * \$_ for 1 .. 200 } }
sub one { spin(10); 1 }
sub two { spin(20); 1 }
sub five { spin(50); 1 }
for (1 .. $rounds) { one(); two(); five() }
END
    is_known_perl || skip "this is not Perl 5.36 with threads"
    check_shares perl shares.pl
    grep -q ';<main> (shares.pl);five;spin' shares.folded || fail "no <main>, five, spin: $(cat shares.folded)"
}

case_ruby_shares() {
    need ruby
    set_points
    is_known_ruby || skip "this is not Ruby 3.1"
    write_ruby_shares "$rounds"
    check_shares "$(command -v ruby)" shares.rb
    grep -q '<main> (shares.rb);block in <main>[^;]*;five;spin' shares.folded || fail "no main, block, five, spin"
}

write_ruby_shares() { # write_ruby_shares ROUNDS
    cat >shares.rb <<END
def now; Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID); end
def spin(ms)
  stop = now + ms / 1000.0
  while now < stop
    x = 0
    i = 0
    while i < 200
      x += i * i
      i += 1
    end
  end
end
def one; spin(10); 1; end
def two; spin(20); 1; end
def five; spin(50); 1; end
$1.times { one; two; five }
END
}

case_php_shares() {
    need php
    set_points
    cat >shares.php <<END
<?php
function now() { \$u = getrusage(); return \$u["ru_utime.tv_sec"] + \$u["ru_stime.tv_sec"] +
    (\$u["ru_utime.tv_usec"] + \$u["ru_stime.tv_usec"]) / 1e6; }
function spin(\$ms) {
    \$end = now() + \$ms / 1000;
    while (now() < \$end) { \$x = 0; for (\$i = 0; \$i < 200; \$i++) \$x += \$i * \$i; }
}
class Work { static function five() { spin(50); } }
function one() { spin(10); }
function two() { spin(20); }
function five() { Work::five(); }
for (\$round = 0; \$round < $rounds; \$round++) { one(); two(); five(); }
END
    is_known_php || skip "this is not PHP 8.2 without threads"
    sed -i 's/^function five() { Work::five(); }/function five() { spin(50); }/; /^class/d' shares.php
    check_shares php shares.php
}

check_renamed() { # check_renamed INTERPRETER PROGRAM
    cp "$(readlink -f "$(command -v "$1")")" worker || fail "cp"
    within 60 "$PTPROFIL" -q -F 1000 -o renamed.folded ./worker "$2" || fail "status $?"
    [ "$(matching_weight renamed.folded ';burn')" -ge $(($(total_of renamed.folded) / 2)) ] || off "$1: no burn:" "$(cat renamed.folded)"
    checked=yes
}

# An interpreter is known by what is in its file. Its name may be any, because it is copied or linked into a program.
case_renamed() {
    local checked=''
    echo 'sub burn { my $x = 0; $x += $_ for 1 .. 3000000; $x } burn() for 1 .. 4;' >burn.pl
    echo '<?php function burn() { $x = 0; for ($i = 0; $i < 20000000; $i++) $x += $i & 3; return $x; } burn(); burn();' >burn.php
    printf 'def burn():\n    for i in range(10000000): pass\nburn()\nburn()\n' >burn.py
    [ -z "$(pythons | grep -x /usr/bin/python3)" ] || check_renamed /usr/bin/python3 burn.py
    ! command -v perl >/dev/null || ! is_known_perl || check_renamed perl burn.pl
    ! command -v php >/dev/null || ! is_known_php || check_renamed php burn.php
    [ -n "$checked" ] || skip "no Python from 3.8 to 3.14, Perl 5.36 or PHP 8.2 here"
}

# A program with several interpreters: one calls the other, and each also works alone.
case_two_languages() {
    need gcc perl
    local python='' perl candidate
    perl=$(ldconfig -p | awk '/libperl\.so\.5\.36 / { print $NF; exit }')
    for candidate in $(pythons); do
        [ -n "$python" ] || python=$(library_of "$candidate")
    done
    is_known_perl && [ -n "$perl" ] && [ -n "$python" ] || skip "no libperl of Perl 5.36, or no libpython from 3.8 to 3.14"
    cat >both.c <<'END'
/* usage: both LIBPERL LIBPYTHON */
#include <dlfcn.h>

static void *perl, *python, *interpreter;

#define CALL(library, type, name) ((type)(dlsym(library, name)))

void run_perl(const char *code)
{
    CALL(perl, void *(*)(void *, const char *, int), "Perl_eval_pv")(interpreter, code, 1);
}

void run_python(const char *code)
{
    CALL(python, int (*)(const char *, void *), "PyRun_SimpleStringFlags")(code, 0);
}

int main(int argc, char **argv, char **environment)
{
    static char *arguments[] = {"", "-e", "sub perl_burn { my $x = 0; $x += $_ for 1 .. 3000000; $x }", 0};
    char **all = arguments;
    int count = 3;
    if (argc != 3 || !(perl = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) ||
        !(python = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL)))
        return 2;
    CALL(perl, void (*)(int *, char ***, char ***), "Perl_sys_init3")(&count, &all, &environment);
    interpreter = CALL(perl, void *(*)(void), "perl_alloc")();
    CALL(perl, void (*)(void *), "perl_construct")(interpreter);
    CALL(perl, int (*)(void *, void *, int, char **, char **), "perl_parse")(interpreter, 0, 3, arguments, 0);
    CALL(perl, int (*)(void *), "perl_run")(interpreter);
    CALL(python, void (*)(void), "Py_Initialize")();
    run_perl("perl_burn() for 1 .. 3");
    run_python("def py_burn():\n"
               "    for i in range(8000000): pass\n"
               "py_burn()\n"
               "py_burn()\n");
    run_python("import ctypes\n"
               "def py_outer():\n"
               "    ctypes.PyDLL(None).run_perl(b'perl_burn() for 1 .. 3')\n"
               "py_outer()\n");
    return 0;
}
END
    gcc -O1 -rdynamic both.c -o both -ldl || fail "gcc"
    within 60 "$PTPROFIL" -q -F 1000 -o both.folded ./both "$perl" "$python" || fail "status $?"
    for stack in 'main;run_perl;[^;]*(;[^;]+)*;perl_burn$' 'main;run_python;[^;]*(;[^;]+)*;py_burn$' \
        'main;run_python;([^;]+;)*py_outer;([^;]+;)*run_perl;([^;]+;)*perl_burn$'; do
        [ "$(matching_weight both.folded ";$stack")" -ge 100000 ] || off "no $stack:" "$(cat both.folded)"
    done
    expect_absent both.folded 'perl_burn;.*py_|py_burn;.*perl'
    expect_few_marks both.folded
}

# Functions that a language's library calls back through C are in the order of the calls.
case_other_nested() {
    local checked=''
    if command -v perl >/dev/null && is_known_perl; then
        cat >nested.pl <<'END'
package Foo;
sub burn { my $x = 0; $x += $_ for 1 .. 500; $x }
sub rec { my $n = shift; $n ? rec($n - 1) + 1 : burn() }
package main;
my $anonymous = sub { Foo::rec(5) };
sub by_sort { my @a = sort { Foo::burn(); $a <=> $b } (3, 2, 1); @a }
sub failing { eval { Foo::burn(); die "x" }; 1 }
my $end = (times)[0] + 1;
while ((times)[0] < $end) { $anonymous->(); by_sort(); failing() }
END
        within 60 "$PTPROFIL" -q -F 1000 -o perl.folded perl nested.pl || fail "status $?"
        grep -q -E '<main> \(nested.pl\);__ANON__[^;]*(;Foo::rec){6};Foo::burn' perl.folded || off "no __ANON__, rec, burn"
        grep -q -E '<main> \(nested.pl\);by_sort;Foo::burn' perl.folded || off "no by_sort, burn"
        grep -q -E '<main> \(nested.pl\);failing;Foo::burn' perl.folded || off "no failing, burn"
        expect_absent perl.folded ';Foo::rec;Foo::rec;Foo::rec;Foo::rec;Foo::rec;Foo::rec;Foo::rec'
        checked=yes
    fi
    if command -v ruby >/dev/null && is_known_ruby; then
        cat >nested.rb <<'END'
def burn; x = 0; i = 0; while i < 500; x += i; i += 1; end; x; end
def rec(n) n == 0 ? burn : rec(n - 1) + 1 end
def by_sort; [3, 1, 2].sort_by { |x| burn; x }; end
def failing; burn; raise "x"; rescue; end
Thread.new { loop { sleep 0.01 } }
stop = Process.times.utime + 1
while Process.times.utime < stop; rec(5); by_sort; failing; end
END
        within 60 "$PTPROFIL" -q -F 1000 -o ruby.folded ruby nested.rb || fail "status $?"
        grep -q -E '(;rec){6};burn' ruby.folded || off "no rec, burn"
        grep -q -E ';by_sort;block in by_sort;burn' ruby.folded || off "no by_sort, block, burn"
        expect_absent ruby.folded '(;rec){7}'
        checked=yes
    fi
    if command -v php >/dev/null && is_known_php; then
        cat >nested.php <<'END'
<?php
function burn() { $x = 0; for ($i = 0; $i < 500; $i++) $x += $i; return $x; }
class Foo {
    function rec($n) { return $n ? $this->rec($n - 1) + 1 : burn(); }
    static function compare($a, $b) { burn(); return $a - $b; }
}
function by_sort() { $a = [3, 2, 1]; usort($a, ['Foo', 'compare']); }
function generate() { for ($i = 0; $i < 3; $i++) yield burn(); }
function failing() { try { burn(); throw new Exception("x"); } catch (Exception $e) { } }
$foo = new Foo; $u = getrusage(); $end = $u["ru_utime.tv_sec"] + $u["ru_utime.tv_usec"] / 1e6 + 1;
do { $foo->rec(5); by_sort(); foreach (generate() as $x); failing(); $u = getrusage(); }
while ($u["ru_utime.tv_sec"] + $u["ru_utime.tv_usec"] / 1e6 < $end);
END
        within 60 "$PTPROFIL" -q -F 1000 -o php.folded php nested.php || fail "status $?"
        grep -q -E '<main> \(nested.php\)(;Foo::rec){6};burn' php.folded || off "no rec, burn"
        grep -q -E ';by_sort;usort;Foo::compare;burn' php.folded || off "no by_sort, usort, compare, burn"
        grep -q -E ';generate;burn' php.folded || off "no generate, burn"
        expect_absent php.folded '(;Foo::rec){7}'
        checked=yes
    fi
    [ -n "$checked" ] || skip "no Perl 5.36, Ruby 3.1 or PHP 8.2 here"
}

# C code that calls Python, which calls C: the stacks have this order.
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
    # only these functions call burn in the source
    expect_absent nested.folded ';(outer|<module>[^;]*|qsort[^;]*|main);burn'
    expect_absent nested.folded ';outer;(Order\.)?compare'
    expect_few_marks nested.folded
    expect_absent nested.folded ';[^;]+;\[unknown\].*;burn'
}

case_python_nested() {
    write_nested
    with_each_python check_nested
}

# Callbacks that do nothing: many samples meet the interpreter at the beginning or end of a call.
check_empty() {
    within 60 "$PTPROFIL" -q -F 2000 -o empty.folded "$1" empty.py || fail "status $?"
    [ "$(matching_weight empty.folded ';by_sort;key')" -gt 0 ] || off "no by_sort, key:" "$(cat empty.folded)"
    expect_absent empty.folded ';by_(map|order);key|;(key|Item.__lt__|__lt__[^;]*);[a-z]*(key|lt)'
    expect_few_marks empty.folded
}

case_python_empty() {
    cat >empty.py <<'END'
import time

class Item:
    def __lt__(self, other):
        return False

def key(x):
    return x

def item(x):
    return Item()

def by_sort():
    sorted(range(400), key=key)

def by_map():
    return list(map(item, range(200)))

def by_order():
    sorted(by_map())

end = time.process_time() + 1
while time.process_time() < end:
    by_sort()
    by_order()
END
    with_each_python check_empty
}

# Lines and files of interpreted functions, and how the formats show them.
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

# check_annotated INTERPRETER FILE LINE: --annotate shows the source of spin in FILE, with LINE as the hottest line,
# while recording and from a stored profile.
check_annotated() {
    local hot
    within 60 "$PTPROFIL" -q -F 1000 --annotate=spin -o at_once.annotate -o kept.pb.gz "$1" "$2" || fail "$1: status $?"
    report kept.pb.gz --annotate=spin --min=0 >later.txt
    for shown in at_once.annotate later.txt; do
        grep -q '^spin in \[' $shown && grep -qxF "$PWD/$2" $shown || fail "$1: $shown:" "$(cat $shown)"
        hot=$(awk '/\*\*/ { print $6; exit }' $shown)
        grep -qE "[0-9.]+%  \*\* +$3  .*x \+=" $shown || off "$1: line $3 is not hot ($hot):" "$(cat $shown)"
    done
    sed -i '1s/^/ /' "$2" # changes the modification time
    report kept.pb.gz --annotate=spin >later.txt
    grep -q ': changed after the program was profiled' later.txt || fail "$1: the change is not reported:" "$(cat later.txt)"
}

line_with() { # line_with FILE TEXT: the number of the first such line
    grep -nF "$2" "$1" | head -n 1 | cut -d: -f1
}

case_annotated() {
    local checked=''
    need_stored_profiles
    write_shares 4
    if [ -n "$(pythons)" ]; then
        check_annotated "$(pythons | head -n 1)" shares.py "$(line_with shares.py 'x += i * i')"
        checked=yes
    fi
    if command -v ruby >/dev/null && is_known_ruby; then
        write_ruby_shares 4
        check_annotated "$(command -v ruby)" shares.rb "$(line_with shares.rb 'x += i * i')"
        checked=yes
    fi
    if command -v perl >/dev/null && is_known_perl; then
        cat >spin.pl <<'END'
sub spin {
    my $end = (times)[0] + 0.8;
    while ((times)[0] < $end) {
        my $x = 0;
        for (1 .. 2000) {
            $x += $_ * $_;
        }
    }
}
spin();
END
        check_annotated perl spin.pl "$(line_with spin.pl 'x += ')"
        checked=yes
    fi
    if command -v php >/dev/null && is_known_php; then
        cat >spin.php <<'END'
<?php
function spin() {
    for ($round = 0; $round < 20000; $round++) {
        $x = 0;
        for ($i = 0; $i < 2000; $i++)
            $x += $i * $i;
    }
}
spin();
END
        check_annotated php spin.php "$(line_with spin.php 'x += ')"
        checked=yes
    fi
    [ -n "$checked" ] || skip "no Python from 3.8 to 3.14, Ruby 3.1, Perl 5.36 or PHP 8.2 here"
}

check_php_lines() { # check_php_lines OPTION...: each line of a function is its own, and a known one unless it is compiled
    local wrong
    echo "  php $*"
    within 60 "$PTPROFIL" -q -F 1000 -o lines.pb.gz php "$@" lines.php || fail "status $?"
    report lines.pb.gz --by=line -n all >lines.txt
    wrong=$(awk -F 'lines.php:' 'NF > 1 {
        count = split($2, words, / +/); line = words[1] + 0; name = words[2]
        if ((name == "first" && (line < 2 || line > 9)) || (name == "Tail::last" && (line < 61 || line > 70)) ||
            (name == "<main>" && line < 71) || name ~ /^(str_repeat|getrusage)$/) print }' lines.txt)
    [ -z "$wrong" ] || fail "a line of another function:" "$wrong" "$(cat lines.txt)"
    [[ $* == *jit* ]] || grep -qE 'lines.php:[4-7] +first' lines.txt || off "first has no lines:" "$(cat lines.txt)"
    [[ $* == *jit* ]] || grep -qE 'lines.php:6[3-8] +Tail::last' lines.txt || off "last has no lines:" "$(cat lines.txt)"
}

# PHP stores the instruction of a function late. Before that, its memory may have one of another function.
case_php_lines() {
    need php
    need_stored_profiles
    is_known_php || skip "this is not PHP 8.2 without threads"
    {
        cat <<'END'
<?php
function first(int $n): int {
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $sum ^= $i;
        $sum = ($sum + 7) & 0xffff;
    }
    return $sum;
}
END
        printf '\n%.0s' {1..50}
        cat <<'END'
class Tail {
    static function last(int $n): float {
        $x = 1.5;
        while ($n-- > 0) {
            $x = $x * 0.5 + 1.0;
            if ($x > 100.0)
                $x = 0.0;
        }
        return $x;
    }
}
function between(int $n): string {
    $text = "";
    for ($i = 0; $i < 3; $i++)
        $text = str_repeat($text . $n, 2);
    return strrev($text);
}
function cpu() { $u = getrusage(); return $u["ru_utime.tv_sec"] + $u["ru_utime.tv_usec"] / 1e6; }
for ($end = cpu() + 0.6; cpu() < $end;) {
    between(1);
    first(20000);
    between(2);
    Tail::last(20000);
}
END
    } >lines.php
    check_php_lines -d opcache.enable_cli=0
    check_php_lines -d opcache.enable_cli=1
    check_php_lines -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M -d opcache.jit=tracing
    check_php_lines -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M -d opcache.jit=function
}

# A process can name any file as its source. The file is read with the rights of the process's user, not with those of
# ptprofil's user.
case_secret_sources() {
    local python server
    [ "$(id -u)" = 0 ] || skip "only root has more rights than the process"
    python=$(pythons | grep -x /usr/bin/python3) || skip "no Python of the system that is known"
    need_stored_profiles
    chmod 711 "$scratch"
    mkdir own
    for file in secret own/open; do
        printf '%s\n' 'TOP SECRET' 'while True:' '    x = 0' '    for i in range(1000): x += i # shown' >$file
    done
    chmod 600 secret
    chmod -R a+rX own .
    chmod 600 secret
    cat >own/liar.py <<'END'
import sys
source = "def burn_%s():\n while True:\n    x = 0\n    for i in range(1000):\n     if x < 0: return\n     x += i\n"
calls = []
for name, file in (("secret", sys.argv[1]), ("open", sys.argv[2])):
    exec(compile((source % name).replace(" while True:", " for r in range(200):"), file, "exec"))
print("ready", flush=True)
while True:
    burn_secret()
    burn_open()
END
    "${as_nobody[@]}" "$python" own/liar.py "$PWD/secret" "$PWD/own/open" >ready.txt &
    server=$!
    poll_until 10 grep -q ready ready.txt || fail "the program does not begin"
    profile_its_work "$server" 700 "$PTPROFIL" -q -F 500 --annotate='burn_.*' -n all -o shown.annotate -o kept.pb.gz -p "$server"
    kill "$server"
    wait "$server" 2>/dev/null || true
    report kept.pb.gz --annotate='burn_.*' -n all --min=0 >later.txt
    for shown in shown.annotate later.txt; do
        grep -q '^burn_secret in ' $shown && grep -q "secret: the source is not shown: Permission denied" $shown || fail "$(cat $shown)"
        [ "$(grep -c 'SECRET' $shown)" = 1 ] && grep -q '# shown' $shown || fail "$(cat $shown)"
    done
}

# Source files of a process are searched below its own root directory.
case_sources_elsewhere() {
    local server
    [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"
    [ -n "$(pythons | grep -x /usr/bin/python3)" ] || skip "the system's Python is not one that is known"
    need_stored_profiles
    mkdir there
    write_shares 100000
    cp shares.py there/shares.py # ours
    sed -i 's/def one/# a decoy\ndef one/; s/x += i \* i/x += i * i # a decoy/' there/shares.py
    unshare --mount sh -c 'mount -t tmpfs none there && cp shares.py there && exec /usr/bin/python3 "$PWD/there/shares.py"' &
    server=$!
    poll_until 10 grep -q "there tmpfs" "/proc/$server/mounts" || fail "no mount"
    poll_until 10 grep -qE "libpython|bin/python3" "/proc/$server/maps" || fail "no python"
    profile_its_work "$server" 700 "$PTPROFIL" -q -F 500 --annotate=spin -o shown.annotate -o kept.pb.gz -p "$server"
    grep -q 'x += i' shown.annotate && ! grep -q decoy shown.annotate || fail "$(cat shown.annotate)"
    within 30 "$PTPROFIL" report kept.pb.gz --annotate=spin >later.txt 2>err && fail "shown:" "$(cat later.txt)"
    grep -q -e '--sysroot=DIR says where' err || fail "$(cat err)"
    report kept.pb.gz --annotate=spin --sysroot="/proc/$server/root" >later.txt
    kill "$server"
    wait "$server" 2>/dev/null || true
    grep -q 'x += i' later.txt && ! grep -q decoy later.txt || fail "$(cat later.txt)"
}

# A running server with workers, of ptprofil's own user; the doctor's report about it; and the three values of
# --interpreter.
case_workers() {
    local server status=0 user=()
    [ -x /usr/bin/python3 ] || skip "no Python of the system"
    [ -n "$(pythons | grep -x /usr/bin/python3)" ] || skip "the system's Python is not one that is known"
    cat >server.py <<'END'
import os, threading, time

def handle():
    x = 0
    for i in range(3000):
        x += i
    return x

def worker():
    for i in range(3):
        threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
    while True:
        handle()

for i in range(2):
    if os.fork() == 0:
        worker()
print("ready", flush=True)
os.wait()
END
    chmod 711 "$scratch" # for another user
    chmod 755 .
    if [ "$(id -u)" = 0 ]; then
        user=("${as_nobody[@]}")
    fi
    "${user[@]}" /usr/bin/python3 server.py >ready.txt &
    server=$!
    poll_until 10 grep -q ready ready.txt || fail "the server does not begin"
    "${user[@]}" "$PTPROFIL" doctor -p "$server" >doctor.txt 2>&1
    grep -q -E '^  ok    language +Python 3\.[0-9.]+: its functions are shown' doctor.txt || fail "$(cat doctor.txt)"
    for how in merge both off; do
        status=0
        "${user[@]}" timeout 60 "$PTPROFIL" -q -F 500 -d 1 --interpreter=$how --format=folded -o - -p "$server" >workers.$how ||
            status=$?
        [ $status = 0 ] || fail "status $status: --interpreter=$how"
    done
    kill "$server" $(pgrep -P "$server")
    wait "$server" 2>/dev/null || true
    [ "$(matching_weight workers.merge ';worker;handle$')" -gt 0 ] || off "no handle:" "$(cat workers.merge)"
    [ "$(matching_weight workers.both ';_PyEval_EvalFrameDefault;.*worker;handle')" -gt 0 ] || off "not both:" "$(cat workers.both)"
    [ "$(matching_weight workers.off ';_PyEval_EvalFrameDefault')" -gt 0 ] || off "no interpreter:" "$(cat workers.off)"
    # except in the first samples, before the interpreter is recognized
    [ "$(matching_weight workers.merge ';_PyEval_EvalFrameDefault')" -lt $(($(total_of workers.merge) / 5)) ] ||
        off "the interpreter's frames are shown:" "$(cat workers.merge)"
    expect_absent workers.off ';handle'
}

# check_hung WHAT COMMAND...: the program has waited since before ptprofil attaches, and runs no more. All of its time is
# in read_reply, called by serve, and in a system call of that.
check_hung() {
    local target what="$1"
    shift
    "$@" <&8 >/dev/null 2>hung.err &
    target=$!
    poll_until 10 is_asleep $target || fail "$what does not wait:" "$(cat hung.err)"
    within 30 "$PTPROFIL" -q --clock=wall -d 2 -o hung.folded -p $target || fail "$what: status $?"
    kill -KILL $target
    wait $target 2>/dev/null || true
    [ $(($(matching_weight hung.folded ';serve([( ][^;]*)?;read_reply([( ][^;]*)?;.*[[][a-z_0-9]*]$') * 100)) -ge $(($(total_of hung.folded) * 80)) ] ||
        off "$what:" "$(cat hung.folded)"
    expect_absent hung.folded ';[a-z_]*(read|poll|select)[a-z_0-9]*;.*read_reply' # the call is inside of it
}

case_attached_while_waiting() {
    local python found=''
    exec 8<>"$scratch/never" # has a writer, so that a read waits
    printf 'import os\ndef read_reply():\n    os.read(0, 1)\ndef serve():\n    read_reply()\nserve()\n' >hung.py
    printf 'def read_reply() = $stdin.sysread(1)\ndef serve() = read_reply\nserve\n' >hung.rb
    printf 'sub read_reply { sysread(STDIN, my $x, 1) }\nsub serve { read_reply(); 1 }\nserve();\n' >hung.pl
    printf '<?php\nfunction read_reply() { fgets(STDIN); }\nfunction serve() { read_reply(); }\nserve();\n' >hung.php
    for python in $(pythons); do
        check_hung "$python" "$python" hung.py
        found=yes
    done
    if is_known_ruby 2>/dev/null; then check_hung ruby ruby hung.rb; found=yes; fi
    if is_known_perl 2>/dev/null; then check_hung perl perl hung.pl; found=yes; fi
    if is_known_php 2>/dev/null; then check_hung php php hung.php; found=yes; fi
    [ -n "$found" ] || skip "no interpreter here that ptprofil knows"
}

# check_lock NAME INTERPRETER FILE: two threads compete for the interpreter's lock, so that one always waits for it.
# Other waits are not shown as NAME.
check_lock() {
    local wait="\\[$1\\]\$" spins waits
    within 60 "$PTPROFIL" -q -F 200 --clock=wall -o lock.folded "$2" "$3" || fail "$2: status $?"
    spins=$(grep -v ';\[runnable\] [0-9]*$' lock.folded | matching_weight /dev/stdin ';spins([;( ]|$)') # not waits for a CPU
    waits=$(matching_weight lock.folded ";spins[;( ].*;$wait")
    [ $((waits * 5)) -ge "$spins" ] && [ "$spins" -gt "$waits" ] ||
        off "$2: of $spins us in spins, $waits us are waits for the lock:" "$(grep spins lock.folded)"
    expect_absent lock.folded ';(clock_gettime|pthread_cond_[a-z]*);.*(works|spins|waits|sleeps)' # these call them
    [ "$(matching_weight lock.folded ';waits([;( ].*)?;\[futex\]$')" -ge 500000 ] || off "$2: no [futex] of waits:" "$(grep waits lock.folded)"
    [ "$(matching_weight lock.folded ";(waits|sleeps)[;( ].*;$wait")" -le 20000 ] ||
        off "$2: another wait is called $1:" "$(grep -E 'waits|sleeps' lock.folded)"
}

check_python_lock() {
    check_lock GIL "$1" lock.py
}

case_locks() {
    local checked=''
    cat >lock.py <<'END'
import threading, time

own = threading.Lock()
own.acquire()
begun = []

def works(seconds):
    end = time.thread_time() + seconds
    x = 0
    while time.thread_time() < end:
        x += 1

def spins():
    works(0.4)

def waits():
    own.acquire()

def sleeps():
    time.sleep(100)

def then(function):
    works(0.05)
    begun.append(1)
    function()

for function in waits, sleeps:
    threading.Thread(target=then, args=[function], daemon=True).start()
while len(begun) < 2:
    time.sleep(0.01)
time.sleep(0.1)
threads = [threading.Thread(target=spins) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
END
    cat >lock.rb <<'END'
def now; Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID); end
def works(seconds) stop = now + seconds; nil while now < stop; end
def spins; works(0.6); end
def waits; Queue.new.pop; end
def sleeps; sleep 100; end
begun = 0
Thread.new { works(0.05); begun += 1; waits }
Thread.new { works(0.05); begun += 1; sleeps }
sleep 0.01 while begun < 2
sleep 0.1
[Thread.new { spins }, Thread.new { spins }].each(&:join)
END
    if [ -n "$(pythons)" ]; then
        with_each_python check_python_lock
        checked=yes
    fi
    if command -v ruby >/dev/null && is_known_ruby; then
        check_lock GVL "$(command -v ruby)" lock.rb
        checked=yes
    fi
    [ -n "$checked" ] || skip "no Python from 3.8 to 3.14 and no Ruby 3.1 here"
}

# Programs that claim to be an interpreter, and have false frames: ptprofil takes all samples, reads no more than it
# may, and does not disturb the program.
case_liars() {
    need objcopy
    local language kind got=''
    cp "$TARGETS/false_interp" python3.12
    objcopy --strip-symbol=_PyRuntime python3.12 php8.2
    objcopy --strip-symbol=execute_ex php8.2 perl
    objcopy --strip-symbol=Perl_runops_standard perl ruby
    for kind in cyclic wild huge; do
        for language in python3.12 php8.2 perl ruby; do
            echo "  $language $kind"
            within 60 "$PTPROFIL" -q -F 1000 -o liar.folded -o liar.csv "./$language" "${language%%[38]*}" $kind 0.3 >out 2>err ||
                fail "status $?" "$(head -c 2000 out err)"
            [ "$(total_of liar.folded)" -ge 290000 ] || off "samples are missing: $(total_of liar.folded) us"
            got+=$(grep -oE '\[(python|php|perl|ruby)\]' liar.csv | sort -u)
        done
    done
    # Each was taken for the interpreter that it claims to be.
    for language in python php perl ruby; do
        [[ $got == *"[$language]"* ]] || fail "$language: no frame of it was read"
    done
}

measures=locks
run_cases "$@"
