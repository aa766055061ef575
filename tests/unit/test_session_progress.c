/* SPDX-License-Identifier: MIT */
#include "front/session/progress.h"

#include "common/base/buffer.h"
#include "unit.h"

#define SECOND 1000000000ull

static const struct {
    size_t width;
    uint64_t elapsed_ns, duration_ns, samples, cpu_ns;
    const char *line;
} rows[] = {
    {80, SECOND, 0, 100, SECOND, "1 s: 100 samples, 1.0 s of CPU time"},
    {80, 61 * SECOND + 5, 0, 0, 0, "61 s: 0 samples, 0.0 s of CPU time"},
    {80, 2 * SECOND, 10 * SECOND, 7, 70000000, "2 s: 7 samples, 0.1 s of CPU time, 8 s left"},
    {80, 2 * SECOND + 400000000, 10 * SECOND, 7, 0, "2 s: 7 samples, 0.0 s of CPU time, 8 s left"},
    {80, 2 * SECOND + 600000000, 10 * SECOND, 7, 0, "2 s: 7 samples, 0.0 s of CPU time, 7 s left"},
    {80, 11 * SECOND, 10 * SECOND, 7, 0, "11 s: 7 samples, 0.0 s of CPU time"}, /* the recording ends late */
    {12, SECOND, 0, 100, SECOND, "1 s: 100 sam"},
    {0, SECOND, 0, 100, SECOND, ""},
};

START_TEST(lines_follow_the_table)
{
    char line[128];
    progress_line(line, rows[_i].width, rows[_i].elapsed_ns, rows[_i].duration_ns, rows[_i].samples, rows[_i].cpu_ns);
    ck_assert_str_eq(line, rows[_i].line);
}
END_TEST

static const struct {
    size_t width, done, count;
    const char *path, *line;
} names[] = {
    {80, 0, 1200, "/usr/lib/libx.so.6", "reading names, 0 of 1200 places: libx.so.6"},
    {80, 256, 1200, "", "reading names, 256 of 1200 places: [unknown]"},
    {80, 1, 2, "/tmp/a\x1b[2J", "reading names, 1 of 2 places: a\\x1b[2J"},
    {12, 1, 2, "/tmp/a", "readi...s: a"},
};

START_TEST(lines_of_names_follow_the_table)
{
    struct buffer line = {0};
    progress_names_line(&line, names[_i].width, names[_i].path, names[_i].done, names[_i].count, false);
    ck_assert_str_eq(line.bytes, names[_i].line);
    buffer_fini(&line);
}
END_TEST

START_TEST(a_progress_that_is_not_wanted_never_wakes)
{
    struct progress progress = {0};
    ck_assert_int_eq(progress_wait_ms(&progress), -1);
    progress_end(&progress);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("session/progress");
    UNIT_ADD_TABLE(tests, lines_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, lines_of_names_follow_the_table, names);
    tcase_add_test(tests, a_progress_that_is_not_wanted_never_wakes);
    return unit_end();
}
