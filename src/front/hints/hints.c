/* SPDX-License-Identifier: MIT */
#include "front/hints/hints.h"

#include "common/arch/machine.h"
#include "common/confine/calls.h"
#include "common/model/counters.h"
#include "common/model/quality.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "common/wire/message.h"
#include "common/wire/shared.h"
#include "front/hints/hints_parts.h"
#include "front/session/entries.h"
#include "front/session/intake.h"
#include "front/session/session.h"
#include "front/session/shadow.h"
#include "front/session/stacks.h"
#include "programs/unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    WORTH_CUT_PERCENT = 5, /* a hint is worth printing from this share of cut stacks on */
    WORTH_QUEUED = 2,      /* and if threads waited for a CPU for this part (1/N) of the time that they ran, */
    QUEUED_LEAST_NS = 500000000,
    WORTH_REMOTE = 100, /* and from this share (1/N) of samples from other CPUs on */
};

/* Returns true if the program in FD gains rights that its starter may not have, and nothing prevents it. */
static bool gains_rights(int fd)
{
    struct stat about;
    struct statvfs system;
    if (fstat(fd, &about) < 0 || fstatvfs(fd, &system) < 0 || system.f_flag & ST_NOSUID)
        return false;
    bool by_user = about.st_mode & S_ISUID && about.st_uid != geteuid();
    bool by_group = about.st_mode & S_ISGID && about.st_mode & S_IXGRP && about.st_gid != getegid();
    return by_user || by_group || fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Traced programs do not gain these rights, unless we may trace programs with them. */
static void hint_rights(struct advice *advice, const struct objects *objects)
{
    if (geteuid() == 0 || confine_had_no_new_privileges())
        return;
    for (size_t i = 0; i < objects->count; i++) {
        const struct object *object = &objects->items[i];
        if (object->kind != OBJECT_FILE || object->fd < 0 || !gains_rights(object->fd))
            continue;
        advice_add(advice, 100,
                   "%s gains rights when it is started (set-user-ID, set-group-ID or capabilities), but not while "
                   "it is profiled; run ptprofil as root",
                   object->path);
        return;
    }
}

static void hint_imposed(const struct shadows *shadows, unsigned long lost, FILE *stream)
{
    const struct message_imposed *refusal = &shadows->refusal;
    if (shadows->refused)
        say_line(stream, "the call was not imposed on %lu %s (%s, process %d: %s%s%s)", (unsigned long)shadows->refused,
                 text_plural(shadows->refused, "program", "programs"), refusal->comm, (int)refusal->pid,
                 shadow_refusal(refusal), refusal->error ? ": " : "", refusal->error ? strerror(refusal->error) : "");
    if (shadows->out_of_memory || (lost && shadows->count))
        say_line(stream, "the results of the imposed calls may be incomplete%s",
                 shadows->out_of_memory ? ": memory ran out" : "");
}

static void hint_troubles(const struct intake *intake, FILE *stream)
{
    const struct message_trouble *calls = &intake->troubles[TROUBLE_CALLS].of_one;
    const struct message_trouble *kind = &intake->troubles[TROUBLE_KIND].of_one;
    const struct message_trouble *stacks = &intake->troubles[TROUBLE_STACKS].of_one;
    if (intake->troubles[TROUBLE_KIND].count)
        say_line(stream, "%lu %s not sampled (%s, process %d): %s are not supported",
                 (unsigned long)intake->troubles[TROUBLE_KIND].count,
                 text_plural(intake->troubles[TROUBLE_KIND].count, "process was", "processes were"), kind->comm,
                 (int)kind->pid, ARCH_FOREIGN);
    if (intake->troubles[TROUBLE_CALLS].count)
        say_line(stream,
                 "stopped serving profil and pcsample in %lu %s (%s, process %d: cannot write to its memory: "
                 "%s)",
                 (unsigned long)intake->troubles[TROUBLE_CALLS].count,
                 text_plural(intake->troubles[TROUBLE_CALLS].count, "process", "processes"), calls->comm,
                 (int)calls->pid, strerror(calls->error));
    if (intake->troubles[TROUBLE_STACKS].count)
        say_line(
            stream,
            "cannot read the memory of %lu %s (%s, process %d: PR_SET_DUMPABLE, another user, or a program "
            "that may not be read): their samples have no callers, and names only of what was mapped before; try sudo",
            (unsigned long)intake->troubles[TROUBLE_STACKS].count,
            text_plural(intake->troubles[TROUBLE_STACKS].count, "process", "processes"), stacks->comm,
            (int)stacks->pid);
}

/* Some stacks are cut before it is known that a program's stacks are deep. */
static void hint_stack_bytes(struct advice *advice, const struct stacks *stacks, uint32_t copied)
{
    unsigned percent = stacks->unwound ? (unsigned)(stacks->limited * 100 / stacks->unwound) : 0;
    uint32_t enough = copied;
    while (enough < stacks->deepest && enough < STACKS_LARGEST)
        enough = enough < STACKS_LARGEST / 2 ? 2 * enough : STACKS_LARGEST;
    if (percent < WORTH_CUT_PERCENT)
        return;
    if (stacks->deepest <= STACKS_LARGEST)
        advice_add(advice, percent,
                   "%u %% of the stacks are cut: they are deeper than the part that was copied; --stack-bytes=%u would "
                   "show them whole",
                   percent, enough);
    else
        advice_add(advice, percent, "%u %% of the stacks are cut: they are deeper than the part that can be copied",
                   percent);
}

static void hint_no_libunwind(struct advice *advice, const struct profile *profile)
{
    uint64_t cut = 0, all = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        all += sample->count;
        cut += sample->cut != PROFILE_WHOLE && sample->cut != PROFILE_MERGED ? sample->count : 0;
    }
    if (!unwind_has_dwarf() && cut && cut * 100 >= all * WORTH_CUT_PERCENT)
        advice_add(advice, 100 * (double)cut / (double)all,
                   "stacks are cut in code without frame pointers: this ptprofil was built without libunwind");
}

