/* SPDX-License-Identifier: MIT */
#include "common/base/pattern.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct match {
    const char *pattern, *text;
    bool ignore_case, found;
} matches[] = {
    {"^fib", "fib(int)", false, true},
    {"^fib", "a fib", false, false},
    {"^FIB", "fib", false, false},
    {"^FIB", "fib", true, true},
    {"a|b", "xbx", false, true},
    {"^(ab){2,3}$", "ababab", false, true},
    {"^a{2,}$", "aaaa", false, true},
    {"^.{1,255}$", "all that is short", false, true},
    {"^([[:alpha:]]{1,30}::){0,20}push$", "std::vector::push", false, true},
    {"^[]{(]{3}$", "]{(", false, true},
    {"^[^]+]+$", "ab", false, true},
    {"^(\\(+)+$", "(((", false, true},
    {"^\\{{3000}$", "{", false, false},
    {"(((((((((((a)))))))))))", "a", false, true},
    {"(((((((((((a*)*)*)*)*)*)*)*)*)*)*)", "a", false, true}, /* repeats an empty match */
};

START_TEST(matches_follow_the_table)
{
    const struct match *row = &matches[_i];
    struct error error = {0};
    regex_t pattern;
    ck_assert_msg(!pattern_compile(&pattern, "--focus", row->pattern, row->ignore_case, &error), "%s", error.text);
    ck_assert_int_eq(!regexec(&pattern, row->text, 0, NULL, 0), row->found);
    regfree(&pattern);
}
END_TEST

static const struct refusal {
    const char *pattern;
    int errnum;
    const char *text;
} refusals[] = {
    {"(", EINVAL, "--focus: '(' is not a regular expression: Unmatched ( or \\("},
    {"[", EINVAL, "--focus: '[' is not a regular expression: "},
    {"[[:alpha:", EINVAL, "--focus: '[[:alpha:' is not a regular expression: "},
    {"a{", EINVAL, "--focus: 'a{' is not a regular expression: "},
    {"a{2,1}", EINVAL, "--focus: 'a{2,1}' is not a regular expression: "},
    {"a\\", EINVAL, "--focus: 'a\\' is not a regular expression: Trailing backslash"},
};

START_TEST(malformed_patterns_are_refused)
{
    const struct refusal *row = &refusals[_i];
    struct error error = {0};
    regex_t pattern;
    ck_assert_int_eq(pattern_compile(&pattern, "--focus", row->pattern, false, &error), -row->errnum);
    ck_assert_msg(!strncmp(error.text, row->text, strlen(row->text)), "%s", error.text);
    regfree(&pattern);
}
END_TEST

START_TEST(a_long_list_is_no_repetition)
{
    size_t names = 2000;
    char *text = malloc(names * 8 + 1), *end = text;
    struct error error = {0};
    regex_t pattern;
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < names; i++)
        end += sprintf(end, "|f%zu", i);
    ck_assert_msg(!pattern_compile(&pattern, "--focus", text + 1, false, &error), "%s", error.text);
    regfree(&pattern);
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/pattern");
    UNIT_ADD_TABLE(tests, matches_follow_the_table, matches);
    UNIT_ADD_TABLE(tests, malformed_patterns_are_refused, refusals);
    tcase_add_test(tests, a_long_list_is_no_repetition);
    return unit_end();
}
