/* SPDX-License-Identifier: MIT */
#include "profile/profile/correspond.h"

#include "test_profile.h"
#include "unit.h"

static const struct {
    const char *one, *other;
    bool same;
} names[] = {
    {"app", "app", true},
    {"app", "app2", true},
    {"app-1.2", "app-1.3", true},
    {"app_1", "app_10", true},
    {"python3.11", "python3.12", true},
    {"app", "apt", false},
    {"app", "app-new", false},
    {"libfoo.so", "libfoo.so.1", true},
    {"libfoo.so.1.2", "libfoo.so.1.3.4", true},
    {"libfoo-1.2.so", "libfoo-1.3.so", true},
    {"libfoo.so.1", "libbar.so.1", false},
    {"libfoo.so.1", "libfoo", false},
    {"libc.so.6", "libm.so.6", false},
    {"libfoo.something", "libfoo.so", false},
    {"7z", "7z", true},
    {"1", "2", false}, /* nothing would remain of the name */
    {"", "", true},
};

START_TEST(names_of_versions)
{
    ck_assert_int_eq(correspond_names(names[_i].one, names[_i].other), names[_i].same);
    ck_assert_int_eq(correspond_names(names[_i].other, names[_i].one), names[_i].same);
}
END_TEST

/* Paths of modules. A '*' before a path marks a program, which has a process. */
enum { MOST = 5 };
static const struct {
    const char *base[MOST], *profile[MOST], *become[MOST], *told;
} pairs[] = {
    {{"*/bin/app"}, {"*/bin/app"}, {"/bin/app"}, ""},
    {{"*/bin/app"}, {"*/bin/app2"}, {"/bin/app2"}, "app2 and app"},
    /* each side has one program, so they correspond, whatever their names */
    {{"*/old/server", "/lib/libc.so.6"},
     {"*/new/service", "/lib/libc.so.6"},
     {"/new/service", "/lib/libc.so.6"},
     "service and server"},
    {{"*/bin/one", "*/bin/two"}, {"*/bin/three", "*/bin/four"}, {"/bin/one", "/bin/two"}, ""},
    {{"*/bin/sh", "*/bin/one"}, {"*/bin/sh", "*/bin/three"}, {"/bin/sh", "/bin/three"}, "three and one"},
    {{"*/a/app", "/a/libfoo.so.1.2"},
     {"/b/libfoo.so.1.3", "*/b/app"},
     {"/b/app", "/b/libfoo.so.1.3"},
     "libfoo.so.1.3 and libfoo.so.1.2"},
    /* ambiguous if one side has several versions */
    {{"/l/libfoo.so.1"}, {"/l/libfoo.so.2", "/l/libfoo.so.3"}, {"/l/libfoo.so.1"}, ""},
    {{"/l/libfoo.so.1", "/l/libfoo.so.2"}, {"/l/libfoo.so.3"}, {"/l/libfoo.so.1", "/l/libfoo.so.2"}, ""},
    {{"/l/libfoo.so.1", "/l/libfoo.so.2"},
     {"/l/libfoo.so.2", "/l/libfoo.so.3"},
     {"/l/libfoo.so.3", "/l/libfoo.so.2"},
     "libfoo.so.3 and libfoo.so.1"},
    /* only files have versions */
    {{"[jit]"}, {"/bin/[jit]"}, {"[jit]"}, ""},
    {{"/bin/app"}, {"*/bin/app2"}, {"/bin/app"}, ""},
};

static struct profile *profile_of(const char *const paths[MOST])
{
    struct profile *profile = make_profile("x");
    for (size_t i = 0; i < MOST && paths[i]; i++) {
        bool program = paths[i][0] == '*';
        uint32_t module = make_module(profile, paths[i] + program, 0, 100);
        profile->modules[module].executable = program;
        if (!program)
            continue;
        uint32_t process = make_process(profile, 10 + (pid_t)i, 0, profile->modules[module].name);
        profile->processes[process].module = module;
        make_thread(profile, process, 10, profile->modules[module].name);
        make_thread(profile, process, 11, "worker");
    }
    return profile;
}

