/* SPDX-License-Identifier: MIT */
#include "programs/jit/file.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[64], other[64];
static struct jit_folders folders;
static struct jit_file file = {.folder = -1};

static void begin(void)
{
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    snprintf(other, sizeof other, "/tmp/perf-%d.other", (int)getpid());
    unlink(path);
    jit_file_find(&folders, getpid(), &file);
    ck_assert_int_ge(file.folder, 0);
    ck_assert_int_eq(file.inside, getpid());
    ck_assert_uint_eq(file.owner, geteuid());
    ck_assert_int_eq(jit_file_open(&file), -ENOENT);
}

static void end(void)
{
    unlink(path);
    unlink(other);
    jit_folders_fini(&folders);
}

static void write_map(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "1 2 x\n", 6), 6);
    close(fd);
}

static void make_link(void)
{
    write_map(other);
    ck_assert_int_eq(symlink(other, path), 0);
}

static void make_fifo(void)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void make_link_to_proc(void)
{
    ck_assert_int_eq(symlink("/proc/self/maps", path), 0);
}

static void make_old(void)
{
    const struct timespec times[] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};
    write_map(path);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Makes a file of another user, which requires root. */
static void make_anothers(void)
{
    if (geteuid() != 0)
        return;
    write_map(path);
    ck_assert_int_eq(chown(path, 12346, 12346), 0);
}

static void (*const strange[])(void) = {make_link, make_fifo, make_link_to_proc, make_old, make_anothers};

START_TEST(other_files_are_not_opened)
{
    strange[_i]();
    ck_assert_int_lt(jit_file_open(&file), 0);
}
END_TEST

START_TEST(a_map_is_opened_whenever_it_is_written)
{
    char bytes[8];
    write_map(path);
    int fd = jit_file_open(&file);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(read(fd, bytes, sizeof bytes), 6);
    close(fd);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(jit_file_open(&file), -ENOENT);
    write_map(path);
    fd = jit_file_open(&file);
    ck_assert_int_ge(fd, 0);
    close(fd);
}
END_TEST

START_TEST(processes_with_one_folder_share_it)
{
    struct jit_file child = {.folder = -1};
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid) {
        pause();
        _exit(0);
    }
    jit_file_find(&folders, pid, &child);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert_int_eq(child.folder, file.folder);
    ck_assert_uint_eq(folders.count, 1);
    ck_assert_int_eq(child.inside, pid);
    jit_file_find(&folders, pid, &child); /* its process has ended */
    ck_assert_int_eq(child.folder, file.folder);
    ck_assert_int_eq(child.inside, pid);
    child = (struct jit_file){.folder = -1};
    jit_file_find(&folders, pid, &child); /* it never existed */
    ck_assert_int_eq(child.folder, file.folder);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("jit/file");
    tcase_add_checked_fixture(tests, begin, end);
    UNIT_ADD_TABLE(tests, other_files_are_not_opened, strange);
    tcase_add_test(tests, a_map_is_opened_whenever_it_is_written);
    tcase_add_test(tests, processes_with_one_folder_share_it);
    return unit_end();
}
