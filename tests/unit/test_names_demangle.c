/* SPDX-License-Identifier: MIT */
#include "names/demangle.h"

#include "unit.h"

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
    {"_ZN1AC1Ev", "A::A()"},
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
    {"_ZN1r4work17h8e84ad591c4850beE", "r::work"},
    {"_RINvCs6GmmlP4bgsG_1r4worklEB2_", "r::work::<i32>"},
    {"_RNvCs6GmmlP4bgsG_1r4main", "r::main"},
};

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

/* A template whose arguments are twice what was before, again and again: 2 to the power of 60 names. */
START_TEST(a_name_that_stands_for_too_much_is_left)
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

START_TEST(a_deep_or_long_name_is_survived)
{
    static const char nests[] = "PRKFTNIJ";
    for (size_t size = 100; size < 40000; size *= 3) {
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
    tcase_add_test(tests, a_name_that_stands_for_too_much_is_left);
    tcase_add_loop_test(tests, a_deep_or_long_name_is_survived, 0, 16);
    return unit_end();
}
