/* SPDX-License-Identifier: MIT */
#include "programs/interp/python_lines.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

/* Line tables by Python 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0 for a function with this source:
 *
 *     def f(a,
 *           b):
 *         x = 1
 *
 *
 *         for i in range(3):
 *             x += (a +
 *                   b)
 *         return [y
 *                 for y in
 *                 range(x)]
 *
 * The expected lines are Python's own: from co_lines, or from dis.findlinestarts in 3.9. */
#define BYTES(text) ((const unsigned char *)(text)), sizeof(text) - 1

typedef uint32_t line_of(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset);

static const struct {
    line_of *line_of;
    const unsigned char *table;
    size_t size;
    struct {
        uint16_t offset, line; /* starting at this offset */
    } lines[32];
    uint16_t end;
} rows[] = {
    {python_lines_8,
     BYTES("\x00\x02\x04\x03\x0c\x01\x04\x01\x02\xff\x08\x02\x06\x02\x06\xfe"),
     {{0, 3}, {4, 6}, {16, 7}, {20, 8}, {22, 7}, {30, 9}, {36, 11}, {42, 9}},
     48},
    {python_lines_10,
     BYTES("\x04\x02\x0c\x03\x04\x01\x02\x01\x08\xff\x06\x02\x06\x02\x06\xfe"),
     {{0, 3}, {4, 6}, {16, 7}, {20, 8}, {22, 7}, {30, 9}, {36, 11}, {42, 9}},
     48},
    {python_lines_11,
     BYTES("\x80\x00\xe0\x08\x09\x80\x41\xf5\x06\x00\x0e\x13\x90\x31\x89\x58\x8c\x58\xf0\x00\x02\x05\x11\xf0\x00\x02"
           "\x05\x11"
           "\x88\x01\xd8\x08\x09\x88\x61\xd8\x0e\x0f\xf1\x03\x01\x0f\x10\xf1\x00\x01\x09\x11\x88\x01\x88\x01\xf0\x04"
           "\x02\x0c"
           "\x16\xf0\x00\x02\x0c\x16\xe5\x0c\x11\x90\x21\x89\x48\x8c\x48\xf0\x05\x02\x0c\x16\xf1\x00\x02\x0c\x16\xf4"
           "\x00\x02"
           "\x0c\x16\xf0\x00\x02\x05\x16"),
     {{0, 1}, {2, 3}, {6, 6}, {40, 7}, {44, 8}, {46, 7}, {58, 9}, {62, 11}, {90, 9}},
     108},
    {python_lines_11,
     BYTES("\x80\x00\xe0\x08\x09\x80\x41\xf4\x06\x00\x0e\x13\x90\x31\x8b\x58\xf2\x00\x02\x05\x11\x88\x01\xd8\x08\x09"
           "\x88\x61"
           "\xd8\x0e\x0f\xf1\x03\x01\x0f\x10\xf1\x00\x01\x09\x11\x89\x01\xf0\x03\x02\x05\x11\xf4\x0a\x00\x0d\x12\x90"
           "\x21\x8b"
           "\x48\xf6\x05\x02\x0c\x16\xd8\x10\x11\xf2\x03\x00\x0d\x0e\xf2\x00\x02\x0c\x16\xf0\x00\x02\x05\x16\xf9\xf2"
           "\x00\x02"
           "\x0c\x16"),
     {{0, 1},
      {2, 3},
      {6, 6},
      {34, 7},
      {38, 8},
      {40, 7},
      {52, 6},
      {54, 11},
      {74, 9},
      {88, 10},
      {90, 9},
      {104, 0},
      {108, 9}},
     114},
    {python_lines_11,
     BYTES("\x80\x00\xe0\x08\x09\x80\x41\xf4\x06\x00\x0e\x13\x90\x31\x8e\x58\x88\x01\xd8\x08\x09\xd8\x0e\x0f\xf1\x03"
           "\x01\x0f"
           "\x10\xf1\x00\x01\x09\x11\x8a\x01\xf1\x03\x00\x0e\x16\xf4\x0a\x00\x0d\x12\x90\x21\x8c\x48\xf3\x05\x02\x0c"
           "\x16\xe1"
           "\x0c\x14\xf0\x03\x00\x11\x12\xf3\x03\x00\x0d\x0e\xe1\x0c\x14\xf1\x05\x02\x0c\x16\xf0\x00\x02\x05\x16\xf9"
           "\xf2\x00"
           "\x02\x0c\x16"),
     {{0, 1},
      {2, 3},
      {6, 6},
      {34, 7},
      {36, 8},
      {38, 7},
      {52, 6},
      {56, 11},
      {78, 9},
      {86, 11},
      {90, 10},
      {92, 9},
      {100, 11},
      {104, 9},
      {110, 0},
      {114, 9}},
     120},
};

