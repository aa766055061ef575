#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Faults of ptprofil: no memory, no disk space, no reader, a lost terminal, deadly signals. The profiled processes go on
# unchanged, the samples are written if possible, and a message says what happened. (death.sh has SIGKILL and stops at
# random moments.)

. "$(dirname "$0")/lib.sh"

# start launched|attached OPTION...: starts a busy target and profiles it; sets front, tracer and target (pids).
start() {
    local way=$1
    shift
    rm -f ready result profile.folded err over
    if [ "$way" = launched ]; then
        "$PTPROFIL" -F 1000 -o profile.folded "$@" -- "$TARGETS/steady" -s 0.3 -e over -r ready -o result -x 7 2>err &
        front=$!
        poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)"
    else
        "$TARGETS/steady" -s 0.3 -e over -r ready -o result -x 7 &
        poll_until 20 test -e ready || fail "the target did not get ready"
        "$PTPROFIL" -F 1000 -o profile.folded "$@" -p "$(cat ready)" 2>err &
        front=$!
        # The target is already traced a moment before the front knows it.
        poll_until 20 grep -q ' profiling .*Ctrl-C ends' err || fail "not attached" "$(cat err)"
    fi
    target=$(cat ready)
    poll_until 20 is_traced_by_ours || fail "not traced" "$(cat err)"
}

is_traced_by_ours() {
    tracer=$(tracer_of "$front")
    [ "$tracer" ] && [ "$(status_field "$target" TracerPid)" = "$tracer" ]
}

target_goes_on() {
    : >over
    poll_until 20 test -e result || fail "the target did not end well" "$(cat err)" "$(show_family "$target")"
    grep -q '^ok$' result || fail "$(cat result)"
}

front_ends_with() { # front_ends_with STATUS (a pattern)
    local status=0
    poll_until 30 is_gone_or_zombie "$front" || fail "ptprofil does not end" "$(show_family "$front")"
    wait "$front" 2>/dev/null || status=$?
    # shellcheck disable=SC2254  # a pattern
    case $status in $1) ;; *) fail "status $status, not $1" "$(cat err)" ;; esac
}

#
# Deadly signals
#

# The front crashes by a fault of its own, an invalid instruction. (Signals that somebody sends go to the command.) Its
# samples are lost.
long_front_crashes() {
    local way
    need python3 nm
    for way in launched attached; do
        start $way
        break_front || skip "the front's code cannot be changed"
        front_ends_with '1*' # 1 where a sanitizer reports it
        poll_until 10 is_untraced "$target" || fail "the target is still traced"
        target_goes_on
        poll_until 10 is_gone "$tracer" || fail "the tracer lives on"
    done
}

# Puts an invalid instruction, of x86-64 and arm64, where the front takes the next message.
break_front() {
    local start
    start=$(nm "$PTPROFIL" 2>/dev/null | sed -n 's/ T intake_next$//p')
    [ "$start" ] && python3 - "$front" "$start" "$(realpath "$PTPROFIL")" <<'END'
import sys
pid, start, program = sys.argv[1], int(sys.argv[2], 16), sys.argv[3]
with open(f"/proc/{pid}/maps") as maps:
    base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program) and line.split()[2] == "00000000")
code = b"\x0f\x0b" if sys.platform == "linux" and __import__("platform").machine() == "x86_64" else bytes(4)
with open(f"/proc/{pid}/mem", "r+b", 0) as memory:
    memory.seek(base + start)
    memory.write(code)
END
}

case_tracer_crashes() {
    local way signal status
    for way in launched attached; do
        status=7
        [ $way = launched ] || status=125
        for signal in SEGV BUS KILL; do
            start $way
            kill -$signal "$tracer"
            poll_until 10 is_untraced "$target" || fail "the target is still traced"
            target_goes_on
            front_ends_with $status
            grep -q 'ended early: the tracer was killed' err || fail "$(cat err)"
            [ -e profile.folded ] || fail "no profile"
        done
    done
}

