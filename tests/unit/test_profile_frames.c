/* SPDX-License-Identifier: MIT */
#include "profile/profile/frames.h"

#include "test_profile.h"
#include "unit.h"

static struct profile *profile;
static struct frames frames;

static void begin(void)
{
    ck_assert_int_eq(frames_init(&frames, profile), 0);
}

static void end(void)
{
    frames_fini(&frames);
    profile_free(profile);
}

static uint32_t of_location(uint32_t location)
{
    return frames_number(&frames, profile->locations[location].function, NULL, NULL);
}

START_TEST(equal_functions_are_one)
{
    profile = make_profile(NULL);
    uint32_t here = make_module(profile, "/bin/prog", 1, 2), there = make_module(profile, "/lib/prog", 1, 2);
    uint32_t one = make_frame(profile, here, "work", 1), same = make_frame(profile, here, "work", 2);
    uint32_t other_name = make_frame(profile, here, "play", 3), other_object = make_frame(profile, there, "work", 1);
    uint32_t other_file = make_frame(profile, here, "work", 4);
    add_line(profile, other_file, other_file, "other.c", 1);
    begin();
    ck_assert_uint_eq(of_location(one), 0);
    ck_assert_uint_eq(of_location(same), 0);
    ck_assert_uint_eq(of_location(other_name), 1);
    ck_assert_uint_eq(of_location(other_object), 2);
    ck_assert_uint_eq(of_location(other_file), 3);
    ck_assert_uint_eq(of_location(same), 0);
    ck_assert_uint_eq(frames.count, 4);
    end();
}
END_TEST

START_TEST(a_source_is_the_first_file_and_its_least_line)
{
    profile = make_profile(NULL);
    uint32_t module = make_module(profile, "/bin/prog", 1, 2);
    uint32_t work = make_frame(profile, module, "work", 1), inlined = make_frame(profile, module, "inlined", 1);
    add_line(profile, work, inlined, "inline.h", 5);
    add_line(profile, work, work, NULL, 7);
    add_line(profile, work, work, "work.c", 30);
    add_line(profile, work, work, "generated.inc", 2);
    add_line(profile, work, work, "work.c", 20);
    add_line(profile, work, work, "work.c", 0);
    begin();
    ck_assert_uint_eq(of_location(work), 0);
    ck_assert_uint_eq(of_location(inlined), 1);
    const struct frames_item *item = &frames.items[0];
    ck_assert_str_eq(item->file, "work.c");
    ck_assert_uint_eq(item->line, 20);
    ck_assert_str_eq(item->module, "prog");
    ck_assert_str_eq(item->path, "/bin/prog");
    item = &frames.items[1];
    ck_assert_str_eq(item->file, "inline.h");
    ck_assert_uint_eq(item->line, 5);
    end();
}
END_TEST

START_TEST(names_are_copied)
{
    profile = make_profile(NULL);
    begin();
    char name[] = "[read]";
    ck_assert_uint_eq(frames_number(&frames, PROFILE_NONE, name, "[kernel]"), 0);
    name[1] = 'x';
    ck_assert_uint_eq(frames_number(&frames, PROFILE_NONE, name, "[kernel]"), 1);
    ck_assert_uint_eq(frames_number(&frames, PROFILE_NONE, "[read]", "[kernel]"), 0);
    ck_assert_uint_eq(frames_number(&frames, PROFILE_NONE, "[read]", ""), 2);
    ck_assert_str_eq(frames.items[0].name, "[read]");
    end();
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/frames");
    tcase_add_test(tests, equal_functions_are_one);
    tcase_add_test(tests, a_source_is_the_first_file_and_its_least_line);
    tcase_add_test(tests, names_are_copied);
    return unit_end();
}
