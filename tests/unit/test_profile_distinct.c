/* SPDX-License-Identifier: MIT */
#include "profile/profile/distinct.h"

#include "test_profile.h"
#include "unit.h"

/* Adds another sample with the stack of sample NUMBER, in another thread. */
static void again_in(struct profile *profile, size_t number, uint32_t thread)
{
    profile->samples = made_room(profile->samples, profile->sample_count + 1, sizeof *profile->samples);
    profile->samples[profile->sample_count] = profile->samples[number];
    profile->samples[profile->sample_count++].thread = thread;
}

static struct profile *made(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t one = make_process(profile, 7, 0, "prog"), same = make_process(profile, 8, 0, "prog"),
             other = make_process(profile, 9, 0, "other");
    uint32_t first = make_thread(profile, one, 7, "first"), helper = make_thread(profile, one, 70, "helper"),
             second = make_thread(profile, same, 8, "second"), third = make_thread(profile, other, 9, "third");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2);
    ADD_STACK(profile, first, -1, 3, 300, work, main);
    again_in(profile, 0, helper);
    again_in(profile, 0, second);
    again_in(profile, 0, third);
    ADD_STACK(profile, first, 0, 1, 10, work, main);
    again_in(profile, 0, first);
    profile->samples[5].cut = PROFILE_TRUNCATED;
    again_in(profile, 0, first);
    profile->samples[6].frame_count = 1;
    again_in(profile, 4, second);
    return profile;
}

START_TEST(threads_are_added_up)
{
    static const struct {
        uint32_t thread;
        uint64_t count, cpu_ns;
        int32_t syscall;
        uint8_t cut;
        uint32_t frame_count;
    } wanted[] = {
        {0, 9, 900, -1, PROFILE_WHOLE, 2}, /* two of one process, and one of another process with this name */
        {3, 3, 300, -1, PROFILE_WHOLE, 2},     {0, 2, 20, 0, PROFILE_WHOLE, 2},
        {0, 3, 300, -1, PROFILE_TRUNCATED, 2}, {0, 3, 300, -1, PROFILE_WHOLE, 1},
    };
    struct profile *profile = made();
    struct distinct distinct;
    ck_assert_int_eq(distinct_init(&distinct, profile), 0);
    ck_assert_uint_eq(distinct.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < distinct.count; i++) {
        ck_assert_uint_eq(distinct.items[i].thread, wanted[i].thread);
        ck_assert_uint_eq(distinct.items[i].count, wanted[i].count);
        ck_assert_uint_eq(distinct.items[i].cpu_ns, wanted[i].cpu_ns);
        ck_assert_int_eq(distinct.items[i].syscall, wanted[i].syscall);
        ck_assert_uint_eq(distinct.items[i].cut, wanted[i].cut);
        ck_assert_uint_eq(distinct.items[i].frame_count, wanted[i].frame_count);
    }
    distinct_fini(&distinct);
    profile_free(profile);
}
END_TEST

/* The first process is the base of the comparison. */
START_TEST(sides_of_a_comparison_are_apart)
{
    struct profile *profile = made();
    struct distinct distinct;
    profile->base_count = 1;
    ck_assert_int_eq(distinct_init(&distinct, profile), 0);
    ck_assert_uint_eq(distinct.count, 7);
    ck_assert_uint_eq(distinct.items[0].thread, 0);
    ck_assert_uint_eq(distinct.items[0].count, 6);
    ck_assert_uint_eq(distinct.items[1].thread, 2);
    ck_assert_uint_eq(distinct.items[1].count, 3);
    distinct_fini(&distinct);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_is_nothing)
{
    struct profile *profile = make_profile(NULL);
    struct distinct distinct;
    ck_assert_int_eq(distinct_init(&distinct, profile), 0);
    ck_assert_uint_eq(distinct.count, 0);
    distinct_fini(&distinct);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/distinct");
    tcase_add_test(tests, threads_are_added_up);
    tcase_add_test(tests, sides_of_a_comparison_are_apart);
    tcase_add_test(tests, nothing_is_nothing);
    return unit_end();
}
