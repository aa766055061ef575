#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Stored profiles: ptprofil and pprof read them. ptprofil merges, compares and filters them.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

# recorded NAME OPTION... -- COMMAND...: stores a profile as NAME.pb.gz
recorded() {
    local name=$1
    shift
    within 30 "$PTPROFIL" -q -F 1000 -o "$name.pb.gz" "$@" >out 2>err || fail "status $?: $*" "$(cat err)"
    [ -s "$name.pb.gz" ] || fail "no $name.pb.gz"
}

refused() { # refused PATTERN ARGUMENT...: status 125, and a message of one line that matches
    local pattern=$1 status=0
    shift
    within 30 "$PTPROFIL" report "$@" >refused.out 2>refused.err || status=$?
    [ $status = 125 ] || fail "status $status: report $*"
    grep -qE "^ptprofil: .*$pattern" refused.err || fail "no '$pattern': report $*" "$(cat refused.err)"
    [ "$(wc -l <refused.err)" = 1 ] && [ ! -s refused.out ] || fail "more than a message: $(cat refused.out refused.err)"
}

same() { # same FILE FILE
    cmp "$1" "$2" || fail "$1 and $2 differ:" "$(diff "$1" "$2" | head -n 10)"
}

# pprof_sums FILE: prints the sum of all samples' nanoseconds and the sum of their counts, as pprof reads them.
pprof_sums() {
    pprof -raw "$1" | awk '
        /^Samples:/ { samples = 1; next }
        /^Locations/ { samples = 0 }
        samples && /^ *-?[0-9]+ +-?[0-9]+( .*)?:/ { count += $1; ns += $2 }
        END { printf "%d %d\n", ns, count }'
}

pprof() {
    go tool pprof "$@" 2>pprof.err || fail "go tool pprof fails: $*" "$(cat pprof.err)"
}

need_pprof() {
    need go
    export HOME=$PWD PPROF_TMPDIR=$PWD GOFLAGS=
    go tool -n pprof >/dev/null 2>&1 || skip "go has no pprof here"
}

long_nothing_is_lost() {
    recorded a -o a.folded -o a.txt -o a.tree -o a.gmon -o a.html -o a.callgrind -o a.speedscope.json \
        -o a.json -o a.csv -o a.perf -- "$TARGETS/mix" -s 0.5
    report -o b.json -o b.csv -o b.perf -o b.pb.gz -o b.folded -o b.txt -o b.tree -o b.gmon -o b.html -o b.callgrind -o b.speedscope.json a.pb.gz
    for ending in pb.gz folded txt tree gmon html callgrind speedscope.json json csv perf; do
        same a.$ending b.$ending
    done
    report a.pb.gz >shown
    grep -q spin_half shown || fail "not on standard output:" "$(cat shown)"
    for by in module process thread line syscall; do
        report --by=$by -o by.txt a.pb.gz
        grep -q mix by.txt || [ $by = syscall ] || fail "--by=$by:" "$(cat by.txt)"
        awk '$NF == "total" { print $1, $2 }' by.txt | head -n 1 >by
        awk '$NF == "total" { print $1, $2 }' a.txt | head -n 1 >function
        same function by
    done
}

case_of_several_processes() {
    recorded a -o a.folded -o a.txt -- sh -c "'$TARGETS/mix' -s 0.3; '$TARGETS/kernel_half' -s 0.3; true"
    report -o b.pb.gz -o b.folded -o b.txt a.pb.gz
    for ending in pb.gz folded txt; do
        same a.$ending b.$ending
    done
    grep -q 'kernel_half;.*;\[read\]' b.folded || fail "no system call:" "$(cat b.folded)"
}

