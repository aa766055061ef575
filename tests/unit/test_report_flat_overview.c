/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include "common/text/text.h"

static char *overview(const struct profile *profile, unsigned width, unsigned height)
{
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    options.overview = true;
    options.width = width;
    options.height = height;
    options.max_rows = height ? 0 : 40;
    return written(report_flat_write, profile, options);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* app runs main, which calls parse, and sort of a library. sort calls library functions and compare. */
static struct profile *make_app(void)
{
    struct profile *profile = make_profile("app -x");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "app"), 1, "app");
    uint32_t app = make_module(profile, "/bin/app", 1, 2), libc = make_module(profile, "/lib/libc.so.6", 1, 2);
    profile->modules[app].executable = true;
    uint32_t start = make_frame(profile, app, "_start", 1), begin = make_frame(profile, libc, "__libc_start_main", 2);
    uint32_t main = make_frame(profile, app, "main", 3), parse = make_frame(profile, app, "parse", 4);
    uint32_t sort = make_frame(profile, app, "std::sort", 5), loop = make_frame(profile, app, "std::loop", 6);
    uint32_t swap = make_frame(profile, libc, "swap", 7), move = make_frame(profile, libc, "move", 8);
    uint32_t compare = make_frame(profile, app, "compare", 9);
    ADD_STACK(profile, thread, -1, 40, 400000000, parse, main, begin, start);
    ADD_STACK(profile, thread, -1, 21, 210000000, swap, loop, loop, sort, main, begin, start);
    ADD_STACK(profile, thread, -1, 20, 200000000, move, loop, loop, sort, main, begin, start);
    ADD_STACK(profile, thread, -1, 10, 100000000, loop, sort, main, begin, start);
    ADD_STACK(profile, thread, -1, 6, 60000000, compare, loop, sort, main, begin, start);
    ADD_STACK(profile, thread, -1, 3, 30000000, main, begin, start);
    return profile;
}

