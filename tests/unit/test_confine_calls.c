/* SPDX-License-Identifier: MIT */
#include "common/confine/calls.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct confine_call calls[] = {
    {.number = SYS_exit_group},
    {.number = SYS_rt_sigreturn},
    {.number = SYS_mmap, .argument = 2, .mask = PROT_EXEC},
    {.number = SYS_lseek, .argument = 2, .mask = UINT32_MAX, .value = SEEK_SET},
    {.number = SYS_lseek, .argument = 2, .mask = UINT32_MAX, .value = SEEK_CUR},
    {.number = SYS_openat, .action = CONFINE_TRAP},
    {.number = SYS_dup, .action = CONFINE_REFUSE},
    {.number = SYS_clone3, .action = CONFINE_LACK},
};

enum { TRAPPED = 77, KILLED = -SIGSYS };

static void be_trapped(int signal)
{
    (void)signal;
    _exit(TRAPPED);
}

/* The result is 0, an errno, TRAPPED or KILLED. */
static const struct {
    long number;
    unsigned long arguments[6];
    int result;
} tries[] = {
    {SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1UL, 0}, 0},
    {SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1UL, 0}, KILLED},
    {SYS_lseek, {1000, 0, SEEK_SET}, EBADF},
    {SYS_lseek, {1000, 0, SEEK_CUR}, EBADF},
    {SYS_lseek, {1000, 0, SEEK_CUR | 1UL << 32}, EBADF},
    {SYS_lseek, {1000, 0, SEEK_END}, KILLED},
    {SYS_openat, {0}, TRAPPED},
    {SYS_dup, {0}, EACCES},
    {SYS_clone3, {0}, ENOSYS},
    {SYS_getpid, {0}, KILLED},
    {SYS_dup3, {0}, KILLED},
    {SYS_socket, {0}, KILLED},
#ifdef __x86_64__
    {0x40000000 + SYS_dup, {0}, KILLED}, /* x32's */
#endif
};

START_TEST(other_calls_end_the_process)
{
    const unsigned long *with = tries[_i].arguments;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSYS, be_trapped);
        if (confine_calls(calls, UNIT_ROWS(calls)) < 0)
            _exit(99);
        long result = syscall(tries[_i].number, with[0], with[1], with[2], with[3], with[4], with[5]);
        _exit(result < 0 ? errno : 0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), tries[_i].result);
}
END_TEST

static const struct {
    long number;
    unsigned long argument;
    int result;
} mild_tries[] = {
    {SYS_dup, 1000, EACCES},
    {SYS_lseek, 1000, EBADF},
    {SYS_fsync, 1000, ENOSYS},
    {SYS_socket, 1000, EACCES},
#ifdef __x86_64__
    {0x40000000 + SYS_lseek, 1000, ENOSYS},
#endif
};

START_TEST(other_calls_fail)
{
    static const struct confine_call list[] = {
        {.number = SYS_lseek}, {.number = SYS_exit_group}, {.number = SYS_fsync, .action = CONFINE_LACK}};
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (confine_calls_else(list, UNIT_ROWS(list), CONFINE_REFUSE) < 0)
            _exit(99);
        _exit(syscall(mild_tries[_i].number, mild_tries[_i].argument, 0, SEEK_SET) < 0 ? errno : 0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), mild_tries[_i].result);
}
END_TEST

START_TEST(too_many_are_an_error)
{
    static const struct confine_call many[CONFINE_CALLS_MOST + 1];
    ck_assert_int_eq(confine_calls(many, UNIT_ROWS(many)), -EINVAL);
}
END_TEST

/* The calls of AddressSanitizer at the end of a process are not in the lists. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

int main(void)
{
    TCase *tests = unit_begin("confine/calls");
    if (!sanitized) {
        UNIT_ADD_TABLE(tests, other_calls_end_the_process, tries);
        UNIT_ADD_TABLE(tests, other_calls_fail, mild_tries);
    }
    tcase_add_test(tests, too_many_are_an_error);
    return unit_end();
}