case_pprof_reads_it() {
    need_pprof
    recorded a --unsampled=separate -o a.folded -- sh -c "'$TARGETS/mix' -s 0.5; '$TARGETS/kernel_half' -s 0.3"
    read -r ns count < <(pprof_sums a.pb.gz)
    [ "$(((ns + 500) / 1000))" = "$(total_of a.folded)" ] || fail "pprof has $ns ns, folded $(total_of a.folded) us"
    report a.pb.gz >flat
    [ "$(awk '$NF == "total" { print $1; exit }' flat)" = "$count" ] || fail "pprof has $count samples:" "$(cat flat)"
    pprof -top -unit=us -nodecount=1000 -nodefraction=0 a.pb.gz >top
    for name in spin_half '[read]' '[unsampled]'; do
        near "$name, us" "$(awk -v name="$name" '$NF == name { print $1 + 0 }' top)" "$(last_frame_weight a.folded "$name")" 2
    done
    pprof -tags a.pb.gz >tags
    for tag in pid tid comm process; do
        grep -q "^ *$tag: Total" tags || fail "no label $tag:" "$(cat tags)"
    done
    grep -q 'mix' tags || fail "$(cat tags)"
    pprof -tree -unit=us -nodecount=1000 -nodefraction=0 -edgefraction=0 a.pb.gz >tree
    near "what work has in pprof's tree, us" "$(awk 'NF == 7 && $6 == "|" && $7 == "work" { print $4 + 0; exit }' tree)" \
        "$(matching_weight a.folded ';work(;|$)')" 2
    pprof -comments a.pb.gz | grep -q "mix' -s 0.5" || fail "the command is no comment"
}

# pprof shows the names of inlined calls with parentheses and templates.
case_pprof_shows_whole_names() {
    need_pprof
    need g++
    cat >program.cc <<'END'
namespace {
template <int step> struct counter {
    volatile unsigned long sum = 0;
    __attribute__((always_inline)) void operator()() { for (unsigned long i = 0; i < 100000000; i++) sum = sum + step; }
};
}
int main() { counter<3> count; count(); }
END
    g++ -g -O1 program.cc -o program || fail "g++"
    recorded a -- ./program
    pprof -top a.pb.gz >top
    grep -qF ' (anonymous namespace)::counter<3>::operator()' top || off "$(cat top)"
    report --names=full a.pb.gz >flat
    grep -qF ' (anonymous namespace)::counter<3>::operator()' flat || off "$(cat flat)"
}

# pprof reads a profile and writes it again, without ptprofil's own fields.
long_through_pprof() {
    need_pprof
    # Without these fields, the time of short processes is estimated from the periods of their samples.
    recorded a -o a.folded -- sh -c "'$TARGETS/mix' -s 0.3; '$TARGETS/kernel_half' -s 0.3; '$TARGETS/brief' exec 40 truth"
    pprof -proto -output=b.pb.gz a.pb.gz >/dev/null
    report -o b.folded b.pb.gz
    same a.folded b.folded
    gunzip -c <b.pb.gz >b.pb
    report -o c.folded - <b.pb
    same a.folded c.folded
}

# Names that look like syntax, or that must not be printed on a terminal.
case_hostile_names() {
    need_pprof
    local name=$'a;b "c"\n\xff'
    cp "$TARGETS/mix" "$name" || skip "no such file names here"
    recorded a -o a.folded -o a.txt -- "./$name" -s 0.3
    report -o b.folded -o b.txt a.pb.gz
    same a.folded b.folded
    same a.txt b.txt
    pprof -top a.pb.gz >top
    grep -q spin_half top || fail "$(cat top)"
    pprof -raw a.pb.gz | iconv -f UTF-8 -t UTF-8 >/dev/null || fail "not UTF-8"
}

