/* SPDX-License-Identifier: MIT
 *
 * What tracees do, followed. Events come out, verdicts go in:
 *
 *     while (follow_hear(follow, tid, asleep))
 *         while (follow_next(follow, &happened))
 *             follow_answer(follow, &happened, decide(&happened));
 *
 * Stops are looked at without being consumed, so that a signal in flight survives our own death; only execs are, and
 * stops for which a thread is held; the dead are reaped. */
#ifndef FOLLOW_FOLLOW_H
#define FOLLOW_FOLLOW_H

#include "model/event.h"
#include "follow/bystanders.h"
#include "restart/restart.h"
#include "tracee/table.h"

/* What has happened. In braces: the members of struct happened that the kind has. */
enum happened_kind {
    /* {process} is traced from now on; it is ours until its first exec, or about to be told of as attached. */
    HAPPENED_ADDED,
    /* {process}, which is new and has {thread} alone, was made by {origin}, or by a process that is not known. It
     * begins an image that is a copy of its maker's. With process->attached it runs; else {thread} is stopped. */
    HAPPENED_BORN,
    /* {thread}, of a process that is known, was made, and has not run yet. */
    HAPPENED_THREAD_BORN,
    /* {thread}, a child that was seen before its maker's event, is stopped, and goes on with the answer. */
    HAPPENED_NEWBORN,
    /* {process} has just been attached. Its image is taken for a new one; {thread} is one of its threads, all of which
       run. */
    HAPPENED_ATTACHED,
    /* {process} begins a new image by an exec; {thread}, stopped, is its only one. May be held. */
    HAPPENED_EXEC,
    /* All children that {process}, which was attached, makes are told of from now on, and those that it made before and
     * that have its memory are traced: what is planted in it finds none unprepared. */
    HAPPENED_CHILDREN_KNOWN,
    /* The present image of {process} ends by an exec. Its CPU clock goes on. */
    HAPPENED_IMAGE_ENDS,
    /* {thread}, of a process with ends_told, is stopped, about to end; its process has its memory still. */
    HAPPENED_THREAD_EXITS,
    /* {thread} has ended, and is removed with the answer. */
    HAPPENED_THREAD_ENDED,
    /* {process} has ended, and is removed with the answer; what is left of its threads has ended, too. Its CPU clock
     * can still be read. */
    HAPPENED_PROCESS_ENDED,
    /* {thread} has stopped, and is resumed with the answer: see the members of a stop. May be held. */
    HAPPENED_STOPPED,
    /* {tid}, of a child that is not to be followed, has stopped, and is about to be given {sig} if that is not 0. */
    HAPPENED_UNFOLLOWED
};

struct happened {
    enum happened_kind kind;
    pid_t tid;
    struct process *process, *origin;
    struct thread *thread;
    struct event event; /* of a stop: for follow itself */
    /* of a stop: */
    bool asked;     /* an attempt to sample {thread} was outstanding */
    bool continued; /* job control let its process, which had been stopped, go on */
    bool remote;    /* {thread} is on the way of a system call that it makes for us (tracee/remote.h), */
    bool called;    /* has made it, and is where it was: */
    int64_t result; /* what the call returned, or failed with as -errno */
    int sig;        /* that {thread} is about to be given; 0: none */
};

/* What is to be done about it. All zero: nothing but what has to be. */
struct verdict {
    int sig;     /* of a stop or an unfollowed child with sig: that, or 0 if it was for us */
    bool hold;   /* {thread} stays stopped, its stop consumed, until follow_release */
    bool let_go; /* an unfollowed child is traced no longer */
};

enum { FOLLOW_NEWBORNS = 64 };

/* A child that was seen before the event of the parent that made it. */
struct newborn {
    pid_t tid, parent;
    uint64_t seen_ns;
};

/* A thread that was running when it began to be traced: it may have been about to make a child, of which we shall not
 * be told, until it has been seen at a stop. */
struct maker {
    pid_t tid, pid; /* PID: the attached process whose memory such a child may have, or have a copy of */
};

