/* SPDX-License-Identifier: MIT
 *
 * A system call with a relative timeout that is interrupted again and again: each time that it is entered again, the
 * kernel restarts its timeout. So since_ns stores when the call was first seen waiting. When the timeout has passed
 * since then, the call checks once more whether the awaited event has come (its "last look"), and ends. Pure. */
#ifndef MODEL_TIMEOUT_H
#define MODEL_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

#define TIMEOUT_NONE UINT64_MAX

enum timeout_look {
    TIMEOUT_NOT_YET,
    TIMEOUT_LOOKS,  /* about to enter the call for its last look */
    TIMEOUT_LOOKED, /* has entered it: its result shows the state after the timeout */
};

struct timeout {
    uint64_t since_ns;  /* monotonic time at which the call was first seen waiting; 0: no call */
    uint64_t length_ns; /* TIMEOUT_NONE: it has none, or it is not known */
    bool asked;         /* the length has been asked for */
    uint64_t due_ns;    /* when to interrupt the call, because nothing else may; 0: not */
    enum timeout_look look;
    bool watched;     /* the thread is to stop where the call begins and ends */
    bool interrupted; /* it was seen there that the call was interrupted */
};

/* How to continue an interrupted call. */
enum timeout_step {
    TIMEOUT_ENTER, /* it is entered again */
    TIMEOUT_LOOK,  /* and must not sleep there */
    TIMEOUT_END,   /* it ends as its timeout ends it */
};

/* A call is seen to wait for the first time, at NOW_NS. Nothing is known of its length. */
void timeout_begin(struct timeout *timeout, uint64_t now_ns);

/* Returns how to continue the call that was interrupted at NOW_NS. Returns TIMEOUT_END only after the call has waited
 * for its whole timeout since since_ns, and only after its last look. */
enum timeout_step timeout_step(const struct timeout *timeout, uint64_t now_ns);

/* When the call is to end, if nothing happens to it: TIMEOUT_NONE if never. */
uint64_t timeout_due(const struct timeout *timeout);

/* SECONDS and NANOSECONDS as a length. Returns TIMEOUT_NONE for negative ones, which the kernel refuses. */
uint64_t timeout_length(int64_t seconds, int64_t nanoseconds);

#endif
