/* SPDX-License-Identifier: MIT */
#include "programs/jit/map.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The addresses that the tests look up. */
static uint64_t asked[0x1200];
static size_t asked_count;

static void ask(uint64_t first, uint64_t end, uint64_t step)
{
    for (asked_count = 0; first < end; first += step)
        asked[asked_count++] = first;
}

static struct jit_map *parse(const char *text)
{
    struct jit_map *map;
    ask(0xff0, 0x1160, 1);
    ck_assert_int_eq(jit_map_parse(text, strlen(text), asked, asked_count, &map), 0);
    ck_assert_ptr_nonnull(map);
    return map;
}

static const char *name_at(const struct jit_map *map, uint64_t address)
{
    const char *name = NULL;
    uint64_t start, end;
    if (!jit_map_find(map, address, &name, &start, &end))
        return NULL;
    ck_assert_uint_le(start, address);
    ck_assert_uint_gt(end, address);
    return name;
}

static const struct {
    const char *text;
    const char *name; /* at 0x1008; NULL: none */
} rows[] = {
    {"1000 10 f\n", "f"},
    {"0x1000 0x10 f\n", "f"},
    {"1000\t10\tf\n", "f"},
    {"0000000000001000 10 LazyCompile:~f file.js:3 [x]\n", "LazyCompile:~f file.js:3 [x]"},
    {"1000 10 f\r\n", "f"},
    {"1000 10 caf\xc3\xa9\n", "caf\xc3\xa9"},
    {"1000 9 f\n", "f"},
    {"1000 8 f\n", NULL},
    {"1009 8 f\n", NULL},
    {"1000 10 f\n1000 10 g\n", "g"},
    {"1000 10 f\n1008 1 g\n", "g"},
    {"1000 10 f\n1009 1 g\n", "f"},
    {"1008 1 f\n1000 10 g\n", "g"},
    /* malformed lines between two valid ones */
    {"1000 10 f\n\n", "f"},
    {"1000 10 f\n1000 10\n", "f"},
    {"1000 10 f\n1000 10 \n", "f"},
    {"1000 10 f\n1000 0 g\n", "f"},
    {"1000 10 f\n1000 xyz g\n", "f"},
    {"1000 10 f\n 1000 10 g\n", "f"},
    {"1000 10 f\n-1000 10 g\n", "f"},
    {"1000 10 f\nx 10 g\n", "f"},
    {"1000 10 f\n0x 10 g\n", "f"},
    {"1000 10 f\n00000000000000001000 11111111111111111 g\n", "f"},
    {"1000 10 f\n1000 ffffffffffffffff g\n", "f"},
    {"1000 10 f\n1000 10 unfinished", "f"},
    {"", NULL},
    {"\n\n\n", NULL},
};

START_TEST(lines_follow_the_table)
{
    struct jit_map *map = parse(rows[_i].text);
    const char *name = name_at(map, 0x1008);
    ck_assert_int_eq(name == NULL, rows[_i].name == NULL);
    if (name)
        ck_assert_str_eq(name, rows[_i].name);
    jit_map_free(map);
}
END_TEST

START_TEST(a_later_line_has_only_its_own_addresses)
{
    struct jit_map *map = parse("1000 100 old\n1040 10 new\n1048 100 newest\n");
    const char *name;
    uint64_t start, end;
    ck_assert_str_eq(name_at(map, 0x103f), "old");
    ck_assert_str_eq(name_at(map, 0x1047), "new");
    ck_assert_str_eq(name_at(map, 0x1048), "newest");
    ck_assert_str_eq(name_at(map, 0x1147), "newest");
    ck_assert_ptr_null(name_at(map, 0x1148));
    /* the result has the line's own range, not the visible part of it */
    ck_assert(jit_map_find(map, 0x1000, &name, &start, &end));
    ck_assert_uint_eq(start, 0x1000);
    ck_assert_uint_eq(end, 0x1100);
    jit_map_free(map);
}
END_TEST

START_TEST(random_bytes_are_harmless)
{
    struct jit_map *map;
    char bytes[4096];
    unsigned random = (unsigned)_i;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * 1103515245 + 12345;
        bytes[i] = "0123456789abcdefx \n\n\t\r\0g"[(random >> 16) % 24];
    }
    ask(0, 0x10000, 0x101);
    ck_assert_int_eq(jit_map_parse(bytes, sizeof bytes, asked, asked_count, &map), 0);
    for (uint64_t address = 0; address < 0x10000; address += 0x101)
        name_at(map, address);
    jit_map_free(map);
    ck_assert_int_eq(jit_map_parse(NULL, 0, asked, asked_count, &map), 0);
    jit_map_free(map);
    ck_assert_int_eq(jit_map_parse(bytes, sizeof bytes, NULL, 0, &map), 0);
    ck_assert_ptr_null(name_at(map, 0));
    jit_map_free(map);
    jit_map_free(NULL);
}
END_TEST

