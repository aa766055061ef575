/* SPDX-License-Identifier: MIT */
#include "front/top/live.h"

#include "front/top/board.h"
#include "front/top/view.h"
#include "test_top.h"
#include "unit.h"

#define SECOND 1000000000ull

/* Ten slots of a second. Sample 0 gets 10 ms in each, and sample 1 gets 7 ms in slot 3. */
static void make(struct live *live, struct record *record)
{
    top_begin(record);
    live_begin(live, 100 * SECOND);
    for (unsigned i = 1; i <= 10; i++) {
        top_sample(record, 100, "0", -1, 10, 0);
        if (i == 3)
            top_sample(record, 100, "1", -1, 7, 0);
        ck_assert(live_take(live, record, (100 + i) * SECOND));
    }
}

static const struct {
    uint64_t recent_ns;
    uint64_t seconds, first_ms, second_ms; /* the recent time, of each sample */
} rows[] = {
    {SECOND, 1, 10, 0},        {2 * SECOND, 2, 20, 0},    {7 * SECOND, 7, 70, 0}, {8 * SECOND, 8, 80, 7},
    {10 * SECOND, 10, 100, 7}, {60 * SECOND, 10, 100, 7}, {SECOND / 2, 1, 10, 0}, {SECOND * 14 / 10, 1, 10, 0},
};

START_TEST(the_last_seconds_follow_the_table)
{
    struct live live = {0};
    struct record record;
    struct live_picture picture = {0};
    make(&live, &record);
    ck_assert(live_look(&live, rows[_i].recent_ns, &picture));
    ck_assert_uint_eq(picture.recent_ns, rows[_i].seconds * SECOND);
    ck_assert_uint_eq(picture.recent[0].cpu_ns, rows[_i].first_ms * TOP_MS);
    ck_assert_uint_eq(picture.recent[1].cpu_ns, rows[_i].second_ms * TOP_MS);
    ck_assert_uint_eq(picture.recent_sum.cpu_ns, (rows[_i].first_ms + rows[_i].second_ms) * TOP_MS);
    ck_assert_uint_eq(picture.all[0].cpu_ns, 100 * TOP_MS);
    ck_assert_uint_eq(picture.all_sum.cpu_ns, 107 * TOP_MS);
    ck_assert_uint_eq(picture.all_sum.count, 11);
    ck_assert_uint_eq(picture.all_ns, 10 * SECOND);
    live_picture_free(&picture);
    live_free(&live);
    record_fini(&record);
}
END_TEST

START_TEST(it_begins_anew)
{
    struct live live = {0};
    struct record record;
    struct live_picture picture = {0};
    make(&live, &record);
    ck_assert(live_reset(&live, 110 * SECOND));
    ck_assert(live_look(&live, 5 * SECOND, &picture));
    ck_assert_uint_eq(picture.all_sum.cpu_ns, 0);
    ck_assert_uint_eq(picture.recent_sum.cpu_ns, 0);
    top_sample(&record, 100, "2", -1, 4, 0);
    top_sample(&record, 100, "0", -1, 3, 0);
    ck_assert(live_take(&live, &record, 111 * SECOND));
    ck_assert(live_look(&live, 5 * SECOND, &picture));
    ck_assert_uint_eq(picture.all_ns, SECOND);
    ck_assert_uint_eq(picture.all[0].cpu_ns, 3 * TOP_MS);
    ck_assert_uint_eq(picture.all[2].cpu_ns, 4 * TOP_MS);
    ck_assert_uint_eq(picture.recent_sum.cpu_ns, 7 * TOP_MS);
    live_picture_free(&picture);
    live_free(&live);
    record_fini(&record);
}
END_TEST

START_TEST(a_picture_stays_while_the_record_grows)
{
    struct live live = {0};
    struct record record;
    struct live_picture picture = {0};
    make(&live, &record);
    ck_assert(live_look(&live, SECOND, &picture));
    for (unsigned i = 0; i < 1000; i++) {
        char stack[] = {(char)('0' + i % 4), (char)('0' + i / 4 % 4), (char)('0' + i / 16 % 4), 0};
        top_sample(&record, (pid_t)(100 + i % 3), stack, -1, 1, 0);
        ck_assert(live_take(&live, &record, (111 + i) * SECOND));
    }
    ck_assert_uint_eq(picture.count, 2);
    ck_assert_uint_eq(picture.all_sum.cpu_ns, 107 * TOP_MS);
    ck_assert(live_look(&live, 60 * SECOND, &picture));
    ck_assert_uint_eq(picture.recent_sum.cpu_ns, 60 * TOP_MS);
    ck_assert_uint_eq(picture.all_sum.cpu_ns, 1107 * TOP_MS);
    size_t changes = 0;
    for (size_t i = 0; i < LIVE_SLOTS; i++)
        changes += live.slots[i].room;
    ck_assert_uint_le(changes, LIVE_SLOTS * 16); /* the ring has a limit */
    live_picture_free(&picture);
    live_free(&live);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/live");
    UNIT_ADD_TABLE(tests, the_last_seconds_follow_the_table, rows);
    tcase_add_test(tests, it_begins_anew);
    tcase_add_test(tests, a_picture_stays_while_the_record_grows);
    return unit_end();
}