START_TEST(modules_follow_the_table)
{
    struct profile *base = profile_of(pairs[_i].base), *profile = profile_of(pairs[_i].profile);
    struct buffer told = {0};
    ck_assert_int_eq(correspond(base, profile, &told), 0);
    ck_assert_str_eq(told.bytes ? told.bytes : "", pairs[_i].told);
    for (size_t i = 0; i < base->module_count; i++) {
        ck_assert_str_eq(base->modules[i].path, pairs[_i].become[i]);
        ck_assert_str_eq(base->modules[i].name, profile_module_name(pairs[_i].become[i]));
    }
    for (size_t i = 0; i < base->process_count; i++) {
        const char *name = base->modules[base->processes[i].module].name;
        ck_assert_str_eq(base->processes[i].comm, name);
        ck_assert_str_eq(base->threads[2 * i].comm, name);
        ck_assert_str_eq(base->threads[2 * i + 1].comm, "worker");
    }
    buffer_fini(&told);
    profile_free(base);
    profile_free(profile);
}
END_TEST

/* Functions of /bin/app in the base and in the profile, and the names that the base's become. */
static const struct {
    const char *base[MOST], *profile[MOST], *become[MOST];
} functions[] = {
    {{"main", "work(int)"}, {"work(int)", "main"}, {"main", "work(int)"}},
    /* one side has it only inlined */
    {{"sort"},
     {"sort(std::vector<Order, std::allocator<Order> >&)"},
     {"sort(std::vector<Order, std::allocator<Order> >&)"}},
    {{"sort(std::vector<int>&)"}, {"sort"}, {"sort"}},
    /* other parameters, if unambiguous */
    {{"parse(int)"}, {"parse(long)"}, {"parse(long)"}},
    {{"parse(int)", "parse(char)"}, {"parse(char)", "parse(long)"}, {"parse(long)", "parse(char)"}},
    {{"parse(int)"}, {"parse(char)", "parse(long)"}, {"parse(int)"}},
    {{"parse(int)", "parse(char)"}, {"parse(long)"}, {"parse(int)", "parse(char)"}},
    {{"parse"}, {"parse", "parse(long)"}, {"parse"}},
    /* a name that occurs twice is one function */
    {{"sort", "sort"}, {"sort(int*)", "sort(int*)"}, {"sort(int*)", "sort(int*)"}},
    /* template arguments are a part of the name */
    {{"max<int>(int, int)"}, {"max<long>(long, long)"}, {"max<int>(int, int)"}},
    {{"app+0x1000"}, {"app+0x2000"}, {"app+0x1000"}},
    {{"one"}, {"other"}, {"one"}},
};

static struct profile *functions_of(const char *const called[MOST])
{
    struct profile *profile = make_profile("x");
    uint32_t elsewhere = make_module(profile, "/lib/libfoo.so", 0, 100), app = make_module(profile, "/bin/app", 0, 100);
    for (size_t i = 0; i < MOST && called[i]; i++)
        make_frame(profile, app, called[i], 10 * (i + 1));
    make_frame(profile, elsewhere, called[0], 10);
    make_frame(profile, make_module(profile, "[jit]", 0, 0), "jitted(int)", 10);
    return profile;
}

START_TEST(functions_follow_the_table)
{
    struct profile *base = functions_of(functions[_i].base), *profile = functions_of(functions[_i].profile);
    struct buffer told = {0};
    ck_assert_int_eq(correspond(base, profile, &told), 0);
    ck_assert_uint_eq(told.length, 0);
    for (size_t i = 0; i < MOST && functions[_i].base[i]; i++)
        ck_assert_str_eq(base->functions[i].name, functions[_i].become[i]);
    buffer_fini(&told);
    profile_free(base);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/correspond");
    UNIT_ADD_TABLE(tests, names_of_versions, names);
    UNIT_ADD_TABLE(tests, modules_follow_the_table, pairs);
    UNIT_ADD_TABLE(tests, functions_follow_the_table, functions);
    return unit_end();
}
