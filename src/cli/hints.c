/* SPDX-License-Identifier: MIT */
#include "cli/hints.h"

#include "doctor/runtimes.h"
#include "text/say.h"
#include "unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    WORTH_PERCENT = 10,    /* a module whose names are missing is worth a hint from this share of the CPU time on */
    WORTH_CUT_PERCENT = 5, /* and so are stacks that are cut, from this share of them on */
    WORTH_REMOTE = 100,    /* one of so many samples */
};

/* So much of the CPU time without samples is worth one, too; but what is over in no time has none at any rate. */
enum { UNSAMPLED_PERCENT = 20, UNSAMPLED_LEAST_NS = 50000000, HIGHER = 20, HIGHEST_RATE = 20000 };

/* And so are shares that are known by few samples, unless next to nothing ran. */
enum { FEW_SAMPLES = 100, ENOUGH_SAMPLES = 1000, FEW_LEAST_NS = 10000000 };

/* What ran in MODULE, or if FUNCTION is not NULL in what is called so there. */
static uint64_t module_ns(const struct profile *profile, uint32_t module, const char *function)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_location *location = &profile->locations[profile->frames[sample->frame_first]];
        if (sample->syscall < 0 && location->module == module &&
            (!function || !strcmp(profile->functions[location->function].name, function)))
            sum += profile_sample_ns(sample);
    }
    return sum;
}

/* What ran in MODULE in functions that have names. */
static uint64_t named_ns(const struct profile *profile, uint32_t module)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_location *location = &profile->locations[profile->frames[sample->frame_first]];
        const char *name = profile->functions[location->function].name;
        if (sample->syscall < 0 && location->module == module && strcmp(name, PROFILE_NAME_UNKNOWN) != 0 &&
            !strstr(name, "+0x"))
            sum += profile_sample_ns(sample);
    }
    return sum;
}

static void hint_missing_names(const struct profile *profile, uint32_t number, FILE *stream)
{
    const struct profile_module *module = &profile->modules[number];
    uint64_t named = named_ns(profile, number);
    if (named > module_ns(profile, number, NULL) / 2)
        return;
    bool grouped = module_ns(profile, number, PROFILE_NAME_UNKNOWN) < module_ns(profile, number, NULL) / 2;
    say_line(stream,
             "hint: %s has %s: %s. If you build it, do not strip it; else install its debug symbols (package *-dbgsym; "
             "build-id %s), or set DEBUGINFOD_URLS",
             module->name, named ? "only the names of exported functions" : "no symbols",
             grouped ? named ? "the rest of its code is grouped by function"
                             : "its code is grouped by function, without names"
                     : "most of its code is [unknown], as it has next to no unwind tables either, which tell where "
                       "functions begin",
             module->build_id ? module->build_id : "none");
}

static bool has_lines(const struct profile *profile, uint32_t module)
{
    for (size_t i = 0; i < profile->location_count; i++)
        if (profile->locations[i].module == module && profile->locations[i].line_count)
            return true;
    return false;
}

static void hint_missing_lines(const struct profile_module *module, FILE *stream)
{
#ifdef HAVE_LIBDW
    say_line(stream,
             "hint: no line information for %s: compile it with -g, install its debug symbols (package *-dbgsym; "
             "build-id %s), or set DEBUGINFOD_URLS",
             module->name, module->build_id ? module->build_id : "none");
#else
    say_line(stream, "hint: no line information for %s: this ptprofil was built without libdw", module->name);
#endif
}

/* RUNTIME is told of once: TOLD has a bit for each. */
static void hint_runtime(const struct runtime *runtime, unsigned *told, FILE *stream)
{
    unsigned bit = 1u << runtimes_number(runtime);
    if (!(*told & bit))
        say_line(stream, "hint: %s: %s; see RUNTIMES in ptprofil(1)", runtime->name, runtime->advice);
    *told |= bit;
}

/* What ran in MODULE, or was called from it. */
static uint64_t stack_ns(const struct profile *profile, uint32_t module)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const uint32_t *frames = &profile->frames[sample->frame_first];
        uint32_t at = 0;
        while (at < sample->frame_count && profile->locations[frames[at]].module != module)
            at++;
        sum += at < sample->frame_count ? profile_sample_ns(sample) : 0;
    }
    return sum;
}

