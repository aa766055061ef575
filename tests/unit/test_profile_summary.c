/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include "common/model/quality.h"
#include "common/text/text.h"

#define VERBOSE ((struct report_options){.utf8 = true, .verbose = true})

START_TEST(success_is_not_explained)
{
    struct profile *profile = make_profile(NULL);
    make_process(profile, 1, 0, "prog");
    profile->processes[0].cpu_ns = 10000000000;
    profile->quality.wall_ns = 10400000000;
    profile->quality.samples = profile->quality.due = 1000;
    char *text = written(summary_write, profile, VERBOSE);
    ck_assert_str_eq(text, "\n10.4 s at 100 Hz: 1000 samples of 1000 due\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* The duration and rates, with their changes. */
static const struct {
    uint32_t rate, last;
    struct profile_rate_change changes[3];
    size_t count;
    const char *text;
} rates[] = {
    {100, 100, {{0}}, 0, "10.4 s at 100 Hz: "},
    {100, 0, {{0}}, 0, "10.4 s at 100 Hz: "}, /* another tool's file */
    {1000, 50, {{0}}, 0, "10.4 s at 1000 to 50 Hz: "},
    {1000, 200, {{300000000, 200}}, 1, "10.4 s at 1000 Hz, 200 Hz from 300 ms on: "},
    {1000,
     50,
     {{300000000, 200}, {4000000000, 100}, {7300000000, 50}},
     3,
     "10.4 s at 1000 Hz, 200 Hz from 300 ms on, 100 Hz from 4.00 s on, 50 Hz from 7.30 s on: "},
};

START_TEST(rates_are_reported)
{
    struct profile *profile = make_profile(NULL);
    make_process(profile, 1, 0, "prog");
    profile->quality.wall_ns = 10400000000;
    profile->quality.rate = profile->quality.lowest_rate = rates[_i].rate;
    profile->quality.last_rate = rates[_i].last;
    memcpy(profile->quality.changes, rates[_i].changes, sizeof rates[_i].changes);
    profile->quality.change_count = rates[_i].count;
    char *text = written(summary_write, profile, VERBOSE);
    ck_assert_msg(!strncmp(text + 1, rates[_i].text, strlen(rates[_i].text)), "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

static struct profile *make_trouble(void)
{
    struct profile *profile = make_example();
    profile->quality.counters[QUALITY_lost_full] = 5;
    profile->quality.counters[QUALITY_guessed] = 6;
    profile->quality.counters[QUALITY_lost_ambiguous] = 7;
    profile->quality.counters[QUALITY_lost_elsewhere] = 8;
    profile->quality.counters[QUALITY_lost_stop] = 9;
    profile->quality.counters[QUALITY_lost_rate] = 10;
    profile->quality.counters[QUALITY_lost_unsampled] = 11;
    profile->quality.counters[QUALITY_lost_crowd] = 12;
    profile->samples[1].cut = PROFILE_UNKNOWN;
    profile->samples[3].cut = PROFILE_TRUNCATED;
    profile->quality.rate = profile->quality.last_rate = 1000;
    profile->quality.lowest_rate = 40;
    profile->quality.ended_early = "the tracer died";
    return profile;
}

START_TEST(everything_else_is)
{
    struct profile *profile = make_trouble();
    char *text = written(summary_write, profile, VERBOSE);
    ck_assert_str_eq(text,
                     "\n3.70 s at 1000 Hz: 361 samples of 365 due, 3 skipped (thread waited for a CPU), "
                     "1 skipped (the tracer got its CPU too late), 7 skipped (unknown which thread had the CPU), "
                     "8 skipped (threads ran on a CPU without a timer), 9 skipped (a thread did not stop in time), "
                     "10 skipped (the rate fell), 11 skipped (short processes, ends of threads), "
                     "12 skipped (too many threads to know which one had the CPU), 5 lost (buffer full), "
                     "6 with an estimated part in page faults, 219 with an incomplete stack; "
                     "pause a sample 5.20 us, p99 18.4 us; ptprofil's CPU time 21.0 ms (0.6 %); "
                     "rate fell to 40 Hz: stops took more than 25 % of the running time; "
                     "sampling ended early: the tracer died\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* What the user asked for is not a problem. The summary reports the sampled part of the time separately. */
static const struct {
    uint64_t off_ns;
    const char *early, *text;
} parts[] = {
    {0, PROFILE_ENDED_DURATION, "\nsampled for 3.70 s, as requested\n"},
    {1200000000, NULL, "\nsampled for 2.50 s of 3.70 s, as requested\n"},
    {1200000000, PROFILE_ENDED_DURATION, "\nsampled for 2.50 s of 3.70 s, as requested\n"},
    {5000000000, NULL, "\nsampled for 0 s of 3.70 s, as requested\n"},
    {0, "it was asked for (--control)", "\nsampling ended early: it was asked for (--control)\n"},
};

START_TEST(a_part_of_the_time_is_reported)
{
    struct profile *profile = make_example();
    profile->quality.off_ns = parts[_i].off_ns;
    profile->quality.ended_early = parts[_i].early;
    char *text = written(summary_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, parts[_i].text);
    free(text);
    profile_free(profile);
}
END_TEST

/* Without --verbose, only unexpected events are reported, and only if they matter. */
START_TEST(important_events_are_always_reported)
{
    struct profile *profile = make_trouble();
    char *text = written(summary_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, "\n5 samples lost (buffer full), 219 of 361 samples with an incomplete stack; "
                           "rate fell to 40 Hz: stops took more than 25 % of the running time; "
                           "sampling ended early: the tracer died\n");
    free(text);
    profile->quality.counters[QUALITY_lost_full] = 0;
    profile->quality.lowest_rate = profile->quality.rate;
    profile->quality.ended_early = NULL;
    profile->samples[1].cut = profile->samples[3].cut = PROFILE_WHOLE;
    profile->samples[0].cut = PROFILE_TRUNCATED; /* one of 361 */
    text = written(summary_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, "");
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(what_was_merged_is_told_apart)
{
    struct profile *profile = make_profile("./prog");
    make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
    make_module(profile, "/bin/prog", 0, 0x1000);
    uint32_t frame = make_frame(profile, 0, "f", 1);
    ADD_STACK(profile, 0, -1, 30, 300000000, frame);
    ADD_STACK(profile, 0, 0, 10, 100000000, frame);
    profile->samples[1].cut = PROFILE_MERGED;
    profile->quality = (struct profile_quality){.rate = 100, .lowest_rate = 100, .samples = 40, .due = 40};
    profile->processes[0].cpu_ns = 400000000;
    char *text = written(summary_write, profile, VERBOSE);
    ck_assert_str_eq(text, "\nat 100 Hz: 40 samples of 40 due, "
                           "10 (25.0 % of the time) with stacks collapsed to their last frames (memory limit)\n");
    free(text);
    profile->samples[1].cut = PROFILE_WHOLE;
    profile->without_inlined = 7;
    text = written(summary_write, profile, VERBOSE);
    ck_assert_str_eq(text, "\nat 100 Hz: 40 samples of 40 due, inlined calls left out at 7 callers (memory limit)\n");
    free(text);
    profile->without_inlined = 0;
    instants_lack(&profile->instants, 12500000000);
    text = written(summary_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, "\ntimestamps only for the first 12.5 s (memory limit)\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* Time without a sample, and samples that represent different times. */
START_TEST(what_samples_mean_is_told)
{
    struct profile *profile = make_profile("./prog");
    uint32_t process = make_process(profile, 1, 0, "prog");
    make_thread(profile, process, 1, "prog");
    make_thread(profile, process, 0, "prog");
    profile->threads[1].estimated = true;
    make_module(profile, "/bin/prog", 0, 0x1000);
    uint32_t frame = make_frame(profile, 0, "f", 1);
    ADD_STACK(profile, 0, -1, 30, 300000000, frame);
    ADD_STACK(profile, 1, -1, 0, 100000000, frame);
    profile->quality = (struct profile_quality){.rate = 1000, .lowest_rate = 1000, .last_rate = 200};
    profile->processes[0].cpu_ns = 400000000;
    char *text = written(summary_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text,
                     "\n25.0 % of the time has no sample (short processes, ends of threads): it is spread over the "
                     "program's other samples; sampled at 1000 to 200 Hz: compare times, not samples\n");
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(lines_are_broken_between_clauses)
{
    struct profile *profile = make_trouble();
    char *whole = written(summary_write, profile, VERBOSE);
    for (unsigned width = 40; width < 400; width++) {
        char *text = written(summary_write, profile, (struct report_options){.width = width, .verbose = true}), *at;
        for (char *line = text + 1; (at = strstr(line, "\n  ")); line = at) {
            ck_assert_int_le(at - line, (int)width);
            memmove(at, at + 2, strlen(at + 2) + 1);
            *at = ' ';
        }
        ck_assert_str_eq(text, whole);
        free(text);
    }
    free(whole);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/summary");
    tcase_add_test(tests, success_is_not_explained);
    tcase_add_test(tests, everything_else_is);
    UNIT_ADD_TABLE(tests, rates_are_reported, rates);
    UNIT_ADD_TABLE(tests, a_part_of_the_time_is_reported, parts);
    tcase_add_test(tests, important_events_are_always_reported);
    tcase_add_test(tests, what_was_merged_is_told_apart);
    tcase_add_test(tests, what_samples_mean_is_told);
    tcase_add_test(tests, lines_are_broken_between_clauses);
    return unit_end();
}
