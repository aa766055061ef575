/* SPDX-License-Identifier: MIT */
#include "test_report.h"

/* A program, its interpreter, two libraries with one name, a library with a name like the second one's, a hostile
 * name, a module without samples, and a module that is not an ELF file. */
static struct profile *make_modules(uint32_t program)
{
    static const struct {
        const char *path;
        uint64_t end, cpu_ns;
        bool executable;
    } modules[] = {
        {"/usr/bin/dash", 100, 50, true},  {"/opt/prog", 100, 0, true},     {"/a/libx.so", 100, 7, false},
        {"/b/libx.so", 100, 9, false},     {"/c/libx.so.2", 100, 8, false}, {"/tmp/\033[2J\n", 100, 6, false},
        {"/lib/unused.so", 100, 0, false}, {"[jit]", 0, 99, false},
    };
    struct profile *profile = make_profile("prog");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "first"), 1, "first");
    uint32_t second = make_process(profile, 1, 1, "prog"), child = make_process(profile, 2, 0, "child");
    profile->processes[second].module = program;
    profile->processes[child].module = 0;
    for (size_t i = 0; i < UNIT_ROWS(modules); i++) {
        uint32_t module = make_module(profile, modules[i].path, 0, modules[i].end);
        profile->modules[module].executable = modules[i].executable;
        if (modules[i].cpu_ns)
            ADD_STACK(profile, thread, -1, 1, modules[i].cpu_ns, make_frame(profile, module, "f", 1));
    }
    return profile;
}

START_TEST(the_main_program_is_first_and_the_names_differ)
{
    static const struct {
        uint32_t module;
        const char *suffix;
    } expected[] = {{1, ""}, {0, ".dash"}, {3, ".libx.so"}, {4, ".libx.so.2"}, {2, ".libx.so.3"}, {5, "._[2J_"}};
    struct profile *profile = make_modules(1);
    struct report_parts parts;
    ck_assert_int_eq(report_parts_init(&parts, profile), 0);
    ck_assert_uint_eq(parts.count, UNIT_ROWS(expected));
    for (size_t i = 0; i < parts.count; i++) {
        ck_assert_uint_eq(parts.items[i].module, expected[i].module);
        ck_assert_str_eq(parts.items[i].suffix, expected[i].suffix);
    }
    report_parts_fini(&parts);
    profile_free(profile);
}
END_TEST

START_TEST(without_an_executable_the_busiest_program_is_it)
{
    struct profile *profile = make_modules(PROFILE_NONE);
    struct report_parts parts;
    ck_assert_int_eq(report_parts_init(&parts, profile), 0);
    ck_assert_uint_eq(parts.items[0].module, 0);
    ck_assert_str_eq(parts.items[0].suffix, "");
    ck_assert_uint_eq(parts.items[0].ns, 50);
    report_parts_fini(&parts);
    profile_free(profile);
}
END_TEST

START_TEST(without_modules_there_are_no_parts)
{
    struct profile *profile = make_profile(NULL);
    struct report_parts parts;
    ck_assert_int_eq(report_parts_init(&parts, profile), 0);
    ck_assert_uint_eq(parts.count, 0);
    report_parts_fini(&parts);
    make_thread(profile, make_process(profile, 1, 0, ""), 1, "");
    ADD_STACK(profile, 0, -1, 1, 5, make_frame(profile, make_module(profile, "/lib/x.so", 0, 9), "f", 1));
    ck_assert_int_eq(report_parts_init(&parts, profile), 0);
    ck_assert_uint_eq(parts.count, 1);
    ck_assert_str_eq(parts.items[0].suffix, ".x.so");
    report_parts_fini(&parts);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/parts");
    tcase_add_test(tests, the_main_program_is_first_and_the_names_differ);
    tcase_add_test(tests, without_an_executable_the_busiest_program_is_it);
    tcase_add_test(tests, without_modules_there_are_no_parts);
    return unit_end();
}
