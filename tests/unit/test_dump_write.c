/* SPDX-License-Identifier: MIT */
#include "common/wire/message.h"
#include "front/dump/dump.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define HOSTILE "a\033[31m\"<b>\n"

/* "inner" is inlined into "outer", which calls itself, twice at the same place; "root" calls it. */
static struct profile_process processes[] = {{.pid = 100, .comm = (char *)(uintptr_t)HOSTILE, .command = HOSTILE}};
static struct profile_thread threads[] = {{0, 100, (char *)(uintptr_t)HOSTILE, false}};
static struct profile_module modules[] = {{.path = (char *)(uintptr_t) "/" HOSTILE, .name = HOSTILE}};
static struct profile_function functions[] = {
    {.name = (char *)(uintptr_t) "inner"}, {.name = (char *)(uintptr_t) "outer"}, {.name = (char *)(uintptr_t)HOSTILE}};
static char *files[] = {(char *)(uintptr_t)HOSTILE};
static struct profile_line lines[] = {{0, 0, 3}, {1, 0, 7}};
static struct profile_location locations[] = {{.function = 1, .address = 10, .line_first = 0, .line_count = 2},
                                              {.function = 2, .address = 20}};
static uint32_t frames[] = {0, 0, 1};
static struct profile_sample samples[] = {{.frame_count = 3, .syscall = -1, .count = 1}};
static const struct profile profile = {
    .processes = processes,
    .threads = threads,
    .modules = modules,
    .functions = functions,
    .locations = locations,
    .lines = lines,
    .files = files,
    .frames = frames,
    .samples = samples,
    .process_count = 1,
    .thread_count = 1,
    .module_count = 1,
    .function_count = UNIT_ROWS(functions),
    .location_count = UNIT_ROWS(locations),
    .line_count = UNIT_ROWS(lines),
    .file_count = 1,
    .frame_count = UNIT_ROWS(frames),
    .sample_count = 1,
};

typedef int writer(const struct dump *dump, bool compared, FILE *stream);

/* Returns what WRITE makes of COUNT threads with the same stack. */
static char *written(writer *write, size_t count)
{
    struct dump_thread items[3] = {{0}};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct dump_thread){.pid = 100, .tid = 100 + (pid_t)i, .state = 'R', .sample = samples, .stack = 1};
        strcpy(items[i].name, HOSTILE);
    }
    const struct dump dump = {.profile = &profile, .items = items, .count = count};
    ck_assert_int_eq(write(&dump, true, stream), 0);
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

static const bool inlined[] = {true, false, true, false, false};

START_TEST(calls_are_inlined_where_a_location_has_more_lines)
{
    struct stack stack = {0};
    ck_assert(stack_of(&stack, &profile, samples));
    ck_assert_uint_eq(stack.count, UNIT_ROWS(inlined));
    for (size_t i = 0; i < stack.count; i++)
        ck_assert_int_eq(dump_is_inlined(&profile, &stack, i), inlined[i]);
    stack_fini(&stack);
}
END_TEST

START_TEST(names_are_cleaned)
{
    static writer *const writers[] = {dump_write, dump_write_json};
    for (size_t i = 0; i < UNIT_ROWS(writers); i++) {
        char *text = written(writers[i], 1);
        ck_assert_ptr_null(strchr(text, '\033'));
        ck_assert_ptr_null(strstr(text, "<b>\n"));
        free(text);
    }
    char *text = written(dump_write_json, 1);
    ck_assert_ptr_null(strchr(text, '<'));
    ck_assert_ptr_nonnull(strstr(text, "\"cpu_ns_since\":0"));
    free(text);
}
END_TEST

START_TEST(equal_stacks_are_written_once)
{
    char *text = written(dump_write, 3);
    ck_assert_ptr_nonnull(strstr(text, "3 threads: 100 \""));
    ck_assert_ptr_nonnull(strstr(text, ", 101, 102: running\n"));
    const char *first = strstr(text, "  #0  inner [inlined]  ");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "  #0 "));
    free(text);
    text = written(dump_write, 1);
    ck_assert_ptr_nonnull(strstr(text, "has not run since the dump before\n"));
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("dump/write");
    tcase_add_test(tests, calls_are_inlined_where_a_location_has_more_lines);
    tcase_add_test(tests, names_are_cleaned);
    tcase_add_test(tests, equal_stacks_are_written_once);
    return unit_end();
}
