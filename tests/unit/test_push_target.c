/* SPDX-License-Identifier: MIT */
#include "profile/push/target.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

#define TEN "0123456789"
#define INSERT "query=INSERT%20INTO%20ptprofil_rows%20FORMAT%20JSONEachRow"
#define LONG "/" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
    const char *text, *endpoint, *shown, *socket; /* ENDPOINT NULL: refused */
} urls[] = {
    {"pyroscope+http://h:4040", "http://h:4040/push.v1.PusherService/Push", "pyroscope+http://h:4040", NULL},
    {"pyroscope+https://h/a/b//", "https://h/a/b/push.v1.PusherService/Push", "pyroscope+https://h/a/b//", NULL},
    {"parca+http://[::1]:7070/", "http://[::1]:7070/api/profiles/writeraw", "parca+http://[::1]:7070/", NULL},
    {"parca+https://me:word@h/x@y", "https://me:word@h/x@y/api/profiles/writeraw", "parca+https://***@h/x@y", NULL},
    {"otlp+http://h:4318", "http://h:4318/v1development/profiles", "otlp+http://h:4318", NULL},
    {"otlp+unix:/run/c.sock", "http://localhost/v1development/profiles", "otlp+unix:/run/c.sock", "/run/c.sock"},
    {"parca+unix:///p", "http://localhost/api/profiles/writeraw", "parca+unix:///p", "///p"},
    {"parca+unix:p", NULL, NULL, NULL},
    {"parca+unix:" LONG, NULL, NULL, NULL},
    {"clickhouse+http://h:8123/db", "http://h:8123/?database=db&" INSERT, "clickhouse+http://h:8123/db", NULL},
    {"clickhouse+http://h:8123/db/", "http://h:8123/?database=db&" INSERT, "clickhouse+http://h:8123/db/", NULL},
    {"clickhouse+http://h:8123", "http://h:8123/?" INSERT, "clickhouse+http://h:8123", NULL},
    {"clickhouse+https://u:p@h/proxy/a/db", "https://u:p@h/proxy/a/?database=db&" INSERT,
     "clickhouse+https://***@h/proxy/a/db", NULL},
    {"clickhouse+http://h/a&query=DROP+x", "http://h/?database=a%26query=DROP%2Bx&" INSERT,
     "clickhouse+http://h/a&query=DROP+x", NULL},
    {"clickhouse+http://h/db?service=a", NULL, NULL, NULL},
    {"clickhouse+unix:/run/c.sock", NULL, NULL, NULL},
    {"pyroscope+ftp://h", NULL, NULL, NULL},
    {"pyroscope+http:///x", NULL, NULL, NULL},
    {"pyroscope+http://", NULL, NULL, NULL},
    {"pyroscope+http://h?a=b", NULL, NULL, NULL},
    {"pyroscope+http://h#a", NULL, NULL, NULL},
    {"pyroscope+http://h a", NULL, NULL, NULL},
    {"pyroscope+http://h\r\nX: y", NULL, NULL, NULL},
    {"http://h", NULL, NULL, NULL},
    {"pyroscope", NULL, NULL, NULL},
    {"", NULL, NULL, NULL},
};

START_TEST(urls_follow_the_table)
{
    struct push_options options = {.target_count = 0};
    struct error error = {0};
    int result = push_add_target(&options, "--push", urls[_i].text, &error);
    ck_assert_int_eq(result, urls[_i].endpoint ? 0 : -EINVAL);
    ck_assert_pstr_eq(options.targets[0].endpoint, urls[_i].endpoint);
    ck_assert_pstr_eq(options.targets[0].shown, urls[_i].shown);
    ck_assert_pstr_eq(options.targets[0].socket, urls[_i].socket);
    push_options_fini(&options);
}
END_TEST

START_TEST(there_may_be_several)
{
    struct push_options options = {.target_count = 0};
    struct error error = {0};
    for (int i = 0; i < PUSH_TARGETS_MOST; i++)
        ck_assert_int_eq(push_add_target(&options, "--push", "parca+http://h", &error), 0);
    ck_assert_int_eq(push_add_target(&options, "--push", "parca+http://h", &error), -EINVAL);
    push_options_fini(&options);
}
END_TEST

static const struct {
    const char *text;
    bool good;
} labels[] = {
    {"a=b", true},         {"_x9=b=c", true}, {"service_name=shop", true},
    {"a=\xc3\xa9", true},  {"a=", false},     {"=b", false},
    {"a", false},          {"a-b=c", false},  {"9a=c", false},
    {"__name__=c", false}, {"a.b=c", false},  {"a b=c", false},
    {"\xc3\xa9=c", false},
};

START_TEST(labels_follow_the_table)
{
    struct push_options options = {.label_count = 0};
    struct error error = {0};
    ck_assert_int_eq(push_add_label(&options, "--push-label", labels[_i].text, &error), labels[_i].good ? 0 : -EINVAL);
    ck_assert_uint_eq(options.label_count, labels[_i].good);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/target");
    UNIT_ADD_TABLE(tests, urls_follow_the_table, urls);
    tcase_add_test(tests, there_may_be_several);
    UNIT_ADD_TABLE(tests, labels_follow_the_table, labels);
    return unit_end();
}
