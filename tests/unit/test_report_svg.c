/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include <ctype.h>

/* Checks that TEXT is one XML element: tags match, quotes are closed, and & begins a reference. */
static void expect_xml(const char *text)
{
    const char *open[64];
    size_t depth = 0;
    for (const char *at = text; (at = strpbrk(at, "<&")); at++) {
        if (*at == '&') {
            const char *end = at + 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz");
            ck_assert_msg(end > at + 1 && *end == ';', "%.40s", at);
            continue;
        }
        const char *name = at + 1 + (at[1] == '/');
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        const char *end = name;
        for (bool quoted = false; *end && (quoted || *end != '>'); end++)
            quoted ^= *end == '"';
        ck_assert_msg(*end == '>' && length, "%.40s", at);
        if (at[1] == '/')
            ck_assert_msg(depth && !strncmp(open[--depth], name, length) && open[depth][length] != '-', "%.40s", at);
        else if (end[-1] != '/') {
            ck_assert_uint_lt(depth, UNIT_ROWS(open));
            open[depth++] = name;
        }
        at = end;
    }
    ck_assert_uint_eq(depth, 0);
    ck_assert_msg(!strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 40), "%.60s", text);
}

START_TEST(a_box_is_as_wide_as_its_time)
{
    struct profile *profile = make_profile("app -x");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "app"), 1, "app");
    uint32_t app = make_module(profile, "/bin/app", 1, 2);
    profile->modules[app].executable = true;
    uint32_t main = make_frame(profile, app, "main", 1), sort = make_frame(profile, app, "sort<int>", 2);
    ADD_STACK(profile, thread, -1, 75, 750000000, sort, main);
    ADD_STACK(profile, thread, 0, 25, 249000000, main);
    ADD_STACK(profile, thread, -1, 1, 1000000, make_frame(profile, app, "thin", 3), main);
    char *text = written(report_svg_write, profile, REPORT_OPTIONS_FULL);
    static const char *const parts[] = {
        "width=\"1200\" height=\"134\" viewBox=\"0 0 1200 134\"",
        ">app -x</text>\n",
        ">1.00 s of CPU time, 101 samples; ",
        "<g data-ns=\"1000000000\"><title>all: 100.0 %, 1.00 s</title><rect x=\"10\" y=\"106\" width=\"1179.5\"",
        "<g data-ns=\"750000000\"><title>sort&lt;int&gt; (app): 75.0 %, 750 ms</title><rect x=\"10\" y=\"52\" "
        "width=\"884.5\" ",
        ">sort&lt;int&gt;</text></g>\n",
        "<g data-ns=\"249000000\"><title>[read] ([kernel]): 24.9 %, 249 ms</title><rect x=\"895\" y=\"52\" "
        "width=\"293.3\" ",
    };
    for (size_t i = 0; i < UNIT_ROWS(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no %s in:\n%s", parts[i], text);
    ck_assert_ptr_null(strstr(text, "thin"));
    expect_xml(text);
    char *again = written(report_svg_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text, again);
    free(again);
    free(text);
    profile_free(profile);
}
END_TEST

/* Frames that are too deep for the picture are left out, with a message. */
START_TEST(a_picture_has_an_end)
{
    struct profile *profile = make_profile("deep");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "deep"), 1, "deep"), frames[200];
    uint32_t module = make_module(profile, "/bin/deep", 1, 2);
    for (unsigned i = 0; i < 200; i++)
        frames[i] = make_frame(profile, module, "down", i + 1);
    add_stack(profile, thread, -1, 10, 100000000, frames, 200);
    char *text = written(report_svg_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_msg(strstr(text, "viewBox=\"0 0 1200 962\"") && strstr(text, "; deeper than 50 calls is left out<"),
                  "%.300s", text);
    expect_xml(text);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_is_a_picture_too)
{
    struct profile *profile = make_profile(NULL);
    char *text = written(report_svg_write, profile, REPORT_OPTIONS_FULL);
    expect_xml(text);
    ck_assert_ptr_nonnull(strstr(text, ">flame graph</text>"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(names_are_escaped)
{
    struct profile *profile = make_profile("<svg onload=\"x\"> & \033]0;x\007");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "a&b"), 1, "t");
    uint32_t module = make_module(profile, "/bin/<&\">", 1, 2);
    ADD_STACK(profile, thread, -1, 1, 1000000000, make_frame(profile, module, "</title><script>\"&amp;\xff", 1));
    char *text = written(report_svg_write, profile, REPORT_OPTIONS_FULL);
    expect_xml(text);
    ck_assert_ptr_null(strstr(text, "<script"));
    for (const char *at = text; *at; at++)
        ck_assert_msg(*at == '\n' || !iscntrl((unsigned char)*at), "%.40s", at);
    free(text);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/svg");
    tcase_add_test(tests, a_box_is_as_wide_as_its_time);
    tcase_add_test(tests, a_picture_has_an_end);
    tcase_add_test(tests, nothing_is_a_picture_too);
    tcase_add_test(tests, names_are_escaped);
    return unit_end();
}
