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
    uint64_t length_ns; /* TIMEOUT_NONE: no timeout, or unknown */
    bool asked;         /* the length has been read */
    uint64_t due_ns;    /* when to interrupt the call, which nothing else may interrupt; 0: never */
    enum timeout_look look;
    bool watched;     /* the thread stops at the beginning and the end of the call */
    bool interrupted; /* at such a stop, the call was seen to be interrupted */
};

/* How to continue an interrupted call. */
enum timeout_step {
    TIMEOUT_ENTER, /* enter it again */
    TIMEOUT_LOOK,  /* enter it again, but it must not sleep */
    TIMEOUT_END,   /* end it with the result of its timeout */
};

/* Notes that a call was first seen waiting at NOW_NS. Its length is unknown. */
void timeout_begin(struct timeout *timeout, uint64_t now_ns);

/* Returns how to continue the call that was interrupted at NOW_NS. Returns TIMEOUT_END only after the call has waited
 * for its whole timeout since since_ns, and only after its last look. */
enum timeout_step timeout_step(const struct timeout *timeout, uint64_t now_ns);

/* Returns the time at which the call should end if nothing happens, or TIMEOUT_NONE. */
uint64_t timeout_due(const struct timeout *timeout);

/* Returns the length of SECONDS and NANOSECONDS. Returns TIMEOUT_NONE for negative ones, which the kernel refuses. */
uint64_t timeout_length(int64_t seconds, int64_t nanoseconds);

#endif
