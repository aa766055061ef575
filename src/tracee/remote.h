/* SPDX-License-Identifier: MIT
 *
 * A system call that a tracee makes for us, before the first instruction of a new image. The thread is let go
 * from the exec's event to the end of its execve, from there to an instruction in the vDSO with the call in
 * its registers, stops at the call's entry and at its end, and gets its registers back. Nothing waits: each
 * stop is taken when it comes.
 *
 * What becomes of the thread if the tracer is killed meanwhile: up to the end of execve, and from the moment
 * when its registers are back, nothing. In between (two stops and the call, some microseconds) it makes the
 * call and, if the vDSO has an instruction with a way back (arch_find_site), returns to where the program
 * begins, where no register but the stack pointer must hold anything; the call's effect stays. Without a way
 * back it dies of what follows there. */
#ifndef TRACEE_REMOTE_H
#define TRACEE_REMOTE_H

#include "model/event.h"
#include "tracee/table.h"

enum remote_answer {
    REMOTE_ELSEWHERE, /* the stop has nothing to do with it: to be handled as any other */
    REMOTE_GOES_ON,   /* to be resumed until the next system-call-stop */
    REMOTE_DONE       /* the thread is where it was, with the registers that it had */
};

/* Prepares THREAD, which is stopped at the event of its exec, to make CALL when it goes on: follow takes care
 * of it, and tells its owner. The map of its process is known. Returns 0 or -errno, with nothing prepared:
 * -ENOENT if there is no vDSO with such an instruction, or what reading it gave. The vDSO is read, and words
 * below the stack are written. */
int remote_prepare(struct thread *thread, const struct arch_call *call);

/* THREAD, which has a call under way, has stopped for EVENT. *RESULT is set by REMOTE_DONE: what the call
 * returned, or -errno. */
enum remote_answer remote_stopped(struct thread *thread, struct event event, int64_t *result);

/* True if THREAD is not where its program is because of a call that it makes for us. */
bool remote_is_away(const struct thread *thread);

/* Forgets the call of THREAD, if it has one. */
void remote_drop(struct thread *thread);

#endif
