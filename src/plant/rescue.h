/* SPDX-License-Identifier: MIT
 *
 * Putting back what the tracer has changed in tracees, by its notes of that (wire/rescue_notes.h), if it dies. */
#ifndef PLANT_RESCUE_H
#define PLANT_RESCUE_H

#include "wire/rescue_notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Notes, before PLANTED is planted there, that ADDRESS of process PID, which has IDENTITY, holds ORIGINAL. Returns the
 * note's number, or -ENOSPC. */
int rescue_note(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity, uint64_t address,
                uint8_t original, uint8_t planted);

/* Forgets note NUMBER: the byte is back, or its memory is gone. */
void rescue_forget(struct rescue *rescue, int number);

/* The same of a detour, before anything of it is written, until its stub is gone, too. */
int rescue_note_detour(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity,
                       const struct detour *detour);
void rescue_forget_detour(struct rescue *rescue, int number);

/* Notes, before its registers are changed, that TID, which has IDENTITY, with registers BEFORE is to make the rest of
 * its transfer. Returns the note, or NULL if there is no room. */
struct rescue_rest *rescue_rest(struct rescue *rescue, pid_t tid, const struct procfs_identity *identity,
                                const struct arch_registers *before, bool quietly);

/* TID, which rescue_all asked to stop, has done so only now, as STATUS of waitid tells: it is let go. */
void rescue_stopped_late(pid_t tid, int status);

/* The tracer is dead, or dying: puts those bytes and jumps back that can be without stopping anything. May be called in
 * a thread of its own, and in a handler of signals. */
void rescue_bytes(struct rescue *rescue);

/* The tracer is dying, and the bytes are back: lets go of every tracee of this thread that is stopped, with the signal
 * that it stopped for, if that is not of a byte, and with what it has of a transfer. One that is still to be told of a
 * byte goes on until it has been. Returns how many there were. May be called in a handler of signals. */
unsigned rescue_let_go(struct rescue *rescue);

/* Returns how many tracees of this thread have met a byte, and will stop for that as soon as they have a CPU, or are
 * thawed. May be called in a handler of signals. */
unsigned rescue_awaited(struct rescue *rescue);

/* The same: a child of one with a jump may have been made when nobody heard of it any more, and has a copy. */
void rescue_children(struct rescue *rescue);

/* The bytes and jumps are back: waits, for PATIENCE_NS (nanoseconds) in all, until no thread is in a stub any more, and
 * puts the stubs back. Those that are left stay noted. May be called in a handler of signals. */
void rescue_stubs(struct rescue *rescue, uint64_t patience_ns);

/* The tracer is dead: puts back what was noted, where that is still what it was noted of, and forgets it. Returns how
 * many bytes it put back. */
unsigned rescue_all(struct rescue *rescue);

#endif
