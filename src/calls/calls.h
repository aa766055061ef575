/* SPDX-License-Identifier: MIT
 *
 * The calls profil, sprofil and pcsample, served to the processes that are traced: requests come in, the rules of the
 * chosen system are applied, ticks are written into the process's own memory. */
#ifndef CALLS_CALLS_H
#define CALLS_CALLS_H

#include "calls/options.h"
#include "model/gate.h"
#include "tracee/follow.h"
#include "tracee/planted.h"
#include "wire/counters.h"
#include "wire/message.h"

/* A call that was imposed, or was not. */
struct calls_imposition {
    enum calls_refusal refusal;
    int error;                  /* errno */
    struct histogram arguments; /* of profil; for pcsample only the buffer is set */
};

/* An update of an imposed call's buffer. */
struct calls_update {
    bool cell;            /* profil: NUMBER is that of a cell, which now holds VALUE; else NUMBER is a PC, stored VALUE times */
    uint64_t number, value;
};

struct calls {
    struct calls_options options;
    struct follow *follow;   /* borrowed */
    struct rescue *rescue;   /* borrowed */
    struct calls_counts *counts; /* borrowed */
    size_t active;           /* processes that have a call that wants ticks */
    bool closing;            /* the bytes are back; nothing is served any more */
    void *owner;
    /* The CPU clock of PROCESS, ns. */
    uint64_t (*clock_ns)(const struct process *process);
    /* THREAD, in a new image or with libraries just loaded, wants to know where the calls' entries are. Returns true if
     * an answer will come (calls_entries), until when it is held. */
    bool (*ask)(void *owner, struct thread *thread);
    /* An update of PROCESS failed for another reason than the process's own page protection. */
    void (*trouble)(void *owner, struct process *process, int error);
    /* Reads the map of THREAD's process. */
    void (*look)(void *owner, struct thread *thread);
    /* The call of options.impose has been made for PROCESS, or could not be. */
    void (*imposed)(void *owner, const struct process *process, const struct calls_imposition *what);
    /* While THREAD was stopped the buffer of an imposed call of its process changed. */
    void (*updated)(void *owner, struct process *process, pid_t tid, const struct calls_update *update);
};

/* A new process CHILD was made by ORIGIN; it runs on without the calls, with clean memory, if there is no memory. */
void calls_forked(struct calls *calls, struct process *child, struct process *origin);

/* TID is stopped, about to be given *SIG or 0, and is not to be followed: cleans its memory. Returns true if it may be let
 * go: not while it shares the memory of one that is followed. The calls are then refused to it, and *SIG is 0 if it was
 * for one. */
bool calls_unfollowed(const struct calls *calls, pid_t tid, int *sig);

/* THREAD begins a new image by exec, and is held if there is something to be found out first. Of a process that was
 * attached the second one is told, as soon as no child of it is unknown. */
void calls_image_begins(struct calls *calls, struct thread *thread);
void calls_attached(struct calls *calls, struct process *process);

/* THREAD is stopped and about to end: the ticks that its process owes are billed to where it is. */
void calls_thread_ends(struct calls *calls, struct thread *thread);

/* PROCESS's image ends, by exec or death. */
void calls_image_ends(struct calls *calls, struct process *process);

/* THREAD stopped because it is about to be given SIG: a request by the gate, or a planted byte, is served. */
enum follow_verdict calls_signalled(struct calls *calls, struct thread *thread, int sig);

/* What the front found for a question of THREAD's, or of one of the same process that has ended: COUNT bytes to plant, whose
 * note is not set. COMPLETE: no more libraries need to be waited for. */
void calls_entries(struct calls *calls, struct thread *thread, const struct planted_byte *bytes, size_t count,
                   bool complete);

/* Lets THREAD go on, if it was held for a question, which has been answered or need not be any more. */
void calls_release(struct calls *calls, struct thread *thread);

/* THREAD has made a system call for us, which returned RESULT. */
void calls_called(struct calls *calls, struct thread *thread, int64_t result);

/* Bills the ticks of PROCESS since the last bill to user PC, at which its thread TID, stopped, is. */
void calls_bill(struct calls *calls, struct process *process, pid_t tid, uint64_t pc);

/* True if a tick of PROCESS has passed that is not billed. */
bool calls_owed(const struct calls *calls, const struct process *process);

/* The process whose tick is to be looked for next, at monotonic time calls_due.look_ns, as it is planned at NOW_NS. NULL if
 * there is none but those that are quiet, whose alarms tell. */
struct process *calls_next(struct calls *calls, uint64_t now_ns);

/* Serves CALL (of enum gate_call, or another: -ENOSYS) with ARGUMENTS, made at PC by thread TID. Returns what the call
 * returns, or -errno. */
int64_t calls_serve(struct calls *calls, struct process *process, pid_t tid, uint64_t call,
                    const uint64_t arguments[static ARCH_ARGUMENTS], uint64_t pc);

/* Prepares THREAD, which begins a new image and is about to go on, for the call that is imposed on it. */
void calls_impose(struct calls *calls, struct thread *thread);

/* PROCESS's state has changed: counts it among the active ones, or not any more. */
void calls_recount(struct calls *calls, struct process *process);

/* Puts everything back that was planted, where that can be done without a stop. Threads that hit a byte just before may
 * still have a signal for it to come: all of a process that has bytes must be stopped once more. calls_settled says of
 * THREAD, stopped at PC, whether none is to come. One that is comes by itself, unless more stops are asked for. */
void calls_close(struct calls *calls);
bool calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc);

#endif