static const struct {
    size_t limit;
    const char *first, *second, *third; /* at 0x1000, 0x1010 and 0x1020 */
} limits[] = {
    {1 << 20, "f", "g", "h"}, {30, "f", "g", "h"},   {29, NULL, "g", "h"},
    {20, NULL, NULL, "h"},    {19, NULL, NULL, "h"}, {11, NULL, NULL, "h"},
    {10, NULL, NULL, NULL},   {1, NULL, NULL, NULL}, {0, NULL, NULL, NULL},
};

static void expect_name(const struct jit_map *map, uint64_t address, const char *name)
{
    const char *found = name_at(map, address);
    ck_assert_int_eq(found == NULL, name == NULL);
    if (name)
        ck_assert_str_eq(found, name);
}

/* The last lines are the newest. A line without its beginning is ignored. */
START_TEST(the_end_of_a_file_is_read_up_to_the_limit)
{
    static const char text[] = "1000 10 f\n1010 10 g\n1020 10 h\n";
    struct error error = {0};
    struct jit_map *map;
    int fd = memfd_create("test", 0);
    ck_assert_int_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    ask(0x1000, 0x1030, 0x10);
    ck_assert_int_eq(jit_map_read(fd, limits[_i].limit, asked, asked_count, &map, &error), 0);
    expect_name(map, 0x1000, limits[_i].first);
    expect_name(map, 0x1010, limits[_i].second);
    expect_name(map, 0x1020, limits[_i].third);
    jit_map_free(map);
    ck_assert_int_eq(error.errnum, 0);
    close(fd);
}
END_TEST

/* All lines cover all addresses. Parsing takes time for each line and each address, not for each pair. */
START_TEST(lines_that_all_overlap_are_read_at_once)
{
    enum { LINES = 300000 };
    static char text[LINES * 24];
    struct jit_map *map;
    size_t length = 0;
    for (int i = 0; i < LINES; i++)
        length += (size_t)sprintf(text + length, "%x 100000 f%d\n", LINES - i, i);
    ask(LINES + 1, LINES + 0x1000, 1);
    ck_assert_int_eq(jit_map_parse(text, length, asked, asked_count, &map), 0);
    for (size_t i = 0; i < asked_count; i++)
        expect_name(map, asked[i], "f299999");
    ck_assert_ptr_null(name_at(map, LINES + 0x1000)); /* not requested */
    jit_map_free(map);
}
END_TEST

static const struct {
    uint64_t from;
    const char *name;
} left[] = {{0x1000, "a"},  {0x1020, "c"}, {0x1040, "d"},  {0x1048, "c"}, {0x1080, "b"},
            {0x10e0, NULL}, {0x1100, "e"}, {0x1101, NULL}, {0x1110, NULL}};

/* Lines are read from the last one. A newer line can split the range of an older one in two. */
START_TEST(later_lines_split_earlier_ones)
{
    struct jit_map *map = parse("1000 80 a\n1060 80 b\n1020 60 c\n1040 8 d\n1100 1 e\n");
    for (size_t i = 0; i + 1 < UNIT_ROWS(left); i++)
        for (uint64_t address = left[i].from; address < left[i + 1].from; address++)
            expect_name(map, address, left[i].name);
    jit_map_free(map);
}
END_TEST

START_TEST(other_files_are_refused)
{
    struct error error = {0};
    struct jit_map *map;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(jit_map_read(ends[0], 100, NULL, 0, &map, &error), -EINVAL);
    ck_assert_ptr_null(map);
    ck_assert_int_eq(error.errnum, EINVAL);
    error = (struct error){0};
    ck_assert_int_eq(jit_map_read(-1, 100, NULL, 0, &map, &error), -EBADF);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("jit/map");
    UNIT_ADD_TABLE(tests, lines_follow_the_table, rows);
    tcase_add_test(tests, a_later_line_has_only_its_own_addresses);
    tcase_add_loop_test(tests, random_bytes_are_harmless, 0, 20);
    tcase_add_test(tests, later_lines_split_earlier_ones);
    UNIT_ADD_TABLE(tests, the_end_of_a_file_is_read_up_to_the_limit, limits);
    tcase_add_test(tests, lines_that_all_overlap_are_read_at_once);
    tcase_add_test(tests, other_files_are_refused);
    return unit_end();
}
