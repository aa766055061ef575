/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include <stdbool.h>

static char *callgrind(const struct profile *profile)
{
    return written(report_callgrind_write, profile, REPORT_OPTIONS_FULL);
}

START_TEST(the_file_is_as_its_readers_want_it)
{
    struct profile *profile = make_profile("prog -x");
    uint32_t process = make_process(profile, 7, 0, "prog"), thread = make_thread(profile, process, 7, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 0x1000);
    uint32_t main = make_frame(profile, module, "main", 0x10), work = make_frame(profile, module, "work", 0x20);
    uint32_t again = make_frame(profile, module, "work", 0x24), small = make_frame(profile, module, "small", 0);
    profile->functions[profile->locations[work].function].start = 0x18;
    add_line(profile, main, main, "/src/main.c", 11);
    add_line(profile, work, work, "/src/work.c", 5);
    add_line(profile, again, small, "/src/small.h", 2);
    add_line(profile, again, work, "/src/table.inc", 9);
    ADD_STACK(profile, thread, -1, 3, 3000, work, main);
    ADD_STACK(profile, thread, 0, 2, 2000, again, main);
    add_unsampled(profile, process, 70);
    char *text = callgrind(profile);
    ck_assert_str_eq(text, "# callgrind format\nversion: 1\ncreator: ptprofil\npid: 7\ncmd: prog -x\n"
                           "positions: instr line\n"
                           "event: CPU_ns : CPU time in nanoseconds\nevent: Samples : Samples\n"
                           "events: CPU_ns Samples\nsummary: 5070 5\n"
                           "\nob=(1) ???\nfl=(1) ???\nfn=(1) process prog\n0x0 0 0 0\n"
                           "cob=(2) /bin/prog\ncfi=(2) /src/main.c\ncfn=(2) main\ncalls=5 0x0 11\n0x0 0 5000 5\n"
                           "cob=(1)\ncfi=(1)\ncfn=(3) [unsampled]\ncalls=1 0x0 0\n0x0 0 70 0\n"
                           "\nob=(2)\nfl=(2)\nfn=(2)\n0x0 11 0 0\n"
                           "cob=(2)\ncfi=(3) /src/work.c\ncfn=(4) work\ncalls=5 0x18 5\n0x10 11 5000 5\n"
                           "\nob=(2)\nfl=(3)\nfn=(4)\n0x20 5 3000 3\n"
                           "fi=(4) /src/table.inc\n"
                           "cob=(2)\ncfi=(5) /src/small.h\ncfn=(5) small\ncalls=2 0x0 2\n0x24 9 2000 2\n"
                           "\nob=(2)\nfl=(5)\nfn=(5)\n0x0 2 0 0\n"
                           "cob=(3) [kernel]\ncfi=(1)\ncfn=(6) [read]\ncalls=2 0x0 0\n0x24 2 2000 2\n"
                           "\nob=(3)\nfl=(1)\nfn=(6)\n0x0 0 2000 2\n"
                           "\nob=(1)\nfl=(1)\nfn=(3)\n0x0 0 70 0\n"
                           "\ntotals: 5070 5\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* Reads functions with names of one letter, like the format's readers: a function's inclusive cost is the sum of the
 * calls to it. SELF and INCLUSIVE have an entry for each letter. */
static void read_costs(char *text, uint64_t self[128], uint64_t inclusive[128])
{
    char names[128] = {0}, current = 0, callee = 0;
    bool call = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = strstr(line, "fn=(");
        if (name) {
            unsigned long number = strtoul(name + 4, &name, 10);
            ck_assert_uint_lt(number, 128);
            if (name[1])
                names[number] = name[3] ? '?' : name[2];
            *(*line == 'c' ? &callee : &current) = names[number];
        }
        call |= !strncmp(line, "calls=", 6);
        unsigned long long cost = 0;
        if (sscanf(line, "0x%*x %*u %llu", &cost) == 1) {
            (call ? inclusive : self)[(int)(call ? callee : current)] += cost;
            call = false;
        }
    }
}

/* Stacks, root first. Each function in a stack must have all of its time as inclusive cost. */
static const char *const stacks[] = {
    "a", "ab", "abc", "aa", "aaaaaa", "abbb", "abab", "ababab", "abcabc", "abcba", "abacad", "abaca", "abccba",
};

START_TEST(recursion_counts_once)
{
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "p");
    uint32_t module = make_module(profile, "/bin/p", 0, 100), frames[16];
    size_t depth = strlen(stacks[_i]);
    for (size_t i = 0; i < depth; i++)
        frames[depth - 1 - i] = make_frame(profile, module, (char[2]){stacks[_i][i]}, 16 + i);
    add_stack(profile, thread, -1, 1, 1000, frames, depth);
    add_stack(profile, thread, -1, 1, 500, frames, depth);
    uint64_t self[128] = {0}, inclusive[128] = {0};
    char *text = callgrind(profile);
    read_costs(text, self, inclusive);
    for (char letter = 'a'; letter <= 'd'; letter++) {
        ck_assert_uint_eq(inclusive[(int)letter], strchr(stacks[_i], letter) ? 1500 : 0);
        ck_assert_uint_eq(self[(int)letter], stacks[_i][depth - 1] == letter ? 1500 : 0);
    }
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_recursion_is_shown)
{
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "p");
    uint32_t f = make_frame(profile, make_module(profile, "/bin/p", 0, 100), "f", 16);
    ADD_STACK(profile, thread, -1, 2, 1000, f, f, f, f);
    char *text = callgrind(profile);
    ck_assert_ptr_nonnull(strstr(text, "cfn=(2)\ncalls=2 0x0 0\n0x10 0 0 0\n"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(an_empty_profile_is_a_file)
{
    struct profile *profile = make_profile(NULL);
    char *text = callgrind(profile);
    ck_assert_ptr_nonnull(strstr(text, "summary: 0 0\n"));
    free(text);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/callgrind");
    tcase_add_test(tests, the_file_is_as_its_readers_want_it);
    UNIT_ADD_TABLE(tests, recursion_counts_once, stacks);
    tcase_add_test(tests, a_recursion_is_shown);
    tcase_add_test(tests, an_empty_profile_is_a_file);
    return unit_end();
}
