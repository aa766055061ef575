/* SPDX-License-Identifier: MIT */
#include "programs/files/guard.h"

#include "elf_fixtures.h"
#include "programs/elf/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const struct {
    const char *path;
    int flags;
    int result; /* errno, or 0 */
} opens[] = {
    {"file", O_RDONLY, 0},
    {"file", O_RDONLY | O_CLOEXEC, 0},
    {"file", O_PATH, 0},
    {"link", O_RDONLY, 0},
    {"file", O_WRONLY, EACCES},
    {"file", O_RDWR, EACCES},
    {"file", O_RDONLY | O_TRUNC, EACCES},
    {"new", O_RDONLY | O_CREAT, EACCES},
    {"none", O_RDONLY, ENOENT},
    {"empty", O_RDONLY, EINVAL},
    {"fifo", O_RDONLY, EINVAL},
    {".", O_RDONLY | O_DIRECTORY, EINVAL},
    {"/proc/version", O_RDONLY, EINVAL},
    {"/proc/version", O_PATH, 0},
    {"/dev/null", O_RDONLY, EINVAL},
};

static void set_up(void)
{
    fixture_run("echo text >file; : >empty; mkfifo fifo; ln -s file link");
}

static void expect(const char *how, int wanted, long fd)
{
    int failed = fd < 0 ? errno : 0;
    ck_assert_msg(failed == wanted, "%s: %s", how, strerror(failed));
    if (fd >= 0)
        close((int)fd);
}

/* Check makes a process for each row, and the guard stays installed in it. */
START_TEST(files_are_opened_by_the_table)
{
    const char *path = opens[_i].path;
    int here;
    ck_assert_int_eq(chdir(fixture_directory), 0);
    ck_assert_int_ge(here = open(".", O_PATH | O_DIRECTORY), 0);
    ck_assert(!guard_is_up());
    ck_assert_int_eq(guard_begin(), 0);
    ck_assert(guard_is_up());
#ifdef SYS_open
    expect("open", opens[_i].result, syscall(SYS_open, path, opens[_i].flags, 0600));
#endif
    expect("openat", opens[_i].result, openat(AT_FDCWD, path, opens[_i].flags, 0600));
    ck_assert_int_eq(access("new", F_OK), -1);
    if (*path != '/' && !(opens[_i].flags & O_PATH))
        expect("openat with a directory", EACCES, openat(here, path, opens[_i].flags, 0600));
}
END_TEST

START_TEST(other_ways_are_closed)
{
    struct {
        uint64_t flags, mode, resolve;
    } how = {0};
    ck_assert_int_eq(guard_begin(), 0);
#ifdef SYS_creat
    expect("creat", EACCES, syscall(SYS_creat, fixture_path("new"), 0600));
#endif
    expect("openat2", EACCES, syscall(SYS_openat2, AT_FDCWD, fixture_path("file"), &how, sizeof how));
}
END_TEST

static const int refusals[] = {EPERM, EINVAL, ENOSYS};

START_TEST(nothing_is_opened_where_filters_are_refused)
{
    fixture_refuse_filters(refusals[_i]);
    ck_assert_int_eq(guard_begin(), 0);
    ck_assert(guard_is_up());
    expect("a file", EMFILE, open(fixture_path("file"), O_RDONLY | O_CLOEXEC));
    expect("a fifo", EMFILE, open(fixture_path("fifo"), O_RDONLY | O_CLOEXEC));
    expect("a new file", EMFILE, open(fixture_path("new"), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ck_assert_int_eq(access(fixture_path("new"), F_OK), -1);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("files/guard");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    UNIT_ADD_TABLE(tests, files_are_opened_by_the_table, opens);
    tcase_add_test(tests, other_ways_are_closed);
    UNIT_ADD_TABLE(tests, nothing_is_opened_where_filters_are_refused, refusals);
    return fixture_end();
}
