/* SPDX-License-Identifier: MIT
 *
 * The filters of system calls (seccomp(2)) that a tracee has put upon itself. */
#ifndef RESTART_FILTERS_H
#define RESTART_FILTERS_H

#include <stdbool.h>
#include <sys/types.h>

struct seccomp_data;

/* True if all filters of thread TID, which is stopped, are known to let it make CALL. Only who may administer the
 * system is told what they are. */
bool filters_allow(pid_t tid, const struct seccomp_data *call);

#endif
