#!/bin/bash
# SPDX-License-Identifier: MIT
#
# profil, sprofil and pcsample, served to real programs: they return and count the right values, and change nothing
# else. calls-survival.sh tests what happens when ptprofil is killed.

. "$(dirname "$0")/lib.sh"

# serves STATUS TARGET...: TARGET must end with STATUS under ptprofil. SERVE_OPTIONS: more options of ptprofil.
serves() {
    local expected=$1 status=0
    shift
    # shellcheck disable=SC2086  # options are words
    within 60 "$PTPROFIL" -q -v ${SERVE_OPTIONS:-} -- "$TARGETS/$1" "${@:2}" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "status $status, not $expected: $*" "$(tail -n 5 err)"
}

expect_served() { # expect_served LEAST
    [ "$(count_of err served)" -ge "$1" ] || fail "fewer than $1 calls were served" "$(cat err)"
}

expect_planted() { # expect_planted NUMBER
    [ "$(count_of err planted)" = "$1" ] || fail "$(count_of err planted) bytes planted, not $1" "$(cat err)"
}

#
# Programs compiled with -pg
#

# gprof_share PROGRAM GMON FUNCTION: prints the function's share of the time, in percent.
gprof_share() {
    gprof -b -p "$TARGETS/$1" "$2" | awk -v name="$3" '$NF == name { share = $1 } END { printf "%.2f\n", share }'
}

gprof_seconds() { # gprof_seconds PROGRAM GMON: the sum of all times
    gprof -b -p "$TARGETS/$1" "$2" | awk '$1 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.]+$/ { sum += $3 } END { printf "%.2f\n", sum }'
}

functions='has_half has_three_tenths has_three_twentieths'

# has_shares GMON POINTS: each function's share in GMON must differ by at most POINTS percent from the share that the
# program measured itself.
has_shares() {
    local function all
    all=$(truth_of out functions)
    for function in $functions; do
        near "$function" "$(gprof_share "$program" "$1" "$function")" \
            "$(awk -v part="$(truth_of out "$function")" -v all="$all" 'BEGIN { print 100 * part / all }')" "$2"
    done
}

# The same program, alone and under ptprofil: with 2,000 ticks, no function's share differs by more than 3 points, on a
# machine that is not busy otherwise.
agrees() {
    local function program=$1
    need gprof
    if [ -z "$full" ]; then
        SERVE_OPTIONS=--hz=2000 serves 0 "$program" -w 1000
        has_shares gmon.out 6
        return
    fi
    within 60 "$TARGETS/$program" 20000 >out || fail "it does not work alone"
    mv gmon.out alone
    serves 0 "$program" -w 20000
    has_shares gmon.out 3
    for function in $functions; do
        near "$function, against alone" "$(gprof_share "$program" gmon.out "$function")" \
            "$(gprof_share "$program" alone "$function")" 3
    done
}

case_gprof_pie() {
    agrees gprof_pie
    expect_served 2
}

long_gprof_nopie() {
    agrees gprof_nopie
}

long_gprof_static() {
    agrees gprof_static
    expect_planted 1
}

long_gprof_static_pie() {
    agrees gprof_static_pie
    expect_planted 1
}

# Alone, the program's own timer and the C library's profil take each other's signals.
long_gprof_own_timer() {
    local cpu_s
    need gprof
    serves 0 gprof_pie -t -w 1500
    cpu_s=$(awk -v us="$(truth_of out profiled)" 'BEGIN { print us / 1e6 }')
    near "seconds in gmon.out" "$(gprof_seconds gprof_pie gmon.out)" "$cpu_s" 0.1
    near "signals of its own timer" "$(truth_of out signals)" "$(awk -v s="$cpu_s" 'BEGIN { print s * 100 }')" 50
}

