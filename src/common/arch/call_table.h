/* SPDX-License-Identifier: MIT
 *
 * What is known of each system call that a stop can affect. */
#ifndef ARCH_CALL_TABLE_H
#define ARCH_CALL_TABLE_H

#include "common/arch/arch.h"

/* Bits of an argument. */
struct call_bits {
    uint8_t argument;
    uint32_t bits;
};

enum call_timeout_kind {
    CALL_NO_TIMEOUT,
    CALL_MILLISECONDS, /* the argument */
    CALL_TIMESPEC,     /* the argument points to it */
    CALL_TIMEVAL,      /* as CALL_TIMESPEC, with microseconds */
    CALL_OF_RING,      /* io_uring_enter */
    CALL_RECEIVES,     /* SO_RCVTIMEO of the descriptor in argument 0 */
    CALL_SENDS,        /* SO_SNDTIMEO of the descriptor in argument 0 */
    CALL_SPLICES,      /* both: from the descriptor in argument 0 to that in argument 2 */
    CALL_CONNECTS,     /* as CALL_SENDS, with other results */
};

/* Zeroed for other calls. */
struct call_rules {
    bool again;              /* after a stop, it can be entered again: see call_was_interrupted */
    struct call_bits except; /* not with one of these bits */
    unsigned starts_over;    /* see arch_starts_over */
    enum arch_transfer transfer;
    struct {
        enum call_timeout_kind kind;
        uint8_t argument;
        int64_t result; /* at its end */
    } timeout;
    struct call_bits absolute; /* with one of these bits, it has no relative timeout */
    bool selects;              /* arguments 1 to 3 point to sets of as many descriptors as argument 0 says */
    struct call_bits no_wait;  /* with one of these bits, it does not wait */
};

/* Returns the rules of the call in REGISTERS. */
const struct call_rules *call_rules(const struct arch_registers *registers);

/* Returns true if the call in REGISTERS has one of BITS. */
bool call_has(const struct arch_registers *registers, struct call_bits bits);

#endif
