/* SPDX-License-Identifier: MIT
 *
 * Rows that the page adds up when the user selects threads: the time of each thread at each node of the call tree. */
#ifndef REPORT_PAGE_ROWS_H
#define REPORT_PAGE_ROWS_H

#include "profile/report/calltree.h"

struct page_row {
    uint32_t node;
    uint32_t thread;  /* index; PROFILE_NONE: the [unsampled] time of a process */
    uint32_t process; /* index */
    uint64_t samples;
    uint64_t cpu_ns, wait_ns;
};

struct page_rows {
    struct page_row *items;
    size_t count, room;
    uint32_t *numbers; /* for each sample of the profile, its row; HASH_NONE: none */
    struct hash index;
};

/* Fills ROWS, which may be uninitialised, with the times of PROFILE at the nodes of TREE, its tree of calls: one row
 * for each thread at a node, and then one for each process that has [unsampled] time. Returns 0, or -ENOMEM with
 * ROWS empty. */
int page_rows_init(struct page_rows *rows, const struct profile *profile, const struct calltree *tree);
void page_rows_fini(struct page_rows *rows);

#endif