# By the rules of Linux the children of a program do not profile, but write what was counted before the fork. By the
# rules of FreeBSD they do profile.
long_gprof_children() {
    local file sum=0 count=0
    need gprof
    export GMON_OUT_PREFIX=gmon
    serves 0 gprof_pie -f 2 600
    [ "$(find . -name 'gmon.*' | wc -l)" = 3 ] || fail "not three files:" "$(ls)"
    rm -f gmon.*
    SERVE_OPTIONS=--semantics=freebsd serves 0 gprof_pie -f 2 600
    for file in gmon.*; do
        sum=$(awk -v a="$sum" -v b="$(gprof_seconds gprof_pie "$file")" 'BEGIN { print a + b }')
        count=$((count + 1))
    done
    [ $count = 3 ] || fail "not three files:" "$(ls)"
    near "seconds in all files" "$sum" 0.6 0.1
}

# The rate of the ticks does not depend on --rate, and the ticks are spread over all code that runs.
long_rates() {
    local rate program=gprof_pie
    need gprof
    for rate in 1 5000; do
        SERVE_OPTIONS="-F $rate" serves 0 gprof_pie 1000
        near "ticks at -F $rate" "$(count_of err ticks)" "$(($(truth_of out profiled) / 10000))" 2
    done
    SERVE_OPTIONS='-F 1 --hz=2000' serves 0 gprof_pie 1000
    near "ticks at -F 1 --hz=2000" "$(count_of err ticks)" "$(($(truth_of out profiled) / 500))" 10
    has_shares gmon.out 6
}

# placed LEAST OPTIONS ARGUMENTS...: runs call_phases, which profiles one of its two loops. At least LEAST percent of
# the ticks that passed in this loop must be counted there. OPTIONS are ptprofil's.
placed() {
    SERVE_OPTIONS=$2 serves 0 call_phases "${@:3}"
    awk -v least="$1" '{ of[$1] = $2 } END { exit !(of["passed"] > 0 && of["placed"] * 100 >= of["passed"] * least) }' out ||
        off "$2: call_phases ${*:3}: placed fewer than $1 %:" "$(cat out)"
}

phases=30
[ -z "$full" ] || phases=200

# A tick counts where the program is at that time, whatever --rate is, and not where the next sample finds it.
case_ticks_fall_in_place() {
    placed 92 '-F 1' 15 $phases
    placed 85 --hz=1000 -z 1000 3 $((phases * 5))
}

long_ticks_fall_in_place() {
    local rate
    for rate in 100 5000; do
        placed 85 "-F $rate" 15 $phases
    done
    placed 85 '' -d 15 $phases
}

long_ticks_of_many_fall_in_place() {
    placed 85 '' -p 2 15 $phases
    placed 80 '' -t 2 15 $phases
    placed 80 --hz=1000 -z 1000 -p 2 15 $phases
}

# However a process ends, all ticks of its CPU time are counted before.
case_ends() {
    local kind count=6
    [ -z "$full" ] || count=200
    for kind in exit _exit signal killed parent thread fault; do
        serves 0 call_ends $kind $count
        [ "$(truth_of out more)" -le $((count / 2)) ] || off "$kind: more ticks than passed" "$(cat out)"
    done
}

# A core file has the program's own code, without breakpoints.
case_core() {
    local program core
    ulimit -S -c unlimited 2>/dev/null || skip "core files are not allowed here"
    case $(cat /proc/sys/kernel/core_pattern) in [!/\|]*) ;; *) skip "core files do not come here" ;; esac
    for program in gprof_pie gprof_static; do
        rm -f core*
        serves 134 $program -a -w 100
        core=$(find . -name 'core*' | head -n 1)
        [ "$core" ] || skip "no core file was written"
        "$TARGETS/core_text" "$core" >text || fail "$program: $(cat text)"
        [ "$(truth_of text compared)" -gt 0 ] || skip "the core holds no code"
    done
}

#
# Calls without a pause, and in the middle of other things
#

storm_calls=2500
[ -z "$full" ] || storm_calls=100000

case_storm_of_profil() {
    serves 0 call_storm profil -t 4 -n $storm_calls
    expect_served $((4 * storm_calls))
}

