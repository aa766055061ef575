/* SPDX-License-Identifier: MIT
 *
 * Reads the /proc files of tracees. */
#ifndef TRACEE_PROCFS_H
#define TRACEE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct blocked;
struct procfs_identity;

/* Opens /proc/PID/task/TID/NAME, or /proc/PID/NAME when TID is 0, for reading. Returns a close-on-exec descriptor or
 * -errno. */
int procfs_open(pid_t pid, pid_t tid, const char *name);

/* Returns a living thread of process PID, through which its memory can be accessed: the first thread if it lives.
 * Returns PID if none lives. */
pid_t procfs_living_thread(pid_t pid);

/* Reads the identity of PID, a process or thread. Returns false, with an identity that equals no other, if it is
 * gone. */
bool procfs_identify(pid_t pid, struct procfs_identity *identity);

/* Returns true if both identities belong to the same process or thread. */
bool procfs_is_same(const struct procfs_identity *one, const struct procfs_identity *other);

/* Returns true if PID still has IDENTITY. */
bool procfs_is(pid_t pid, const struct procfs_identity *identity);

/* Opens the memory of process PID for reading and writing, ignoring its page protections. Returns a close-on-exec
 * descriptor, which stops working at the process's next exec, or -errno. procfs_open_memory sets *IDENTITY, and
 * returns -EPERM if this process does not trace PID. procfs_open_memory_of is for processes that are no longer
 * traced: -ESRCH if PID does not have IDENTITY. */
int procfs_open_memory(pid_t pid, struct procfs_identity *identity);
int procfs_open_memory_of(pid_t pid, const struct procfs_identity *identity);

/* Opens, reads and closes. Returns the length or -errno, as proc_read. */
ssize_t procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size);

/* Sets *COMPAT if PID is known to run a 32-bit program, and *FOREIGN if it runs a kind of program that cannot be
 * sampled. */
void procfs_kind(pid_t pid, bool *compat, bool *foreign);

/* Returns the address where PID's program begins, as proctext_auxv_entry. */
uint64_t procfs_entry(pid_t pid);

/* Returns true if PID is known to be process 1 of its pid namespace. */
bool procfs_is_first(pid_t pid);

/* Returns true if thread TID of PID has ended, and is a zombie or gone. */
bool procfs_is_dead(pid_t pid, pid_t tid);

/* Sets *WHERE to the system call and location where thread TID of PID, or PID if TID is 0, is blocked or frozen: see
 * proctext_blocked. Returns false if it runs, or if that cannot be read. */
bool procfs_blocked(pid_t pid, pid_t tid, struct blocked *where);

/* Returns true if thread TID of PID, or PID if TID is 0, waits in the kernel, where no signal reaches it. */
bool procfs_waits_in_kernel(pid_t pid, pid_t tid);

/* Returns true if thread TID of PID is known to be a kernel worker, as proctext_is_worker. */
bool procfs_is_worker(pid_t pid, pid_t tid);

/* Returns how many threads PID has, 0 if unknown. */
uint64_t procfs_thread_count(pid_t pid);

/* Returns true if thread TID of PID has ended, or ends without a further exit stop, as proctext_is_dying; or if it is
 * gone. */
bool procfs_is_dying(pid_t pid, pid_t tid);

/* Returns how many pages of memory PID has, as its thread TID shows it; 0 if unknown. */
uint64_t procfs_resident(pid_t pid, pid_t tid);

/* Sets *PROCESS to the process of thread TID, and *PARENT to that process's parent. Returns false if TID is gone or
 * not traced by us. */
bool procfs_family(pid_t tid, pid_t *process, pid_t *parent);

/* Returns true if the process of thread TID has a handler for SIG, or if unknown. */
bool procfs_may_handle(pid_t tid, int sig);

/* Returns true if the process of thread TID is known to ignore SIG. */
bool procfs_ignores(pid_t tid, int sig);

/* Returns true if a signal is known to be pending that TID does not block. */
bool procfs_has_signal(pid_t tid);

/* Returns true if SIG is pending for thread TID itself, or if unknown. */
bool procfs_may_wait(pid_t tid, int sig);

/* Notes how many seccomp filters we have. Call it before we set one of our own. */
void procfs_note_filters(void);

/* Returns true if thread TID has as many seccomp filters as we had then: none or, presumably, only the container's.
 * False if unknown. */
bool procfs_filtered_as_we(pid_t tid);

/* After proc_enter: finds out the kind of descriptor FD of thread TID by its name in /proc. Examines the file only if
 * it is a device. Opens nothing. */
enum procfs_file {
    PROCFS_OTHER, /* or unknown */
    PROCFS_PIPE,  /* not a named one */
    PROCFS_UNIX_SOCKET,
    PROCFS_ENDLESS, /* /dev/zero, /dev/urandom and the like: a read returns all bytes asked for, whatever was read
                       before */
};
enum procfs_file procfs_file(pid_t tid, int fd);

/* Returns true, and sets *INODE to the socket's inode number, if descriptor FD of thread TID is a socket. */
bool procfs_socket(pid_t tid, int fd, uint64_t *inode);

/* Returns true if descriptor FD of thread TID has the name of a terminal, but not of the master of one. */
bool procfs_is_terminal(pid_t tid, int fd);

/* Returns true if descriptor FD of thread TID is blocking; false if not, or if unknown. */
bool procfs_blocks(pid_t tid, int fd);

/* Sets *COUNT to the number of descriptors for which thread TID's table of open files has room. */
bool procfs_table_size(pid_t tid, uint64_t *count);

/* Returns true if thread TID is the only one of its process and, if UNFILTERED, has no seccomp filter. */
bool procfs_is_alone(pid_t tid, bool unfiltered);

/* Returns a number that is equal for all processes with the same path of their executable file; 0 if it cannot be
 * read. Asks no file system. */
uint64_t procfs_program(pid_t pid);

/* Copies the name of thread TID of process PID from the kernel, without a newline. "?" if the thread is gone. */
void procfs_comm(pid_t pid, pid_t tid, char comm[static 16]);

#endif
