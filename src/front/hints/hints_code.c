/* SPDX-License-Identifier: MIT
 *
 * Hints about code without names or lines, and about generated code. */
#include "front/hints/hints_parts.h"

#include "common/text/say.h"
#include "front/doctor/runtimes.h"
#include "front/record/object.h"
#include "profile/profile/profile.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { WORTH_PERCENT = 10 }; /* percentage of time from which on missing names are worth a hint */

/* Returns the time in MODULE; if FUNCTION is not NULL, in its function of that name. */
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

/* Returns the time in functions of MODULE that have names. */
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

static void hint_missing_names(struct advice *advice, const struct profile *profile, uint32_t number, double gain)
{
    const struct profile_module *module = &profile->modules[number];
    uint64_t named = named_ns(profile, number);
    if (named > module_ns(profile, number, NULL) / 2)
        return;
    static const char *const lacks[2][2] = {
        {"has no symbols: most of its code is [unknown], as its unwind tables do not tell where functions begin either",
         "has no symbols: functions are shown as file+0xaddress"},
        {"has only the names of exported functions: most of its code is [unknown], as its unwind tables do not tell "
         "where the others begin",
         "has only the names of exported functions: its other functions are shown as file+0xaddress"},
    };
    bool grouped = module_ns(profile, number, PROFILE_NAME_UNKNOWN) < module_ns(profile, number, NULL) / 2;
    advice_add(advice, gain,
               "%s %s. If you build it, do not strip it; otherwise install its debug symbols (package *-dbgsym; "
               "build-id %s), or set DEBUGINFOD_URLS",
               module->name, lacks[named > 0][grouped], module->build_id ? module->build_id : "none");
}

static bool has_lines(const struct profile *profile, uint32_t module)
{
    for (size_t i = 0; i < profile->location_count; i++)
        if (profile->locations[i].module == module && profile->locations[i].line_count)
            return true;
    return false;
}

static void hint_missing_lines(struct advice *advice, const struct profile_module *module, double gain)
{
#ifdef HAVE_LIBDW
    advice_add(advice, gain,
               "no line information for %s: compile it with -g, install its debug symbols (package *-dbgsym; "
               "build-id %s), or set DEBUGINFOD_URLS",
               module->name, module->build_id ? module->build_id : "none");
#else
    advice_add(advice, gain, "no line information for %s: this ptprofil was built without libdw", module->name);
#endif
}

static void hint_runtime(struct advice *advice, const struct runtime *runtime, const char *text, double gain)
{
    advice_add(advice, gain, "%s: %s; see ptprofil-runtimes(7)", runtime->name, text);
}

/* Returns the time in MODULE and its callees. */
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

/* Returns the first module of unnamed generated code, or NULL. */
static const struct object *unnamed_code(const struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].kind == OBJECT_JIT && objects->items[i].fd < 0)
            return &objects->items[i];
    return NULL;
}

/* A map of names exists but is refused, because it is older than its process, or belongs to another user. */
static void hint_unnamed(struct advice *advice, const struct object *code, double gain)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)code->pid);
    if (access(path, F_OK) == 0)
        advice_add(advice, gain, "[anon] has no names: %s is older than process %d, or belongs to another user", path,
                   (int)code->pid);
    else
        advice_add(advice, gain,
                   "[anon] is code that process %d generated without naming it in %s; see ptprofil-runtimes(7)",
                   (int)code->pid, path);
}

/* Adds a hint if much of the time is in generated code without names, or in its callees. The program's own file may be
 * only a launcher, so the mapped libraries identify the runtime. If they do not, generated code that calls everything
 * may be only a trampoline. Then only time in the code itself counts (SELF). */
static void hint_generated(struct advice *advice, const struct objects *objects, bool self, double gain)
{
    const struct object *code = unnamed_code(objects);
    bool told = false;
    for (size_t i = 0; i < objects->count; i++) {
        const char *path = objects->items[i].path;
        const struct runtime *runtime = path ? runtimes_find(profile_module_name(path)) : NULL;
        if (!runtime || !runtime->compiled)
            continue;
        hint_runtime(advice, runtime, runtime->compiled, gain);
        told = true;
    }
    if (!told && self && code)
        hint_unnamed(advice, code, gain);
}

static bool has_module(const struct profile *profile, const char *path)
{
    for (uint32_t i = 0; i < profile->module_count; i++)
        if (!strcmp(profile->modules[i].path, path))
            return true;
    return false;
}

static double percent_of(const struct profile *profile, uint64_t ns)
{
    uint64_t whole = profile_ns(profile);
    return whole ? 100 * (double)ns / (double)whole : 0;
}

/* Adds a hint about what MODULE, with GAIN percent of the time, is missing. */
static void hint_module(struct advice *advice, const struct profile *profile, uint32_t number, enum report_by by,
                        double gain)
{
    const struct profile_module *module = &profile->modules[number];
    if (module->no_symbols)
        hint_missing_names(advice, profile, number, gain);
    else if (module->path[0] == '/' && !module->text_end)
        advice_add(advice, gain, "%s %s: its functions have no names", module->name,
                   module->deleted ? "was replaced or removed after the program mapped it"
                                   : "is not an ELF file, or could not be read");
    else if ((by == REPORT_BY_LINE || by == REPORT_BY_FILE) && module->text_end && !module->lines_cut &&
             !has_lines(profile, number))
        hint_missing_lines(advice, module, gain);
}

void hints_code(struct advice *advice, const struct profile *profile, const struct objects *objects, enum report_by by,
                FILE *stream)
{
    bool named = has_module(profile, "[jit]");
    for (uint32_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];
        double self = percent_of(profile, module_ns(profile, i, NULL)), stack;
        if (!strcmp(module->path, "[anon]") && (stack = percent_of(profile, stack_ns(profile, i))) >= WORTH_PERCENT)
            hint_generated(advice, objects, self >= WORTH_PERCENT, stack);
        if (self < WORTH_PERCENT)
            continue;
        const struct runtime *runtime = runtimes_find(module->name);
        if (runtime && runtime->interpreted && !named && !has_module(profile, interp_module_name(runtime->language)))
            hint_runtime(advice, runtime, runtime->interpreted, self);
        hint_module(advice, profile, i, by, self);
        if (module->lines_cut)
            say_line(
                stream,
                "lines and inlined calls of %s are incomplete: its debug information is broken, or too large to read",
                module->name);
    }
}