# A signal kills ptprofil's process group, which includes CMD, but not a process that ptprofil attached to.
long_group_killed() {
    local signal
    for signal in KILL HUP TERM; do
        # shellcheck disable=SC2016  # for the inner shell
        setsid sh -c 'echo $$ >group; exec "$@"' - "$PTPROFIL" -F 1000 -o profile.folded -- \
            "$TARGETS/steady" -s 600 -r ready 2>err &
        poll_until 20 test -e ready || fail "not ready" "$(cat err)"
        front=$(cat group) target=$(cat ready) tracer=$(tracer_of "$(cat group)")
        [ "$tracer" ] || fail "no tracer"
        kill -$signal -- "-$front"
        wait $! 2>/dev/null
        poll_until 10 is_gone "$target" || fail "$signal: the command lives" "$(show_family "$target")"
        poll_until 10 is_gone "$tracer" || fail "$signal: the tracer lives on" "$(show_family "$tracer")"
        [ $signal = KILL ] || [ -s profile.folded ] || fail "$signal: no profile" "$(cat err)"
        rm -f ready group profile.folded
    done
}

long_attached_group_killed() {
    local signal
    for signal in KILL HUP TERM; do
        rm -f ready result over group profile.folded
        "$TARGETS/steady" -s 0.3 -e over -r ready -o result &
        poll_until 20 test -e ready || fail "not ready"
        target=$(cat ready)
        # shellcheck disable=SC2016
        setsid sh -c 'echo $$ >group; exec "$@"' - "$PTPROFIL" -F 1000 -o profile.folded -p "$target" 2>err &
        poll_until 20 test -s group || fail "not ready" "$(cat err)"
        front=$(cat group)
        poll_until 20 is_traced_by_ours || fail "not traced" "$(cat err)"
        sleep 0.1
        kill -$signal -- "-$front"
        wait $! 2>/dev/null
        poll_until 10 is_untraced "$target" || fail "$signal: still traced"
        poll_until 10 is_gone "$tracer" || fail "$signal: the tracer lives on"
        target_goes_on
        [ $signal = KILL ] || [ -s profile.folded ] || fail "$signal: no profile" "$(cat err)"
    done
}

# in_terminal COMMAND...: runs COMMAND in the background in its own terminal. Sets terminal to the process whose end
# closes it.
in_terminal() {
    need_terminal
    printf '%q ' "$@" >command
    script -qc "exec $(cat command)" /dev/null >screen 2>&1 &
    terminal=$!
}

# The kernel signals all processes in the foreground of a lost terminal. CMD ends, or goes on if it ignores this.
case_terminal_closed() {
    rm -f ready
    in_terminal "$PTPROFIL" -F 1000 -o profile.folded -- "$TARGETS/steady" -s 600 -r ready
    poll_until 20 test -e ready || fail "not ready" "$(cat screen)"
    target=$(cat ready) front=$(status_field "$(cat ready)" PPid)
    kill -KILL "$terminal"
    poll_until 20 is_gone "$target" || fail "the command lives" "$(show_family "$front")"
    poll_until 20 is_gone "$front" || fail "ptprofil lives" "$(show_family "$front")"
    [ -s profile.folded ] || fail "no profile"
}

case_terminal_closed_without_care() {
    rm -f ready
    in_terminal env --ignore-signal=HUP "$PTPROFIL" -F 1000 -o profile.folded -- \
        "$TARGETS/steady" -s 0.3 -e over -r ready -o result
    poll_until 20 test -e ready || fail "not ready" "$(cat screen)"
    target=$(cat ready) front=$(status_field "$(cat ready)" PPid)
    kill -KILL "$terminal"
    wait "$terminal" 2>/dev/null
    target_goes_on
    poll_until 20 is_gone "$front" || fail "ptprofil lives" "$(show_family "$front")"
    [ -s profile.folded ] || fail "no profile"
}

case_attached_terminal_closed() {
    rm -f ready over result
    "$TARGETS/steady" -s 0.3 -e over -r ready -o result &
    poll_until 20 test -e ready || fail "not ready"
    target=$(cat ready)
    in_terminal "$PTPROFIL" -F 1000 -o profile.folded -p "$target"
    poll_until 20 eval '! is_untraced "$target"' || fail "not traced" "$(cat screen)"
    tracer=$(status_field "$target" TracerPid) front=$(status_field "$(status_field "$target" TracerPid)" PPid)
    kill -KILL "$terminal"
    poll_until 20 is_untraced "$target" || fail "still traced" "$(show_family "$front")"
    poll_until 20 is_gone "$front" || fail "ptprofil lives" "$(show_family "$front")"
    target_goes_on
    [ -e profile.folded ] || fail "no profile"
}