/* Their stops are requested from another CPU. */
static void hint_remote(struct advice *advice, const struct tracer_counts *counts)
{
    uint64_t remote = atomic_load(&counts->remote), samples = atomic_load(&counts->samples);
    if (remote && remote >= samples / WORTH_REMOTE)
        advice_add(advice, samples ? 100 * (double)remote / (double)samples : 100,
                   "%lu of %lu samples are from CPUs that ptprofil may not use (its cpuset): too many of them are "
                   "shown at the ends of system calls; run ptprofil in the control group of the profiled processes",
                   (unsigned long)remote, (unsigned long)samples);
}

/* Threads that wait for a CPU. The profile of CPU time does not show them. */
static void hint_queued(struct advice *advice, const struct tracer_counts *counts, const struct profile *profile)
{
    uint64_t queued_ns = atomic_load(&counts->queued_ns), cpu_ns = profile_cpu_ns(profile);
    if (profile->quality.wall || queued_ns < QUEUED_LEAST_NS || queued_ns < cpu_ns / WORTH_QUEUED)
        return;
    advice_add(advice, 100 * (double)queued_ns / (double)(queued_ns + cpu_ns),
               "threads waited at least %.1f s for a CPU, and ran for %.1f s. Causes are more threads than CPUs, other "
               "programs, a container's CPU limit, or pinning; --clock=wall shows where they waited",
               (double)queued_ns / 1e9, (double)cpu_ns / 1e9);
}

/* Returns false if no thread had a higher priority than ours, or if that caused no loss. */
static bool hint_outranked(struct advice *advice, const struct tracer_counts *counts, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    uint64_t samples = profile_samples(profile),
             missing = quality->counters[QUALITY_lost_late] + quality->counters[QUALITY_lost_unsampled];
    missing += atomic_load(&counts->remote);
    if (!atomic_load(&counts->outranked) || missing < samples / WORTH_REMOTE)
        return false;
    advice_add(advice, samples ? 100 * (double)missing / (double)samples : 100,
               "threads have a higher real-time priority than ptprofil can get: they are sampled only while they leave "
               "it a CPU, and too often at the ends of system calls; run the command without the right to such a "
               "priority: 'setpriv --inh-caps=-sys_nice --bounding-set=-sys_nice COMMAND'");
    return true;
}

