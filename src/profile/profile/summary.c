/* SPDX-License-Identifier: MIT
 *
 * The sentence about a recording: its samples, their rate, and what is missing. */
#include "profile/profile/writer.h"

#include "common/base/buffer.h"
#include "common/model/quality.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"

#include <string.h>

/* The sentence consists of clauses. A line is broken between two of them, or inside one that is too long for a line. */
struct sentence {
    struct buffer out, clause;
    unsigned width, column;
};

/* Appends PART. Begins a new line if it does not fit with the mark that may follow. */
static void put_part(struct sentence *sentence, const char *part)
{
    unsigned columns = text_columns(part);
    bool fits = !sentence->width || sentence->column + 1 + columns + 1 <= sentence->width;
    if (sentence->column) {
        buffer_puts(&sentence->out, fits ? " " : "\n  ");
        sentence->column = fits ? sentence->column + 1 : 2;
    }
    buffer_puts(&sentence->out, part);
    sentence->column += columns;
}

/* Ends the current clause and appends it to the sentence, with MARK before it unless it is the first. */
static void end_clause(struct sentence *sentence, const char *mark)
{
    char *rest = sentence->clause.length ? sentence->clause.bytes : NULL;
    bool whole = !rest || !sentence->width || 2 + text_columns(rest) + 1 <= sentence->width;
    if (sentence->column) {
        buffer_puts(&sentence->out, mark);
        sentence->column += text_columns(mark);
    }
    if (whole)
        put_part(sentence, rest ? rest : "");
    while (!whole && rest)
        put_part(sentence, strsep(&rest, " "));
    sentence->clause.length = 0;
}

_Static_assert((int)QUALITY_COUNTER_COUNT <= (int)PROFILE_COUNTERS,
               "struct profile_quality has no room for all counters");

static void put_losses(struct sentence *sentence, const struct profile_quality *quality)
{
    static const char *const texts[] = {
#define COUNTER(name, number, key, text) text,
        QUALITY_COUNTERS(COUNTER)
#undef COUNTER
    };
    for (size_t i = 0; i < QUALITY_COUNTER_COUNT; i++)
        if (quality->counters[i] && *texts[i]) {
            buffer_printf(&sentence->clause, "%llu %s", (unsigned long long)quality->counters[i], texts[i]);
            end_clause(sentence, ",");
        }
}

/* Stacks without a root are mentioned from this share of samples on. */
enum { WORTH_CUT_PERCENT = 5 };

/* Puts COUNT out of ALL samples. ALL is put only once in a sentence (TOLD: it was put before). */
static void put_count(struct sentence *sentence, uint64_t count, uint64_t all, bool told)
{
    buffer_printf(&sentence->clause, "%llu", (unsigned long long)count);
    if (!told)
        buffer_printf(&sentence->clause, " of %llu samples", (unsigned long long)all);
}

/* Reports stacks without their root. VERBOSE: even if they are few. */
static void put_cut_stacks(struct sentence *sentence, const struct profile *profile, bool verbose)
{
    uint64_t cut = 0, merged = 0, merged_ns = 0, all = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        all += sample->count;
        if (sample->cut == PROFILE_MERGED) {
            merged += sample->count;
            merged_ns += profile_sample_ns(sample);
        } else if (sample->cut != PROFILE_WHOLE) {
            cut += sample->count;
        }
    }
    if (cut && (verbose || cut >= all / 100 * WORTH_CUT_PERCENT)) {
        put_count(sentence, cut, all, verbose);
        buffer_puts(&sentence->clause, " with an incomplete stack");
        end_clause(sentence, ",");
    }
    if (merged) {
        put_count(sentence, merged, all, verbose);
        buffer_puts(&sentence->clause, " (");
        text_percent(&sentence->clause, merged_ns, profile_ns(profile));
        buffer_puts(&sentence->clause, " % of the time) with stacks collapsed to their last frames (memory limit)");
        end_clause(sentence, ",");
    }
    if (profile->without_inlined) {
        buffer_printf(&sentence->clause, "inlined calls left out at %zu callers (memory limit)",
                      profile->without_inlined);
        end_clause(sentence, ",");
    }
}

/* Reports estimated time, which is shown at other samples of the same programs. VERBOSE: even if it is little. */
static void put_estimated(struct sentence *sentence, const struct profile *profile, bool verbose)
{
    enum { WORTH_PERCENT = 1 };
    uint64_t estimated_ns = profile_estimated_ns(profile), all_ns = profile_ns(profile);
    if (!estimated_ns || (!verbose && estimated_ns < all_ns / 100 * WORTH_PERCENT))
        return;
    text_percent(&sentence->clause, estimated_ns, all_ns);
    buffer_puts(&sentence->clause, " % of the time has no sample (short processes, ends of threads)");
    end_clause(sentence, ";");
    buffer_puts(&sentence->clause, "it is spread over the program's other samples");
    end_clause(sentence, ":");
}

static void put_costs(struct sentence *sentence, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    struct buffer *clause = &sentence->clause;
    uint64_t cpu_ns = profile_cpu_ns(profile);

    if (quality->pause_median_ns) {
        buffer_puts(clause, "pause a sample ");
        text_duration(clause, quality->pause_median_ns);
        buffer_puts(clause, ", p99 ");
        text_duration(clause, quality->pause_p99_ns);
        end_clause(sentence, ";");
    }
    if (quality->supervisor_cpu_ns && cpu_ns) {
        buffer_puts(clause, "ptprofil's CPU time ");
        text_duration(clause, quality->supervisor_cpu_ns);
        if (!quality->wall) { /* omitted for programs that mostly wait: it says nothing about them */
            buffer_puts(clause, " (");
            text_percent(clause, quality->supervisor_cpu_ns, cpu_ns);
            buffer_puts(clause, " %)");
        }
        end_clause(sentence, ";");
    }
}

