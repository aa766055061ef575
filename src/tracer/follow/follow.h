/* SPDX-License-Identifier: MIT
 *
 * Follows what tracees do. Events come out, actions go in:
 *
 *     while (follow_hear(follow, tid))
 *         while (follow_next(follow, &event))
 *             follow_answer(follow, &event, decide(&event));
 *
 * Looking at a stop does not consume it, so that a signal in flight survives our own death. Only execs, and stops for
 * which a thread is held, are consumed.
 *
 * A thread that is about to end is detached at its exit stop. So its parent, and threads that join it, see its end at
 * the time of an untraced one: an ended tracee could not be waited for until we had reaped it. If a thread ends without
 * an exit stop (a second signal kills it there), it is reaped. */
#ifndef FOLLOW_FOLLOW_H
#define FOLLOW_FOLLOW_H

#include "common/model/event.h"
#include "tracer/follow/bystanders.h"
#include "tracer/restart/restart.h"
#include "tracer/tracee/ending.h"
#include "tracer/tracee/table.h"

/* Kinds of events. Braces name the members of struct follow_event that the kind sets. */
enum follow_event_kind {
    /* {process} is now traced. It is ours until its first exec, or FOLLOW_ATTACHED follows. */
    FOLLOW_ADDED,
    /* {origin}, or an unknown process, has made {process}, which is new and has only {thread}. It begins an image
     * that is a copy of its maker's. With process->attached it runs; otherwise {thread} is stopped. */
    FOLLOW_BORN,
    /* A known process has made {thread}, which has not run yet. */
    FOLLOW_THREAD_BORN,
    /* {thread}, a child that was seen before its maker's event, is stopped. The answer resumes it. */
    FOLLOW_NEWBORN,
    /* {process} has just been attached. Its image counts as new; {thread} is one of its threads. All of them run. */
    FOLLOW_ATTACHED,
    /* {process} begins a new image by an exec; {thread}, stopped, is its only one. May be held. */
    FOLLOW_EXEC,
    /* {process} was attached, and every child that it makes is now reported. Earlier children that share its memory
     * are traced, so that none meets a breakpoint untraced. */
    FOLLOW_CHILDREN_KNOWN,
    /* The present image of {process} ends by an exec. Its CPU clock goes on. */
    FOLLOW_IMAGE_ENDS,
    /* {thread} is stopped and about to end; its process still has its memory. {last}: so is its process. The answer
     * detaches it, because others may wait for its end. */
    FOLLOW_THREAD_EXITS,
    /* {thread} has ended, or ends without us. The answer removes it. */
    FOLLOW_THREAD_ENDED,
    /* {process} has ended, with all threads that it still has. The answer removes it. Its CPU clock can still be
     * read. With process->let_go it is not in the table any more, and another process may have its number. */
    FOLLOW_PROCESS_ENDED,
    /* {thread} has stopped; see "of a stop" below. The answer resumes it. May be held. */
    FOLLOW_STOPPED,
    /* {tid}, a child that we do not follow, has stopped and is about to receive {sig} if that is not 0. */
    FOLLOW_UNFOLLOWED
};

struct follow_event {
    enum follow_event_kind kind;
    pid_t tid;
    struct process *process, *origin;
    struct thread *thread;
    struct event stop; /* of a stop: for follow itself */
    bool last;         /* of an exit stop: no other thread of its process is left */
    bool asked;        /* an attempt to sample {thread} was outstanding; of a stop, an end, or an image's end by exec */
    /* of a stop: */
    bool continued; /* job control has let its stopped process continue */
    bool remote;    /* {thread} is making a system call for us (tracee/remote.h), */
    bool called;    /* has made it, and is back in its own code: */
    int64_t result; /* what the call returned, -errno if it failed */
    int sig;        /* signal that {thread} is about to receive; 0: none */
};

/* The action that answers an event. All zero: do only what is necessary. */
struct follow_action {
    int sig;     /* for a stop or an unfollowed child with sig: the signal to deliver, or 0 if it was for us */
    bool hold;   /* {thread} stays stopped, its stop consumed, until follow_release */
    bool let_go; /* stop tracing an unfollowed child */
};

enum { FOLLOW_NEWBORNS = 64 };

/* A child that stopped before the event of the parent that made it. */
struct newborn {
    pid_t tid, parent;
    uint64_t seen_ns;
};

