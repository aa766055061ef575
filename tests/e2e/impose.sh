#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Calls that ptprofil makes on behalf of programs that make none: their results are right and complete, and the programs
# behave as without them.

. "$(dirname "$0")/lib.sh"

repetitions=${PTPROFIL_TEST_REPETITIONS:-2}
pointer=8 # its size in bytes
case $TARGETS in */narrow) pointer=4 ;; esac
[ -z "$full" ] || repetitions=100

# imposes STATUS CALL COMMAND...: imposes CALL; COMMAND must end with STATUS. IMPOSE_OPTIONS: more options.
imposes() {
    local expected=$1 call=$2 status=0
    shift 2
    rm -f left left.*
    # shellcheck disable=SC2086  # options are words
    within 60 "$PTPROFIL" --hz=1000 ${IMPOSE_OPTIONS:-} --impose="$call" --impose-output=left -- "$@" \
        >out 2>err </dev/null || status=$?
    [ $status = "$expected" ] || fail "status $status, not $expected: $*" "$(tail -n 5 err)"
}

gprof_share() { # gprof_share PROGRAM FILE FUNCTION: percent
    gprof -b -p "$1" "$2" 2>&1 | awk -v name="$3" '$NF == name { share = $1 } END { printf "%.2f\n", share }'
}

gprof_seconds() { # gprof_seconds PROGRAM FILE
    gprof -b -p "$1" "$2" 2>&1 |
        awk '$1 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.]+$/ { sum += $3 } END { printf "%.3f\n", sum }'
}

folded_share() { # folded_share FUNCTION: percent
    awk -v part="$(weight_of profile.folded "$1")" -v all="$(total_of profile.folded)" 'BEGIN { print 100 * part / all }'
}

samples_of() { # samples_of FILE FUNCTION: counts the function's lines in FILE.txt
    cut -f 2 "$1.txt" | sed 's/+0x[0-9a-f]*$//' | grep -cx "$2"
}

has_only_files() { # has_only_files NAME...: the output files are leftNAME... and no others
    local name
    for name; do echo "left$name"; done | sort >expected
    # shellcheck disable=SC2012
    ls left* 2>/dev/null | sort | cmp -s - expected
}

only_files() { # only_files NAME...
    has_only_files "$@" || fail "other files than $*:" "$(ls left*)" "$(cat err)"
}

# agrees PROGRAM: gprof and the flat profile of one run agree.
agrees() {
    local function program=$TARGETS/$1
    need gprof
    IMPOSE_OPTIONS='-F 1000 --stacks=none -o profile.folded' imposes 0 profil "$program" work 700
    only_files ''
    for function in imposed_half imposed_three_tenths imposed_fifth; do
        near "$function" "$(gprof_share "$program" left "$function")" "$(folded_share "$function")" 6
    done
    near "seconds" "$(gprof_seconds "$program" left)" 0.71 0.07
}

case_gprof_pie() {
    agrees imposed_pie
}

long_gprof_nopie() {
    agrees imposed_nopie
}

long_gprof_static() {
    agrees imposed_static
}

long_gprof_static_pie() {
    agrees imposed_static_pie
}

# profil with a cell for each 128 bytes, on a part of the program.
long_gprof_range() {
    need gprof nm
    local program=$TARGETS/imposed_nopie start function
    start=$(nm "$program" | awk '$3 == "imposed_half" { print "0x" $1 }')
    imposes 0 "profil:$((start & ~127)),4096,1024" "$program" work 400
    near "seconds" "$(gprof_seconds "$program" left)" 0.41 0.05
    imposes 0 "profil:$start,2,65536" "$program" work 100
    [ "$(gprof_seconds "$program" left)" = 0.000 ] || fail "more than the one cell of two bytes" "$(gprof -b -p "$program" left)"
    imposes 0 "profil:0x10,64,65536" "$program" work 50
    [ "$(gprof_seconds "$program" left)" = 0.000 ] || fail "counted outside of the range"
}

case_calls_off() {
    need gprof
    IMPOSE_OPTIONS='-q --calls=off' imposes 0 profil "$TARGETS/imposed_pie" work 200
    near "seconds" "$(gprof_seconds "$TARGETS/imposed_pie" left)" 0.21 0.05
}

