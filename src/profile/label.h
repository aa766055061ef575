/* SPDX-License-Identifier: MIT
 *
 * What frames, processes and threads are called, in all formats alike. The texts are as they came: not
 * escaped. */
#ifndef PROFILE_LABEL_H
#define PROFILE_LABEL_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where time in system calls was spent. */
#define LABEL_KERNEL PROFILE_NAME_KERNEL

/* The row of code without known source. */
#define LABEL_NO_LINE "[no line]"

/* A name that had to be written down first. */
struct label {
    char text[64];
};

/* "[read]", or "[syscall_N]" for a number without a name. NUMBER is not negative. */
struct label label_syscall(int32_t number);

/* The number of the system call that label_syscall calls LABEL, or -1. */
int32_t label_syscall_number(const char *label);

/* "PID", and "PID.IMAGE" from the second image of a process on: unique in a profile. "-" where it is 0: of many
 * processes, or not known. */
struct label label_pid(pid_t pid, uint32_t image);

/* As label_pid, for PROCESS. */
struct label label_process(const struct profile_process *process);

/* "7", the number of the rank that a process is; "[no rank]" if it is not a process of a parallel job. */
struct label label_rank(const struct profile_rank *rank);

/* "PID/TID"; "PID/-" for the threads that are kept together. Unique but for those. */
struct label label_thread(const struct profile *profile, const struct profile_thread *thread);

/* The name of the module that frame LOCATION (an index) is in. */
const char *label_module(const struct profile *profile, uint32_t location);

/* The process of SAMPLE. */
const struct profile_process *label_process_of(const struct profile *profile, const struct profile_sample *sample);

/* True if SAMPLE's thread was caught in a system call, which is then the leaf of its stack. */
bool label_in_syscall(const struct profile_sample *sample);

/* True if it was caught there, or in a function of the kernel's, as samplers inside the kernel see them. */
bool label_in_kernel(const struct profile *profile, const struct profile_sample *sample);

#endif
