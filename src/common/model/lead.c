/* SPDX-License-Identifier: MIT */
#include "common/model/lead.h"

enum {
    LEAST_NS = 30000, /* a shorter delay is not worth a second wake-up */
    MOST_NS = 400000,
    SCHEDULER_NS = 1000000, /* a longer delay is that of a CPU with other threads */
    UP_SHARE = 4,           /* the shares of the error and of the value by which one wake-up moves the value: */
    DOWN_SHARE = 128        /* about one in ten may come later */
};

uint64_t lead_ns(const struct lead *lead)
{
    return lead->late_ns < LEAST_NS ? 0 : lead->late_ns;
}

void lead_learn(struct lead *lead, uint64_t late_ns)
{
    if (late_ns > SCHEDULER_NS)
        return;
    if (late_ns > lead->late_ns)
        lead->late_ns += (late_ns - lead->late_ns) / UP_SHARE;
    else
        lead->late_ns -= lead->late_ns / DOWN_SHARE;
    if (lead->late_ns > MOST_NS)
        lead->late_ns = MOST_NS;
}

void lead_judge(struct lead *lead, uint64_t late_ns)
{
    if (late_ns > LEAST_NS)
        lead->late_ns /= 2;
}
