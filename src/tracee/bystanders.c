/* SPDX-License-Identifier: MIT */
#include "tracee/bystanders.h"

#include "base/array.h"
#include "model/proctext.h"
#include "tracee/procfs.h"
#include "tracee/request.h"

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

static bool waits_in_kernel(pid_t tid)
{
    char text[1024], state;
    int cpu;
    return procfs_text(tid, 0, "stat", text, sizeof text) > 0 && proctext_stat(text, &state, &cpu) && state == 'D';
}

size_t bystanders_stop(struct bystanders *bystanders, bool give_up)
{
    for (size_t i = bystanders->count; i-- > 0;) {
        pid_t tid = bystanders->items[i];
        if (request_interrupt(tid) < 0 || (give_up && waits_in_kernel(tid)))
            bystanders_remove(bystanders, tid);
    }
    return bystanders->count;
}