START_TEST(lines_are_those_of_the_language)
{
    size_t at = 0;
    for (uint16_t offset = 0; offset < rows[_i].end; offset++) {
        while (rows[_i].lines[at + 1].offset && offset >= rows[_i].lines[at + 1].offset)
            at++;
        ck_assert_uint_eq(rows[_i].line_of(1, rows[_i].table, rows[_i].size, offset), rows[_i].lines[at].line);
    }
}
END_TEST

/* An offset behind the end has no line. Before 3.10, it has the last one. */
START_TEST(nothing_is_behind_the_end)
{
    uint32_t last = rows[_i].line_of == python_lines_8 ? 9 : 0;
    ck_assert_uint_eq(rows[_i].line_of(1, rows[_i].table, rows[_i].size, rows[_i].end), last);
    ck_assert_uint_eq(rows[_i].line_of(1, rows[_i].table, rows[_i].size, UINT64_MAX), last);
}
END_TEST

/* A truncated table is never read past its end (the sanitizers check this), and gives a line or none. */
START_TEST(parts_of_tables_are_read_as_far_as_they_go)
{
    for (size_t size = 0; size <= rows[_i].size; size++) {
        unsigned char *part = malloc(size + !size);
        ck_assert_ptr_nonnull(part);
        memcpy(part, rows[_i].table, size);
        for (uint16_t offset = 0; offset < rows[_i].end; offset++)
            ck_assert_uint_le(rows[_i].line_of(1, part, size, offset), 11);
        free(part);
    }
}
END_TEST

static const struct {
    line_of *line_of;
    uint32_t first_line;
    const unsigned char *table;
    size_t size;
} no_lines[] = {
    {python_lines_8, 1, BYTES("\x00\x80")},                              /* before the first line */
    {python_lines_10, 1, BYTES("\x10\x81")},                             /* before the first line */
    {python_lines_10, 1, BYTES("\x10\x80")},                             /* no line */
    {python_lines_11, 1, BYTES("\xf8")},                                 /* no line */
    {python_lines_11, 1, BYTES("\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f")}, /* an incomplete number */
    {python_lines_11, 1, BYTES("\x01\x02\x03")},                         /* not the beginning of an entry */
    {python_lines_11, 1, BYTES("")},
    {python_lines_8, UINT32_MAX, BYTES("")},
};

START_TEST(nonsense_gives_no_line)
{
    ck_assert_uint_eq(no_lines[_i].line_of(no_lines[_i].first_line, no_lines[_i].table, no_lines[_i].size, 0), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("interp/python_lines");
    UNIT_ADD_TABLE(tests, lines_are_those_of_the_language, rows);
    UNIT_ADD_TABLE(tests, nothing_is_behind_the_end, rows);
    UNIT_ADD_TABLE(tests, parts_of_tables_are_read_as_far_as_they_go, rows);
    UNIT_ADD_TABLE(tests, nonsense_gives_no_line, no_lines);
    return unit_end();
}
