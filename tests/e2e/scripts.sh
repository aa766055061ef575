#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Perl, Ruby and PHP programs that use many features of their language and change their frames all the time. Each
# function has known callers; stacks have no others.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_interpreters.sh"

write_callers() {
    cat >callers.py <<'END'
import re, sys

callers = {
    "perl": {
        "b_burn": "DESTROY FETCH o_add k_key m_map r_sub e_die d_deep x_new f_goto __ANON__ f_local h_signal",
        "DESTROY": "f_destroy", "FETCH": "f_tie", "o_add": "f_over", "k_key": "f_sort", "m_map": "f_map", "r_sub": "f_regex",
        "e_die": "e_die f_eval", "d_deep": "d_deep f_deep", "x_new": "f_string", "g_goto": "f_goto",
        "h_signal": "__ANON__",
        "f_sort": "t_main f_fork", "f_eval": "t_main f_fork", "f_fork": "t_main", "t_main": "<main>",
    },
    "ruby": {
        "b_burn": "k_key c_compare r_sub g_each f_yield e_raise d_deep w_fiber w_enum method_missing + <=> s_sent x_new f_define"
                  " x_eval f_catch f_ensure f_proc f_hash",
        "k_key": "f_sort", "c_compare": "f_compare", "r_sub": "f_gsub", "g_each": "f_yield", "f_yield": "t_thread g_each", "e_raise": "e_raise f_rescue",
        "d_deep": "d_deep f_deep", "w_fiber": "f_fiber", "w_enum": "f_enum", "s_sent": "f_send",
        "x_eval": "f_eval", "method_missing": "f_missing", "+": "f_over",
        "f_sort": "t_thread f_fork", "f_rescue": "t_thread f_fork", "f_fiber": "t_thread f_fork", "f_fork": "<main>", "t_thread": "<main>",
    },
    "php": {
        "b_burn": "c_compare m_map r_sub g_inner e_throw f_finally d_deep __destruct __get __call __callStatic __toString {closure}"
                  " f_eval u_called w_fiber <main>",
        "c_compare": "f_usort", "m_map": "f_map", "r_sub": "f_regex", "g_inner": "g_outer f_from f_generator f_iterator getIterator",
        "g_outer": "f_from", "e_throw": "e_throw f_catch", "d_deep": "d_deep f_deep", "__destruct": "f_destruct",
        "__get": "f_get", "__call": "f_call", "__callStatic": "f_static", "__toString": "f_string", "{closure}": "f_closure",
        "u_called": "f_dynamic", "w_fiber": "f_fiber", "getIterator": "f_iterator", "t_main": "<main>",
    },
}[sys.argv[2]]
callers = {name: set(text.split()) for name, text in callers.items()}
top = {"perl": {"t_main"}, "ruby": {"t_thread"}, "php": {"t_main"}}[sys.argv[2]]

def plain(name):
    name = re.sub(r" \(.*", "", re.sub(r"^(block|ensure|rescue)( \(\d+ levels\))? in ", "", name))
    return re.split(r"::|#|\.(?=\w)", name)[-1]

samples = bad = marked = unknown = 0
for line in open(sys.argv[1]):
    stack, weight = line.rsplit(" ", 1)
    weight = int(weight)
    raw = [name for name in stack.split(";") if not name.startswith(("<main> ((eval", "<main> (stress.php("))]
    samples += weight
    marked += weight * ("[?]" in raw)
    unknown += weight * ("[unknown]" in raw)
    names = [plain(name) for name in raw]
    own = [name for name in names if name in callers or name.startswith("f_") or name in ("<main>", "__ANON__")]
    for caller, name in zip(own, own[1:]):
        allowed = callers.get(name, top if name.startswith("f_") else None)
        if allowed is not None and caller not in allowed and caller != name:
            bad += weight
            print("wrong: %s after %s: %s" % (name, caller, stack[-300:]), weight)
            break
print("of %d us: wrong %d, marked %d, unknown %d" % (samples, bad, marked, unknown))
sys.exit(bad > 0 or (marked + unknown) * 200 > samples)
END
}

check_stress() { # check_stress LANGUAGE INTERPRETER FILE
    within 300 "$PTPROFIL" -q -F 2000 -o stress.folded "$2" "$3" "$seconds" || fail "status $?"
    write_callers
    /usr/bin/python3 callers.py stress.folded "$1" >callers.txt || off "$(tail -n 5 callers.txt)"
    tail -n 1 callers.txt
}

set_seconds() {
    [ -x /usr/bin/python3 ] || skip "no Python of the system checks the stacks"
    seconds=3
    [ -z "$full" ] || seconds=15
}

