#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Large reads and writes under sampling: each returns the same as without ptprofil. No byte is lost or sent twice, even
# if a process of ptprofil dies during the transfer.

. "$(dirname "$0")/lib.sh"

seconds=0.4
[ -z "$full" ] || seconds=10

# whole MODE [signals|storm]: profiles transfers.c, which checks the result of each transfer.
whole() {
    local status=0
    within 110 "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- "$TARGETS/transfers" "$1" $seconds \
        "${@:2}" >out 2>err || status=$?
    [ $status = 0 ] || fail "transfers $*: status $status" "$(tail -n 20 err)"
    [ -s profile.folded ] || fail "no profile"
    cat out
}

case_reads() {
    whole zero
    whole urandom
    whole getrandom
}

case_writes() {
    whole pipe
    whole socket
    whole send
}

# Unhandled signals arrive all the time while a write waits for room.
case_storm() {
    local mode
    for mode in pipe pipe pipe socket; do
        whole $mode storm
    done
}

# Only transfers that a handled signal interrupts are short.
long_cut_by_signals() {
    local mode
    for mode in zero getrandom pipe socket send; do
        whole $mode signals
    done
}

# Job control stops the writer in the middle of a write, and continues it.
case_stopped_and_continued() {
    local front target i
    "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- "$TARGETS/transfers" pipe 1.5 >out 2>err &
    front=$!
    poll_until 20 pgrep -P $front -x transfers >/dev/null || fail "the target does not run" "$(show_family $front)"
    target=$(pgrep -P $front -x transfers)
    for ((i = 0; i < 20; i++)); do
        kill -STOP "$target"
        sleep 0.0$((SRANDOM % 20))
        kill -CONT "$target"
        sleep 0.0$((SRANDOM % 40))
    done 2>/dev/null
    poll_until 30 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)"
    wait $front || fail "$(cat err)"
    cat out
}

# start_held MODE: starts a transfer; the reader takes half and then waits. An ignored signal stopped the writer, and
# ptprofil has resumed its write for the remainder.
start_held() {
    rm -f ready over out err
    "$PTPROFIL" -F 5000 --max-overhead=off -o profile.folded -- "$TARGETS/transfers" "$1" held ready over >out 2>err &
    front=$!
    poll_until 30 test -e ready || fail "the reader did not get ready" "$(cat err)" "$(show_family $front)"
    tracer=$(tracer_of $front)
    reader=$(cat ready)
}

# Lets the reader go on. The target checks that each byte arrived once. Adds the number of short transfers to cut.
all_came() {
    : >over
    poll_until 20 grep -q transfers out || fail "the target did not end well" "$(cat out err)" "$(show_family "$reader")"
    cut=$((cut + $(sed -n 's/.* \([0-9]*\) short$/\1/p' out)))
}

# ended_early HOW...: HOW ends sampling during a resumed transfer, which becomes short.
ended_early() {
    local mode cut=0
    for mode in pipe socket send; do
        start_held $mode
        "$@"
        poll_until 10 is_untraced "$reader" || fail "still traced after $*"
        all_came
        poll_until 20 is_gone_or_zombie $front || fail "ptprofil does not end" "$(show_family $front)"
        wait $front
    done 2>/dev/null
    [ $cut = 3 ] || fail "$cut of 3 transfers were resumed ones"
}

# swapped MODE RESULT: swapped.c must report RESULT for its write, which a stop interrupts.
swapped() {
    local status=0
    within 60 "$PTPROFIL" -q ${options:-} -o profile.folded -- "$TARGETS/swapped" "$1" >out 2>err || status=$?
    [ $status != 77 ] || skip "no io_uring here"
    [ $status = 0 ] || fail "status $status" "$(tail -n 20 out err)"
    [ "$(cat out)" = "$1: $2" ] || fail "$(cat out)"
}

