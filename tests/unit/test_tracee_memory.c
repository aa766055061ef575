/* SPDX-License-Identifier: MIT
 *
 * The memory of a real child: present, not yet allocated, unreadable, and blocking pages. */
#include "tracer/tracee/memory.h"

#include "common/model/address_map.h"
#include "common/model/runs.h"
#include "own_time.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64, LARGE = 40 * PAGE };

/* Mapped before the fork, so that the child has the same addresses. */
static char *touched, *untouched, *read_only, *forbidden, *hole, *asleep, *mixed, *write_only, *shared_file,
    *private_file;
static char *hollow, *closed;

static pid_t child;
static struct memory memory;

static char *new_pages(int protection)
{
    char *pages = mmap(NULL, PAGES * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE); /* so that no huge page replaces them; a kernel without huge pages
                                                    * fails */
    return pages;
}

/* Maps PAGES pages of a file that has one. */
static char *new_file_pages(int kind)
{
    int fd = memfd_create("short", MFD_CLOEXEC);
    ck_assert(fd >= 0 && ftruncate(fd, PAGE) == 0);
    char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, kind, fd, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    close(fd);
    return pages;
}

static bool put_to_sleep(char *pages)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register region = {{(uintptr_t)pages, PAGES * PAGE}, UFFDIO_REGISTER_MODE_MISSING, 0};
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &region) == 0;
}

/* Reports in its first byte whether it has memory that blocks. */
static void be_child(int ready)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    memset(touched, 1, PAGES * PAGE);
    memset(mixed, 2, PAGE);
    memset(hollow, 4, 2 * PAGE);
    memset(hollow + 40 * PAGE, 5, PAGE);
    memset(closed, 6, 3 * PAGE);
    mprotect(closed + PAGE, PAGE, PROT_NONE);
    read_only[0] = 3;
    mprotect(read_only, PAGES * PAGE, PROT_READ);
    mprotect(forbidden, PAGES * PAGE, PROT_NONE);
    write_only[0] = 4;
    mprotect(write_only, PAGES * PAGE, PROT_WRITE);
    munmap(hole, PAGES * PAGE);
    char can = (char)put_to_sleep(asleep);
    if (write(ready, &can, 1) == 1)
        for (;;)
            pause();
    _exit(1);
}

static struct runs runs;

/* Reads the present pages of SIZE bytes. */
static ssize_t read_present(uint64_t address, char *bytes, size_t size)
{
    memory_find(&memory, child, address, 0, address + size, size, &runs);
    return memory_read_runs(&memory, child, &runs, bytes);
}

static bool can_sleep;

