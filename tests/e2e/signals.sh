#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Signals of a sampled program: each is handled once, in order, and with its data. The program never sees ptprofil's own
# signals.

. "$(dirname "$0")/lib.sh"

# unharmed TARGET...: TARGET, sampled often, must end with status 0.
unharmed() {
    local status=0
    within 110 "$PTPROFIL" -q -F "${rate:-1000}" --clock="${clock:-cpu}" --max-overhead=off -o profile.folded -- "$TARGETS/$1" "${@:2}" >out 2>err ||
        status=$?
    [ $status = 0 ] || fail "$*: status $status" "$(tail -n 20 err)"
    [ -s profile.folded ] || fail "no profile"
}

long_queued() {
    unharmed rt_signals live 10000
    unharmed rt_signals live 10000
}

case_burst() {
    unharmed rt_signals burst 10000
}

case_answered() {
    unharmed ping 10000
}

case_siginfo() {
    unharmed siginfo
    rate=5000 unharmed siginfo
}

case_no_eintr() {
    unharmed sleepers 1
    rate=5000 unharmed sleepers 1
}

# By wall time, sleepers are sampled without a stop.
case_no_eintr_by_wall_time() {
    clock=wall rate=2000 unharmed sleepers 1
}

# The same nearly without samples: under ptrace, even ignored signals wake sleepers.
case_no_eintr_at_1_hz() {
    rate=1 unharmed sleepers 1
}

# The return from a signal handler looks like the end of an interrupted system call, but nothing must be restarted
# there.
case_handled() {
    rate=5000 unharmed handled 1
    cat out
}

case_trapped() {
    rate=5000 unharmed trapped 1
    cat out
}

long_mixed() {
    local count=10000
    [ -z "$full" ] || count=100000
    rate=2000 unharmed signal_mix $count
    cat out
}

# The tracer is killed at any moment: no signal is lost, or delivered twice.
long_mixed_tracer_killed() {
    local i target tracer front status=0 times=6
    [ -z "$full" ] || times=100
    "$TARGETS/signal_mix" 1000 ready over >out 2>err &
    target=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)"
    for ((i = 0; i < times; i++)); do
        "$PTPROFIL" -q -F 2000 --max-overhead=off -o profile.folded -p $target 2>/dev/null &
        front=$!
        poll_until 20 is_traced $target || fail "not traced" "$(cat err)" "$(show_family $target)"
        sleep 0.0$((SRANDOM % 100))
        tracer=$(status_field $target TracerPid)
        [ "$tracer" != 0 ] || fail "the target is not traced any more" # and kill 0 would kill our process group
        kill -KILL "$tracer"
        poll_until 20 is_untraced $target || fail "still traced"
        poll_until 20 is_gone_or_zombie $front || fail "ptprofil does not end" "$(show_family $front)"
        wait $front
    done 2>/dev/null
    : >over
    poll_until 90 is_gone_or_zombie $target || fail "the target does not end" "$(show_family $target)"
    wait $target || status=$?
    [ $status = 0 ] || fail "after $times kills: status $status" "$(cat err)"
    echo "  after $times kills: $(cat out)"
}

# interruptions [storm] threads|processes: system calls that only a handled signal may interrupt, and must interrupt,
# with each clock. With PTPROFIL_TEST_FULL, for a minute.
interruptions() {
    local clock status seconds=1
    [ -z "$full" ] || seconds=60
    for clock in cpu wall; do
        [ $clock = cpu ] || "$PTPROFIL" --help | grep -q -- '--clock=' || continue
        status=0
        # shellcheck disable=SC2046  # no option for the default clock
        within 110 "$PTPROFIL" -q $([ $clock = cpu ] || echo --clock=$clock) -F 2000 --max-overhead=off -o profile.folded -- \
            "$TARGETS/interruptions" "$@" $seconds >out 2>err || status=$?
        [ $status = 0 ] || fail "$clock clock: status $status" "$(tail -n 20 out err)"
        echo "  $clock clock: $(cat out)"
    done
}

long_interruptions_of_threads() {
    interruptions threads
}

long_interruptions_of_processes() {
    interruptions processes
}

