/* SPDX-License-Identifier: MIT */
#include "common/confine/refuse.h"

#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL = REFUSE_SYSTEM | REFUSE_NETWORK | REFUSE_PROGRAMS | REFUSE_PROCESSES | REFUSE_NAMESPACES };

/* The result is 0 or an errno. */
static const struct {
    unsigned kinds;
    long number;
    unsigned long arguments[3];
    int result;
} tries[] = {
    {REFUSE_NETWORK, SYS_socket, {AF_UNIX, SOCK_STREAM}, EACCES},
    {ALL & ~REFUSE_NETWORK, SYS_socket, {AF_UNIX, SOCK_STREAM}, 0},
    {REFUSE_PROGRAMS, SYS_execve, {0}, EACCES},
    {ALL & ~REFUSE_PROGRAMS, SYS_execve, {0}, EFAULT},
    {REFUSE_PROCESSES, SYS_kill, {1, 0}, EACCES},
    {REFUSE_PROCESSES, SYS_ptrace, {0}, EACCES},
    {REFUSE_SYSTEM, SYS_mount, {0}, EACCES},
    {REFUSE_SYSTEM, SYS_io_uring_setup, {0}, EACCES},
    {REFUSE_NAMESPACES, SYS_unshare, {0}, EACCES},
    {REFUSE_NAMESPACES, SYS_clone, {CLONE_NEWUSER | SIGCHLD}, EACCES},
    {REFUSE_NAMESPACES, SYS_clone3, {0}, ENOSYS},
    {ALL & ~REFUSE_NAMESPACES, SYS_unshare, {0}, 0},
    {ALL, SYS_dup, {STDIN_FILENO}, 0},
};

static int wait_for(pid_t pid)
{
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

START_TEST(kinds_are_refused)
{
    const unsigned long *with = tries[_i].arguments;
    pid_t pid = fork();
    if (pid == 0) {
        if (refuse_calls(tries[_i].kinds) < 0)
            _exit(99);
        _exit(syscall(tries[_i].number, with[0], with[1], with[2], 0, 0, 0) < 0 ? errno : 0);
    }
    ck_assert_int_eq(wait_for(pid), tries[_i].result);
}
END_TEST

START_TEST(own_threads_get_signals)
{
    pid_t pid = fork();
    if (pid == 0) {
        refuse_calls(ALL);
        raise(SIGUSR1);
        _exit(0);
    }
    ck_assert_int_eq(wait_for(pid), -SIGUSR1);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("confine/refuse");
    UNIT_ADD_TABLE(tests, kinds_are_refused, tries);
    tcase_add_test(tests, own_threads_get_signals);
    return unit_end();
}
