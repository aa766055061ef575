/* SPDX-License-Identifier: MIT */
#include "front/finished.h"

#include "front/progress.h"
#include "model/missed.h"

/* Sets how many samples PROFILE was due. No more of them were missed than were not taken: what one thread was found to
 * lack, another one may have had by chance. */
static void count_due(struct profile *profile, uint32_t rate)
{
    struct profile_quality *quality = &profile->quality;
#define COUNTER(name, number, key, text) &quality->name,
    uint64_t *const reasons[] = {&quality->lost_unsampled, MISSED_COUNTERS(COUNTER)};
#undef COUNTER
    enum { REASONS = sizeof reasons / sizeof *reasons };
    uint64_t counts[REASONS], unsampled_ns = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        unsampled_ns += profile_unsampled_ns(&profile->processes[i]);
    quality->due = (uint64_t)((double)profile_ns(profile) * rate / 1e9);
    quality->lost_unsampled = (uint64_t)((double)unsampled_ns * rate / 1e9);
    for (size_t i = 0; i < REASONS; i++)
        counts[i] = *reasons[i];
    missed_fit(quality->due, quality->samples + quality->lost_full, counts, REASONS);
    for (size_t i = 0; i < REASONS; i++)
        *reasons[i] = counts[i];
}

static void show_names(void *of, const char *path, size_t done, size_t count)
{
    progress_names(of, path, done, count);
}

struct profile *finished_profile(struct session *session, struct error *error)
{
    struct record *record = session->intake.record;
    struct progress progress;
    const struct record_watch watch = {show_names, &progress};
    record->began_ns = atomic_load(&session->channel.shared->began_ns);
    progress_begin(&progress, session->options);
    record->watch = &watch;
    struct profile *profile = record_profile(record, error);
    record->watch = NULL;
    progress_end(&progress);
    if (!profile)
        return NULL;
    session_quality(session, &profile->quality);
    count_due(profile, session->options->rate);
    profile->command = session->command_line;
    session->command_line = NULL;
    return profile;
}
