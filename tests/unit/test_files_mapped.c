/* SPDX-License-Identifier: MIT */
#include "programs/files/mapped.h"

#include "elf_fixtures.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../targets/fuse_memory.h"
#include "common/model/address_map.h"
#include "programs/files/identity.h"

enum { MAPPED_PAGES = 20, PAGE_SIZE = 4096 };

static const char *process = "/proc/self";
static char *memory;
static int file;
static bool is_silent; /* the process's memory */

/* With is_silent, reading pages never returns in time. */
int __real_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
    return __real_ppoll(files, count, is_silent ? limit : NULL, mask);
}

/* Returns true if the file is mapped. It is known by device 1:1 and INODE, as in an overlay. */
static bool is_mapped(uint64_t inode)
{
    const struct file_identity identity = {1, 1, 1, true};
    const struct address_range range = {.start = (uintptr_t)memory,
                                        .end = (uintptr_t)memory + MAPPED_PAGES * PAGE_SIZE,
                                        .device_major = 1,
                                        .device_minor = 1,
                                        .inode = inode};
    return mapped_is(file, &identity, process, &range);
}

/* Maps the file. The first CHANGED pages are written to, and so become private. */
static void map(unsigned changed)
{
    file = open(fixture_path("file"), O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(file, 0);
    memory = mmap(NULL, MAPPED_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    memset(memory, 'x', (size_t)changed * PAGE_SIZE);
}

static const struct {
    const char *what;
    unsigned changed;
    uint64_t inode;
    bool is;
} pages[] = {
    {"the same", 0, 1, true},
    {"the same by another number", 0, 2, true},
    {"a changed page", 1, 1, true},
    {"a changed page by another number", 1, 2, false},
    {"all are changed", MAPPED_PAGES, 1, false},
};

START_TEST(pages_tell)
{
    map(pages[_i].changed);
    ck_assert_msg(is_mapped(pages[_i].inode) == pages[_i].is, "%s", pages[_i].what);
}
END_TEST

/* Maps memory whose page faults nobody handles, and writes its address to ANSWER. */
static _Noreturn void be_silent(int answer)
{
    if (chdir(fixture_path(".")) < 0)
        _exit(1);
    memory = fuse_memory(NULL);
    if (write(answer, &memory, sizeof memory) != sizeof memory)
        _exit(1);
    for (;;)
        pause();
}

/* Without an answer, only the files' names are compared. After a few timeouts, pages are no longer read. */
START_TEST(no_answer_does_not_matter)
{
    char folder[32];
    int ends[2];
    map(0);
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0)
        be_silent(ends[1]);
    close(ends[1]);
    bool have = read(ends[0], &memory, sizeof memory) == sizeof memory; /* otherwise this machine lacks userfaultfd */
    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    process = folder;
    is_silent = true;
    for (int i = 0; i < 100 && have; i++)
        ck_assert(is_mapped(1) && !is_mapped(2));
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

static void set_up(void)
{
    fixture_run("seq -w 1 20000 >file");
}

int main(void)
{
    TCase *tests = fixture_begin("files/mapped");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    UNIT_ADD_TABLE(tests, pages_tell, pages);
    tcase_add_test(tests, no_answer_does_not_matter);
    return fixture_end();
}
