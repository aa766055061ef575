/* SPDX-License-Identifier: MIT
 *
 * Makes a tracee execute a system call for us, before the first instruction of a new image. The thread runs from the
 * event of its exec to the end of execve. From there it goes to an instruction in the vDSO, with the call in its
 * registers. It stops at the call's entry and at its end, and gets its registers back. Nothing here waits: each stop is
 * handled when it comes.
 *
 * If the tracer is killed during that, the result depends on the moment. Before the end of execve, and after the
 * registers are back, nothing is lost. In between lie two stops and the call, some microseconds. There the thread
 * makes the call, and its effect stays. If the vDSO has an instruction with a way back (arch_find_site), the thread
 * then returns to the start of the program, where only the stack pointer must have a defined value. Without a way
 * back the thread crashes in the instructions that follow. */
#ifndef TRACEE_REMOTE_H
#define TRACEE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

struct arch_call;
struct event;

enum remote_answer {
    REMOTE_ELSEWHERE, /* the stop is unrelated to the call: handle it as any other */
    REMOTE_GOES_ON,   /* resume it until the next system-call-stop */
    REMOTE_DONE       /* the thread is back where it was, with its registers */
};

/* Prepares THREAD, which is stopped at the event of its exec, to make CALL when it is resumed; follow/ runs the call
 * and reports its result. The map of its process is known. Reads the vDSO. The call will later write words below the
 * stack. Returns 0 or -errno, with nothing prepared: -ENOENT if no vDSO has such an instruction, or the error of
 * reading it. */
int remote_prepare(struct thread *thread, const struct arch_call *call);

/* Handles a stop of THREAD for EVENT while its call is under way. With REMOTE_DONE, sets *RESULT to the call's result
 * or -errno. */
enum remote_answer remote_stopped(struct thread *thread, struct event event, int64_t *result);

/* Returns true if THREAD is outside of its program's own code because of a call that it makes for us. */
bool remote_is_away(const struct thread *thread);

/* Forgets the call of THREAD, if it has one. */
void remote_drop(struct thread *thread);

#endif