long_merge() {
    recorded a -o a.folded -- "$TARGETS/mix" -s 0.3
    recorded b -o b.folded -- "$TARGETS/mix" -s 0.3
    report -o both.folded a.pb.gz b.pb.gz
    awk '{ weight = $NF; sub(/ [0-9]+$/, ""); sum[$0] += weight } END { for (line in sum) print line, sum[line] }' \
        a.folded b.folded | sort >expected
    # Each file rounds the weights.
    sort both.folded | paste -d '\t' - expected | awk -F '\t' '{
        split($1, a, " "); split($2, b, " ")
        if (a[1] != b[1] || a[2] - b[2] > 2 || b[2] - a[2] > 2) { print; bad = 1 }
    } END { exit bad }' || fail "not the sum of both"
    report -o twice.txt a.pb.gz a.pb.gz
    report -o once.txt a.pb.gz
    [ "$(awk '$NF == "total" { print $1; exit }' twice.txt)" = $((2 * $(awk '$NF == "total" { print $1; exit }' once.txt))) ] ||
        fail "twice is not double:" "$(cat once.txt twice.txt)"
}

case_diff() {
    recorded a -o a.folded -- "$TARGETS/mix" -s 0.3
    recorded b -o b.folded -- "$TARGETS/mix" -s 0.6
    report --diff=a.pb.gz a.pb.gz >none
    grep -q ', 0 s (0.0 %) more' none || fail "a profile differs from itself:" "$(cat none)"
    ! sed 's#/[^ ]*/mix##' none | grep -qE '[+-][0-9]' || fail "a profile differs from itself:" "$(cat none)"
    report --diff=a.pb.gz b.pb.gz >more
    grep -qE '\+[0-9.]+ .*spin_half' more || fail "twice the time is no more:" "$(cat more)"
    report --diff=b.pb.gz a.pb.gz >less
    grep -qE ' -[0-9.]+ .*spin_half' less || fail "half the time is no less:" "$(cat less)"
    report --diff=a.pb.gz -o diff.folded b.pb.gz
    ! grep -vE '^[^;]+(;[^;]+)+ [0-9]+ [0-9]+$' diff.folded || fail "a malformed line"
    [ "$(awk '{ sum += $(NF - 1) } END { print sum }' diff.folded)" = "$(total_of a.folded)" ] || fail "not the base's total"
    [ "$(total_of diff.folded)" = "$(total_of b.folded)" ] || fail "not the profile's total"
}

# Processes have other numbers in another run. If one side becomes empty, a message says so, and no percentages of it
# are shown.
case_diff_with_nothing() {
    recorded a -- "$TARGETS/mix" -s 0.2
    recorded b -- sh -c "echo \$\$ >pid; exec '$TARGETS/mix' -s 0.2"
    local pid
    pid=$(cat pid)
    within 30 "$PTPROFIL" report --pid="$pid" --diff=a.pb.gz b.pb.gz >out 2>err || fail "status $?" "$(cat err)"
    [ "$(cat err)" = "ptprofil: --diff: nothing in the base 'a.pb.gz' fits --pid=$pid" ] || fail "$(cat err)"
    grep -qE " of CPU time, [0-9.]+ m?s more than the base's 0 s" out || fail "$(cat out)"
    within 30 "$PTPROFIL" report --pid="$pid" --diff=b.pb.gz a.pb.gz >out 2>err || fail "status $?" "$(cat err)"
    [ "$(cat err)" = "ptprofil: --diff: nothing in 'a.pb.gz' fits --pid=$pid, but in the base" ] || fail "$(cat err)"
    within 30 "$PTPROFIL" report --comm=mix --diff=a.pb.gz b.pb.gz >out 2>err && [ ! -s err ] || fail "$(cat err)"
}

# Profiles of CPU time and of wall time are not compared without a warning, because only wall time has waits.
case_two_clocks() {
    recorded a -- "$TARGETS/mix" -s 0.2
    recorded b --clock=wall -- "$TARGETS/mix" -s 0.2
    local status
    # On a slow machine there may be hints.
    report a.pb.gz a.pb.gz >none 2>err && ! grep -v 'ptprofil: hint: ' err || fail "$(cat err)"
    report b.pb.gz b.pb.gz >none 2>err && ! grep -v 'ptprofil: hint: ' err || fail "$(cat err)"
    for status in 'a.pb.gz b.pb.gz' 'b.pb.gz a.pb.gz a.pb.gz' '--diff=a.pb.gz b.pb.gz' '--diff=b.pb.gz a.pb.gz'; do
        # shellcheck disable=SC2086 # words
        within 30 "$PTPROFIL" report $status >out 2>err || fail "status $?" "$(cat err)"
        [ "$(grep -vc 'ptprofil: hint: ' err)" = 1 ] && grep -q 'CPU time.*wall time' err || fail "$status:" "$(cat err)"
    done
}

