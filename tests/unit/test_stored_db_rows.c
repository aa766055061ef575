/* SPDX-License-Identifier: MIT */
#include "profile/stored/db_rows.h"
#include "profile/stored/writers.h"

#include "test_json.h"
#include "test_report.h"

#include <errno.h>

#define HEAD                                                                                                           \
    "{\"time_ns\":5,\"duration_ns\":7,\"clock\":\"cpu\",\"hz\":100,\"service\":\"%s\",\"host\":\"%s\",\"labels\":%s,"  \
    "\"process\":\"%s\",\"job\":\"\",\"rank\":-1,"

static struct profile *make_small(void)
{
    struct profile *profile = make_profile("prog --password=secret");
    uint32_t process = make_process(profile, 7, 1, "prog"), other = make_process(profile, 8, 0, "prog");
    uint32_t thread = make_thread(profile, process, 9, "worker"), second = make_thread(profile, other, 8, "prog");
    uint32_t module = make_module(profile, "/opt/a \"b\"/prog", 0x1000, 0x2000);
    uint32_t main = make_frame(profile, module, "main", 0x1100), f = make_frame(profile, module, "f<int>", 0x1203);
    uint32_t inner = make_frame(profile, module, "inner", 0x1203);
    add_line(profile, f, inner, "a.c", 3);
    add_line(profile, f, f, "a.c", 12);
    ADD_STACK(profile, thread, -1, 3, 11, f, main);
    ADD_STACK(profile, second, -1, 4, 20, f, main);
    ADD_STACK(profile, thread, 0, 1, 2000000000, main);
    profile->samples[0].period_ns = 30;
    profile->samples[1].period_ns = 40;
    profile->samples[2].cut = PROFILE_TRUNCATED;
    add_unsampled(profile, process, 2);
    profile->quality.began_ns = 5;
    profile->quality.wall_ns = 7;
    return profile;
}

static int keep(void *of, const char *line, size_t length)
{
    struct buffer *rows = of;
    ck_assert_uint_eq(length, strlen(line));
    ck_assert(line[length - 1] == '\n');
    return buffer_append(rows, line, length) ? 0 : -ENOMEM;
}

static struct buffer rows_of(const struct profile *profile, const struct db_rows_about *about)
{
    struct buffer rows = {0};
    ck_assert_int_eq(db_rows_each(profile, about, keep, &rows), 0);
    return rows;
}

/* Replaces the digits, which are random. */
static void hide_batch(char *rows)
{
    for (char *at = rows; (at = strstr(at, "\"batch\":"));) {
        at += strlen("\"batch\":");
        size_t digits = strspn(at, "0123456789");
        ck_assert_uint_gt(digits, 9);
        memmove(at + 1, at + digits, strlen(at + digits) + 1);
        *at = 'N';
    }
}

START_TEST(equal_stacks_are_a_row)
{
    struct profile *profile = make_small();
    struct buffer rows = rows_of(profile, &(struct db_rows_about){0});
    char *expected = NULL;
    hide_batch(rows.bytes);
    ck_assert_int_gt(
        asprintf(&expected,
                 HEAD "\"functions\":[\"[unsampled]\"],\"modules\":[\"\"],\"files\":[\"\"],\"lines\":[0],"
                      "\"count\":0,\"period_ns\":0,\"cpu_ns\":2,\"wait_ns\":0,\"batch\":N,\"row\":0}\n" HEAD
                      "\"functions\":[\"main\",\"f\\u003cint>\",\"inner\"],\"modules\":[\"/opt/a \\\"b\\\"/prog\","
                      "\"/opt/a \\\"b\\\"/prog\",\"/opt/a \\\"b\\\"/prog\"],\"files\":[\"\",\"a.c\",\"a.c\"],"
                      "\"lines\":[0,12,3],\"count\":7,\"period_ns\":70,\"cpu_ns\":31,\"wait_ns\":0,\"batch\":N,"
                      "\"row\":1}\n" HEAD
                      "\"functions\":[\"[truncated]\",\"main\",\"[read]\"],\"modules\":[\"\",\"/opt/a \\\"b\\\"/prog\","
                      "\"[kernel]\"],\"files\":[\"\",\"\",\"\"],\"lines\":[0,0,0],\"count\":1,\"period_ns\":0,"
                      "\"cpu_ns\":2000000000,\"wait_ns\":0,\"batch\":N,\"row\":2}\n",
                 "prog", "", "[]", "prog", "prog", "", "[]", "prog", "prog", "", "[]", "prog"),
        0);
    ck_assert_str_eq(rows.bytes, expected);
    free(expected);
    buffer_fini(&rows);
    profile_free(profile);
}
END_TEST

