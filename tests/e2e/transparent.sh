#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command runs in the same state as without ptprofil: the target prints its state (descriptors, signals, limits,
# environment and more), alone and under ptprofil, and both must be equal.

. "$(dirname "$0")/lib.sh"

# same_state COMMAND...: COMMAND runs state, alone and under ptprofil. Both must print the same.
same_state() {
    rm -f out alone profiled
    "$@" "$TARGETS/state" out || fail "alone: status $?"
    mv out alone
    "$@" "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/state" out || fail "under ptprofil: status $?"
    mv out profiled
    diff alone profiled || fail "another state than alone: $*"
    [ -s alone ] || fail "no state"
}

clean() { # clean COMMAND...: runs COMMAND without the variable "_", which has the command's name
    env -i PATH="$PATH" A=b EMPTY= ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} "$@"
}

case_plain() {
    same_state clean
}

# Standard output is the same file as the caller's.
case_standard_output() {
    clean "$TARGETS/state" >out
    cp out alone
    clean "$PTPROFIL" -q -o profile.folded -- "$TARGETS/state" >out || fail "status $?"
    diff alone out || fail "another state"
}

case_environment() {
    same_state env -i "PATH=$PATH" $'ODD=a\nb' =strange LD_LIBRARY_PATH= TZ=
    same_state env -i
}

case_directory_and_umask() {
    mkdir -p deep/er
    (cd deep/er && umask 027 && same_state clean) || exit
    (umask 0 && same_state clean) || exit
    (umask 077 && same_state clean) || exit
}

case_directory_removed() {
    mkdir gone
    (
        cd gone && rmdir ../gone || exit 1
        "$PTPROFIL" -q -o ../profile.folded -- sh -c 'exit 6' 2>/dev/null
        [ $? = 6 ]
    ) || fail "needs a current directory that exists"
}

case_limits() {
    (ulimit -n 333 && same_state clean) || exit
    (ulimit -S -n 64 && same_state clean) || exit
    (ulimit -c 0 && same_state clean) || exit
    (ulimit -S -c unlimited 2>/dev/null && same_state clean) || exit
    (ulimit -s 4096 && ulimit -t 3000 && same_state clean) || exit
    is_sanitized || (ulimit -v 4000000 && same_state clean) || exit
}

case_few_descriptors() {
    (ulimit -n 24 && same_state clean) || exit
}

case_nice() {
    same_state clean nice -n 5
    if [ "$(nice -n -5 nice 2>/dev/null)" = "$(($(nice) - 5))" ]; then
        same_state clean nice -n -5
    fi
}

case_affinity() {
    need taskset
    local cpus
    cpus=$(taskset -cp $$ | sed 's/.*: //')
    same_state clean taskset -c "${cpus%%[-,]*}"
    same_state clean taskset -c "${cpus##*[-,]}"
}

case_policy() {
    need chrt
    same_state clean chrt --batch 0
    same_state clean chrt --idle 0
    chrt --fifo 1 true 2>/dev/null || return 0
    same_state clean chrt --fifo 1
    same_state clean chrt --rr 3
}

case_io_priority() {
    need ionice
    same_state clean ionice -c 2 -n 7
    same_state clean ionice -c 3
}

case_signals_ignored() {
    (trap '' PIPE HUP INT QUIT TERM CHLD TSTP TTIN TTOU USR1 URG WINCH ALRM CONT && same_state clean) || exit
    (trap '' SIGCHLD && same_state clean) || exit
}

case_nohup() {
    same_state clean nohup
}

case_signals_blocked() {
    need env
    env --block-signal=USR1 true 2>/dev/null || skip "this env cannot block signals"
    same_state clean env --block-signal
    same_state clean env --block-signal=CHLD --block-signal=TERM --ignore-signal=USR2
    same_state clean env --block-signal=ALRM --block-signal=URG --block-signal=RTMIN
}

case_descriptors() {
    exec 3</etc/passwd 5>kept 7<>both 42</dev/null
    : >&5
    same_state clean
    exec 3<&- 5>&- 7>&- 42<&-
    same_state clean
}

case_closed() {
    same_state clean sh -c 'exec "$@" <&-' -
    same_state clean sh -c 'exec "$@" >&-' -
    same_state clean sh -c 'exec "$@" 2>&-' -
    same_state clean sh -c 'exec "$@" <&- >&- 2>&-' -
}

case_personality() {
    need setarch
    setarch -R true 2>/dev/null || skip "setarch cannot do it here"
    same_state clean setarch -R
}

case_prctl() {
    need setpriv
    same_state clean setpriv --no-new-privs
    if [ "$(id -u)" = 0 ]; then
        same_state clean setpriv --bounding-set -sys_boot --inh-caps +net_raw
    fi
}

case_session_and_group() {
    need setsid
    same_group() { # prints whether it leads its group and session, because the numbers differ between runs
        "$@" >out || fail "status $?"
        grep '^process group' out | awk '{ print ($3 + 0 == $5 + 0), $NF }'
    }
    # The command stays in ptprofil's process group and session, and does not become their leader.
    same_group setsid -w "$TARGETS/state" >alone
    same_group setsid -w "$PTPROFIL" -q -o profile.folded -- "$TARGETS/state" >profiled
    [ "$(cut -d' ' -f1 alone)" = "$(cut -d' ' -f1 profiled)" ] || fail "$(cat alone profiled)"
}