START_TEST(where_the_time_went_is_seen_at_once)
{
    struct profile *profile = make_app();
    profile->quality.wall_ns = 2000000000;
    profile->quality.signal = 11;
    char *text = overview(profile, 80, 0);
    ck_assert_str_eq(text, "app -x\n"
                           "1.00 s of CPU time, 2.00 s elapsed, 100 samples; ended by signal 11 (Segmentation fault)\n"
                           "\n"
                           "samples  CPU s    self   total   user  system  function   module\n"
                           "     40  0.400   40.0%   40.0%  0.400   0.000  parse      app        ###########\n"
                           "     21  0.210   21.0%   21.0%  0.210   0.000  swap       libc.so.6  ######\n"
                           "     20  0.200   20.0%   20.0%  0.200   0.000  move       libc.so.6  ######\n"
                           "     10  0.100   10.0%   57.0%  0.100   0.000  std::loop  app        ###\n"
                           "      6  0.060    6.0%    6.0%  0.060   0.000  compare    app        ##\n"
                           "      3  0.030    3.0%  100.0%  0.030   0.000  main       app        #\n"
                           "      0  0.000    0.0%          0.000   0.000  (3 others: -n all shows them)\n"
                           "    100  1.000  100.0%          1.000   0.000  total\n"
                           "\n"
                           "  total    self     CPU s  heaviest paths, from 5 % (all: --format=tree)\n"
                           " 100.0%    3.0%     1.000  app -> main\n"
                           "  57.0%   10.0%     0.570    std::sort -> std::loop  app\n"
                           "  41.0%    0.0%     0.410      std::loop  app\n"
                           "  21.0%   21.0%     0.210        swap  libc.so.6\n"
                           "  20.0%   20.0%     0.200        move  libc.so.6\n"
                           "   6.0%    6.0%     0.060      compare  app\n"
                           "  40.0%   40.0%     0.400    parse  app\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* The paths on a terminal of this height. First, library functions below the program's own functions are omitted,
 * unless they lead to other own functions. Then smaller branches are omitted. */
static const struct {
    unsigned height;
    const char *has[5], *lacks[4];
} heights[] = {
    {40, {"from 5 %", " swap", " compare", " parse"}, {NULL}},
    {22, {"from 5 %", " std::sort -> ", " compare", " parse"}, {" swap", " move"}},
};

START_TEST(a_terminal_holds_the_paths)
{
    struct profile *profile = make_app();
    char *text = overview(profile, 80, heights[_i].height), *paths = strstr(text, "heaviest paths");
    ck_assert_ptr_nonnull(paths);
    for (size_t i = 0; i < UNIT_ROWS(heights[_i].has) && heights[_i].has[i]; i++)
        ck_assert_msg(strstr(paths, heights[_i].has[i]) != NULL, "no \"%s\" in:\n%s", heights[_i].has[i], text);
    for (size_t i = 0; i < UNIT_ROWS(heights[_i].lacks) && heights[_i].lacks[i]; i++)
        ck_assert_msg(strstr(paths, heights[_i].lacks[i]) == NULL, "\"%s\" in:\n%s", heights[_i].lacks[i], text);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_low_terminal_shows_larger_branches)
{
    struct profile *profile = make_profile("wide");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "wide"), 1, "wide");
    uint32_t module = make_module(profile, "/bin/wide", 1, 2);
    profile->modules[module].executable = true;
    for (unsigned i = 0; i < 13; i++)
        ADD_STACK(profile, thread, -1, 8, i ? 75000000 : 100000000,
                  make_frame(profile, module, ((char[]){'f', (char)('a' + i), 0}), i + 1));
    char *text = overview(profile, 80, 24), *paths = strstr(text, "heaviest paths, from 8 %");
    ck_assert_msg(paths && strstr(paths, "   fa  wide\n") && !strstr(paths, "   fb  wide\n"), "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

/* COUNT programs. Each runs EACH times with different arguments, and has branches of equal weight to 30 functions.
 * The first program has MORE times the weight. */
static struct profile *make_programs(unsigned count, unsigned each, unsigned more)
{
    static char commands[32][32];
    struct profile *profile = make_profile("make");
    uint32_t module = make_module(profile, "/bin/tool", 1, 2), functions[30];
    profile->modules[module].executable = true;
    for (unsigned i = 0; i < 30; i++)
        functions[i] =
            make_frame(profile, module, ((char[]){'f', (char)('a' + i % 26), (char)('a' + i / 26), 0}), i + 1);
    for (unsigned i = 0; i < each * count; i++) {
        uint32_t process = make_process(profile, (pid_t)(i + 1), 1, ((char[]){'p', (char)('0' + i / each), 0}));
        uint32_t thread = make_thread(profile, process, (pid_t)(i + 1), "t");
        snprintf(commands[i], sizeof commands[i], "p%u -o file%u", i / each, i);
        profile->processes[process].command = commands[i];
        for (unsigned k = 0; k < 30; k++)
            ADD_STACK(profile, thread, -1, 1, (i < each ? more : 1) * UINT64_C(1000000), functions[k], functions[0]);
    }
    return profile;
}

static const struct {
    unsigned count, each, more;
    bool programs, first, commands;
} programs[] = {
    {1, 2, 1, false, false, false}, /* one program */
    {2, 2, 1, true, false, false},    {5, 2, 1, true, false, false},  {2, 2, 98, true, false, false},
    {2, 2, 100, false, false, false},                                 /* the other one has less than 1 % */
    {6, 2, 1, true, true, true},      {6, 2, 1000, true, true, true}, /* a build, whatever the compiler's share */
    {4, 3, 1, true, true, true},      {4, 3, 1000, true, true, true}, /* a build of a dozen files by make, gcc, cc1
                                                                       * and as */
    {3, 10, 1, true, false, false},                                   /* a script that runs a program often */
};

START_TEST(programs_are_shown_if_there_are_several)
{
    struct profile *profile = make_programs(programs[_i].count, programs[_i].each, programs[_i].more);
    char *text = overview(profile, 0, 0);
    const char *table = strstr(text, " self  program\n"), *functions = strstr(text, "function  module\n");
    const char *commands = strstr(text, " self  command\n"), *paths = strstr(text, "heaviest paths");
    ck_assert_msg(functions && paths && functions < paths, "%s", text);
    ck_assert_msg(programs[_i].programs == (table != NULL), "%s", text);
    ck_assert_msg(programs[_i].commands == (commands != NULL), "%s", text);
    if (programs[_i].first)
        ck_assert_msg(table < commands && commands < functions, "%s", text);
    else
        ck_assert_msg(!table || table > paths, "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

/* From 16 lines on, the overview fits without scrolling; a build's from 21 on. */
START_TEST(it_fits_on_the_screen)
{
    struct profile *profiles[] = {make_app(), make_programs(1, 2, 1), make_programs(4, 2, 1), make_programs(9, 2, 1)};
    for (size_t i = 0; i < UNIT_ROWS(profiles); i++) {
        for (unsigned height = i == 3 ? 21 : 16; height < 100; height++) {
            char *text = overview(profiles[i], 80, height);
            ck_assert_msg(lines_of(text) + 1 <= height, "%u:\n%s", height, text);
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                ck_assert_msg(text_columns(line) <= 80, "%s", line);
            free(text);
        }
        profile_free(profiles[i]);
    }
}
END_TEST

/* As many functions as fit, twelve at most. */
START_TEST(twelve_functions_at_the_most)
{
    struct profile *profile = make_programs(1, 2, 1);
    static const struct {
        unsigned height;
        const char *others;
    } tables[] = {{5, "(25 others"}, {24, "(19 others"}, {70, "(18 others"}};
    for (size_t i = 0; i < UNIT_ROWS(tables); i++) {
        char *text = overview(profile, 80, tables[i].height);
        ck_assert_msg(strstr(text, tables[i].others) != NULL, "%s", text);
        free(text);
    }
    profile_free(profile);
}
END_TEST

/* Of hundreds of equal functions, a terminal shows as many as fit. If most of the time is in one function, small ones
 * stay out. */
START_TEST(small_functions_fill_the_room_if_they_have_the_time)
{
    static char names[400][8];
    for (unsigned heavy = 0; heavy < 2; heavy++) {
        struct profile *profile = make_profile("flat");
        uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "flat"), 1, "flat");
        uint32_t module = make_module(profile, "/bin/flat", 1, 2);
        for (unsigned i = 0; i < UNIT_ROWS(names); i++) {
            snprintf(names[i], sizeof names[i], "f%u", i);
            ADD_STACK(profile, thread, -1, 1, UINT64_C(1000000) * (i || !heavy ? 1 : 3600),
                      make_frame(profile, module, names[i], i + 1));
        }
        char *text = overview(profile, 80, 24);
        ck_assert_msg(strstr(text, heavy ? "(399 others" : "(38") != NULL, "%s", text);
        free(text);
        profile_free(profile);
    }
}
END_TEST

/* Chains that keep most of their time give way to the leaves, but only on a low terminal. Frames that load a module
 * are omitted if they led to one. */
START_TEST(trunks_of_scripts_leave_room_for_leaves)
{
    struct profile *profile = make_profile("script");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "script"), 1, "script");
    uint32_t python = make_module(profile, "[python]", 0, 0);
    uint32_t module = make_frame(profile, python, "<module> (main.py)", 0),
             slow = make_frame(profile, python, "slow", 0);
    uint32_t find = make_frame(profile, python, "_find_and_load", 0);
    uint32_t imported = make_frame(profile, python, "<module> (shop.py)", 0);
    uint32_t run = make_frame(profile, python, "run", 0), call = make_frame(profile, python, "call", 0);
    uint32_t step = make_frame(profile, python, "step", 0), rare = make_frame(profile, python, "rare", 0);
    add_line(profile, find, find, "<frozen importlib._bootstrap>", 1170);
    ADD_STACK(profile, thread, -1, 30, 300000000, slow, imported, find, module);
    ADD_STACK(profile, thread, -1, 6, 60000000, find, module);
    ADD_STACK(profile, thread, -1, 58, 580000000, step, call, run, module);
    ADD_STACK(profile, thread, -1, 6, 60000000, rare, run, module);
    char *high = overview(profile, 100, 60), *low = overview(profile, 100, 19);
    ck_assert_msg(strstr(high, " rare") && strstr(high, "  run  [python]\n"), "%s", high);
    ck_assert_msg(strstr(low, "run -> call -> step") && strstr(low, "<module> (shop.py) -> slow"), "%s", low);
    ck_assert_msg(!strstr(high, "_find_and_load -> <module>") && strstr(high, "    _find_and_load"), "%s", high);
    free(low);
    free(high);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_has_no_parts_but_titles)
{
    struct profile *profile = make_profile(NULL);
    char *text = overview(profile, 80, 24);
    ck_assert_str_eq(text, "0 s of CPU time, 0 samples\n\n"
                           "samples  CPU ms  self  total   user  system  function  module\n"
                           "      0   0.000  0.0%         0.000   0.000  total\n");
    free(text);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/flat_overview");
    tcase_add_test(tests, where_the_time_went_is_seen_at_once);
    UNIT_ADD_TABLE(tests, a_terminal_holds_the_paths, heights);
    tcase_add_test(tests, a_low_terminal_shows_larger_branches);
    UNIT_ADD_TABLE(tests, programs_are_shown_if_there_are_several, programs);
    tcase_add_test(tests, it_fits_on_the_screen);
    tcase_add_test(tests, twelve_functions_at_the_most);
    tcase_add_test(tests, small_functions_fill_the_room_if_they_have_the_time);
    tcase_add_test(tests, trunks_of_scripts_leave_room_for_leaves);
    tcase_add_test(tests, nothing_has_no_parts_but_titles);
    return unit_end();
}
