/* SPDX-License-Identifier: MIT
 *
 * Ends restarted calls (restart/calls.h) that have a relative timeout when the timeout is over: with the result that
 * the kernel returns then, and never earlier.
 *
 * The clock starts when the call is first interrupted, because the time of its beginning is not known. At the
 * deadline the call is entered once more with an interruption pending: the kernel then checks whether the awaited
 * event has come, and does not sleep. The same call is recognized by a mark (arch_mark). If the call has no room for
 * a mark, stops at its beginning and its end identify it. If the tracer dies, the program stays in a call that it
 * made itself, and its timeout restarts. */
#ifndef RESTART_TIMEOUTS_H
#define RESTART_TIMEOUTS_H

#include <stdbool.h>
#include <stdint.h>

struct arch_registers;
struct restart;

struct thread;

/* THREAD is stopped behind an interrupted call, with registers NOW. AGAIN are the registers that would enter the
 * call again. Returns true if it must enter the call again, with AGAIN marked. Returns false if the timeout is over,
 * with AGAIN set to the call's result. */
bool timeouts_enter(struct restart *restart, struct thread *thread, const struct arch_registers *now,
                    struct arch_registers *again);

/* THREAD has waited for some of the events that a call was to wait for (ARCH_EVENTS): REGISTERS are those at its end.
 * Returns true if it may wait for the others, and arranges for its interruption when the call's timeout is over. */
bool timeouts_remain(struct restart *restart, struct thread *thread, const struct arch_registers *registers);

/* Change REGISTERS, those of THREAD behind an interrupted call, so that it enters the call again: a call that failed
 * only because it was interrupted, or the read of a terminal that has a timeout. Return false otherwise. A sleep that
 * failed with EFAULT was interrupted only if its length can be read. */
bool timeouts_restart_failed(struct thread *thread, struct arch_registers *registers);
bool timeouts_restart_read(struct thread *thread, struct arch_registers *registers);

/* Returns true if THREAD, with registers NOW, is at the end of a call that seems to have waited for the whole timeout
 * of a socket: up to a tick of the kernel's clock may remain of it. */
bool timeouts_seem_over(struct thread *thread, const struct arch_registers *now);

/* THREAD is at a system-call-stop, possibly at the entry or the end of the call that timeouts_enter made it enter
 * again. */
void timeouts_at_syscall(struct restart *restart, struct thread *thread);

/* THREAD has left such a call, or will see that it was interrupted. */
void timeouts_leave(struct thread *thread);

/* Interrupts the calls that have reached their timeout. Returns the monotonic time until which the caller may sleep,
 * UNTIL_NS at the latest; 0 means never, in both. */
uint64_t timeouts_expire(struct restart *restart, uint64_t until_ns);

#endif
