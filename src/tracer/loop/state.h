/* SPDX-License-Identifier: MIT
 *
 * The tracer's own state for threads and processes. */
#ifndef LOOP_STATE_H
#define LOOP_STATE_H

#include "common/arch/arch.h"
#include "common/model/faults.h"
#include "common/model/judge.h"
#include "common/model/missed.h"
#include "common/model/wait.h"
#include "tracer/walk/interp.h"

struct table_rooms;

/* A request to stop a thread for a sample, valid until the thread stops (thread->asked). */
struct attempt {
    bool record; /* for a capture, not only for a tick of the emulated calls */
    bool look;   /* for COMMAND_LOOK: wherever it stops */
    bool late;   /* the tracer got that CPU too late */
    bool spoilt; /* the thread may have run between the tick and the request */
    enum judge_place place;
    enum arch_fault fault;   /* set when it has stopped */
    uint64_t own_ns;         /* how long we held its CPU before it could stop there */
    uint64_t asked_ns;       /* monotonic time of the request */
    uint64_t late_ns;        /* how long after the deadline of the tick we got its CPU */
    struct schedstat before; /* at the tick */
    int64_t unexplained_ns;  /* of account_unexplained, at the tick */
    uint32_t again;          /* later ticks that met it before it stopped */
};

/* For a while, more of a stack than usual is copied. */
struct stack_limit {
    uint32_t bytes;
    uint64_t until_ns; /* monotonic time */
};

struct tracer_thread {
    struct thread_faults faults;
    struct thread_missed missed;
    struct thread_wait wait;
    struct attempt attempt;
    uint64_t last_pc, last_sp; /* of its last capture; 0: none, or it was in the kernel */
    uint64_t stack_top;        /* address of its own data, above its frames; 0: unknown */
    struct stack_limit deep;   /* for its stack while the end of that is unknown */
    uint64_t crossed;          /* see COMMAND_DEEPER; 0: unknown */
    struct interp_thread interp;
    uint32_t looked; /* the last look that captured it, see look.h */
    bool named;      /* its name has been reported */
    bool worker;     /* a kernel worker: its registers are a copy of its maker's */
    bool settled;    /* while all are being detached: nothing remains to be done for it */
};

/* What is read of a process at the exit stop of its last thread. */
struct process_exit {
    bool known;
    pid_t tid; /* that thread; 0: there was no exit stop */
    char comm[16];
    uint64_t faults; /* if the process was short; otherwise 0 */
};

struct tracer_process {
    uint32_t origin; /* image that it was forked from; 0: unknown */
    struct process_faults faults;
    struct process_wait wait;
    uint32_t troubles;       /* bits: troubles that have been reported */
    uint64_t stack_start;    /* end of its first stack, above all frames; 0: unknown */
    struct stack_limit deep; /* for its stacks with known ends */
    uint64_t entry;          /* address where its program begins; 0: unknown */
    uint64_t map_read_ns;    /* monotonic time; 0: never for this image */
    uint64_t map_age_ns;     /* maximum age before the maps are read again */
    uint64_t map_took_ns;    /* duration of the last read */
    bool map_asked;          /* the front waits for them */
    uint32_t map_misses;     /* PCs of this image outside of the maps */
    uint64_t map_checked_ns; /* monotonic time of the last comparison of all files with the present mappings, */
    uint64_t map_check_ns;   /* and its duration */
    uint32_t map_doubts;     /* comparisons that wrongly found a difference */
    uint64_t map_alive_ns;   /* monotonic time until which files are expected to be mapped and unmapped */
    struct process_exit exit;
    struct interp *interp; /* owned; NULL: it runs no known interpreted language */
};

/* Sizes and initial values of the state that all layers above the table store there. */
extern const struct table_rooms tracer_rooms;

#endif
