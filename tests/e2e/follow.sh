#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Children, threads and execs of every kind. Each target checks that it runs unchanged, and the profile must have the
# functions of all of them.

. "$(dirname "$0")/lib.sh"

# follows STATUS FUNCTION TARGET...: the target must end with STATUS, and FUNCTION must be in the profile.
follows() {
    local expected=$1 function=$2 status=0
    shift 2
    # shellcheck disable=SC2086
    within 60 "$PTPROFIL" -q -F 1000 ${options:-} -o profile.folded -- "$TARGETS/$1" "${@:2}" || status=$?
    [ $status = "$expected" ] || fail "status $status, not $expected: $*"
    [ -z "$function" ] || expect_share profile.folded "$function" 15
}

case_fork() {
    follows 0 in_fork_child fork_kinds fork
    expect_share profile.folded in_parent 10
}

case_vfork() {
    follows 0 in_vfork_child fork_kinds vfork
}

case_clone_vm() {
    follows 0 in_clone_vm_child fork_kinds clone_vm
}

case_posix_spawn() {
    follows 0 in_spawned_child fork_kinds posix_spawn
}

case_thread() {
    follows 0 in_thread fork_kinds thread
}

case_reparented() {
    follows 0 in_orphan fork_kinds reparented
}

case_untraced_child() {
    follows 0 "" fork_kinds untraced
    expect_absent profile.folded ';in_untraced_child'
}

case_kinds_again() {
    local times=2
    [ -z "$full" ] || times=100
    while ((times-- > 0)); do
        follows 0 "" fork_kinds all 5
    done
}

case_exec_thread() {
    follows 7 after_thread_exec exec_thread 3
    expect_share profile.folded before_thread_exec 15
    local times=2
    [ -z "$full" ] || times=100
    while ((times-- > 0)); do
        follows 7 "" exec_thread 2
    done
}

long_zombie_leader() {
    follows 31 after_the_leader zombie_leader exit
    follows 0 after_the_leader zombie_leader last
    follows 32 after_the_leader zombie_leader exec
}

long_many_threads() {
    follows 40 crowd_work many_threads 200 4
}

case_fork_storm() {
    follows 0 "" fork_storm 400
    [ "$(process_weight profile.folded fork_storm)" -gt 20000 ] || off "$(cat profile.folded)"
}

own_memory() { # own_memory PID: in kB; 0 if it has gone
    local memory
    memory=$(status_field "$1" RssAnon)
    echo "${memory:-0}" | cut -d ' ' -f 1
}

# most_memory FRONT TRACER: waits until FRONT has ended. Prints the maximum of private memory that each had, in kB.
most_memory() {
    local now front_most=0 tracer_most=0
    while ! is_gone_or_zombie "$1"; do
        now=$(own_memory "$1")
        [ "$now" -le $front_most ] || front_most=$now
        now=$(own_memory "$2")
        [ "$now" -le $tracer_most ] || tracer_most=$now
        nap 0.1
    done
    echo "$front_most $tracer_most"
}

# storm TARGET...: TARGET makes many short processes or threads. None is lost or stuck, and ptprofil's memory stays
# small: LIVE is the number of threads that exist at the same time, if these are many.
storm() {
    local front tracer most status=0
    rm -f out
    "$PTPROFIL" -q -F 2000 -o profile.folded -- "$TARGETS/$1" "${@:2}" >out 2>err &
    front=$!
    poll_until 10 has_tracer_or_ended || fail "no tracer:" "$(show_family $front)" "$(cat err)"
    most=$(most_memory $front "${tracer:-0}")
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status: $*" "$(tail -n 20 err)"
    [ -s profile.folded ] || fail "no profile"
    echo "  $(cat out), front and tracer had $most kB at the most"
    is_sanitized || { [ "${most% *}" -le 30000 ] && [ "${most#* }" -le $((4000 + 2 * ${live:-0})) ]; } || fail "too much memory"
    [ "${most#* }" -gt 0 ] || off "the tracer had ended before its memory was read"
}