# More ticks than the array holds: exactly N are in the file, and the text has the function of each.
case_pcsample() {
    local number
    imposes 0 pcsample:150 "$TARGETS/imposed_pie" work 300
    only_files '' .txt
    [ "$(stat -c %s left)" = $((150 * pointer)) ] || fail "$(stat -c %s left) bytes"
    [ "$(wc -l <left.txt)" = 150 ] || fail "$(wc -l <left.txt) lines"
    od -A n -t x$pointer -v -w$pointer left | sed 's/^ *//' | awk '{ printf "0x%16s\n", $1 }' | sed 's/ /0/g' >pcs
    cut -f 1 left.txt >texts
    cmp pcs texts || fail "the text is about other addresses"
    number=$(($(samples_of left imposed_half) + $(samples_of left imposed_three_tenths) + $(samples_of left imposed_fifth)))
    [ $number -ge 135 ] || off "only $number in the functions that work:" "$(cut -f 2 left.txt | sort | uniq -c | sort -nr | head)"
    [ "$(samples_of left imposed_half)" -gt "$(samples_of left imposed_fifth)" ] || off "$(cat left.txt)"
    ! grep -v -P '^0x[0-9a-f]{16}\t[^\t]+\t[^\t]+$' left.txt || fail "lines of another form"
}

# The array is large enough for all ticks.
case_pcsample_room() {
    imposes 0 pcsample:134217728 "$TARGETS/imposed_static" work 200
    near "samples" "$(($(stat -c %s left) / 8))" 211 25
    [ "$(wc -l <left.txt)" = $(($(stat -c %s left) / 8)) ] || fail "$(wc -l <left.txt) lines"
}

# By the rules of Linux a child's profil is off; by those of FreeBSD the child has a copy, which goes on counting.
case_fork_profil() {
    need gprof
    local child program=$TARGETS/imposed_pie
    IMPOSE_OPTIONS='-q --semantics=linux' imposes 0 profil "$program" fork 100
    only_files ''
    near "the parent under linux" "$(gprof_seconds "$program" left)" 0.2 0.05
    IMPOSE_OPTIONS='-q --semantics=freebsd' imposes 0 profil "$program" fork 100
    child=$(truth_of out child)
    only_files '' ".$child"
    near "the parent under freebsd" "$(gprof_seconds "$program" left)" 0.2 0.05
    near "the child under freebsd" "$(gprof_seconds "$program" "left.$child")" 0.2 0.05
    [ "$(gprof_share "$program" left imposed_child)" = 0.00 ] || fail "the child's time is the parent's"
    [ "$(gprof_share "$program" "left.$child" imposed_parent)" = 0.00 ] || fail "the parent's time is the child's"
    near "what the child inherited" "$(gprof_share "$program" "left.$child" imposed_half)" 50 10
}

# With pcsample, a child has a copy by the rules of all systems.
case_fork_pcsample() {
    local child before
    IMPOSE_OPTIONS='-q --semantics=linux' imposes 0 pcsample:1000 "$TARGETS/imposed_pie" fork 100
    child=$(truth_of out child)
    only_files '' .txt ".$child" ".$child.txt"
    before=$(samples_of "left.$child" imposed_half)
    near "inherited" "$before" 100 25
    head -n "$before" left.txt >parents
    head -n "$before" "left.$child.txt" | cmp - parents || fail "the child did not begin with its parent's"
    [ "$(samples_of "left.$child" imposed_child)" -gt 70 ] || off "$(cut -f 2 "left.$child.txt" | sort | uniq -c)"
    [ "$(samples_of left imposed_child)" = 0 ] || fail "$(cut -f 2 left.txt | sort | uniq -c)"
    [ "$(samples_of left imposed_parent)" -gt 70 ] || off "$(cut -f 2 left.txt | sort | uniq -c)"
}

# A process that execs other programs has a file for each program. A program without a tick, which is possible on a busy
# machine, leaves no file.
case_exec() {
    local system pid file number
    export EXEC_CHAIN_MS=40
    for system in linux freebsd; do
        IMPOSE_OPTIONS="-q --semantics=$system" imposes 41 pcsample:100 "$TARGETS/exec_chain" 3 "$TARGETS/exec_chain"
        pid=$(find . -name 'left.*.1' | sed 's/.*left\.\([0-9]*\)\.1/\1/')
        has_only_files '' .txt ".$pid.1" ".$pid.1.txt" ".$pid.2" ".$pid.2.txt" ".$pid.3" ".$pid.3.txt" || off "$(ls left*)"
        for file in left "left.$pid.1" "left.$pid.2" "left.$pid.3"; do
            number=$(samples_of "$file" link_work)
            [ "$number" -ge 8 ] && [ "$number" -le 90 ] || off "$number samples in $file, of 40 ms"
        done
    done
}