static bool ended_as_asked(const struct profile_quality *quality)
{
    return quality->ended_early && !strcmp(quality->ended_early, PROFILE_ENDED_DURATION);
}

/* Reports which part of the time was sampled, if not all of it. */
static void put_sampled(struct sentence *sentence, const struct profile_quality *quality)
{
    uint64_t off_ns = quality->off_ns < quality->wall_ns ? quality->off_ns : quality->wall_ns;
    if (!quality->off_ns && !ended_as_asked(quality))
        return;
    buffer_puts(&sentence->clause, "sampled for ");
    text_duration(&sentence->clause, quality->wall_ns - off_ns);
    if (quality->off_ns) {
        buffer_puts(&sentence->clause, " of ");
        text_duration(&sentence->clause, quality->wall_ns);
    }
    buffer_puts(&sentence->clause, ", as requested");
    end_clause(sentence, ";");
}

/* VERBOSE: the rates were put before. */
static void put_deviations(struct sentence *sentence, const struct profile *profile, bool verbose, bool utf8)
{
    const struct profile_quality *quality = &profile->quality;
    if (!verbose && quality->rate != profile_last_rate(quality)) {
        buffer_printf(&sentence->clause, "sampled at %u to %u Hz: compare times, not samples", (unsigned)quality->rate,
                      (unsigned)profile_last_rate(quality));
        end_clause(sentence, ";");
    }
    if (quality->lowest_rate < quality->rate) {
        buffer_printf(&sentence->clause, "rate fell to %u Hz: stops took more than %u %% of the running time",
                      (unsigned)quality->lowest_rate, quality->max_overhead);
        end_clause(sentence, ";");
    }
    put_sampled(sentence, quality);
    if (profile->instants.until_ns) {
        buffer_puts(&sentence->clause, "timestamps only for the first ");
        text_duration(&sentence->clause, profile->instants.until_ns);
        buffer_puts(&sentence->clause, " (memory limit)");
        end_clause(sentence, ";");
    }
    if (quality->ended_early && !ended_as_asked(quality)) {
        buffer_puts(&sentence->clause, "sampling ended early: ");
        text_clean(&sentence->clause, quality->ended_early, utf8);
        end_clause(sentence, ";");
    }
}

/* Puts the first rate. For several recordings with different rates, puts the highest and the lowest. */
static void put_rate(struct buffer *clause, const struct profile_quality *quality)
{
    uint32_t last = profile_last_rate(quality);
    if (last != quality->rate && !quality->change_count)
        buffer_printf(clause, "%u to %u Hz", (unsigned)quality->rate, (unsigned)last);
    else
        buffer_printf(clause, "%u Hz", (unsigned)quality->rate);
}

/* Puts duration and rate. Stored profiles of other programs may lack them. */
static void put_extent(struct sentence *sentence, const struct profile_quality *quality)
{
    if (quality->wall_ns)
        text_duration(&sentence->clause, quality->wall_ns);
    if (quality->rate) {
        buffer_printf(&sentence->clause, "%sat ", quality->wall_ns ? " " : "");
        put_rate(&sentence->clause, quality);
        buffer_puts(&sentence->clause, quality->wall ? " of wall time" : "");
    }
    if (quality->wall_ns || quality->rate)
        end_clause(sentence, "");
    for (size_t i = 0; i < quality->change_count; i++) {
        buffer_printf(&sentence->clause, "%u Hz from ", (unsigned)quality->changes[i].hz);
        text_duration(&sentence->clause, quality->changes[i].at_ns);
        buffer_puts(&sentence->clause, " on");
        end_clause(sentence, ",");
    }
}

/* Puts samples taken and due, and the reasons for the difference. */
static void put_samples(struct sentence *sentence, const struct profile_quality *quality)
{
    buffer_printf(&sentence->clause, "%llu samples of %llu due", (unsigned long long)quality->samples,
                  (unsigned long long)quality->due);
    end_clause(sentence, quality->wall_ns || quality->rate ? ":" : "");
    put_losses(sentence, quality);
}

int summary_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    const struct profile_quality *quality = &profile->quality;
    struct sentence sentence = {.width = options->width};

    if (options->verbose) {
        put_extent(&sentence, quality);
        put_samples(&sentence, quality);
    } else if (quality->counters[QUALITY_lost_full]) {
        buffer_printf(&sentence.clause, "%llu samples lost (buffer full)",
                      (unsigned long long)quality->counters[QUALITY_lost_full]);
        end_clause(&sentence, "");
    }
    put_cut_stacks(&sentence, profile, options->verbose);
    put_estimated(&sentence, profile, options->verbose);
    if (options->verbose)
        put_costs(&sentence, profile);
    put_deviations(&sentence, profile, options->verbose, options->utf8);

    sentence.out.failed |= sentence.clause.failed;
    int result = 0;
    if (sentence.out.length || sentence.out.failed) {
        fputc('\n', stream);
        buffer_puts(&sentence.out, "\n");
        result = text_write(&sentence.out, stream);
    }
    buffer_fini(&sentence.out);
    buffer_fini(&sentence.clause);
    return result ? result : text_flush(stream);
}