static void begin(void)
{
    int ready[2];
    char byte = 0;
    char **const all[] = {&touched, &untouched, &read_only,  &forbidden, &hole,
                          &asleep,  &mixed,     &write_only, &hollow,    &closed};
    for (size_t i = 0; i < UNIT_ROWS(all); i++)
        *all[i] = new_pages(PROT_READ | PROT_WRITE);
    shared_file = new_file_pages(MAP_SHARED);
    private_file = new_file_pages(MAP_PRIVATE);
    ck_assert_int_eq(pipe(ready), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        be_child(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    can_sleep = byte;
    close(ready[0]);
    close(ready[1]);
}

static void end(void)
{
    memory_forget(&memory);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static int read_at(const char *place, char *bytes, size_t size)
{
    return memory_read_all(&memory, child, (uintptr_t)place, bytes, size);
}

static ssize_t write_at(char *place, const char *bytes, size_t size)
{
    return memory_write(&memory, child, (uintptr_t)place, bytes, size);
}

static const struct {
    char **pages;
    ptrdiff_t offset;
    size_t size;
    int read, first; /* the result, and the first byte */
    ssize_t written;
} rows[] = {
    {&touched, 0, 8, 0, 1, 8},
    {&touched, PAGE - 4, 8, 0, 1, 8},
    {&touched, 0, LARGE, 0, 1, LARGE},
    {&untouched, 0, 8, 0, 0, 8},
    {&untouched, 5 * PAGE - 4, 8, 0, 0, 8},
    {&untouched, 10 * PAGE, LARGE, 0, 0, LARGE},
    {&mixed, 0, LARGE, 0, 2, LARGE},
    {&read_only, 0, 8, 0, 3, -EFAULT},
    {&read_only, PAGE, 8, 0, 0, -EFAULT},
    {&write_only, 0, 8, 0, 4, 8},
    {&write_only, PAGE - 4, 8, 0, 0, 8},
    {&write_only, 10 * PAGE, LARGE, 0, 0, LARGE},
    {&shared_file, 0, 8, 0, 0, 8},
    {&shared_file, PAGE, 8, -EFAULT, 0, -EFAULT},
    {&private_file, PAGE, 8, -EFAULT, 0, -EFAULT},
    {&forbidden, 0, 8, -EFAULT, 0, -EFAULT},
    {&hole, 0, 8, -EFAULT, 0, -EFAULT},
};

START_TEST(accesses_follow_the_table)
{
    static char bytes[LARGE], back[LARGE];
    char *place = *rows[_i].pages + rows[_i].offset;
    int result = read_at(place, bytes, rows[_i].size);
    ck_assert_int_eq(result, rows[_i].read);
    if (!result)
        ck_assert_int_eq(bytes[0], rows[_i].first);
    memset(bytes, 7, sizeof bytes);
    ck_assert_int_eq(write_at(place, bytes, rows[_i].size), rows[_i].written);
    if (rows[_i].written > 0) {
        ck_assert_int_eq(read_at(place, back, rows[_i].size), 0);
        ck_assert_mem_eq(back, bytes, rows[_i].size);
    }
}
END_TEST

static const struct {
    char **pages;
    ptrdiff_t offset;
    uint64_t size;
    bool writable;
} buffers[] = {
    {&touched, 0, PAGES *PAGE, true},
    {&untouched, 0, PAGES *PAGE, true},
    {&write_only, 0, PAGES *PAGE, true},
    {&hole, 0, 0, true}, /* no bytes */
    {&hole, 0, 1, false},
    {&hole, -1, UINT64_MAX / 2, false},
    {&read_only, 0, 1, false},
    {&forbidden, PAGE, 1, false},
    {&shared_file, 0, PAGE, true},
    {&shared_file, 1, PAGE, false},
    {&shared_file, PAGE, 1, false},
    {&private_file, 0, PAGE, true},
    {&private_file, PAGE - 1, 2, false},
    {&private_file, 0, PAGES *PAGE, false},
    {&touched, 0, UINT64_MAX, false}, /* overflows */
};

START_TEST(buffers_follow_the_table)
{
    uint64_t address = (uintptr_t)*buffers[_i].pages + (uint64_t)buffers[_i].offset;
    ck_assert_int_eq(memory_writable(&memory, child, address, buffers[_i].size), buffers[_i].writable);
}
END_TEST

START_TEST(the_kernels_half_is_a_fault)
{
    static const uint64_t addresses[] = {0, UINT64_MAX, UINT64_MAX - 7, 0xffffffff81000000, 0x800000000000};
    char bytes[8] = {0};
    for (size_t i = 0; i < UNIT_ROWS(addresses); i++) {
        ck_assert_int_eq(memory_read_all(&memory, child, addresses[i], bytes, sizeof bytes), -EFAULT);
        ck_assert_int_eq(memory_write(&memory, child, addresses[i], bytes, sizeof bytes), -EFAULT);
        ck_assert_int_le(read_present(addresses[i], bytes, sizeof bytes), 0);
    }
}
END_TEST

static size_t pages_there(const char *pages)
{
    memory_find(&memory, child, (uintptr_t)pages, 0, (uintptr_t)pages + PAGES * PAGE, UINT64_MAX, &runs);
    return runs.bytes / PAGE;
}

START_TEST(only_what_is_there_is_read)
{
    char bytes[4 * PAGE];
    ck_assert_int_eq(read_present((uintptr_t)mixed + PAGE - 100, bytes, sizeof bytes), 100);
    ck_assert_int_eq(bytes[99], 2);
    ck_assert_int_eq(read_present((uintptr_t)untouched, bytes, sizeof bytes), 0);
    ck_assert_int_eq(read_present((uintptr_t)touched, bytes, sizeof bytes), sizeof bytes);
    ck_assert_uint_eq(pages_there(untouched), 0);
    ck_assert_uint_eq(pages_there(mixed), 1);
}
END_TEST

/* What a look a moment ago has shown is not read again: here, that all are present. */
START_TEST(known_pages_are_not_read_again)
{
    static const struct {
        int start, end; /* of the pages that are wanted */
        uint64_t pages; /* how many are there */
    } wanted[] = {{2, 6, 4}, {2, 4, 2}, {5, 6, 1}, {1, 6, 0}, {2, 7, 0}, {6, 7, 0}, {0, 2, 0}};
    uint64_t address = (uintptr_t)untouched;
    struct memory_pages seen;
    memory_look(&memory, child, (uintptr_t)touched, (uintptr_t)touched + 4 * PAGE, &seen);
    ck_assert_uint_eq(seen.count, 4);
    seen.first = address / PAGE + 2;
    for (size_t i = 0; i < UNIT_ROWS(wanted); i++) {
        uint64_t start = address + (uint64_t)wanted[i].start * PAGE, end = address + (uint64_t)wanted[i].end * PAGE;
        memory_find_known(&memory, child, start, 0, end, UINT64_MAX, &seen, &runs);
        ck_assert_msg(runs.bytes == wanted[i].pages * PAGE, "%zu: %lu", i, runs.bytes);
    }
    memory_look(&memory, child, (uintptr_t)touched, (uintptr_t)touched + 1000 * (uint64_t)PAGE, &seen);
    ck_assert_uint_le(seen.count, sizeof seen.entries / sizeof *seen.entries);
    memory_look(&memory, child, address, address, &seen);
    ck_assert_uint_eq(seen.count, 0);
}
END_TEST

/* Reading does not allocate the pages in a hole. */
START_TEST(holes_are_left_out)
{
    static char bytes[PAGES * PAGE];
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(pages_there(hollow), 3);
        ck_assert_uint_eq(runs.count, 2);
        ck_assert_int_eq(memory_read_runs(&memory, child, &runs, bytes), 3 * PAGE);
        ck_assert(bytes[0] == 4 && bytes[2 * PAGE - 1] == 4 && bytes[2 * PAGE] == 5 && bytes[3 * PAGE - 1] == 5);
        memory.silent_until_ns = 1; /* again by the copier */
    }
}
END_TEST

/* A page of a stack was protected after it had been used. */
START_TEST(unreadable_pages_end_a_read)
{
    static char bytes[PAGES * PAGE];
    ck_assert_uint_eq(pages_there(closed), 3);
    ck_assert_int_eq(memory_read_runs(&memory, child, &runs, bytes), PAGE);
    ck_assert_uint_eq(runs.bytes, PAGE);
    ck_assert_uint_eq(runs.items[0].size, PAGE);
    memory_find(&memory, child, (uintptr_t)closed + PAGE, 0, (uintptr_t)closed + 3 * PAGE, UINT64_MAX, &runs);
    ck_assert_int_eq(memory_read_runs(&memory, child, &runs, bytes), -EFAULT);
    ck_assert_uint_eq(runs.bytes, 2 * PAGE);
}
END_TEST

/* After a timeout, only present pages are read for a while. */
START_TEST(blocking_pages_are_given_up)
{
    char bytes[8] = {0};
    if (!can_sleep)
        return;
    ck_assert(!memory_at_hand(&memory, child, (uintptr_t)asleep));
    uint64_t began_ns = time_now_ns();
    ck_assert_int_eq(read_at(asleep, bytes, sizeof bytes), -ETIMEDOUT);
    ck_assert_uint_gt(memory.silent_until_ns, began_ns);
    ck_assert_int_eq(read_at(untouched, bytes, sizeof bytes), -ETIMEDOUT);
    ck_assert_int_eq(read_at(touched, bytes, sizeof bytes), 0);
    ck_assert_int_eq(bytes[0], 1);
    ck_assert_int_eq(write_at(touched, "8", 1), 1);
    ck_assert(memory_at_hand(&memory, child, (uintptr_t)untouched));
    memory_forget(&memory);
    ck_assert_int_eq(write_at(asleep, bytes, sizeof bytes), -ETIMEDOUT);
    memory_forget(&memory);
    ck_assert_int_eq(read_at(untouched + PAGE, bytes, sizeof bytes), 0);
}
END_TEST

/* The first thread that memory is accessed by may have ended. What it could not open is opened by the next one. */
START_TEST(a_thread_that_has_ended_hides_nothing)
{
    struct address_range range;
    char byte;
    siginfo_t info;
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)dead, &info, WEXITED | WNOWAIT), 0);
    ck_assert_int_le(memory_read_present(&memory, dead, (uintptr_t)touched, &byte, 1), 0);
    memory_next_text(&memory, dead, 0, &range);
    ck_assert_int_eq(memory_read_present(&memory, child, (uintptr_t)untouched, &byte, 1), 0);
    ck_assert_int_eq(memory_read_present(&memory, child, (uintptr_t)touched, &byte, 1), 1);
    int result = memory_next_text(&memory, child, 0, &range);
    ck_assert(!result || result == -ENOTTY); /* Linux before 6.11 */
    waitpid(dead, NULL, 0);
}
END_TEST

START_TEST(a_process_that_has_gone_is_no_fault)
{
    char byte;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_int_eq(read_at(touched, &byte, 1), -ESRCH);
    ck_assert_int_eq(write_at(touched, "1", 1), -ESRCH);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("tracee/memory");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, begin, end);
    UNIT_ADD_TABLE(tests, accesses_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, buffers_follow_the_table, buffers);
    tcase_add_test(tests, the_kernels_half_is_a_fault);
    tcase_add_test(tests, only_what_is_there_is_read);
    tcase_add_test(tests, known_pages_are_not_read_again);
    tcase_add_test(tests, holes_are_left_out);
    tcase_add_test(tests, unreadable_pages_end_a_read);
    tcase_add_test(tests, blocking_pages_are_given_up);
    tcase_add_test(tests, a_thread_that_has_ended_hides_nothing);
    tcase_add_test(tests, a_process_that_has_gone_is_no_fault);
    return unit_end();
}
