/* SPDX-License-Identifier: MIT
 *
 * The front while the command runs. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "common/model/counters.h"
#include "common/wire/channel.h"
#include "front/session/attaching.h"
#include "front/session/jobcontrol.h"
#include "front/session/progress.h"
#include "front/session/rescuer.h"
#include "front/session/switching.h"

#include <poll.h>
#include <sys/resource.h>

struct error;

/* Counts at the beginning of the present interval, see finished.h. Zeroed: the first interval. */
struct session_since {
    struct tracer_counts counts;
    uint64_t began_ns; /* monotonic time at which the interval began; 0: when sampling began */
    uint64_t off_ns;   /* time that sampling was off */
    uint64_t cpu_ns;   /* CPU time of tracer and front */
};

struct session {
    const struct session_options *options;
    struct jobcontrol jobcontrol;
    struct channel channel;
    struct rescuer rescuer;
    struct intake *intake;      /* owned */
    struct record *record;      /* borrowed */
    struct name_server *names;  /* for finished_profile; or NULL */
    struct naming_ahead *ahead; /* reads sampled files while the recording goes on; or NULL */
    char *command_line;         /* the command line as typed; owned; NULL: none */
    pid_t tracer;               /* 0 when it has ended */
    int command_status;         /* wait status, once command_ended */
    bool command_ended;
    bool behind;              /* the ring may contain untaken messages */
    bool closing;             /* the tracer has been asked to close */
    bool tracer_lost;         /* it was killed; ended_early has the reason */
    bool asked_to_end;        /* requested by a signal, while only daemons were waited for */
    struct arrivals arrivals; /* with search_again */
    int timer;                /* timerfd of --duration, or -1 */
    bool timed;               /* the duration has begun */
    struct switching switching;
    struct rusage tracer_usage;
    const char *ended_early;    /* why sampling ended before the command did, or NULL */
    uint64_t ended_ns;          /* monotonic time of the end of sampling */
    struct session_since since; /* counts at the beginning of the present interval */
    int exec_error;             /* errno, if the command could not be executed */
    struct progress progress;   /* of session_run */
};

/* Starts tracer and command. TITLE and TITLE_SIZE: see tracer_start. Returns 0, with exec_error set if the command
 * could not be executed, or -errno with ERROR set; nothing is left running then. */
int session_start(struct session *session, const struct session_options *options, struct record *record, char *title,
                  size_t title_size, struct error *error);

/* Frees what SESSION owns, but not its channel. SESSION may be zeroed. */
void session_release(struct session *session);

/* Begins the next interval, with the counts SINCE at its beginning. */
void session_renew(struct session *session, const struct session_since *since);

/* Returns the processes with emulated calls that SESSION imposed, for imposed_write. */
struct shadows *session_shadows(struct session *session);

/* Returns the profiled command as typed, or the first attached process; NULL if unknown. */
const char *session_command_line(const struct session *session);

/* Lets the tracer attach to process PID, and waits for its answer. Returns 0, or -errno: -EALREADY if we already trace
 * it, -ECHILD if the tracer has died (ended_early has the reason), -EINTR if a signal requested the end before the
 * tracer could answer. */
int session_attach(struct session *session, pid_t pid);

/* Runs until the command has ended, the tracer has closed, and all its messages are taken; then returns false. Returns
 * true before that, each time the caller has work to do: at the monotonic time UNTIL_NS, or when the descriptor NEWS
 * (-1: none) is readable. */
bool session_run(struct session *session, uint64_t until_ns, int news);

/* The parts of session_run, for callers with other work in between. session_begin starts. session_turn waits for an
 * event, at most TIMEOUT_MS (-1: without limit), and handles it. It also waits for the COUNT descriptors MORE, at most
 * SESSION_MORE, as poll(2) does. The others report whether anything can still be sampled, end sampling at any time, and
 * wait for the end of the command, if any. */
enum { SESSION_MORE = 4 };
void session_begin(struct session *session);
void session_turn(struct session *session, struct pollfd *more, size_t count, int timeout_ms);
bool session_goes_on(const struct session *session);
void session_end(struct session *session);
void session_await_command(struct session *session);

#endif