long_perl_stress() {
    command -v perl >/dev/null && is_known_perl || skip "this is not Perl 5.36 with threads"
    set_seconds
    cat >stress.pl <<'END'
use Time::HiRes qw(clock_gettime);
package Node; sub new { bless {}, shift } sub DESTROY { main::b_burn() }
package Tied; sub TIESCALAR { bless [], shift } sub FETCH { main::b_burn() }
package Over; use overload '+' => \&o_add; sub new { bless {}, shift } sub o_add { main::b_burn() }
package main;
sub b_burn { my $x = 0; $x += $_ for 1 .. 100; $x }
sub k_key { b_burn(); $a <=> $b }
sub f_sort { my @a = sort k_key (5, 3, 1, 2) }
sub m_map { b_burn() }
sub f_map { my @a = map { m_map($_) } 1 .. 5 }
sub r_sub { b_burn(); "y" }
sub f_regex { my $s = "x" x 10; $s =~ s/x/r_sub()/ge }
sub e_die { my $n = shift; if ($n) { e_die($n - 1) } else { b_burn(); die "x" } }
sub f_eval { eval { e_die(10) }; 1 }
sub d_deep { my $n = shift; $n ? d_deep($n - 1) + 1 : b_burn() }
sub f_deep { d_deep(60) }
sub f_destroy { for (1 .. 5) { my $n = Node->new; undef $n } 1 }
sub f_tie { tie my $t, "Tied"; my $x = $t; untie $t }
sub f_over { my $o = Over->new; my $x = $o + 1 }
sub f_string { eval "sub x_new { b_burn() } x_new(); 1" or die $@ }
sub g_goto { goto &b_burn }
sub f_goto { g_goto() for 1 .. 3 }
sub c_closure { my $n = shift; sub { b_burn() + $n } }
sub f_closure { my $c = c_closure(3); $c->() for 1 .. 3 }
sub f_local { local $_ = 3; b_burn() for 1 .. 3 }
sub l_gen { my @l = @_; sub { b_burn(); shift @l } }
sub f_list { my $g = l_gen(1 .. 3); while (defined $g->()) { } }
sub f_fork { my $pid = fork; if (!$pid) { for (1 .. 20) { f_sort(); f_eval() } require POSIX; POSIX::_exit(0) } waitpid $pid, 0 }
my @works = (\&f_sort, \&f_map, \&f_regex, \&f_eval, \&f_deep, \&f_destroy, \&f_tie, \&f_over, \&f_string, \&f_goto, \&f_closure, \&f_local, \&f_list);
$SIG{ALRM} = sub { h_signal() };
sub h_signal { b_burn() }
Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), 0.003, 0.003);
no warnings;
sub t_main { my $end = clock_gettime(2) + $ARGV[0]; my $k = 0; while (clock_gettime(2) < $end) { $works[$k++ % @works]->(); f_fork() if $k % 5000 == 0 } }
t_main();
Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), 0);
END
    check_stress perl perl stress.pl
}

long_ruby_stress() {
    command -v ruby >/dev/null && is_known_ruby || skip "this is not Ruby 3.1"
    set_seconds
    cat >stress.rb <<'END'
def b_burn; x = 0; i = 0; while i < 100; x += i; i += 1; end; x; end
def k_key(x) b_burn; -x; end
def f_sort; [3, 1, 2, 5].sort_by { |x| k_key(x) }; end
def c_compare(a, b) b_burn; a <=> b; end
def f_compare; [3, 1, 2, 5].sort { |a, b| c_compare(a, b) }; end
def r_sub; b_burn; "y"; end
def f_gsub; ("x" * 10).gsub(/x/) { r_sub }; end
def g_each; 3.times { |i| b_burn; yield i }; end
def f_yield; g_each { |x| b_burn }; end
def e_raise(n) n == 0 ? (b_burn; raise "x") : e_raise(n - 1); end
def f_rescue; e_raise(10); rescue RuntimeError; end
def d_deep(n) n == 0 ? b_burn : d_deep(n - 1) + 1; end
def f_deep; d_deep(60); end
def f_fiber; f = Fiber.new { w_fiber }; 3.times { f.resume }; end
def w_fiber; 3.times { b_burn; Fiber.yield 1 }; end
def f_enum; e = Enumerator.new { |y| w_enum(y) }; 3.times { e.next }; end
def w_enum(y) 5.times { |i| b_burn; y << i }; end
class Missing; def method_missing(n, *a) b_burn; end; def respond_to_missing?(*a) true; end; end
def f_missing; Missing.new.anything; end
class Over; def +(o) b_burn; end; def <=>(o) b_burn; 0; end; include Comparable; end
def f_over; Over.new + 1; end
def f_send; send(:s_sent); end
def s_sent; b_burn; end
def f_define; Object.class_eval { define_method(:x_new) { b_burn } }; x_new; end
def f_eval; eval("def x_eval; b_burn; end; x_eval"); end
def f_catch; catch(:done) { 3.times { b_burn; throw :done } }; end
def f_ensure; b_burn; ensure; b_burn; end
def f_proc; pr = proc { b_burn }; pr.call; l = ->(x) { b_burn }; l.(1); end
def f_hash; Hash.new { |h, k| b_burn; h[k] = 1 }[3]; end
def f_gc; 20.times { Object.new }; GC.start(full_mark: false) if rand(200) == 0; end
def f_fork
  pid = fork { 20.times { f_sort; f_rescue; f_fiber }; exit! 0 }
  Process.wait pid
end
WORKS = %i[f_sort f_compare f_gsub f_yield f_rescue f_deep f_fiber f_enum f_missing f_over f_send f_define f_eval f_catch f_ensure f_proc f_hash f_gc]
def t_thread(k, till) while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < till; send(WORKS[k % WORKS.size]); k += 1; end; end
$VERBOSE = nil
till = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + ARGV[0].to_f
threads = 8.times.map { |k| Thread.new { t_thread(k, till) } }
while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < till; f_fork; sleep 0.2; end
threads.each(&:join)
END
    check_stress ruby "$(command -v ruby)" stress.rb
}