/* Much of the time is in generated code without names, or in what that called: a launcher, which may be all that the
 * program's own file is, does not tell by whom it was made, but what is mapped does. Where nothing tells, little code
 * that calls everything is no more than a trampoline: only time in it counts, SELF. */
static void hint_generated(const struct objects *objects, bool self, FILE *stream)
{
    unsigned told = 0;
    for (size_t i = 0; i < objects->count; i++) {
        const char *path = objects->items[i].path;
        const struct runtime *runtime = path ? runtimes_find(profile_module_name(path)) : NULL;
        if (runtime && runtime->compiles)
            hint_runtime(runtime, &told, stream);
    }
    if (!told && self)
        say_line(stream,
                 "hint: [anon] is code that the program made itself, and did not name in /tmp/perf-PID.map; see "
                 "RUNTIMES in ptprofil(1)");
}

static bool has_module(const struct profile *profile, const char *path)
{
    for (uint32_t i = 0; i < profile->module_count; i++)
        if (!strcmp(profile->modules[i].path, path))
            return true;
    return false;
}

/* Returns false if that is not so. */
static bool hint_unsampled(const struct profile *profile, FILE *stream)
{
    uint64_t unsampled = 0, rate = profile_last_rate(&profile->quality);
    for (size_t i = 0; i < profile->process_count; i++)
        unsampled += profile->processes[i].unsampled_ns;
    if (unsampled < UNSAMPLED_LEAST_NS || unsampled < profile_cpu_ns(profile) / 100 * UNSAMPLED_PERCENT ||
        rate > HIGHEST_RATE / 2)
        return false;
    say_line(stream,
             "hint: much of the time is of programs without a sample, which ran for too short a time. A higher rate "
             "samples more of them: -F %lu",
             (unsigned long)(rate < HIGHEST_RATE / HIGHER ? rate * HIGHER : HIGHEST_RATE));
    return true;
}

/* RATE or the next one above it that is 1, 2 or 5 with noughts, up to the highest. */
static unsigned long round_rate(uint64_t rate)
{
    static const unsigned firsts[] = {1, 2, 5};
    for (uint64_t ten = 1; ten < HIGHEST_RATE; ten *= 10)
        for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
            if (firsts[i] * ten >= rate && firsts[i] * ten < HIGHEST_RATE)
                return (unsigned long)(firsts[i] * ten);
    return HIGHEST_RATE;
}

/* Where the rate has changed, its mean. */
static uint64_t mean_rate(const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    if (profile_last_rate(quality) == quality->rate)
        return quality->rate;
    return (uint64_t)((double)quality->due * 1e9 / (double)profile_ns(profile));
}

/* Two standard deviations of a half are a share of 1 / sqrt(samples). */
static void hint_few(const struct profile *profile, FILE *stream)
{
    uint64_t samples = profile_samples(profile), rate = mean_rate(profile);
    unsigned off = 1;
    if (!samples || samples >= FEW_SAMPLES || profile_ns(profile) < FEW_LEAST_NS || !rate || rate > HIGHEST_RATE / 2)
        return;
    while (off < 50 && off * off * samples < 10000)
        off++;
    say_line(stream, "hint: %lu sample%s: 50 %% may show as %u or %u; try -F %lu", (unsigned long)samples,
             samples == 1 ? " tells little" : "s tell little", 50 - off, 50 + off,
             round_rate(rate * ENOUGH_SAMPLES / samples));
}

void hints_samples(const struct profile *profile, FILE *stream)
{
    if (!hint_unsampled(profile, stream))
        hint_few(profile, stream);
}