# During a write, its descriptor is made to refer to another file: no byte is written there.
case_swapped() {
    local mode
    swapped own whole
    for mode in process untraced parent thread; do
        swapped $mode short
        [ $mode = parent ] || options=--no-follow swapped $mode short
    done
    options='--no-follow --calls=off' swapped process short
}

case_swapped_by_ring() {
    swapped ring short
}

# swapped_when_attached MODE RESULT
swapped_when_attached() {
    local target front
    rm -f ready go
    "$TARGETS/swapped" "$1" ready go >out 2>err &
    poll_until 20 test -e ready || fail "not ready"
    target=$(cat ready)
    "$PTPROFIL" -q -o profile.folded -p "$target" &
    front=$!
    poll_until 20 is_traced "$target" || fail "not attached"
    : >go
    poll_until 60 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)"
    poll_until 20 grep -q : out || fail "$(cat err)"
    [ "$(cat out)" = "$1: $2" ] || fail "$(cat out)"
}

# Prints the expected result after attaching. ptprofil resumes a write only if no other process shares the target's
# descriptors, and it knows this only if it can see and compare all processes.
when_attached() {
    if [ "$(id -u)" = 0 ] && [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then echo whole; else echo short; fi
}

case_swapped_when_attached() {
    local mode
    swapped_when_attached own "$(when_attached)"
    for mode in process untraced parent thread; do
        swapped_when_attached $mode short
    done
}

kill_tracer() {
    kill -KILL "$tracer"
    # The front first finishes what the tracer left, and then reaps it.
    poll_until 10 is_gone "$tracer" || fail "the tracer is not reaped"
}

kill_front() {
    kill -KILL "$front"
    poll_until 10 is_gone_or_zombie "$tracer" || fail "the tracer lives on"
}

tell_tracer() {
    kill -TERM "$tracer"
    poll_until 10 is_gone "$tracer" || fail "the tracer is not reaped"
}

# start_slow MODE launched|attached: starts a transfer. The reader has read half, and reads the remainder slowly.
start_slow() {
    rm -f ready go half out err said
    if [ "$2" = launched ]; then
        "$PTPROFIL" -F 5000 --max-overhead=off -o profile.folded -- "$TARGETS/transfers" "$1" slowly ready go half >out 2>said &
        front=$!
        poll_until 30 test -e ready || fail "not ready" "$(cat said)"
    else
        "$TARGETS/transfers" "$1" slowly ready go half >out 2>err &
        target=$!
        poll_until 30 test -e ready || fail "not ready" "$(cat err)"
        "$PTPROFIL" -F 5000 --max-overhead=off -o profile.folded -p $target 2>said &
        front=$!
        poll_until 30 is_traced $target || fail "not attached" "$(cat said)"
    fi
    tracer=$(tracer_of $front)
    reader=$(cat ready)
    : >go
    poll_until 30 test -e half || fail "the reader does not go on"
}

# slowly launched|attached HOW...: HOW ends sampling during the transfer. Sets cut to the number of transfers that
# become short.
slowly() {
    local mode
    cut=0
    for mode in pipe socket send; do
        start_slow $mode "$1"
        "${@:2}"
        all_came
        poll_until 40 is_gone_or_zombie $front || fail "ptprofil does not end" "$(show_family $front)"
        wait $front
    done 2>/dev/null
}

term_tracer() {
    kill -TERM "$tracer"
}

is_told() {
    grep -q 'waiting up to 30 s for 1 transfer' said
}

term_front() {
    kill -TERM "$front"
    poll_until 20 is_told || fail "nothing was said" "$(cat said)"
}

term_front_twice() {
    term_front
    kill -TERM "$front"
}

# An orderly end waits for transfers that proceed.
long_slow_tracer_told_to_end() {
    slowly launched term_tracer
    [ $cut = 0 ] || fail "$cut of 3 transfers were cut short"
}

long_slow_front_told_to_end() {
    [ "$(when_attached)" = whole ] || skip "not all processes can be seen: transfers after attaching are not resumed"
    slowly attached term_front
    [ $cut = 0 ] || fail "$cut of 3 transfers were cut short"
    slowly attached term_front_twice
    [ $cut = 3 ] || fail "$cut of 3 transfers were cut short by the second signal"
}

# If sampling does not end during the transfer, it is whole.
case_disturbed() {
    local mode cut=0
    for mode in pipe socket send; do
        start_held $mode
        all_came
    done
    [ $cut = 0 ] || fail "$cut of 3 transfers were short"
}

case_tracer_killed() {
    ended_early kill_tracer
}

# Job control keeps the writer stopped when the tracer is killed. The front is stopped, too, so that no process of
# ptprofil can repair anything.
long_tracer_killed_while_stopped() {
    local mode writer cut=0
    for mode in pipe socket send; do
        start_held $mode
        writer=$(command_of $front)
        kill -STOP "$writer"
        poll_until 10 is_stopped "$writer" || fail "$mode: it does not stop"
        kill -STOP $front
        kill -KILL "$tracer"
        poll_until 10 is_gone_or_zombie "$tracer" || fail "$mode: the tracer lives"
        kill -CONT "$writer"
        all_came
        kill -CONT $front
        wait $front
    done 2>/dev/null
    [ $cut = 3 ] || fail "$cut of 3 transfers were short"
}

case_front_killed() {
    ended_early kill_front
}

long_tracer_told_to_end() {
    ended_early tell_tracer
}

# Profiles programs that do not repeat a short transfer themselves, and report how many were short.
profiled() {
    "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- "$@"
}

long_dd() {
    need dd
    local source
    for source in zero urandom; do
        within 60 profiled dd if=/dev/$source of=/dev/null bs=1M count=100 2>err || fail "dd: $(cat err)"
        grep -q '^100+0 records in$' err && grep -q '^100+0 records out$' err || fail "$source: $(cat err)"
    done
}

case_dd_to_pipe() {
    need dd
    within 60 profiled sh -c 'dd if=/dev/zero bs=1M count=200 2>err | wc -c' >out || fail "status $?"
    grep -q '^200+0 records out$' err || fail "$(cat err)"
    [ "$(cat out)" = 209715200 ] || fail "$(cat out) bytes came"
}

# A program writes each block once and counts short writes. Nonblocking writes must fill the pipe's free room.
long_python() {
    [ -x /usr/bin/python3 ] || skip "no python3 here"
    cat >writes.py <<'END'
import fcntl, os, socket
block = bytes(1 << 20)
reading, writing = os.pipe()
ours, theirs = socket.socketpair()
if os.fork() == 0:
    os.close(writing)
    ours.close()
    while os.read(reading, 1 << 16):
        pass
    while theirs.recv(1 << 16):
        pass
    os._exit(0)
short = sum(os.write(writing, block) != len(block) for i in range(200))
os.close(writing)
short += sum(ours.send(block) != len(block) for i in range(200))
ours.close()
os.wait()
reading, writing = os.pipe()
os.set_blocking(writing, False)
room = fcntl.fcntl(writing, 1032)  # F_GETPIPE_SZ
others = 0
for i in range(300):
    others += os.write(writing, block) != room
    os.read(reading, len(block))
print(short, others, len(os.urandom(1 << 24)), len(os.getrandom(1 << 20)))
END
    within 60 profiled /usr/bin/python3 -I writes.py >out || fail "status $?"
    [ "$(cat out)" = "0 0 16777216 1048576" ] || fail "short transfers: $(cat out)"
}

long_pipelines() {
    need yes head tar gzip sha256sum
    SAME_OPTIONS='-F 5000 --max-overhead=off' same_as_alone sh -c 'yes | head -c 50000000 | sha256sum'
    mkdir files
    head -c 8000000 /dev/urandom >files/noise
    seq 1000000 >files/numbers
    SAME_OPTIONS='-F 5000 --max-overhead=off' same_as_alone sh -c 'tar -cf - files | gzip -1 -n | sha256sum'
}

run_cases "$@"