case_storm_of_pcsample() {
    serves 0 call_storm pcsample -t 4 -n $storm_calls
    expect_served $((4 * storm_calls))
}

case_storm_of_many_threads() {
    serves 0 call_storm pcsample -t 32 -n $((storm_calls / 20))
    serves 0 call_storm profil -t 32 -n $((storm_calls / 20))
}

case_faults_of_its_own() {
    serves 0 call_faults 1
    expect_served 100
    [ "$(truth_of out rounds)" -gt 10 ] || fail "$(cat out)"
}

# Unhandled signals that are blocked and pending must not be absorbed by the signal of a request.
case_pending() {
    SERVE_OPTIONS=--calls=on serves 0 call_pending
    expect_served 140
}

case_errno() {
    local system
    for system in freebsd darwin; do
        SERVE_OPTIONS=--semantics=$system serves 0 call_errors $system
    done
}

# A breakpoint at profil costs a program that blocks SIGILL its handler, because the kernel resets it. A jump costs nothing.
# A program that refers to prctl gets a breakpoint.
case_blocked_sigill() {
    need gcc
    cat >blocked.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static unsigned short cells[16];
static void handle(int sig) { (void)sig; }
int main(void)
{
    struct sigaction now, wanted = {.sa_handler = handle};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGILL);
    REFER;
    sigaction(SIGILL, &wanted, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int result = profil(cells, sizeof cells, 0, 0);
    sigaction(SIGILL, NULL, &now);
    puts(result < 0 ? "failed" : now.sa_handler == handle ? "kept" : "lost");
    return 0;
}
END
    gcc -O1 '-DREFER=' -o jump blocked.c && gcc -O1 '-DREFER=prctl(PR_GET_NAME, (char[16]){0})' -o breakpoint blocked.c || fail "gcc"
    within 20 "$PTPROFIL" -q --calls=on -o profile.folded -- ./jump >out 2>err && grep -qx kept out || fail "by a jump:" "$(cat out err)"
    within 20 "$PTPROFIL" -q --calls=on -o profile.folded -- ./breakpoint >out 2>err && grep -qx lost out ||
        fail "by a breakpoint:" "$(cat out err)"
}

#
# Which functions named profil are served
#

case_own_profil() {
    local calls
    for calls in auto on; do
        SERVE_OPTIONS="--semantics=freebsd --calls=$calls" serves 0 call_own exe
        SERVE_OPTIONS="--semantics=freebsd --calls=$calls" serves 0 call_loader own "$TARGETS/call_plugin_own.so"
        [ "$(count_of err served)" = 0 ] || fail "a function of the program's own was served" "$(cat err)"
    done
}

# A program may restrict itself after its start so that a stub could not make its system calls.
case_filter_of_its_own() {
    local mode status
    for mode in auto on; do
        status=0
        within 20 "$PTPROFIL" -q --calls=$mode -o profile.folded -- "$TARGETS/call_filter" >out 2>err || status=$?
        [ $status != 77 ] || skip "no filters here"
        [ $status = 0 ] || fail "--calls=$mode: status $status" "$(cat err)"
    done
}

# The same before the program opens a library.
case_filter_before_a_library() {
    local mode status
    for mode in auto on; do
        status=0
        within 20 "$PTPROFIL" -q --calls=$mode -o profile.folded -- "$TARGETS/call_filter_by_number" "$TARGETS/call_plugin.so" >out 2>err ||
            status=$?
        [ $status != 77 ] || skip "no filters here"
        [ $status = 0 ] || fail "--calls=$mode: status $status" "$(cat err)"
    done
}

# A program that does not refer to profil itself is served only with --calls=on, when it opens a library that does.
case_opened_library() {
    local mode
    for mode in '' -m; do
        # shellcheck disable=SC2086  # nothing, or an option
        SERVE_OPTIONS="--semantics=freebsd" serves 0 call_loader unserved $mode "$TARGETS/call_plugin.so"
        expect_planted 0
        # shellcheck disable=SC2086
        SERVE_OPTIONS="--semantics=freebsd --calls=on" serves 0 call_loader served $mode "$TARGETS/call_plugin.so"
    done
}

