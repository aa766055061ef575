/* SPDX-License-Identifier: MIT */
#include "profile/clickhouse/rows_take.h"

#include "test_report.h"

#include <endian.h>
#include <errno.h>

enum { MOST = 4 };

/* A row of an answer, and how it is damaged. */
struct given {
    const char *process, *job, *node, *clock;
    int32_t rank;
    const char *functions[MOST], *modules[MOST], *files[MOST];
    uint32_t lines[MOST];
    uint64_t count, period, cpu, wait, began, ended;
    uint32_t low, high;
};

static void put_number(struct buffer *out, uint64_t number, size_t size)
{
    uint64_t little = htole64(number);
    buffer_append(out, &little, size);
}

static void put_leb128(struct buffer *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        put_number(out, (number & 0x7f) | 0x80, 1);
    put_number(out, number, 1);
}

static void put_text(struct buffer *out, const char *text)
{
    put_leb128(out, text ? strlen(text) : 0);
    buffer_puts(out, text ? text : "");
}

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (count < MOST && texts[count])
        count++;
    return count;
}

static void put_texts(struct buffer *out, const char *const *texts, size_t count)
{
    put_leb128(out, count);
    for (size_t i = 0; i < count; i++)
        put_text(out, texts[i]);
}

static void put_row(struct buffer *out, const struct given *row)
{
    size_t count = count_of(row->functions);
    put_text(out, row->process);
    put_text(out, row->job);
    put_number(out, (uint32_t)row->rank, 4);
    put_text(out, row->node);
    put_text(out, row->clock ? row->clock : "cpu");
    put_texts(out, row->functions, count);
    put_texts(out, row->modules, count);
    put_texts(out, row->files, count);
    put_leb128(out, count);
    for (size_t i = 0; i < count; i++)
        put_number(out, row->lines[i], 4);
    const uint64_t numbers[] = {row->count, row->period, row->cpu, row->wait, row->began, row->ended};
    for (size_t i = 0; i < UNIT_ROWS(numbers); i++)
        put_number(out, numbers[i], 8);
    put_number(out, row->low, 4);
    put_number(out, row->high, 4);
}

struct taken {
    struct profile *profile;
    struct buffer note;
    struct error error;
    int result;
};

static struct taken take(const void *bytes, size_t size)
{
    struct taken taken = {0};
    struct builder builder;
    void *exact = malloc(size ? size : 1); /* of the exact size, for the sanitizers */
    if (size)
        memcpy(exact, bytes, size);
    builder_init(&builder);
    taken.result = rows_take(&builder, exact, size, &taken.note, &taken.error);
    taken.profile = builder_finish(&builder);
    ck_assert_int_eq(taken.result, -taken.error.errnum);
    free(exact);
    return taken;
}

static void forget(struct taken *taken)
{
    profile_free(taken->profile);
    buffer_fini(&taken->note);
}

#define SOME                                                                                                           \
    .process = "p", .rank = -1, .count = 2, .period = 20, .cpu = 30, .began = 5, .ended = 9, .low = 99, .high = 100

/* Stacks as folded text. */
static const struct {
    struct given row;
    const char *folded;
} stacks[] = {
    {{SOME, .functions = {"main", "f"}, .modules = {"/p", "/p"}}, "p;main;f 30000\n"},
    {{SOME, .functions = {"main", "[read]"}, .modules = {"/p", "[kernel]"}}, "p;main;[read] 30000\n"},
    {{SOME, .functions = {"[truncated]", "f"}, .modules = {"", "/p"}}, "p;[truncated];f 30000\n"},
    {{SOME, .functions = {"[merged]", "f", "[read]"}, .modules = {"", "/p", "[kernel]"}},
     "p;[merged];f;[read] 30000\n"},
    {{SOME, .functions = {"[read]"}, .modules = {"[kernel]"}}, "p;[read] 30000\n"},
    {{SOME, .functions = {"[unsampled]"}, .modules = {"/p"}}, "p;[unsampled] 30000\n"},
    {{SOME, .functions = {"[unsampled]", "f"}, .modules = {"", "/p"}}, "p;[unsampled];f 30000\n"},
    {{SOME}, "p;[unknown] 30000\n"},
    {{SOME, .functions = {""}, .modules = {""}}, "p;[unknown] 30000\n"},
    {{SOME, .functions = {"f"}, .modules = {"/p"}, .files = {"a.c"}, .lines = {7}}, "p;f 30000\n"},
};

START_TEST(stacks_are_built)
{
    struct given row = stacks[_i].row;
    struct buffer answer = {0};
    row.cpu = 30000000; /* folded text has microseconds */
    put_row(&answer, &row);
    struct taken taken = take(answer.bytes, answer.length);
    ck_assert_msg(!taken.result, "%s", taken.error.text);
    char *text = written(report_format_by_name("folded")->write, taken.profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, stacks[_i].folded);
    ck_assert_uint_eq(taken.profile->quality.rate, 100);
    ck_assert_uint_eq(taken.profile->quality.began_ns, 5);
    ck_assert_uint_eq(taken.profile->quality.wall_ns, 4);
    free(text);
    buffer_fini(&answer);
    forget(&taken);
}
END_TEST

