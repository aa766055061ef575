/* SPDX-License-Identifier: MIT
 *
 * Finds the parts of a memory range that can be copied at once. A stack has holes: pages of a large local array that
 * were never touched. The rest of the stack is above them. Pure. */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

#include "common/base/memory_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of an entry in /proc/PID/pagemap. */
#define PAGE_PRESENT ((uint64_t)1 << 63)
#define PAGE_SWAPPED ((uint64_t)1 << 62) /* or being moved */
#define PAGE_OF_FILE ((uint64_t)1 << 61) /* or shared: a write to it may wait for the file system */
#define PAGE_GUARDED ((uint64_t)1 << 57) /* protected from writes by a userfaultfd */

enum { RUNS_MOST = 256 };

struct runs {
    struct memory_run items[RUNS_MOST]; /* in ascending order, with holes between */
    size_t count;
    uint64_t bytes;         /* of all */
    bool limited;           /* more exist than were wanted */
    uint64_t at, end, most; /* end of the examined part; end of the range; bytes wanted */
    bool of_file;           /* the last page belongs to a file, or is shared */
};

/* Begins with no runs. At most MOST bytes are wanted from START to END (not included). */
void runs_begin(struct runs *runs, uint64_t start, uint64_t end, uint64_t most);

/* Takes the COUNT pagemap entries of the pages of PAGE_SIZE bytes from runs->at on. Returns false at the end:
 * everything was examined, enough was found, or the content of a page is unknown. (A page of a file or of shared memory
 * may have content without being present.) An untouched private page has no content. */
bool runs_look(struct runs *runs, const uint64_t *entries, size_t count, uint64_t page_size);

/* Assumes that everything wanted is present, if the kernel does not show which pages are. */
void runs_take_all(struct runs *runs);

/* Cuts COUNT ITEMS to the part between START and END, and to MOST bytes. All items remain, some possibly empty. Returns
 * the number of bytes left. */
uint64_t runs_cut(struct memory_run *items, size_t count, uint64_t start, uint64_t end, uint64_t most);

/* Returns true if the copies of COUNT ITEMS fit into SIZE bytes, and no item reaches the last byte of the address
 * space. (A search that continues after such an item would begin again at address 0.) */
bool runs_fit(const struct memory_run *items, size_t count, uint64_t size);

/* Finds the lowest address from *ADDRESS on where SIZE bytes (at least 1) are in one of COUNT ITEMS. Sets *ADDRESS to
 * it, and *PLACE to the location of its copy. */
bool runs_next(const struct memory_run *items, size_t count, uint64_t size, uint64_t *address, uint64_t *place);

#endif
