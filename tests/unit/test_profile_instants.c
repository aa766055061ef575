/* SPDX-License-Identifier: MIT */
#include "profile/profile/instants.h"

#include "unit.h"

#define LAST_US (UINT64_MAX / 1000)

/* Entries in the order of adding, and the size of each in bytes. */
static const struct {
    struct instant instant;
    size_t bytes;
} entries[] = {
    {{0, 0, 1, 10000000, 0}, 1 + 1 + 4},
    {{1000000, 3, 1, 1000000, 0}, 1 + 2 + 3}, /* a millisecond later */
    {{1063000, 31, 1, 127, 0}, 1 + 1 + 1},
    {{1000000, 32, 1, 128, 0}, 2 + 1 + 2}, /* earlier than the previous one */
    {{1000000, 1, 0, 0, 5000000000}, 1 + 1 + 5 + 1},
    {{2000000000, UINT32_MAX, 7, UINT64_MAX, 0}, 5 + 4 + 10 + 1},
    {{0, 1, UINT64_MAX, 1, 0}, 1 + 4 + 1 + 10},
    {{LAST_US * 1000, 0, 1, 1, 0}, 1 + 8 + 1},
    {{0, 0, 1, 0, 1}, 1 + 8 + 1},
    {{1000, 0, 2, 0, 0}, 1 + 1 + 1 + 1},
};

static void assert_same(const struct instant *one, const struct instant *other)
{
    ck_assert_uint_eq(one->time_ns, other->time_ns);
    ck_assert_uint_eq(one->sample, other->sample);
    ck_assert_uint_eq(one->count, other->count);
    ck_assert_uint_eq(one->cpu_ns, other->cpu_ns);
    ck_assert_uint_eq(one->wait_ns, other->wait_ns);
}

START_TEST(added_entries_are_read)
{
    struct instants instants = {.count = 0};
    struct instants_reader reader;
    struct instant instant;
    for (size_t i = 0; i < UNIT_ROWS(entries); i++) {
        size_t before = instants.bytes.length;
        instants_add(&instants, &entries[i].instant);
        ck_assert_msg(instants.bytes.length - before == entries[i].bytes, "%zu: %zu bytes", i,
                      instants.bytes.length - before);
    }
    ck_assert_uint_eq(instants.count, UNIT_ROWS(entries));
    instants_read(&reader, &instants);
    for (size_t i = 0; i < UNIT_ROWS(entries); i++) {
        ck_assert(instants_next(&reader, &instant));
        assert_same(&instant, &entries[i].instant);
    }
    ck_assert(!instants_next(&reader, &instant));
    ck_assert(!reader.cursor.failed);
    ck_assert_uint_eq(instants.until_ns, 0);
    instants_fini(&instants);
}
END_TEST

static const struct {
    struct instant added, read[2];
    size_t count;
} parts[] = {
    {{1999, 1, 1, 5, 0}, {{1000, 1, 1, 5, 0}}, 1},                     /* truncated to microseconds */
    {{1000, 1, 1, 5, 7}, {{1000, 1, 1, 5, 0}, {1000, 1, 0, 0, 7}}, 2}, /* it ran and waited */
    {{1000, 1, 1, 0, 7}, {{1000, 1, 1, 0, 7}}, 1},
    {{1000, 1, 2, 0, 0}, {{1000, 1, 2, 0, 0}}, 1},
    {{1000, 1, 0, 0, 0}, {{0, 0, 0, 0, 0}}, 0},
};

START_TEST(an_entry_runs_or_waits)
{
    struct instants instants = {.count = 0};
    struct instants_reader reader;
    struct instant instant;
    instants_add(&instants, &parts[_i].added);
    ck_assert_uint_eq(instants.count, parts[_i].count);
    instants_read(&reader, &instants);
    for (size_t i = 0; i < parts[_i].count; i++) {
        ck_assert(instants_next(&reader, &instant));
        assert_same(&instant, &parts[_i].read[i]);
    }
    ck_assert(!instants_next(&reader, &instant));
    instants_fini(&instants);
}
END_TEST