long_diff_in_pprof() {
    need_pprof
    recorded a -- "$TARGETS/mix" -s 0.3
    recorded b -- "$TARGETS/mix" -s 0.6
    report --diff=a.pb.gz -o diff.pb.gz b.pb.gz
    read -r before _ < <(pprof_sums a.pb.gz)
    read -r after _ < <(pprof_sums b.pb.gz)
    read -r difference _ < <(pprof_sums diff.pb.gz)
    [ "$difference" = $((after - before)) ] || fail "$after - $before ns is not $difference ns"
    pprof -top diff.pb.gz >top
    grep -q spin_half top || fail "$(cat top)"
    refused 'difference of two profiles' diff.pb.gz
}

# nothing OPTION...: no sample of a.pb.gz fits these options. A message says so, and no output is written.
nothing() {
    local status=0
    within 30 "$PTPROFIL" report "$@" -o none.folded -o - --format=tree -o none.tree a.pb.gz >nothing.out 2>nothing.err || status=$?
    [ $status = 1 ] || fail "status $status: $*" "$(cat nothing.err)"
    local what="$*"
    [[ $what != *--module=* ]] || what+=" (the module of a sample's own function, not of its callers)"
    [ "$(cat nothing.err)" = "ptprofil: nothing in 'a.pb.gz' fits $what" ] || fail "$(cat nothing.err)"
    [ ! -s nothing.out ] && [ ! -e none.folded ] && [ ! -e none.tree ] || fail "a report of nothing: $*"
}

# With filters, the share of a function is still its share of the whole profile, and the head has the shares of the
# filters.
case_a_part_is_one_of_the_whole() {
    recorded a -o a.txt -- "$TARGETS/mix" -s 0.4
    report --focus='^spin_half$' --comm=mix --focus=no_such -o part.txt -o part.tree a.pb.gz
    local share
    share=$(awk '$7 == "spin_half" { print $3 }' a.txt)
    [ -n "$share" ] && [ "$(awk '$7 == "spin_half" { print $3 }' part.txt)" = "$share" ] || fail "not $share:" "$(cat part.txt)"
    grep -qE "^--focus=.spin_half. --focus=no_such: ${share%?} % of [0-9.]+ m?s$" part.txt &&
        grep -qE "^and --comm=mix: ${share%?} % of [0-9.]+ m?s$" part.txt || fail "not $share:" "$(cat part.txt)"
    [ "$(awk '$NF == "total" { print $3; exit }' part.txt)" = "$share" ] || fail "not $share:" "$(cat part.txt)"
    awk 'NR == 1 { next } { print $1; exit }' part.tree | grep -qxF "$share" || fail "not $share:" "$(cat part.tree)"
}

case_parts() {
    recorded a -o a.folded -- sh -c "'$TARGETS/mix' -s 0.4; '$TARGETS/kernel_half' -s 0.3"
    local option
    while IFS=$'\t' read -r option pattern; do
        report "$option" -o part.folded a.pb.gz
        near "$option" "$(total_of part.folded)" "$(matching_weight a.folded "$pattern")" 20
        [ -s part.folded ] || fail "$option: nothing is left"
    done <<'END'
--focus=^spin_half$	;spin_half(;|$)
--focus=spin_half|spin_fifth	;spin_(half|fifth)(;|$)
--focus=\[read\]	;\[read\]$
--comm=mix	^mix;
--module=[kernel]	;\[([^u]|u[^n])[a-z_0-9]*\]$
END
    report --ignore='spin_half|no samples' -o part.folded a.pb.gz
    expect_absent part.folded 'spin_half|no samples'
    near "--ignore" "$(total_of part.folded)" \
        $(($(total_of a.folded) - $(matching_weight a.folded 'spin_half|no samples'))) 20
    nothing --focus=no_such_function --comm=mix
    nothing --module=no_such_file
    nothing --callers=no_such_function
    nothing --callees=no_such_function
}

