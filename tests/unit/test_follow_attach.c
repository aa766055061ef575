/* SPDX-License-Identifier: MIT
 *
 * A process calls exec while it is being attached. */
#include "common/base/proc.h"
#include "tracer/follow/follow_parts.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include "common/model/proctext.h"
#include "fake_table.h"
#include "tracer/follow/follow.h"
#include "unit.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic uint32_t wake;
static int leave[2]; /* a pipe: the command to exec */
static pid_t target;
static pid_t sleeper;       /* a thread that does not exec */
static pid_t first;         /* the first seized thread */
static bool exec_first;     /* the thread that execs was created before the other one */
static bool busy;           /* threads run instead of sleeping */
static volatile bool *left; /* the command to exec for a running thread */

static void *sleep_on(void *ready)
{
    const pid_t tid = gettid();
    if (write(*(const int *)ready, &tid, sizeof tid) != sizeof tid)
        _exit(1);
    while (busy && tid != getpid())
        continue;
    for (;;)
        pause();
    return NULL;
}

static void *exec_when_told(void *unused)
{
    char byte;
    while (busy && !*left)
        continue;
    if (busy || read(leave[0], &byte, 1) == 1)
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
    _exit(1);
    return unused;
}

static void run_target(int ready)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, exec_first ? exec_when_told : sleep_on, &ready) ||
        pthread_create(&thread, NULL, exec_first ? sleep_on : exec_when_told, &ready))
        _exit(1);
    sleep_on(&ready);
}

/* Returns true if TID, a thread of the target that sleeps or runs, has ended. EXIT_STOP: or if it is at its exit stop.
 */
static bool is_ending(pid_t tid, bool exit_stop)
{
    char text[4096], state;
    int cpu;
    if (!exit_stop)
        return procfs_is_dead(target, tid);
    return procfs_text(target, tid, "stat", text, sizeof text) <= 0 ||
           (proctext_stat(text, &state, &cpu) && state != 'S' && state != 'R');
}

/* After one thread is seized, another one execs. The exec waits until the seized thread is gone. */
int __real_request_seize(pid_t tid, bool follow, bool end);
int __wrap_request_seize(pid_t tid, bool follow, bool end);
int __wrap_request_seize(pid_t tid, bool follow, bool end)
{
    if (first && tid != first && !is_ending(first, end)) {
        *left = true;
        ck_assert_int_eq(write(leave[1], "x", 1), 1);
        while (!is_ending(first, end))
            usleep(1000);
    }
    int result = __real_request_seize(tid, follow, end);
    if (!result && !first && tid != target)
        first = tid;
    return result;
}

static void begin_target(struct follow *follow)
{
    int ready[2];
    pid_t asleep[2];
    ck_assert(proc_enter() == 0 && pipe(ready) == 0 && pipe(leave) == 0);
    left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne((void *)left, MAP_FAILED);
    target = fork();
    if (target == 0)
        run_target(ready[1]);
    ck_assert_int_gt(target, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(read(ready[0], &asleep[i], sizeof asleep[i]), sizeof asleep[i]);
    sleeper = asleep[0] == target ? asleep[1] : asleep[0];
    ck_assert_int_eq(follow_start(follow, &wake), 0);
}

static void end_target(struct follow *follow)
{
    ck_assert_int_ne(first, 0);
    ck_assert_int_eq(kill(target, SIGKILL), 0);
    ck_assert_int_eq(waitpid(target, NULL, __WALL), target);
    fake_table_free(&follow->table);
    free(follow->events.items);
    free(follow->makers.items);
    free(follow->endings.items);
}

START_TEST(an_exec_during_the_attach_continues)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue};
    begin_target(&follow);
    int result = follow_attach(&follow, target);
    ck_assert_msg(result == 0 || result == -ESRCH, "%d", result);
    end_target(&follow);
}
END_TEST

/* Threads that were created during the attach are seized later. The end of one of them is an event, too. */
START_TEST(a_later_exec_continues_and_ends_are_reported)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue, .births = true};
    struct follow_event event;
    int ends = 0;
    begin_target(&follow);
    struct process *process = table_add_process(&follow.table, target, 0);
    process->attached = true;
    process->image = 1;
    attach_begun(&follow, process);
    while (follow_next(&follow, &event)) {
        if (event.kind == FOLLOW_THREAD_ENDED && event.thread->tid == first)
            ends++;
        ck_assert_int_ne(event.kind, FOLLOW_PROCESS_ENDED);
        if (event.kind == FOLLOW_THREAD_ENDED)
            follow_answer(&follow, &event, (struct follow_action){0});
    }
    ck_assert_int_eq(ends, 1);
    end_target(&follow);
}
END_TEST

static void await_sleep(pid_t tid)
{
    char text[256];
    struct blocked where;
    while (procfs_text(target, tid, "syscall", text, sizeof text) <= 0 || !proctext_blocked(text, &where))
        usleep(1000);
}

