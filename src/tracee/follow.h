/* SPDX-License-Identifier: MIT
 *
 * What tracees do, followed: each event of a tracee is applied to the table, told to the owner, and answered with the
 * one resume. Stops are looked at without being consumed, so that a signal in flight survives our own death; only execs
 * are, and the dead are reaped. */
#ifndef TRACEE_FOLLOW_H
#define TRACEE_FOLLOW_H

#include "model/event.h"
#include "tracee/bystanders.h"
#include "tracee/table.h"

/* What becomes of a signal that a thread has stopped for. */
enum follow_verdict {
    FOLLOW_DELIVER,
    FOLLOW_SUPPRESS, /* it was for us */
    FOLLOW_CONSUME   /* the same, and follow_consume has been called for it before it was served */
};

/* Told to the owner. All are called while nothing of the table is being changed; the thread, where there is one, is
 * stopped. None may wait. Where forked, image_begins with BY_EXEC, or signalled with FOLLOW_CONSUME set the thread's held,
 * it stays stopped until follow_release. */
struct follow_owner {
    void *owner;
    /* PROCESS begins a new image, which its number and generation name: by an exec, else by a fork. THREAD is its only
     * thread, and stopped; not so of a process that was attached, of which the same is told as of an exec. */
    void (*image_begins)(void *owner, struct process *process, struct thread *thread, bool by_exec);
    /* All children that PROCESS, which was attached, makes are told of from now on, and those that it made before and that
     * have its memory are traced: what is planted in it finds none unprepared. */
    void (*children_known)(void *owner, struct process *process);
    /* CHILD, which is new and has THREAD alone, was made by ORIGIN. Comes before its image begins. */
    void (*forked)(void *owner, struct process *child, struct process *origin, struct thread *thread);
    /* TID, of a child that is not to be followed, has stopped, and is about to be given *SIG if that is not 0. Returns true
     * if it may be let go; else *SIG is 0 if it was for us. */
    bool (*unfollowed)(void *owner, pid_t tid, int *sig);
    /* The present image of PROCESS ends, by exec or death. Its CPU clock can still be read. */
    void (*image_ends)(void *owner, struct process *process);
    /* THREAD, of a process with ends_told, is about to end; its process has its memory still. */
    void (*exiting)(void *owner, struct thread *thread);
    /* THREAD has ended, and will be removed; of a process that is removed as a whole nothing is told of others than the
     * first. */
    void (*thread_ends)(void *owner, struct thread *thread);
    /* THREAD stopped with an attempt to sample it outstanding. */
    void (*stopped)(void *owner, struct thread *thread);
    /* THREAD stopped because it is about to be given SIG. May change its registers. */
    enum follow_verdict (*signalled)(void *owner, struct thread *thread, int sig);
    /* THREAD has made the system call of remote_prepare, which returned RESULT or failed with -RESULT, and is where it
     * was. */
    void (*called)(void *owner, struct thread *thread, int64_t result);
    /* TID, which had stopped, is about to be resumed. The resume itself may cost the tracer its CPU at once, so that
     * nothing can be measured after it. */
    void (*resuming)(void *owner, pid_t tid);
    /* Job control let PID, which had been stopped, go on. */
    void (*continued)(void *owner, pid_t pid);
    /* A new process or thread has been added, or PROCESS is about to be removed. */
    void (*process_added)(void *owner, struct process *process);
    void (*process_removed)(void *owner, struct process *process);
};

enum { FOLLOW_NEWBORNS = 64 };

/* A child that was seen before the event of the parent that made it. */
struct newborn {
    pid_t tid, parent;
    uint64_t seen_ns;
};

/* A thread that was running when it began to be traced: it may have been about to make a child, of which we shall not be
 * told, until it has been seen at a stop. */
struct maker {
    pid_t tid, pid; /* PID: the attached process whose memory such a child may have, or have a copy of */
};

struct makers {
    struct maker *items;
    size_t count, room;
};

struct follow {
    struct table table;
    struct follow_owner owner;
    struct rescue *rescue; /* borrowed; where threads are noted whose registers were changed for a while */
    bool children;        /* follow children */
    bool recalling;       /* follow_recall has begun */
    bool births;          /* hear of the children of what is attached, even so */
    uint32_t next_image;  /* numbers given to images so far */
    uint64_t unreachable; /* children that could not be followed for lack of memory */
    bool short_of_memory; /* some thread or process could not be remembered */
    uint64_t due_ns;      /* before that no timeout is over that we have to end; 0: none will be */
    struct arch_registers registers; /* of the thread that is stopped now */
    pid_t registers_of;              /* 0: not read yet */
    struct newborn newborns[FOLLOW_NEWBORNS];
    size_t newborn_count;
    struct bystanders bystanders;
    struct makers makers;
};

/* The registers of THREAD, which is stopped and being handled: read once a stop. They are valid until it is resumed.
 * Returns 0, -ENOTSUP for a 32-bit thread, or another -errno. */
int follow_registers(struct follow *follow, const struct thread *thread, const struct arch_registers **registers);

/* Changes the registers of THREAD, which is stopped and being handled. Returns 0 or -errno. */
int follow_set_registers(struct follow *follow, const struct thread *thread, const struct arch_registers *registers);

/* The signal that THREAD has stopped for, and is being handled, must not be delivered even if we die now. */
void follow_consume(const struct thread *thread);

/* Lets a thread that is held go on. */
void follow_release(struct follow *follow, struct thread *thread);

/* Begins to trace PID, a child of the front that waits for leave to exec. Its image begins with its first exec. Returns
 * 0 or -errno. */
int follow_launched(struct follow *follow, pid_t pid);

/* Adopts the children whose makers' events have not come, as what they seem to be. */
void follow_welcome(struct follow *follow);

/* Begins to trace process PID, which runs already, with all of its threads, also those that it makes meanwhile. Its image
 * begins as by an exec, but no thread of it is stopped; with births, children_known follows sooner or later. Returns 0 or -errno: -EALREADY if it is traced by us, -ESRCH if
 * it is gone or a zombie; what kept a thread from being traced, else. Some threads may be traced then: the caller ends. */
int follow_attach(struct follow *follow, pid_t pid);

/* Before tracing ends: threads that make the rest of a transfer (tracee/mend.h) are to end it with what they have, and no
 * other begins one. Returns how many have not yet: their stops have to be handled. */
size_t follow_recall(struct follow *follow);

/* Handles everything that tracees have to say now. */
void follow_sweep(struct follow *follow);

/* Waits, ASLEEP or not at all, until TID stops or ends, handles that, and returns true; false if it has not, a signal to this
 * thread broke the wait, or TID is not there to be waited for. */
bool follow_wait(struct follow *follow, pid_t tid, bool asleep);

#endif
