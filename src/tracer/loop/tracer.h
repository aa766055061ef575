/* SPDX-License-Identifier: MIT
 *
 * The tracer process. */
#ifndef LOOP_TRACER_H
#define LOOP_TRACER_H

#include "common/wire/emit.h"
#include "tracer/calls/calls.h"
#include "tracer/clock/clock.h"
#include "tracer/follow/follow.h"
#include "tracer/loop/ahead.h"
#include "tracer/loop/look.h"
#include "tracer/loop/news.h"
#include "tracer/loop/pace.h"
#include "tracer/loop/questions.h"
#include "tracer/loop/start.h"
#include "tracer/loop/state.h"

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
    bool off;                 /* sampling is off */
    uint64_t calls_astray_ns; /* monotonic time of the next look on all CPUs for a call's tick; 0: none */
    bool calls_planned;       /* a look for a call's tick is planned, on one CPU or all */
    bool settling;            /* all tracees are being detached */
    struct buffer text;       /* scratch for maps */
    uint64_t ended_ns;        /* CPU time after exit stops that no sample represents yet */
    uint64_t window_began_ns, window_paused_ns; /* for the overhead limit, with picker.ran_ns and clock.wasted_ns */
    uint64_t pause_began_ns;                    /* beginning of the current stop; 0: it took no running time from its
                                                 * thread */
    struct thread *counted;                     /* the thread of that stop, with its CPU time up to it; NULL: none */
    uint64_t leave_ns;                          /* typical time that our thread takes to leave a CPU that it blocked */
    struct tick_schedule waits;                 /* deadlines for looking at waiting threads */
    uint64_t waits_due_ns;                      /* the earliest of these deadlines; 0: none yet */
    uint64_t waits_next_ns;                     /* no look at waiting threads before this time */
    struct faults_pool short_faults;            /* of short processes */
    bool faults_marked;                         /* this processor marks page faults, see arch_fault */
    pid_t times_due;                            /* process that is due for reading user and system time; 0: none */
    bool stack_grows;                           /* the current capture is cut, and the next one may have more */
    bool stack_refused;               /* the stack of the current capture could not be copied: no permission */
    struct interp_stack interp_stack; /* of the current capture */
    struct ahead ahead;               /* of the awaited thread */
    struct look look;
    size_t waits_turn; /* next thread to capture, if threads take turns */
    uint32_t commands_seen;
    struct news news;
    pid_t awaited;               /* tid of the thread with an awaited stop */
    int closing;                 /* how often the front asked for the end, or disappeared */
    volatile sig_atomic_t terms; /* how often SIGTERM was received */
};

/* Executes the commands that the front has sent since the last call. */
void tracer_obey(struct tracer *tracer);

/* Runs the tracer until the front closes it, or dies. */
void tracer_run(struct channel *channel, const struct tracer_options *options);

#endif
