/* SPDX-License-Identifier: MIT */
#include "common/model/timeout.h"

enum { SECOND_NS = 1000000000 };

void timeout_begin(struct timeout *timeout, uint64_t now_ns)
{
    *timeout = (struct timeout){.since_ns = now_ns, .length_ns = TIMEOUT_NONE};
}

uint64_t timeout_due(const struct timeout *timeout)
{
    bool ends = timeout->length_ns < TIMEOUT_NONE - timeout->since_ns;
    return ends ? timeout->since_ns + timeout->length_ns : TIMEOUT_NONE;
}

enum timeout_step timeout_step(const struct timeout *timeout, uint64_t now_ns)
{
    uint64_t due_ns = timeout_due(timeout);
    if (due_ns == TIMEOUT_NONE || now_ns < due_ns)
        return TIMEOUT_ENTER;
    return timeout->look == TIMEOUT_LOOKED ? TIMEOUT_END : TIMEOUT_LOOK;
}

uint64_t timeout_length(int64_t seconds, int64_t nanoseconds)
{
    if (seconds < 0 || nanoseconds < 0 || nanoseconds >= SECOND_NS || (uint64_t)seconds >= TIMEOUT_NONE / SECOND_NS)
        return TIMEOUT_NONE;
    return (uint64_t)seconds * SECOND_NS + (uint64_t)nanoseconds;
}
