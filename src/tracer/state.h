/* SPDX-License-Identifier: MIT
 *
 * What the tracer itself knows of threads and processes. */
#ifndef TRACER_STATE_H
#define TRACER_STATE_H

#include "model/faults.h"
#include "model/judge.h"
#include "model/missed.h"
#include "model/wait.h"
#include "tracee/table.h"
#include "tracer/interp.h"

/* A request to stop a thread for a sample, while its stop has not come (thread->asked). */
struct attempt {
    bool record; /* for a capture, not only for a tick of the calls */
    bool late;   /* the tracer took that CPU later than it wanted to */
    bool spoilt; /* the thread may have run on before it was asked */
    enum judge_place place;
    uint64_t own_ns;         /* for how long its CPU was taken for the tick before it could stop there */
    uint64_t asked_ns;       /* monotonic time of the request */
    uint64_t late_ns;        /* that its CPU was taken after the instant of the tick */
    struct schedstat before; /* at the tick */
};

/* For a while more of a stack is copied than usual. */
struct stack_limit {
    uint32_t bytes;
    uint64_t until_ns; /* monotonic time */
};

struct tracer_thread {
    struct thread_faults faults;
    struct thread_missed missed;
    struct thread_wait wait;
    struct attempt attempt;
    uint64_t stack_top;      /* where its own data are, above its frames; 0: not known */
    struct stack_limit deep; /* of its stack when its end is not known */
    uint64_t crossed;        /* see COMMAND_DEEPER; 0: not known */
    struct interp_thread interp;
    bool named;   /* its name has been told */
    bool worker;  /* it is the kernel\'s: its registers are those of who made it */
    bool settled; /* while all are let go: it needs nothing more */
};

struct tracer_process {
    uint32_t origin; /* image that it was forked from; 0: not known */
    struct process_faults faults;
    struct process_wait wait;
    uint32_t troubles;       /* bits: what has been told of it that does not work */
    uint64_t stack_start;    /* of its first stack, above all frames; 0: not known */
    struct stack_limit deep; /* of its stacks whose ends are known */
    uint64_t entry;          /* where its program begins; 0: not known */
    uint64_t map_read_ns;    /* monotonic time; 0: never for this image */
    uint64_t map_age_ns;     /* after that they are read again */
    uint64_t map_took_ns;    /* to read them */
    bool map_asked;          /* somebody waits for them */
    uint32_t map_misses;     /* PCs of this image that were outside of it */
    uint64_t map_checked_ns; /* monotonic time when all of its files were last compared with what is mapped now, */
    uint64_t map_check_ns;   /* and how long that took */
    uint32_t map_doubts;     /* comparisons that found a difference where there was none */
    uint64_t map_alive_ns;   /* monotonic time until which files are expected to come and go */
    struct interp *interp;   /* owned; NULL: it runs no interpreted language that is known */
};

/* What all layers above the table keep there. */
extern const struct table_rooms tracer_rooms;

#endif
