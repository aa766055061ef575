/* SPDX-License-Identifier: MIT
 *
 * Whether the descriptors of a tracee stay what they are while it stands in a system call.
 *
 * Only who has its table of open files can change an entry: its threads, and processes that clone(CLONE_FILES) made.
 * The kernel has no list of these. But an exec begins with a table of its own, and so does a child that was made
 * without that flag; from there on every birth is seen, and the two tables are compared (kcmp) while both are stopped.
 * Who has shared its table once is taken to do so until its next exec: a sharer may have ended by the time that a stop
 * is looked at. Of a process that was attached the past is not known: its table is compared with that of every other
 * thread in the system, or its size, where we may not look at the other.
 *
 * What cannot be compared, or has not been seen, is taken to be shared. What nobody can see is who shared the table
 * once, and has ended: before the process was attached, or made to be hidden from tracers (CLONE_UNTRACED). */
#ifndef RESTART_FILES_H
#define RESTART_FILES_H

#include "tracee/table.h"

#include <stdbool.h>
#include <sys/types.h>

/* True if threads ONE and OTHER are known to have different tables. */
bool files_apart(pid_t one, pid_t other);

/* MAKER, of which nothing may be known (NULL), has made CHILD, a thread of its own or of a new process, or one that is
 * not followed (NULL). APART: the child has not run yet, and its table is another. */
void files_born(struct process *maker, const struct thread *child, bool apart);

/* True if thread TID, which is traced with its births, is known to have a table that no thread of another process has.
 * Reads all of /proc, twice. */
bool files_are_own(pid_t tid);

/* True if no descriptor of THREAD, which is stopped at the end of a system call, can have become another file since it
 * entered that call, nor will until it has entered the next. TABLE: of the processes that are followed. UNFILTERED: it
 * is to meet no seccomp filter at all; else those that we meet ourselves will do. */
bool files_stay(const struct table *table, const struct thread *thread, bool unfiltered);

#endif
