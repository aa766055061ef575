/* SPDX-License-Identifier: MIT
 *
 * The memory of a tracee, as the tracee itself could reach it: page protections are honoured. The only failure that is
 * the tracee's own doing is -EFAULT; permission may be refused at any time although it is traced. */
#ifndef TRACEE_MEMORY_H
#define TRACEE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads SIZE bytes at ADDRESS of the process of live thread TID into BYTES. Returns how many could be read, from the
 * beginning on, or -errno if none. */
ssize_t memory_read(pid_t tid, uint64_t address, void *bytes, size_t size);

/* The same, but all or nothing: returns 0, -EFAULT, or another -errno. BYTES may have changed in any case. */
int memory_read_all(pid_t tid, uint64_t address, void *bytes, size_t size);

/* Writes BYTES to ADDRESS. Returns how many could be written, from the beginning on, or -errno if none. */
ssize_t memory_write(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* True if the two processes have the same memory, false if not, or if the kernel does not tell. */
bool memory_shared(pid_t one, pid_t other);

#endif
