/* SPDX-License-Identifier: MIT
 *
 * Starts a session: opens its parts, and launches the command or attaches to processes. */
#include "front/session/session_parts.h"

#include "common/base/cpus.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"
#include "front/doctor/refusal.h"
#include "front/session/answer.h"
#include "front/session/attaching.h"
#include "front/session/confine.h"
#include "front/session/entries.h"
#include "front/session/inherited.h"
#include "front/session/intake.h"
#include "front/session/jobcontrol.h"
#include "front/session/mixed.h"
#include "front/session/rescuer.h"
#include "front/session/session.h"
#include "front/session/shadow.h"
#include "front/session/stacks.h"
#include "front/session/switching.h"
#include "programs/files/mounts.h"
#include "tracer/loop/start.h"
#include "tracer/tracee/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The timestamps of samples may take this part (1/4) of --max-memory. */
enum { INSTANTS_SHARE = 4 };

void session_command_tracer(struct session *session, uint32_t type, pid_t pid)
{
    channel_command(&session->channel, &(struct command){.type = type, .pid = pid});
}

int session_tracer_answer(struct session *session)
{
    return answer_await(&session->channel, &session->jobcontrol, session->tracer, &session->asked_to_end);
}

void session_end_tracer(struct session *session)
{
    kill(session->tracer, SIGKILL);
    waitpid(session->tracer, NULL, 0);
    rescuer_end(&session->rescuer, session->channel.shared);
    session->tracer = 0;
    session->ended_ns = time_now_ns();
}

static int launch_command(struct session *session, struct error *error)
{
    struct launch launch;
    int result =
        launch_prepare(&launch, session->options->command, session->tracer, &session->jobcontrol.inheritance, error);
    if (result < 0)
        return result;
    confine_front(session->options); /* the command has been forked */
    session->jobcontrol.command = launch.pid;
    session->jobcontrol.senders.recent = &session->intake->recent;
    session_command_tracer(session, COMMAND_LAUNCH, launch.pid);
    result = session_tracer_answer(session);
    if (result < 0 && result != -ECHILD) {
        refusal_explain(launch.pid, "cannot trace the command", result, error);
        launch_abandon(&launch);
        waitpid(launch.pid, NULL, 0);
        return result;
    }
    rescuer_start(&session->rescuer, session->channel.shared);
    session->exec_error = -launch_go(&launch);
    return 0;
}

int session_start_duration(struct session *session, struct error *error)
{
    session->timed = true;
    if (!session->options->duration_ns)
        return 0;
    session->timer = time_alarm(session->options->duration_ns);
    return session->timer < 0 ? error_system(error, -session->timer, "cannot make a timer") : 0;
}

static struct tracer_options tracer_options_of(const struct session_options *options)
{
    return (struct tracer_options){
        .rate = options->rate,
        .max_overhead = options->max_overhead,
        .names = options->names,
        .children = options->follow,
        .off = options->switching.off,
        .wall = options->wall,
        .stack_bytes = options->stacks == STACKS_NONE ? 0 : options->stack_bytes,
        .stack_deepest = options->stack_deepest,
        .calls = {options->semantics, options->hz, options->calls, options->impose, options->calls_wanted},
        .own_cpus = options->own_cpus,
    };
}

/* Returns 0 or -ENOMEM. */
static int init_session(struct session *session, const struct session_options *options, struct record *record)
{
    *session = (struct session){.options = options, .timer = -1, .intake = calloc(1, sizeof *session->intake)};
    if (!session->intake)
        return -ENOMEM;
    record->most_bytes = options->max_memory;
    record->instants.most_bytes = options->max_memory / INSTANTS_SHARE;
    session->record = session->intake->record = record;
    session->intake->mixed.interpreters.mode = options->interpreter;
    session->intake->channel = &session->channel;
    session->intake->entries.mode = options->calls;
    return 0;
}

/* Opens everything that the tracer's start and later steps need. */
static int open_parts(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    bool memory = options->stacks != STACKS_NONE || options->calls != CALLS_OFF;
    int result = switching_open(&session->switching, &options->switching, error);
    if (!result && memory)
        result = refusal_check_memory(error);
    mounts_note();
    if (!result)
        result = stacks_start(&session->intake->stacks, options->stacks, options->stack_deepest, error);
    if (!result)
        result = jobcontrol_start(&session->jobcontrol, !options->command, options->switching.signal, error);
    if (!result)
        result = channel_open(&session->channel, error);
    return result;
}

/* Starts the command, or attaches to processes. The tracer is running. */
static int begin_sampling(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    if (!options->command)
        confine_front(options);
    int result = options->command ? launch_command(session, error) : attaching_run(session, error);
    if (!result)
        result = switching_start(&session->switching, &options->switching, &session->channel, session->intake->record,
                                 error);
    if (!result && !options->switching.off)
        result = session_start_duration(session, error);
    if (result < 0)
        session_end_tracer(session);
    return result;
}

int session_start(struct session *session, const struct session_options *options, struct record *record, char *title,
                  size_t title_size, struct error *error)
{
    struct tracer_options tracer_options = tracer_options_of(options);
    struct inherited inherited;
    if (init_session(session, options, record) < 0)
        return error_set(error, ENOMEM, "out of memory");
    if (cpus_check(options->own_cpus) < 0)
        return error_set(
            error, EINVAL,
            "--own-cpus=%s: ptprofil may use none of these CPUs: the machine, or ptprofil's cpuset, does not have them",
            options->own_cpus);
    int result = open_parts(session, error);
    if (result < 0)
        return result;
    inherited_list(&inherited); /* not earlier: control_open has made the descriptor of --control=fd:N close-on-exec */
    session->tracer = tracer_start(&session->channel, &tracer_options, title, title_size, error);
    if (session->tracer < 0)
        return session->tracer;
    result = begin_sampling(session, error);
    inherited_drop(&inherited);
    cpus_widen(options->own_cpus); /* not earlier: the command must keep the CPUs that we were given */
    proc_allow_files(); /* each program and library that runs stays open; profiled programs keep their own limit */
    /* ignored: a report reader that has gone, or a limit on file sizes, must not change our exit status */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return result;
}

void session_release(struct session *session)
{
    switching_close(&session->switching);
    if (session->intake) {
        shadows_fini(&session->intake->shadows);
        entries_fini(&session->intake->entries);
        stacks_fini(&session->intake->stacks);
        mixed_fini(&session->intake->mixed);
        looks_fini(&session->intake->looks);
    }
    free(session->intake);
    free(session->command_line);
}
