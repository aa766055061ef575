/* SPDX-License-Identifier: MIT */
#include "common/model/rank.h"

#include <string.h>

/* The variables that launchers set, the launcher nearest to the process first. Open MPI and PMIx: open-mpi/ompi
 * docs/tuning-apps/environment-var.rst; PMI: pmodels/mpich src/pm/hydra; PALS and ALPS: HPE Cray; MV2: MVAPICH; JSM:
 * IBM Spectrum; Slurm: srun(1). Slurm's batch scripts also have SLURM_PROCID, but not SLURM_STEP_ID. */
static const struct {
    const char *rank, *count, *needs;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMIX_RANK", "PMIX_SIZE", NULL},
    {"PMI_RANK", "PMI_SIZE", NULL},
    {"PALS_RANKID", "PALS_SIZE", NULL},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL},
    {"ALPS_APP_PE", "ALPS_APP_SIZE", NULL},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
};

static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PALS_APID", "JOB_ID"};

/* Returns the value of NAME, or NULL. The last text of ENVIRONMENT counts only if it is complete. */
static const char *value_of(const char *environment, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at < size;) {
        const char *end = memchr(environment + at, 0, size - at);
        if (!end)
            return NULL;
        if (!strncmp(environment + at, name, length) && environment[at + length] == '=')
            return environment + at + length + 1;
        at = (size_t)(end - environment) + 1;
    }
    return NULL;
}

/* Reads a decimal number up to RANK_MOST at *TEXT, and moves *TEXT past it. Returns false if there is none. */
static bool take_number(const char **text, uint32_t *number)
{
    uint64_t read = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++)
        if ((read = read * 10 + (uint64_t)(*at - '0')) > RANK_MOST)
            return false;
    if (at == *text)
        return false;
    *text = at;
    *number = (uint32_t)read;
    return true;
}

/* Sets *NUMBER to the value of NAME. Returns false if the value is missing, or not a number. */
static bool find_number(const char *environment, size_t size, const char *name, uint32_t *number)
{
    const char *text = value_of(environment, size, name);
    uint32_t read;
    if (!text || !take_number(&text, &read) || *text)
        return false;
    *number = read;
    return true;
}

static void find_job(const char *environment, size_t size, struct rank *rank)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-[]";
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && !*rank->job; i++) {
        const char *text = value_of(environment, size, jobs[i]);
        if (text && strlen(text) < sizeof rank->job && !text[strspn(text, allowed)])
            strcpy(rank->job, text);
    }
}

struct rank rank_of(const char *environment, size_t size)
{
    struct rank rank = {.known = false};
    uint32_t count;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !rank.known; i++) {
        if (launchers[i].needs && !value_of(environment, size, launchers[i].needs))
            continue;
        rank.known = find_number(environment, size, launchers[i].rank, &rank.number);
        if (rank.known && find_number(environment, size, launchers[i].count, &count) && count > rank.number)
            rank.count = count;
    }
    find_job(environment, size, &rank);
    return rank;
}

/* Reads one part of a list at *TEXT, a number or a range. Returns false if it is neither. */
static bool take_range(const char **text, uint32_t *first, uint32_t *last)
{
    if (!take_number(text, first))
        return false;
    *last = *first;
    if (**text != '-')
        return true;
    ++*text;
    return take_number(text, last) && *last >= *first;
}

/* Searches LIST for NUMBER, and sets *FOUND. Returns false if it is not a list. */
static bool look_through(const char *list, uint32_t number, bool *found)
{
    uint32_t first, last;
    *found = false;
    for (;; list++) {
        if (!take_range(&list, &first, &last) || (*list && *list != ','))
            return false;
        if (number >= first && number <= last)
            *found = true;
        if (!*list)
            return true;
    }
}

bool rank_is_in(const char *list, uint32_t number)
{
    bool found;
    return look_through(list, number, &found) && found;
}

bool rank_is_list(const char *list)
{
    bool found;
    return look_through(list, 0, &found);
}
