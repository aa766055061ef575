/* SPDX-License-Identifier: MIT */
#include "tracer/interp_parts.h"

#include "base/time.h"

/* Returns true if WALK has used its time. Time in which this thread had no CPU does not count. So once the monotonic
 * limit is over, the thread's CPU time decides. */
static bool is_late(struct interp_walk *walk)
{
    if (time_now_ns() <= walk->until_ns)
        return false;
    uint64_t now_ns = time_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!walk->until_cpu_ns)
        walk->until_cpu_ns = now_ns + INTERP_MOST_NS;
    return now_ns > walk->until_cpu_ns;
}

bool interp_may_read(struct interp_walk *walk, size_t most)
{
    walk->is_over |= ++walk->reads > most || is_late(walk);
    return !walk->is_over;
}

static struct interp_page *page_of(struct interp_walk *walk, uint64_t address)
{
    for (size_t i = 0; i < walk->page_count; i++)
        if (walk->pages[i].address == address)
            return &walk->pages[i];
    return NULL;
}

/* Returns the page at ADDRESS, which is added if it is new; NULL if no room is left. */
static struct interp_page *add_page(struct interp_walk *walk, uint64_t address)
{
    struct interp_page *page = page_of(walk, address);
    if (page || walk->page_count == INTERP_PAGES)
        return page;
    page = &walk->pages[walk->page_count++];
    page->address = address;
    page->is_absent = false;
    page->start = page->end = page->first = page->last = 0;
    page->bytes = walk->bytes;
    return page;
}

/* Reads the page at ADDRESS, and BELOW pages below it, in as few calls as possible. Skips pages that are not in
 * memory. */
static struct interp_page *bring(struct interp_walk *walk, uint64_t address, size_t below)
{
    struct runs runs;
    uint64_t start = address > below * INTERP_PAGE ? address - below * INTERP_PAGE : 0;
    size_t size = (size_t)(address - start) + INTERP_PAGE;
    if (!interp_may_read(walk, INTERP_READS_MOST))
        return NULL;
    if (walk->page_count + size / INTERP_PAGE > INTERP_PAGES || size > sizeof walk->bytes - walk->byte_count)
        walk->page_count = walk->byte_count = 0;
    memory_find(walk->sample->memory, walk->sample->tid, start, address + INTERP_PAGE, size, &runs);
    unsigned char *bytes = walk->bytes + walk->byte_count;
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, bytes);
    for (uint64_t at = start; at <= address; at += INTERP_PAGE) {
        struct interp_page *page = add_page(walk, at);
        uint64_t next = at, place = 0;
        page->is_absent = got <= 0 || !runs_next(runs.items, runs.count, INTERP_PAGE, &next, &place) || next != at;
        page->start = 0;
        page->end = page->is_absent ? 0 : INTERP_PAGE;
        page->bytes = bytes + place;
    }
    walk->byte_count += got > 0 ? (size_t)got : 0;
    return page_of(walk, address);
}

/* A page that was present this recently is read without checking again. */
#define KEPT_NS UINT64_C(1000000000)

enum {
    KEPT_MOST = sizeof((struct interp_thread){0}.kept) / sizeof(struct memory_run),
    AROUND = 256, /* bytes around a needed part: other calls' frames are likely to be there */
};

void interp_begin_pages(struct interp_walk *walk)
{
    const struct interp_thread *thread = walk->sample->thread;
    struct runs runs;
    size_t done = 0;
    walk->page_count = walk->byte_count = 0;
    if (!thread->kept_count || walk->sample->now_ns - thread->kept_ns > KEPT_NS)
        return;
    runs_begin(&runs, 0, 0, 0);
    for (size_t i = 0; i < thread->kept_count; i++) {
        const struct memory_run *run = &thread->kept[i];
        struct memory_run *last = runs.count ? &runs.items[runs.count - 1] : NULL;
        if (last && last->start + last->size == run->start)
            last->size += run->size;
        else
            runs.items[runs.count++] = *run;
        runs.bytes += run->size;
    }
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, walk->bytes);
    for (size_t i = 0; i < thread->kept_count; i++) {
        const struct memory_run *run = &thread->kept[i];
        if (got < 0 || done + run->size > (uint64_t)got)
            break;
        uint32_t at = (uint32_t)(run->start % INTERP_PAGE);
        struct interp_page *page = add_page(walk, run->start - at);
        page->start = at;
        page->end = at + (uint32_t)run->size;
        page->bytes = walk->bytes + done;
        done += run->size;
    }
    walk->byte_count = done;
}

void interp_keep_pages(struct interp_walk *walk)
{
    struct interp_thread *thread = walk->sample->thread;
    thread->kept_count = 0;
    thread->kept_ns = walk->sample->now_ns;
    for (size_t i = 0; i < walk->page_count && thread->kept_count < KEPT_MOST; i++) {
        const struct interp_page *page = &walk->pages[i];
        uint32_t first = page->first > AROUND ? page->first - AROUND : 0;
        uint32_t last = page->last < INTERP_PAGE - AROUND ? page->last + AROUND : INTERP_PAGE;
        if (page->last && !page->is_absent)
            thread->kept[thread->kept_count++] = (struct memory_run){page->address + first, last - first};
    }
}

/* SIZE bytes at AT of PAGE are needed. */
static void need(struct interp_page *page, size_t at, size_t size)
{
    if (!page->last || at < page->first)
        page->first = (uint32_t)at;
    if (at + size > page->last)
        page->last = (uint32_t)(at + size);
}

static bool has(const struct interp_page *page, size_t at, size_t size)
{
    return page && !page->is_absent && at >= page->start && at + size <= page->end;
}

/* The part of SIZE bytes at ADDRESS that is on the first one's page. */
static size_t part_of(uint64_t address, size_t size)
{
    size_t room = INTERP_PAGE - (size_t)(address % INTERP_PAGE);
    return room < size ? room : size;
}

bool interp_get(struct interp_walk *walk, uint64_t address, size_t below, void *bytes, size_t size)
{
    unsigned char *to = bytes;
    if (address + size < address || address + size > UINT64_MAX - INTERP_PAGE)
        return false;
    while (size) {
        size_t at = (size_t)(address % INTERP_PAGE), part = part_of(address, size);
        struct interp_page *page = page_of(walk, address - at);
        if (!page || (!page->is_absent && !has(page, at, part)))
            page = bring(walk, address - at, below);
        if (!has(page, at, part))
            return false;
        need(page, at, part);
        memcpy(to, page->bytes + at - page->start, part);
        to += part;
        address += part;
        size -= part;
    }
    return true;
}

bool interp_peek(struct interp_walk *walk, uint64_t address, void *bytes, size_t size)
{
    size_t part = part_of(address, size);
    if (address + size < address)
        return false;
    if (!has(page_of(walk, address - address % INTERP_PAGE), address % INTERP_PAGE, part) ||
        (part < size && !has(page_of(walk, address + part), 0, size - part)))
        return false;
    return interp_get(walk, address, 0, bytes, size);
}

void interp_expect(struct interp_walk *walk, uint64_t address, size_t size)
{
    for (size_t part; size; address += part, size -= part) {
        struct interp_page *page = add_page(walk, address - address % INTERP_PAGE);
        part = part_of(address, size);
        if (page)
            need(page, address % INTERP_PAGE, part);
    }
}
