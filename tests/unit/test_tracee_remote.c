/* SPDX-License-Identifier: MIT
 *
 * Real tracees: /bin/true makes a system call for us before its first instruction, and must still end normally. */
#include "tracer/tracee/remote.h"

#include "common/arch/arch.h"
#include "common/base/buffer.h"
#include "common/model/event.h"
#include "fake_table.h"
#include "own_time.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = 77, BOUND_S = 20, MOST_STOPS = 100, VDSO_BYTES = 4096 };

static const struct arch_call get_parent = {.number = SYS_getppid};
static const struct arch_call close_nothing = {.number = SYS_close, .arguments = {1000000}};
static const struct arch_call map_pages = {
    .number = SYS_mmap,
    .arguments = {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0},
};

/* Starts a child that executes /bin/true when a byte comes through *GO. Any process may trace it. */
static pid_t start(int *go)
{
    int pipes[2], ready[2];
    char byte;
    ck_assert(pipe(pipes) == 0 && pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        close(pipes[1]);
        if (write(ready[1], "", 1) == 1 && read(pipes[0], &byte, 1) == 1)
            execl("/bin/true", "true", (char *)NULL);
        _exit(99);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(pipes[0]);
    *go = pipes[1];
    return pid;
}

static struct event next_event(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | __WALL) < 0)
        return (struct event){EVENT_OTHER, -errno};
    return event_decode(info.si_code, info.si_status);
}

/* Seizes PID and lets it run to its exec. Returns false if the kernel refuses tracing. */
static bool bring_to_exec(pid_t pid, int go)
{
    int result = request_seize(pid, false, false);
    if (result == -EPERM || result == -ENOSYS) {
        fprintf(stderr, "skipped: ptrace is refused here\n");
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return false;
    }
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(write(go, "", 1), 1);
    ck_assert_int_eq(next_event(pid).kind, EVENT_EXEC);
    return true;
}

static struct thread *known(struct table *table, pid_t pid)
{
    struct buffer text = {0};
    struct process *process = table_add_process(table, pid, getpid());
    struct thread *thread = table_add_thread(table, process, pid);
    int fd = procfs_open(pid, 0, "maps");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(buffer_read_file(&text, fd, 1 << 20), 0);
    ck_assert(address_map_parse(&process->map, text.bytes, 1000));
    buffer_fini(&text);
    close(fd);
    return thread;
}

/* A disturbance of the tracee while it makes the call. */
struct meddling {
    int at;   /* before it is resumed from this stop; the exec event is number 0 */
    int sig;  /* sent to it; 0: PTRACE_INTERRUPT */
    bool die; /* the tracer dies instead */
};

static void meddle(const struct thread *thread, const struct meddling *meddling, int number)
{
    if (!meddling || meddling->at != number)
        return;
    if (meddling->die)
        _exit(0);
    if (meddling->sig)
        kill(thread->tid, meddling->sig);
    else
        request_interrupt(thread->tid);
}

static void resume(const struct thread *thread, struct event event, bool remote)
{
    if (event.kind == EVENT_GROUP_STOP) {
        request_listen(thread->tid);
        kill(thread->tid, SIGCONT);
    } else if (event.kind == EVENT_SIGNAL) {
        request_resume(thread->tid, event.value);
    } else if (remote) {
        request_resume_to_syscall(thread->tid, 0);
    } else {
        request_resume(thread->tid, 0);
    }
}

/* Makes THREAD execute CALL. Returns true with *RESULT if it was executed, and false if the tracee ended. */
static bool make(struct thread *thread, const struct arch_call *call, const struct meddling *meddling, int64_t *result)
{
    struct event event = {EVENT_EXEC, 0};
    ck_assert_int_eq(remote_prepare(thread, call), 0);
    for (int number = 0; number < MOST_STOPS; number++) {
        meddle(thread, meddling, number);
        resume(thread, event, true);
        event = next_event(thread->tid);
        if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED)
            return false;
        if (remote_stopped(thread, event, result) == REMOTE_DONE)
            return true;
    }
    ck_abort_msg("the call does not come to an end");
    return false;
}

/* Lets it run. Expects the normal end of /bin/true. */
static void expect_true(struct thread *thread)
{
    struct event event = {EVENT_TRAP, 0};
    ck_assert(!thread->remote);
    for (int number = 0; number < MOST_STOPS && event.kind != EVENT_EXITED; number++) {
        resume(thread, event, false);
        event = next_event(thread->tid);
        ck_assert_int_ne(event.kind, EVENT_KILLED);
    }
    ck_assert_int_eq(event.kind, EVENT_EXITED);
    ck_assert_int_eq(event.value, 0);
}

