/* SPDX-License-Identifier: MIT */
#include "programs/files/regular.h"

#include "elf_fixtures.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* An untrusted process may put these in the place of a file. PATH is a link's target, or a file of the test. */
static const struct {
    const char *path;
    int result;
} places[] = {
    {"file", 0},
    {"empty", -EINVAL},
    {"fifo", -EINVAL},
    {"directory", -EINVAL},
    {"none", -ENOENT},
    {"/bin/sh", 0},
    {"/dev/null", -EINVAL},
    {"/proc/version", -EINVAL},
    {"/proc/self/maps", -EINVAL},
    {"/proc/self/environ", -EINVAL},
    {"/proc/kmsg", -EINVAL},
    {"/proc/kcore", -EINVAL}, /* has a size */
    {"/proc/sys/kernel/hostname", -EINVAL},
    {"/sys/kernel/profiling", -EINVAL}, /* has a size */
    {"/sys/kernel/notes", -EINVAL},     /* has its true size */
    {"/sys/kernel/uevent_seqnum", -EINVAL},
    {"/sys/kernel/mm/transparent_hugepage/enabled", -EINVAL},
    {"/sys/fs/cgroup/cgroup.procs", -EINVAL},
    {"/sys/fs/cgroup/cgroup.controllers", -EINVAL},
    {"/sys/kernel/tracing/trace", -EINVAL},
    {"/sys/kernel/tracing/trace_pipe", -EINVAL},
    {"/sys/kernel/debug/wakeup_sources", -EINVAL},
    {"/sys/kernel/security/lsm", -EINVAL},
    {"/sys/firmware/acpi/tables/DSDT", -EINVAL},
    {"/proc/sys/fs/binfmt_misc/status", -EINVAL},
    {"/dev/mqueue/queue", -EINVAL},
};

static void set_up(void)
{
    fixture_run("echo text >file; : >empty; mkfifo fifo; mkdir directory");
}

/* Returns the events of NOTICES so far: of opening and reading. */
static unsigned noticed(int notices)
{
    char events[4096];
    unsigned count = 0;
    ssize_t got;
    while ((got = read(notices, events, sizeof events)) > 0)
        count++;
    ck_assert_int_eq(errno, EAGAIN);
    return count;
}

static int watch(const char *path)
{
    int notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ck_assert_int_ge(notices, 0);
    ck_assert_int_ge(inotify_add_watch(notices, path, IN_OPEN | IN_ACCESS), 0);
    return notices;
}

/* Before Linux 5.19, inotify reported opening with O_PATH, too. */
static bool standing_for_is_noticed(void)
{
    int notices = watch(fixture_path("file")), place = open(fixture_path("file"), O_PATH | O_CLOEXEC);
    unsigned count = noticed(notices);
    close(place);
    close(notices);
    return count;
}

static bool nobody_else_opens(const char *path)
{
    return *path != '/' || !strncmp(path, "/proc/self/", strlen("/proc/self/"));
}

static void expect(const char *root, const char *path, int result)
{
    int fd = regular_open(root, path, NULL);
    ck_assert_msg((fd < 0 ? fd : 0) == result, "%s: %d", path, fd);
    if (fd >= 0)
        close(fd);
}

START_TEST(other_files_are_not_opened)
{
    char path[256], link[256];
    struct stat about;
    snprintf(path, sizeof path, "%s", *places[_i].path == '/' ? places[_i].path : fixture_path(places[_i].path));
    if (places[_i].result != -ENOENT && stat(path, &about) < 0)
        return; /* not supported by this kernel or sandbox */
    snprintf(link, sizeof link, "%s", fixture_path("link"));
    unlink(link);
    ck_assert_int_eq(symlink(path, link), 0);
    int notices = places[_i].result == -ENOENT ? -1 : watch(path);
    expect(NULL, link, places[_i].result);
    expect("", link, places[_i].result);
    expect("/", link, places[_i].result);
    if (places[_i].result == 0)
        ck_assert_uint_gt(noticed(notices), 0);
    else if (notices >= 0 && nobody_else_opens(places[_i].path) && !standing_for_is_noticed())
        ck_assert_uint_eq(noticed(notices), 0);
    close(notices);
}
END_TEST

/* A memfd has no name in a file system, but content. */
START_TEST(memory_is_opened)
{
    char path[64];
    int memory = memfd_create("memory", MFD_CLOEXEC);
    ck_assert_int_ge(memory, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    expect(NULL, path, -EINVAL);
    ck_assert_int_eq(write(memory, "text", 4), 4);
    expect(NULL, path, 0);
    close(memory);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("files/regular");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    UNIT_ADD_TABLE(tests, other_files_are_not_opened, places);
    tcase_add_test(tests, memory_is_opened);
    return fixture_end();
}
