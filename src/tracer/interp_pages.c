/* SPDX-License-Identifier: MIT */
#include "tracer/interp_parts.h"

#include "base/time.h"

/* Returns true if WALK has used its time. Moments in which this thread had no CPU are not its time: so once the clock
 * says so, the thread's CPU time decides, from then on. */
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

/* Reads the page at ADDRESS, and BELOW pages below it, in as few calls as possible. Skips pages that are not in
 * memory. */
static struct interp_page *bring(struct interp_walk *walk, uint64_t address, size_t below)
{
    struct runs runs;
    unsigned char bytes[(INTERP_BELOW + 1) * INTERP_PAGE];
    uint64_t start = address > below * INTERP_PAGE ? address - below * INTERP_PAGE : 0;
    size_t count = (size_t)((address - start) / INTERP_PAGE) + 1, done = 0;
    if (!interp_may_read(walk, INTERP_READS_MOST))
        return NULL;
    if (walk->page_count + count > INTERP_PAGES)
        walk->page_count = 0;
    memory_find(walk->sample->memory, walk->sample->tid, start, address + INTERP_PAGE, sizeof bytes, &runs);
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, bytes);
    for (size_t i = 0; i < count; i++) {
        struct interp_page *page = &walk->pages[walk->page_count + i];
        page->address = start + i * INTERP_PAGE;
        page->is_there = page->is_used = false;
        uint64_t next = page->address, place;
        if (got > 0 && runs_next(runs.items, runs.count, INTERP_PAGE, &next, &place) && next == page->address) {
            memcpy(page->bytes, bytes + place, INTERP_PAGE);
            page->is_there = true;
        }
        done++;
    }
    walk->page_count += done;
    return &walk->pages[walk->page_count - 1];
}

/* A page that was there a moment ago is read without a look whether it still is. */
#define KEPT_NS UINT64_C(1000000000)

enum { KEPT_MOST = sizeof((struct interp_thread){0}.kept) / sizeof(uint64_t) };

void interp_begin_pages(struct interp_walk *walk)
{
    const struct interp_thread *thread = walk->sample->thread;
    static unsigned char bytes[KEPT_MOST * INTERP_PAGE];
    struct runs runs;
    walk->page_count = 0;
    if (!thread->kept_count || walk->sample->now_ns - thread->kept_ns > KEPT_NS)
        return;
    runs_begin(&runs, 0, 0, 0);
    for (size_t i = 0; i < thread->kept_count; i++)
        runs.items[runs.count++] = (struct memory_run){thread->kept[i], INTERP_PAGE};
    runs.bytes = runs.count * INTERP_PAGE;
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, bytes);
    for (size_t i = 0; got > 0 && (i + 1) * INTERP_PAGE <= (size_t)got; i++) {
        struct interp_page *page = &walk->pages[walk->page_count++];
        page->address = thread->kept[i];
        page->is_there = true;
        page->is_used = false;
        memcpy(page->bytes, bytes + i * INTERP_PAGE, INTERP_PAGE);
    }
}

void interp_keep_pages(struct interp_walk *walk)
{
    struct interp_thread *thread = walk->sample->thread;
    thread->kept_count = 0;
    thread->kept_ns = walk->sample->now_ns;
    for (size_t i = 0; i < walk->page_count && thread->kept_count < KEPT_MOST; i++)
        if (walk->pages[i].is_there && walk->pages[i].is_used)
            thread->kept[thread->kept_count++] = walk->pages[i].address;
}

bool interp_get(struct interp_walk *walk, uint64_t address, size_t below, void *bytes, size_t size)
{
    unsigned char *to = bytes;
    if (address + size < address || address + size > UINT64_MAX - INTERP_PAGE)
        return false;
    while (size) {
        uint64_t start = address - address % INTERP_PAGE;
        size_t at = (size_t)(address - start), part = INTERP_PAGE - at < size ? INTERP_PAGE - at : size;
        struct interp_page *page = page_of(walk, start);
        if (!page)
            page = bring(walk, start, below);
        if (!page || !page->is_there)
            return false;
        page->is_used = true;
        memcpy(to, page->bytes + at, part);
        to += part;
        address += part;
        size -= part;
    }
    return true;
}
