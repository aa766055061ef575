/* SPDX-License-Identifier: MIT */
#include "programs/elf/alias.h"

#include "unit.h"

#include <elf.h>
#include <string.h>

static const struct {
    const char *name, *trimmed;
    bool old_version;
} versions[] = {
    {"read", "read", false},
    {"read@@GLIBC_2.2.5", "read", false},
    {"memcpy@GLIBC_2.2.5", "memcpy", true},
    {"f@", "f", true},
    {"f@@", "f", false},
    {"@odd", "@odd", false},
    {"f", "f", false},
    {"foo.part.0", "foo.part.0", false},
    {"foo.cold", "foo.cold", false},
    {"?f@@YAXXZ", "?f@@YAXXZ", false},
};

START_TEST(versions_are_cut_off)
{
    struct elf_alias alias = {0};
    elf_alias_set_name(&alias, versions[_i].name, strlen(versions[_i].name));
    ck_assert_uint_eq(alias.length, strlen(versions[_i].trimmed));
    ck_assert_mem_eq(alias.name, versions[_i].trimmed, alias.length);
    ck_assert_int_eq(alias.old_version, versions[_i].old_version);
}
END_TEST

struct choice {
    const char *name;
    unsigned char type, binding;
};

static const struct {
    struct choice better, worse;
} choices[] = {
    {{"write", STT_FUNC, STB_WEAK}, {"__write", STT_FUNC, STB_GLOBAL}},
    {{"write", STT_FUNC, STB_WEAK}, {"__libc_write", STT_FUNC, STB_GLOBAL}},
    {{"__write", STT_FUNC, STB_GLOBAL}, {"__libc_write", STT_FUNC, STB_GLOBAL}},
    {{"__libc_start_main", STT_FUNC, STB_GLOBAL}, {"__libc_start_main_impl", STT_FUNC, STB_LOCAL}},
    {{"fputs", STT_FUNC, STB_WEAK}, {"_IO_fputs", STT_FUNC, STB_GLOBAL}},
    {{"malloc", STT_FUNC, STB_GLOBAL}, {"__libc_malloc", STT_FUNC, STB_GLOBAL}},
    {{"memmove", STT_FUNC, STB_GLOBAL}, {"memcpy@GLIBC_2.2.5", STT_FUNC, STB_GLOBAL}},
    {{"memcpy@@GLIBC_2.14", STT_GNU_IFUNC, STB_GLOBAL}, {"__new_memcpy_ifunc", STT_FUNC, STB_LOCAL}},
    {{"shown", STT_FUNC, STB_GLOBAL}, {"t", STT_FUNC, STB_LOCAL}},
    {{"shown", STT_FUNC, STB_WEAK}, {"t", STT_FUNC, STB_LOCAL}},
    {{"_Z1fv", STT_FUNC, STB_GLOBAL}, {"_f", STT_FUNC, STB_GLOBAL}},
    {{"_ZN1AC1Ev", STT_FUNC, STB_GLOBAL}, {"_ZN1AC2Ev", STT_FUNC, STB_GLOBAL}},
    {{"__long_function", STT_FUNC, STB_LOCAL}, {"label", STT_NOTYPE, STB_GLOBAL}},
    {{"foo", STT_FUNC, STB_LOCAL}, {"foo.localalias", STT_FUNC, STB_LOCAL}},
    {{"ab", STT_FUNC, STB_GLOBAL}, {"ac", STT_FUNC, STB_GLOBAL}},
};

static struct elf_alias alias_of(const struct choice *choice)
{
    struct elf_alias alias = {.type = choice->type, .binding = choice->binding};
    elf_alias_set_name(&alias, choice->name, strlen(choice->name));
    return alias;
}

START_TEST(the_expected_name_wins)
{
    struct elf_alias better = alias_of(&choices[_i].better), worse = alias_of(&choices[_i].worse);
    ck_assert_int_lt(elf_alias_compare(&better, &worse), 0);
    ck_assert_int_gt(elf_alias_compare(&worse, &better), 0);
    ck_assert_int_eq(elf_alias_compare(&better, &better), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/alias");
    UNIT_ADD_TABLE(tests, versions_are_cut_off, versions);
    UNIT_ADD_TABLE(tests, the_expected_name_wins, choices);
    return unit_end();
}