/* Tells a user who asked for the calls why none was served. */
static void hint_unserved(const struct session *session, FILE *stream)
{
    const struct session_options *options = session->options;
    const struct entries *entries = &session->intake->entries;
    const struct calls_counts *counts = &session->channel.shared->calls;
    unsigned long unanswered = (unsigned long)atomic_load(&counts->unanswered);
    if (!options->calls_wanted || options->impose.kind != CALL_NONE)
        return;
    if (entries->refused.count)
        say_line(stream,
                 "%lu %s the C library's own profil and sprofil (%s, process %d): it refers to prctl, and to clone or "
                 "syscall; link it with libpcsample instead (ptprofil help calls)",
                 (unsigned long)entries->refused.count,
                 text_plural(entries->refused.count, "program keeps", "programs keep"),
                 entries->refused.path ? entries->refused.path : "?", (int)entries->refused.pid);
    if (unanswered)
        say_line(stream,
                 "calls of %lu %s the C library's own, because ptprofil was stopped or stuck when it looked for them",
                 unanswered, text_plural(unanswered, "program may be", "programs may be"));
    if (entries->refused.count || unanswered || atomic_load(&counts->served) || atomic_load(&counts->planted))
        return;
    if (options->calls == CALLS_OFF)
        say_line(stream, "no call was served: running processes need --calls=on, too");
    else if (entries->refused.others)
        say_line(stream,
                 "no call was served: programs that refer to prctl, and to clone or syscall, keep the C library's "
                 "own; link them with libpcsample instead (ptprofil help calls)");
    else if (!entries->referred && options->calls == CALLS_AUTO)
        say_line(stream,
                 "no call was served: no program refers to profil or sprofil; --calls=on also serves calls that "
                 "only libraries make");
    else
        say_line(stream,
                 "no call was served: found no profil or sprofil of a C library, as in stripped static programs "
                 "and with musl; link the program with libpcsample instead");
}

/* Reports events that require no action now. */
static void say_events(const struct session *session, FILE *stream)
{
    const struct intake *intake = session->intake;
    const struct tracer_counts *counts = &session->channel.shared->counts;
    unsigned long lost = (unsigned long)atomic_load(&counts->lost_messages) + intake->unknown;
    unsigned unreachable = atomic_load(&counts->unreachable), unstopped = atomic_load(&counts->unstopped);

    if (intake->running && !session->ended_early && !session->options->wait && session->options->command)
        say_line(stream, "%lu %s", (unsigned long)intake->running,
                 text_plural(intake->running, "process was still running, and let go; --wait waits for it",
                             "processes were still running, and let go; --wait waits for them"));
    if (unreachable)
        say_line(stream, "%u %s could not be followed", unreachable, text_plural(unreachable, "child", "children"));
    hint_troubles(intake, stream);
    hint_unserved(session, stream);
    if (unstopped)
        say_line(stream, "%u %s in the kernel, out of reach (state D, as for a vforked child, a disk, or frozen)",
                 unstopped,
                 text_plural(unstopped, "thread was let go without having stopped: it waits",
                             "threads were let go without having stopped: they wait"));
    if (lost || intake->record->out_of_memory)
        say_line(stream, "the profile is incomplete: %lu %s lost%s", lost,
                 text_plural(lost, "message was", "messages were"),
                 intake->record->out_of_memory ? ", and memory ran out" : "");
    hint_imposed(&intake->shadows, lost, stream);
}

/* Adds hints on how stacks become whole, and names known. */
static void add_of_stacks(struct advice *advice, const struct session *session, const struct profile *profile)
{
    hint_stack_bytes(advice, &session->intake->stacks, session->options->stack_bytes);
    hint_no_libunwind(advice, profile);
    hint_rights(advice, &session->intake->record->objects);
}

void hints_stacks(const struct session *session, const struct profile *profile, FILE *stream)
{
    struct advice advice = {0};
    hint_troubles(session->intake, stream);
    add_of_stacks(&advice, session, profile);
    hints_code(&advice, profile, &session->intake->record->objects, REPORT_BY_FUNCTION, stream);
    advice_say(&advice, stream);
    advice_fini(&advice);
}

void hints_print(const struct session *session, const struct profile *profile, const struct report_options *screen,
                 FILE *stream)
{
    const struct intake *intake = session->intake;
    const struct tracer_counts *counts = &session->channel.shared->counts;
    struct advice advice = {0};
    say_events(session, stream);
    add_of_stacks(&advice, session, profile);
    hint_queued(&advice, counts, profile);
    if (session->options->follow && !screen->filter_count) /* otherwise this may be why ranks are missing */
        hints_ranks(&advice, session->options->command, profile);
    hints_code(&advice, profile, &intake->record->objects, screen->by, stream);
    bool whole = !intake->troubles[TROUBLE_KIND].count; /* otherwise the rate does not explain time without samples */
    if (!hint_outranked(&advice, counts, profile) && whole) {
        hint_remote(&advice, counts);
        hints_sampling(&advice, profile, screen);
    }
    advice_say(&advice, stream);
    advice_fini(&advice);
}
