/* SPDX-License-Identifier: MIT */
#include "common/base/proc.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *path, *relative;
} names[] = {
    {"/proc/self/stat", "self/stat"},
    {"/proc/1", "1"},
    {"/proc/.", "."},
    {"/proc//etc/passwd", "/proc//etc/passwd"}, /* the remainder is an absolute path */
    {"/proc", "/proc"},
    {"/processes", "/processes"},
    {"/etc/proc/1", "/etc/proc/1"},
    {"proc/1", "proc/1"},
    {"", ""},
};

START_TEST(paths_below_proc_are_relative)
{
    ck_assert_str_eq(proc_relative(names[_i].path), names[_i].relative);
}
END_TEST

static pid_t number_in_stat(void)
{
    char text[32] = "";
    int fd = proc_open("/proc/self/stat", O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
    close(fd);
    return atoi(text);
}

START_TEST(the_proven_one_has_our_number)
{
    char self[32], cut[2];
    ck_assert_int_eq(proc_prove(NULL), 0);
    ck_assert_int_eq(number_in_stat(), getpid());
    ck_assert_int_gt(proc_readlink("/proc/self", self, sizeof self), 0);
    ck_assert_int_eq(atoi(self), getpid());
    ck_assert_int_eq(proc_readlink("/proc/self", cut, sizeof cut), 1);
    ck_assert_str_eq(cut + 1, "");
}
END_TEST

START_TEST(a_child_enters_it_and_needs_no_descriptor)
{
    int status;
    ck_assert_int_eq(proc_prove(NULL), 0);
    pid_t pid = fork();
    if (pid == 0) {
        bool entered = proc_enter() == 0 && proc_enter() == 0;
        close_range(3, ~0U, 0);
        _exit(entered && access("self/stat", R_OK) == 0 && number_in_stat() == getpid() ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(proc_can_be_moved)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        bool moved = proc_move(7) == 0;
        close_range(8, ~0U, 0);
        close_range(3, 6, 0);
        _exit(moved && number_in_stat() == getpid() ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(failures_are_reported)
{
    struct stat about;
    char text[8];
    ck_assert_int_eq(proc_open("/proc/self/no-such-file", O_RDONLY), -ENOENT);
    ck_assert_int_eq(proc_open("/no-such-file", O_RDONLY), -ENOENT);
    ck_assert_int_eq(proc_readlink("/proc/self/stat", text, sizeof text), -EINVAL);
    ck_assert_int_eq(proc_stat("/proc/0", &about, 0), -ENOENT);
    errno = 0;
    ck_assert_ptr_null(proc_opendir("/proc/0"));
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(links_are_followed_or_not)
{
    struct stat about;
    ck_assert_int_eq(proc_stat("/proc/self", &about, AT_SYMLINK_NOFOLLOW), 0);
    ck_assert(S_ISLNK(about.st_mode));
    ck_assert_int_eq(proc_stat("/proc/self", &about, 0), 0);
    ck_assert(S_ISDIR(about.st_mode));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/proc");
    UNIT_ADD_TABLE(tests, paths_below_proc_are_relative, names);
    tcase_add_test(tests, the_proven_one_has_our_number);
    tcase_add_test(tests, a_child_enters_it_and_needs_no_descriptor);
    tcase_add_test(tests, proc_can_be_moved);
    tcase_add_test(tests, failures_are_reported);
    tcase_add_test(tests, links_are_followed_or_not);
    return unit_end();
}