case_children() {
    need gprof
    local pid
    imposes 5 profil sh -c "'$TARGETS/imposed_pie' work 100; '$TARGETS/imposed_pie' work 100 & wait; exit 5"
    for pid in $(find . -name 'left.*.1' | sed 's/.*left\.\([0-9]*\)\.1/\1/'); do
        near "seconds" "$(gprof_seconds "$TARGETS/imposed_pie" "left.$pid.1")" 0.11 0.03
    done
    [ "$(find . -name 'left.*.1' | wc -l)" = 2 ] || fail "$(ls)" "$(cat err)"
}

case_no_follow() {
    IMPOSE_OPTIONS='-q --no-follow' imposes 0 pcsample:100 sh -c "'$TARGETS/imposed_pie' work 100; true"
    only_files '' .txt
}

# The program's own call ends the imposed call, and the ticks counted so far are kept.
case_replaced() {
    need gprof
    local program=$TARGETS/imposed_pie
    IMPOSE_OPTIONS='-q --semantics=linux' imposes 0 profil "$program" own 200
    near "imposed" "$(gprof_seconds "$program" left)" 0.2 0.05
    [ "$(gprof_share "$program" left imposed_parent)" = 0.00 ] || fail "went on after the program's own call"
    near "the program's own" "$(truth_of out own)" 200 40
    # With --calls=off the program's own call runs in the C library, and the imposed call goes on.
    IMPOSE_OPTIONS='-q --calls=off' imposes 0 profil "$program" own 200
    near "beside the C library's" "$(gprof_seconds "$program" left)" 0.4 0.08
}

# All ticks during the program are counted, including the last one: usually three in 35 ms.
case_no_tick_is_missing() {
    local i began ended seen
    for ((i = 0; i < repetitions * 2; i++)); do
        IMPOSE_OPTIONS=--hz=100 imposes 0 pcsample:1000 "$TARGETS/imposed_pie" count 35
        began=$(truth_of out began) ended=$(truth_of out ended) seen=$(wc -l <left.txt)
        [ "$seen" -ge $((ended / 10000 - began / 10000)) ] && [ "$seen" -le $((ended / 10000 + 1)) ] ||
            fail "$seen ticks between $began and $ended us"
    done
}

case_killed() {
    local program=$TARGETS/imposed_pie
    need gprof
    imposes 137 profil "$program" die 200
    near "seconds" "$(gprof_seconds "$program" left)" 0.21 0.05
    imposes 137 pcsample:1000 "$program" die 200
    near "samples" "$(wc -l <left.txt)" 211 40
}

# The tracer is killed: the ticks counted so far are written, and the program ends normally.
case_tracer_killed() {
    local i front status
    for ((i = 0; i < repetitions; i++)); do
        rm -f left* ready result over
        "$PTPROFIL" -q --hz=1000 --impose=pcsample:100000 --impose-output=left -- \
            "$TARGETS/steady" -s 0.6 -e over -r ready -o result -x 7 >out 2>err &
        front=$!
        poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)"
        works "$(cat ready)" 100 # some ticks are counted by then
        kill -KILL "$(tracer_of $front)"
        : >over
        status=0
        wait $front || status=$?
        [ $status = 7 ] || fail "status $status, not 7" "$(cat err)"
        grep -q '^ok$' result || fail "$(cat result)"
        [ "$(wc -l <left.txt)" -gt 10 ] || off "$(wc -l left.txt)" "$(cut -f 2 left.txt | sort | uniq -c)"
    done
}

# The tracer is killed at any step of the imposed call, while one program after the other begins. (--calls=off: this
# case is not about the breakpoints that serve a program's own calls.)
case_tracer_killed_at_exec() {
    local i front status program
    for ((i = 0; i < 2 * repetitions; i++)); do
        rm -f left* begun
        program=$TARGETS/imposed_$( ((i % 2)) && echo pie || echo static)
        # shellcheck disable=SC2016
        "$PTPROFIL" -q --calls=off --impose=profil --impose-output=left -- \
            sh -c ': >begun; i=0; while [ $i -lt 150 ]; do i=$((i + 1)); "$0" end 0 || exit 9; done' "$program" >out 2>err &
        front=$!
        poll_until 20 test -e begun || fail "the command did not begin" "$(cat err)" # the call is imposed before
        sleep 0.0$((10 + SRANDOM % 90))
        kill -KILL "$(tracer_of $front)" 2>/dev/null
        status=0
        wait $front || status=$?
        tells_death $status || fail "status $status: a program noticed" "$(cat err)"
    done
}

