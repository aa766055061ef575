/* SPDX-License-Identifier: MIT */
#include "common/model/patience.h"

#define SLEEP_MOST_NS UINT64_C(3000000000)

bool patience_lasts(struct patience *patience, char state, const struct schedstat *now, uint64_t now_ns)
{
    bool sleeps = state == 'S' || state == 'D', runs = state == 'R';
    if (runs || (sleeps && (now->ran_ns != patience->seen.ran_ns || now->arrivals != patience->seen.arrivals)))
        patience->since_ns = now_ns;
    patience->seen = *now;
    return runs || (sleeps && now_ns - patience->since_ns < SLEEP_MOST_NS);
}