/* The list of threads was read earlier. It may still have a thread that has ended, and that end is not reported yet. */
START_TEST(ended_threads_are_known_until_reported)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue, .births = true};
    struct follow_event event;
    int ends = 0;
    exec_first = true;
    begin_target(&follow);
    struct process *process = table_add_process(&follow.table, target, 0);
    process->attached = true;
    process->image = 1;
    await_sleep(sleeper);
    ck_assert_int_eq(__real_request_seize(sleeper, true, true), 0);
    ck_assert_ptr_nonnull(table_add_thread(&follow.table, process, sleeper));
    first = sleeper;
    attach_begun(&follow, process);
    while (follow_next(&follow, &event)) {
        ck_assert_int_ne(event.kind, FOLLOW_PROCESS_ENDED);
        if (event.kind != FOLLOW_THREAD_ENDED)
            continue;
        ends += event.thread->tid == sleeper;
        follow_answer(&follow, &event, (struct follow_action){0});
    }
    ck_assert_int_eq(ends, 1);
    ck_assert_ptr_null(table_thread(&follow.table, sleeper));
    end_target(&follow);
}
END_TEST

/* The only known thread ended in an exec. The thread that called exec took its number, and died. */
START_TEST(a_death_in_exec_is_an_end)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue, .births = true};
    struct follow_event event;
    int ends = 0, known = 0;
    siginfo_t info;
    ck_assert_int_eq(proc_enter(), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    ck_assert_int_eq(follow_start(&follow, &wake), 0);
    struct process *process = table_add_process(&follow.table, pid, 0);
    ck_assert_ptr_nonnull(table_add_thread(&follow.table, process, pid));
    process->attached = true;
    process->image = 1;
    attach_begun(&follow, process);
    while (follow_next(&follow, &event)) {
        ends += event.kind == FOLLOW_PROCESS_ENDED;
        known += event.kind == FOLLOW_CHILDREN_KNOWN;
        follow_answer(&follow, &event, (struct follow_action){0});
    }
    ck_assert_int_eq(ends, 1);
    ck_assert_int_eq(known, 0);
    ck_assert_ptr_null(table_process(&follow.table, pid));
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    fake_table_free(&follow.table);
    free(follow.events.items);
    free(follow.makers.items);
    free(follow.endings.items);
}
END_TEST

static bool is_executed(void)
{
    char comm[16];
    procfs_comm(target, target, comm);
    return !strcmp(comm, "sleep");
}

/* A rescue after a tracer's death also stops threads to look at them, and an exec waits for these. */
START_TEST(an_exec_continues_during_a_rescue)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue};
    struct procfs_identity identity;
    uint64_t code = (uintptr_t)&is_executed;
    struct detour detour = {.address = code - code % 8, .stub = code + 4096, .tail = code};
    busy = true;
    begin_target(&follow);
    ck_assert(procfs_identify(target, &identity));
    ck_assert_int_ge(rescue_note_detour(&rescue, target, &identity, &detour), 0);
    rescue_stubs(&rescue, 20000000000ull);
    while (!is_executed())
        usleep(1000);
    end_target(&follow);
}
END_TEST

static void *page_that_nobody_brings(void)
{
    const size_t size = (size_t)getpagesize();
    struct uffdio_api api = {.api = UFFD_API};
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register region = {{(uintptr_t)page, size}, UFFDIO_REGISTER_MODE_MISSING, 0};
    int fd = (int)syscall(SYS_userfaultfd, 0);
    return fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &region) ? NULL : page;
}

static bool is_asleep_in(pid_t pid, int32_t number)
{
    char text[256];
    struct blocked where;
    return procfs_text(pid, pid, "syscall", text, sizeof text) > 0 && proctext_blocked(text, &where) &&
           where.syscall == number;
}

/* The kernel reads the list of robust locks before it gives up the memory. Reading this list blocks. */
static void exec_without_end(int ready)
{
    char told = 'x';
    void *page = page_that_nobody_brings();
    if (!page || syscall(SYS_set_robust_list, page, 24))
        told = 'n';
    if (write(ready, &told, 1) == 1 && told == 'x')
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
    _exit(1);
}

/* Other traced threads would have to wait. */
START_TEST(an_exec_without_end_is_not_waited_for)
{
    static struct rescue rescue;
    struct follow follow = {.rescue = &rescue};
    int ready[2];
    char told;
    ck_assert(proc_enter() == 0 && pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0)
        exec_without_end(ready[1]);
    ck_assert_int_eq(read(ready[0], &told, 1), 1);
    while (told == 'x' && !is_asleep_in(pid, SYS_execve))
        usleep(1000);
    ck_assert_int_eq(follow_start(&follow, &wake), 0);
    if (told == 'x')
        ck_assert_int_eq(follow_attach(&follow, pid), -ETIMEDOUT);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, __WALL), pid);
    fake_table_free(&follow.table);
    free(follow.events.items);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("follow/attach");
    tcase_add_test(tests, an_exec_during_the_attach_continues);
    tcase_add_test(tests, a_later_exec_continues_and_ends_are_reported);
    tcase_add_test(tests, ended_threads_are_known_until_reported);
    tcase_add_test(tests, a_death_in_exec_is_an_end);
    tcase_add_test(tests, an_exec_continues_during_a_rescue);
    tcase_add_test(tests, an_exec_without_end_is_not_waited_for);
    return unit_end();
}