long_again() {
    [ "$full" ] || repetitions=4
    again no_tick_is_missing tracer_killed tracer_killed_at_exec
}

# A program that ptprofil may not change (it has a seccomp filter) runs unchanged, and a message names it.
case_filter() {
    imposes 0 pcsample:100 "$TARGETS/refuse" kexec_load "$TARGETS/imposed_pie" work 50
    only_files '' .txt
    grep -q 'not imposed on 1 program (.*imposed_pie.*seccomp' err || fail "$(cat err)"
}

# A filter that ptprofil inherited itself, as in a container, does not prevent the call.
case_filter_of_both() {
    within 60 "$TARGETS/refuse" kexec_load "$PTPROFIL" -q --hz=1000 --impose=pcsample:20 --impose-output=left -- \
        "$TARGETS/imposed_pie" work 100 >out 2>err || fail "status $?" "$(cat err)"
    [ "$(wc -l <left.txt)" = 20 ] || fail "$(cat err)"
}

# A program that cannot get the memory for the buffer runs without the call, and a message names it.
case_memory() {
    # shellcheck disable=SC2016
    IMPOSE_OPTIONS='' imposes 0 pcsample:134217728 sh -c 'ulimit -v 500000; exec "$0" work 50' "$TARGETS/imposed_pie"
    grep -q 'not imposed on 1 program (.*could not allocate the buffer: Cannot allocate' err || fail "$(cat err)"
}

# If the command itself cannot get the buffer, the file cannot be written, so ptprofil fails.
case_nothing_imposed() {
    ! is_sanitized || skip "a sanitized program needs more address space"
    ulimit -v 900000
    imposes 125 pcsample:134217728 "$TARGETS/imposed_pie" end 0
    grep -q 'no call was imposed on the command: it could not allocate the buffer' err || fail "$(cat err)"
    only_files
}

