/* SPDX-License-Identifier: MIT */
#include "profile/profile/merge.h"

#include "profile/profile/builder.h"
#include "test_profile.h"
#include "unit.h"

static struct profile *merged(const struct profile *one, const struct profile *other, bool apart)
{
    struct builder builder;
    builder_init(&builder);
    merge_profile(&builder, one);
    if (apart) {
        builder_base_ends(&builder);
        ck_assert_uint_eq(builder.profile->base_count, one->process_count);
    }
    if (other)
        merge_profile(&builder, other);
    struct profile *profile = builder_finish(&builder);
    ck_assert_ptr_nonnull(profile);
    return profile;
}

static uint64_t sample_sum(const struct profile *profile)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++)
        sum += profile->samples[i].cpu_ns;
    for (size_t i = 0; i < profile->process_count; i++)
        sum += profile->processes[i].unsampled_ns;
    return sum;
}

START_TEST(one_profile_stays_what_it_is)
{
    struct profile *example = make_example(), *copy = merged(example, NULL, false);
    ck_assert_uint_eq(copy->sample_count, example->sample_count);
    ck_assert_uint_eq(copy->process_count, example->process_count);
    ck_assert_uint_eq(copy->thread_count, example->thread_count);
    ck_assert_uint_eq(copy->module_count, example->module_count);
    ck_assert_uint_eq(copy->function_count, example->function_count);
    ck_assert_uint_eq(profile_cpu_ns(copy), profile_cpu_ns(example));
    ck_assert_uint_eq(profile_cpu_ns(copy), sample_sum(copy));
    ck_assert_str_eq(copy->command, example->command);
    ck_assert_mem_eq(&copy->quality, &example->quality, sizeof copy->quality);
    for (size_t i = 0; i < example->sample_count; i++) {
        const struct profile_sample *was = &example->samples[i], *is = &copy->samples[i];
        ck_assert_uint_eq(is->count, was->count);
        ck_assert_uint_eq(is->cpu_ns, was->cpu_ns);
        ck_assert_int_eq(is->syscall, was->syscall);
        ck_assert_uint_eq(is->frame_count, was->frame_count);
        ck_assert_int_eq(copy->threads[is->thread].tid, example->threads[was->thread].tid);
        for (uint32_t f = 0; f < was->frame_count; f++)
            ck_assert_uint_eq(copy->locations[copy->frames[is->frame_first + f]].address,
                              example->locations[example->frames[was->frame_first + f]].address);
    }
    for (size_t i = 0; i < example->process_count; i++)
        ck_assert_pstr_eq(copy->processes[i].not_sampled, example->processes[i].not_sampled);
    profile_free(copy);
    profile_free(example);
}
END_TEST

START_TEST(equal_profiles_come_together)
{
    struct profile *example = make_example(), *both = merged(example, example, false);
    ck_assert_uint_eq(both->sample_count, example->sample_count);
    ck_assert_uint_eq(both->process_count, example->process_count);
    ck_assert_uint_eq(profile_cpu_ns(both), 2 * profile_cpu_ns(example));
    ck_assert_uint_eq(profile_cpu_ns(both), sample_sum(both));
    ck_assert_uint_eq(both->samples[0].count, 2 * example->samples[0].count);
    ck_assert_uint_eq(both->quality.samples, 2 * example->quality.samples);
    ck_assert_uint_eq(both->quality.wall_ns, 2 * example->quality.wall_ns);
    ck_assert_uint_eq(both->quality.rate, 100);
    ck_assert_str_eq(both->command, example->command);
    profile_free(both);
    profile_free(example);
}
END_TEST

START_TEST(separate_profiles_stay_separate)
{
    struct profile *example = make_example(), *both = merged(example, example, true);
    ck_assert_uint_eq(both->sample_count, 2 * example->sample_count);
    ck_assert_uint_eq(both->process_count, 2 * example->process_count);
    ck_assert_uint_eq(both->function_count, example->function_count);
    ck_assert_uint_eq(both->location_count, example->location_count);
    ck_assert_uint_le(both->frame_count, example->frame_count);
    profile_free(both);
    profile_free(example);
}
END_TEST

