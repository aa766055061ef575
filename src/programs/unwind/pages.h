/* SPDX-License-Identifier: MIT
 *
 * Stores pages of code that is in no file, for all processes together. Keeps at most UNWIND_PAGES_MOST pages, about 16
 * MiB, however many processes generate code. Forgets the least recently used pages first. */
#ifndef UNWIND_PAGES_H
#define UNWIND_PAGES_H

#include "programs/unwind/leave.h"
#include "programs/unwind/unwind.h"

enum {
    UNWIND_PAGES_MOST = 2048,
    UNWIND_PAGES_FREE = 256, /* pages that can be added while one stack is unwound */
    UNWIND_PAGE_JUDGED = 32, /* instructions of a page with stored results */
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
    uint64_t doubted_ns;           /* age at which a page that leads nowhere is fetched again */
    bool readable;
    uint8_t bytes[UNWIND_PAGE];
    struct unwind_judged judged[UNWIND_PAGE_JUDGED];
};

/* NULL if memory runs out. */
struct unwind_pages *unwind_pages_new(void);
void unwind_pages_free(struct unwind_pages *pages);

/* Returns OWNER's page that contains ADDRESS, or NULL. It belongs to PAGES, and is valid until the next
 * unwind_pages_make_room or unwind_pages_forget. */
struct unwind_page *unwind_pages_find(const struct unwind_pages *pages, const void *owner, uint64_t address);

/* Like unwind_pages_find, but marks the page as used, and makes an empty page if it does not exist. Returns NULL if
 * no room is left. */
struct unwind_page *unwind_pages_use(struct unwind_pages *pages, const void *owner, uint64_t address);

/* Forgets the pages that were used longest ago, until UNWIND_PAGES_FREE can be made. */
void unwind_pages_make_room(struct unwind_pages *pages);

/* Forgets all pages of OWNER. */
void unwind_pages_forget(struct unwind_pages *pages, const void *owner);

#endif
