/* SPDX-License-Identifier: MIT
 *
 * Reads and writes a tracee's memory with the access rights of the tracee itself: page protections apply. Only -EFAULT
 * is caused by the tracee; access may be denied at any time although we trace it. Nothing here waits for memory that
 * another process must supply, and may never supply (userfaultfd, FUSE). Such a copy fails with -ETIMEDOUT. For a while
 * after that, each copy of memory that is not present fails in this way. */
#ifndef TRACEE_MEMORY_H
#define TRACEE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct address_range;
struct runs;

/* The pagemap entries of COUNT pages, starting at number FIRST. */
struct memory_pages {
    uint64_t first;
    size_t count;
    uint64_t entries[32];
};

/* The memory of a process during one image. Zero it before the first use. */
struct memory {
    bool looked;              /* we have tried to open pagemap */
    int pagemap;              /* descriptor of the pagemap file, which shows the present pages; -1: none */
    uint64_t silent_until_ns; /* monotonic time until which no copy waits, after a timeout; 0: no timeout yet */
    bool maps_looked;         /* we have tried to open maps */
    int maps;                 /* descriptor of the maps file, for queries of single mappings; -1: none */
};

/* Sets RUNS to the present parts of MEMORY, the memory of live thread TID, from BELOW bytes below START to END (not
 * included), at most BELOW + MOST bytes: see runs_look. If the search ends below START, at a page whose content is
 * unknown, it begins again at START. Used parts of a stack are present. If the kernel does not show which pages are
 * present, all count as present. */
void memory_find(struct memory *memory, pid_t tid, uint64_t start, uint64_t below, uint64_t end, uint64_t most,
                 struct runs *runs);

/* The same, but knows the entries of PAGES, which were read a moment ago. */
void memory_find_known(struct memory *memory, pid_t tid, uint64_t start, uint64_t below, uint64_t end, uint64_t most,
                       const struct memory_pages *pages, struct runs *runs);

/* Reads the entries of the pages from START to END (not included) of MEMORY, the memory of live thread TID. PAGES has
 * fewer, or none, if they are too many or the kernel does not show them. */
void memory_look(struct memory *memory, pid_t tid, uint64_t start, uint64_t end, struct memory_pages *pages);

/* Reads RUNS, which memory_find has just set, into BYTES, one after the other. Brings no page in. Cuts RUNS to the
 * part, from the beginning, that could be read. Returns the number of bytes, or -errno, with RUNS unchanged, if
 * none. */
ssize_t memory_read_runs(struct memory *memory, pid_t tid, struct runs *runs, void *bytes);

/* Reads the SIZE bytes at ADDRESS, up to the first page that is not present, into BYTES. Brings no page in. Returns
 * how many bytes, or -errno. */
ssize_t memory_read_present(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);

/* Reads SIZE bytes at ADDRESS into BYTES, present or not. Returns 0 if all could be read, -EFAULT, or another
 * -errno. BYTES may have changed in any case. Memory that is mapped for writing only can be read, as by the process
 * itself. */
int memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);

/* Writes BYTES to ADDRESS. Returns how many bytes were written, from the beginning, or -errno if none. */
ssize_t memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Returns false if the process could not write some of the SIZE bytes at ADDRESS: because of page protections, or
 * because the mapped file ends before it. Memory that cannot be checked counts as writable. */
bool memory_writable(struct memory *memory, pid_t tid, uint64_t address, uint64_t size);

/* Returns true if reading the byte at ADDRESS, by any means, cannot wait for another process. Also returns true if it
 * cannot be read at all. */
bool memory_at_hand(struct memory *memory, pid_t tid, uint64_t address);

/* Returns the number of the ioctl that memory_next_text uses. */
uint32_t memory_query(void);

/* Sets RANGE, without a path, to the executable file mapping that contains ADDRESS, or to the first one above it.
 * Takes about a microsecond. Returns 0, -ENOENT if none exists, or another -errno before Linux 6.11. */
int memory_next_text(struct memory *memory, pid_t tid, uint64_t address, struct address_range *range);

/* Closes the files, because the process has new memory or is gone. */
void memory_forget(struct memory *memory);

/* Returns true if the two processes share their memory; false if they do not, or if the kernel does not show that. */
bool memory_shared(pid_t one, pid_t other);

#endif
