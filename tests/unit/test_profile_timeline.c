/* SPDX-License-Identifier: MIT */
#include "profile/profile/timeline.h"

#include "test_report.h"

#define MS UINT64_C(1000000)

/* Samples 0 and 1 alternate: 0 ran at 10, 30 and 50 ms, 1 at 20 and 40 ms and once at an unknown time. */
static struct profile *example(void)
{
    struct profile *profile = make_profile("turns");
    uint32_t process = make_process(profile, 100, 0, "turns"), thread = make_thread(profile, process, 100, "turns");
    uint32_t module = make_module(profile, "/bin/turns", 0, 100);
    uint32_t one = make_frame(profile, module, "one", 10), other = make_frame(profile, module, "other", 20);
    ADD_STACK(profile, thread, -1, 3, 30, one);
    ADD_STACK(profile, thread, -1, 3, 30, other);
    for (uint32_t i = 0; i < 5; i++)
        instants_add(&profile->instants, &(struct instant){(i + 1) * 10 * MS, i % 2, 1, 10, 0});
    return profile;
}

/* With at most MOST times, the sums of both samples remain the same. */
static const struct {
    size_t most;
    const char *items; /* time in ms, or "-"; sample; count */
    uint64_t until_ms;
} rows[] = {
    {5, "10:0x1 20:1x1 30:0x1 40:1x1 50:0x1 -:1x1", 0},
    {9, "10:0x1 20:1x1 30:0x1 40:1x1 50:0x1 -:1x1", 0},
    {4, "10:0x1 20:1x1 30:0x1 40:1x1 -:0x1 -:1x1", 50},
    {2, "10:0x1 20:1x1 -:0x2 -:1x2", 30},
    {1, "10:0x1 -:0x2 -:1x3", 20},
    {0, "-:0x3 -:1x3", 10},
};

START_TEST(times_follow_the_table)
{
    struct profile *profile = example();
    struct timeline timeline;
    struct buffer text = {0};
    uint64_t ns = 0;
    ck_assert_int_eq(timeline_init(&timeline, profile, _i % 2, rows[_i].most), 0);
    for (size_t i = 0; i < timeline.count; i++) {
        const struct timeline_item *item = &timeline.items[i];
        buffer_puts(&text, i ? " " : "");
        if (item->time_ns == TIMELINE_NEVER)
            buffer_puts(&text, "-");
        else
            buffer_printf(&text, "%d", (int)(item->time_ns / MS));
        buffer_printf(&text, ":%ux%d", (unsigned)item->sample, (int)item->count);
        ns += timeline_ns(item);
    }
    ck_assert_str_eq(text.bytes, rows[_i].items);
    ck_assert_uint_eq(ns, profile_ns(profile));
    ck_assert_uint_eq(timeline_until_ns(profile, rows[_i].most), rows[_i].until_ms * MS);
    buffer_fini(&text);
    timeline_fini(&timeline);
    profile_free(profile);
}
END_TEST

/* Time that was added to an earlier sample later. */
START_TEST(moments_are_joined)
{
    struct profile *profile = example();
    struct timeline timeline;
    profile->samples[0].cpu_ns += 7;
    profile->samples[1].cpu_ns += 2;
    instants_add(&profile->instants, &(struct instant){30 * MS, 0, 0, 7, 0});
    instants_add(&profile->instants, &(struct instant){35 * MS, 1, 0, 2, 0});
    ck_assert_int_eq(timeline_init(&timeline, profile, _i, 9), 0);
    ck_assert_uint_eq(timeline.count, 7);
    ck_assert_uint_eq(timeline.items[2].time_ns, 30 * MS);
    ck_assert_uint_eq(timeline.items[2].cpu_ns, 17);
    ck_assert_uint_eq(timeline.items[2].count, 1);
    timeline_fini(&timeline);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/timeline");
    UNIT_ADD_TABLE(tests, times_follow_the_table, rows);
    tcase_add_loop_test(tests, moments_are_joined, 0, 2);
    return unit_end();
}
