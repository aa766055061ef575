/* SPDX-License-Identifier: MIT
 *
 * A real copier copies this process's own memory. The tests look at it when it has finished. */
#include "tracer/tracee/copier.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include "unit.h"

#include "common/base/child.h"
#include "common/base/time.h"
#include "common/model/proctext.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COPIES = 50, LOOK_NS = 60000000 };

/* Each query of the time makes the caller look at the copier. */
uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    static uint64_t now_ns;
    return now_ns += LOOK_NS;
}

/* On a busy machine, the copier has finished before it is looked at. Reading /proc waits for that. */
ssize_t __real_procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size);
ssize_t __wrap_procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size);
ssize_t __wrap_procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    char state;
    int cpu;
    for (;;) {
        ssize_t got = __real_procfs_text(pid, tid, name, text, size);
        if (got <= 0 || (proctext_stat(text, &state, &cpu) && state == 'S'))
            return got;
        usleep(100);
    }
}

START_TEST(a_copier_that_sleeps_when_it_has_finished_is_not_late)
{
    static const char text[] = "what is copied";
    char copied[sizeof text];
    struct copy copy = {
        .tid = getpid(), .address = (uint64_t)(uintptr_t)text, .bytes = (unsigned char *)copied, .size = sizeof text};
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    for (int i = 0; i < COPIES; i++) {
        memset(copied, 0, sizeof copied);
        ck_assert_int_eq(copier_in_time(&copy), sizeof text);
        ck_assert_mem_eq(copied, text, sizeof text);
    }
}
END_TEST

START_TEST(a_command_line_is_copied_from_any_place_on)
{
    char whole[4096], rest[4096];
    ssize_t size = __real_procfs_text(getpid(), 0, "cmdline", whole, sizeof whole);
    struct copy copy = {.tid = getpid(), .bytes = rest, .size = sizeof rest, .words = "cmdline"};
    ck_assert_int_gt(size, 1);
    ck_assert_int_eq(copier_in_time(&copy), size);
    ck_assert_mem_eq(rest, whole, (size_t)size);
    copy.address = 1;
    ck_assert_int_eq(copier_in_time(&copy), size - 1);
    ck_assert_mem_eq(rest, whole + 1, (size_t)size - 1);
    copy.tid = -1;
    ck_assert_int_eq(copier_in_time(&copy), -ESRCH);
}
END_TEST

/* By its tracer alone, in kernels that refuse it to all others. */
START_TEST(memory_for_writing_alone_is_read)
{
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char *place = mmap(NULL, 8192, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), read[sizeof text];
    uint64_t address = (uint64_t)(uintptr_t)place;
    ck_assert_ptr_ne(place, MAP_FAILED);
    munmap(place + 4096, 4096);
    memcpy(place, text, sizeof text);
    pid_t pid = fork();
    if (!pid)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP));
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    for (size_t from = 0; from < 9; from++)
        for (size_t size = 0; size < 20; size++) {
            memset(read, 0, sizeof read);
            ck_assert_int_eq(request_read(pid, address + from, read, size), 0);
            ck_assert_mem_eq(read, text + from, size);
            ck_assert_int_eq(read[size], 0);
        }
    ck_assert_int_eq(request_read(pid, address + 4096 - 4, read, 8), -EIO);
    ck_assert_int_eq(request_read(getpid(), address, read, 8), -ESRCH);
    struct copy copy = {.tid = pid, .address = address, .bytes = read, .size = 8, .write_only = true};
    ck_assert_int_eq(copier_at_once(&copy), 8);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    munmap(place, 4096);
}
END_TEST

/* Copiers with this order never return from the call, and appear to survive SIGKILL. */
static bool sticks;
static pid_t pids[20];
static size_t killed;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count, unsigned long flags)
{
    while (sticks)
        pause();
    return __real_process_vm_readv(pid, here, here_count, there, there_count, flags);
}

bool __wrap_child_kill(struct child *child, unsigned patience_ms);
bool __wrap_child_kill(struct child *child, unsigned patience_ms)
{
    (void)patience_ms;
    pids[killed++] = child->pid;
    return false;
}

START_TEST(copiers_that_die_late_make_room)
{
    char copied;
    struct copy copy = {.tid = getpid(), .address = (uint64_t)(uintptr_t) "x", .bytes = &copied, .size = 1};
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    sticks = true;
    while (killed < sizeof pids / sizeof *pids && copier_in_time(&copy) == -ETIMEDOUT)
        ;
    ck_assert_uint_lt(killed, sizeof pids / sizeof *pids);
    ck_assert_int_eq(copier_in_time(&copy), -EAGAIN);
    for (size_t i = 0; i < killed; i++) {
        siginfo_t info;
        kill(pids[i], SIGKILL);
        ck_assert_int_eq(waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT), 0);
    }
    sticks = false;
    ck_assert_int_eq(copier_in_time(&copy), 1);
    ck_assert_int_eq(copied, 'x');
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("tracee/copier");
    tcase_add_test(tests, a_copier_that_sleeps_when_it_has_finished_is_not_late);
    tcase_add_test(tests, a_command_line_is_copied_from_any_place_on);
    tcase_add_test(tests, memory_for_writing_alone_is_read);
    tcase_add_test(tests, copiers_that_die_late_make_room);
    return unit_end();
}