as_nobody() { # as_nobody COMMAND...: runs COMMAND as a user who can write only to the directory theirs
    [ "$(id -u)" = 0 ] || skip "needs root to become another user"
    need setpriv
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

case_user() {
    chmod 755 "$scratch" .
    mkdir -m 777 theirs
    cp "$TARGETS/imposed_pie" "$PTPROFIL" theirs || fail "copy"
    cd theirs || exit 99
    as_nobody "./$(basename "$PTPROFIL")" -q --hz=1000 --impose=pcsample:50 --impose-output=left -- \
        ./imposed_pie work 400 >out 2>err || fail "status $?" "$(cat err)"
    [ "$(wc -l <left.txt)" = 50 ] || fail "$(cat err)"
    # ptprofil does not look into a program that its user may execute but not read.
    chmod 711 imposed_pie
    as_nobody "./$(basename "$PTPROFIL")" --hz=1000 --impose=pcsample:50 --impose-output=left -- \
        sh -c './imposed_pie work 50; exit 0' >out 2>err || fail "status $?" "$(cat err)"
    grep -q 'not imposed on 1 program (.*imposed_pie' err || fail "$(cat err)"
}

# At its first instruction, a program has the registers, the flags and the stack that the kernel sets.
case_entry() {
    local call i
    for call in profil pcsample:10; do
        for ((i = 0; i < 20; i++)); do
            imposes 0 "$call" "$TARGETS/entry"
        done
    done
}

case_state() {
    for SAME_OPTIONS in '--impose=profil --impose-output=left' '--impose=pcsample:1000 --impose-output=left'; do
        same_as_alone "$TARGETS/status" 0
        same_as_alone ls -l /usr/bin
        same_as_alone sh -c 'trap "echo caught" USR1; kill -USR1 $$; (exit 3); echo $?; ulimit -a; umask'
    done
}

long_real_programs() {
    local SAME_OPTIONS
    for SAME_OPTIONS in '--impose=profil --impose-output=left' \
        '--hz=1000 --semantics=freebsd --impose=profil --impose-output=left' \
        '--hz=1000 --impose=pcsample:1000 --impose-output=left'; do
        [ "${SAME_OPTIONS#--hz}" = "$SAME_OPTIONS" ] || SAME_OPTIONS="$SAME_OPTIONS --calls=off" # avoids a warning about --hz
        ! command -v python3 >/dev/null || same_as_alone python3 -c '
import subprocess, sys
print(sum(i * i for i in range(300000)), subprocess.run(["sh", "-c", "echo child; exit 6"], capture_output=True))
sys.exit(11)'
        # shellcheck disable=SC2016
        ! command -v perl >/dev/null || same_as_alone perl -e \
            'my $s = 0; $s += $_ % 7 for 1 .. 300000; print "$s\n"; if (!fork) { exit 3 } wait; print $? >> 8, "\n"; exit 4'
        ! command -v go >/dev/null || same_as_alone go version
        same_as_alone bash -c 'for i in 1 2 3; do ls / | sort -r | head -n 3; done; exit 12'
    done
}

long_stopped_early() {
    local front
    "$PTPROFIL" -q -d 0.3 --hz=1000 --impose=pcsample:100000 --impose-output=left -- \
        "$TARGETS/imposed_pie" work 800 >out 2>err || fail "status $?" "$(cat err)"
    # a low bound: a busy machine leaves little of the 0.3 s
    [ "$(wc -l <left.txt)" -gt 5 ] && [ "$(wc -l <left.txt)" -lt 700 ] || off "$(wc -l <left.txt) samples in 0.3 s"
}

# refused PATTERN ARGUMENT...: ptprofil must end with status 125 and a message with PATTERN, and run nothing.
refused() {
    local pattern=$1 status=0
    shift
    within 10 "$PTPROFIL" "$@" -- touch ran >out 2>err || status=$?
    [ $status = 125 ] || fail "status $status: $*" "$(cat err)"
    [ ! -e ran ] || fail "the command has run: $*"
    grep -q -- "$pattern" err || fail "no \"$pattern\": $*" "$(cat err)"
}

case_refused() {
    refused 'needs --impose' --impose-output=left
    refused 'needs --impose-output' --impose=profil
    refused 'N from 1' --impose=pcsample --impose-output=left
    refused "N '0'" --impose=pcsample:0 --impose-output=left
    refused 'every profil fails' --impose=profil --impose-output=left --semantics=darwin
    refused '65536 is the highest' --semantics=freebsd --impose=profil:0,100,65537 --impose-output=left
    refused 'No such file' --impose=profil --impose-output=none/left
    refused 'Is a directory' --impose=profil --impose-output=.
    mkdir left.txt
    refused 'left.txt' --impose=pcsample:5 --impose-output=left
    [ ! -e left ] || fail "left a file"
    refused 'needs a command' --impose=profil --impose-output=left -p $$
}

# If the command cannot be executed, no file is left. Otherwise the file's old content is replaced.
case_file() {
    local status=0
    "$PTPROFIL" -q --impose=pcsample:5 --impose-output=left -- ./no-such-command 2>err || status=$?
    [ $status = 127 ] && only_files
    head -c 5000 /dev/zero >left
    within 10 "$PTPROFIL" -q --hz=1000 --impose=pcsample:5 --impose-output=left -- "$TARGETS/imposed_pie" work 30 2>err ||
        fail "$(cat err)"
    [ "$(stat -c %s left)" = 40 ] || fail "$(stat -c %s left) bytes"
    within 10 "$PTPROFIL" -q --hz=1000 --impose=profil --impose-output=/dev/null -- \
        sh -c "'$TARGETS/imposed_pie' work 30; true" 2>err || fail "$(cat err)"
    within 10 "$PTPROFIL" -q --hz=1000 --impose=pcsample:5 --impose-output=/dev/null -- "$TARGETS/imposed_pie" work 30 2>err ||
        fail "$(cat err)"
    [ -z "$(compgen -G '/dev/null.[0-9t]*')" ] || fail "files beside a device" "$(ls /dev/null.*)"
    within 10 "$PTPROFIL" -q --hz=1000 --impose=pcsample:5 --impose-output=/dev/stdout -- "$TARGETS/imposed_pie" work 30 \
        2>err >left || fail "$(cat err)"
    [ "$(stat -c %s left)" = 40 ] || fail "$(stat -c %s left) bytes on standard output"
}

measures='gprof_nopie gprof_pie gprof_range gprof_static gprof_static_pie'
run_cases "$@"