static const struct {
    struct db_rows_about about;
    const char *head; /* of each row */
} abouts[] = {
    {{.service = "shop"}, "\"service\":\"shop\",\"host\":\"\",\"labels\":[],\"process\":\"prog\""},
    {{.process = "p"}, "\"service\":\"p\",\"host\":\"\",\"labels\":[],\"process\":\"p\""},
    {{.host = "h\n"}, "\"service\":\"prog\",\"host\":\"h\\\\n\",\"labels\":[],\"process\":\"prog\""},
    {{.labels = "[\"a=b\"]"}, "\"service\":\"prog\",\"host\":\"\",\"labels\":[\"a=b\"],\"process\":\"prog\""},
};

START_TEST(the_sender_names_them)
{
    struct profile *profile = make_small();
    struct buffer rows = rows_of(profile, &abouts[_i].about);
    size_t found = 0;
    for (char *line = strtok(rows.bytes, "\n"); line; line = strtok(NULL, "\n"), found++)
        ck_assert_msg(is_json(line) && strstr(line, abouts[_i].head), "%s", line);
    ck_assert_uint_eq(found, 3);
    buffer_fini(&rows);
    profile_free(profile);
}
END_TEST

START_TEST(ranks_stay_apart)
{
    struct profile *profile = make_small();
    profile->processes[0].rank =
        (struct profile_rank){.known = true, .number = 0, .count = 2, .host = "n1", .job = "j"};
    profile->processes[1].rank = (struct profile_rank){.known = true, .number = 1, .count = 2, .host = "n2"};
    struct buffer rows = rows_of(profile, &(struct db_rows_about){0});
    ck_assert_ptr_nonnull(
        strstr(rows.bytes, "\"host\":\"n1\",\"labels\":[],\"process\":\"prog\",\"job\":\"j\",\"rank\":0,"));
    ck_assert_ptr_nonnull(
        strstr(rows.bytes, "\"host\":\"n2\",\"labels\":[],\"process\":\"prog\",\"job\":\"\",\"rank\":1,"));
    ck_assert_uint_eq(json_sum_members(rows.bytes, "cpu_ns"), profile_cpu_ns(profile));
    buffer_fini(&rows);
    profile_free(profile);
}
END_TEST

/* A receiver can recognize a row that comes twice; rows of two profiles differ. */
START_TEST(rows_have_identities)
{
    struct profile *profile = make_small();
    struct buffer rows = rows_of(profile, &(struct db_rows_about){0}),
                  again = rows_of(profile, &(struct db_rows_about){0});
    ck_assert_str_eq(rows.bytes, again.bytes);
    buffer_fini(&again);
    uint64_t batch = strtoull(strstr(rows.bytes, "\"batch\":") + 8, NULL, 10);
    profile->quality.began_ns++;
    again = rows_of(profile, &(struct db_rows_about){0});
    ck_assert_uint_ne(strtoull(strstr(again.bytes, "\"batch\":") + 8, NULL, 10), batch);
    buffer_fini(&again);
    again = rows_of(profile, &(struct db_rows_about){.host = "h"});
    ck_assert_uint_ne(strtoull(strstr(again.bytes, "\"batch\":") + 8, NULL, 10), batch);
    buffer_fini(&again);
    buffer_fini(&rows);
    profile_free(profile);
}
END_TEST

/* A stack that is too large keeps its leaf. */
START_TEST(rows_are_bounded)
{
    enum { DEPTH = 60, NAME = 60000 };
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 7, 0, "p"), 7, "p"), stack[DEPTH];
    uint32_t module = make_module(profile, "/p", 0, 0);
    char *name = malloc(NAME);
    memset(name, 'x', NAME);
    name[NAME - 1] = 0;
    for (size_t i = 0; i < DEPTH; i++)
        stack[i] = make_frame(profile, module, i ? name : "leaf", i);
    add_stack(profile, thread, -1, 1, 5, stack, DEPTH);
    free(name);
    struct buffer rows = rows_of(profile, &(struct db_rows_about){0});
    ck_assert_uint_le(rows.length, DB_ROW_MOST_BYTES);
    ck_assert_ptr_nonnull(strstr(rows.bytes, "\"functions\":[\"[merged]\",\"xxx"));
    ck_assert_ptr_nonnull(strstr(rows.bytes, "\"leaf\"],\"modules\":[\"\",\"/p\""));
    buffer_fini(&rows);
    profile_free(profile);
}
END_TEST

static int refuse(void *of, const char *line, size_t length)
{
    (void)line, (void)length;
    ++*(int *)of;
    return -ENOSPC;
}

START_TEST(a_failure_ends_it)
{
    struct profile *profile = make_small();
    int calls = 0;
    ck_assert_int_eq(db_rows_each(profile, &(struct db_rows_about){0}, refuse, &calls), -ENOSPC);
    ck_assert_int_eq(calls, 1);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored_db_rows");
    tcase_add_test(tests, equal_stacks_are_a_row);
    UNIT_ADD_TABLE(tests, the_sender_names_them, abouts);
    tcase_add_test(tests, ranks_stay_apart);
    tcase_add_test(tests, rows_have_identities);
    tcase_add_test(tests, rows_are_bounded);
    tcase_add_test(tests, a_failure_ends_it);
    return unit_end();
}
