/* SPDX-License-Identifier: MIT */
#include "common/names/demangle.h"

#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *linkage_name, *name; /* name NULL: not mangled */
} rows[] = {
    {"main", NULL},
    {"", NULL},
    {"_", NULL},
    {"_Z", NULL},
    {"_R", NULL},
    {"_ZZZ", NULL},
    {"_Rust", NULL},
    {"_init", NULL},
    {"runtime.memmove", NULL},
    {"write@plt", NULL},
    {"_Z1fv", "f()"},
    {"_ZdlPvm@plt", "operator delete(void*, unsigned long)@plt"},
    {"_ZN2ns5twiceIlEET_S1_", "ns::twice<long>(long)"},
    {"_ZNK2ns3boxIiE3getERKSt6vectorIiSaIiEE",
     "ns::box<int>::get(std::vector<int, std::allocator<int> > const&) const"},
    {"_ZN3fooEv.part.0", "foo() [clone .part.0]"},
    {"_ZN3fooEv.constprop.0.isra.0.cold", "foo() [clone .constprop.0] [clone .isra.0] [clone .cold]"},
    {"_ZN3fooEv.__uniq.1234567890.llvm.987", "foo() [clone .__uniq.1234567890] [clone .llvm.987]"},
    {"_ZN3fooEv.avx2.0", "foo() [clone .avx2.0]"}, /* a version for a processor */
    {"_ZN3fooEv.part.0@plt", "foo() [clone .part.0]@plt"},
    {"_ZN1AC1Ev", "A::A()"},
    {"_ZN1r4work17h8e84ad591c4850beE.llvm.12345", "r::work [clone .llvm.12345]"},
    {"_RNvCs6GmmlP4bgsG_1r4main.cold", "r::main [clone .cold]"},
    {"_D3std5stdio7writelnFiZv.constprop.0", "std.stdio.writeln(int) [clone .constprop.0]"},
    {"_D3std5stdio7writelnFiZv.part.0.isra.1", "std.stdio.writeln(int) [clone .part.0] [clone .isra.1]"},
    {"_Dmain.cold", "D main [clone .cold]"},
    {"main.cold", NULL},
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
    {"_ZN1r4work17h8e84ad591c4850beE", "r::work"},
    {"_RINvCs6GmmlP4bgsG_1r4worklEB2_", "r::work::<i32>"},
    {"_RNvCs6GmmlP4bgsG_1r4main", "r::main"},
    {"_D3std5stdio7writelnFiZv", "std.stdio.writeln(int)"},
    {"_D6object9Exception6__ctorMFAyaZC6object9Exception", "object.Exception.this(immutable(char)[])"},
    {"_D4test3fooQfQiQl", NULL},
    {"_Dmain", "D main"},
    {"_D", NULL},
    {"_Data", NULL},
    {"_D1", NULL},
    {"__solver_MOD_step", "solver::step"},
    {"__my_mod2_MOD___copy_shape_Point", "my_mod2::__copy_shape_Point"},
    {"__solver_MOD_step.constprop.0", "solver::step [clone .constprop.0]"},
    {"__solver_MOD_step@plt", "solver::step@plt"},
    {"__solver_MOD_", NULL},
    {"___MOD_step", NULL},
    {"__Solver_MOD_step", NULL},
    {"_solver_MOD_step", NULL},
};

static const struct {
    const char *linkage_name, *name;
} ada[] = {
    {"pack__inner__run", "pack.inner.run"},
    {"pack__inner__run__2", "pack.inner.run#2"},
    {"_ada_hello", "hello"},
    {"hot__inner__work.0", "hot.inner.work"},
    {"hot__inner__work__2.1", "hot.inner.work#2"},
    {"system__concat_2__str_concat_2", "system.concat_2.str_concat_2"},
    {"pack__Oadd", "pack.\"+\""},
    {"main", NULL},
    {"__gnat_malloc", NULL},
    {"_init", NULL},
    {"", NULL},
    {"Upper__case", NULL},
};

START_TEST(names_of_ada_follow_the_table)
{
    char *name = demangle_ada(ada[_i].linkage_name);
    if (ada[_i].name)
        ck_assert_pstr_eq(name, ada[_i].name);
    else
        ck_assert_ptr_null(name);
    free(name);
}
END_TEST

START_TEST(names_follow_the_table)
{
    char *name = demangle_name(rows[_i].linkage_name);
    if (rows[_i].name)
        ck_assert_str_eq(name, rows[_i].name);
    else
        ck_assert_ptr_null(name);
    free(name);
}
END_TEST

/* Each template's arguments are the previous ones twice: the result would have 2 to the power of 60 names. */
START_TEST(exponential_names_are_refused)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[1024] = "_Z1f1aIiiE";
    for (int i = 0; i < 60; i++) {
        char text[32];
        int last = i; /* the newest substitution: S0_, S1_, ..., SZ_, S10_ */
        if (last < 36)
            snprintf(text, sizeof text, "S_IS%c_S%c_E", digits[last], digits[last]);
        else
            snprintf(text, sizeof text, "S_IS1%c_S1%c_E", digits[last - 36], digits[last - 36]);
        strcat(name, text);
    }
    ck_assert_ptr_null(demangle_name(name));
}
END_TEST

/* Such a name in D, where each part refers to all parts before it. */
START_TEST(exponential_references_are_refused)
{
    char name[1024] = "_D1aFS1bTiTi";
    for (int i = 0; i < 60; i++)
        strcat(name, "H4QeQg");
    ck_assert_ptr_null(demangle_name(strcat(name, "Zv")));
}
END_TEST