/* Two runs with one difference; and whether their samples are added up. */
enum difference {
    NOTHING,
    PID,
    IMAGE,
    COMM,
    COMMAND,
    TID,
    THREAD_COMM,
    PATH,
    BUILD_ID,
    NAME,
    START,
    ADDRESS,
    LINE,
    CALL,
    CUT
};
static const struct {
    enum difference difference;
    size_t samples, processes, threads, modules, functions, locations;
} differences[] = {
    {NOTHING, 1, 1, 1, 1, 1, 1},     {PID, 2, 2, 2, 1, 1, 1},     {IMAGE, 2, 2, 2, 1, 1, 1},
    {COMM, 2, 2, 2, 1, 1, 1},        {COMMAND, 2, 2, 2, 1, 1, 1}, {TID, 2, 1, 2, 1, 1, 1},
    {THREAD_COMM, 2, 1, 2, 1, 1, 1}, {PATH, 2, 1, 1, 2, 2, 2},    {BUILD_ID, 2, 1, 1, 2, 2, 2},
    {NAME, 2, 1, 1, 1, 2, 2},        {START, 2, 1, 1, 1, 2, 2},   {ADDRESS, 2, 1, 1, 1, 1, 2},
    {LINE, 2, 1, 1, 1, 1, 2},        {CALL, 2, 1, 1, 1, 1, 1},    {CUT, 2, 1, 1, 1, 1, 1},
};

static struct profile *simple(enum difference difference)
{
    struct profile *profile = make_profile("prog");
    uint32_t process =
        make_process(profile, 7 + (difference == PID), difference == IMAGE, difference == COMM ? "other" : "prog");
    profile->processes[process].command = difference == COMMAND ? "prog -x" : "prog";
    uint32_t thread =
        make_thread(profile, process, 7 + (difference == TID), difference == THREAD_COMM ? "other" : "prog");
    uint32_t module = make_module(profile, difference == PATH ? "/bin/other" : "/bin/prog", 0, 100);
    if (difference == BUILD_ID)
        profile->modules[module].build_id = strdup("abcd");
    uint32_t leaf = make_frame(profile, module, difference == NAME ? "other" : "work", 5 + (difference == ADDRESS));
    profile->functions[0].start = 2 + (difference == START);
    profile->lines = made_room(NULL, 1, sizeof *profile->lines);
    profile->lines[0] = (struct profile_line){0, 0, 12 + (difference == LINE)};
    profile->line_count = profile->locations[leaf].line_count = 1;
    profile->files = made_room(NULL, 1, sizeof *profile->files);
    profile->files[0] = strdup("prog.c");
    profile->file_count = 1;
    ADD_STACK(profile, thread, difference == CALL ? 0 : -1, 1, 1000, leaf, leaf);
    profile->samples[0].cut = difference == CUT ? PROFILE_TRUNCATED : PROFILE_WHOLE;
    return profile;
}

START_TEST(different_stacks_stay_separate)
{
    struct profile *one = simple(NOTHING), *other = simple(differences[_i].difference);
    struct profile *both = merged(one, other, false);
    ck_assert_uint_eq(both->sample_count, differences[_i].samples);
    ck_assert_uint_eq(both->process_count, differences[_i].processes);
    ck_assert_uint_eq(both->thread_count, differences[_i].threads);
    ck_assert_uint_eq(both->module_count, differences[_i].modules);
    ck_assert_uint_eq(both->function_count, differences[_i].functions);
    ck_assert_uint_eq(both->location_count, differences[_i].locations);
    ck_assert_uint_eq(both->file_count, 1);
    ck_assert_uint_eq(profile_cpu_ns(both), 2000);
    profile_free(both);
    profile_free(other);
    profile_free(one);
}
END_TEST

static const struct {
    uint32_t rate, lowest, other_rate, other_lowest, rates, lowests;
} rates[] = {
    {100, 100, 100, 100, 100, 100},
    {100, 100, 1000, 1000, 1000, 1000},
    {1000, 400, 1000, 1000, 1000, 400},
    {100, 100, 1000, 700, 1000, 700}, /* the first rate did not decrease */
};

/* The first and last rates of two recordings, and of their sum. */
static const struct {
    uint32_t rate, last, other_rate, other_last, rates, lasts;
} changed[] = {
    {100, 100, 100, 100, 100, 100}, {100, 0, 1000, 0, 1000, 100}, {1000, 50, 1000, 200, 1000, 50},
    {1000, 200, 997, 0, 1000, 200}, {0, 0, 1000, 200, 1000, 200}, {1000, 200, 0, 0, 1000, 200},
};

START_TEST(extremes_of_rates_are_kept)
{
    struct profile *one = simple(NOTHING), *other = simple(NOTHING);
    one->quality.rate = changed[_i].rate;
    one->quality.last_rate = changed[_i].last;
    one->quality.change_count = 1;
    other->quality.rate = changed[_i].other_rate;
    other->quality.last_rate = changed[_i].other_last;
    struct profile *both = merged(one, other, false);
    ck_assert_uint_eq(both->quality.rate, changed[_i].rates);
    ck_assert_uint_eq(profile_last_rate(&both->quality), changed[_i].lasts);
    ck_assert_uint_eq(both->quality.change_count, 0);
    profile_free(both);
    profile_free(other);
    profile_free(one);
}
END_TEST

