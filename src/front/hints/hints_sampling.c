/* SPDX-License-Identifier: MIT
 *
 * Hints about the number of samples, and about time that they do not show. */
#include "front/hints/hints_parts.h"

#include "common/model/wait.h"
#include "common/text/text.h"
#include "front/hints/hints.h"
#include "profile/profile/profile.h"
#include "profile/report/flat.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_rows.h"

/* This share of CPU time without samples is worth a hint. But a very short run has no samples at any rate. */
enum { UNSAMPLED_PERCENT = 20, UNSAMPLED_LEAST_NS = 50000000, HIGHER = 20, HIGHEST_RATE = 20000 };

/* Shares based on few samples are worth a hint, unless the programs hardly ran. */
enum { FEW_SAMPLES = 100, ENOUGH_SAMPLES = 1000, FEW_LEAST_NS = 10000000 };

/* Recordings of this length, with a lower rate than the default, are of services: the cost matters. */
enum { USUAL_RATE = 1000, LONG_S = 5 };

/* Programs waited if they ran for less than this share of a noticeable time. */
enum { LITTLE_PERCENT = 10, LITTLE_LEAST_NS = 100000000 };

/* This share of time that threads waited for a CPU is worth a hint. */
enum { QUEUED_PERCENT = 10 };

/* A run with this many execs may have many command lines. They are worth a table unless one has nearly all the time. */
enum { MANY_EXECS = 10, COMMANDS_PERCENT = 10 };

/* Adds a hint about time without samples. Returns false if it is not needed. */
static bool hint_unsampled(struct advice *advice, const struct profile *profile)
{
    uint64_t unsampled = 0, rate = profile_last_rate(&profile->quality);
    for (size_t i = 0; i < profile->process_count; i++)
        unsampled += profile->processes[i].unsampled_ns;
    if (unsampled < UNSAMPLED_LEAST_NS || unsampled < profile_cpu_ns(profile) / 100 * UNSAMPLED_PERCENT ||
        rate > HIGHEST_RATE / 2)
        return false;
    double percent = 100 * (double)unsampled / (double)profile_cpu_ns(profile);
    advice_add(advice, percent, "%.0f %% of the CPU time %s; -F %lu takes more samples", percent,
               profile->estimated ? "is of programs without a sample" : "has no sample",
               (unsigned long)(rate < HIGHEST_RATE / HIGHER ? rate * HIGHER : HIGHEST_RATE));
    return true;
}

/* Returns RATE, or the next higher rate of the form 1, 2 or 5 with zeros, up to the highest. */
static unsigned long round_rate(uint64_t rate)
{
    static const unsigned firsts[] = {1, 2, 5};
    for (uint64_t ten = 1; ten < HIGHEST_RATE; ten *= 10)
        for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
            if (firsts[i] * ten >= rate && firsts[i] * ten < HIGHEST_RATE)
                return (unsigned long)(firsts[i] * ten);
    return HIGHEST_RATE;
}

/* Returns the average rate, because the rate may have changed. */
static uint64_t mean_rate(const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    if (profile_last_rate(quality) == quality->rate)
        return quality->rate;
    return (uint64_t)((double)quality->due * 1e9 / (double)profile_ns(profile));
}

/* Adds a hint about few samples: two standard deviations of a half are a share of 1 / sqrt(samples). */
static void hint_few(struct advice *advice, const struct profile *profile)
{
    uint64_t samples = profile_samples(profile), rate = mean_rate(profile);
    bool is_long = rate < USUAL_RATE && profile->quality.wall_ns >= LONG_S * UINT64_C(1000000000);
    unsigned off = 1;
    if (!samples || samples >= FEW_SAMPLES || profile_ns(profile) < FEW_LEAST_NS || !rate || rate > HIGHEST_RATE / 2)
        return;
    while (off < 50 && off * off * samples < 10000)
        off++;
    advice_add(advice, off, "only %lu %s: a true 50 %% can show as %u to %u %%; %stry -F %lu", (unsigned long)samples,
               text_plural(samples, "sample", "samples"), 50 - off, 50 + off,
               is_long ? "record longer, report several files together, or " : "",
               round_rate(rate * ENOUGH_SAMPLES / samples));
}

