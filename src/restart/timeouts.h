/* SPDX-License-Identifier: MIT
 *
 * Calls with a relative timeout that are entered again (restart/mend.h) are ended when their time is over: with what
 * the kernel returns then, and never before. The clock starts when the call is interrupted for the first time, for
 * nothing tells when it began. At its end the call is entered once more with an interruption pending, so that the
 * kernel looks whether what the call waits for has come, and does not sleep. A call is known for the same by a mark
 * (arch_mark), or, where there is no room for one, by stops at its beginning and its end; if the tracer dies, the
 * program goes on in a call that it made itself, with a timeout that starts anew. */
#ifndef RESTART_TIMEOUTS_H
#define RESTART_TIMEOUTS_H

#include "restart/restart.h"

/* THREAD is stopped behind a call that was interrupted, with registers NOW. AGAIN are those with which it would enter
 * the call again. Returns true if it is to do so, with AGAIN marked; or false, with AGAIN as the call's timeout leaves
 * them. */
bool timeouts_enter(struct restart *restart, struct thread *thread, const struct arch_registers *now,
                    struct arch_registers *again);

/* True if the call at whose end THREAD is, with registers NOW, is the one that timeouts_enter let it enter again. */
bool timeouts_know(const struct thread *thread, const struct arch_registers *now);

/* True if that call is known to have a timeout. */
bool timeouts_bound(struct thread *thread, const struct arch_registers *now);

/* THREAD, which timeouts_enter let enter its call again, may be at the entry or at the end of it (system-call-stop). */
void timeouts_at_syscall(struct restart *restart, struct thread *thread);

/* THREAD is in no such call any more, or will be interrupted for good. */
void timeouts_leave(struct thread *thread);

/* Interrupts those whose time is over. Returns the monotonic time until which the caller may sleep, who would not sleep
 * longer than until UNTIL_NS; 0 is never, in both. */
uint64_t timeouts_expire(struct restart *restart, uint64_t until_ns);

#endif
