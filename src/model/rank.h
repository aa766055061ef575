/* SPDX-License-Identifier: MIT
 *
 * Which rank of a parallel job a process is: launchers of MPI jobs put that into the environment of what they start.
 * Pure: the text of /proc/PID/environ is a stranger's. */
#ifndef MODEL_RANK_H
#define MODEL_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_MOST = 1 << 30, RANK_JOB_SIZE = 32 };

struct rank {
    bool known;              /* false: not a process of a parallel job */
    uint32_t number;         /* 0 .. RANK_MOST */
    uint32_t count;          /* ranks of the job; 0: not known */
    char job[RANK_JOB_SIZE]; /* number of the job, as the batch system names it; "": not known. Letters, digits and
                                "._-[]" only */
};

/* Finds the rank in ENVIRONMENT, SIZE bytes of texts NAME=VALUE that each end with a 0, as in environ(7). A launcher
 * that started the process itself (mpirun) takes precedence over the batch system around it (Slurm), whose rank is
 * that of the launcher. */
struct rank rank_of(const char *environment, size_t size);

/* True if LIST, as "0,7,100-131", has NUMBER. */
bool rank_is_in(const char *list, uint32_t number);

/* True if LIST is such a list: numbers and ranges of them, not downwards, separated by commas. */
bool rank_is_list(const char *list);

#endif
