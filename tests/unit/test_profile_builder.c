/* SPDX-License-Identifier: MIT */
#include "profile/profile/builder.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 262144, LONG = 4 << 20 };

static char *text_of(size_t size)
{
    char *text = calloc(1, size + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', size);
    return text;
}

/* From any source: a process's map file, a stored profile, a file's symbols. */
START_TEST(names_without_end_are_cut)
{
    struct builder builder;
    struct profile_module module = {.path = (char[]){"/bin/prog"}};
    char *longest = text_of(SHORT), *longer = text_of(LONG);
    builder_init(&builder);
    struct profile_function function = {.module = builder_module(&builder, &module), .name = longer};
    uint32_t cut = builder_function(&builder, &function);
    ck_assert_uint_eq(builder_function(&builder, &function), cut);
    function.name = longest;
    ck_assert_uint_eq(builder_function(&builder, &function), cut);
    function.name = NULL;
    function.linkage_name = longer;
    uint32_t linked = builder_function(&builder, &function);
    ck_assert_uint_eq(builder_function(&builder, &function), linked);
    struct profile *profile = builder_finish(&builder);
    ck_assert_ptr_nonnull(profile);
    ck_assert_str_eq(profile->functions[cut].name, longest);
    ck_assert_str_eq(profile->functions[linked].name, longest);
    ck_assert_str_eq(profile->functions[linked].linkage_name, longest);
    profile_free(profile);
    free(longest);
    free(longer);
}
END_TEST

static char *read_name(const char *linkage_name)
{
    return strcmp(linkage_name, "_Z1fv") ? NULL : strdup("f()");
}

/* Only the process that parses strangers' files makes names readable. */
START_TEST(names_are_readable_if_the_builder_is_told_how)
{
    static const char *const expected[] = {"_Z1fv", "f()"};
    struct builder builder;
    struct profile_module module = {.path = (char[]){"/bin/prog"}};
    builder_init(&builder);
    builder.readable = _i ? read_name : NULL;
    struct profile_function function = {.module = builder_module(&builder, &module), .linkage_name = (char[]){"_Z1fv"}};
    uint32_t mangled = builder_function(&builder, &function);
    function.linkage_name = (char[]){"main"};
    uint32_t plain = builder_function(&builder, &function);
    struct profile *profile = builder_finish(&builder);
    ck_assert_str_eq(profile->functions[mangled].name, expected[_i]);
    ck_assert_str_eq(profile->functions[mangled].linkage_name, "_Z1fv");
    ck_assert_str_eq(profile->functions[plain].name, "main");
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/builder");
    tcase_add_test(tests, names_without_end_are_cut);
    tcase_add_loop_test(tests, names_are_readable_if_the_builder_is_told_how, 0, 2);
    return unit_end();
}