case_by_number() {
    recorded a -o a.folded -- sh -c "echo \$\$ >pid; exec '$TARGETS/mix' -s 0.3"
    report --pid="$(cat pid)" -o part.folded a.pb.gz
    same a.folded part.folded
    nothing --pid=1
}

long_of_a_go_program() {
    need_pprof
    mkdir program && cd program || return
    cat >main.go <<'END'
package main

import (
	"os"
	"runtime/pprof"
	"syscall"
)

// Microseconds of CPU time, as elapsed time grows when the machine is busy.
func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return (usage.Utime.Sec+usage.Stime.Sec)*1000000 + usage.Utime.Usec + usage.Stime.Usec
}

//go:noinline
func busy(end int64) (n int) {
	for used() < end {
		for i := 0; i < 100000; i++ {
			n += i % 7
		}
	}
	return
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil || pprof.StartCPUProfile(f) != nil {
		os.Exit(1)
	}
	busy(used() + 1000000)
	pprof.StopCPUProfile()
	f.Close()
}
END
    GO111MODULE=off GOCACHE=${TMPDIR:-/tmp}/ptprofil-test.gocache within 200 go build -o program main.go >go.out 2>&1 ||
        skip "go builds nothing here: $(tail -n 1 go.out)"
    within 30 ./program a.pb.gz || fail "status $?"
    report -o a.folded a.pb.gz
    read -r ns _ < <(pprof_sums a.pb.gz)
    [ "$ns" -gt 0 ] && [ "$((ns / 1000))" = "$(total_of a.folded)" ] || fail "pprof has $ns ns, folded $(total_of a.folded) us"
    [ $((100 * $(matching_weight a.folded ';main.busy(;|$)'))) -ge $((80 * ns / 1000)) ] || fail "$(cat a.folded)"
    report -o b.pb.gz a.pb.gz
    pprof -top b.pb.gz >top
    grep -q main.busy top || fail "$(cat top)"
}

# Profiles that other programs could write: ptprofil shows them, or says why not. If pprof reads them the same way, both
# show the same.
case_of_other_programs() {
    need python3
    local name ns samples what
    python3 "$script_dir/foreign.py" . >list || fail "foreign.py"
    while read -r name ns samples; do
        if [ "$ns" = refused ]; then
            what=$(sed 's/[()]/./g' <<<"$samples")
            refused "'$name' .*$what" "$name"
            continue
        fi
        report -o a.folded -o a.txt -o a.html -o a.callgrind -o a.speedscope.json -o a.tree -o b.pb.gz "$name"
        [ "$(total_of a.folded)" = $((ns / 1000)) ] || fail "$name: $(total_of a.folded) us, not $ns ns"
        [ "$(awk '$NF == "total" && NF > 4 { print $1; exit }' a.txt)" = "$samples" ] || fail "$name: not $samples samples:" "$(cat a.txt)"
        report -o b.folded -o c.pb.gz b.pb.gz
        same a.folded b.folded
        same b.pb.gz c.pb.gz
    done <list
    [ "$(grep -c . list)" -gt 15 ] || fail "$(cat list)"
    report --format=tree -o - --focus=leaf plain >tree
    grep -q work tree && grep -q leaf tree || fail "$(cat tree)"
    report --by=line plain | grep -q 'foreign.c:30' || fail "no lines"
}

