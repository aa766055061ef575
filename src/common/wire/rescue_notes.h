/* SPDX-License-Identifier: MIT
 *
 * Notes, in memory shared with the front, of the tracer's breakpoints, and of threads whose registers it has changed
 * temporarily. If the tracer dies, the front undoes both (plant/rescue.h). */
#ifndef WIRE_RESCUE_NOTES_H
#define WIRE_RESCUE_NOTES_H

#include "common/arch/registers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Identifies a process in its present image, or a thread, even after its number is reused: by its start time in the
 * kernel's ticks, and the location of its image's stack. All 0: unknown, and equal to no process. */
struct procfs_identity {
    uint64_t started, stack;
};

enum { RESCUE_NOTES = 4096, RESCUE_DETOURS = 1024, RESCUE_REMAINDERS = 256 };

struct rescue_note {
    _Atomic pid_t pid; /* 0: no note */
    uint8_t original, planted;
    uint64_t address;
    struct procfs_identity identity;
};

/* A function that begins with a jump to a stub (arch/detour.h). */
struct detour {
    uint64_t address, stub, tail;
    uint32_t call;
    bool is_compat;       /* for a 32-bit program */
    uint8_t original[24]; /* first bytes of the function; the jump covers some of them; fewer may be used */
};
struct rescue_detour {
    _Atomic pid_t pid; /* 0: none */
    struct procfs_identity identity;
    struct detour detour;
};

/* A thread that transfers the remainder of a transfer, see arch_resume_transfer. */
struct rescue_remainder {
    _Atomic pid_t tid; /* 0: none */
    bool quietly;
    struct procfs_identity identity;
    struct arch_registers before;
};

struct rescue {
    _Atomic uint32_t used; /* notes from this number on were never used */
    struct rescue_note notes[RESCUE_NOTES];
    struct rescue_detour detours[RESCUE_DETOURS];
    struct rescue_remainder remainders[RESCUE_REMAINDERS];
};

/* Forgets REST: the thread has the registers that its program expects, or is gone. REST may be NULL. */
static inline void rescue_forget_remainder(struct rescue_remainder *rest)
{
    if (rest)
        atomic_store(&rest->tid, 0);
}

#endif
