/* SPDX-License-Identifier: MIT
 *
 * What a wait on a tracee says, decoded. Pure. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

enum event_kind {
    EVENT_EXITED,     /* the thread exited; value: its exit status */
    EVENT_KILLED,     /* the thread was killed; value: the signal */
    EVENT_SIGNAL,     /* signal-delivery-stop; value: the signal, to be passed on at the resume */
    EVENT_TRAP,       /* PTRACE_EVENT_STOP without a group-stop: an answer to PTRACE_INTERRUPT, the first stop of a
                         thread that was attached to automatically, or the end of a group-stop */
    EVENT_GROUP_STOP, /* the process is stopped by job control; value: the signal. Answered with PTRACE_LISTEN */
    EVENT_FORK,       /* the thread is in fork, and its event message is the child's pid */
    EVENT_VFORK,      /* the same in vfork: CLONE_VFORK */
    EVENT_CLONE,      /* the same in clone: a thread, or a process with another exit signal than SIGCHLD */
    EVENT_SYSCALL,    /* system-call-stop: asked for by PTRACE_SYSCALL, marked by PTRACE_O_TRACESYSGOOD */
    EVENT_EXEC,       /* a new image; the event message is the former tid of the thread that made it */
    EVENT_EXIT,       /* the thread is about to end, by itself or killed; reported only on request */
    EVENT_OTHER       /* a stop that nobody asked for; resume with no signal */
};

struct event {
    enum event_kind kind;
    int value;
};

/* Decodes the si_code and si_status that waitid gives to the tracer of a SEIZEd thread: for a stop, STATUS holds
 * the signal in its low byte and the PTRACE_EVENT_* above it (ptrace(2)). */
struct event event_decode(int code, int status);

#endif
