/* SPDX-License-Identifier: MIT */
#include "programs/files/mapped.h"

#include "common/base/child.h"
#include "common/base/proc.h"
#include "common/model/address_map.h"
#include "programs/files/identity.h"
#include "programs/files/shares.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 16, UNSEEN = PAGES + 1, LOOK_MS = 1000, MOST_IN_VAIN = 4 };

struct look {
    int fd, memory;
    const struct address_range *range;
};

/* Compares the pages at ADDRESS in MEMORY and at OFFSET in FD, up to the end of the file. Returns 1 if they are
 * equal, 0 if they differ, -1 if the memory cannot be read. */
static int same_page(int memory, uint64_t address, int fd, uint64_t offset)
{
    char mapped[PAGE], stored[PAGE];
    if (pread(memory, mapped, sizeof mapped, (off_t)address) != sizeof mapped)
        return -1;
    ssize_t length = pread(fd, stored, sizeof stored, (off_t)offset);
    return length > 0 && !memcmp(mapped, stored, (size_t)length);
}

/* Compares PAGES pages of the range, from its first to its last, with the file. Returns how many are equal, or
 * UNSEEN if the process's memory cannot be read. */
static int count_same(void *argument)
{
    const struct look *look = argument;
    uint64_t last = (look->range->end - look->range->start) / PAGE - 1;
    int same = 0, one = 0;
    for (uint64_t i = 0; one >= 0 && i < PAGES; i++) {
        uint64_t at = i * last / (PAGES - 1) * PAGE;
        one = same_page(look->memory, look->range->start + at, look->fd, look->range->offset + at);
        same += one;
    }
    return one < 0 ? UNSEEN : same;
}

/* Runs count_same in a child, because a page of the process may never arrive. Returns its result, or -1 without one. */
static int look_in_time(const struct look *look, const char *folder)
{
    static const struct share most = {.in_vain = MOST_IN_VAIN};
    static struct shares shares; /* of processes */
    struct look order = *look;
    if (shares_are_over(&shares, folder, &most))
        return -1;
    int same = child_run("pt-look", count_same, &order, LOOK_MS);
    if (same == -ETIMEDOUT)
        shares_use(&shares, folder, &(struct share){.in_vain = 1});
    return same < 0 || same == UNSEEN ? -1 : same;
}

static int same_pages(int fd, const char *folder, const struct address_range *range)
{
    char path[64];
    snprintf(path, sizeof path, "%s/mem", folder);
    struct look look = {fd, proc_open(path, O_RDONLY), range};
    if (look.memory < 0)
        return -1;
    int same = look_in_time(&look, folder);
    close(look.memory);
    return same;
}

/* The first change of a file in an overlay, even of its mode, copies it to the upper layer. Later opens find the copy,
 * while a process still maps the file of a lower layer. Some kernels give the two different identities, others do not.
 * So the contents are compared. A debugger may have put breakpoints into a few pages. */
bool mapped_is(int fd, const struct file_identity *identity, const char *folder, const struct address_range *range)
{
    const struct file_identity wanted = {range->device_major, range->device_minor, range->inode, false};
    bool equal = file_identity_equal(identity, &wanted);
    int same = identity->on_overlay ? same_pages(fd, folder, range) : -1;
    return same < 0 ? equal : same >= (equal ? PAGES / 2 : PAGES);
}

/* Allows some different pages, because breakpoints may have been planted there. */
bool mapped_is_copy(int fd, const char *folder, const struct address_range *range)
{
    return range->end - range->start >= PAGE && same_pages(fd, folder, range) >= PAGES * 3 / 4;
}