# System calls that have already submitted requests, or received events, return their number when they are interrupted.
case_waits_for_events() {
    local status=0
    within 110 "$PTPROFIL" -q -F 2000 --max-overhead=off -o profile.folded -- \
        "$TARGETS/interruptions" threads 0.5 io_uring_submit io_getevents_two >out 2>err || status=$?
    [ $status = 0 ] || fail "status $status" "$(tail -n 20 out err)"
    cat out
}

# anew KIND...: system calls that fail if a signal is pending, even if the program ignores the signal. ptprofil repeats
# them, and lets the last try run undisturbed.
anew() {
    local status=0
    within 110 "$PTPROFIL" -q -F 2000 --max-overhead=off -o profile.folded -- "$TARGETS/anew" "$@" >out 2>err || status=$?
    [ $status != 77 ] || skip "$1: not possible here"
    [ $status = 0 ] || fail "$*: status $status" "$(tail -n 20 err)"
    cat out
}

case_terminal_drained() {
    anew drain 1
    anew drain 1 signals
}

# The kernel restarts the read of a terminal, and would restart its timeout. arm64's has done so before the stop.
case_terminal_read_in_time() {
    [ "$(uname -m)" = x86_64 ] || skip "only where the restart can be seen"
    anew timed 1
    anew timed 1 signals
}

# Sleeps and waits whose remaining time the kernel cannot write fail for the lack of that, unless they are restarted.
case_remaining_time_not_writable() {
    local status=0 storm
    for storm in "" storm; do
        # shellcheck disable=SC2086  # no argument if empty
        within 110 "$PTPROFIL" -q -F 2000 --max-overhead=off -o profile.folded -- \
            "$TARGETS/interruptions" $storm threads 1 ppoll pselect select nanosleep clock_nanosleep >out 2>err || status=$?
        [ $status = 0 ] || fail "status $status" "$(tail -n 20 out err)"
        cat out
    done
}

case_programs_loaded() {
    anew program 1
    anew program 1 few
}

# If signals arrive without end, the program sees the failure. Later failures are repeated again.
long_programs_not_loaded() {
    anew program 1 many
}

case_pages_allocated() {
    anew pages 1
    anew pages 1 signals
}

# A FUSE server is notified of an interruption, and answers that the call was interrupted.
case_served_files() {
    local status=0
    within 60 "$PTPROFIL" -q -o profile.folded -- "$TARGETS/served_files" >out 2>err || status=$?
    [ $status != 77 ] || skip "no FUSE here"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q '^[1-9][0-9]* of' out || fail "nothing was interrupted: $(cat out)"
    cat out
}