START_TEST(dropped_entries_are_reported)
{
    struct instants instants = {.most_bytes = 1000};
    struct instants_reader reader;
    struct instant instant = {.count = 1, .cpu_ns = 1000000};
    size_t count = 0;
    for (uint64_t i = 1; i <= 1000; i++) {
        instant.time_ns = i * 1000000;
        instants_add(&instants, &instant);
    }
    ck_assert_uint_le(instants.bytes.length, 1000);
    ck_assert_uint_gt(instants.count, 100);
    ck_assert_uint_eq(instants.until_ns, (instants.count + 1) * 1000000);
    for (instants_read(&reader, &instants); instants_next(&reader, &instant); count++)
        ck_assert_uint_lt(instant.time_ns, instants.until_ns);
    ck_assert_uint_eq(count, instants.count);
    instants_fini(&instants);
}
END_TEST

START_TEST(all_can_be_delayed)
{
    struct instants instants = {.count = 0};
    struct instants_reader reader;
    struct instant instant;
    instants_add(&instants, &(struct instant){5000, 1, 1, 1, 0});
    instants_delay(&instants, 7000000);
    instants_add(&instants, &(struct instant){9000000, 2, 1, 1, 0});
    instants_read(&reader, &instants);
    ck_assert(instants_next(&reader, &instant));
    ck_assert_uint_eq(instant.time_ns, 7005000);
    ck_assert(instants_next(&reader, &instant));
    ck_assert_uint_eq(instant.time_ns, 9000000);
    instants_fini(&instants);
}
END_TEST

/* Malformed encodings from an untrusted file. */
static const struct {
    const char *bytes;
    size_t size, entries;
    bool damaged;
} strangers[] = {
    {"", 0, 0, false},
    {"\0\2\1", 3, 1, false},
    {"\0\2\1\0\2", 5, 1, true},                                        /* truncated */
    {"\2\2\1", 3, 0, true},                                            /* the count is missing */
    {"\0\1\1", 3, 0, true},                                            /* before the start */
    {"\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1", 11, 0, true},         /* later than the largest time */
    {"\xff\xff\xff\xff\x7f\0\1", 7, 0, true},                          /* an index of more than 32 bits */
    {"\0\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 13, 0, true}, /* an incomplete number */
};

START_TEST(damage_is_found)
{
    const uint8_t *bytes = (const uint8_t *)strangers[_i].bytes;
    struct cursor cursor = {.at = bytes, .end = bytes + strangers[_i].size};
    struct instant instant;
    uint64_t last_us = 0;
    size_t count = 0;
    while (instants_decode(&cursor, &instant, &last_us))
        count++;
    ck_assert_uint_eq(count, strangers[_i].entries);
    ck_assert(cursor.failed == strangers[_i].damaged);
}
END_TEST

static const struct {
    struct instant instant;
    uint64_t began_ns;
} begins[] = {
    {{5000, 0, 1, 4000, 0}, 5000},
    {{5000, 0, 1, 0, 4000}, 1000},
    {{5000, 0, 1, 0, 9000}, 0},
};

START_TEST(waiting_takes_its_time)
{
    ck_assert_uint_eq(instant_began_ns(&begins[_i].instant), begins[_i].began_ns);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/instants");
    tcase_add_test(tests, added_entries_are_read);
    UNIT_ADD_TABLE(tests, an_entry_runs_or_waits, parts);
    tcase_add_test(tests, dropped_entries_are_reported);
    tcase_add_test(tests, all_can_be_delayed);
    UNIT_ADD_TABLE(tests, damage_is_found, strangers);
    UNIT_ADD_TABLE(tests, waiting_takes_its_time, begins);
    return unit_end();
}
