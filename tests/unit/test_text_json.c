/* SPDX-License-Identifier: MIT */
#include "common/text/json.h"

#include "common/base/buffer.h"
#include "test_json.h"

static const struct {
    const char *text, *json;
} texts[] = {
    {"", "\"\""},
    {"plain text", "\"plain text\""},
    {"say \"hi\"", "\"say \\\"hi\\\"\""},
    {"\"", "\"\\\"\""},
    {"back\\slash\\", "\"back\\\\slash\\\\\""},
    {"new\nline\ttab\rreturn", "\"new\\\\nline\\\\ttab\\\\rreturn\""},
    {"\033[1m\x7f\x01", "\"\\\\x1b[1m\\\\x7f\\\\x01\""},
    {"</script><!--", "\"\\u003c/script>\\u003c!--\""},
    {"\xff\xc3(\xe2\x82", "\"\\\\xff\\\\xc3(\\\\xe2\\\\x82\""},
    {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x94\xa5", "\"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x94\xa5\""},
    {"line\xe2\x80\xa8separator", "\"line\\\\xe2\\\\x80\\\\xa8separator\""},
    {"a<b>&c'd", "\"a\\u003cb>&c'd\""},
};

START_TEST(texts_become_strings)
{
    struct buffer out = {0};
    buffer_puts(&out, "[");
    json_text(&out, NULL, texts[_i].text);
    ck_assert_str_eq(out.bytes + 1, texts[_i].json);
    ck_assert(is_json(out.bytes + 1));
    buffer_fini(&out);
}
END_TEST

START_TEST(arrays_are_arrays)
{
    char one[] = "one", two[] = "t\"wo", *both[] = {one, two};
    for (size_t count = 0; count < 3; count++) {
        struct buffer out = {0};
        buffer_puts(&out, "{");
        json_texts(&out, "some", both, count);
        buffer_puts(&out, "}");
        ck_assert_str_eq(out.bytes, count == 0   ? "{\"some\":[]}"
                                    : count == 1 ? "{\"some\":[\"one\"]}"
                                                 : "{\"some\":[\"one\",\"t\\\"wo\"]}");
        ck_assert(is_json(out.bytes));
        buffer_fini(&out);
    }
}
END_TEST

/* also if the buffer was flushed before */
START_TEST(commas_come_by_themselves)
{
    struct buffer out = {0};
    buffer_puts(&out, "{");
    json_number(&out, "a", 1);
    json_open(json_line(&out), "b", '[');
    json_text(json_line(&out), NULL, NULL);
    json_open(&out, NULL, '{');
    buffer_puts(&out, "}");
    buffer_puts(json_next(&out), "-1");
    buffer_puts(&out, "]");
    json_key(&out, "c");
    json_plain(&out, NULL, "true");
    ck_assert_str_eq(out.bytes, "{\"a\":1,\n\"b\":[\nnull,{},-1],\"c\":true");
    out.length = 0;
    json_text(&out, "d", "[");
    json_text(&out, "e", "");
    ck_assert_str_eq(out.bytes, ",\"d\":\"[\",\"e\":\"\"");
    buffer_fini(&out);
}
END_TEST

/* The tests' own parser must refuse malformed texts. */
static const char *const broken[] = {
    "",        "[",          "[1,]",    "{\"a\"}",    "{\"a\":}", "{a:1}",    "\"a",          "\"\\x\"",
    "\"\\u12", "\"a\nb\"",   "[1 2]",   "tru",        "[1]]",     "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
    "--1",     "{\"a\":1,}", "\"a\\\"", "[\"a\",,1]",
};

START_TEST(malformed_texts_are_refused)
{
    ck_assert_msg(!is_json(broken[_i]), "%s", broken[_i]);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/json");
    UNIT_ADD_TABLE(tests, texts_become_strings, texts);
    tcase_add_test(tests, arrays_are_arrays);
    tcase_add_test(tests, commas_come_by_themselves);
    UNIT_ADD_TABLE(tests, malformed_texts_are_refused, broken);
    return unit_end();
}
