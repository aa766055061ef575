/* SPDX-License-Identifier: MIT
 *
 * Processes that run already, found by what they are called, where they belong, or whom they descend from. */
#ifndef DOCTOR_ATTACH_SEARCH_H
#define DOCTOR_ATTACH_SEARCH_H

#include "doctor/attach.h"
#include "model/family.h"

/* Each adds the processes it finds to LIST, except this process, the kernel's, and the tracers of other ptprofils.
 * Returns 0, -ESRCH with ERROR set if it finds none, or another -errno. */

/* Those called NAME, as the kernel has it, as their command line begins, or as the script is called that they
 * interpret. NAME may be a pattern, see glob(7). OPTION
 * is what the option is called. */
int attach_search_name(struct attach_list *list, const char *option, const char *name, struct error *error);

/* The processes of the control group PATH, see cgroup_is_in. */
int attach_search_cgroup(struct attach_list *list, const char *path, struct error *error);

/* The processes of the container ID (an ID or its beginning), see cgroup_container. -EINVAL if several containers
 * match. */
int attach_search_container(struct attach_list *list, const char *id, struct error *error);

/* Adds to LIST, an empty one, what the searches of BEFORE find now; nothing is not an error. Returns 0, or -errno with
 * ERROR set. */
int attach_search_again(struct attach_list *list, const struct attach_list *before, struct error *error);

/* Reads the processes of the machine but the tracers of other ptprofils into FAMILY, sorted. Returns 0 or -errno with
 * ERROR set. */
int attach_search_family(struct family *family, struct error *error);

#endif