case_what_is_no_profile() {
    recorded a -- "$TARGETS/mix" -s 0.1
    head -c $(($(wc -c <a.pb.gz) - 20)) a.pb.gz >cut.pb.gz
    printf 'hello, world\n' >text
    : >empty
    gzip -c text >text.gz
    refused "cannot read the profile 'missing': No such file" missing
    refused "'cut.pb.gz' is damaged: its end is missing" cut.pb.gz
    refused "'text' is not a stored profile" text
    refused "'text.gz' is not a stored profile" text.gz
    refused "'empty' is empty" empty
    refused "'\.' cannot be read: Is a directory" .
    refused "'$TARGETS/mix' is a program, a library or a core file" "$TARGETS/mix"
    printf 'PERFILE2\150\0\0\0' >perf.data
    refused "'perf.data' is a file of 'perf record'; say: perf script -F .pid -i FILE" perf.data
    printf 'gmon\1\0\0\0' >gmon.out
    refused "'gmon.out' is a profile for gprof" gmon.out
    printf 'gmo' >short
    refused "'short' is not a stored profile" short
    "$PTPROFIL" report -q -o page.html a.pb.gz || fail "no page"
    refused "'page.html' is a page; open it in a browser" page.html
    refused "'text' is not a stored profile" a.pb.gz text
    refused "'text' is not a stored profile" --diff=text a.pb.gz
    refused "'text' is not a stored profile" -o made.txt text
    [ ! -e made.txt ] || fail "an output was made of nothing"
    refused "cannot write the output 'no/such/folder.txt'" -o no/such/folder.txt a.pb.gz
    for ending in speedscope.json callgrind tree; do
        refused 'shows no differences; formats that do are flat, folded, html, pprof' --diff=a.pb.gz -o x.$ending a.pb.gz
    done
}

case_damage_anywhere() {
    recorded a -- "$TARGETS/mix" -s 0.1
    gunzip -c a.pb.gz >a.pb
    local size at status
    size=$(wc -c <a.pb)
    for ((at = 0; at < size; at += size / 40 + 1)); do
        { head -c $at a.pb; printf '\377'; tail -c +$((at + 2)) a.pb; } >changed.pb
        status=0
        within 30 "$PTPROFIL" report changed.pb >out 2>err || status=$?
        case $status in 0 | 125) ;; *) fail "byte $at: status $status" "$(cat err)" ;; esac
    done
}

# A small file that unpacks to more than 512 MiB is refused.
long_bomb() {
    need gzip
    head -c 100000000 /dev/zero | tr '\0' '\50' | gzip -9c >one.gz # meaningless fields
    for _ in 1 2 3 4 5 6; do cat one.gz; done >bomb.pb.gz
    (
        ! is_sanitized && ulimit -v 3000000
        refused "is larger than 512 MiB" bomb.pb.gz
    ) || exit
}

case_in_place() {
    recorded a -o a.folded -- "$TARGETS/mix" -s 0.2
    cp a.pb.gz b.pb.gz
    report -o b.pb.gz b.pb.gz
    same a.pb.gz b.pb.gz
    refused 'format=folded: which -o is it for' -o - -o b --format=folded a.pb.gz
    report --format=folded -o - a.pb.gz >b.folded
    same a.folded b.folded
    report -o - --format=folded a.pb.gz >b.folded # it can only be the format's name
    same a.folded b.folded
    report --format=pprof -o - a.pb.gz | cmp - a.pb.gz || fail "other on standard output"
}

# A function that only calls others has a row, which is the first one with --sort=total. A line counts the rows that are
# left out, and -n all shows them.
case_rows() {
    recorded a -- "$TARGETS/mix" -s 0.4
    report -n all a.pb.gz >all
    awk '$7 == "main" && $1 == 0 && $4 + 0 > 50 { found = 1 } END { exit !found }' all || fail "no row of main:" "$(cat all)"
    report --sort=total -n 6 a.pb.gz >top
    awk '$1 == "samples" { rows = 1; next } rows && $7 == "spin_half" { exit 1 } rows && $7 == "main" { found = 1 }
        END { exit !found }' top || fail "main is not among the six largest totals:" "$(cat top)"
    others=$(sed -n 's/.*(\([0-9]*\) others: -n all shows them)$/\1/p' top)
    [ -n "$others" ] || fail "nothing is said of the others:" "$(cat top)"
    rows() { awk '/^ *samples/ { rows = 1; next } $NF == "total" { exit } rows { n++ } END { print n }' "$1"; }
    [ "$(rows all)" = $((others + 6)) ] || fail "$(rows all) rows, but six and $others others"
    [ "$(awk '$NF == "total" { print $1, $2 }' top)" = "$(awk '$NF == "total" { print $1, $2 }' all)" ] || fail "other totals"
}

