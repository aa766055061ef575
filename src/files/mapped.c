/* SPDX-License-Identifier: MIT */
#include "files/mapped.h"

#include "base/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 16 };

/* 1 if the pages at ADDRESS in MEMORY and at OFFSET in FD are the same, as far as the file goes, 0 if not, -1 if the
 * memory is not to be had. */
static int same_page(int memory, uint64_t address, int fd, uint64_t offset)
{
    char mapped[PAGE], stored[PAGE];
    if (pread(memory, mapped, sizeof mapped, (off_t)address) != sizeof mapped)
        return -1;
    ssize_t length = pread(fd, stored, sizeof stored, (off_t)offset);
    return length > 0 && !memcmp(mapped, stored, (size_t)length);
}

/* How many of PAGES pages of RANGE, from its first to its last, are those of the file; -1 if the process does not show
 * them. */
static int same_pages(int fd, const char *folder, const struct address_range *range)
{
    char path[64];
    snprintf(path, sizeof path, "%s/mem", folder);
    int memory = proc_open(path, O_RDONLY), same = 0, one = memory < 0 ? -1 : 0;
    uint64_t last = (range->end - range->start) / PAGE - 1;
    for (uint64_t i = 0; one >= 0 && i < PAGES; i++) {
        uint64_t at = i * last / (PAGES - 1) * PAGE;
        one = same_page(memory, range->start + at, fd, range->offset + at);
        same += one;
    }
    if (memory >= 0)
        close(memory);
    return one < 0 ? -1 : same;
}

/* The first change to a file of an overlay, be it of its mode, makes a copy of it in the upper layer, which from then
 * on is the one that is opened, while a process still has that of a lower layer mapped. Some kernels tell the two
 * apart, others do not: so what decides is the code itself, in which a debugger may have planted something here and
 * there. */
bool mapped_is(int fd, const struct file_identity *identity, const char *folder, const struct address_range *range)
{
    const struct file_identity wanted = {range->device_major, range->device_minor, range->inode, false};
    bool equal = file_identity_equal(identity, &wanted);
    int same = identity->on_overlay ? same_pages(fd, folder, range) : -1;
    return same < 0 ? equal : same >= (equal ? PAGES / 2 : PAGES);
}
