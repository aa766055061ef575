/* SPDX-License-Identifier: MIT
 *
 * Finds the rank of a process in a parallel job: launchers of MPI jobs put it into the environment. Pure: the text of
 * /proc/PID/environ is not trusted. */
#ifndef MODEL_RANK_H
#define MODEL_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_MOST = 1 << 30, RANK_JOB_SIZE = 32 };

struct rank {
    bool known;              /* false: not a process of a parallel job */
    uint32_t number;         /* 0 .. RANK_MOST */
    uint32_t count;          /* number of ranks in the job; 0: unknown */
    char job[RANK_JOB_SIZE]; /* number of the job in the batch system; "": unknown. Only letters, digits and "._-[]" */
};

/* Finds the rank in ENVIRONMENT: SIZE bytes of texts NAME=VALUE that each end with a 0, as in environ(7). A launcher
 * that started the process itself (mpirun) takes precedence over the batch system around it (Slurm), which only knows
 * the launcher's rank. */
struct rank rank_of(const char *environment, size_t size);

/* Returns true if LIST, such as "0,7,100-131", contains NUMBER. */
bool rank_is_in(const char *list, uint32_t number);

/* Returns true if LIST is such a list: numbers and ascending ranges, separated by commas. */
bool rank_is_list(const char *list);

#endif
