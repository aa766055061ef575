/* SPDX-License-Identifier: MIT
 *
 * The tracer process. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "base/error.h"
#include "calls/calls.h"
#include "clock/clock.h"
#include "follow/follow.h"
#include "tracer/emit.h"
#include "tracer/pace.h"
#include "tracer/questions.h"
#include "tracer/state.h"
#include "tracer/start.h"

#include <signal.h>

struct tracer {
    struct channel *channel;
    pid_t front;
    struct tracer_options options;
    struct emitter emitter;
    struct follow follow;
    struct clock clock;
    struct pace pace;
    struct calls calls;
    struct questions questions;
    bool off;                 /* no samples are to be taken */
    uint64_t calls_astray_ns; /* monotonic time of the next look for a call's tick of which no CPU is known; 0: none */
    bool calls_planned;       /* one is, on a CPU or not */
    bool settling;            /* everything is being let go */
    struct buffer text;       /* scratch for maps */
    uint64_t window_began_ns, window_paused_ns; /* for the overhead limit, with picker.ran_ns and clock.wasted_ns */
    uint64_t pause_began_ns;                    /* of the stop in hand; 0 if it took no running time from its thread */
    uint64_t leave_ns;                          /* that a thread of ours takes to leave a CPU that it held, mostly */
    uint64_t swept_ns;                          /* when all tracees were last asked for news */
    struct tick_schedule waits;                 /* when waiting threads are looked at */
    uint64_t waits_due_ns;                      /* the next of these instants; 0: none yet */
    uint64_t waits_next_ns;                     /* before that no waiting thread is looked at */
    pid_t times_due;                            /* process whose user and system time are to be looked at; 0: none */
    bool stack_refused;               /* the stack of the capture in hand could not be copied: no permission */
    struct interp_stack interp_stack; /* of the capture in hand */
    size_t waits_turn;                /* of threads, where they take turns to be captured */
    uint32_t commands_seen;
    volatile sig_atomic_t child_news;  /* some tracee has something to say */
    volatile pid_t awaited;            /* tid whose stop is being waited for */
    volatile sig_atomic_t wait_broken; /* set by the tick thread's signal */
    int closing;                       /* times that the front asked for the end, or went */
    volatile sig_atomic_t terms;       /* times that SIGTERM did */
};

/* Does what the front has asked for since the last time. */
void tracer_obey(struct tracer *tracer);

/* The tracer's life, until the front tells it to close, or dies. */
void tracer_run(struct channel *channel, const struct tracer_options *options);

#endif
