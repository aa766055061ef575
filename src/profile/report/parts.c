/* SPDX-License-Identifier: MIT
 *
 * Splits a profile by module, for formats that describe one object in each file (gmon). */
#include "profile/report/report.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "profile/profile/profile.h"
#include "profile/report/table_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUFFIX_MAX = 120, /* room for the name before it, because a file name has 255 bytes */
};

static bool has_text(const struct profile_module *module)
{
    return module->text_end > module->text_start;
}

/* Returns the CPU time of each module's leaf frames, or NULL if memory runs out. The caller frees it. */
static uint64_t *module_times(const struct profile *profile)
{
    uint64_t *times = calloc(profile->module_count + 1, sizeof *times);
    for (size_t i = 0; times && i < profile->sample_count; i++) {
        uint32_t leaf = profile->frames[profile->samples[i].frame_first];
        times[profile->locations[leaf].module] += profile_sample_ns(&profile->samples[i]);
    }
    return times;
}

/* Finds the main program: the last program of the first process, which may have begun as a script or a shell. If that
 * program has no code, it is the program that used most of the time. */
static uint32_t main_program(const struct profile *profile, const uint64_t *times)
{
    uint32_t best = PROFILE_NONE;
    for (size_t i = profile->process_count; i-- > 0;) {
        const struct profile_process *process = &profile->processes[i];
        if (process->pid == profile->processes[0].pid && process->module != PROFILE_NONE &&
            has_text(&profile->modules[process->module]))
            return process->module;
    }
    for (uint32_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];
        if (module->executable && has_text(module) && (best == PROFILE_NONE || times[i] > times[best]))
            best = i;
    }
    return best;
}

static int by_time(const void *left, const void *right)
{
    const struct report_part *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? 1 : -1;
    return a->module < b->module ? -1 : a->module > b->module;
}

static bool add_part(struct report_parts *parts, uint32_t module, uint64_t ns)
{
    if (!ARRAY_RESERVE_ONE(parts))
        return false;
    parts->items[parts->count++] = (struct report_part){.module = module, .ns = ns};
    return true;
}

/* Appends the modules, in their order. Returns 1 if the main program is among them, otherwise 0, or -ENOMEM. */
static int collect(struct report_parts *parts, const struct profile *profile)
{
    uint64_t *times = module_times(profile);
    if (!times)
        return -ENOMEM;
    uint32_t first = main_program(profile, times);
    bool ok = first == PROFILE_NONE || add_part(parts, first, times[first]);
    for (uint32_t i = 0; ok && i < profile->module_count; i++)
        if (i != first && has_text(&profile->modules[i]) && times[i])
            ok = add_part(parts, i, times[i]);
    free(times);
    return ok ? first != PROFILE_NONE : -ENOMEM;
}

/* Appends ".NAME". Replaces characters that cannot, or should not, be in a file name. */
static void put_suffix(struct buffer *out, const char *name)
{
    buffer_puts(out, ".");
    for (const char *at = name; *at && at - name < SUFFIX_MAX; at++) {
        char letter = *at;
        if ((unsigned char)letter < ' ' || letter == '/' || letter == 0x7f)
            letter = '_';
        buffer_append(out, &letter, 1);
    }
}

/* Returns a suffix for NAME that no other part in TAKEN has: the second libx.so gets ".libx.so.2". The member `samples`
 * of a row in TAKEN counts how often its name was requested. Returns NULL if memory runs out. The caller frees it. */
static char *unique_suffix(struct table_rows *taken, const char *name)
{
    struct buffer suffix = {0};
    put_suffix(&suffix, name);
    size_t length = suffix.length;
    for (uint64_t number = 2; !suffix.failed; number++) {
        struct table_row *row = table_rows_get(taken, suffix.bytes, "");
        if (!row)
            suffix.failed = true;
        else if (!row->samples++)
            break;
        suffix.length = length;
        buffer_printf(&suffix, ".%llu", (unsigned long long)number);
    }
    if (suffix.failed)
        buffer_fini(&suffix);
    return suffix.bytes;
}

static int name_parts(struct report_parts *parts, const struct profile *profile, size_t mains)
{
    struct table_rows taken = {0};
    int result = 0;
    for (size_t i = 0; i < parts->count && !result; i++) {
        struct report_part *part = &parts->items[i];
        part->suffix = i < mains ? strdup("") : unique_suffix(&taken, profile->modules[part->module].name);
        if (!part->suffix)
            result = -ENOMEM;
    }
    table_rows_fini(&taken);
    return result;
}

int report_parts_init(struct report_parts *parts, const struct profile *profile)
{
    *parts = (struct report_parts){0};
    int mains = collect(parts, profile);
    int result = mains < 0 ? mains : 0;
    if (!result && parts->count) {
        qsort(parts->items + mains, parts->count - (size_t)mains, sizeof *parts->items, by_time);
        result = name_parts(parts, profile, (size_t)mains);
    }
    if (result)
        report_parts_fini(parts);
    return result;
}

void report_parts_fini(struct report_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->items[i].suffix);
    free(parts->items);
    *parts = (struct report_parts){0};
}
