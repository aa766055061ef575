/* SPDX-License-Identifier: MIT */
#include "tracer/plant/frames.h"

#include "common/model/runs.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <unistd.h>

enum { LOOKED_AT = 1 << 18, LEAST_PAGE = 1 << 12, WORDS = 128 };

/* The present pages of a stack. All count as present if the kernel does not show that. */
struct pages {
    uint64_t first, size;
    bool known;
    uint64_t entries[LOOKED_AT / LEAST_PAGE + 1];
};

static void read_entries(struct pages *pages, pid_t tid, uint64_t sp)
{
    pages->size = (uint64_t)getpagesize();
    pages->first = sp / pages->size;
    size_t bytes = (LOOKED_AT / pages->size + 1) * sizeof *pages->entries;
    int fd = procfs_open(tid, 0, "pagemap");
    pages->known =
        fd >= 0 && pread(fd, pages->entries, bytes, (off_t)(pages->first * sizeof *pages->entries)) == (ssize_t)bytes;
    if (fd >= 0)
        close(fd);
}

/* The kernel reads a swapped page by itself; a page that was never touched has no data. */
static bool is_at_hand(const struct pages *pages, uint64_t address)
{
    uint64_t entry = pages->known ? pages->entries[address / pages->size - pages->first] : PAGE_PRESENT;
    return entry & PAGE_PRESENT || (entry & PAGE_SWAPPED && !(entry & PAGE_OF_FILE));
}

/* LOW: the stack is below 4 GiB. It may belong to a 32-bit thread with words of half the size, or to a 64-bit one:
 * for example a signal stack in the memory of a program that is loaded there. */
static bool is_one(bool (*is)(const void *context, uint64_t word), const void *context, uint64_t word, bool low)
{
    return is(context, word) || (low && (is(context, (uint32_t)word) || is(context, word >> 32)));
}

int frames_have(int fd, pid_t tid, uint64_t sp, bool (*is)(const void *context, uint64_t word), const void *context)
{
    struct pages pages;
    uint64_t words[WORDS], end = sp + LOOKED_AT;
    int result = -EFAULT;
    read_entries(&pages, tid, sp);
    for (uint64_t at = sp - sp % sizeof *words, next; at < end; at = next) {
        next = at - at % sizeof words + sizeof words;
        if (!is_at_hand(&pages, at))
            continue;
        ssize_t got = pread(fd, words, next - at, (off_t)at);
        for (ssize_t i = 0; i < got / (ssize_t)sizeof *words; i++)
            if (is_one(is, context, words[i], sp <= UINT32_MAX))
                return 1;
        if (got > 0)
            result = 0;
        if (got != (ssize_t)(next - at))
            break;
    }
    return result;
}