# On a machine that stands still for a second, all can be over before the first look.
has_tracer_or_ended() {
    tracer=$(tracer_of "$front")
    [ "$tracer" ] || is_gone_or_zombie "$front"
}

# Two thousand processes a second, if the machine makes so many.
long_fork_storm_at_a_rate() {
    local children=4000
    [ -z "$full" ] || children=20000
    storm fork_storm $children 2000
}

long_thread_churn() {
    local seconds=1.5
    [ -z "$full" ] || seconds=10
    storm thread_churn $seconds
}

# Threads that exist at the same time. The tracer asks only some of them for events. Some run while others are made, or all
# begin at once.
case_thread_burst() {
    follows 0 burst_most thread_burst 600 599
    follows 0 "" thread_burst 400
}

long_burst_of_thousands() {
    local live=3000
    [ -z "$full" ] || live=10000
    storm thread_burst $live
    storm thread_burst $live $((live - 1))
    storm thread_burst $live 8
}

# All end at the same time.
case_many_threads_exit() {
    follows 40 "" many_threads 400 0
}

long_exec_chain() {
    ln -s "$TARGETS/exec_chain" link-one
    ln -s "$TARGETS/exec_chain" link-two
    local status=0
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./link-one 24 ./link-one ./link-two >out || status=$?
    [ $status = 41 ] || fail "status $status"
    expect_share profile.folded link_work 30
    [ "$(process_weight profile.folded link-one)" -gt 20000 ] && [ "$(process_weight profile.folded link-two)" -gt 20000 ] ||
        off "each image's time belongs to its own name:" "$(cat profile.folded)"
}

case_no_follow() {
    local options=--no-follow
    follows 0 in_followed_parent follow_not traced
    expect_share profile.folded in_followed_thread 20
    expect_absent profile.folded ';in_child_not_followed'
}

# A daemon that outlives CMD: ptprofil ends when CMD ends, and the daemon runs on, untraced.
case_daemon() {
    local status=0 pid
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/daemon" ready stop end || status=$?
    [ $status = 42 ] || fail "status $status"
    [ ! -e end ] || fail "the daemon has ended already"
    pid=$(cat ready)
    poll_until 5 is_untraced "$pid" || fail "still traced"
    : >stop
    poll_until 10 test -e end || fail "the daemon does not run on: $(show_family "$pid")"
    grep -q '^tracer 0$' end || fail "$(cat end)"
}

case_daemon_waited_for() {
    local front status=0
    "$PTPROFIL" -q -F 1000 --wait -o profile.folded -- "$TARGETS/daemon" ready stop end &
    front=$!
    poll_until 10 test -e ready || fail "not ready"
    poll_until 10 command_is_gone $front || fail "CMD has not been reaped"
    is_gone_or_zombie $front && fail "ptprofil did not wait for the daemon"
    ! is_untraced "$(cat ready)" || fail "the daemon was released"
    works "$(cat ready)" 300
    : >stop
    poll_until 15 is_gone_or_zombie $front || fail "ptprofil did not end with the daemon: $(show_family $front)"
    wait $front || status=$?
    [ $status = 42 ] || fail "status $status"
    [ -e end ] || fail "the daemon did not end well"
    expect_share profile.folded in_daemon 20
}

command_is_gone() {
    [ -z "$(command_of "$1")" ]
}

# Background children that a shell leaves behind are like daemons.
case_left_behind() {
    local status=0
    within 20 "$PTPROFIL" -q -o profile.folded -- sh -c 'sleep 600 & echo $! >left; exit 5' || status=$?
    [ $status = 5 ] || fail "status $status"
    poll_until 5 is_untraced "$(cat left)" || fail "still traced"
    poll_until 5 is_asleep "$(cat left)" || fail "state $(state_of "$(cat left)")"
}