/* Adds a hint about waiting, which CPU time does not show. */
static void hint_waiting(struct advice *advice, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    uint64_t watched = quality->wall_ns > quality->off_ns ? quality->wall_ns - quality->off_ns : 0;
    double percent = watched ? 100 * (double)profile_cpu_ns(profile) / (double)watched : 100;
    if (quality->wall || watched < LITTLE_LEAST_NS || percent >= LITTLE_PERCENT)
        return;
    advice_add(advice, 100 - percent,
               "the CPU time is %.1f %% of the elapsed time; --clock=wall also shows where threads wait", percent);
}

/* Adds a hint that explains [runnable]. */
static void hint_runnable(struct advice *advice, const struct profile *profile)
{
    uint64_t queued_ns = 0, whole_ns = profile_ns(profile);
    for (size_t i = 0; i < profile->sample_count; i++)
        queued_ns += profile->samples[i].syscall == WAIT_FOR_CPU ? profile->samples[i].wait_ns : 0;
    double percent = whole_ns ? 100 * (double)queued_ns / (double)whole_ns : 0;
    if (queued_ns && percent >= QUEUED_PERCENT)
        advice_add(advice, percent,
                   "%.0f %% of the time is [runnable]: threads were ready but waited for a CPU. Causes are more "
                   "threads than CPUs, other programs, a container's CPU limit, or pinning",
                   percent);
}

/* Returns the share of the heaviest command line; 100 if unknown. */
static double heaviest_command(const struct profile *profile)
{
    struct table_rows rows = {0};
    double percent = 100;
    uint64_t whole = profile_ns(profile);
    if (table_collect(&rows, profile, REPORT_BY_COMMAND, 0) == 0 && rows.count && whole) {
        table_rows_sort(&rows);
        percent = 100 * (double)table_row_ns(&rows.items[0]) / (double)whole;
    }
    table_rows_fini(&rows);
    return percent;
}

/* Adds a hint about command lines. If many programs ran, as in a build or a script, the sum of a function over all of
 * them says little. */
static void hint_commands(struct advice *advice, const struct profile *profile, const struct report_options *screen)
{
    size_t execs = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        execs += profile->processes[i].image > 0;
    if (execs <= MANY_EXECS || report_by_is_of_processes(screen->by) ||
        (screen->overview && flat_overview_is_of_build(profile)))
        return;
    double gain = 100 - heaviest_command(profile);
    if (gain >= COMMANDS_PERCENT)
        advice_add(advice, gain, "%zu programs were run; --by=command shows the time of each command line", execs);
}

/* Suggests callers: the location of a wait means little without its caller. */
static void hint_callers(struct advice *advice, const struct profile *profile, const struct report_options *screen)
{
    enum { GAIN = 50 };
    if (profile->quality.wall && screen->by == REPORT_BY_SYSCALL)
        advice_add(advice, GAIN, "--bottom-up shows where in the program threads wait");
}

/* Adds a hint that explains [idle threads]. */
static void hint_idle(struct advice *advice, const struct profile *profile)
{
    if (profile->idle_threads)
        advice_add(advice, 1,
                   "%zu threads of pools waited at one place nearly all of their time: the row [idle threads]; --idle "
                   "shows their stacks",
                   profile->idle_threads);
}

void hints_sampling(struct advice *advice, const struct profile *profile, const struct report_options *screen)
{
    hint_callers(advice, profile, screen);
    hint_waiting(advice, profile);
    hint_runnable(advice, profile);
    hint_idle(advice, profile);
    hint_commands(advice, profile, screen);
    if (!hint_unsampled(advice, profile))
        hint_few(advice, profile);
}

void hints_samples(const struct profile *profile, const struct report_options *screen, FILE *stream)
{
    struct advice advice = {0};
    hints_sampling(&advice, profile, screen);
    advice_say(&advice, stream);
    advice_fini(&advice);
}