# A library is opened with a C library of its own (dlmopen), closed, and opened again at the same address.
case_opened_again_and_again() {
    SERVE_OPTIONS="--semantics=freebsd --calls=on" serves 0 call_loader served -m -n 20 "$TARGETS/call_plugin.so"
    expect_served 60
}

case_calls_off() {
    SERVE_OPTIONS="--semantics=freebsd --calls=off" serves 0 call_loader unserved "$TARGETS/call_plugin.so"
    SERVE_OPTIONS=--calls=off serves 0 gprof_pie -c 200
    expect_planted 0
}

#
# Children
#

kinds='fork vfork exec spawn clone_vm thread_fork'

case_children() {
    local kind
    for kind in $kinds; do
        serves 0 call_family "$kind" -n 10
        expect_served 10
    done
    SERVE_OPTIONS=--semantics=freebsd serves 0 call_family all -n 5
}

# Children that are not followed run without the calls, and do not meet a breakpoint that was planted for their parent.
case_children_not_followed() {
    local kind
    for kind in $kinds; do
        SERVE_OPTIONS=--no-follow serves 0 call_family "$kind" -u -n 10
    done
    SERVE_OPTIONS=--no-follow serves 0 gprof_pie -f 2 300
}

# No breakpoint is left in memory that a process still uses when it is not followed.
case_heir_not_followed() {
    local calls
    for calls in auto on; do
        rm -f end
        SERVE_OPTIONS="--no-follow --calls=$calls" serves 0 call_heir end
        poll_until 20 test -s end || fail "the child did not live"
    done
}

# An untraced child also has the breakpoints and jumps: its calls are the C library's own.
case_untraced_children() {
    local calls
    for calls in auto on; do
        SERVE_OPTIONS="--calls=$calls" serves 0 call_untraced
        SERVE_OPTIONS="--calls=$calls" serves 0 call_untraced_filters
        SERVE_OPTIONS="--no-follow --calls=$calls" serves 0 call_untraced
    done
}

# A handler of a signal that another thread sends may leave a call by longjmp. The signal mask is then the program's
# own.
case_left_by_handlers() {
    SERVE_OPTIONS="--calls=on" serves 0 call_left profil
    SERVE_OPTIONS="--calls=on" serves 0 call_left pcsample
}

case_daemon() {
    local calls
    for calls in auto on; do
        rm -f ready end
        SERVE_OPTIONS=--calls=$calls serves 0 call_family daemon -r ready -o end -s 0.6
        poll_until 20 test -e end || fail "the daemon did not end well" "$(cat err)"
    done
}

#
# Hostile programs
#

case_hostile_requests() {
    serves 0 call_hostile requests
    expect_served 100
}

case_hostile_buffers() {
    serves 0 call_hostile buffers
}

long_hostile_races() {
    serves 0 call_hostile races
}

case_hostile_text() {
    serves 0 call_hostile text
}

case_hidden() {
    serves 0 call_hostile hidden
    expect_served 41
}

# Descriptors for the children's memory run out.
case_few_files() {
    ulimit -n 24
    serves 0 call_family fork -n 10
    SERVE_OPTIONS="-d 0.2" serves 0 call_family all -s 0.4
}

case_images_end_in_calls() {
    local times=20
    [ -z "$full" ] || times=300
    serves 0 call_images execs $times
    SERVE_OPTIONS=--no-follow serves 0 call_images execs $times
}

case_images_end_while_they_load() {
    SERVE_OPTIONS=--calls=on serves 0 call_images loads "$TARGETS/call_plugin.so"
}

case_hostile_file() {
    SERVE_OPTIONS=--calls=on serves 0 call_images maps "$TARGETS/call_far.so"
    expect_served 1
}

#
# Sampling ends while calls are made
#

closes=1
[ -z "$full" ] || closes=100

