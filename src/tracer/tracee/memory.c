/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/memory.h"

#include "common/base/buffer.h"
#include "common/base/memory_run.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/address_map.h"
#include "common/model/runs.h"
#include "common/model/writable.h"
#include "tracer/tracee/copier.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LOOK_PAGES = 512, /* read with one call */
    WAIT_S = 5,       /* for memory that only the tracer itself may access */
    SILENCE_S = 5,    /* a hundred times the time of a copy that timed out */
    MAPS_LIMIT = 16 << 20,
};

/* True if PAGEMAP was asked for by a thread that had ended. Older kernels open it, but it never shows anything. */
static bool is_of_nothing(int pagemap)
{
    uint64_t entry;
    return pagemap == -ESRCH || (pagemap >= 0 && pread(pagemap, &entry, sizeof entry, 0) == 0);
}

static void open_pagemap(struct memory *memory, pid_t tid)
{
    if (memory->looked)
        return;
    memory->pagemap = procfs_open(tid, 0, "pagemap");
    memory->looked = !is_of_nothing(memory->pagemap);
    if (memory->pagemap >= 0 && (!memory->looked || proc_is_last(memory->pagemap))) {
        close(memory->pagemap);
        memory->pagemap = -1;
    }
}

static bool can_do_without_waiting(uint64_t entry, bool write)
{
    return entry & PAGE_PRESENT && !(write && entry & (PAGE_OF_FILE | PAGE_GUARDED));
}

/* Reads the pagemap's entries of the pages from START to END (not included), at most LOOK_PAGES. Returns their
 * number. */
static size_t read_entries(const struct memory *memory, uint64_t start, uint64_t end, uint64_t entries[LOOK_PAGES])
{
    const uint64_t page_size = (uint64_t)getpagesize();
    uint64_t first = start / page_size, count = (end - 1) / page_size + 1 - first;
    if (count > LOOK_PAGES)
        count = LOOK_PAGES;
    ssize_t got = pread(memory->pagemap, entries, count * sizeof *entries, (off_t)(first * sizeof *entries));
    return got > 0 ? (size_t)got / sizeof *entries : 0;
}

/* Returns how many bytes of COPY, from the beginning, are present: all if the kernel does not show that. */
static size_t at_hand(struct memory *memory, const struct copy *copy)
{
    const uint64_t page_size = (uint64_t)getpagesize();
    uint64_t entries[LOOK_PAGES], end = copy->address + copy->size;
    open_pagemap(memory, copy->tid);
    if (memory->pagemap < 0)
        return copy->size;
    if (!copy->size || end < copy->address)
        return 0;
    for (uint64_t page = copy->address / page_size; page * page_size < end;) {
        size_t known = read_entries(memory, page * page_size, end, entries), good = 0;
        while (good < known && can_do_without_waiting(entries[good], copy->write))
            good++;
        page += good;
        if (!known || good < known)
            return page * page_size <= copy->address ? 0 : (size_t)(page * page_size - copy->address);
    }
    return copy->size;
}

/* Copies, with an alarm that ends the tracer if the tracee blocks it. (The watchdog watches only ticks, and none may
 * be running now.) */
static ssize_t copy_or_end(const struct copy *copy)
{
    alarm(WAIT_S);
    ssize_t done = copier_at_once(copy);
    alarm(0);
    return done;
}

/* Copies directly if the memory is THERE (present), unless the process has blocked us before: it may remove the memory
 * between the check and the copy. The watchdog handles the first such case. Also copies directly if only the tracer
 * itself may access the tracee, as Yama can require. */
static ssize_t transfer(struct memory *memory, const struct copy *copy, bool there)
{
    if (there && !memory->silent_until_ns)
        return copier_at_once(copy);
    if (!there && time_now_ns() < memory->silent_until_ns)
        return -ETIMEDOUT;
    ssize_t done = copier_in_time(copy);
    if (done == -ETIMEDOUT)
        memory->silent_until_ns = time_now_ns() + SILENCE_S * (uint64_t)1000000000;
    return done == -EPERM ? copy_or_end(copy) : done;
}

/* Takes the entries of all pages from START to END from PAGES. Returns their number, or 0 if PAGES lacks some. */
static size_t known_entries(const struct memory_pages *pages, uint64_t start, uint64_t end,
                            uint64_t entries[LOOK_PAGES])
{
    const uint64_t page_size = (uint64_t)getpagesize();
    uint64_t first = start / page_size, count = (end - 1) / page_size + 1 - first;
    if (!pages || first < pages->first || count > pages->count || first - pages->first > pages->count - count)
        return 0;
    memcpy(entries, &pages->entries[first - pages->first], (size_t)count * sizeof *entries);
    return (size_t)count;
}

