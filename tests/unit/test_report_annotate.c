/* SPDX-License-Identifier: MIT */
#include "profile/report/annotation.h"

#include "test_report.h"

#include <errno.h>

/* f is at 0x10: 16 instructions of 4 bytes, on lines 3 to 8 of f.c. square, of s.h, is inlined at 0x20. */
enum { START = 0x10, INSTRUCTIONS = 16 };

static const uint32_t lines_of_code[INSTRUCTIONS] = {3, 3, 5, 5, 5, 8, 8, 8, 8, 8, 8, 8, 8, 5, 0, 3};

static struct code make_code(const char *source, bool instructions)
{
    struct code code = {.start = START, .end = START + 4 * INSTRUCTIONS};
    code.items = calloc(INSTRUCTIONS, sizeof *code.items);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        code.items[code.count++] = (struct code_instruction){.address = START + 4 * i,
                                                             .text = instructions ? "nop" : NULL,
                                                             .line = lines_of_code[i],
                                                             .inner_file = CODE_NONE};
    code.items[4].inner = "square";
    code.items[4].inner_file = 1;
    code.items[4].inner_line = 9;
    code.files.items = calloc(2, sizeof *code.files.items);
    code.files.count = 2;
    code.files.items[0].path = strdup("/src/f.c");
    code.files.items[1].path = strdup("/src/s.h");
    code.files.items[0].failed = source ? 0 : ENOENT;
    if (source)
        ck_assert_int_eq(source_split(&code.files.items[0].source, strdup(source), strlen(source)), 0);
    return code;
}

static uint32_t at(struct profile *profile, uint32_t first, uint64_t address)
{
    uint32_t place = make_frame(profile, profile->locations[first].module, "again", address);
    profile->locations[place].function = profile->locations[first].function;
    return place;
}

/* 60 % in the 5th instruction, 30 % in calls at the 8th, 1 % at the 2nd; one stack has f twice. */
static struct profile *make_sampled(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t f = make_frame(profile, module, "f(int)", START + 16), g = make_frame(profile, module, "g(f(int))", 0x60);
    uint32_t inlined = make_frame(profile, module, "square", 0x1000);
    profile->functions[0].linkage_name = strdup("_Z1fi");
    add_line(profile, f, inlined, "s.h", 9);
    add_line(profile, f, f, "f.c", 5);
    uint32_t call = at(profile, f, START + 4 * 7 + 3), other = at(profile, f, START + 4 * 9);
    ADD_STACK(profile, thread, -1, 6, 60, f, g);
    ADD_STACK(profile, thread, -1, 2, 20, g, call, call);
    ADD_STACK(profile, thread, 0, 1, 10, call, other, g);
    ADD_STACK(profile, thread, -1, 1, 1, at(profile, f, START + 7));
    ADD_STACK(profile, thread, -1, 1, 9, g);
    return profile;
}

static char *annotated(const struct profile *profile, struct code code, struct report_options options)
{
    struct annotation_choice choice = {
        .name = strdup("f(int)"), .count = 1, .inlined = options.verbose, .total_ns = 60};
    struct annotation_part part = {.code = code, .shown = true};
    struct report_pattern pattern = {.text = "square"};
    struct annotation annotation = {
        .items = &choice, .count = 1, .parts = &part, .part_count = 1, .shown = 1, .pattern = &pattern};
    options.annotation = &annotation;
    options.verbose = false;
    char *text = written(report_annotate_write, profile, options);
    code_fini(&part.code);
    free(choice.name);
    return text;
}

static const char source[] =
    "one\ntwo\nint f(int n)\n{\n\treturn square(n)\n\t\t/* no code */\n    + more(\n    n);\n}\n";

#define HEAD "f(int) in prog: 61.0 % of 0.10 us of CPU time in it, 91.0 % including the functions it called\n"
#define TITLES "samples    self   total   of it\n"
#define NONE "                                    "

