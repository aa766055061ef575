/* SPDX-License-Identifier: MIT
 *
 * Finds the control group, and the container, of a process in the text of /proc/PID/cgroup; see cgroups(7). Its lines
 * are NUMBER:CONTROLLERS:PATH. Pure: the text is not trusted, because a control group may have any name. */
#ifndef MODEL_CGROUP_H
#define MODEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a control group of TEXT is PATH or below it. PATH is written as in TEXT, or begins with
 * /sys/fs/cgroup. Without a slash at its beginning, it is the last part of a path. */
bool cgroup_is_in(const char *text, const char *path);

/* Returns true if the process with TEXT is in the container ID. ID is a whole ID or the beginning of one, or a name, if
 * the runtime names control groups by it. Puts the whole ID or name into FOUND, cut to SIZE bytes with its 0. Processes
 * that watch over a container (conmon) do not count. */
bool cgroup_container(const char *text, const char *id, char *found, size_t size);

/* The service and the container of a process. Each is "" if it is unknown or too long. */
struct cgroup_names {
    char unit[64];      /* service of systemd, such as nginx.service */
    char container[72]; /* ID of its container */
};

/* Sets *NAMES to those of the process with TEXT: the innermost of the first line that has any. The service that runs a
 * user's own services is none. */
void cgroup_find_names(const char *text, struct cgroup_names *names);

#endif
