/* SPDX-License-Identifier: MIT
 *
 * Finds running processes by name, by control group or container, or by ancestor. */
#ifndef DOCTOR_ATTACH_SEARCH_H
#define DOCTOR_ATTACH_SEARCH_H

struct attach_list;
struct error;

struct family;

/* Each function adds the processes it finds to LIST, except this process, kernel threads, and the tracers of other
 * ptprofils. Returns 0, -ESRCH with ERROR set if it finds none, or another -errno. */

/* Adds processes called NAME: by the kernel's name, by the beginning of their command line, or by the name of the
 * script that they interpret. NAME may be a pattern, see glob(7). OPTION: the option's name, for errors. */
int attach_search_name(struct attach_list *list, const char *option, const char *name, struct error *error);

/* Adds the processes of the control group PATH, see cgroup_is_in. */
int attach_search_cgroup(struct attach_list *list, const char *path, struct error *error);

/* Adds the processes of the container ID (an ID or its beginning), see cgroup_container. Returns -EINVAL if several
 * containers match. */
int attach_search_container(struct attach_list *list, const char *id, struct error *error);

/* Repeats the searches of BEFORE, and adds what they find now to LIST, which is empty. Finding nothing is not an error.
 * Returns 0, or -errno with ERROR set. */
int attach_search_again(struct attach_list *list, const struct attach_list *before, struct error *error);

/* Reads the processes of the machine, except tracers of other ptprofils, into FAMILY, sorted. Returns 0 or -errno with
 * ERROR set. */
int attach_search_family(struct family *family, struct error *error);

#endif
