/* SPDX-License-Identifier: MIT
 *
 * Notes of the bytes that the tracer has planted, and of the threads whose registers it has changed for a while, in memory
 * that it shares with the front, so that the front can put them back if the tracer dies. */
#ifndef TRACEE_RESCUE_H
#define TRACEE_RESCUE_H

#include "arch/arch.h"
#include "tracee/procfs.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RESCUE_NOTES = 4096, RESCUE_RESTS = 256 };

struct rescue_note {
    _Atomic pid_t pid; /* 0: no note */
    uint8_t original;
    uint64_t address;
    struct procfs_identity identity;
};

/* A thread that makes the rest of a transfer, see arch_enter_rest. */
struct rescue_rest {
    _Atomic pid_t tid; /* 0: none */
    bool quietly;
    struct procfs_identity identity;
    struct arch_registers before;
};

struct rescue {
    _Atomic uint32_t used; /* notes beyond this number were never used */
    struct rescue_note notes[RESCUE_NOTES];
    struct rescue_rest rests[RESCUE_RESTS];
};

/* Notes, before it is planted, that ADDRESS of process PID, which has IDENTITY, holds ORIGINAL. Returns the note's
 * number, or -ENOSPC. */
int rescue_note(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity, uint64_t address,
                uint8_t original);

/* Forgets note NUMBER: the byte is back, or its memory is gone. */
void rescue_forget(struct rescue *rescue, int number);

/* Notes, before its registers are changed, that TID, which has IDENTITY, with registers BEFORE is to make the rest of
 * its transfer. Returns the note, or NULL if there is no room. */
struct rescue_rest *rescue_rest(struct rescue *rescue, pid_t tid, const struct procfs_identity *identity,
                                const struct arch_registers *before, bool quietly);

/* Forgets it: the thread has the registers that its program expects, or is gone. REST may be NULL. */
void rescue_forget_rest(struct rescue_rest *rest);

/* TID, which rescue_all asked to stop, has done so only now, as STATUS of waitid tells: it is let go. */
void rescue_stopped_late(pid_t tid, int status);

/* The tracer is dead, or dying: puts those bytes back that can be without stopping anything. May be called in a thread
 * of its own, and in a handler of signals. */
void rescue_bytes(struct rescue *rescue);

/* The tracer is dying, and the bytes are back: lets go of every tracee of this thread that is stopped, with the signal
 * that it stopped for, if that is not of a byte, and with what it has of a transfer. One that is still to be told of a byte
 * goes on until it has been. Returns how many there were. May be called in a handler of signals. */
unsigned rescue_let_go(struct rescue *rescue);

/* Returns how many tracees of this thread have met a byte, and will stop for that as soon as they have a CPU. May be called
 * in a handler of signals. */
unsigned rescue_awaited(void);

/* The tracer is dead: puts back what was noted, where that is still what it was noted of, and forgets it. Returns how
 * many bytes it put back. */
unsigned rescue_all(struct rescue *rescue);

#endif