# After a random time all processes are released: their code and C library are as if nothing had been changed.
case_closed_in_a_storm() {
    local i
    for ((i = 0; i < closes; i++)); do
        SERVE_OPTIONS="-d 0.$(printf %03d $((SRANDOM % 300 + 10)))" serves 0 call_storm profil -t 4 -s 0.5 -c
    done
}

case_closed_among_children() {
    local i kind
    for ((i = 0; i < closes; i++)); do
        for kind in $kinds; do
            SERVE_OPTIONS="-d 0.$(printf %03d $((SRANDOM % 200 + 10)))" serves 0 call_family "$kind" -s 0.3
        done
    done
}

case_closed_while_pcsample_runs() {
    local i
    for ((i = 0; i < closes; i++)); do
        SERVE_OPTIONS="-d 0.$(printf %03d $((SRANDOM % 200 + 10)))" serves 0 call_storm pcsample -t 4 -s 0.4 -e
    done
}

# Sampling ends while the program works. The program fails its check if sampling has ended before it begins to work; the
# case then tries a longer time.
long_closed_in_a_gprof_program() {
    local program seconds status
    for program in gprof_pie gprof_static; do
        for seconds in 0.2 0.8 3; do
            status=0
            within 60 "$PTPROFIL" -q -v -d $seconds -- "$TARGETS/$program" -w -c 500 >out 2>err || status=$?
            ! grep -q 'not so: !watched' err || continue
            break
        done
        [ $status = 0 ] || fail "status $status: $program, $seconds s" "$(tail -n 5 err)"
    done
}

# ptprofil forwards SIGTERM and SIGHUP to the command, which dies of them.
case_told_to_end() {
    local signal front status
    for signal in TERM HUP; do
        rm -f ready
        status=0
        "$PTPROFIL" -q -v -- "$TARGETS/call_storm" profil -t 4 -r ready >out 2>err &
        front=$!
        poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)"
        kill -$signal $front
        wait $front 2>/dev/null || status=$?
        [ $status = $((128 + $(kill -l $signal))) ] || fail "status $status after SIG$signal" "$(cat err)"
    done
}

#
# Programs without calls
#

write_tree() {
    local i
    mkdir tree
    for i in 1 2 3 4 5 6; do
        printf '#include <stdio.h>\nint part_%d(void) { return printf("%d\\n"); }\n' $i $i >tree/part_$i.c
    done
    cat >tree/Makefile <<'END'
parts = part_1.o part_2.o part_3.o part_4.o part_5.o part_6.o
all: program library.a
	@echo built
program: main.o library.a
	$(CC) -o $@ main.o library.a
library.a: $(parts)
	ar rcD $@ $(parts)
main.c: Makefile
	sed -n 's/^# //p' Makefile >$@
# #include <stddef.h>
# int part_1(void);
# int main(void) { return part_1() < 0; }
END
}

# built_alike CALLS: a build in its own copy of the tree, under ptprofil --calls=CALLS, gives the same files and output.
built_alike() {
    cp -R tree "$1"
    within 120 "$PTPROFIL" -q -v --calls="$1" -- make -C "$1" -j2 >out 2>err || fail "make failed" "$(tail err)"
    sed "s,/$1',/alone',g" out | sort >"$1.out"
    sort alone.out | cmp - "$1.out" || fail "other output with --calls=$1" "$(diff alone.out "$1.out")"
    rm out
    diff -r alone "$1" || fail "another program with --calls=$1"
}

long_make() {
    need make cc ar
    write_tree
    cp -R tree alone
    make -C alone -j2 >alone.out 2>&1 || skip "make does not work here"
    built_alike auto
    expect_planted 0
    built_alike on
    [ "$(count_of err planted)" -gt 0 ] || fail "nothing was planted" "$(cat err)"
}

# front_lies_still_until FILE: when the program has made "ready", stops $front and makes "go" for the program. Continues
# $front when the program has made FILE.
front_lies_still_until() {
    poll_until 20 test -e ready || fail "not ready" "$(cat err)"
    kill -STOP "$front"
    touch go
    poll_until 30 test -e "$1" || fail "the program does not go on" "$(show_family "$front")"
    kill -CONT "$front"
}

