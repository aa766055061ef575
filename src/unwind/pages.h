/* SPDX-License-Identifier: MIT
 *
 * Pages of code that is in no file, for all processes together. At most UNWIND_PAGES_MOST are kept, about 16 MiB,
 * however many processes make code. The least recently used pages are forgotten first. */
#ifndef UNWIND_PAGES_H
#define UNWIND_PAGES_H

#include "base/hash.h"
#include "unwind/leave.h"
#include "unwind/unwind.h"

enum {
    UNWIND_PAGES_MOST = 2048,
    UNWIND_PAGES_FREE = 256, /* of them, when a stack is begun with */
    UNWIND_PAGE_JUDGED = 32, /* instructions of a page with known ways to a return */
};

struct unwind_judged {
    uint64_t address; /* 0: none */
    size_t count;
    struct unwind_leave leaves[UNWIND_LEAVES];
};

struct unwind_page {
    const void *owner;
    uint64_t address;
    struct unwind_page *older, *newer; /* by use */
    uint32_t number;
    uint64_t brought_ns, asked_ns; /* 0: not yet */
    uint64_t doubted_ns;           /* how old it is when it is doubted */
    bool readable;
    uint8_t bytes[UNWIND_PAGE];
    struct unwind_judged judged[UNWIND_PAGE_JUDGED];
};

/* NULL if memory runs out. */
struct unwind_pages *unwind_pages_new(void);
void unwind_pages_free(struct unwind_pages *pages);

/* OWNER's page that ADDRESS is in, or NULL. It is PAGES' own, and valid until the next unwind_pages_make_room
 * or _forget. */
struct unwind_page *unwind_pages_find(const struct unwind_pages *pages, const void *owner, uint64_t address);

/* Like unwind_pages_find, but marks the page as used, and makes an empty page if it does not exist. Returns NULL if
 * no room is left. */
struct unwind_page *unwind_pages_use(struct unwind_pages *pages, const void *owner, uint64_t address);

/* Forgets the pages that were used longest ago, until UNWIND_PAGES_FREE can be made. */
void unwind_pages_make_room(struct unwind_pages *pages);

/* Forgets all pages of OWNER. */
void unwind_pages_forget(struct unwind_pages *pages, const void *owner);

#endif