START_TEST(a_rate_that_fell_is_kept)
{
    struct profile *one = simple(NOTHING), *other = simple(NOTHING);
    one->quality.rate = rates[_i].rate;
    one->quality.lowest_rate = rates[_i].lowest;
    other->quality.rate = rates[_i].other_rate;
    other->quality.lowest_rate = rates[_i].other_lowest;
    other->quality.ended_early = "the tracer was killed";
    other->quality.signal = 6;
    struct profile *both = merged(one, other, false);
    ck_assert_uint_eq(both->quality.rate, rates[_i].rates);
    ck_assert_uint_eq(both->quality.lowest_rate, rates[_i].lowests);
    ck_assert_str_eq(both->quality.ended_early, "the tracer was killed");
    ck_assert_uint_eq(both->quality.signal, 6);
    profile_free(both);
    profile_free(other);
    profile_free(one);
}
END_TEST

START_TEST(other_commands_are_said_once)
{
    struct profile *one = simple(NOTHING), *other = simple(NOTHING);
    struct builder builder;
    other->command[0] = 'P';
    builder_init(&builder);
    merge_profile(&builder, one);
    merge_profile(&builder, one);
    ck_assert_str_eq(builder.profile->command, "prog");
    merge_profile(&builder, other);
    merge_profile(&builder, other);
    struct profile *all = builder_finish(&builder);
    ck_assert_str_eq(all->command, "prog (and others)");
    ck_assert_ptr_null(builder_finish(&builder));
    profile_free(all);
    profile_free(other);
    profile_free(one);
}
END_TEST

static const struct {
    uint64_t began_ns[2], times[2], marks[2];
} begins[] = {
    {{1000000000, 1000500000}, {7000, 508000}, {9000, 509000}},
    {{1000500000, 1000000000}, {507000, 8000}, {509000, 9000}},
    {{1000500000, 1000500000}, {7000, 8000}, {9000, 9000}},
    {{0, 1000000000}, {7000, 8000}, {9000, 9000}}, /* one start is unknown */
    {{1000000000, 0}, {7000, 8000}, {9000, 9000}},
};

START_TEST(times_are_those_of_the_one_that_began_first)
{
    struct profile *both[] = {make_example(), make_example()};
    struct instants_reader reader;
    struct instant instant;
    for (size_t i = 0; i < 2; i++) {
        both[i]->quality.began_ns = begins[_i].began_ns[i];
        instants_add(&both[i]->instants, &(struct instant){7000 + 1000 * i, 1, 1, 5, 0});
        add_mark(both[i], 9000, "here");
    }
    struct profile *profile = merged(both[0], both[1], false);
    instants_read(&reader, &profile->instants);
    for (size_t i = 0; i < 2; i++) {
        ck_assert(instants_next(&reader, &instant));
        ck_assert_uint_eq(instant.time_ns, begins[_i].times[i]);
        ck_assert_uint_eq(instant.sample, 1);
        ck_assert_uint_eq(profile->marks[i].time_ns, begins[_i].marks[i]);
        ck_assert_str_eq(profile->marks[i].text, "here");
    }
    ck_assert(!instants_next(&reader, &instant));
    ck_assert_uint_eq(profile->instants.until_ns, 0);
    profile_free(profile);
    profile_free(both[0]);
    profile_free(both[1]);
}
END_TEST

/* If one profile lacks information, the sum lacks it, too. The other one's samples are all kept. */
START_TEST(missing_data_of_one_is_missing)
{
    struct profile *one = make_example(), *other = make_example();
    instants_add(&other->instants, &(struct instant){7000, 1, 1, 5, 0});
    instants_lack(&one->instants, 6000);
    struct profile *profile = merged(one, other, false);
    ck_assert_uint_eq(profile->instants.count, 1);
    ck_assert_uint_eq(profile->instants.until_ns, 6000);
    profile_free(profile);
    profile_free(one);
    profile_free(other);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/merge");
    tcase_add_test(tests, one_profile_stays_what_it_is);
    UNIT_ADD_TABLE(tests, times_are_those_of_the_one_that_began_first, begins);
    tcase_add_test(tests, missing_data_of_one_is_missing);
    tcase_add_test(tests, equal_profiles_come_together);
    tcase_add_test(tests, separate_profiles_stay_separate);
    UNIT_ADD_TABLE(tests, different_stacks_stay_separate, differences);
    UNIT_ADD_TABLE(tests, a_rate_that_fell_is_kept, rates);
    UNIT_ADD_TABLE(tests, extremes_of_rates_are_kept, changed);
    tcase_add_test(tests, other_commands_are_said_once);
    return unit_end();
}