case_parent() {
    within 10 "$PTPROFIL" -q -o profile.folded -- sh -c 'echo $PPID; cat /proc/$PPID/comm' >out || fail "status $?"
    [ "$(tail -n 1 out)" = "$(basename "$PTPROFIL" | cut -c1-15)" ] || fail "its parent is not ptprofil: $(cat out)"
}

case_core() {
    [ "$(cut -c1 /proc/sys/kernel/core_pattern)" != '|' ] || skip "core dumps go to a program here"
    (ulimit -c unlimited) 2>/dev/null || skip "core dumps are not allowed here"
    ulimit -c unlimited
    "$TARGETS/core" yes || skip "no core dumps here"
    rm -f core core.*
    within 20 "$PTPROFIL" -q -o profile.folded -- "$TARGETS/core" yes || fail "status $?"
    rm -f core core.*
    within 20 "$PTPROFIL" -q -o profile.folded -- "$TARGETS/core" no || fail "status $?"
    [ -z "$(find . -name 'core*')" ] || fail "a core that was not wanted"

    # CMD dumps core. ptprofil ends by the same signal, and must not overwrite the dump with its own.
    case $(cat /proc/sys/kernel/core_pattern) in */*) return 0 ;; esac
    "$TARGETS/status" how "$PTPROFIL" -q -o profile.folded -- sh -c 'kill -ABRT $$'
    [ "$(cat how)" = 'killed by signal 6' ] || fail "$(cat how)"
    [ "$(find . -name 'core*' | wc -l)" = 1 ] || fail "cores: $(echo core*)"
    # the kernel writes the command line into the core's first pages
    head -c 20000 core* | grep -q -a 'sh -c' || fail "it is not CMD's core"
}

# A reader of CMD's output sees its end when CMD closes it, although ptprofil still runs.
case_early_end_of_output() {
    "$PTPROFIL" -q -o profile.folded -- "$TARGETS/closer" go 2>err | {
        cat >seen
        : >go
    }
    local status=${PIPESTATUS[0]}
    [ "$status" = 0 ] || fail "status $status: the reader was kept waiting" "$(cat err)"
    [ "$(cat seen)" = line ] || fail "$(cat seen)"
}

has_no_reader() {
    ! (trap '' PIPE; echo x >&5) 2>/dev/null
}

# The same for the reading end of a pipe: its writer gets EPIPE when CMD closes it.
case_early_end_of_input() {
    mkfifo pipe
    "$PTPROFIL" -q -o profile.folded -- sh -c 'exec <&-; : >closed; while [ ! -e go ]; do sleep 0.02; done' <pipe &
    local front=$!
    exec 5>pipe
    poll_until 10 test -e closed || fail "not closed"
    # a write fails as soon as ptprofil has closed its own copy
    poll_until 10 has_no_reader || fail "ptprofil keeps the reading end open"
    : >go
    wait $front || fail "status $?"
}

case_output_is_full() {
    [ -e /dev/full ] || skip "no /dev/full"
    # shellcheck disable=SC2016
    same_as_alone sh -c 'echo x >/dev/full 2>/dev/null; echo $?'
}

# A thousand arguments, a long one, and a big environment.
case_big_arguments() {
    local long
    long=$(printf '%0100000d' 0)
    # shellcheck disable=SC2046
    same_as_alone sh -c 'echo $# ${#1} ${#LONG}' - "$long" $(seq 1000)
    LONG=$long same_as_alone sh -c 'echo ${#LONG}'
}

# finds_children COUNT COMMAND...: each child that ends is found at once, also in the first look after its pidfd reports
# its end. One that another thread than its first one ends can be found late, rarely.
finds_children() {
    local count=$1 late
    shift
    late=$(within 100 "$@" children "$count") || fail "status $?: $*"
    [ "$late" -le $((count / 50)) ] || fail "$late of $count children are found late: $*"
}

case_ended_children() {
    finds_children 100 "$TARGETS/ended"
    finds_children 300 "$PTPROFIL" -q -- "$TARGETS/ended"
    finds_children 100 "$PTPROFIL" -q --no-follow -- "$TARGETS/ended"
}

case_ended_children_of_a_user() {
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
    need setpriv
    chmod 755 "$scratch" .
    mkdir -m 777 theirs
    cp "$TARGETS/ended" "$PTPROFIL" theirs || fail "copy"
    (
        cd theirs || exit 1
        finds_children 300 "${as_nobody[@]}" "./$(basename "$PTPROFIL")" -q -- ./ended
    ) || exit
}

# A thread can still be counted for a moment after it was joined, also without a tracer.
case_joined_threads() {
    local alone under
    alone=$(within 100 "$TARGETS/ended" threads 200) || fail "alone: status $?"
    under=$(within 100 "$PTPROFIL" -q -- "$TARGETS/ended" threads 200) || fail "status $?"
    [ "$under" -le $((alone + 100)) ] || fail "$under of 200 joined threads are counted, alone $alone"
}

case_user() {
    [ "$(id -u)" = 0 ] || skip "needs root to become another user"
    need setpriv
    chmod 755 "$scratch" .
    mkdir -m 777 theirs
    cp "$TARGETS/state" "$PTPROFIL" theirs || fail "copy"
    (
        cd theirs || exit 1
        PTPROFIL=$PWD/$(basename "$PTPROFIL") TARGETS=$PWD
        same_state clean setpriv --reuid 12345 --regid 12345 --clear-groups
    ) || exit
}

run_cases "$@"
