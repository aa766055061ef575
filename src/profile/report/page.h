/* SPDX-License-Identifier: MIT
 *
 * The HTML page: the parts around its data, and the data that html.c writes between them. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "profile/report/calltree.h"

struct buffer;

/* The parts before and after the data. The build makes page.c from data/page.html, its style and its scripts, with
 * data/embed.awk. */
extern const char page_head[], page_tail[];

/* A row of page_rows.c: the time of a thread at a node of the call tree. The page adds up the rows of the threads that
 * the user selects. */
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

/* page_times.c writes the timestamps of the page's samples, in few bytes. Later entries beyond this number are omitted;
 * they would need more than some ten megabytes. */
#define PAGE_MOST_INSTANTS 1000000

/* Appends the member "times" of a JSON object, with a comma before it, to OUT: the first MOST timestamps of PROFILE,
 * encoded by profile/instants.h with row numbers of ROWS as samples, in base64. Also the time up to which they are
 * complete, if that is not the end, and the marks. Appends nothing if PROFILE has no timestamps. */
void page_times_put(struct buffer *out, const struct profile *profile, const struct page_rows *rows, size_t most);

#endif