START_TEST(a_file_has_all)
{
    struct profile *profile = make_sampled();
    char *text = annotated(profile, make_code(source, true), REPORT_OPTIONS_FULL);
    ck_assert_msg(strstr(text, HEAD "\n/src/f.c\n" TITLES) == text, "%s", text);
    for (const char *const *row =
             (const char *const[]){
                 NONE "(no line)\n" NONE "            48  nop\n",
                 "      1    1.0%    1.0%    1.1%         3  int f(int n)\n",
                 NONE "            10  nop\n      1    1.0%    1.0%    1.1%                 14  nop\n" NONE
                      "            4c  nop\n",
                 NONE "    4  {\n", "      6   60.0%   60.0%   65.9%  **     5          return square(n)\n",
                 "      6   60.0%   60.0%   65.9%  **             20  nop  ; square s.h:9\n",
                 NONE "    6                  /* no code */\n" NONE "    7      + more(\n",
                 "      0    0.0%   30.0%   33.0%  **     8      n);\n",
                 "      0    0.0%   30.0%   33.0%  **             2c  nop\n",
                 "      0    0.0%   10.0%   11.0%  **             34  nop\n", NULL};
         *row; row++)
        ck_assert_msg(strstr(text, *row) != NULL, "no:\n%s\nin:\n%s", *row, text);
    ck_assert_ptr_null(strstr(text, "..."));
    ck_assert_ptr_null(strstr(text, "left out"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    profile_free(profile);
}
END_TEST

/* With an inlined function, only its own code is shown and counted. */
START_TEST(inlined_calls_have_their_own_lines)
{
    struct profile *profile = make_sampled();
    struct code code = make_code(source, true);
    code.of_calls = true;
    for (size_t i = 0; i < code.count; i++)
        code.items[i].outside = i != 4;
    char *text = annotated(profile, code, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(text,
                     "'square', inlined in f(int) of prog: 60.0 % of 0.10 us of CPU time in it, 60.0 % including the "
                     "functions it called\n\n/src/f.c\n" TITLES
                     "      6   60.0%   60.0%  100.0%  **     5          return square(n)\n"
                     "      6   60.0%   60.0%  100.0%  **             20  nop  ; square s.h:9\n");
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_screen_leaves_out_what_is_cold)
{
    struct profile *profile = make_sampled();
    struct report_options options = {.min_branch = 20, .color = true, .utf8 = true, .width = 60, .verbose = true};
    char *text = annotated(profile, make_code(source, true), options);
    for (const char *const *row =
             (const char *const[]){
                 "the matching code inlined there: 60.0 %\n",
                 "\033[1;31m      6   60.0%   60.0%   65.9%  **     5          return s…",
                 "\n" NONE "            18  nop\n",
                 "\n" NONE "      ... 2 instructions\n", /* on line 8, behind the call and its context */
                 "\nlines and instructions below 20 % of the function are left out; --min=0 shows them\n", NULL};
         *row; row++)
        ck_assert_msg(strstr(text, *row) != NULL, "no:\n%s\nin:\n%s", *row, text);
    ck_assert_ptr_null(strstr(text, "            4c  nop")); /* on a line without samples */
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(without_source_and_instructions_there_are_figures)
{
    struct profile *profile = make_sampled();
    struct code code = make_code(NULL, false);
    error_set(&code.undone, ENOENT, "objdump is not there");
    code.unproven = true;
    char *text = annotated(profile, code, REPORT_OPTIONS_FULL);
    for (const char *const *row =
             (const char *const[]){
                 "\nno instructions: objdump is not there\n",
                 "\nthe file has no build-id: ", "\n/src/f.c: the source is not shown: No such file or directory\n",
                 "\n      6   60.0%   60.0%   65.9%  **     5  \n      0    0.0%   30.0%   33.0%  **     8  \n", NULL};
         *row; row++)
        ck_assert_msg(strstr(text, *row) != NULL, "no:\n%s\nin:\n%s", *row, text);
    ck_assert_ptr_null(strstr(text, "nop"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_to_show_is_an_error)
{
    struct profile *profile = make_sampled();
    struct annotation none = {0};
    struct report_options options = REPORT_OPTIONS_FULL;
    ck_assert_int_eq(report_annotate_write(profile, &options, stderr), -ENODATA);
    options.annotation = &none;
    ck_assert_int_eq(report_annotate_write(profile, &options, stderr), -ENODATA);
    profile_free(profile);
}
END_TEST

/* An exact name selects this function. Otherwise the matches are sorted by their totals. */
static const struct {
    const char *text, *found; /* function, inlined, self, total */
} choices[] = {
    {"f(int)", "f(int) own 61 91|"},
    {"f", "f(int) own 61 91|"}, /* its short name */
    {"^f", "f(int) own 61 91|"},
    {"f\\(", "g(f(int)) own 29 99|f(int) own 61 91|"},
    {"square", "f(int) inlined 60 60|"},
    {"square|g", "g(f(int)) own 29 99|f(int) inlined 60 60|"},
    {"none", ""},
};

START_TEST(functions_are_chosen)
{
    struct profile *profile = make_sampled();
    struct report_pattern pattern = {.text = choices[_i].text};
    struct annotation annotation = {0};
    struct buffer found = {0};
    ck_assert_int_eq(regcomp(&pattern.compiled, pattern.text, REG_EXTENDED | REG_NOSUB), 0);
    ck_assert_int_eq(annotation_choose(&annotation, profile, &pattern), 0);
    buffer_puts(&found, "");
    for (size_t i = 0; i < annotation.count; i++) {
        const struct annotation_choice *choice = &annotation.items[i];
        buffer_printf(&found, "%s %s %lu %lu|", choice->name, choice->inlined ? "inlined" : "own",
                      (unsigned long)choice->self_ns, (unsigned long)choice->total_ns);
    }
    ck_assert_str_eq(found.bytes, choices[_i].found);
    buffer_fini(&found);
    annotation_fini(&annotation);
    regfree(&pattern.compiled);
    profile_free(profile);
}
END_TEST

/* main is split, and each part calls the other. Two files have a function called help. */
static struct profile *make_split(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 1000), frames[5];
    static const char *const names[] = {"main", "main.cold", "main.part.0", "help", "help"};
    static const char *const files[] = {"main.c", "main.c", "main.c", "a.c", "b.c"};
    for (uint32_t i = 0; i < 5; i++) {
        frames[i] = make_frame(profile, module, names[i], 0x10 + 0x100 * i);
        profile->functions[i].linkage_name = strdup(names[i]);
        profile->functions[i].start = 0x10 + 0x100 * i;
        add_line(profile, frames[i], frames[i], files[i], 5);
    }
    ADD_STACK(profile, thread, -1, 1, 2, frames[0]);
    ADD_STACK(profile, thread, -1, 1, 3, frames[1], frames[0]);
    ADD_STACK(profile, thread, -1, 5, 50, frames[3], frames[1]);
    ADD_STACK(profile, thread, -1, 1, 5, frames[4], frames[2], frames[0]);
    ADD_STACK(profile, thread, -1, 4, 40, frames[4]);
    return profile;
}

static const struct {
    const char *text, *found; /* function, number of parts, self, total */
} split_choices[] = {
    {"main", "main 3 5 60|"},
    {"^main$", "main 3 5 60|"},
    {"main.cold", "main 1 3 53|"}, /* this part */
    {"help", "help (a.c) 1 50 50|help (b.c) 1 45 45|"},
    {"help (b.c)", "help (b.c) 1 45 45|"},
    {"help|main", "main 3 5 60|help (a.c) 1 50 50|help (b.c) 1 45 45|"},
};

START_TEST(parts_are_added_up)
{
    struct profile *profile = make_split();
    struct report_pattern pattern = {.text = split_choices[_i].text};
    struct annotation annotation = {0};
    struct buffer text = {0};
    bool found;
    ck_assert_int_eq(regcomp(&pattern.compiled, pattern.text, REG_EXTENDED | REG_NOSUB), 0);
    ck_assert_int_eq(annotation_choose(&annotation, profile, &pattern), 0);
    ck_assert(!annotation_finds(profile, &pattern, &found) && found);
    for (size_t i = 0; i < annotation.count; i++)
        buffer_printf(&text, "%s %zu %lu %lu|", annotation.items[i].name, annotation.items[i].count,
                      (unsigned long)annotation.items[i].self_ns, (unsigned long)annotation.items[i].total_ns);
    ck_assert_str_eq(text.bytes, split_choices[_i].found);
    buffer_fini(&text);
    annotation_fini(&annotation);
    regfree(&pattern.compiled);
    profile_free(profile);
}
END_TEST

/* Each part has a heading, and the function their sum. A part that cannot be shown is left out. */
START_TEST(parts_have_headings)
{
    struct profile *profile = make_split();
    struct report_pattern pattern = {.text = "main"};
    struct annotation annotation = {0};
    struct report_options options = REPORT_OPTIONS_FULL;
    ck_assert_int_eq(regcomp(&pattern.compiled, pattern.text, REG_EXTENDED | REG_NOSUB), 0);
    ck_assert_int_eq(annotation_choose(&annotation, profile, &pattern), 0);
    for (size_t i = 0; i < 3; i++) {
        struct annotation_part *part = &annotation.parts[i];
        uint64_t start = profile->functions[part->function].start;
        part->code = (struct code){.start = start, .end = start + 4, .items = calloc(1, sizeof *part->code.items)};
        part->code.items[part->code.count++] =
            (struct code_instruction){.address = start, .text = "nop", .file = CODE_NONE, .inner_file = CODE_NONE};
        part->shown = part->function != 2;
    }
    annotation.shown = 1;
    options.annotation = &annotation;
    char *text = written(report_annotate_write, profile, options);
    ck_assert_str_eq(text,
                     "main in prog: 5.0 % of 0.10 us of CPU time in it, 60.0 % including the functions it called\n"
                     "\nmain.cold: 3.0 % in it, 53.0 % including the functions it called\n\n" TITLES
                     "      1    3.0%   53.0%   88.3%  **            110  nop\n"
                     "\nmain: 2.0 % in it, 10.0 % including the functions it called\n\n" TITLES
                     "      1    2.0%   10.0%   16.7%  **             10  nop\n");
    free(text);
    annotation_fini(&annotation);
    regfree(&pattern.compiled);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/annotate");
    UNIT_ADD_TABLE(tests, parts_are_added_up, split_choices);
    tcase_add_test(tests, parts_have_headings);
    tcase_add_test(tests, a_file_has_all);
    tcase_add_test(tests, inlined_calls_have_their_own_lines);
    tcase_add_test(tests, a_screen_leaves_out_what_is_cold);
    tcase_add_test(tests, without_source_and_instructions_there_are_figures);
    tcase_add_test(tests, nothing_to_show_is_an_error);
    UNIT_ADD_TABLE(tests, functions_are_chosen, choices);
    return unit_end();
}
