/* SPDX-License-Identifier: MIT
 *
 * The pages that a walk over interpreter frames reads, within its limits of time and memory. */
#include "tracer/walk/interp_parts.h"

#include "common/base/memory_run.h"
#include "common/base/time.h"
#include "common/model/runs.h"
#include "tracer/tracee/memory.h"

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
    unsigned char *hint = &walk->hints[address / INTERP_PAGE % INTERP_HINTS];
    if (*hint < walk->page_count && walk->pages[*hint].address == address)
        return &walk->pages[*hint];
    for (size_t i = 0; i < walk->page_count; i++)
        if (walk->pages[i].address == address) {
            *hint = (unsigned char)i;
            return &walk->pages[i];
        }
    return NULL;
}

/* Returns the page at ADDRESS, which is added if it is new; NULL if no room is left. */
static struct interp_page *add_page(struct interp_walk *walk, uint64_t address)
{
    struct interp_page *page = page_of(walk, address);
    if (page || walk->page_count == INTERP_PAGES)
        return page;
    page = &walk->pages[walk->page_count++];
    *page = (struct interp_page){.address = address, .bytes = walk->bytes};
    return page;
}

/* Sets *PLACE to the location of the page at ADDRESS in the copy of RUNS. Returns false if it is not part of RUNS. */
static bool find_page(const struct runs *runs, uint64_t address, uint64_t *place)
{
    uint64_t found = address;
    return runs_next(runs->items, runs->count, INTERP_PAGE, &found, place) && found == address;
}

/* Reads the page at ADDRESS, and up to BELOW pages below it, in as few calls as possible. Skips pages that are not in
 * memory. */
static struct interp_page *bring(struct interp_walk *walk, uint64_t address, size_t below)
{
    struct runs runs;
    if (!interp_may_read(walk, INTERP_READS_MOST))
        return NULL;
    if (below > address / INTERP_PAGE)
        below = (size_t)(address / INTERP_PAGE);
    memory_find(walk->sample->memory, walk->sample->tid, address, below * INTERP_PAGE, address + INTERP_PAGE,
                INTERP_PAGE, &runs);
    if (walk->page_count + below + 1 > INTERP_PAGES || runs.bytes > sizeof walk->bytes - walk->byte_count)
        walk->page_count = walk->byte_count = 0;
    unsigned char *bytes = walk->bytes + walk->byte_count;
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, bytes);
    for (size_t i = below + 1; i--;) {
        uint64_t at = address - i * INTERP_PAGE, place = 0;
        bool is_present = got > 0 && find_page(&runs, at, &place);
        if (i && !is_present)
            continue;
        struct interp_page *page = add_page(walk, at);
        page->is_absent = !is_present;
        page->start = 0;
        page->end = is_present ? INTERP_PAGE : 0;
        page->bytes = bytes + place;
    }
    walk->byte_count += got > 0 ? (size_t)got : 0;
    return page_of(walk, address);
}

/* A page that was present this recently is read without checking again. */
#define KEPT_NS UINT64_C(1000000000)

enum {
    AROUND = 64,     /* bytes around a needed part: other calls' frames are likely to be there */
    GAP_MOST = 512,  /* copying this many bytes more costs less than another run, whose page the kernel looks up */
    UNUSED_MOST = 2, /* samples that do not need a part, before it is dropped. A thread alternates between stacks, and
                      * a read on demand costs as much as about four parts more in the first call. */
};

/* Sets RUNS to the kept parts of THREAD. Parts of neighbouring pages share a run if the gap between them is small. */
static void plan_runs(const struct interp_thread *thread, struct runs *runs)
{
    runs_begin(runs, 0, 0, 0);
    for (size_t i = 0; i < thread->kept_count; i++) {
        const struct interp_kept *kept = &thread->kept[i];
        struct memory_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
        uint64_t last_end = last ? last->start + last->size : 0;
        if (last && kept->start - last_end <= GAP_MOST && kept->start / INTERP_PAGE - (last_end - 1) / INTERP_PAGE == 1)
            last->size = kept->start + kept->size - last->start;
        else
            runs->items[runs->count++] = (struct memory_run){kept->start, kept->size};
    }
    for (size_t i = 0; i < runs->count; i++)
        runs->bytes += runs->items[i].size;
}

/* Adds the page of KEPT, whose copy is at BYTES. */
static void add_kept(struct interp_walk *walk, const struct interp_kept *kept, unsigned char *bytes)
{
    uint32_t at = (uint32_t)(kept->start % INTERP_PAGE);
    struct interp_page *page = add_page(walk, kept->start - at);
    page->start = page->kept_start = at;
    page->end = page->kept_end = at + kept->size;
    page->unused = kept->unused;
    page->bytes = bytes;
}

void interp_begin_pages(struct interp_walk *walk)
{
    const struct interp_thread *thread = walk->sample->thread;
    struct runs runs;
    walk->page_count = walk->byte_count = 0;
    if (!thread->kept_count || walk->sample->now_ns - thread->kept_ns > KEPT_NS)
        return;
    plan_runs(thread, &runs);
    ssize_t got = memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, walk->bytes);
    for (size_t i = 0; i < thread->kept_count; i++) {
        uint64_t start = thread->kept[i].start, place;
        if (got <= 0 || !runs_next(runs.items, runs.count, thread->kept[i].size, &start, &place) ||
            start != thread->kept[i].start)
            break;
        add_kept(walk, &thread->kept[i], walk->bytes + place);
    }
    walk->byte_count = got > 0 ? (size_t)got : 0;
}

/* Keeps the part of PAGE that this sample and the last ones needed, in the order of addresses. */
static void keep_part(struct interp_thread *thread, const struct interp_page *page)
{
    uint32_t start = page->kept_start, end = page->kept_end;
    if (page->last) {
        uint32_t first = page->first > AROUND ? page->first - AROUND : 0;
        uint32_t last = page->last < INTERP_PAGE - AROUND ? page->last + AROUND : INTERP_PAGE;
        start = end && start < first ? start : first;
        end = end > last ? end : last;
    }
    size_t at = thread->kept_count;
    if (at == INTERP_KEPT_MOST)
        return;
    for (; at && thread->kept[at - 1].start > page->address + start; at--)
        thread->kept[at] = thread->kept[at - 1];
    thread->kept[at] = (struct interp_kept){
        .start = page->address + start,
        .size = (uint16_t)(end - start),
        .unused = (uint16_t)(page->last ? 0 : page->unused + 1),
    };
    thread->kept_count++;
}

void interp_keep_pages(struct interp_walk *walk)
{
    struct interp_thread *thread = walk->sample->thread;
    thread->kept_count = 0;
    thread->kept_ns = walk->sample->now_ns;
    for (size_t i = 0; i < walk->page_count; i++)
        if (walk->pages[i].last && !walk->pages[i].is_absent)
            keep_part(thread, &walk->pages[i]);
    for (size_t i = 0; i < walk->page_count; i++) {
        const struct interp_page *page = &walk->pages[i];
        if (!page->last && page->kept_end && !page->is_absent && page->unused < UNUSED_MOST)
            keep_part(thread, page);
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
