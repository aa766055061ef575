/* SPDX-License-Identifier: MIT
 *
 * Undoes the tracer's changes in tracees if it dies, from its notes (wire/rescue_notes.h). */
#ifndef PLANT_RESCUE_H
#define PLANT_RESCUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arch_registers;
struct detour;
struct procfs_identity;
struct rescue;
struct rescue_remainder;

/* Notes that ADDRESS of process PID, with IDENTITY, holds ORIGINAL. Call it before writing PLANTED there. Returns
 * the note's number, or -ENOSPC. */
int rescue_note(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity, uint64_t address,
                uint8_t original, uint8_t planted);

/* Forgets note NUMBER: the breakpoint has been removed, or its memory is gone. */
void rescue_forget(struct rescue *rescue, int number);

/* Like rescue_note and rescue_forget, for a detour: note it before writing any part, forget it after its stub is
 * gone. */
int rescue_note_detour(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity,
                       const struct detour *detour);
void rescue_forget_detour(struct rescue *rescue, int number);

/* Notes that TID, with IDENTITY and registers BEFORE, will transfer a remainder. Call it before changing the
 * registers. Returns the note, or NULL for lack of room. */
struct rescue_remainder *rescue_remainder(struct rescue *rescue, pid_t tid, const struct procfs_identity *identity,
                                          const struct arch_registers *before, bool quietly);

/* Detaches TID, which rescue_all asked to stop and which has stopped only now. STATUS: from waitid. */
void rescue_stopped_late(pid_t tid, int status);

/* The tracer is dead or dying: removes the breakpoints and jumps that can be removed without stopping a thread. May
 * be called in a thread of its own, and in a signal handler. */
void rescue_bytes(struct rescue *rescue);

/* The tracer is dying, and the breakpoints are gone: detaches every stopped tracee of this thread. A tracee gets the
 * signal that it stopped for, unless a breakpoint raised it, and the count of its transfer so far. A tracee with a
 * pending signal from a breakpoint runs on, still traced, until it stops for that. Returns how many had stopped. May
 * be called in a signal handler. */
unsigned rescue_let_go(struct rescue *rescue);

/* Returns how many tracees of this thread have hit a breakpoint, and will stop for it when they get a CPU or are
 * thawed. May be called in a signal handler. */
unsigned rescue_awaited(struct rescue *rescue);

/* Removes copies of jumps from children that were born unseen after the tracer's death. May be called in a signal
 * handler. */
void rescue_children(struct rescue *rescue);

/* The breakpoints and jumps are gone: waits until no thread is in a stub, PATIENCE_NS (nanoseconds) in all, and
 * removes the stubs. Stubs that remain stay noted. May be called in a signal handler. */
void rescue_stubs(struct rescue *rescue, uint64_t patience_ns);

/* The tracer is dead: undoes all noted changes in processes that still have the noted identity, and forgets the
 * notes. Returns how many breakpoints it removed. */
unsigned rescue_all(struct rescue *rescue);

#endif