START_TEST(a_call_is_made_and_leaves_no_trace)
{
    struct table table = {0};
    struct arch_registers before, after;
    int64_t result = 0;
    int go;
    pid_t pid = start(&go);
    if (!bring_to_exec(pid, go))
        return;
    struct thread *thread = known(&table, pid);
    request_resume_to_syscall(pid, 0); /* the end of execve */
    ck_assert_int_eq(next_event(pid).kind, EVENT_SYSCALL);
    ck_assert_int_eq(request_registers(pid, &before), 0);
    ck_assert_int_eq(remote_prepare(thread, &get_parent), 0);
    ck_assert_int_eq(remote_stopped(thread, (struct event){EVENT_SYSCALL, 0}, &result), REMOTE_GOES_ON);
    ck_assert(remote_is_away(thread));
    for (int i = 0; i < 2; i++) {
        request_resume_to_syscall(pid, 0);
        ck_assert_int_eq(next_event(pid).kind, EVENT_SYSCALL);
        ck_assert_int_eq(remote_stopped(thread, (struct event){EVENT_SYSCALL, 0}, &result),
                         i ? REMOTE_DONE : REMOTE_GOES_ON);
    }
    ck_assert_int_eq(result, getpid());
    ck_assert(!remote_is_away(thread));
    ck_assert_int_eq(request_registers(pid, &after), 0);
#ifdef __x86_64__
    before.user.eflags |= 2; /* this bit is always set, except after an exec on Linux 6.1 */
#endif
    ck_assert_mem_eq(&before, &after, sizeof before);
    expect_true(thread);
    fake_table_free(&table);
}
END_TEST

START_TEST(a_failure_is_returned)
{
    struct table table = {0};
    int64_t result = 0;
    int go;
    pid_t pid = start(&go);
    if (!bring_to_exec(pid, go))
        return;
    struct thread *thread = known(&table, pid);
    ck_assert(make(thread, &close_nothing, NULL, &result));
    ck_assert_int_eq(result, -EBADF);
    expect_true(thread);
    fake_table_free(&table);
}
END_TEST

/* Up to more stops than an undisturbed call has. */
static const struct meddling meddlings[] = {
    {0, 0, false},       {1, 0, false},       {2, 0, false},       {3, 0, false},       {0, SIGSTOP, false},
    {1, SIGSTOP, false}, {2, SIGSTOP, false}, {3, SIGSTOP, false}, {0, SIGURG, false},  {1, SIGURG, false},
    {2, SIGURG, false},  {1, SIGCONT, false}, {2, SIGCONT, false}, {1, SIGCHLD, false}, {1, SIGTSTP, false},
};

START_TEST(stops_and_signals_on_the_way_do_no_harm)
{
    struct table table = {0};
    int64_t result = 0;
    uint64_t word = 1;
    int go;
    pid_t pid = start(&go);
    if (!bring_to_exec(pid, go))
        return;
    struct thread *thread = known(&table, pid);
    ck_assert(make(thread, &map_pages, &meddlings[_i], &result));
    ck_assert_int_gt(result, 0);
    ck_assert_int_eq(memory_read_all(&thread->process->memory, pid, (uint64_t)result, &word, sizeof word), 0);
    ck_assert_uint_eq(word, 0);
    expect_true(thread);
    fake_table_free(&table);
}
END_TEST

static const struct meddling killings[] = {
    {0, SIGKILL, false}, {1, SIGKILL, false}, {2, SIGKILL, false}, {1, SIGTERM, false}};

START_TEST(a_tracee_can_be_killed_on_the_way)
{
    struct table table = {0};
    int64_t result = 0;
    int go;
    pid_t pid = start(&go);
    if (!bring_to_exec(pid, go))
        return;
    struct thread *thread = known(&table, pid);
    ck_assert(!make(thread, &map_pages, &killings[_i], &result) || result == -ESRCH);
    fake_table_free(&table);
    waitpid(pid, NULL, __WALL);
}
END_TEST

static bool has_way_back(void)
{
    struct arch_site site;
    const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
    return vdso && arch_find_site(vdso, VDSO_BYTES, 0, &site) && site.back != ARCH_NO_WAY_BACK;
}

/* The tracer, which dies during the call. */
static _Noreturn void trace_and_die(pid_t pid, int go, int at)
{
    struct meddling meddling = {.at = at, .die = true};
    struct table table = {0};
    int64_t result;
    if (!bring_to_exec(pid, go))
        _exit(REFUSED);
    make(known(&table, pid), &map_pages, &meddling, &result);
    _exit(0);
}

START_TEST(the_tracer_can_be_killed_on_the_way)
{
    int go, status;
    pid_t pid = start(&go), tracer = fork();
    if (tracer == 0)
        trace_and_die(pid, go, _i);
    ck_assert_int_eq(waitpid(tracer, &status, 0), tracer);
    close(go);
    if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED) {
        waitpid(pid, NULL, 0);
        return;
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    if (has_way_back())
        ck_assert_int_eq(status, 0);
    else
        fprintf(stderr, "this vDSO has no way back: ended with wait status 0x%x\n", (unsigned)status);
}
END_TEST

START_TEST(without_a_vdso_nothing_is_prepared)
{
    struct process process = {.pid = getpid()};
    struct thread thread = {.tid = getpid(), .process = &process};
    ck_assert_int_eq(remote_prepare(&thread, &get_parent), -ENOENT);
    ck_assert_ptr_null(thread.remote);
    remote_drop(&thread);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("tracee/remote");
    tcase_set_timeout(tests, BOUND_S);
    tcase_add_test(tests, a_call_is_made_and_leaves_no_trace);
    tcase_add_test(tests, a_failure_is_returned);
    UNIT_ADD_TABLE(tests, stops_and_signals_on_the_way_do_no_harm, meddlings);
    UNIT_ADD_TABLE(tests, a_tracee_can_be_killed_on_the_way, killings);
    tcase_add_loop_test(tests, the_tracer_can_be_killed_on_the_way, 0, 4);
    tcase_add_test(tests, without_a_vdso_nothing_is_prepared);
    return unit_end();
}
