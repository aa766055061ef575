/* SPDX-License-Identifier: MIT */
#include "profile/clickhouse/clickhouse.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

#define NOW_NS (UINT64_C(1764191514) * 1000000000 + 5)

/* Parts of the query, or of the error. */
static const struct {
    const char *text;
    int result;
    const char *expected; /* in the text of the query or the error */
} queries[] = {
    {"clickhouse+http://h/db", 0, "time_ns >= 1764187914000000005 AND time_ns < 1764191514000000005 GROUP"},
    {"clickhouse+http://h/db?", 0, "time >= toDateTime(1764187914) AND time <= toDateTime(1764191514)"},
    {"clickhouse+http://h/db?from=-30m", 0, "time_ns >= 1764189714000000005 "},
    {"clickhouse+http://h/db?from=-2d&to=-1d", 0, "time_ns >= 1764018714000000005 AND time_ns < 1764105114000000005"},
    {"clickhouse+http://h/db?from=1764000000", 0, "time_ns >= 1764000000000000000 "},
    {"clickhouse+http://h/db?from=2025-01-01", 0, "time_ns >= 1735689600000000000 "},
    {"clickhouse+http://h/db?from=2025-01-01T10:00Z&to=2025-01-01T10:00:01Z", 0,
     "time_ns >= 1735725600000000000 AND time_ns < 1735725601000000000"},
    {"clickhouse+http://h/db?from=-99999d", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=-36000d", 0, "time_ns >= 0 "},
    {"clickhouse+http://h/db?from=-", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=--1h", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=-1w", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=yesterday", -EINVAL, "'from=yesterday' is not a time"},
    {"clickhouse+http://h/db?from=17640000000", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=", -EINVAL, "not a time"},
    {"clickhouse+http://h/db?from=now", -EINVAL, "not before"},
    {"clickhouse+http://h/db?to=-2h", -EINVAL, "not before"},
    {"clickhouse+http://h/db?service=shop&host=a&process=b&job=c&clock=cpu", 0,
     " AND service = 'shop' AND host = 'a' AND process = 'b' AND job = 'c' AND clock = 'cpu' GROUP"},
    {"clickhouse+http://h/db?label=a=b&label=c=d%26e", 0, " AND has(labels, 'a=b') AND has(labels, 'c=d&e') GROUP"},
    {"clickhouse+http://h/db?service=", 0, " AND service = '' GROUP"},
    {"clickhouse+http://h/db?service=x' OR 1=1 --", 0, " AND service = 'x\\' OR 1=1 --' GROUP"},
    {"clickhouse+http://h/db?service=x\\' OR 1=1 --", 0, " AND service = 'x\\\\\\' OR 1=1 --' GROUP"},
    {"clickhouse+http://h/db?service=%27%5c%0a", 0, " AND service = '\\'\\\\\n' GROUP"},
    {"clickhouse+http://h/db?service=a+b", 0, " AND service = 'a+b' GROUP"},
    {"clickhouse+http://h/db?service=%4", -EINVAL, "without two digits"},
    {"clickhouse+http://h/db?service=%4g", -EINVAL, "without two digits"},
    {"clickhouse+http://h/db?service=%", -EINVAL, "without two digits"},
    {"clickhouse+http://h/db?service=%00", -EINVAL, "without two digits"},
    {"clickhouse+http://h/db?service=a&service=b", -EINVAL, "'service' is given twice"},
    {"clickhouse+http://h/db?servic=a", -EINVAL, "'servic=a' is not NAME=VALUE with a name of service, host"},
    {"clickhouse+http://h/db?service", -EINVAL, "'service' is not NAME=VALUE"},
    {"clickhouse+http://h/db?=a", -EINVAL, "is not NAME=VALUE"},
    {"clickhouse+http://h/db?&&service=a&", 0, " AND service = 'a' GROUP"},
    {"clickhouse+ftp://h/db", -EINVAL, "is not an address"},
    {"clickhouse+http://", -EINVAL, "is not an address"},
    {"clickhouse+http://h\n/db", -EINVAL, "is not an address"},
};

START_TEST(queries_follow_the_table)
{
    struct clickhouse_query query;
    struct error error = {0};
    int result = clickhouse_query_init(&query, queries[_i].text, NOW_NS, &error);
    ck_assert_msg(result == queries[_i].result, "%d: %s", result, error.text);
    const char *text = result ? error.text : query.text.bytes;
    ck_assert_msg(strstr(text, queries[_i].expected), "%s", text);
    clickhouse_query_fini(&query);
}
END_TEST

START_TEST(long_values_are_refused)
{
    static const char begin[] = "clickhouse+http://h/db?service=";
    struct clickhouse_query query;
    struct error error = {0};
    char text[2048] = "";
    strcpy(text, begin);
    memset(text + strlen(begin), 'x', 1024);
    ck_assert_int_eq(clickhouse_query_init(&query, text, NOW_NS, &error), 0);
    clickhouse_query_fini(&query);
    text[strlen(text)] = 'x';
    ck_assert_int_eq(clickhouse_query_init(&query, text, NOW_NS, &error), -EINVAL);
    clickhouse_query_fini(&query);
}
END_TEST

START_TEST(passwords_are_not_shown)
{
    struct clickhouse_query query;
    struct error error = {0};
    ck_assert_int_eq(clickhouse_query_init(&query, "clickhouse+https://me:word@h/a/db/?host=x", NOW_NS, &error), 0);
    ck_assert_str_eq(query.shown, "clickhouse+https://***@h/a/db/?host=x");
    ck_assert_str_eq(query.url.bytes, "https://me:word@h/a/?database=db&wait_end_of_query=1");
    clickhouse_query_fini(&query);
}
END_TEST

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

START_TEST(clusters_have_tables_of_all)
{
    struct buffer one = {0}, all = {0};
    clickhouse_schema(&one, NULL);
    clickhouse_schema(&all, "c-1");
    ck_assert_uint_eq(count_of(one.bytes, ";\n"), 5);
    ck_assert_uint_eq(count_of(one.bytes, "_local"), 0);
    ck_assert_uint_eq(count_of(all.bytes, ";\n"), 8);
    ck_assert_uint_eq(count_of(all.bytes, "ENGINE = Distributed('c-1', currentDatabase(), ptprofil_"), 3);
    ck_assert_uint_eq(count_of(all.bytes, "CREATE TABLE IF NOT EXISTS ptprofil_samples AS ptprofil_samples_local"), 1);
    ck_assert_uint_eq(count_of(all.bytes, "FROM ptprofil_rows_local;"), 2);
    buffer_fini(&one);
    buffer_fini(&all);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clickhouse/clickhouse");
    UNIT_ADD_TABLE(tests, queries_follow_the_table, queries);
    tcase_add_test(tests, long_values_are_refused);
    tcase_add_test(tests, passwords_are_not_shown);
    tcase_add_test(tests, clusters_have_tables_of_all);
    return unit_end();
}