/* A thread that was running when tracing began. It may have been making a child then, and the kernel does not report
 * that child to us. Watched until the thread has been seen at a stop. */
struct maker {
    pid_t tid, pid; /* PID: the attached process; such a child shares or copies its memory */
};

struct makers {
    struct maker *items;
    size_t count, room;
    bool lost; /* some could not be found or stored, so children may go unseen */
};

/* Events that are not reported yet, beginning with NEXT. */
struct follow_events { /* of base/array.h */
    struct follow_event *items;
    size_t count, room, next;
};

struct follow {
    struct table table;
    struct rescue *rescue;  /* borrowed; notes of threads with temporarily changed registers */
    bool children;          /* follow children */
    bool births;            /* even without children: report children of attached processes */
    uint32_t next_image;    /* the last image number given */
    uint64_t unreachable;   /* children that were not followed because memory was short */
    bool short_of_memory;   /* some thread or process could not be stored */
    struct restart restart; /* restarts system calls that stops interrupted */
    struct endings endings; /* processes that were let go and end by themselves */
    struct follow_events events;
    pid_t heard;        /* the thread with the events being reported; 0: none */
    bool heard_end;     /* it has ended */
    pid_t heard_leader; /* the first thread of its process, which has ended before; 0: none, or it lives */
    pid_t heard_former; /* its tid before an exec; 0: unchanged */
    struct newborn newborns[FOLLOW_NEWBORNS];
    size_t newborn_count;
    struct bystanders bystanders;
    struct makers makers;
};

/* Prepares FOLLOW, which is zeroed except for rescue, children and births, and does not move. *WAKE (base/wake.h)
 * changes when a process that was let go has ended. Returns 0 or -ENOMEM. */
int follow_start(struct follow *follow, _Atomic uint32_t *wake);

/* Takes the pending events of TID, or of any tracee if TID is 0. Returns true if follow_next has events to return.
 * Returns false if no event is pending, or TID cannot be waited for. Every earlier event must have been returned and
 * answered. */
bool follow_hear(struct follow *follow, pid_t tid);

/* Sets *EVENT to the next event, in the order that the rules of inheritance need. Returns false if all events
 * have been returned. The table does not change in between. The event's thread, if it has one, is stopped unless its
 * kind says otherwise. */
bool follow_next(struct follow *follow, struct follow_event *event);

/* Answers EVENT, from follow_next, with action ACTION. Only this function resumes a stopped tracee. Returns the
 * monotonic time at which a thread that we asked to stop was resumed; otherwise 0. (The resume may cost this thread
 * its CPU at once, so the time cannot be measured after it.) */
uint64_t follow_answer(struct follow *follow, const struct follow_event *event, struct follow_action action);

/* Consumes the stop of THREAD, so that its signal is not delivered even if we die now. Call it while you answer the
 * event of that stop. */
void follow_consume(const struct thread *thread);

/* Resumes a held thread. */
void follow_release(struct thread *thread);

/* Begins to trace PID, a child of the front that waits for permission to exec. Its image begins with its first exec.
 * Returns 0 or -errno, and adds events. */
int follow_launched(struct follow *follow, pid_t pid);

/* Adopts the children that still wait for their makers' events, as children of the parents that /proc shows. Adds
 * events. */
void follow_welcome(struct follow *follow);

/* Interrupts the waits that have reached their timeout (restart/timeouts.h). Returns the monotonic time until which
 * the caller may sleep, UNTIL_NS at the latest. At that time a timeout ends, or a child has waited long enough for
 * its maker's event (follow_hear for any). 0 means never, in both. */
uint64_t follow_expire(struct follow *follow, uint64_t until_ns);

/* Begins to trace the running process PID with all of its threads, including those that it makes during the call.
 * Stops no thread. With births, FOLLOW_CHILDREN_KNOWN follows later. Returns 0 or -errno: -EALREADY if we already
 * trace it, -ESRCH if it is gone or a zombie, -ETIMEDOUT if it is stuck in execve(); otherwise the reason why a
 * thread could not be traced. After an error some threads may be traced, and the caller must end. Adds events. */
int follow_attach(struct follow *follow, pid_t pid);

/* Traces threads that the kernel has since added to PROCESS for itself (io_uring): they cause no event. Cheap if
 * PROCESS has no such threads. */
void follow_find_workers(struct follow *follow, struct process *process);

#endif