build_32() {
    gcc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector "$source_dir/tests/targets/small32.c" -o small32 2>log ||
        skip "gcc does not make 32-bit programs"
    local status=0
    ./small32 >/dev/null || status=$?
    [ $status = 43 ] || skip "the kernel does not run 32-bit programs"
}

case_32_bit() {
    need gcc
    build_32
    local status=0
    within 20 "$PTPROFIL" -F 1000 -o profile.folded -- ./small32 >out 2>err || status=$?
    [ $status = 43 ] || fail "status $status" "$(cat err)"
    [ "$(cat out)" = "from 32 bits" ] || fail "$(cat out)"
    [ "$(matching_weight profile.folded '_start$')" -gt 10000 ] || off "it is not sampled" "$(cat profile.folded)"

    # A 32-bit program among others does not affect their profiles.
    status=0
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c './small32; "$1/mix" -s 0.2; ./small32' - "$TARGETS" >out 2>err ||
        status=$?
    [ $status = 43 ] && [ "$(wc -l <out)" = 2 ] || fail "status $status" "$(cat out err)"
    [ "$(weight_of profile.folded spin_half)" -gt 50000 ] || off "$(cat profile.folded)"
}

# io_uring makes kernel threads in a process without a ptrace event. They are found, and shown as the kernel's.
case_io_uring_workers() {
    need gcc
    cat >ring.c <<'END'
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <time.h>
static char bytes[1 << 20];
int main(int count, char **arguments)
{
    struct io_uring ring;
    struct io_uring_cqe *done;
    struct timespec now, end;
    if (io_uring_queue_init(8, &ring, count > 2 ? IORING_SETUP_SQPOLL : 0) < 0)
        return 77;
    int fd = open("/dev/zero", O_RDONLY);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += count > 1 ? atoi(arguments[1]) : 1;
    do {
        struct io_uring_sqe *wanted = io_uring_get_sqe(&ring);
        io_uring_prep_read(wanted, fd, bytes, sizeof bytes, 0);
        wanted->flags |= IOSQE_ASYNC;
        io_uring_submit_and_wait(&ring, 1);
        if (!io_uring_wait_cqe(&ring, &done))
            io_uring_cqe_seen(&ring, done);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}
END
    gcc -O1 ring.c -o ring -luring 2>/dev/null || skip "no liburing-dev"
    ./ring 0 || skip "no io_uring here"
    local how pid
    for how in command rarely polled attach; do
        case $how in
        command) within 30 "$PTPROFIL" -q -F 500 -o profile.folded -- ./ring $slow || fail "status $?" ;;
        rarely) within 30 "$PTPROFIL" -q -F 50 -o profile.folded -- ./ring $((2 * slow)) || fail "status $?" ;;
        polled) within 30 "$PTPROFIL" -q -F 50 -o profile.folded -- ./ring $((2 * slow)) polled || fail "status $?" ;;
        attach)
            ./ring 600 &
            pid=$!
            within 30 "$PTPROFIL" -q -F 500 -d 0.7 -o profile.folded -p $pid || fail "status $?"
            kill -0 $pid || fail "it has ended"
            kill -KILL $pid
            ;;
        esac
        [ $(($(matching_weight profile.folded '^ring;\[kernel\];\[io_uring worker\]$') * 2)) -gt "$(total_of profile.folded)" ] ||
            off "$how:" "$(cat profile.folded)"
        grep -v io_uring_queue_init profile.folded >others # this one calls io_uring_setup
        expect_absent others 'io_uring_setup'
    done
}

# Time of a forked child before its exec belongs to the program that forked.
case_names_before_exec() {
    within 60 "$PTPROFIL" -q -F 5000 -o profile.folded -- bash -c 'for ((i = 0; i < 300; i++)); do true; /bin/true; done' || fail "status $?"
    grep -q '^bash;.*;make_child' profile.folded || skip "this bash has no such name"
    expect_absent profile.folded '^true;.*;make_child'
}

run_cases "$@"
