#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --clock=wall: waiting threads are sampled, too, with the system call and the length of the wait, and are not
# disturbed.

. "$(dirname "$0")/lib.sh"

# share_near WHAT REGEX LIFE PERCENT TOLERANCE: matching stacks must have PERCENT of LIFE, in microseconds.
share_near() {
    near "$1, % of its life" "$(($(matching_weight profile.folded "$2") * 100 / $3))" "$4" "$5"
}

# check_waits LIFE: threads that always wait have 100 % of their LIFE in their wait. The tolerance is for waits for a
# CPU.
check_waits() {
    share_near poll '^waits;.*;start_thread;poll_often;wait_in_poll;' "$1" 100 15
    share_near read '^waits;.*;start_thread;read_once;wait_in_read;.*;[[]read]$' "$1" 100 15
    share_near semaphore '^waits;.*;start_thread;wait_once;wait_in_semaphore;.*;[[]futex]$' "$1" 100 15
    share_near join '^waits;.*;main;.*;[[]futex]$' "$1" 100 15
    ! grep -E '\[(truncated|unknown)\].*(wait_in|nap_between)' profile.folded || fail "stacks without their roots"
}

profile_waits() { # profile_waits OPTION...
    within 40 "$PTPROFIL" -q -v -F 200 --clock=wall -o profile.folded "$@" -- "$TARGETS/waits" -s 1.5 -o truth 2>err ||
        fail "status $?: $(cat err)"
}

case_shares() {
    local life nap work
    profile_waits
    life=$(truth_of truth life) nap=$(truth_of truth nap_between_work) work=$(truth_of truth work_between_naps)
    check_waits "$life"
    share_near naps ';work_and_nap;nap_between_work;.*;[[]clock_nanosleep]$' "$life" $((nap * 100 / life)) 20
    share_near work ';work_and_nap;(spin_cpu_ms;)?work_between_naps$' "$life" $((work * 100 / life)) 20
    near "all threads, lives" "$(awk "BEGIN { print $(total_of profile.folded) / $life }")" 5 0.5
}

# CPU time and waiting time are separate columns.
long_running_apart() {
    local user work
    profile_waits --by=syscall -o calls.txt
    user=$(awk '/\(user code\)$/ { print $4 }' calls.txt) work=$(truth_of truth work_between_naps)
    near "user time, % of the work" "$(awk "BEGIN { print $user * 1e8 / $work }")" 100 30
    awk '$NF ~ /^\[(poll|read|futex|clock_nanosleep)\]$/ && $6 > 0.1 && $6 > 10 * ($4 + $5) { print $NF }' calls.txt | sort >waited
    printf '%s\n' '[clock_nanosleep]' '[futex]' '[poll]' '[read]' | diff - waited || off "$(cat calls.txt)"
    grep -q 'of wall time' calls.txt || fail "$(tail -n 2 calls.txt)"
}

long_attached() {
    "$TARGETS/waits" -s 600 -r ready &
    local target=$!
    poll_until 5 test -e ready || fail "the target does not run"
    within 20 "$PTPROFIL" -q -F 200 --clock=wall -d 1 -o profile.folded -p $target 2>err || fail "status $?: $(cat err)"
    is_untraced $target || fail "it is still traced"
    near "all threads, s" "$(awk "BEGIN { print $(total_of profile.folded) / 1e6 }")" 5 1
    check_waits $(($(total_of profile.folded) / 5))
    kill -KILL $target
}

# check_turns OPTION...: time that a thread waits for a CPU is shown where it will continue. Most of it comes after it was
# displaced while it computed.
check_turns() {
    local what
    # shellcheck disable=SC2086 # several words
    within 60 "$PTPROFIL" -q --clock=wall -F 200 -o profile.folded -- ${under:-} "$TARGETS/turns" "$@" -o truth 2>err ||
        fail "status $?: $(cat err)"
    for what in 'work work_between_naps' 'nap nap_between_work' 'always compute_always'; do
        [ "$(truth_of truth "${what% *}")" != 0 ] || continue
        share_near "${what#* }" ";${what#* }(;|\$)" "$(truth_of truth "${what% *}")" 100 30
    done
}

case_turns() {
    check_turns -s 3 -t 6 -a 2
}

case_turns_of_long_jobs() {
    check_turns -s 3 -t 3 -a 1 -w 12000 -n 25000
}

# Each turn takes long if another program on this CPU has a higher priority.
case_turns_of_low_priority() {
    local cpu rival
    need taskset
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    taskset -c "$cpu" sh -c 'while :; do :; done' &
    rival=$!
    under="nice -n 10 taskset -c $cpu" check_turns -s 3 -t 4 -a 0
    kill -KILL $rival
}

