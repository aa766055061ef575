/* SPDX-License-Identifier: MIT
 *
 * Which parts of a stretch of memory can be copied at once: a stack has holes, pages that a large local array never
 * touched, and what lies above them is the rest of the stack. Pure. */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

#include "base/memory_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of an entry of /proc/PID/pagemap. */
#define PAGE_PRESENT ((uint64_t)1 << 63)
#define PAGE_SWAPPED ((uint64_t)1 << 62) /* or on its way from one place to another */
#define PAGE_OF_FILE ((uint64_t)1 << 61) /* or shared: who writes to it may have to wait for the file system */
#define PAGE_GUARDED ((uint64_t)1 << 57) /* by a userfaultfd, against writes */

enum { RUNS_MOST = 256 };

struct runs {
    struct memory_run items[RUNS_MOST]; /* upwards, with holes between */
    size_t count;
    uint64_t bytes;         /* of all */
    bool limited;           /* more exist than were wanted */
    uint64_t at, end, most; /* end of the part looked at; end of the whole; bytes wanted */
    bool of_file;           /* the last page was a file's, or shared */
};

/* Begins with nothing: from START to END (not included) at most MOST bytes are wanted. */
void runs_begin(struct runs *runs, uint64_t start, uint64_t end, uint64_t most);

/* Takes the COUNT pagemap entries of the pages of PAGE_SIZE bytes from runs->at on. Returns false at the end:
 * everything was looked at, enough was found, or the content of a page is elsewhere (a page of a file or of shared
 * memory is never known to be untouched). An untouched private page has no content. */
bool runs_look(struct runs *runs, const uint64_t *entries, size_t count, uint64_t page_size);

/* Where nothing shows which pages are present: assumes that everything wanted is. */
void runs_take_all(struct runs *runs);

/* Cuts COUNT ITEMS to what lies between START and END, and to MOST bytes of that. The runs stay where they are, and may
 * be empty then. Returns the bytes that are left. */
uint64_t runs_cut(struct memory_run *items, size_t count, uint64_t start, uint64_t end, uint64_t most);

/* True if the copies of COUNT ITEMS fit into SIZE bytes, and no item reaches the last byte of the address space. A
 * search that goes on behind an item that ends there begins again at address 0. */
bool runs_fit(const struct memory_run *items, size_t count, uint64_t size);

/* Finds the lowest address, *ADDRESS or above, from which SIZE bytes (at least 1) are in one of COUNT ITEMS. Sets
 * *ADDRESS to it and *PLACE to where its copy is. */
bool runs_next(const struct memory_run *items, size_t count, uint64_t size, uint64_t *address, uint64_t *place);

#endif
