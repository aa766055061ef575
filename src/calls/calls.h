/* SPDX-License-Identifier: MIT
 *
 * The calls profil, sprofil and pcsample, served to the processes that are traced: requests come in, the rules of the
 * chosen system are applied, ticks are written into the process's own memory. */
#ifndef CALLS_CALLS_H
#define CALLS_CALLS_H

#include "calls/options.h"
#include "model/call_state.h"
#include "model/debt.h"
#include "model/due.h"
#include "arch/gate.h"
#include "follow/follow.h"
#include "plant/breakpoints.h"
#include "model/counters.h"
#include "wire/message.h"

/* A call that was imposed, or was not. */
struct calls_imposition {
    enum calls_refusal refusal;
    int error;                  /* errno */
    struct histogram arguments; /* of profil; for pcsample only the buffer is set */
};

/* An update of an imposed call's buffer. */
struct calls_update {
    bool cell; /* profil: NUMBER is a cell's, which now holds VALUE; pcsample: NUMBER is a PC, stored VALUE times */
    uint64_t number, value;
};

/* Owed ticks are billed to where the process was, and to where it is. */
enum { CALLS_MOST_UPDATES = 2 };

/* The result of a call into this layer, which the caller reports. */
struct calls_news {
    int trouble; /* errno: an update failed for another reason than the process's own page protection; 0: none did */
    unsigned update_count; /* changes of the buffer of an imposed call, in their order: */
    struct calls_update updates[CALLS_MOST_UPDATES];
    bool imposed; /* the call of options.impose was made, or could not be: */
    struct calls_imposition imposition;
};

/* What this layer knows of a process. */
struct calls_process {
    struct call_state state; /* what it has asked of profil and its like */
    bool impose_due;         /* a call must be made on its behalf before its image runs */
    unsigned times_left;     /* how often its entries were left alone, because its C library was profiling */
    bool active;             /* its calls want ticks, and it is counted for that */
    struct due due;          /* when to look for the next of these ticks */
    struct debt_seen seen;   /* where it was last */
    int cpu;                 /* set by the owner: the CPU on which a running thread of it was found last; -1: none */
};

struct calls {
    struct calls_options options;
    struct follow *follow;       /* borrowed */
    struct rescue *rescue;       /* borrowed */
    struct calls_counts *counts; /* borrowed */
    size_t active;               /* processes that have a call that wants ticks */
    bool closing;                /* the breakpoints are removed; no call is served any longer */
    struct calls_news news;      /* of the last call, until calls_take_news */
};

/* Sets *NEWS to what came of the last call of a function below, which is then forgotten. Returns false if nothing did.
 * The news is about the process that the function was called with. */
bool calls_take_news(struct calls *calls, struct calls_news *news);

/* A new process CHILD was made by ORIGIN; it runs on without the calls, with clean memory, if memory runs out. */
void calls_forked(struct calls *calls, struct process *child, struct process *origin);

/* TID is stopped, about to get *SIG or 0, and will not be followed: cleans its memory. Returns true if it may be
 * released, which it must not be while it shares the memory of a followed process. Its calls are then the C
 * library's own, and *SIG becomes 0 if the signal was for one. */
bool calls_unfollowed(const struct calls *calls, pid_t tid, int *sig);

/* While all are let go: TID, which is not followed and cannot be stopped, sleeps. True if it can be left so: it has
 * nothing of ours in its memory, or stands elsewhere. */
bool calls_sleeps_well(const struct calls *calls, pid_t tid);

/* THREAD begins a new image by exec; PROCESS, which was attached, has no unknown children any longer. Return true if
 * the entries of the calls must be found (calls_entries); hold THREAD until then. */
bool calls_image_begins(struct calls *calls, struct thread *thread);
bool calls_attached(const struct calls *calls, const struct process *process);

/* THREAD is stopped and about to end: the ticks that its process owes are billed to where it is. */
void calls_thread_ends(struct calls *calls, struct thread *thread);

/* PROCESS's image ends by an exec, or with the process. */
void calls_image_ends(struct calls *calls, struct process *process);
void calls_process_ends(struct calls *calls, struct process *process);

/* How a signal that a thread is about to receive was used. */
enum calls_signal {
    CALLS_NOT_OURS,
    CALLS_SERVED, /* it was for us, and must not be delivered */
    CALLS_ASKS    /* the same, and libraries were loaded: as calls_image_begins */
};

/* THREAD stopped because it is about to be given SIG: a request by the gate, or a planted byte, is served. */
enum calls_signal calls_signalled(struct calls *calls, struct thread *thread, int sig);

/* The front's answer to a question of THREAD, or of an ended thread of its process: COUNT breakpoints to plant,
 * without notes. COMPLETE: the program loads no further libraries. Returns true if the front must be asked once
 * more: only from now on does the dynamic linker report what it loads, and it may have loaded more since the
 * question; or the C library's own profil was active. */
bool calls_entries(struct calls *calls, struct thread *thread, const struct breakpoint *bytes, size_t count,
                   bool complete);

/* THREAD is stopped, before anything comes of that, or has ended: planted bytes may become jumps by that. */
void calls_seen(const struct calls *calls, struct thread *thread);
void calls_seen_no_more(const struct calls *calls, struct thread *thread);

/* THREAD has made a system call for us, which returned RESULT. */
void calls_called(struct calls *calls, struct thread *thread, int64_t result);

/* How a thread that is billed came to be where it is. */
enum calls_stop {
    CALLS_MET,     /* a random instant found it there */
    CALLS_CALLING, /* it makes one of the calls */
    CALLS_ENDING   /* by a system call of its own */
};

/* Bills the ticks of THREAD's process since the last bill: to user PC, at which THREAD, STOPped, is, or where a thread
 * of the process was seen last. */
void calls_bill(struct calls *calls, struct thread *thread, uint64_t pc, enum calls_stop stop);

/* True if a tick of PROCESS has passed that is not billed. */
bool calls_owed(const struct calls *calls, const struct process *process);

/* Returns the monotonic time of the next look for a tick of PROCESS, which has a call that wants ticks. NOW_NS: the
 * present time. */
uint64_t calls_look_ns(const struct calls *calls, struct process *process, uint64_t now_ns);

/* True if a call is to be imposed on PROCESS, whose image has just begun. Its map must then be read. */
bool calls_imposes(const struct calls *calls, const struct process *process);

/* Prepares THREAD, which begins a new image and is about to continue, for the imposed call. */
void calls_impose(struct calls *calls, struct thread *thread);

/* Puts everything back that was planted, where that can be done without a stop. Threads that hit a byte just before may
 * still have a signal for it to come, or be in a stub: all of a process that has bytes must be stopped once more.
 * calls_settled says of THREAD, stopped at PC with SP, that none is to come, and that it is in no stub. A signal that
 * is comes by itself, unless more stops are asked for. It is so, too, of a thread that is made once calls_are_back says
 * that nothing is left in PROCESS but stubs. Once it is so of all threads of PROCESS, calls_left puts these back. */
void calls_close(struct calls *calls);
bool calls_are_back(const struct calls *calls, const struct process *process);
bool calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t sp);
void calls_left(const struct calls *calls, struct process *process);

#endif
