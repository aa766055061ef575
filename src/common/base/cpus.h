/* SPDX-License-Identifier: MIT
 *
 * The CPUs that a thread may use. Launchers of parallel jobs, or taskset(1), bind a program to some CPUs, and ptprofil
 * inherits this. Then ptprofil and the program would share a CPU although others are idle. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* A value of --own-cpus besides lists: the CPUs that the caller of ptprofil may use. */
#define CPUS_INHERIT "inherit"

/* Reads TEXT into *CPUS. TEXT is a list such as "0-3,7" (see taskset(1)), with or without a newline at its end. "" is
 * an empty set. Returns false, with *CPUS undefined, if TEXT is not a list, or if a CPU does not fit into a
 * cpu_set_t. */
bool cpus_parse(const char *text, cpu_set_t *cpus);

/* Lets the calling thread, and threads and processes that it starts later, use the CPUs of LIST (CPUS_INHERIT: no
 * change). NULL: all CPUs of its cpuset, except CPUs that the administrator keeps free of ordinary work (isolcpus=,
 * nohz_full=) unless the thread already had them. Returns 0, or -EINVAL, with nothing changed, if the cpuset allows
 * no CPU of LIST. */
int cpus_widen(const char *list);

/* Returns the result that cpus_widen would return, but changes nothing. Returns 0 if that cannot be found out. */
int cpus_check(const char *list);

#endif
