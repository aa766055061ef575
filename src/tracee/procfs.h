/* SPDX-License-Identifier: MIT
 *
 * The /proc files of tracees. */
#ifndef TRACEE_PROCFS_H
#define TRACEE_PROCFS_H

#include "model/proctext.h"
#include "wire/rescue_notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens /proc/PID/task/TID/NAME, or /proc/PID/NAME when TID is 0, for reading. Returns a close-on-exec descriptor or
 * -errno. */
int procfs_open(pid_t pid, pid_t tid, const char *name);

/* A thread of process PID that has not ended, by which its memory can be reached: the first one where it lives.
 * Returns PID if none exists. */
pid_t procfs_living_thread(pid_t pid);

/* Reads the identity of PID, a process or thread. Returns false, and the identity is nobody's, if it is gone. */
bool procfs_identify(pid_t pid, struct procfs_identity *identity);

/* True if both are of one process or thread. */
bool procfs_is_same(const struct procfs_identity *one, const struct procfs_identity *other);

/* True if PID is still what has IDENTITY. */
bool procfs_is(pid_t pid, const struct procfs_identity *identity);

/* Opens the memory of process PID for reading and writing, past its own page protections, and sets *IDENTITY. Returns
 * a close-on-exec descriptor, which is dead after the process's next exec, or -errno: -EPERM, too, if the process is
 * not shown to be traced by this one. The second one is for where it is not traced any more: -ESRCH if it is not what
 * has IDENTITY. */
int procfs_open_memory(pid_t pid, struct procfs_identity *identity);
int procfs_open_memory_of(pid_t pid, const struct procfs_identity *identity);

/* Opens, reads and closes. Returns the length or -errno, as proc_read. */
ssize_t procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size);

/* True if PID is known to be a 32-bit program. */
bool procfs_is_narrow(pid_t pid);

/* Where PID's program begins, as proctext_auxv_entry. */
uint64_t procfs_entry(pid_t pid);

/* True if PID is known to be process 1 of its pid namespace. */
bool procfs_is_first(pid_t pid);

/* True if thread TID of PID has ended, and is a zombie or gone. */
bool procfs_is_dead(pid_t pid, pid_t tid);

/* Where thread TID of PID, or PID where TID is 0, is blocked, as proctext_blocked: also one that is frozen. False if it
 * runs, or if that cannot be known. */
bool procfs_blocked(pid_t pid, pid_t tid, struct blocked *where);

/* True if thread TID of PID, or PID where TID is 0, waits in the kernel, where no signal reaches it. */
bool procfs_waits_in_kernel(pid_t pid, pid_t tid);

/* True if thread TID of PID is known to be the kernel's own, as proctext_is_worker. */
bool procfs_is_worker(pid_t pid, pid_t tid);

/* How many threads PID has, 0 if that is not known. */
uint64_t procfs_thread_count(pid_t pid);

/* The process that thread TID belongs to and that process's parent, or false when it is gone or not traced by us. */
bool procfs_family(pid_t tid, pid_t *process, pid_t *parent);

/* True if the process of thread TID has a handler for SIG, or if that cannot be known. */
bool procfs_may_handle(pid_t tid, int sig);

/* True if the process of thread TID is known to ignore SIG. */
bool procfs_ignores(pid_t tid, int sig);

/* True if SIG is pending for thread TID alone, or if that cannot be known. */
bool procfs_may_wait(pid_t tid, int sig);

/* True if thread TID has as many seccomp filters as we have: none or, presumably, those of the container. False if that
 * cannot be known. */
bool procfs_filtered_as_we(pid_t tid);

/* After proc_enter: what descriptor FD of thread TID is, by its name in /proc: only a device is looked at more closely.
 * Nothing is opened. */
enum procfs_file {
    PROCFS_OTHER, /* or not known */
    PROCFS_PIPE,  /* without a name */
    PROCFS_UNIX_SOCKET,
    PROCFS_ENDLESS, /* /dev/zero, /dev/urandom and their like: reading gives what was asked for, whatever was read
                       before */
};
enum procfs_file procfs_file(pid_t tid, int fd);

/* True, with the number of its inode, if descriptor FD of thread TID is a socket. */
bool procfs_socket(pid_t tid, int fd, uint64_t *inode);

/* True if descriptor FD of thread TID waits where it would have to; false, too, if that cannot be known. */
bool procfs_blocks(pid_t tid, int fd);

/* True if thread TID is the only one of its process and, where UNFILTERED is wanted, meets no seccomp filter. */
bool procfs_is_alone(pid_t tid, bool unfiltered);

/* Returns a number that all processes have in common whose executable file has the same path; 0 if it cannot be read.
 * No file system is asked for it. */
uint64_t procfs_program(pid_t pid);

/* Copies the name of thread TID of process PID, as the kernel has it, without a newline. "?" when it is gone. */
void procfs_comm(pid_t pid, pid_t tid, char comm[static 16]);

#endif