# Figures about the sampler are shown with --verbose only. The advice about time without samples is always shown.
case_verbose() {
    recorded a -- "$TARGETS/mix" -s 0.2
    report a.pb.gz >plain
    ! grep -qE ' due|pause' plain || fail "figures of the sampler:" "$(cat plain)"
    report -v a.pb.gz >verbose
    grep -qE '^[0-9.]+ m?s at 1000 Hz: [0-9]+ samples of [0-9]+ due' verbose || fail "no figures of the sampler:" "$(cat verbose)"
    within 60 "$PTPROFIL" -q -F 1 -o short.pb.gz -- "$TARGETS/mix" -s 0.08 || fail "status $?"
    report short.pb.gz >out 2>err
    grep -q '\[no samples\]' out || off "samples of so little time:" "$(cat out)"
    awk '/\[no samples\]/ && $3 + 0 > 20 { much = 1 } END { exit !much }' out || off "little is unsampled:" "$(cat out)"
    grep -q '^ptprofil: hint: .*-F 20 ' err || fail "no hint:" "$(cat out err)"
}

case_a_terminal_holds_the_table() {
    need_terminal
    need stty gcc
    local i
    for i in {1..50}; do
        echo "__attribute__((noinline)) void f$i(void) { for (int i = 0; i < 30000000; i++) __asm__ volatile(\"\"); }"
    done >program.c
    { echo 'int main(void) {'; printf 'f%d();' {1..50}; echo '}'; } >>program.c
    gcc -O1 program.c -o program || fail "gcc"
    recorded a -- ./program
    TERM=xterm within 20 script -qec "stty rows 30 cols 80; '$PTPROFIL' report a.pb.gz" typescript >seen || fail "$(cat seen)"
    grep -q ' others: -n all shows them)' seen || off "not more functions than lines:" "$(cat seen)"
    [ "$(wc -l <seen)" -le 30 ] || fail "more than 30 lines:" "$(cat seen)"
    [ "$(wc -l <seen)" -ge 20 ] || fail "less than there is room for:" "$(cat seen)"
    ! tr -d '\r' <seen | sed 's/\x1b\[[0-9;]*m//g' | grep -v 'ptprofil: hint: ' | grep -E '.{81}' || fail "a line of more than 80 columns"
}

case_not_for_terminals() {
    need_terminal
    recorded a -- "$TARGETS/mix" -s 0.1
    local status=0
    TERM=xterm within 20 script -qec "'$PTPROFIL' report --format=pprof -o - a.pb.gz" typescript >seen || status=$?
    [ $status = 125 ] && grep -q 'refusing to write binary pprof data to a terminal' seen || fail "status $status: $(cat -v seen)"
}

# checked STATUS PATTERN ARGUMENT...: ptprofil ends with STATUS, and one line on standard error matches PATTERN ('': no
# line). Hints are ignored, because a busy machine gives few samples.
checked() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    within 30 "$PTPROFIL" "$@" >checked.out 2>checked.err || status=$?
    [ $status = "$wanted" ] || fail "status $status, not $wanted: $*" "$(cat checked.err)"
    sed -n '/^ptprofil: hint: /d; /^ptprofil: /p' checked.err >checked.lines
    [ "$(wc -l <checked.lines)" = "$([ -z "$pattern" ] && echo 0 || echo 1)" ] || fail "lines: $*" "$(cat checked.err)"
    [ -z "$pattern" ] || grep -qE "^ptprofil: $pattern\$" checked.lines || fail "no '$pattern': $*" "$(cat checked.err)"
}

