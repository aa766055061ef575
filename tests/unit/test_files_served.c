/* SPDX-License-Identifier: MIT */
#include "programs/files/served.h"

#include "programs/files/identity.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/ptprofil-test.XXXXXX";

static char *in_folder(const char *name)
{
    static char paths[4][64];
    static unsigned next;
    char *path = paths[next++ % UNIT_ROWS(paths)];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        _exit(2);
    close(fd);
}

/* Mounts in namespaces of its own: an overlay and a tmpfs. Tells that it has, and sleeps. */
static void mount_and_sleep(int flags, int done)
{
    char options[256], map[32];
    snprintf(map, sizeof map, "0 %u 1", geteuid());
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(flags) < 0)
        _exit(1);
    if (flags & CLONE_NEWUSER) {
        write_to("/proc/self/setgroups", "deny");
        write_to("/proc/self/uid_map", map);
    }
    snprintf(options, sizeof options, "lowerdir=%s:%s", in_folder("one"), in_folder("two"));
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("overlay", in_folder("overlay"), "overlay", 0, options) < 0 ||
        mount("tmpfs", in_folder("tmpfs"), "tmpfs", 0, NULL) < 0)
        _exit(1);
    if (write(done, "", 1) == 1)
        pause();
    _exit(0);
}

static const struct {
    int flags;
    enum served as_root, as_user;
} makers[] = {
    {CLONE_NEWNS, SERVED_NOT, SERVED_NOT},
    {CLONE_NEWNS | CLONE_NEWUSER, SERVED_BY_PROCESS, SERVED_NOT},
};

static const char *const folders[] = {"one", "two", "overlay", "tmpfs"};

START_TEST(overlays_of_strangers_are_served)
{
    char root[32], byte;
    int ends[2];
    strcpy(folder + sizeof folder - 1 - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (size_t i = 0; i < UNIT_ROWS(folders); i++)
        ck_assert_int_eq(mkdir(in_folder(folders[i]), 0755), 0);
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid)
        mount_and_sleep(makers[_i].flags, ends[1]);
    close(ends[1]);
    bool mounted = read(ends[0], &byte, 1) == 1; /* not everybody may mount, and not everywhere */
    close(ends[0]);
    if (mounted) {
        enum served wanted = geteuid() ? makers[_i].as_user : makers[_i].as_root;
        snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
        ck_assert_int_eq(served_how(root, in_folder("overlay/file")), wanted);
        ck_assert_int_eq(served_how(root, in_folder("tmpfs/file")), SERVED_NOT);
        ck_assert_int_eq(served_how(root, in_folder("one/file")), served_how(NULL, in_folder("one/file")));
        ck_assert_int_eq(served_how(NULL, in_folder("overlay/file")), served_how(NULL, in_folder("one/file")));
    }
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    for (size_t i = 0; i < UNIT_ROWS(folders); i++)
        ck_assert_int_eq(rmdir(in_folder(folders[i])), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

static int open_it(const char *root, const char *path, struct file_identity *identity)
{
    (void)root;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *identity = (struct file_identity){.inode = 7};
    return fd < 0 ? -2 : fd;
}

static int open_never(const char *root, const char *path, struct file_identity *identity)
{
    (void)root, (void)path, (void)identity;
    pause();
    return -1;
}

START_TEST(files_are_passed_or_copied)
{
    struct file_identity identity = {0};
    struct stat opened, file;
    ck_assert_int_eq(stat("/proc/self/exe", &file), 0);
    int passed = served_open_in_time(open_it, NULL, "/proc/self/exe", &identity);
    ck_assert_int_ge(passed, 0);
    ck_assert_uint_eq(identity.inode, 7);
    ck_assert_int_eq(fcntl(passed, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(fstat(passed, &opened), 0);
    int copied = served_copy(open_it, NULL, "/proc/self/exe", &identity);
    ck_assert_int_ge(copied, 0);
    close(passed);
    ck_assert_int_eq(fstat(copied, &opened), 0);
    ck_assert_int_eq(opened.st_size, file.st_size);
    ck_assert(opened.st_dev != file.st_dev || opened.st_ino != file.st_ino);
    close(copied);
    ck_assert_int_eq(served_open_in_time(open_it, NULL, "/nowhere", &identity), -2);
    ck_assert_int_eq(served_open_in_time(open_never, NULL, "/", &identity), -ETIMEDOUT);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("files/served");
    UNIT_ADD_TABLE(tests, overlays_of_strangers_are_served, makers);
    tcase_add_test(tests, files_are_passed_or_copied);
    return unit_end();
}