long_php_stress() {
    command -v php >/dev/null && is_known_php || skip "this is not PHP 8.2 without threads"
    set_seconds
    cat >stress.php <<'END'
<?php
function b_burn() { $x = 0; for ($i = 0; $i < 100; $i++) $x += $i; return $x; }
function c_compare($a, $b) { b_burn(); return $a - $b; }
function f_usort() { $a = [3, 1, 2, 5]; usort($a, 'c_compare'); }
function m_map($x) { return b_burn(); }
function f_map() { array_map('m_map', [1, 2, 3]); }
function r_sub($m) { b_burn(); return "y"; }
function f_regex() { preg_replace_callback('/x/', 'r_sub', "xxxxx"); }
function g_inner($n) { for ($i = 0; $i < $n; $i++) yield b_burn(); }
function g_outer($n) { yield from g_inner($n); }
function f_generator() { foreach (g_inner(3) as $x); }
function f_from() { foreach (g_outer(3) as $x); }
function e_throw($n) { if ($n) e_throw($n - 1); else { b_burn(); throw new Exception("x"); } }
function f_catch() { try { e_throw(10); } catch (Exception $e) { } }
function f_finally() { try { b_burn(); } finally { b_burn(); } }
function d_deep($n) { return $n ? d_deep($n - 1) + 1 : b_burn(); }
function f_deep() { d_deep(60); }
class Node { function __destruct() { b_burn(); } }
function f_destruct() { for ($i = 0; $i < 3; $i++) { $n = new Node; unset($n); } }
class Magic { function __get($n) { return b_burn(); } function __call($n, $a) { return b_burn(); } static function __callStatic($n, $a) { return b_burn(); } function __toString() { b_burn(); return "x"; } }
function f_get() { $m = new Magic; $m->x; }
function f_call() { $m = new Magic; $m->y(); }
function f_static() { Magic::z(); }
function f_string() { $m = new Magic; "$m"; }
function f_closure() { $n = 3; $c = function ($x) use ($n) { return b_burn(); }; $c(1); (fn($x) => b_burn())(2); }
function f_eval() { eval('b_burn();'); }
function f_dynamic() { call_user_func('u_called', 3); call_user_func_array('u_called', [3]); }
function u_called($x) { b_burn(); }
function w_fiber() { for ($i = 0; $i < 3; $i++) { b_burn(); Fiber::suspend(1); } }
function f_fiber() { $f = new Fiber('w_fiber'); $f->start(); $f->resume(); $f->resume(); }
class It implements IteratorAggregate { function getIterator(): Iterator { return g_inner(3); } }
function f_iterator() { foreach (new It as $x); iterator_to_array(new It); }
$works = ['f_usort', 'f_map', 'f_regex', 'f_generator', 'f_from', 'f_catch', 'f_finally', 'f_deep', 'f_destruct', 'f_get', 'f_call', 'f_static', 'f_string', 'f_closure', 'f_eval', 'f_dynamic', 'f_fiber', 'f_iterator'];
function now() { $u = getrusage(); return $u["ru_utime.tv_sec"] + $u["ru_utime.tv_usec"] / 1e6; }
function t_main($s) { global $works; $end = now() + $s; for ($k = 0; $k % 16 || now() < $end; $k++) $works[$k % count($works)](); }
t_main((float)$argv[1]);
END
    check_stress php php stress.php
}

run_cases "$@"