# At each exec, the tracer asks the front for the addresses of the calls. Without an answer, the program goes on after
# half a second.
case_front_lies_still() {
    local front
    # shellcheck disable=SC2016  # for the inner shell
    "$PTPROFIL" -q --calls=on -- sh -c 'echo $$ >ready; until [ -e go ]; do :; done
        for i in 1 2 3; do env true; done; echo done >end' 2>err &
    front=$!
    front_lies_still_until end
    wait $front || fail "status $?" "$(cat err)"
}

# unserved WORDS ARGUMENTS...: ptprofil says one line with these words about the calls.
unserved() {
    "$PTPROFIL" -o out.folded "${@:2}" >out 2>err || fail "$*: status $?" "$(cat err)"
    grep -q "$1" err || fail "not said: $1" "$(cat err)"
    [ "$(grep -cE 'call was served|C library.s own' err)" = 1 ] || fail "more than one line" "$(cat err)"
}

# A user who asks for the calls is told why none was served, and only then.
case_unserved_calls_are_explained() {
    local target option
    unserved 'keeps_own, process [0-9]*): it refers to prctl' --semantics=freebsd -- "$TARGETS/keeps_own"
    unserved 'keeps_own, process [0-9]*): it refers to prctl' --calls=on -- "$TARGETS/keeps_own"
    unserved 'no program refers to profil' --semantics=freebsd -- env true
    sleep 60 &
    target=$!
    unserved 'running processes need --calls=on' --semantics=freebsd -d 0.2 -p $target
    kill $target
    for option in --calls=auto --calls=off '--semantics=freebsd --calls=off' '--calls=off --semantics=freebsd' '-q --semantics=freebsd'; do
        # shellcheck disable=SC2086  # words
        "$PTPROFIL" -o out.folded $option -- "$TARGETS/keeps_own" >out 2>err || fail "$option: status $?" "$(cat err)"
        ! grep -E 'call was served|C library.s own' err || fail "said with $option"
    done
}

# A front that is stopped answers late. The program has begun by then, and its calls are served from then on.
case_late_answer() {
    local front
    # shellcheck disable=SC2016  # for the inner shell
    "$PTPROFIL" -v --semantics=freebsd -o out.folded -- sh -c 'echo $$ >ready; until [ -e go ]; do :; done
        exec "$0" begun call' "$TARGETS/late_call" 2>err &
    front=$!
    front_lies_still_until begun
    touch call
    wait $front || fail "no call is served: status $?" "$(cat err)"
    expect_served 1
}

# as_anybody CASE...: runs these cases as an ordinary user.
as_anybody() {
    local user="setpriv --reuid=65534 --regid=65534 --clear-groups"
    [ "$(id -u)" = 0 ] || skip "all of it is run as an ordinary user"
    need setpriv
    mkdir user
    chmod 777 user
    chmod 711 "$scratch"
    $user test -x "$PTPROFIL" -a -x "$TARGETS/gprof_pie" -a -r "$script_dir/lib.sh" -a -w user ||
        skip "the build tree is not for everybody"
    # shellcheck disable=SC2086  # words
    within 300 env HOME="$PWD/user" TMPDIR="$PWD/user" PTPROFIL="$PTPROFIL" TARGETS="$TARGETS" $user \
        bash "$script_dir/calls.sh" "$@" || fail "not as user 65534"
}

long_ordinary_user() {
    as_anybody core storm_of_profil storm_of_pcsample faults_of_its_own errno opened_library children \
        children_not_followed hidden closed_among_children make
}

# A case that measures. The inner script has its own lock, so the outer case must be among those that run alone.
long_ordinary_user_measures() {
    as_anybody gprof_static_pie
}

measures='gprof_pie gprof_nopie gprof_static gprof_static_pie gprof_own_timer gprof_children rates
    ticks_fall_in_place ticks_of_many_fall_in_place ordinary_user_measures'
run_cases "$@"