static void hint_modules(const struct profile *profile, const struct objects *objects, enum report_by by, FILE *stream)
{
    bool named = has_module(profile, "[jit]");
    unsigned told = 0;
    uint64_t worth = profile_ns(profile) / 100 * WORTH_PERCENT;
    for (uint32_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];
        bool self = worth && module_ns(profile, i, NULL) >= worth;
        if (!strcmp(module->path, "[anon]") && worth && stack_ns(profile, i) >= worth)
            hint_generated(objects, self, stream);
        if (!self)
            continue;
        if (module->no_symbols)
            hint_missing_names(profile, i, stream);
        else if (module->path[0] == '/' && !module->text_end)
            say_line(stream, "hint: %s is no ELF file, or could not be read: nothing tells the names of its code",
                     module->name);
        else if (by == REPORT_BY_LINE && module->text_end && !module->lines_cut && !has_lines(profile, i))
            hint_missing_lines(module, stream);
        if (module->lines_cut)
            say_line(stream,
                     "lines and inlined calls of %s are incomplete: its debug information is broken, or too "
                     "much to read",
                     module->name);
        const struct runtime *runtime = runtimes_find(module->name);
        if (runtime && !runtime->compiles && !named)
            hint_runtime(runtime, &told, stream);
    }
}

/* True if the program in FD gains rights that its starter need not have, where nothing forbids that. */
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

/* Those that we trace do not, unless we might trace them with these rights, too. */
static void hint_rights(const struct objects *objects, FILE *stream)
{
    if (geteuid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return;
    for (size_t i = 0; i < objects->count; i++) {
        const struct object *object = &objects->items[i];
        if (object->kind != OBJECT_FILE || object->fd < 0 || !gains_rights(object->fd))
            continue;
        say_line(stream,
                 "hint: %s gains rights when it is started (set-user-ID, set-group-ID or capabilities), but not while "
                 "it is profiled; run ptprofil as root",
                 object->path);
        return;
    }
}

static void hint_imposed(const struct shadows *shadows, unsigned long lost, FILE *stream)
{
    const struct message_imposed *refusal = &shadows->refusal;
    if (shadows->refused)
        say_line(stream, "the call was not imposed on %lu program%s (%s, process %d: %s%s%s)",
                 (unsigned long)shadows->refused, shadows->refused == 1 ? "" : "s", refusal->comm, (int)refusal->pid,
                 shadow_refusal(refusal), refusal->error ? ": " : "", refusal->error ? strerror(refusal->error) : "");
    if (shadows->out_of_memory || (lost && shadows->count))
        say_line(stream, "what the imposed calls left may be incomplete%s",
                 shadows->out_of_memory ? ": memory ran out" : "");
}

static void hint_troubles(const struct intake *intake, FILE *stream)
{
    const struct message_trouble *calls = &intake->troubles[TROUBLE_CALLS].of_one;
    const struct message_trouble *stacks = &intake->troubles[TROUBLE_STACKS].of_one;
    if (intake->troubles[TROUBLE_CALLS].count)
        say_line(stream,
                 "stopped serving profil and pcsample in %lu process%s (%s, process %d: cannot write to its memory: "
                 "%s)",
                 (unsigned long)intake->troubles[TROUBLE_CALLS].count,
                 intake->troubles[TROUBLE_CALLS].count == 1 ? "" : "es", calls->comm, (int)calls->pid,
                 strerror(calls->error));
    if (intake->troubles[TROUBLE_STACKS].count)
        say_line(
            stream,
            "cannot read the memory of %lu process%s (%s, process %d: PR_SET_DUMPABLE, another user, or a program "
            "that may not be read): their samples have no callers, and names only of what was mapped before; try sudo",
            (unsigned long)intake->troubles[TROUBLE_STACKS].count,
            intake->troubles[TROUBLE_STACKS].count == 1 ? "" : "es", stacks->comm, (int)stacks->pid);
}

/* Some are lost before it is known that a program's stacks are deep. */
static void hint_stack_bytes(const struct stacks *stacks, uint32_t copied, FILE *stream)
{
    unsigned percent = stacks->unwound ? (unsigned)(stacks->limited * 100 / stacks->unwound) : 0;
    uint32_t enough = copied;
    while (enough < stacks->deepest && enough < STACKS_LARGEST)
        enough = enough < STACKS_LARGEST / 2 ? 2 * enough : STACKS_LARGEST;
    if (percent < WORTH_CUT_PERCENT)
        return;
    if (stacks->deepest <= STACKS_LARGEST)
        say_line(stream,
                 "hint: %u %% of the stacks are cut, as they are deeper than what was copied of them: "
                 "--stack-bytes=%u would show them whole",
                 percent, enough);
    else
        say_line(stream, "hint: %u %% of the stacks are cut, as they are deeper than what can be copied of them",
                 percent);
}

static void hint_no_libunwind(const struct profile *profile, FILE *stream)
{
    uint64_t cut = 0, all = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        all += sample->count;
        cut += sample->cut != PROFILE_WHOLE && sample->cut != PROFILE_MERGED ? sample->count : 0;
    }
    if (!unwind_has_dwarf() && cut && cut * 100 >= all * WORTH_CUT_PERCENT)
        say_line(stream,
                 "hint: stacks are cut in code without frame pointers: this ptprofil was built without libunwind");
}

