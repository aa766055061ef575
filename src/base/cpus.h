/* SPDX-License-Identifier: MIT
 *
 * The CPUs that a thread may use. A launcher of parallel jobs, or taskset(1), binds a program to some of them and
 * ptprofil inherits that, so that ptprofil and the program would share a CPU although others are idle. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* What --own-cpus takes besides a list: the CPUs that the caller of ptprofil may use. */
#define CPUS_INHERIT "inherit"

/* Reads TEXT, a list as the kernel writes and taskset(1) takes it ("0-3,7"), a newline at its end or not, into *CPUS.
 * "" has no CPU. Returns false, with *CPUS undefined, if TEXT is not a list or has a CPU that a cpu_set_t has no room
 * for. */
bool cpus_parse(const char *text, cpu_set_t *cpus);

/* Lets the calling thread, and threads and processes that it starts later, use the CPUs of LIST (CPUS_INHERIT: no
 * change). NULL: all CPUs of its cpuset, except CPUs that the administrator keeps free of ordinary work (isolcpus=,
 * nohz_full=) unless the thread already had them. Returns 0, or -EINVAL, with nothing changed, if the cpuset allows
 * no CPU of LIST. */
int cpus_widen(const char *list);

/* Returns what cpus_widen would return, and changes nothing. 0 if that cannot be found out. */
int cpus_check(const char *list);

#endif