/* A pack expansion around such a name, without a pack: it takes as many steps, but prints nothing. */
static void put_pack(char *name, const char *function)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char ends[61][8];
    sprintf(name, "_Z%zu%sIiE1AI", strlen(function), function);
    for (int i = 1; i < 60; i++)
        strcat(name, "S0_I");
    strcat(name, "S0_IiE");
    for (int i = 0; i <= 60; i++) {
        int last = i + 1;
        sprintf(ends[i], last < 36 ? "S%c_" : "S1%c_", digits[last % 36]);
        if (i < 60)
            strcat(strcat(name, ends[i]), "E");
    }
    strcat(strcat(name, "Dp"), ends[60]);
}

START_TEST(names_that_take_too_long_are_left)
{
    char name[1024], function[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(function, sizeof function, "f%d", i);
        put_pack(name, function);
        ck_assert_ptr_null(demangle_name(name));
    }
}
END_TEST

START_TEST(a_name_that_took_too_long_does_not_harm_the_next)
{
    char name[1024];
    put_pack(name, "f");
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(demangle_name(name));
        char *other = demangle_name("_Z3fooIJilEEvv");
        ck_assert_str_eq(other, "foo<int, long>()");
        free(other);
    }
}
END_TEST

/* Lifetimes take time even if they are not printed. */
START_TEST(a_rust_name_of_many_lifetimes_is_left)
{
    ck_assert_ptr_null(demangle_name("_RNvC1a1fMC1bFGzzzzzzzzzz_Eu"));
    ck_assert_ptr_null(demangle_name("_RNvC1a1fMC1bDGzzzzzzzzzz_NtC1a1tEL_"));
    char *name = demangle_name("_RMC1aFG0_RL1_hRL0_tEuC1b");
    ck_assert_str_eq(name, "<for<'a, 'b> fn(&'a u8, &'b u16)>");
    free(name);
}
END_TEST

/* Returns a function with COUNT template arguments, or COUNT nested classes. */
static char *long_name(size_t count, bool nested)
{
    char *name = malloc(16 * count + 32);
    ck_assert_ptr_nonnull(name);
    char *end = name + sprintf(name, nested ? "_ZN" : "_Z4hugeILi0E");
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, nested ? "2ab" : "Li%zuE", i + 10000);
    strcpy(end, nested ? "4hugeEv" : "EvT_");
    return name;
}

/* Names of any length that a compiler makes are readable. */
START_TEST(long_names_are_readable)
{
    static const size_t counts[] = {100, 500, 2000, 8000, 14000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char *symbol = long_name(counts[i], false), *name = demangle_name(symbol);
        ck_assert_msg(name && !strncmp(name, "huge<0, 10000, 10001, ", 22), "%zu: %.60s", counts[i], name ? name : "");
        free(symbol);
        free(name);
    }
    char *symbol = long_name(300, true), *name = demangle_name(symbol);
    ck_assert_msg(name && !strcmp(name + strlen(name) - strlen("::ab::huge()"), "::ab::huge()"), "%s", name);
    free(symbol);
    free(name);
}
END_TEST

START_TEST(long_names_of_rust_are_readable)
{
    enum { LENGTH = 40000 };
    static const char *const begins[] = {"_RINvC1a4hugeT", "_ZN1a40000"}, *const ends[] = {"EE",
                                                                                           "17h0123456789abcdefE"};
    static const char *const shown[] = {"a::huge::<(i32, i32, ", "a::llllll"};
    char *symbol = malloc(LENGTH + 64);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(begins[i]);
        strcpy(symbol, begins[i]);
        memset(symbol + length, 'l', LENGTH);
        strcpy(symbol + length + LENGTH, ends[i]);
        char *name = demangle_name(symbol);
        ck_assert_msg(name && !strncmp(name, shown[i], strlen(shown[i])), "%.60s", name ? name : "");
        free(name);
    }
    free(symbol);
}
END_TEST

/* Pairs of templates and references would take much memory. */
START_TEST(long_names_of_many_pairs_are_left)
{
    enum { COUNT = 20000 };
    char *name = malloc(8 * COUNT), *end = name + sprintf(name, "_Z1f");
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "1aIRT_E");
    free(demangle_name(name));
    free(name);
}
END_TEST

START_TEST(deep_and_long_names_are_harmless)
{
    static const char nests[] = "PRKFTNIJ";
    for (size_t size = 100; size < 140000; size *= 3) {
        char *name = malloc(size + 8);
        ck_assert_ptr_nonnull(name);
        strcpy(name, _i % 2 ? "_RMC1a" : "_Z1f");
        memset(name + strlen(name), nests[_i / 2], size);
        strcpy(name + size + (_i % 2 ? 6 : 4), "i");
        free(demangle_name(name));
        free(name);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("names/demangle");
    UNIT_ADD_TABLE(tests, names_follow_the_table, rows);
    tcase_add_test(tests, exponential_names_are_refused);
    tcase_add_test(tests, names_that_take_too_long_are_left);
    tcase_add_test(tests, a_name_that_took_too_long_does_not_harm_the_next);
    tcase_add_test(tests, a_rust_name_of_many_lifetimes_is_left);
    tcase_add_loop_test(tests, deep_and_long_names_are_harmless, 0, 16);
    tcase_add_test(tests, long_names_are_readable);
    tcase_add_test(tests, long_names_of_rust_are_readable);
    tcase_add_test(tests, long_names_of_many_pairs_are_left);
    tcase_add_test(tests, exponential_references_are_refused);
    UNIT_ADD_TABLE(tests, names_of_ada_follow_the_table, ada);
    return unit_end();
}
