/* SPDX-License-Identifier: MIT */
#include "front/session/control.h"

#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *line;
    enum control_kind kind;
    const char *text;
} lines[] = {
    {"on", CONTROL_ON, "on"},
    {"off", CONTROL_OFF, "off"},
    {"end", CONTROL_END, "end"},
    {"  on\t \r", CONTROL_ON, "on"},
    {"mark here", CONTROL_MARK, "here"},
    {"mark  two words  ", CONTROL_MARK, "two words"},
    {"mark\tx", CONTROL_MARK, "x"},
    {"mark mark", CONTROL_MARK, "mark"},
    {"", CONTROL_NOTHING, ""},
    {"   ", CONTROL_NOTHING, ""},
    {"mark", CONTROL_UNKNOWN, "mark"},
    {"mark ", CONTROL_UNKNOWN, "mark"},
    {"marks", CONTROL_UNKNOWN, "marks"},
    {"ON", CONTROL_UNKNOWN, "ON"},
    {"on off", CONTROL_UNKNOWN, "on off"},
    {"onn", CONTROL_UNKNOWN, "onn"},
    {"o", CONTROL_UNKNOWN, "o"},
    {"\xff\x01", CONTROL_UNKNOWN, "\xff\x01"},
};

START_TEST(lines_follow_the_table)
{
    char line[64];
    const char *text;
    snprintf(line, sizeof line, "%s", lines[_i].line);
    ck_assert_int_eq(control_parse(line, &text), lines[_i].kind);
    ck_assert_str_eq(text, lines[_i].text);
}
END_TEST

static void send(const struct control *control, const char *bytes, size_t size)
{
    ck_assert_int_eq(write(control->descriptor, bytes, size), (ssize_t)size);
}

static void expect(struct control *control, enum control_kind kind, const char *text)
{
    enum control_kind seen;
    const char *its_text;
    bool found = false;
    for (int i = 0; i < 100 && !found; i++)
        found = control_next(control, &seen, &its_text);
    ck_assert(found);
    ck_assert_int_eq(seen, kind);
    ck_assert_str_eq(its_text, text);
}

START_TEST(commands_come_line_by_line)
{
    struct control control;
    struct error error = {0};
    enum control_kind kind;
    const char *text;
    char path[] = "/tmp/control.XXXXXX", long_line[5000];
    ck_assert_ptr_nonnull(mkdtemp(path));
    char fifo[64];
    snprintf(fifo, sizeof fifo, "%s/fifo", path);
    ck_assert_msg(control_open(&control, fifo, &error) == 0, "%s", error.text);
    ck_assert(!control_next(&control, &kind, &text));
    send(&control, "o", 1);
    ck_assert(!control_next(&control, &kind, &text));
    send(&control, "n\noff\nma", 8);
    expect(&control, CONTROL_ON, "on");
    expect(&control, CONTROL_OFF, "off");
    ck_assert(!control_next(&control, &kind, &text));
    send(&control, "rk x\n\n", 6);
    expect(&control, CONTROL_MARK, "x");
    expect(&control, CONTROL_NOTHING, "");
    memset(long_line, 'x', sizeof long_line);
    long_line[sizeof long_line - 1] = '\n';
    send(&control, long_line, sizeof long_line);
    expect(&control, CONTROL_UNKNOWN, "a line of more than 1023 bytes");
    memcpy(long_line, "mark ", 5);
    long_line[CONTROL_LONGEST - 1] = '\n'; /* the longest line */
    send(&control, long_line, CONTROL_LONGEST);
    long_line[CONTROL_LONGEST - 1] = 0;
    expect(&control, CONTROL_MARK, long_line + 5);
    send(&control, "o\0n\n", 4);
    expect(&control, CONTROL_UNKNOWN, "o?n");
    control_close(&control);
    ck_assert_int_eq(access(fifo, F_OK), -1); /* a FIFO that we created is removed */
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(existing_files_stay)
{
    struct control control;
    char path[] = "/tmp/control.XXXXXX", fifo[64];
    ck_assert_ptr_nonnull(mkdtemp(path));
    snprintf(fifo, sizeof fifo, "%s/fifo", path);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert_int_eq(control_open(&control, fifo, NULL), 0);
    control_close(&control);
    ck_assert_int_eq(access(fifo, F_OK), 0);
    unlink(fifo);
    /* We created the FIFO, but another user's file has replaced it. */
    ck_assert_int_eq(control_open(&control, fifo, NULL), 0);
    ck_assert_int_eq(unlink(fifo), 0);
    int other = open(fifo, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert_int_ge(other, 0);
    control_close(&control);
    ck_assert_int_eq(access(fifo, F_OK), 0);
    close(other);
    unlink(fifo);
    rmdir(path);
}
END_TEST

static const struct {
    const char *fifo, *told;
} refusals[] = {
    {"/", "not a FIFO"},      {"/dev/null", "not a FIFO"}, {"/nowhere/fifo", "cannot make"}, {"fd:", "whole number"},
    {"fd:1", "whole number"}, {"fd:x", "whole number"},    {"fd:987654", "not open"},
};

START_TEST(other_files_are_refused)
{
    struct control control;
    struct error error = {0};
    ck_assert_int_lt(control_open(&control, refusals[_i].fifo, &error), 0);
    ck_assert_msg(strstr(error.text, refusals[_i].told) || strstr(error.text, "cannot open"), "%s", error.text);
    control_close(&control);
}
END_TEST

START_TEST(a_descriptor_ends)
{
    struct control control;
    enum control_kind kind;
    const char *text;
    char name[32];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    snprintf(name, sizeof name, "fd:%d", ends[0]);
    ck_assert_int_eq(control_open(&control, name, NULL), 0);
    ck_assert_int_eq(fcntl(ends[0], F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(write(ends[1], "end\non", 6), 6);
    close(ends[1]);
    expect(&control, CONTROL_END, "end");
    ck_assert(!control_next(&control, &kind, &text)); /* an incomplete line is not a command */
    ck_assert_int_eq(control.descriptor, -1);
    control_close(&control);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("session/control");
    UNIT_ADD_TABLE(tests, lines_follow_the_table, lines);
    tcase_add_test(tests, commands_come_line_by_line);
    tcase_add_test(tests, existing_files_stay);
    UNIT_ADD_TABLE(tests, other_files_are_refused, refusals);
    tcase_add_test(tests, a_descriptor_ends);
    return unit_end();
}
