/* SPDX-License-Identifier: MIT */
#include "common/model/event.h"

#include "unit.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status from waitid for a stop: the event, and the signal in the low byte. */
#define STOP(sig, event) ((event) << 8 | (sig))

enum { UNKNOWN_EVENT = 77 };

static const struct {
    int code, status;
    enum event_kind kind;
    int value;
} decoded[] = {
    {CLD_EXITED, 0, EVENT_EXITED, 0},
    {CLD_EXITED, 3, EVENT_EXITED, 3},
    {CLD_EXITED, 255, EVENT_EXITED, 255},
    {CLD_EXITED, SIGTRAP, EVENT_EXITED, SIGTRAP},
    {CLD_KILLED, SIGKILL, EVENT_KILLED, SIGKILL},
    {CLD_KILLED, 64, EVENT_KILLED, 64},
    {CLD_DUMPED, SIGSEGV, EVENT_KILLED, SIGSEGV},
    /* signals before delivery, with both codes that a tracer may see */
    {CLD_TRAPPED, STOP(SIGHUP, 0), EVENT_SIGNAL, SIGHUP},
    {CLD_TRAPPED, STOP(SIGTRAP, 0), EVENT_SIGNAL, SIGTRAP},
    {CLD_TRAPPED, STOP(SIGSTOP, 0), EVENT_SIGNAL, SIGSTOP},
    {CLD_TRAPPED, STOP(SIGCONT, 0), EVENT_SIGNAL, SIGCONT},
    {CLD_TRAPPED, STOP(34, 0), EVENT_SIGNAL, 34},
    {CLD_TRAPPED, STOP(64, 0), EVENT_SIGNAL, 64},
    {CLD_STOPPED, STOP(SIGTERM, 0), EVENT_SIGNAL, SIGTERM},
    /* stops of PTRACE_SEIZE */
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_STOP), EVENT_TRAP, 0},
    {CLD_STOPPED, STOP(SIGTRAP, PTRACE_EVENT_STOP), EVENT_TRAP, 0},
    {CLD_TRAPPED, STOP(SIGSTOP, PTRACE_EVENT_STOP), EVENT_GROUP_STOP, SIGSTOP},
    {CLD_STOPPED, STOP(SIGSTOP, PTRACE_EVENT_STOP), EVENT_GROUP_STOP, SIGSTOP},
    {CLD_TRAPPED, STOP(SIGTSTP, PTRACE_EVENT_STOP), EVENT_GROUP_STOP, SIGTSTP},
    {CLD_TRAPPED, STOP(SIGTTIN, PTRACE_EVENT_STOP), EVENT_GROUP_STOP, SIGTTIN},
    {CLD_TRAPPED, STOP(SIGTTOU, PTRACE_EVENT_STOP), EVENT_GROUP_STOP, SIGTTOU},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_FORK), EVENT_FORK, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_VFORK), EVENT_VFORK, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_CLONE), EVENT_CLONE, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_EXEC), EVENT_EXEC, 0},
    {CLD_TRAPPED, STOP(SIGTRAP | 0x80, 0), EVENT_SYSCALL, 0},
    {CLD_TRAPPED, STOP(SIGTRAP | 0x80, PTRACE_EVENT_EXEC), EVENT_EXEC, 0},
    /* unrequested events, and statuses other than a stop or an end */
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_VFORK_DONE), EVENT_OTHER, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_EXIT), EVENT_EXIT, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, PTRACE_EVENT_SECCOMP), EVENT_OTHER, 0},
    {CLD_TRAPPED, STOP(SIGTRAP, UNKNOWN_EVENT), EVENT_OTHER, 0},
    {CLD_CONTINUED, SIGCONT, EVENT_OTHER, 0},
    {0, 0, EVENT_OTHER, 0},
    {-1, -1, EVENT_OTHER, 0},
};

START_TEST(decoding_follows_the_table)
{
    struct event event = event_decode(decoded[_i].code, decoded[_i].status);
    ck_assert_int_eq((int)event.kind, (int)decoded[_i].kind);
    ck_assert_int_eq(event.value, decoded[_i].value);
}
END_TEST

static struct event next_event(pid_t pid)
{
    siginfo_t information = {0};
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &information, WEXITED | WSTOPPED | __WALL), 0);
    return event_decode(information.si_code, information.si_status);
}

static void expect_event(pid_t pid, enum event_kind kind, int value)
{
    struct event event = next_event(pid);
    ck_assert_int_eq((int)event.kind, (int)kind);
    ck_assert_int_eq(event.value, value);
}

/* The table was written by hand; this test asks the kernel. */
START_TEST(the_kernel_says_the_same)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child)
        for (;;)
            pause();
    if (ptrace(PTRACE_SEIZE, child, 0, 0) < 0) { /* tracing is forbidden here */
        kill(child, SIGKILL);
        return;
    }
    ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, child, 0, 0), 0);
    expect_event(child, EVENT_TRAP, 0);
    ck_assert_int_eq(ptrace(PTRACE_CONT, child, 0, 0), 0);

    ck_assert_int_eq(kill(child, SIGUSR1), 0);
    expect_event(child, EVENT_SIGNAL, SIGUSR1);
    ck_assert_int_eq(ptrace(PTRACE_CONT, child, 0, 0), 0);

    ck_assert_int_eq(kill(child, SIGSTOP), 0);
    expect_event(child, EVENT_SIGNAL, SIGSTOP);
    ck_assert_int_eq(ptrace(PTRACE_CONT, child, 0, SIGSTOP), 0);
    expect_event(child, EVENT_GROUP_STOP, SIGSTOP);

    ck_assert_int_eq(kill(child, SIGKILL), 0);
    expect_event(child, EVENT_KILLED, SIGKILL);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/event");
    UNIT_ADD_TABLE(tests, decoding_follows_the_table, decoded);
    tcase_add_test(tests, the_kernel_says_the_same);
    return unit_end();
}
