/* SPDX-License-Identifier: MIT
 *
 * The search of a stack for addresses, in real memory: pages that were written, never touched, unmapped, or of a
 * file that nobody has read yet. */
#include "tracer/plant/frames.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 80, LOOKED_AT = 1 << 18 };
#define WANTED 0x1234567800c0ffeeull

static const struct {
    const char *name;
    const char *pages; /* the stack pointer's page, and the pages above it: w written, 0 untouched, - unmapped, f of
                        * a file, F of a file and present; the last one repeats */
    size_t sp, word;   /* offsets; the second one is the searched word's */
    int expected;
} cases[] = {
    {"at the stack pointer", "w", 64, 64, 1},
    {"nothing", "w", 64, 0, 0},
    {"below it", "w", 640, 632, 0},
    {"an unaligned one is looked at from the word on in which it lies", "w", 643, 640, 1},
    {"the last word", "w", 64, 64 + LOOKED_AT - 8, 1},
    {"not much farther", "w", 64, 64 + LOOKED_AT + 1024, 0},
    {"on the next page", "w", 4088, 4096, 1},
    {"beyond pages that were never touched", "w00w", 64, 3 * 4096 + 8, 1},
    {"beyond what is not mapped", "w--w", 64, 3 * 4096 + 8, 1},
    {"on a page of a file", "wFw", 64, 4096 + 8, 1},
    {"which is not brought in", "wfw", 64, 4096 + 8, 0},
    {"beyond it", "wfw", 64, 2 * 4096 + 8, 1},
    {"where nothing is there", "0", 64, 0, -EFAULT},
    {"nor mapped", "-", 64, 0, -EFAULT},
    {"where the stack pointer is behind a file", "f", 64, 64, -EFAULT},
};

static char *memory;
static size_t page_size;

static int open_file(uint64_t word, size_t offset)
{
    char name[] = "frames.XXXXXX";
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    unlink(name);
    ck_assert_int_eq(ftruncate(fd, (off_t)page_size), 0);
    ck_assert_int_eq(pwrite(fd, &word, sizeof word, (off_t)offset), sizeof word);
    ck_assert_int_eq(fsync(fd), 0);
    return fd;
}

static void map_file(char *page, size_t word, bool there)
{
    bool in_page = (size_t)(memory + word - page) < page_size;
    int fd = open_file(in_page ? WANTED : 0, in_page ? (size_t)(memory + word - page) : 0);
    ck_assert_ptr_eq(mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0), page);
    if (there)
        ck_assert_int_ge(*(volatile char *)page, 0);
    close(fd);
}

static void map_page(char *page, char kind, size_t word)
{
    if (kind == 'w')
        memset(page, 1, page_size);
    else if (kind == '-')
        ck_assert_int_eq(munmap(page, page_size), 0);
    else if (kind != '0')
        map_file(page, word, kind == 'F');
    if (kind == 'w' && word && (size_t)(memory + word - page) < page_size)
        *(uint64_t *)(void *)(memory + word) = WANTED;
}

static bool is_wanted(const void *context, uint64_t word)
{
    ck_assert_ptr_eq(context, memory);
    return word == WANTED;
}

START_TEST(words_are_looked_at_that_are_there)
{
    page_size = (size_t)getpagesize();
    if (page_size != 4096)
        return;
    memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    madvise(memory, PAGES * page_size, MADV_NOHUGEPAGE); /* fails on a kernel without huge pages */
    const char *kind = cases[_i].pages;
    for (size_t i = 0; i < PAGES; i++, kind += kind[1] != 0)
        map_page(memory + i * page_size, *kind, cases[_i].word);
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    int found = frames_have(fd, getpid(), (uint64_t)(uintptr_t)memory + cases[_i].sp, is_wanted, memory);
    ck_assert_msg(found == cases[_i].expected, "%s: %d, not %d", cases[_i].name, found, cases[_i].expected);
    close(fd);
    munmap(memory, PAGES * page_size);
}
END_TEST

enum { HALF = 0x77001234 };

static bool is_half(const void *context, uint64_t word)
{
    (void)context;
    return word == HALF;
}

/* A 32-bit program's stack ends at 4 GiB. */
START_TEST(words_of_32_bits_are_looked_at)
{
    const uint64_t high = 0xfffd0000, size = 0x2e000;
    void *asked = (void *)(uintptr_t)high;
    uint32_t *stack =
        mmap(asked, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (stack == MAP_FAILED && errno == EEXIST)
        return; /* AddressSanitizer uses this memory */
    ck_assert_ptr_eq(stack, asked);
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    stack[0] = 1;
    ck_assert_int_eq(frames_have(fd, getpid(), high + 4, is_half, NULL), 0);
    stack[10 + _i] = HALF;
    ck_assert_int_eq(frames_have(fd, getpid(), high + 4, is_half, NULL), 1);
    close(fd);
    munmap(stack, size);
}
END_TEST

/* A 64-bit program may also have a stack for handlers below 4 GiB. */
START_TEST(words_of_64_bits_are_looked_at_wherever_they_lie)
{
    size_t size = (size_t)getpagesize();
    void *asked = (void *)(uintptr_t)0x20000000;
    memory = mmap(asked, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED && errno == EEXIST)
        return;
    ck_assert_ptr_eq(memory, asked);
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    memory[0] = 1;
    ck_assert_int_eq(frames_have(fd, getpid(), (uint64_t)(uintptr_t)memory, is_wanted, memory), 0);
    *(uint64_t *)(void *)(memory + 64) = WANTED;
    ck_assert_int_eq(frames_have(fd, getpid(), (uint64_t)(uintptr_t)memory, is_wanted, memory), 1);
    close(fd);
    munmap(memory, size);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("frames");
    tcase_add_test(tests, words_of_64_bits_are_looked_at_wherever_they_lie);
    UNIT_ADD_TABLE(tests, words_are_looked_at_that_are_there, cases);
    tcase_add_loop_test(tests, words_of_32_bits_are_looked_at, 0, 2);
    return unit_end();
}
