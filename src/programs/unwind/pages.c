/* SPDX-License-Identifier: MIT */
#include "programs/unwind/pages.h"

#include "common/base/hash.h"

#include <stdlib.h>

struct unwind_pages {
    struct unwind_page *items[UNWIND_PAGES_MOST];
    uint32_t count;
    struct hash index;
    struct unwind_page *oldest, *newest;
};

struct key {
    const void *owner;
    uint64_t address;
};

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct unwind_page *page = ((const struct unwind_pages *)owner)->items[number];
    const struct key *wanted = key;
    return page->owner == wanted->owner && page->address == wanted->address;
}

static uint64_t key_hash(const void *owner, uint64_t address)
{
    uint64_t parts[] = {(uint64_t)(uintptr_t)owner, address};
    return hash_bytes(parts, sizeof parts);
}

struct unwind_pages *unwind_pages_new(void)
{
    return calloc(1, sizeof(struct unwind_pages));
}

void unwind_pages_free(struct unwind_pages *pages)
{
    if (!pages)
        return;
    for (uint32_t i = 0; i < pages->count; i++)
        free(pages->items[i]);
    hash_fini(&pages->index);
    free(pages);
}

struct unwind_page *unwind_pages_find(const struct unwind_pages *pages, const void *owner, uint64_t address)
{
    struct key key = {owner, address - address % UNWIND_PAGE};
    uint32_t number = hash_find(&pages->index, key_hash(owner, key.address), has_key, pages, &key);
    return number == HASH_NONE ? NULL : pages->items[number];
}

static void take_out(struct unwind_pages *pages, struct unwind_page *page)
{
    *(page->older ? &page->older->newer : &pages->oldest) = page->newer;
    *(page->newer ? &page->newer->older : &pages->newest) = page->older;
}

static void put_last(struct unwind_pages *pages, struct unwind_page *page)
{
    page->older = pages->newest;
    page->newer = NULL;
    *(pages->newest ? &pages->newest->newer : &pages->oldest) = page;
    pages->newest = page;
}

static struct unwind_page *make(struct unwind_pages *pages, const void *owner, uint64_t address)
{
    struct unwind_page *page = pages->count < UNWIND_PAGES_MOST ? calloc(1, sizeof *page) : NULL;
    if (!page)
        return NULL;
    page->owner = owner;
    page->address = address - address % UNWIND_PAGE;
    page->number = pages->count;
    pages->items[page->number] = page;
    if (!hash_add(&pages->index, key_hash(owner, page->address), page->number)) {
        free(page);
        return NULL;
    }
    pages->count++;
    put_last(pages, page);
    return page;
}

struct unwind_page *unwind_pages_use(struct unwind_pages *pages, const void *owner, uint64_t address)
{
    struct unwind_page *page = unwind_pages_find(pages, owner, address);
    if (!page)
        return make(pages, owner, address);
    take_out(pages, page);
    put_last(pages, page);
    return page;
}

/* Forgets PAGE. The last page takes its number. */
static void forget(struct unwind_pages *pages, struct unwind_page *page)
{
    struct unwind_page *last = pages->items[--pages->count];
    take_out(pages, page);
    hash_remove(&pages->index, key_hash(page->owner, page->address), page->number);
    if (page != last) {
        hash_renumber(&pages->index, key_hash(last->owner, last->address), last->number, page->number);
        last->number = page->number;
        pages->items[last->number] = last;
    }
    free(page);
}

void unwind_pages_make_room(struct unwind_pages *pages)
{
    while (pages->count > UNWIND_PAGES_MOST - UNWIND_PAGES_FREE)
        forget(pages, pages->oldest);
}

void unwind_pages_forget(struct unwind_pages *pages, const void *owner)
{
    for (uint32_t i = pages->count; i-- > 0;)
        if (pages->items[i]->owner == owner)
            forget(pages, pages->items[i]);
}
