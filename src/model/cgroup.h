/* SPDX-License-Identifier: MIT
 *
 * Which control group, and which container, a process is in: the text of /proc/PID/cgroup, parsed; cgroups(7). Its
 * lines are NUMBER:CONTROLLERS:PATH. Pure: the text is a stranger's, as a control group may have any name. */
#ifndef MODEL_CGROUP_H
#define MODEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* True if a control group of TEXT is PATH or below it. PATH is as TEXT has it, or begins with /sys/fs/cgroup, or,
 * without a slash at its beginning, is the last part of a path. */
bool cgroup_is_in(const char *text, const char *path);

/* True if TEXT is of a process in the container with the ID ID, or an ID that begins so, or with the name ID where
 * the runtime names control groups by it. Puts the whole ID or name into FOUND, cut to SIZE bytes with its 0.
 * Processes that watch over a container (conmon) do not count. */
bool cgroup_container(const char *text, const char *id, char *found, size_t size);

#endif
