/* SPDX-License-Identifier: MIT
 *
 * Finds out whether the descriptors of a tracee stay the same during a system call.
 *
 * A table of open files can be changed by its threads and by processes that clone(CLONE_FILES) made. The kernel has no
 * list of these processes. But an exec begins with a new table, and so does a child that was made without that flag.
 * From that point we see every birth, and compare the two tables (kcmp) while both threads are stopped. A process that
 * has shared its table once counts as sharing until its next exec, since a sharer may have ended before we look. The
 * past of an attached process is unknown. So its table is compared with the table of every other thread in the system,
 * or only the sizes if kcmp is not permitted.
 *
 * Anything that cannot be compared or was not seen counts as shared. Two kinds of earlier sharers cannot be found
 * after they end: those from before the attach, and children hidden from tracers (CLONE_UNTRACED). */
#ifndef RESTART_FILES_H
#define RESTART_FILES_H

#include <stdbool.h>
#include <sys/types.h>

struct process;
struct table;
struct thread;

/* Returns true if threads ONE and OTHER are known to have different tables. */
bool files_apart(pid_t one, pid_t other);

/* MAKER (NULL if unknown) has made CHILD, a thread of its own or of a new process (NULL if not followed). APART: the
 * child has not run yet, and its table is a different one. */
void files_born(struct process *maker, const struct thread *child, bool apart);

/* Returns true if the table of thread TID is known to be shared with no other process. TID is traced, and its births
 * are reported. Reads all of /proc, twice. */
bool files_are_own(pid_t tid);

/* Returns true if no descriptor of THREAD can have become another file since it entered its system call, nor can
 * before it has entered the next one. THREAD is stopped at the end of a call. TABLE: the followed processes.
 * UNFILTERED: THREAD must have no seccomp filter at all; otherwise filters that we have ourselves are allowed. */
bool files_stay(const struct table *table, const struct thread *thread, bool unfiltered);

#endif
