/* SPDX-License-Identifier: MIT
 *
 * Serves the calls profil, sprofil and pcsample to traced processes. Takes requests, applies the rules of the chosen
 * operating system, and writes ticks into the memory of the process. */
#ifndef CALLS_CALLS_H
#define CALLS_CALLS_H

#include "common/semantics/debt.h"
#include "common/semantics/due.h"
#include "common/wire/message.h"
#include "tracer/calls/options.h"

struct breakpoint;
struct follow;
struct process;
struct rescue;
struct thread;

/* An attempt to impose a call, with its result. */
struct calls_imposition {
    enum calls_refusal refusal;
    int error;                  /* errno */
    struct histogram arguments; /* of profil; for pcsample only the buffer is set */
};

/* An update of an imposed call's buffer. */
struct calls_update {
    bool cell; /* profil: cell NUMBER now holds VALUE; pcsample: PC NUMBER was stored VALUE times */
    uint64_t number, value;
};

/* Ticks may be billed to two locations: where the process was, and where it is. */
enum { CALLS_MOST_UPDATES = 2 };

/* The result of a call into this layer, which the caller reports. */
struct calls_news {
    int trouble;           /* errno if an update failed, except for the process's own page protection; 0: none failed */
    unsigned update_count; /* changes of the buffer of an imposed call, in order: */
    struct calls_update updates[CALLS_MOST_UPDATES];
    bool imposed; /* the call of options.impose was made, or failed: */
    struct calls_imposition imposition;
};

/* What this layer knows of a process. */
struct calls_process {
    struct call_state state; /* state of its profil, sprofil and pcsample calls */
    bool impose_due;         /* a call must be imposed before its image runs */
    unsigned times_left;     /* how often its entries got no breakpoint because its C library was profiling */
    bool active;             /* one of its calls wants ticks, and it is counted in struct calls */
    struct due due;          /* when to look for its next tick */
    struct debt_seen seen;   /* where it was last */
    int cpu;                 /* set by the owner: the CPU where a thread of it was last found running; -1: none */
};

struct calls {
    struct calls_options options;
    struct follow *follow;       /* borrowed */
    struct rescue *rescue;       /* borrowed */
    struct calls_counts *counts; /* borrowed; common/model/counters.h */
    size_t active;               /* processes with a call that wants ticks */
    bool closing;                /* breakpoints are being removed, and no call is served */
    struct calls_news news;      /* result of the last call into this layer, until calls_take_news */
};

/* Sets *NEWS to the results of the last call of a function below, and forgets them. Returns false if it had none. They
 * are about the process that the function was called with. */
bool calls_take_news(struct calls *calls, struct calls_news *news);

/* ORIGIN has made the new process CHILD. If memory runs out, CHILD runs without the calls, and without breakpoints. */
void calls_forked(struct calls *calls, struct process *child, struct process *origin);

/* TID will not be followed. It is stopped, and is about to receive *SIG (0: no signal). Removes the copies of
 * breakpoints from its memory. Returns true if TID may be released. Returns false while it shares the memory of a
 * followed process: then the C library serves its calls, and *SIG becomes 0 if that signal was a request to us. */
bool calls_unfollowed(const struct calls *calls, pid_t tid, int *sig);

/* All tracees are being released. TID is not followed, sleeps, and cannot be stopped. Returns true if it can stay so:
 * its memory has nothing that we planted, or it sleeps elsewhere. */
bool calls_sleeps_well(const struct calls *calls, pid_t tid);

/* THREAD begins a new image by exec (calls_image_begins), or all children of the attached PROCESS are known
 * (calls_attached). Return true if the entries of the calls must be found (calls_entries). Hold THREAD until then. */
bool calls_image_begins(struct calls *calls, struct thread *thread);
bool calls_attached(const struct calls *calls, const struct process *process);

/* THREAD is stopped and about to end. Bills the ticks that its process owes to the place where THREAD is. */
void calls_thread_ends(struct calls *calls, struct thread *thread);

/* The image of PROCESS ends by an exec (calls_image_ends), or with the process (calls_process_ends). */
void calls_image_ends(struct calls *calls, struct process *process);
void calls_process_ends(struct calls *calls, struct process *process);

/* The treatment of a signal that a thread is about to receive. */
enum calls_signal {
    CALLS_NOT_OURS,
    CALLS_SERVED, /* it was a request to us, and must not be delivered */
    CALLS_ASKS    /* like CALLS_SERVED; libraries were loaded, so entries must be found as after calls_image_begins */
};

/* THREAD has stopped for signal SIG. Serves it if it is a request through the gate, or comes from a breakpoint. */
enum calls_signal calls_signalled(struct calls *calls, struct thread *thread, int sig);

/* Takes the front's answer about entries: COUNT breakpoints to plant, without notes. It was asked for THREAD, or for a
 * thread of its process that has ended. COMPLETE: the program loads no further libraries. Returns true if the front
 * must be asked again: the C library was profiling by itself, or a breakpoint on the dynamic linker is new. (Libraries
 * may have been loaded between the question and that breakpoint.) */
bool calls_entries(struct calls *calls, struct thread *thread, const struct breakpoint *bytes, size_t count,
                   bool complete);

/* THREAD is stopped, and its stop has not been handled yet (calls_seen), or it has ended (calls_seen_no_more).
 * Breakpoints may now become jumps. */
void calls_seen(const struct calls *calls, struct thread *thread);
void calls_seen_no_more(const struct calls *calls, struct thread *thread);

/* THREAD has made a system call for us, which returned RESULT. */
void calls_called(struct calls *calls, struct thread *thread, int64_t result);

/* Why a thread is at the location where it is billed. */
enum calls_stop {
    CALLS_MET,     /* a stop at a random time found it there */
    CALLS_CALLING, /* it is making one of the calls */
    CALLS_ENDING   /* it exits by a system call of its own */
};

/* Bills the ticks of THREAD's process since the last bill. They go to user PC, where THREAD is, or to the location
 * where a thread of the process was last seen. STOP: why THREAD is at PC. */
void calls_bill(struct calls *calls, struct thread *thread, uint64_t pc, enum calls_stop stop);

/* Returns true if PROCESS owes a tick: its clock has passed one that is not billed yet. */
bool calls_owed(const struct calls *calls, const struct process *process);

/* Returns the monotonic time of the next look for a tick of PROCESS, one of whose calls wants ticks. NOW_NS: the
 * present time. */
uint64_t calls_look_ns(const struct calls *calls, struct process *process, uint64_t now_ns);

/* Returns true if a call must be imposed on PROCESS, whose image has just begun. Then read its map first. */
bool calls_imposes(const struct calls *calls, const struct process *process);

/* Prepares THREAD, which begins a new image and is about to continue, for the imposed call. */
void calls_impose(struct calls *calls, struct thread *thread);

/* End serving: calls_close removes breakpoints and jumps as far as possible without stopping a thread. calls_are_back
 * returns true when PROCESS has nothing left but stubs. Threads may have hit a breakpoint just before, or be in a stub.
 * So stop each thread that existed before that moment once more. calls_settled returns true if THREAD, stopped at PC
 * with SP, is in no stub and has no signal of a breakpoint to come. Such a signal stops the thread by itself, unless
 * you request more stops. When all threads of PROCESS are settled, calls_left removes the stubs. */
void calls_close(struct calls *calls);
bool calls_are_back(const struct calls *calls, const struct process *process);
bool calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t sp);
void calls_left(const struct calls *calls, struct process *process);

#endif