# A stored profile has the same stacks and table.
case_stored() {
    "$PTPROFIL" -q --clock=wall -o run.pb.gz -o now.folded -o now.txt -- "$TARGETS/waits" -s 0.5 2>err ||
        fail "status $?: $(cat err)"
    "$PTPROFIL" report -o later.folded -o later.txt run.pb.gz || fail "report: status $?"
    cmp now.folded later.folded || fail "other stacks"
    diff now.txt later.txt || fail "another table"
    # The waiting function is shown: one system call has a row for the join in main, and one for the semaphore.
    grep -qE ' \[futex\] main: [a-z_0-9]*join' now.txt || fail "no join of main:" "$(cat now.txt)"
    grep -qE ' \[futex\] wait_in_semaphore: [a-z_0-9]*sem' now.txt || fail "no semaphore:" "$(cat now.txt)"
    "$PTPROFIL" report --by=syscall run.pb.gz >syscalls 2>err || fail "report: status $?"
    grep -qx 'ptprofil: hint: --bottom-up shows where in the program threads wait' err || fail "no hint about callers:" "$(cat err)"
}

# Waiting threads with large arrays on their stacks that were never touched.
case_hollow() {
    within 40 "$PTPROFIL" -q -F 200 --clock=wall -o profile.folded -- "$TARGETS/hollow" waits 1.5 2>err ||
        fail "status $?: $(cat err)"
    expect_absent profile.folded '\[(truncated|unknown)\].*wait_in'
    share_near array ';start_thread;wait_one;wait_in_array;.*;[[]read]$' 1500000 100 20
    share_near room ';start_thread;wait_other;wait_in_room;.*;[[]read]$' 1500000 100 20
}

# Threads that wait since before the attach, with much deeper stacks than are copied at first.
case_attached_to_deep() {
    need gcc
    cat >deep.c <<'END'
#include <pthread.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static void down(int left)
{
    char array[1024];
    memset(array, left, sizeof array);
    if (left)
        down(left - 1);
    else
        pause();
    __asm__ volatile("" : : "r"(array));
}
static void *run(void *none) { down(300); return none; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    down(300);
    return 0;
}
END
    gcc -O1 -pthread deep.c -o deep || fail "gcc"
    ./deep &
    local target=$! root
    poll_until 5 is_asleep $target || fail "it does not wait"
    within 20 "$PTPROFIL" -q --clock=wall -d 2 -o profile.folded -p $target 2>err || fail "status $?: $(cat err)"
    kill -KILL $target
    for root in main run; do
        share_near $root ";$root;down;.*;down;.*[[]pause]$" 2000000 90 15
    done
}

switches_of() {
    cat /proc/"$1"/task/*/status | grep ctxt_switches
}

# A sleeping thread is never woken or stopped.
case_left_alone() {
    sleep 60 &
    local target=$! before
    poll_until 5 sleeps $target || fail "it does not sleep"
    before=$(switches_of $target)
    within 20 "$PTPROFIL" -q -F 1000 --clock=wall -d 1 -o profile.folded -p $target 2>err || fail "status $?: $(cat err)"
    [ "$(switches_of $target)" = "$before" ] || fail "it was woken: $before then $(switches_of $target)"
    [ "$(last_frame_weight profile.folded '[clock_nanosleep]')" -gt 500000 ] || off "$(cat profile.folded)"
    kill -KILL $target
}

sleeps() {
    grep -q '^230 ' "/proc/$1/syscall"
}

case_stopped() {
    sleep 60 &
    local target=$!
    kill -STOP $target
    poll_until 5 is_stopped $target || fail "it is not stopped"
    within 20 "$PTPROFIL" -q --clock=wall -d 1 -o profile.folded -p $target 2>err || fail "status $?: $(cat err)"
    poll_until 5 is_stopped $target || fail "it is in state $(state_of $target)"
    [ "$(last_frame_weight profile.folded '[stopped]')" -gt 500000 ] || off "$(cat profile.folded)"
    kill -KILL $target
}

# Threads of a pool without work are one row, unless their stacks are wanted.
case_idle_pool() {
    need python3
    cat >pool.py <<'END'
import queue, threading, time
work = queue.Queue()
for number in range(3):
    threading.Thread(target=work.get, daemon=True).start()
end = time.time() + 2
while time.time() < end:
    sum(range(1000))
END
    within 60 "$PTPROFIL" --clock=wall -o pool.pb.gz -- python3 pool.py 2>err || fail "status $?" "$(cat err)"
    grep -qE '\[idle threads\] +\[kernel\]' err || fail "no idle threads" "$(cat err)"
    grep -q 'hint: 3 threads of pools waited at one place' err || fail "no hint" "$(cat err)"
    "$PTPROFIL" report --idle pool.pb.gz >read || fail "status $? of report"
    ! grep 'idle threads' read || fail "they are not shown apart"
}

case_bad_clock() {
    "$PTPROFIL" --clock=sundial -- true 2>err
    [ $? = 125 ] || fail "status"
    grep -q -- "--clock.*sundial.*cpu, wall" err || fail "$(cat err)"
}

measures='turns turns_of_long_jobs shares running_apart attached attached_to_deep hollow'
run_cases "$@"
