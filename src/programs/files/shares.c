/* SPDX-License-Identifier: MIT */
#include "programs/files/shares.h"

#include "common/base/hash.h"

#include <string.h>

/* Returns what WHO has used. When there are too many programs, the last entry is for all others. */
static struct share *share_of(struct shares *shares, const char *who)
{
    uint64_t program = hash_bytes(who, strlen(who));
    for (unsigned i = 0; i < shares->count; i++)
        if (shares->items[i].program == program)
            return &shares->items[i].used;
    if (shares->count < SHARES_PROGRAMS)
        shares->items[shares->count++].program = program;
    return &shares->items[shares->count - 1].used;
}

static bool is_over(const struct share *used, const struct share *most, uint64_t times)
{
    return (most->in_vain && used->in_vain >= most->in_vain * times) ||
           (most->bytes && used->bytes >= most->bytes * times) ||
           (most->spent_ns && used->spent_ns >= most->spent_ns * times);
}

bool shares_are_over(struct shares *shares, const char *who, const struct share *most)
{
    return is_over(share_of(shares, who), most, 1) || is_over(&shares->sum, most, SHARES_SUM);
}

static void add(struct share *to, const struct share *used)
{
    to->in_vain += used->in_vain;
    to->bytes += used->bytes;
    to->spent_ns += used->spent_ns;
}

void shares_use(struct shares *shares, const char *who, const struct share *used)
{
    add(share_of(shares, who), used);
    add(&shares->sum, used);
}