#
# No memory
#

# One allocation fails, or all from some point on. The command runs or is not started, and a table or an error message
# is printed at the end.
long_out_of_memory() {
    ! is_sanitized || skip "nothing can be preloaded"
    local number many status
    for number in 1 20 29 110 200 260 420 600 900; do
        for many in 1 1000000; do
            status=0
            rm -f profile.folded out
            LD_PRELOAD=$TARGETS/nomemory.so NOMEMORY=$number NOMEMORY_MANY=$many within 60 "$PTPROFIL" -F 1000 \
                -o profile.folded --calls=on -- env -u LD_PRELOAD "$TARGETS/tricks" fork 10 >out 2>err || status=$?
            case $status in
            0) grep -q ' total$' err || fail "number $number, $many: no table" "$(cat err)" ;;
            125) grep -Eqi '^ptprofil: .*(memory|could not|cannot)' err || fail "number $number, $many:" "$(cat err)" ;;
            *) fail "number $number, $many: status $status" "$(cat err)" ;;
            esac
        done
    done
}

# The front or the tracer can get no more address space after its start.
long_no_address_space() {
    need prlimit
    ! is_sanitized || skip "a sanitized program cannot do without"
    local who more size
    for who in front tracer; do
        for more in 0 300 3000; do
            start launched
            size=$(status_field "${!who}" VmSize)
            prlimit --pid "${!who}" --as=$(((${size% kB} + more) * 1024)) || fail "prlimit"
            target_goes_on
            front_ends_with 7
            [ -s profile.folded ] || grep -q 'memory' err || fail "neither a profile nor a word" "$(cat err)"
        done
    done
}

#
# No room, and no reader
#

# If an output does not fit on the disk, a message says so, and the output on another disk is written.
case_disk_full() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare mount
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    local format status
    mkdir small
    for format in html pb.gz folded; do
        status=0
        # shellcheck disable=SC2016  # for the inner shell
        within 60 unshare --mount sh -c 'mount -t tmpfs -o size=4k none small && "$@"' - "$PTPROFIL" -F 1000 -q \
            -o small/other.folded -o "small/run.$format" -o "kept.$format" -- "$TARGETS/recursion" 150 >out 2>err || status=$?
        [ $status = 125 ] || [ $format = folded ] || fail "$format: status $status" "$(cat err)"
        # Stored profiles are written first, so that a small one leaves no room for the other file.
        [ $format = folded ] || grep -qE "small/(run.$format|other.folded).*No space left" err || fail "$format:" "$(cat err)"
        [ -s "kept.$format" ] || fail "$format: the other output is empty"
    done
}

# A limit for the size of files would kill ptprofil by SIGXFSZ if it did not ignore this signal.
case_file_size_limit() {
    local status=0
    (
        ulimit -f 1
        within 60 "$PTPROFIL" -F 1000 -q -o run.html -- "$TARGETS/status" alone sh -c 'exit 0' >out 2>err
    ) || status=$?
    [ $status = 125 ] || fail "status $status" "$(cat err)"
    grep -q "run.html.*File too large" err || fail "$(cat err)"
}

# If the reader of ptprofil's output ends, the command goes on, and its status is kept.
long_nobody_reads() {
    "$PTPROFIL" -F 1000 -- "$TARGETS/status" alone sh -c 'sleep 0.1; exit 0' 2>&1 >/dev/null | head -c 0
    [ "${PIPESTATUS[0]}" = 0 ] || fail "status ${PIPESTATUS[0]}"
    "$PTPROFIL" -q -F 1000 --format=html -o - -- "$TARGETS/mix" 2>err | head -c 0
    [ "${PIPESTATUS[0]}" = 125 ] || fail "status ${PIPESTATUS[0]}" "$(cat err)"
    grep -q "Broken pipe" err || fail "$(cat err)"
}

run_cases "$@"
