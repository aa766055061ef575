/* SPDX-License-Identifier: MIT */
#include "front/cli/dump_command.h"

#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/text/say.h"
#include "common/wire/shared.h"
#include "front/cli/options.h"
#include "front/cli/run.h"
#include "front/dump/dump.h"
#include "front/hints/hints.h"
#include "front/record/record.h"
#include "front/session/finished.h"
#include "front/session/intake.h"
#include "front/session/looks.h"
#include "front/session/session.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SHORTEST_NS UINT64_C(1000000)
#define LONGEST_NS (24 * 3600 * UINT64_C(1000000000))
#define INTERVAL_NS UINT64_C(1000000000)

void dump_options_begin(struct options *options)
{
    options->session.quiet = true;
    options->session.wall = true;
    options->session.follow = false;
    options->session.switching.off = true; /* it takes no samples, only looks */
    options->session.calls = CALLS_OFF;
    options->dump.interval_ns = INTERVAL_NS;
}

int dump_take_interval(struct options *options, const struct option_given *given)
{
    return option_duration(given, SHORTEST_NS, LONGEST_NS, "1ms to 24h", &options->dump.interval_ns);
}

int dump_options_finish(struct options *options, int argc, char **argv, struct error *error)
{
    if (optind < argc)
        return error_set(error, EINVAL,
                         "dump: unexpected argument '%s'; it shows running processes: ptprofil dump -p PID. For a core "
                         "file, use gdb PROGRAM CORE",
                         argv[optind]);
    if (!options->session.targets.count)
        return error_set(error, EINVAL, "dump: which process? Say: ptprofil dump -p PID, or --name=NAME");
    return 0;
}

/* One dump of several, with what it needs until the next one. */
struct shot {
    struct session session;
    bool started;
    struct record record;
    struct profile *profile;
    struct dump dump;
};

static void end_shot(struct shot *shot)
{
    dump_fini(&shot->dump);
    profile_free(shot->profile);
    session_release(&shot->session);
    if (shot->started) {
        channel_close(&shot->session.channel);
        close(shot->session.jobcontrol.descriptor);
    }
    record_fini(&shot->record);
    *shot = (struct shot){0};
}

/* Lets the tracer look at all threads, and releases the processes. Returns 0, or -errno with ERROR set. */
static int look(struct shot *shot, const struct options *options, char *title, size_t title_size, struct error *error)
{
    const struct attach_list *targets = &options->session.targets;
    struct session *session = &shot->session;
    shot->record.every_thread = true;
    int result = session_start(session, &options->session, &shot->record, title, title_size, error);
    if (result < 0)
        return result;
    shot->started = true;
    session_begin(session);
    result = looks_run(session);
    if (!result && dump_read(&shot->dump, targets->items, targets->count) < 0)
        result = error_set(error, ENOMEM, "out of memory");
    uint32_t missed = session->intake->looks.missed;
    session_end(session);
    if (result == -EINTR)
        return error_set(error, EINTR, "dump: we were asked to end");
    if (result == -ECHILD)
        return error_set(error, ECHILD, "dump: %s; try later",
                         session->ended_early ? session->ended_early : "the tracer has ended");
    if (missed)
        say_line(stderr, "%u of the threads could not be captured in time", (unsigned)missed);
    return result;
}

/* Makes SHOT, and writes it. BEFORE: the shot before, or NULL. Returns 0, or -errno with ERROR set. */
static int shoot(struct shot *shot, const struct shot *before, const struct options *options, FILE *stream, char *title,
                 size_t title_size, struct error *error)
{
    int result = look(shot, options, title, title_size, error);
    if (result < 0)
        return result;
    shot->profile = finished_profile(&shot->session, error);
    if (!shot->profile)
        return -ENOMEM;
    const struct looks *looks = &shot->session.intake->looks;
    uint64_t began_ns = atomic_load(&shot->session.channel.shared->began_ns);
    uint64_t look_ns = looks->began_ns > began_ns ? looks->began_ns - began_ns : 0;
    dump_fill(&shot->dump, shot->profile, looks, look_ns, options->dump.sort, before ? &before->dump : NULL);
    bool is_json = options->dump.format == DUMP_JSON;
    result = is_json ? dump_write_json(&shot->dump, before != NULL, stream)
                     : dump_write(&shot->dump, before != NULL, stream);
    if (result < 0)
        return error_system(error, -result, "cannot write the dump");
    if (!before)
        hints_stacks(&shot->session, shot->profile, stderr);
    return 0;
}

/* Waits for NS. The session before has blocked the signals that ask for the end. Returns true if one has come. */
static bool is_ended_in(uint64_t ns)
{
    sigset_t ends;
    run_ending_signals(&ends);
    return run_wait_until(&ends, time_now_ns() + ns);
}

int dump_command_run(const struct options *options, char *title, size_t title_size)
{
    struct error error = {0};
    struct shot shots[2] = {0};
    uint32_t count = options->dump.repeat ? options->dump.repeat : 1;
    int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a session drops the first one */
    FILE *stream = own < 0 ? NULL : fdopen(own, "w");
    int result = stream ? proc_prove(&error) : error_system(&error, errno, "cannot write to standard output");
    for (uint32_t i = 0; i < count && !result; i++) {
        struct shot *shot = &shots[i % 2];
        if (i && is_ended_in(options->dump.interval_ns))
            break;
        if (i && options->dump.format == DUMP_TEXT)
            say_own(stream, "\n");
        end_shot(shot);
        result = shoot(shot, i ? &shots[(i + 1) % 2] : NULL, options, stream, title, title_size, &error);
    }
    end_shot(&shots[0]);
    end_shot(&shots[1]);
    if (stream)
        fclose(stream);
    return result < 0 ? run_failed(&error) : 0;
}
