/* SPDX-License-Identifier: MIT
 *
 * The memory of a tracee, as the tracee itself could reach it: page protections are honoured. The only failure that is
 * the tracee's own doing is -EFAULT; permission may be refused at any time although it is traced. Nothing here waits
 * for memory that somebody else has to bring first, and may never bring (userfaultfd, FUSE): that fails with
 * -ETIMEDOUT, and so does for a while all that is not there at once. */
#ifndef TRACEE_MEMORY_H
#define TRACEE_MEMORY_H

#include "model/address_map.h"
#include "model/runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The memory of a process during one image. To begin with it is zeroed before the first use. */
struct memory {
    bool looked;              /* the file has been opened, or tried to */
    int pagemap;              /* which pages are there; -1: not to be had */
    uint64_t silent_until_ns; /* monotonic time, after it has kept us waiting; 0: it has not */
    bool maps_looked;         /* the maps file has been opened, or tried to */
    int maps;                 /* it answers questions about single mappings; -1: not to be had */
};

/* Finds what of MEMORY, that of the process of live thread TID, is there now from START to END (not included), at most
 * MOST bytes: see runs_look. What a stack uses is there. Where the kernel does not tell, all is taken to be. */
void memory_find(struct memory *memory, pid_t tid, uint64_t start, uint64_t end, uint64_t most, struct runs *runs);

/* Reads RUNS, as memory_find has found them just now, into BYTES, one behind the other. Brings nothing in. RUNS are cut
 * to what could be read, from the beginning on. Returns how many bytes that is, or -errno, with RUNS as they were, if
 * none. */
ssize_t memory_read_runs(struct memory *memory, pid_t tid, struct runs *runs, void *bytes);

/* Reads as much of the SIZE bytes at ADDRESS as is there, up to the first page that is not, into BYTES. Brings nothing
 * in. Returns how many bytes, or -errno. */
ssize_t memory_read_present(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);

/* Reads all or nothing, wherever it is: returns 0, -EFAULT, or another -errno. BYTES may have changed in any case. What
 * is mapped for writing alone can be read: so it is for the process itself. */
int memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);

/* Writes BYTES to ADDRESS. Returns how many could be written, from the beginning on, or -errno if none. */
ssize_t memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size);

/* False if some byte of the SIZE bytes at ADDRESS is one that the process could not write: because of page protections,
 * or because the file that is mapped there ends before it. What cannot be found out is taken to be writable. */
bool memory_writable(struct memory *memory, pid_t tid, uint64_t address, uint64_t size);

/* True if the byte at ADDRESS can be read without waiting for anybody, by whatever means; or cannot be read at all. */
bool memory_at_hand(struct memory *memory, pid_t tid, uint64_t address);

/* Sets RANGE, without a path, to the executable mapping of a file that ADDRESS is in, or else to the first one above
 * it. Takes about a microsecond. Returns 0, -ENOENT if none exists, or another -errno if the kernel does not tell:
 * it can since Linux 6.11. */
int memory_next_text(struct memory *memory, pid_t tid, uint64_t address, struct address_range *range);

/* The process has another memory from now on, or has gone. */
void memory_forget(struct memory *memory);

/* True if the two processes have the same memory, false if not, or if the kernel does not tell. */
bool memory_shared(pid_t one, pid_t other);

#endif