START_TEST(rows_add_up)
{
    const struct given rows[] = {
        {SOME, .functions = {"f"}, .modules = {"/p"}, .files = {"a.c"}, .lines = {7}},
        {SOME, .functions = {"f"}, .modules = {"/p"}, .files = {"a.c"}, .lines = {7}, .wait = 4, .clock = "wall"},
        {.process = "q",
         .rank = 3,
         .node = "n",
         .job = "j",
         .cpu = 1,
         .began = 2,
         .ended = 3,
         .low = 50,
         .high = 50,
         .functions = {"f"},
         .modules = {"/p"}},
    };
    struct buffer answer = {0};
    for (size_t i = 0; i < UNIT_ROWS(rows); i++)
        put_row(&answer, &rows[i]);
    struct taken taken = take(answer.bytes, answer.length);
    const struct profile *profile = taken.profile;
    ck_assert_int_eq(taken.result, 0);
    ck_assert_ptr_nonnull(strstr(taken.note.bytes, "clock=cpu"));
    ck_assert_uint_eq(profile->sample_count, 2);
    ck_assert_uint_eq(profile->samples[0].count, 4);
    ck_assert_uint_eq(profile->samples[0].period_ns, 40);
    ck_assert_uint_eq(profile_cpu_ns(profile), 61);
    ck_assert_uint_eq(profile_wait_ns(profile), 4);
    ck_assert(profile->quality.wall);
    ck_assert_uint_eq(profile->quality.began_ns, 2);
    ck_assert_uint_eq(profile->quality.wall_ns, 7);
    ck_assert_uint_eq(profile->quality.last_rate, 50);
    ck_assert(!profile->processes[0].rank.known && profile->processes[1].rank.known);
    ck_assert_uint_eq(profile->processes[1].rank.number, 3);
    ck_assert_str_eq(profile->processes[1].rank.host, "n");
    ck_assert_str_eq(profile->processes[1].rank.job, "j");
    ck_assert_uint_eq(profile->lines[profile->locations[profile->frames[0]].line_first].line, 7);
    buffer_fini(&answer);
    forget(&taken);
}
END_TEST

/* Malformed answers, as from a hostile server. The bytes follow a valid row. */
static const struct {
    const char *bytes;
    size_t size;
    const char *error;
} hostile[] = {
#define BYTES(text) text, sizeof text - 1
#define START "\1p\0\xff\xff\xff\xff\0\3cpu"
    {BYTES("\1"), "does not end"},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "does not end"},
    {BYTES("Code: 241. DB::Exception: Memory limit"), "does not end"},
    {BYTES("\1p\0\xff\xff"), "does not end"},
    {BYTES(START "\xff\xff\xff\xff\x0f"), "too deep"},
    {BYTES(START "\5\1a"), "too deep"},
    {BYTES(START "\2\1a\1b\1\1c"), "different lengths"},
    {BYTES(START "\1\1a\1\1b\1\1c\2aaaaaaaa"), "different lengths"},
    {BYTES(START "\1\1a\1\1b\1\1c\1aaaa"), "within a row"},
    {BYTES(START "\0\0\0\0"
                 "aaaaaaaabbbbbbbb\xff\xff\xff\xff\xff\xff\xff\xff"
                 "dddddddd\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0hhhhHHHH"),
     "more than can be true"},
    {BYTES(START "\0\0\0\0"
                 "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
                 "hhhhHHHH"),
     "ends before it begins"},
};

START_TEST(hostile_answers_are_refused)
{
    const struct given row = {SOME, .functions = {"f"}, .modules = {"/p"}};
    struct buffer answer = {0};
    put_row(&answer, &row);
    buffer_append(&answer, hostile[_i].bytes, hostile[_i].size);
    struct taken taken = take(answer.bytes, answer.length);
    ck_assert_int_eq(taken.result, -EBADMSG);
    ck_assert_msg(strstr(taken.error.text, hostile[_i].error), "%s", taken.error.text);
    buffer_fini(&answer);
    forget(&taken);
}
END_TEST

START_TEST(long_texts_are_refused)
{
    struct given row = {SOME, .functions = {"f"}, .modules = {"/p"}};
    struct buffer answer = {0};
    char *name = calloc(1, (64 << 10) + 2);
    memset(name, 'x', (64 << 10) + 1);
    row.process = name;
    put_row(&answer, &row);
    struct taken taken = take(answer.bytes, answer.length);
    ck_assert_int_eq(taken.result, -EBADMSG);
    forget(&taken);
    name[64 << 10] = 0;
    answer.length = 0;
    put_row(&answer, &row);
    taken = take(answer.bytes, answer.length);
    ck_assert_int_eq(taken.result, 0);
    forget(&taken);
    free(name);
    buffer_fini(&answer);
}
END_TEST

START_TEST(each_beginning_is_refused)
{
    const struct given row = {SOME, .functions = {"main", "f"}, .modules = {"/p", "/p"}};
    struct buffer answer = {0};
    put_row(&answer, &row);
    for (size_t size = 0; size < answer.length; size++) {
        struct taken taken = take(answer.bytes, size);
        ck_assert_int_eq(taken.result, size ? -EBADMSG : -ENODATA);
        forget(&taken);
    }
    buffer_fini(&answer);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clickhouse/rows_take");
    UNIT_ADD_TABLE(tests, stacks_are_built, stacks);
    tcase_add_test(tests, rows_add_up);
    UNIT_ADD_TABLE(tests, hostile_answers_are_refused, hostile);
    tcase_add_test(tests, long_texts_are_refused);
    tcase_add_test(tests, each_beginning_is_refused);
    return unit_end();
}