struct makers {
    struct maker *items;
    size_t count, room;
    bool lost; /* some could not be found, or not be remembered: children go unseen */
};

/* What has happened and has not been told yet, from NEXT on. */
struct happenings { /* of base/array.h */
    struct happened *items;
    size_t count, room, next;
};

struct follow {
    struct table table;
    struct rescue *rescue;  /* borrowed; where threads are noted whose registers were changed for a while */
    bool children;          /* follow children */
    bool births;            /* hear of the children of what is attached, even so */
    uint32_t next_image;    /* numbers given to images so far */
    uint64_t unreachable;   /* children that could not be followed for lack of memory */
    bool short_of_memory;   /* some thread or process could not be remembered */
    struct restart restart; /* of system calls that stops interrupted */
    struct happenings happenings;
    pid_t heard;        /* what it said is being told; 0: nobody */
    bool heard_end;     /* it has ended */
    pid_t heard_former; /* the number that it had before an exec; 0: the same */
    struct newborn newborns[FOLLOW_NEWBORNS];
    size_t newborn_count;
    struct bystanders bystanders;
    struct makers makers;
};

/* Prepares FOLLOW, which is zeroed but for rescue, children and births, and stays where it is. Returns 0 or -ENOMEM. */
int follow_start(struct follow *follow);

/* Hears what TID, or any tracee if that is 0, has to say now or, ASLEEP, waits until it has something to say. Returns
 * true if there is something to tell (follow_next); false if there is nothing, a signal to this thread broke the wait,
 * or TID is not there to be waited for. Everything that was heard before must have been told and answered. */
bool follow_hear(struct follow *follow, pid_t tid, bool asleep);

/* The next thing that has happened, in the order in which the rules of inheritance need it. Returns false if all has
 * been told. Nothing of the table is being changed meanwhile; the thread, where there is one, is stopped unless its
 * kind says otherwise. */
bool follow_next(struct follow *follow, struct happened *happened);

/* Answers HAPPENED, which follow_next has told, with VERDICT: the one place where a tracee that has stopped goes on.
 * Returns the monotonic time at which a thread that was asked to stop, and had stopped, went on; else 0. (The resume
 * itself may cost this thread its CPU at once, so that nothing can be measured after it.) */
uint64_t follow_answer(struct follow *follow, const struct happened *happened, struct verdict verdict);

/* The signal that THREAD has stopped for, and is being told of, must not be delivered even if we die now. */
void follow_consume(const struct thread *thread);

/* Lets a thread that is held go on. */
void follow_release(struct follow *follow, struct thread *thread);

/* Begins to trace PID, a child of the front that waits for leave to exec. Its image begins with its first exec. Returns
 * 0 or -errno. What has happened by that is to be told. */
int follow_launched(struct follow *follow, pid_t pid);

/* Adopts the children whose makers' events have not come, as what they seem to be. That is to be told. */
void follow_welcome(struct follow *follow);

/* Interrupts the waits whose time is over (restart/timeouts.h). Returns the monotonic time until which the caller, who
 * would not sleep longer than until UNTIL_NS, may: then there is something to do, or a child whose maker's event has
 * not come has waited long enough for it (follow_hear for any). 0 is never, in both. */
uint64_t follow_expire(struct follow *follow, uint64_t until_ns);

/* Begins to trace process PID, which runs already, with all of its threads, also those that it makes meanwhile. No
 * thread of it is stopped; with births, HAPPENED_CHILDREN_KNOWN follows sooner or later. Returns 0 or -errno: -EALREADY
 * if it is traced by us, -ESRCH if it is gone or a zombie, -ETIMEDOUT if it is in an exec that does not end; what kept
 * a thread from being traced, else. Some threads may be traced then: the caller ends. What has happened by that is to
 * be told. */
int follow_attach(struct follow *follow, pid_t pid);

/* Traces the threads that the kernel has made for itself in PROCESS since (io_uring): they come without an event. Cheap
 * where there are none. */
void follow_find_workers(struct follow *follow, struct process *process);

#endif