/* The first look covers just enough pages in case all are present; each later look covers as many as one call can. */
static void find(const struct memory *memory, uint64_t start, uint64_t end, uint64_t most,
                 const struct memory_pages *pages, struct runs *runs)
{
    uint64_t entries[LOOK_PAGES];
    size_t known;
    runs_begin(runs, start, end, most);
    if (start >= end)
        return;
    if (memory->pagemap < 0) {
        runs_take_all(runs);
        return;
    }
    uint64_t enough = most < end - start ? start + most : end;
    do {
        uint64_t until = runs->at < enough ? enough : end;
        known = known_entries(pages, runs->at, until, entries);
        if (!known)
            known = read_entries(memory, runs->at, until, entries);
    } while (known && runs_look(runs, entries, known, (uint64_t)getpagesize()));
}

void memory_find_known(struct memory *memory, pid_t tid, uint64_t start, uint64_t below, uint64_t end, uint64_t most,
                       const struct memory_pages *pages, struct runs *runs)
{
    open_pagemap(memory, tid);
    find(memory, start - below, end, most + below, pages, runs);
    const struct memory_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    if (below && (!last || last->start + last->size <= start))
        find(memory, start, end, most, pages, runs);
}

void memory_find(struct memory *memory, pid_t tid, uint64_t start, uint64_t below, uint64_t end, uint64_t most,
                 struct runs *runs)
{
    memory_find_known(memory, tid, start, below, end, most, NULL, runs);
}

void memory_look(struct memory *memory, pid_t tid, uint64_t start, uint64_t end, struct memory_pages *pages)
{
    enum { MOST = sizeof pages->entries / sizeof *pages->entries };
    const uint64_t page_size = (uint64_t)getpagesize();
    uint64_t entries[LOOK_PAGES];
    open_pagemap(memory, tid);
    pages->count = 0;
    if (memory->pagemap < 0 || start >= end)
        return;
    pages->first = start / page_size;
    if ((end - 1) / page_size - pages->first >= MOST)
        end = (pages->first + MOST) * page_size;
    pages->count = read_entries(memory, start, end, entries);
    memcpy(pages->entries, entries, pages->count * sizeof *entries);
}

static ssize_t read_one_by_one(struct memory *memory, pid_t tid, const struct runs *runs, void *bytes)
{
    size_t done = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct memory_run *run = &runs->items[i];
        const struct copy copy = {
            .tid = tid, .address = run->start, .bytes = (unsigned char *)bytes + done, .size = (size_t)run->size};
        ssize_t got = run->size ? transfer(memory, &copy, true) : 0;
        if (got < 0 && !done)
            return got;
        done += got > 0 ? (size_t)got : 0;
        if (got < 0 || (uint64_t)got < run->size)
            break;
    }
    return (ssize_t)done;
}

ssize_t memory_read_runs(struct memory *memory, pid_t tid, struct runs *runs, void *bytes)
{
    if (!runs->bytes)
        return 0;
    ssize_t got = memory->silent_until_ns ? read_one_by_one(memory, tid, runs, bytes)
                                          : copier_runs_at_once(tid, runs->items, runs->count, bytes);
    if (got >= 0 && (uint64_t)got < runs->bytes)
        runs->bytes = runs_cut(runs->items, runs->count, 0, UINT64_MAX, (uint64_t)got);
    return got;
}

/* Reads the memory map of the process into TEXT. The caller frees TEXT. */
static bool read_maps(pid_t tid, struct buffer *text)
{
    int fd = procfs_open(tid, 0, "maps");
    if (fd < 0)
        return false;
    bool whole = !buffer_read_file(text, fd, MAPS_LIMIT) && text->length;
    close(fd);
    return whole;
}

static bool is_write_only(pid_t tid, uint64_t address, size_t size)
{
    struct buffer maps = {0};
    struct writable_part part;
    const char *text;
    bool is = read_maps(tid, &maps) && (text = maps.bytes) && writable_find(&text, address, &part) && !part.readable &&
              part.end - address >= size;
    buffer_fini(&maps);
    return is;
}

