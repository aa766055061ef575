/* SPDX-License-Identifier: MIT
 *
 * Processes that run already, found by what they are called, where they belong, or whom they descend from. */
#ifndef DOCTOR_ATTACH_SEARCH_H
#define DOCTOR_ATTACH_SEARCH_H

#include "doctor/attach.h"
#include "model/family.h"

/* Each adds to LIST what it finds, without this process, those of the kernel, and the tracers of other ptprofils.
 * Returns 0, -ESRCH with ERROR set if nothing is found, or another -errno. */

/* Those called NAME, as the kernel has it, as their command line begins, or as the script is called that they
 * interpret. NAME may be a pattern, see glob(7). OPTION
 * is what the option is called. */
int attach_search_name(struct attach_list *list, const char *option, const char *name, struct error *error);

/* Those of the control group PATH, see cgroup_is_in. */
int attach_search_cgroup(struct attach_list *list, const char *path, struct error *error);

/* Those of the container that ID is the ID of, or the beginning of it, see cgroup_container. -EINVAL if there are
 * several. */
int attach_search_container(struct attach_list *list, const char *id, struct error *error);

/* Reads the processes of the machine but the tracers of other ptprofils into FAMILY, sorted. Returns 0 or -errno with
 * ERROR set. */
int attach_search_family(struct family *family, struct error *error);

#endif
