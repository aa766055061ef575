/* SPDX-License-Identifier: MIT
 *
 * Labels of frames, processes and threads, alike in all formats. The texts are unescaped. */
#ifndef PROFILE_LABEL_H
#define PROFILE_LABEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct profile;
struct profile_process;
struct profile_rank;
struct profile_sample;
struct profile_thread;

/* Name of the module for time in system calls. */
#define LABEL_KERNEL PROFILE_NAME_KERNEL

/* Row for code without known source. */
#define LABEL_NO_LINE "[no line]"
#define LABEL_NO_FILE "[no file]"

/* A name with its own memory. */
struct label {
    char text[64];
};

/* Returns "[read]", or "[syscall_N]" for a number without a name. NUMBER is not negative. */
struct label label_syscall(int32_t number);

/* The number of the system call that label_syscall calls LABEL, or -1. */
int32_t label_syscall_number(const char *label);

/* "PID", and "PID.IMAGE" from the second image of a process on: unique in a profile. "-" where it is 0: of many
 * processes, or not known. */
struct label label_pid(pid_t pid, uint32_t image);

/* Like label_pid, for PROCESS. */
struct label label_process(const struct profile_process *process);

/* Returns "7", the process's rank, or "[no rank]" if it is not part of a parallel job. */
struct label label_rank(const struct profile_rank *rank);

/* Returns "PID/TID", or "PID/-" for threads that are stored together. Unique except for those. */
struct label label_thread(const struct profile *profile, const struct profile_thread *thread);

/* Returns the name of the module of frame LOCATION (an index). */
const char *label_module(const struct profile *profile, uint32_t location);

/* Returns the process of SAMPLE. */
const struct profile_process *label_process_of(const struct profile *profile, const struct profile_sample *sample);

/* Returns true if SAMPLE's thread was in a system call, which is then the leaf of its stack. */
bool label_in_syscall(const struct profile_sample *sample);

/* Returns true if it was in a system call, or in a kernel function, as profilers inside the kernel see them. */
bool label_in_kernel(const struct profile *profile, const struct profile_sample *sample);

#endif