/* Their stops are asked for from another CPU. */
static void hint_remote(const struct tracer_counts *counts, FILE *stream)
{
    uint64_t remote = atomic_load(&counts->remote), samples = atomic_load(&counts->samples);
    if (remote && remote >= samples / WORTH_REMOTE)
        say_line(stream,
                 "hint: %lu of %lu samples are from CPUs that ptprofil may not use (its cpuset): of these, too many "
                 "are shown at the ends of system calls; run ptprofil in the control group of what it profiles",
                 (unsigned long)remote, (unsigned long)samples);
}

/* Returns false if no thread came before us, or that did no harm. */
static bool hint_outranked(const struct tracer_counts *counts, const struct profile *profile, FILE *stream)
{
    const struct profile_quality *quality = &profile->quality;
    uint64_t samples = profile_samples(profile), missing = quality->lost_late + quality->lost_unsampled;
    if (!atomic_load(&counts->outranked) || missing + atomic_load(&counts->remote) < samples / WORTH_REMOTE)
        return false;
    say_line(stream,
             "hint: threads have a real-time priority that ptprofil cannot be above: they are sampled only where they "
             "leave it a CPU, and too often at the ends of system calls; run the command without the right to that, as "
             "by 'setpriv --inh-caps=-sys_nice --bounding-set=-sys_nice'");
    return true;
}

void hints_print(const struct session *session, const struct profile *profile, enum report_by by, FILE *stream)
{
    const struct intake *intake = &session->intake;
    const struct tracer_counts *counts = &session->channel.shared->counts;
    unsigned long lost = (unsigned long)atomic_load(&counts->lost_messages) + intake->unknown;
    unsigned unreachable = atomic_load(&counts->unreachable), unstopped = atomic_load(&counts->unstopped);

    if (intake->running && !session->ended_early && !session->options->wait && session->options->command)
        say_line(stream, "%lu process%s still running, and let go; --wait waits for %s", (unsigned long)intake->running,
                 intake->running == 1 ? " was" : "es were", intake->running == 1 ? "it" : "them");
    if (unreachable)
        say_line(stream, "%u child%s could not be followed", unreachable, unreachable == 1 ? "" : "ren");
    hint_troubles(intake, stream);
    if (unstopped)
        say_line(stream,
                 "%u thread%s let go without having stopped: %s in the kernel, out of reach "
                 "(state D, as for a vforked child, a disk, or frozen)",
                 unstopped, unstopped == 1 ? " was" : "s were", unstopped == 1 ? "it waits" : "they wait");
    if (lost || intake->record->out_of_memory)
        say_line(stream, "the profile is incomplete: %lu message%s lost%s", lost, lost == 1 ? " was" : "s were",
                 intake->record->out_of_memory ? ", and memory ran out" : "");
    hint_imposed(&intake->shadows, lost, stream);
    hint_stack_bytes(&intake->stacks, session->options->stack_bytes, stream);
    hint_no_libunwind(profile, stream);
    hint_rights(&intake->record->objects, stream);
    hint_modules(profile, &intake->record->objects, by, stream);
    if (hint_outranked(counts, profile, stream))
        return;
    hint_remote(counts, stream);
    hints_samples(profile, stream);
}
