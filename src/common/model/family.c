/* SPDX-License-Identifier: MIT */
#include "common/model/family.h"

#include <stdlib.h>

static int compare(const void *one, const void *other)
{
    pid_t a = ((const struct family_member *)one)->pid, b = ((const struct family_member *)other)->pid;
    return (a > b) - (a < b);
}

void family_sort(struct family *family)
{
    if (family->count)
        qsort(family->items, family->count, sizeof *family->items, compare);
}

/* Returns the parent of PID, or 0 if it is unknown. */
static pid_t parent_of(const struct family *family, pid_t pid)
{
    const struct family_member wanted = {.pid = pid};
    const struct family_member *found =
        family->count ? bsearch(&wanted, family->items, family->count, sizeof wanted, compare) : NULL;
    return found ? found->parent : 0;
}

bool family_is_below(const struct family *family, pid_t pid, pid_t ancestor)
{
    return family_is_below_any(family, pid, &ancestor, 1);
}

static bool is_one_of(pid_t pid, const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

/* A line of ancestors that is longer than the number of processes is a loop, which reused process numbers can cause. */
bool family_is_below_any(const struct family *family, pid_t pid, const pid_t *roots, size_t count)
{
    pid_t at = parent_of(family, pid);
    if (is_one_of(pid, roots, count))
        return false;
    for (size_t steps = 0; at > 0 && steps < family->count; steps++, at = parent_of(family, at))
        if (is_one_of(at, roots, count))
            return true;
    return false;
}

void family_fini(struct family *family)
{
    free(family->items);
    *family = (struct family){0};
}
