/* SPDX-License-Identifier: MIT
 *
 * Notes of the bytes that the tracer has planted, in memory that it shares with the front, so that the front can put
 * them back if the tracer dies. */
#ifndef TRACEE_RESCUE_H
#define TRACEE_RESCUE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RESCUE_NOTES = 4096 };

struct rescue_note {
    _Atomic pid_t pid; /* 0: no note */
    uint8_t original;
    uint64_t address;
};

struct rescue {
    _Atomic uint32_t used; /* notes beyond this number were never used */
    struct rescue_note notes[RESCUE_NOTES];
};

/* Notes, before it is planted, that ADDRESS of process PID holds ORIGINAL. Returns the note's number, or -ENOSPC. */
int rescue_note(struct rescue *rescue, pid_t pid, uint64_t address, uint8_t original);

/* Forgets note NUMBER: the byte is back, or its memory is gone. */
void rescue_forget(struct rescue *rescue, int number);

/* What note NUMBER says is true of process PID. */
void rescue_hand_on(struct rescue *rescue, int number, pid_t pid);

/* The tracer is dead: puts back what was noted, and forgets it. Returns how many bytes it put back. */
unsigned rescue_all(struct rescue *rescue);

#endif
