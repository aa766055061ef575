/* SPDX-License-Identifier: MIT */
#include "common/text/text.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    bool utf8;
    const char *clean;
} names[] = {
    {"", true, ""},
    {"main", false, "main"},
    {"a\nb\tc\rd", true, "a\\nb\\tc\\rd"},
    {"\033[31mred", true, "\\x1b[31mred"},
    {"\x7f", true, "\\x7f"},
    {"na\xc3\xafve", true, "na\xc3\xafve"},
    {"na\xc3\xafve", false, "na\\xc3\\xafve"},
    {"\xc2\x9b"
     "31m",
     true, "\\xc2\\x9b31m"},                            /* a control sequence of one character */
    {"\xe2\x80\xae", true, "\\xe2\\x80\\xae"},          /* reverses the direction of text */
    {"\xe2\x80\x8b", true, "\\xe2\\x80\\x8b"},          /* invisible */
    {"\xc3", true, "\\xc3"},                            /* truncated */
    {"\xe2\x82", true, "\\xe2\\x82"},                   /* truncated later */
    {"\xc3(", true, "\\xc3("},                          /* invalid second byte */
    {"\x80x", true, "\\x80x"},                          /* no first byte */
    {"\xc0\x8a", true, "\\xc0\\x8a"},                   /* an overlong newline */
    {"\xed\xa0\x80", true, "\\xed\\xa0\\x80"},          /* a surrogate */
    {"\xf4\x90\x80\x80", true, "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
    {"\xff\xfe", true, "\\xff\\xfe"},                   /* never in UTF-8 */
    {"\xf0\x9f\x98\x80", true, "\xf0\x9f\x98\x80"},     /* four bytes */
    {"\xe6\xbc\xa2\xe5\xad\x97", true, "\xe6\xbc\xa2\xe5\xad\x97"},
};

START_TEST(names_are_made_harmless)
{
    struct buffer out = {0};
    text_clean(&out, names[_i].text, names[_i].utf8);
    ck_assert_str_eq(out.bytes, names[_i].clean);
    ck_assert(!out.failed);
    buffer_fini(&out);
}
END_TEST

START_TEST(every_pair_of_bytes_comes_out_printable)
{
    for (unsigned first = 1; first < 256; first++)
        for (unsigned second = 1; second < 256; second++) {
            const char text[] = {(char)first, (char)second, 0};
            struct buffer out = {0};
            text_clean(&out, text, _i);
            for (const char *at = out.bytes; *at; at++)
                ck_assert(((unsigned char)*at >= ' ' && *at != 0x7f && (_i || (unsigned char)*at < 0x80)));
            buffer_fini(&out);
        }
}
END_TEST

struct cut {
    const char *text;
    unsigned columns, pad;
    bool utf8;
    const char *cut;
};

static void expect_cut(text_cutter *cutter, const struct cut *cut)
{
    struct buffer out = {0};
    cutter(&out, cut->text, cut->columns, cut->pad, cut->utf8);
    ck_assert_str_eq(out.bytes ? out.bytes : "", cut->cut);
    buffer_fini(&out);
}

static const struct cut cuts[] = {
    {"abcdef", 6, 0, true, "abcdef"},
    {"abcdef", 6, 9, true, "abcdef   "},
    {"abcdefg", 6, 6, true,
     "abc\xe2\x80\xa6"
     "fg"},
    {"abcdefg", 6, 6, false, "ab...g"},
    {"abcdefg", 4, 4, false, "a..."},
    {"abcdefg", 3, 3, false, "..."},
    {"abcdefg", 2, 2, false, "ag"},
    {"abcdefg", 1, 1, true, "\xe2\x80\xa6"},
    {"", 0, 3, true, "   "},
    {"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4, 4, true, "\xc3\xa4\xc3\xa4\xe2\x80\xa6\xc3\xa4"},
    /* a character of two columns does not fit into one */
    {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 4, 4, true, "\xe6\xbc\xa2\xe2\x80\xa6 "},
    {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, 5, true, "\xe6\xbc\xa2\xe2\x80\xa6\xe6\xbc\xa2"},
    /* a combining mark stays with its letter */
    {"abcde\xcc\x81"
     "f",
     3, 3, true,
     "a\xe2\x80\xa6"
     "f"},
};

START_TEST(texts_are_cut_in_the_middle)
{
    expect_cut(text_cut, &cuts[_i]);
}
END_TEST

static const struct cut path_cuts[] = {
    {"/usr/src/main.c:7", 17, 20, true, "/usr/src/main.c:7   "},
    {"/usr/src/main.c:7", 16, 16, true, "\xe2\x80\xa6/src/main.c:7  "},
    {"/usr/src/main.c:7", 14, 0, true, "\xe2\x80\xa6/src/main.c:7"},
    {"/usr/src/main.c:7", 13, 0, true, "\xe2\x80\xa6/main.c:7"},
    {"/usr/src/main.c:7", 13, 0, false, ".../main.c:7"},
    {"/usr/src/main.c:7", 9, 9, true, "\xe2\x80\xa6main.c:7"},
    {"/usr/src/main.c:7", 5, 5, false, "...:7"},
    {"/usr/src/main.c:7", 1, 1, true, "\xe2\x80\xa6"},
    {"/usr/src/main.c:7", 0, 0, false, ""},
    {"abc/\xe6\xbc\xa2\xe6\xbc\xa2", 4, 4, true, "\xe2\x80\xa6\xe6\xbc\xa2 "},
    {"abcde\xcc\x81"
     "f",
     2, 2, true,
     "\xe2\x80\xa6"
     "f"},
};

START_TEST(paths_are_cut_at_the_beginning)
{
    expect_cut(text_cut_path, &path_cuts[_i]);
}
END_TEST

static const struct cut end_cuts[] = {
    {"return 0;", 9, 11, true, "return 0;  "},
    {"return 0;", 8, 8, true, "return \xe2\x80\xa6"},
    {"return 0;", 8, 9, false, "retur... "},
    {"return 0;", 1, 1, true, "\xe2\x80\xa6"},
    {"return 0;", 0, 0, false, ""},
    {"\xe6\xbc\xa2\xe6\xbc\xa2 is", 4, 4, true, "\xe6\xbc\xa2\xe2\x80\xa6 "},
};

START_TEST(lines_are_cut_at_the_end)
{
    expect_cut(text_cut_end, &end_cuts[_i]);
}
END_TEST

static const struct cut name_cuts[] = {
    {"std::vector<...>::at", 20, 22, true, "std::vector<...>::at  "},
    {"std::vector<...>::at", 19, 19, true, "std::vector::at    "},
    {"std::operator< <...>", 14, 0, true, "std::operator<"},
    /* then the scope around it, if half of the columns are used */
    {"std::_Rb_tree<...>::_M_lower_bound", 28, 0, true,
     "\xe2\x80\xa6"
     "::_Rb_tree::_M_lower_bound"},
    {"std::_Rb_tree<...>::_M_lower_bound", 22, 0, true,
     "\xe2\x80\xa6"
     "::_M_lower_bound"},
    {"a::b::c::long_name_of_it", 16, 16, false, "a::b::c..._of_it"},
    {"a::b::c::long_name_of_it", 20, 20, false, "...::long_name_of_it"},
    {"a::b::c::long_name_of_it", 23, 0, false, "...::c::long_name_of_it"},
    /* otherwise the middle is removed, also if the end is not a name, or is in brackets */
    {"orders::Table_of_rows<...>::size", 18, 0, true,
     "orders::T\xe2\x80\xa6"
     "ws::size"},
    {"sort_orders::{lambda}::operator()", 22, 0, true,
     "sort_orders\xe2\x80\xa6"
     "operator()"},
    {"parse(std::string const&)", 20, 0, true,
     "parse(std:\xe2\x80\xa6"
     "g const&)"},
    {"__memcpy_avx512_unaligned_erms", 21, 0, true,
     "__memcpy_a\xe2\x80\xa6"
     "igned_erms"},
    {"a_name", 1, 1, true, "\xe2\x80\xa6"},
    {"a_name", 0, 0, false, ""},
};

START_TEST(names_are_cut_by_what_they_are_in)
{
    expect_cut(text_cut_name, &name_cuts[_i]);
}
END_TEST

START_TEST(names_in_many_scopes_are_cut)
{
    enum { MANY = 4000000 };
    struct buffer name = {0}, out = {0};
    for (int i = 0; i < MANY; i++)
        buffer_puts(&name, "a::");
    buffer_puts(&name, "f");
    text_cut_name(&out, name.bytes, 10, 0, false);
    ck_assert_str_eq(out.bytes, "...::a::f");
    buffer_fini(&name);
    buffer_fini(&out);
}
END_TEST

static const struct {
    const char *text;
    unsigned columns;
} widths[] = {
    {"", 0}, {"abc", 3}, {"\xc3\xa4", 1}, {"\xe6\xbc\xa2", 2}, {"e\xcc\x81", 1}, {"\xf0\x9f\x98\x80", 2},
};

START_TEST(columns_follow_the_table)
{
    ck_assert_uint_eq(text_columns(widths[_i].text), widths[_i].columns);
}
END_TEST

static const struct {
    uint64_t ns, largest_ns;
    const char *time, *duration;
} times[] = {
    {0, 0, "0.000 ms", "0 s"},
    {1234567, 9999999, "1.235 ms", "1.23 ms"},
    {1250000, 10000000, "1.3 ms", "1.25 ms"},
    {999999999, 999999999, "1000.0 ms", "1000 ms"},
    {1500000000, 1500000000, "1.500 s", "1.50 s"},
    {12345678901, 999999999999, "12.346 s", "12.3 s"},
    {1234567890123, 1234567890123, "1234.57 s", "1234.6 s"},
    {UINT64_MAX, UINT64_MAX, "18446744073.71 s", "18446744073.7 s"},
    {5200, 5200, "0.005 ms", "5.20 us"},
    {18449, 18449, "0.018 ms", "18.4 us"},
};

START_TEST(times_follow_the_table)
{
    struct buffer out = {0};
    struct text_unit unit = text_unit_for(times[_i].largest_ns);
    text_time(&out, times[_i].ns, unit);
    buffer_printf(&out, " %s", unit.name);
    ck_assert_str_eq(out.bytes, times[_i].time);
    out.length = 0;
    text_duration(&out, times[_i].ns);
    ck_assert_str_eq(out.bytes, times[_i].duration);
    buffer_fini(&out);
}
END_TEST

static const struct {
    uint64_t part, whole;
    const char *percent;
} percents[] = {
    {0, 0, "0.0"}, {1, 1, "100.0"}, {1, 3, "33.3"}, {2, 3, "66.7"}, {UINT64_MAX, UINT64_MAX, "100.0"},
    {1, 0, "0.0"}, {3, 2, "150.0"},
};

START_TEST(percentages_follow_the_table)
{
    struct buffer out = {0};
    text_percent(&out, percents[_i].part, percents[_i].whole);
    ck_assert_str_eq(out.bytes, percents[_i].percent);
    buffer_fini(&out);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    FILE *stream = fopen("/dev/full", "w");
    struct buffer out = {0};
    ck_assert_ptr_nonnull(stream);
    buffer_puts(&out, "text");
    ck_assert_int_eq(text_write(&out, stream), 0);
    ck_assert_uint_eq(out.length, 0);
    ck_assert_int_eq(text_flush(stream), -ENOSPC);
    ck_assert_int_ne(text_flush(stream), 0);
    fclose(stream);
    out.failed = true;
    ck_assert_int_eq(text_write(&out, stdout), -ENOMEM);
    buffer_fini(&out);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/text");
    UNIT_ADD_TABLE(tests, names_are_made_harmless, names);
    tcase_add_loop_test(tests, every_pair_of_bytes_comes_out_printable, 0, 2);
    UNIT_ADD_TABLE(tests, texts_are_cut_in_the_middle, cuts);
    UNIT_ADD_TABLE(tests, paths_are_cut_at_the_beginning, path_cuts);
    UNIT_ADD_TABLE(tests, lines_are_cut_at_the_end, end_cuts);
    UNIT_ADD_TABLE(tests, names_are_cut_by_what_they_are_in, name_cuts);
    tcase_add_test(tests, names_in_many_scopes_are_cut);
    UNIT_ADD_TABLE(tests, columns_follow_the_table, widths);
    UNIT_ADD_TABLE(tests, times_follow_the_table, times);
    UNIT_ADD_TABLE(tests, percentages_follow_the_table, percents);
    tcase_add_test(tests, a_full_disk_is_reported);
    return unit_end();
}
