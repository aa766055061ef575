/* SPDX-License-Identifier: MIT
 *
 * Decodes the result of a wait for a tracee. Pure. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

enum event_kind {
    EVENT_EXITED,     /* the thread exited; value: its exit status */
    EVENT_KILLED,     /* the thread was killed; value: the signal */
    EVENT_SIGNAL,     /* signal-delivery-stop; value: the signal, to be passed on when the thread is resumed */
    EVENT_TRAP,       /* PTRACE_EVENT_STOP without a group-stop: an answer to PTRACE_INTERRUPT, the first stop of a
                         thread that was attached to automatically, or the end of a group-stop */
    EVENT_GROUP_STOP, /* the process is stopped by job control; value: the signal. Answered with PTRACE_LISTEN */
    EVENT_FORK,       /* the thread is in fork; its event message is the child's pid */
    EVENT_VFORK,      /* the same for vfork: CLONE_VFORK */
    EVENT_CLONE,      /* the same for clone: a thread, or a process with an exit signal other than SIGCHLD */
    EVENT_SYSCALL,    /* system-call-stop: asked for by PTRACE_SYSCALL, marked by PTRACE_O_TRACESYSGOOD */
    EVENT_EXEC,       /* a new image; the event message is the former tid of the thread that called exec */
    EVENT_EXIT,       /* the thread is about to end, by itself or killed; reported only on request */
    EVENT_OTHER       /* an unexpected stop; resume with no signal */
};

struct event {
    enum event_kind kind;
    int value;
};

/* Decodes si_code and si_status of waitid, for the tracer of a SEIZEd thread. For a stop, STATUS has the signal in its
 * low byte and PTRACE_EVENT_* above it (ptrace(2)). */
struct event event_decode(int code, int status);

#endif