# A seccomp filter may forbid the system call with which the kernel continues an interrupted call.
case_filtered() {
    local status=0
    within 60 "$PTPROFIL" -q -F 5000 --max-overhead=off -o profile.folded -- "$TARGETS/filtered" 200 >out 2>err || status=$?
    [ $status != 77 ] || skip "no filters here"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

# A 64-bit program may make a 32-bit program's system call: its number then means another call.
case_calls_by_interrupt() {
    local status=0
    [ "$(uname -m)" = x86_64 ] || skip "there is no other way in"
    within 60 "$PTPROFIL" -q -F 3000 --max-overhead=off -o profile.folded -- "$TARGETS/by_interrupt" >out 2>err || status=$?
    [ $status != 77 ] || skip "the kernel does not know calls of 32-bit programs"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

# Restartable sequences, registered by the C library or by the program: a stop restarts them like any context switch,
# and no more often.
case_restartable_sequences() {
    local status=0 by_library
    for by_library in 1 0; do
        GLIBC_TUNABLES=glibc.pthread.rseq=$by_library within 60 "$PTPROFIL" -q -F 3000 --max-overhead=off -o profile.folded -- \
            "$TARGETS/rseq" 1 >out 2>err || status=$?
        [ $status != 77 ] || skip "no restartable sequences here"
        [ $status = 0 ] || fail "status $status" "$(cat err out)"
        cat out
    done
}

# The same while unhandled signals arrive all the time: calls with a timeout do time out.
long_storm_of_threads() {
    interruptions storm threads
}

# Without a real-time priority, events can come faster than they are answered. Each thread must have its turn.
case_turns_without_priority() {
    local status=0 least
    renice -n 1 -p $BASHPID >renice || fail "it runs with the same priority"
    least=$(within 60 "$PTPROFIL" -q -o profile.folded -- "$TARGETS/noisy" 32 5000 2>err) || status=$?
    [ $status = 0 ] || fail "status $status" "$(tail -n 20 err)"
    [ "$least" -ge 50 ] || fail "one thread had $least turns, another one 5000"
    echo "  at least $least turns of 5000"
}

long_storm_of_processes() {
    interruptions storm processes
}

# ptprofil forwards SIGTERM and SIGHUP to CMD.
case_forwarded() {
    local front status signal
    cat >command.sh <<'END'
trap 'echo TERM >>got; exit 31' TERM
trap 'echo HUP >>got; exit 32' HUP
: >ready
i=0
while [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
END
    for signal in TERM HUP; do
        rm -f ready got
        "$PTPROFIL" -q -o profile.folded -- sh command.sh &
        front=$!
        poll_until 10 test -e ready || fail "not ready"
        kill -$signal $front
        poll_until 10 is_gone_or_zombie $front || fail "SIG$signal did not end it: $(show_family $front)"
        status=0
        wait $front || status=$?
        [ "$(cat got)" = $signal ] || fail "CMD got: $(cat got)"
        [ $status = 31 ] || [ $status = 32 ] || fail "status $status"
        [ -s profile.folded ] || fail "no profile after SIG$signal"
    done
}

# A CMD that ignores SIGTERM goes on, and so does ptprofil.
case_forwarded_and_ignored() {
    local front status=0
    "$PTPROFIL" -q -o profile.folded -- sh -c 'trap "" TERM; : >ready; while [ ! -e stop ]; do sleep 0.05; done; exit 33' &
    front=$!
    poll_until 10 test -e ready || fail "not ready"
    kill -TERM $front
    kill -TERM $front
    : >stop
    poll_until 10 is_gone_or_zombie $front || fail "it does not end"
    wait $front || status=$?
    [ $status = 33 ] || fail "status $status"
}

# Every signal that ends programs by default has an end: CMD gets it, and no profile is lost.
case_every_signal_forwarded() {
    local front signal status
    for signal in ALRM VTALRM PROF IO PWR STKFLT PIPE XCPU XFSZ ABRT TRAP SYS SEGV USR1 USR2 RTMIN RTMAX-1; do
        rm -f ready profile.folded
        "$PTPROFIL" -q -o profile.folded -- bash -c "trap 'exit 34' $signal; : >ready; while sleep 0.05; do :; done" &
        front=$!
        poll_until 10 test -e ready || fail "not ready"
        kill -s $signal $front
        poll_until 10 is_gone_or_zombie $front || fail "SIG$signal did not end it: $(show_family $front)"
        status=0
        wait $front || status=$?
        [ $status = 34 ] || fail "SIG$signal: status $status"
        [ -s profile.folded ] || fail "no profile after SIG$signal"
    done
}

# Attached, ptprofil takes them itself.
case_every_signal_taken() {
    local front signal status target
    sleep 1000 &
    target=$!
    for signal in ALRM VTALRM PROF IO PWR STKFLT ABRT TRAP SEGV USR1 TERM HUP RTMIN RTMAX-1; do
        rm -f profile.pb.gz
        "$PTPROFIL" -q -o profile.pb.gz -p $target &
        front=$!
        poll_until 10 is_traced $target || fail "not attached"
        kill -s $signal $front
        poll_until 10 is_gone_or_zombie $front || fail "SIG$signal did not end it: $(show_family $front)"
        status=0
        wait $front || status=$?
        [ $status = 0 ] || fail "SIG$signal: status $status"
        [ -s profile.pb.gz ] || fail "no profile after SIG$signal"
    done
    kill $target
}

is_traced() {
    [ "$(status_field "$1" TracerPid)" != 0 ]
}

# A signal of CMD, or of a child that has ended, to its parent is not for CMD. Our parent gets it if it has a handler.
case_signals_to_the_parent() {
    local signal status
    export PTPROFIL
    for signal in USR1 USR2 TERM HUP INT QUIT ALRM; do
        status=0
        sh -c '"$PTPROFIL" "$@"; exit $?' sh -q -- \
            sh -c "kill -s $signal \$PPID; /bin/kill -s $signal \$PPID; sleep 0.3; exit 35" || status=$?
        [ $status = 35 ] || fail "SIG$signal: status $status"
    done
    cat >parent.sh <<'END'
trap 'echo USR1 >>parent' USR1
trap 'echo TERM >>parent' TERM
"$PTPROFIL" -q -- sh -c 'kill -s TERM $PPID; kill -s USR1 $PPID; : >ready; while [ ! -e stop ]; do sleep 0.05; done' &
while [ ! -e ready ] || ! grep -q USR1 parent; do sleep 0.05; done
: >stop
wait
END
    timeout 20 bash parent.sh || fail "the parent ended with status $?"
    [ "$(cat parent)" = USR1 ] || fail "the parent got: $(cat parent)"
}

# A program ends its workers by a signal to its group, which it ignores itself meanwhile.
case_signals_to_the_own_group() {
    local i status
    for i in 1 2 3 4 5; do
        status=0
        setsid -w "$PTPROFIL" -q -- sh -c 'sleep 5 & trap "" TERM; kill -s TERM 0; trap - TERM; sleep 0.2; exit 36' || status=$?
        [ $status = 36 ] || fail "status $status"
    done
}

# Somebody's signal to the group arrives once, and one to ptprofil alone arrives, too.
case_signals_to_the_group() {
    local front i
    cat >command.sh <<'END'
trap 'echo $((got += 1)) >got' USR1
echo $$ >new && mv new ready
until [ -e stop ]; do sleep 0.05; done
END
    setsid -w "$PTPROFIL" -q -- bash command.sh &
    poll_until 10 test -e ready || fail "not ready"
    front=$(status_field "$(cat ready)" PPid)
    for i in 1 2 3; do
        kill -s USR1 -- -"$front"
        poll_until 10 grep -qx $i got || fail "signal $i did not arrive: $(cat got)"
    done
    poll_until 10 passes_on "$front" || fail "a signal to ptprofil alone did not arrive"
    [ "$(cat got)" = 4 ] || fail "it got $(cat got) signals for 4"
    : >stop
    wait
}

# A signal that follows one to the group at once is the same.
passes_on() {
    [ "$(cat got)" = 4 ] || { sleep 0.6; kill -s USR1 "$1"; poll_until 5 grep -qx 4 got; }
}

# systemd names its service by number.
case_service() {
    local name
    export PTPROFIL
    for name in LISTEN_PID WATCHDOG_PID SYSTEMD_EXEC_PID; do
        bash -c "export $name=\$\$; exec \"\$PTPROFIL\" -q -- bash -c '[ \$$name = \$\$ ]'" || fail "$name is not the number of CMD"
        env "$name=1" "$PTPROFIL" -q -- bash -c "[ \$$name = 1 ]" || fail "another process's $name was changed"
    done
}

# Process 1 of a container dies of its own faults, but not of signals from inside the container.
case_first_of_a_namespace() {
    local how status
    for how in segv bus abort thread handled stop outside; do
        status=0
        "$TARGETS/first" $how 2>err || status=$?
        [ $status != 77 ] || skip "no pid namespaces here"
        [ $status = 0 ] || fail "$how, alone: status $status" "$(cat err)"
        unharmed first $how
        first_attached $how
    done
}

first_attached() {
    local target front status=0
    rm -f ready go
    "$TARGETS/first" "$1" ready go 2>told &
    target=$!
    poll_until 10 test -e ready || fail "the target did not get ready" "$(cat told)"
    "$PTPROFIL" -q -F 1000 -o profile.folded -p "$(cat ready)" 2>err &
    front=$!
    poll_until 20 eval '! is_untraced "$(cat ready)"' || fail "it is not traced" "$(cat err)"
    : >go
    wait $target || status=$?
    [ $status = 0 ] || fail "$1, attached: status $status" "$(cat told err)"
    wait $front || fail "the front: status $?" "$(cat err)"
    [ -s profile.folded ] || fail "no profile"
}

run_cases "$@"
