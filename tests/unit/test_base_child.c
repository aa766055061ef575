/* SPDX-License-Identifier: MIT */
#include "common/base/child.h"

#include "common/base/proc.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int return_number(void *argument)
{
    return *(int *)argument;
}

START_TEST(status_is_what_the_work_returns)
{
    struct child child;
    int number = 7;

    ck_assert_int_eq(child_start(&child, "pt-test", return_number, &number), 0);
    ck_assert_int_gt(child.pid, 0);
    ck_assert_int_eq(child_wait(&child), 7);
    ck_assert_int_eq(child.pid, 0);
}
END_TEST

/* Returns a status that names the first missing property of a child. */
static int look_at_itself(void *argument)
{
    char name[16];
    int dying = 0;
    sigset_t set;

    (void)argument;
    sigprocmask(SIG_BLOCK, NULL, &set);
    if (prctl(PR_GET_NAME, name) < 0 || strcmp(name, "pt-test"))
        return 1;
    if (!sigismember(&set, SIGTERM) || !sigismember(&set, SIGINT))
        return 2;
    return prctl(PR_GET_PDEATHSIG, &dying) == 0 && dying == SIGKILL ? 0 : 3;
}

START_TEST(child_is_named_deaf_and_dies_with_its_parent)
{
    struct child child;
    sigset_t before, after;

    sigprocmask(SIG_BLOCK, NULL, &before);
    ck_assert_int_eq(child_start(&child, "pt-test", look_at_itself, NULL), 0);
    sigprocmask(SIG_BLOCK, NULL, &after);
    for (int i = 1; i < NSIG; i++)
        ck_assert_int_eq(sigismember(&before, i), sigismember(&after, i));
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

static int never_end(void *argument)
{
    (void)argument;
    while (pause() < 0)
        ;
    return 0;
}

START_TEST(kill_ends_it)
{
    static const unsigned patience_ms[] = {0, 60000};
    struct child child;

    ck_assert_int_eq(child_start(&child, "pt-test", never_end, NULL), 0);
    pid_t pid = child.pid;
    ck_assert(child_kill(&child, patience_ms[_i]));
    ck_assert_int_eq(child.pid, 0);
    ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), -1); /* reaped already */
    ck_assert(child_kill(&child, patience_ms[_i]));    /* no child: it does nothing */
}
END_TEST

START_TEST(killed_by_another_it_has_no_status)
{
    struct child child;

    ck_assert_int_eq(child_start(&child, "pt-test", never_end, NULL), 0);
    kill(child.pid, SIGKILL);
    ck_assert_int_eq(child_wait(&child), -1);
}
END_TEST

/* Where a child finds two descriptors, and where it puts them. */
struct places {
    int from[2], to[2];
    bool with_proc;
};

static bool can_read_proc(void)
{
    char name[16] = "";
    int comm = proc_open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    return read(comm, name, sizeof name - 1) > 0 && !strcmp(name, "pt-test\n");
}

/* Returns a status that names the first descriptor that is wrongly open or closed. */
static int look_at_descriptors(void *argument)
{
    enum { KEPT = STDERR_FILENO + 3, MOST = 256 };
    struct stat in, out, error;
    const struct places *places = argument;
    int fds[2];
    for (int i = 0; i < 2; i++)
        fds[i] = dup2(places->from[i], places->to[i]);
    if (proc_prove(NULL) < 0 || !child_keep(fds, 2, places->with_proc))
        return 1;
    for (int fd = 0; fd < MOST; fd++)
        if ((fcntl(fd, F_GETFD) >= 0) != (fd < KEPT + places->with_proc))
            return 2;
    if (places->with_proc && !can_read_proc())
        return 3;
    if (fstat(STDIN_FILENO, &in) < 0 || fstat(STDOUT_FILENO, &out) < 0 || fstat(STDERR_FILENO, &error) < 0 ||
        in.st_rdev != out.st_rdev || out.st_rdev != error.st_rdev || !S_ISCHR(out.st_mode) ||
        write(STDOUT_FILENO, "x", 1) != 1)
        return 4;
    return write(fds[0], "a", 1) == 1 && write(fds[1], "b", 1) == 1 ? 0 : 5;
}

/* In the child, they are at each other's later numbers, at the later number of /proc, or elsewhere. */
static const struct places places[] = {
    {{200, 201}, {STDERR_FILENO + 2, STDERR_FILENO + 1}, true},
    {{200, 201}, {STDERR_FILENO + 3, 100}, true},
    {{200, 201}, {100, 101}, false},
};

START_TEST(only_the_given_ones_are_kept)
{
    struct child child;
    struct places given = places[_i];
    int ends[2][2];
    char bytes[2] = "";
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
        ck_assert_int_eq(dup2(ends[i][1], given.from[i]), given.from[i]);
    }
    ck_assert_int_eq(child_start(&child, "pt-test", look_at_descriptors, &given), 0);
    ck_assert_int_eq(child_wait(&child), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(read(ends[i][0], &bytes[i], 1), 1);
    ck_assert_mem_eq(bytes, "ab", 2);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/child");

    tcase_add_test(tests, status_is_what_the_work_returns);
    tcase_add_test(tests, child_is_named_deaf_and_dies_with_its_parent);
    tcase_add_loop_test(tests, kill_ends_it, 0, 2);
    tcase_add_test(tests, killed_by_another_it_has_no_status);
    UNIT_ADD_TABLE(tests, only_the_given_ones_are_kept, places);
    return unit_end();
}