long_limits() {
    local has="has [0-9.]+ % of the time \\([0-9.]+ [mu]?s\\); the limit is"
    recorded a -- "$TARGETS/mix" -s 0.5
    recorded b -- "$TARGETS/mix" -s 0.1
    checked 1 "--fail-if: 'spin_half' $has 5 %" report --fail-if='spin_half > 5%' a.pb.gz
    grep -q spin_half checked.out || fail "no table:" "$(cat checked.out)"
    checked 0 '' report --fail-if='spin_half > 95%' a.pb.gz
    checked 1 "--fail-if: 'spin_half' itself $has 5 %" report --fail-if='self:spin_half > 5%' a.pb.gz
    checked 0 '' report --fail-if='total:^main$ < 50%' a.pb.gz
    checked 1 "--fail-if: '\\^main\\$' itself $has 50 %" report --fail-if='self:^main$ < 50%' a.pb.gz
    checked 2 "--fail-if: no function matches 'no_such'" report --fail-if='no_such > 5%' a.pb.gz
    checked 1 "--fail-if: 'no_such' $has 5 %" report --fail-if='no_such < 5%' a.pb.gz
    checked 1 "--fail-if: 'spin_half' $has 5 %" report -q --fail-if='spin_half>5' a.pb.gz
    [ ! -s checked.out ] || fail "not quiet:" "$(cat checked.out)"
    checked 2 "--fail-if-diff: no function matches 'no_such'" report --diff=b.pb.gz --fail-if-diff='no_such > +1' a.pb.gz
    checked 2 "nothing in 'a.pb.gz' fits --focus=no_such" report --focus=no_such --fail-if='spin_half > 5%' a.pb.gz
    checked 1 "nothing in 'a.pb.gz' fits --focus=no_such" report --focus=no_such a.pb.gz
    checked 1 "--fail-if-diff: 'spin_half' has .*, in the base .*: \\+[0-9.]+ %; the limit is \\+10 %" \
        report --diff=b.pb.gz --fail-if-diff='spin_half > +10%' a.pb.gz
    checked 0 '' report --diff=a.pb.gz --fail-if-diff='spin_half > +10%' b.pb.gz
    checked 0 '' report --diff=a.pb.gz --fail-if-diff='spin_half > +10%' a.pb.gz
    # Several limits, and two are exceeded. With --focus, limits apply to shares of the chosen part.
    within 30 "$PTPROFIL" report --fail-if='spin_half > 1%' --fail-if='main > 100%' --fail-if='self:spin_fifth > 1%' a.pb.gz \
        >out 2>err && fail "two limits are kept"
    [ "$(grep -c '^ptprofil: --fail-if: ' err)" = 2 ] || fail "$(cat err)"
    checked 2 "--fail-if: no function matches 'spin_fifth'" \
        report --focus=spin_half --fail-if='spin_fifth > 5%' --fail-if='spin_half < 100%' a.pb.gz
    checked 125 "--fail-if: 'spin_half' is not of the form .*" report --fail-if=spin_half a.pb.gz
    checked 125 "--fail-if-diff: say what to compare with: --diff=BASE" report --fail-if-diff='a > +5%' a.pb.gz
}

# A failure of the command, or of ptprofil itself, determines the status, and not an exceeded limit.
long_limits_while_recording() {
    checked 1 "--fail-if: 'spin_half' has .*" -q --fail-if='spin_half > 5%' -- "$TARGETS/mix" -s 0.3
    checked 0 '' -q --fail-if='spin_half > 100%' -- "$TARGETS/mix" -s 0.3
    checked 2 "--fail-if: no function matches 'no_such'" -q --fail-if='no_such > 5' -- "$TARGETS/mix" -s 0.1
    checked 3 "--fail-if: 'spin_half' has .*" -q --fail-if='spin_half > 5%' -- sh -c "'$TARGETS/mix' -s 0.3; exit 3"
    checked 125 "'--fail-if-diff' is an option of 'ptprofil report'.*" --fail-if-diff='f > +5%' -- true
}

run_cases "$@"
