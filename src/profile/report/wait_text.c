/* SPDX-License-Identifier: MIT
 *
 * Describes in one line what a thread waits for. */
#include "profile/report/table_collect.h"

#include "common/base/buffer.h"
#include "common/model/wait.h"
#include "common/names/library_name.h"
#include "profile/profile/label.h"
#include "profile/profile/profile.h"
#include "profile/report/branches.h"

#include <string.h>

static const struct profile_location *frame_of(const struct profile *profile, const struct profile_sample *sample,
                                               uint32_t number)
{
    return &profile->locations[profile->frames[sample->frame_first + number]];
}

/* True if NAME belongs to a library, even one that is linked into the program. */
static bool is_library(const char *name)
{
    static const char *const beginnings[] = {"pthread_", "thrd_", "mtx_", "cnd_", "sem_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return library_name(name) || branches_is_start_up(name);
}

/* Returns the first frame of SAMPLE outside of libraries; frame_count if none exists. */
static uint32_t caller_of(const struct profile *profile, const struct profile_sample *sample)
{
    uint32_t module = frame_of(profile, sample, 0)->module, number = 0;
    bool outside = !profile->modules[module].executable; /* then its whole module is a library */
    for (; number < sample->frame_count; number++) {
        const struct profile_location *frame = frame_of(profile, sample, number);
        if (!(outside && frame->module == module) && !is_library(profile->functions[frame->function].name))
            break;
    }
    return number;
}

/* Returns the outermost function that CALLER has called in the module of the innermost one. */
static uint32_t entry_of(const struct profile *profile, const struct profile_sample *sample, uint32_t caller)
{
    uint32_t module = frame_of(profile, sample, 0)->module, number = 0;
    while (number + 1 < caller && frame_of(profile, sample, number + 1)->module == module)
        number++;
    return number;
}

static const char *name_of(const struct profile *profile, const struct profile_sample *sample, uint32_t number)
{
    return profile->functions[frame_of(profile, sample, number)->function].name;
}

void wait_text_put(struct buffer *out, const struct profile *profile, const struct profile_sample *sample)
{
    const struct label call = label_syscall(sample->syscall);
    buffer_puts(out, call.text);
    uint32_t caller = sample->syscall < WAIT_FIRST ? caller_of(profile, sample) : sample->frame_count;
    if (caller == sample->frame_count)
        return;
    const char *entry = caller ? name_of(profile, sample, entry_of(profile, sample, caller)) : "";
    buffer_printf(out, " %s", name_of(profile, sample, caller));
    if (*entry && (strncmp(entry, call.text + 1, strlen(entry)) || strcmp(call.text + 1 + strlen(entry), "]")))
        buffer_printf(out, ": %s", entry);
}
