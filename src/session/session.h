/* SPDX-License-Identifier: MIT
 *
 * The front's life while the command runs. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/error.h"
#include "session/intake.h"
#include "session/jobcontrol.h"
#include "session/options.h"
#include "session/rescuer.h"
#include "session/switching.h"

#include <poll.h>
#include <sys/resource.h>

/* A task of the caller, run from time to time during a session. Zeroed: no task. */
struct session_chore {
    void (*look)(void *of); /* called when it is time or something happened; NULL: nothing to do */
    void *of;
    uint64_t next_ns; /* monotonic */
    int news;         /* a descriptor that can be read then; -1: none */
};

/* What was counted before the interval that is being recorded, see finished.h. Zeroed: it is the first. */
struct session_since {
    struct tracer_counts counts;
    uint64_t began_ns; /* monotonic time at which the interval began; 0: with sampling */
    uint64_t off_ns;   /* time that sampling was off */
    uint64_t cpu_ns;   /* CPU time of tracer and front */
};

struct session {
    const struct session_options *options;
    struct jobcontrol jobcontrol;
    struct channel channel;
    struct rescuer rescuer;
    struct intake intake;
    char *command_line; /* the command, as it would be typed; owned. NULL if none exists */
    pid_t tracer;       /* 0 when it has ended */
    int command_status; /* wait status, once command_ended */
    bool command_ended;
    bool behind;       /* the ring may hold messages that have not been taken */
    bool closing;      /* the tracer has been asked to close */
    bool asked_to_end; /* by a signal, while only daemons were waited for */
    int timer;         /* timerfd of --duration, or -1 */
    bool timed;        /* the duration has begun */
    struct switching switching;
    struct rusage tracer_usage;
    const char *ended_early;    /* why sampling ended before the command did, or NULL */
    uint64_t ended_ns;          /* monotonic time of the end of sampling */
    struct session_since since; /* the interval of the record */
    int exec_error;             /* errno, if the command could not be executed */
    struct session_chore chore; /* of session_run */
};

/* Starts tracer and command. TITLE and TITLE_SIZE: see tracer_start. Returns 0, with exec_error set if the command
 * could not be executed, or -errno with ERROR set; nothing is left running then. */
int session_start(struct session *session, const struct session_options *options, struct record *record, char *title,
                  size_t title_size, struct error *error);

/* Returns the profiled command as it would be typed, or the first attached process. NULL if unknown. */
const char *session_command_line(const struct session *session);

/* Has the tracer attach to process PID, and waits for that. Returns 0, or -errno: -EALREADY if it is traced by
 * us, -ECHILD if the tracer has died, with ended_early saying why, -EINTR if a signal has asked us to end before the
 * tracer could answer. */
int session_attach(struct session *session, pid_t pid);

/* Lives until the command has ended, the tracer has closed and everything that it sent has been taken. */
void session_run(struct session *session);

/* The parts of session_run, for callers with more to do in between. session_begin starts. session_turn waits for an
 * event, at most TIMEOUT_MS (-1: without limit), and handles it; it also waits for the COUNT descriptors MORE, at
 * most SESSION_MORE, as poll(2) does. The others say whether anything can still be sampled, end sampling at any
 * time, and wait for the end of the command, if any. */
enum { SESSION_MORE = 4 };
void session_begin(struct session *session);
void session_turn(struct session *session, struct pollfd *more, size_t count, int timeout_ms);
bool session_goes_on(const struct session *session);
void session_end(struct session *session);
void session_await_command(struct session *session);

#endif
