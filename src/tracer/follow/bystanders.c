/* SPDX-License-Identifier: MIT */
#include "tracer/follow/bystanders.h"

#include "common/base/array.h"
#include "tracer/tracee/request.h"

static size_t find(const struct bystanders *bystanders, pid_t tid)
{
    size_t i = 0;
    while (i < bystanders->count && bystanders->items[i] != tid)
        i++;
    return i;
}

bool bystanders_have(const struct bystanders *bystanders, pid_t tid)
{
    return find(bystanders, tid) < bystanders->count;
}

void bystanders_add(struct bystanders *bystanders, pid_t tid)
{
    if (!bystanders_have(bystanders, tid) && ARRAY_RESERVE_ONE(bystanders))
        bystanders->items[bystanders->count++] = tid;
}

void bystanders_remove(struct bystanders *bystanders, pid_t tid)
{
    size_t i = find(bystanders, tid);
    if (i < bystanders->count)
        bystanders->items[i] = bystanders->items[--bystanders->count];
}

size_t bystanders_stop(struct bystanders *bystanders)
{
    for (size_t i = bystanders->count; i-- > 0;) {
        pid_t tid = bystanders->items[i];
        if (request_interrupt(tid) < 0)
            bystanders_remove(bystanders, tid);
    }
    return bystanders->count;
}
