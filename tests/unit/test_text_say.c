/* SPDX-License-Identifier: MIT */
#include "common/text/say.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *utf8, *ascii;
} names[] = {
    {"sh", "sh", "sh"},
    {"", "", ""},
    {"na\xc3\xafve", "na\xc3\xafve", "na\\xc3\\xafve"},
    {"\xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2\xe5\xad\x97", "\\xe6\\xbc\\xa2\\xe5\\xad\\x97"},
    {"a b\\c'd\"e%s%n", "a b\\c'd\"e%s%n", "a b\\c'd\"e%s%n"},
    {"\033]0;title\007", "\\x1b]0;title\\x07", "\\x1b]0;title\\x07"},
    {"x\nptprofil: y", "x\\nptprofil: y", "x\\nptprofil: y"},
    {"\xc2\x9b"
     "31m",
     "\\xc2\\x9b31m", "\\xc2\\x9b31m"},
    {"\xe2\x80\xae", "\\xe2\\x80\\xae", "\\xe2\\x80\\xae"},
    {"\xff\xc3", "\\xff\\xc3", "\\xff\\xc3"},
};

static void expect_line(FILE *stream, char **written, const char *before, const char *name, const char *after)
{
    char wanted[256];
    fclose(stream);
    snprintf(wanted, sizeof wanted, "ptprofil: %s%s%s\n", before, name, after);
    ck_assert_str_eq(*written, wanted);
    free(*written);
}

static FILE *begin(char **written)
{
    static size_t size;
    FILE *stream = open_memstream(written, &size);
    ck_assert_ptr_nonnull(stream);
    return stream;
}

START_TEST(names_are_made_harmless)
{
    char *written;
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C"));
    FILE *stream = begin(&written);
    say_line(stream, "%d of (%s): %s", 7, names[_i].name, "no");
    expect_line(stream, &written, "7 of (", names[_i].ascii, "): no");
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    stream = begin(&written);
    say_line(stream, "%d of (%s): %s", 7, names[_i].name, "no");
    expect_line(stream, &written, "7 of (", names[_i].utf8, "): no");
}
END_TEST

START_TEST(controls_in_errors_are_escaped)
{
    struct error error = {0};
    char *written;
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    error_system(&error, ENOENT, "cannot read '%s'", names[_i].name);
    FILE *stream = begin(&written);
    say_line(stream, "%s", error.text);
    expect_line(stream, &written, "cannot read '", names[_i].utf8, "': No such file or directory");
}
END_TEST

START_TEST(long_lines_are_whole)
{
    enum { LENGTH = 100000 };
    static char name[LENGTH + 1];
    char *written;
    memset(name, 'x', LENGTH);
    FILE *stream = begin(&written);
    say_line(stream, "%s", name);
    fclose(stream);
    ck_assert_uint_eq(strlen(written), strlen("ptprofil: ") + LENGTH + 1);
    free(written);
}
END_TEST

START_TEST(own_text_is_left_alone)
{
    char *written;
    FILE *stream = begin(&written);
    say_own(stream, "Usage:\n\t%s\n");
    fclose(stream);
    ck_assert_str_eq(written, "Usage:\n\t%s\n");
    free(written);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/say");
    UNIT_ADD_TABLE(tests, names_are_made_harmless, names);
    UNIT_ADD_TABLE(tests, controls_in_errors_are_escaped, names);
    tcase_add_test(tests, long_lines_are_whole);
    tcase_add_test(tests, own_text_is_left_alone);
    return unit_end();
}