static int copy_all(struct memory *memory, const struct copy *copy)
{
    ssize_t got = transfer(memory, copy, at_hand(memory, copy) == copy->size);
    if (got < 0)
        return (int)got;
    return (size_t)got == copy->size ? 0 : -EFAULT;
}

ssize_t memory_read_present(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size)
{
    struct copy copy = {.tid = tid, .address = address, .bytes = bytes, .size = size};
    copy.size = at_hand(memory, &copy);
    return copy.size ? transfer(memory, &copy, true) : 0;
}

int memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size)
{
    struct copy copy = {.tid = tid, .address = address, .bytes = bytes, .size = size};
    int result = copy_all(memory, &copy);
    copy.write_only = result == -EFAULT && is_write_only(tid, address, size);
    return copy.write_only ? copy_all(memory, &copy) : result;
}

/* Returns true if the process can write. For each part of a file, tests its last byte: if that exists, so does the part
 * before it. */
static bool can_write(struct memory *memory, pid_t tid, const char *maps, uint64_t address, uint64_t end)
{
    struct writable_part part;
    char byte;
    for (; address < end; address = part.end) {
        if (!writable_find(&maps, address, &part))
            return false;
        uint64_t last = (part.end < end ? part.end : end) - 1;
        if (part.of_file && memory_read_all(memory, tid, last, &byte, 1) == -EFAULT)
            return false;
    }
    return true;
}

bool memory_writable(struct memory *memory, pid_t tid, uint64_t address, uint64_t size)
{
    struct buffer maps = {0};
    if (address + size < address)
        return false;
    bool can = !read_maps(tid, &maps) || can_write(memory, tid, maps.bytes, address, address + size);
    buffer_fini(&maps);
    return can;
}

ssize_t memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    const struct copy copy = {tid, address, (void *)(uintptr_t)bytes, size, .write = true};
    return transfer(memory, &copy, at_hand(memory, &copy) == size);
}

bool memory_at_hand(struct memory *memory, pid_t tid, uint64_t address)
{
    char byte;
    const struct copy copy = {.tid = tid, .address = address, .bytes = &byte, .size = 1};
    return at_hand(memory, &copy) || copier_in_time(&copy) != -ETIMEDOUT;
}

/* The kernel's struct procmap_query, which the headers of older kernels do not have. */
struct mapping_query {
    uint64_t size, flags, address;
    uint64_t start, end, vma_flags, page_size, offset, inode;
    uint32_t device_major, device_minor, name_size, build_id_size;
    uint64_t name, build_id;
};

#define QUERY_MAPPING _IOWR('f', 17, struct mapping_query)
enum { QUERY_EXECUTABLE = 4, QUERY_THIS_OR_NEXT = 16, QUERY_OF_FILE = 32 };

static int maps_of(struct memory *memory, pid_t tid)
{
    if (memory->maps_looked)
        return memory->maps;
    memory->maps = procfs_open(tid, 0, "maps");
    memory->maps_looked = memory->maps != -ESRCH; /* that thread had ended */
    if (memory->maps >= 0 && proc_is_late(memory->maps)) {
        close(memory->maps);
        memory->maps = -1;
    }
    return memory->maps;
}

static void close_maps(struct memory *memory)
{
    if (memory->maps_looked && memory->maps >= 0)
        close(memory->maps);
    memory->maps_looked = false;
}

uint32_t memory_query(void)
{
    return (uint32_t)QUERY_MAPPING;
}

int memory_next_text(struct memory *memory, pid_t tid, uint64_t address, struct address_range *range)
{
    struct mapping_query query = {
        .size = sizeof query, .flags = QUERY_EXECUTABLE | QUERY_THIS_OR_NEXT | QUERY_OF_FILE, .address = address};
    int fd = maps_of(memory, tid);
    if (fd < 0)
        return -EBADF;
    if (ioctl(fd, QUERY_MAPPING, &query) < 0) {
        int cause = errno;
        if (cause == ESRCH)
            close_maps(memory); /* older kernels open the file of a thread that has ended */
        return -cause;
    }
    *range = (struct address_range){.start = query.start,
                                    .end = query.end,
                                    .offset = query.offset,
                                    .inode = query.inode,
                                    .device_major = query.device_major,
                                    .device_minor = query.device_minor};
    return 0;
}

void memory_forget(struct memory *memory)
{
    close_maps(memory);
    if (memory->looked && memory->pagemap >= 0)
        close(memory->pagemap);
    *memory = (struct memory){0};
}

bool memory_shared(pid_t one, pid_t other)
{
    return syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}
