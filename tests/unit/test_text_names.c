/* SPDX-License-Identifier: MIT */
#include "common/text/names.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

/* Names, and the form of each beside the others. */
static const struct {
    const char *names[MOST], *shown[MOST];
} sets[] = {
    {{"f(int)", "main"}, {"f", "main"}},
    {{"", "(int)"}, {"", "(int)"}},
    {{"f(int)", "f(int)"}, {"f", "f"}},
    {{"f(int)", "f(double)", "g(int)"}, {"f(int)", "f(double)", "g"}},
    {{"f", "f(int)"}, {"f", "f(int)"}},
    {{"f(int)", "f(int) [clone .cold]", "f(int) [clone .part.0]"}, {"f", "f", "f"}},
    {{"f", "f.cold", "g.part.0"}, {"f", "f", "g"}},
    {{"A<Type>::f(int)", "A<Other>::f(int)"}, {"A<Type>::f", "A<Other>::f"}},
    {{"A<B<Type>>::f(int)", "A<B<Other>>::f(int)"}, {"A<B<Type>>::f(int)", "A<B<Other>>::f(int)"}},
    {{"A<Type>::f(int)", "A<Other>::f(int)", "A<Type>::f(long)"}, {"A<...>::f(int)", "A<Other>::f", "A<...>::f(long)"}},
    {{"f::h0123456789abcdef", "f::hffff456789abcdef"}, {"f::h0123456789abcdef", "f::hffff456789abcdef"}},
    {{"f()", "f()::g()", "f(int)::g()"}, {"f", "f()::g()", "f(int)::g()"}},
};

START_TEST(no_two_names_are_shown_alike)
{
    struct names names = {0};
    uint32_t numbers[MOST];
    for (int i = 0; i < MOST && sets[_i].names[i]; i++)
        ck_assert_uint_ne(numbers[i] = names_add(&names, sets[_i].names[i], false), HASH_NONE);
    ck_assert(names_settle(&names));
    for (int i = 0; i < MOST && sets[_i].names[i]; i++)
        ck_assert_str_eq(names.items[numbers[i]].shown, sets[_i].shown[i]);
    names_fini(&names);
    names_fini(&names);
}
END_TEST

/* A fixed name, such as for code without symbols, stays unchanged, and no other name becomes equal to it. */
START_TEST(fixed_names_stay)
{
    struct names names = {0};
    uint32_t fixed = names_add(&names, "f", true), other = names_add(&names, "f(int)", false);
    uint32_t jit = names_add(&names, "Method(int).cold", true);
    ck_assert(names_settle(&names));
    ck_assert_str_eq(names.items[fixed].shown, "f");
    ck_assert_str_eq(names.items[other].shown, "f(int)");
    ck_assert_str_eq(names.items[jit].shown, "Method(int).cold");
    names_fini(&names);
}
END_TEST

/* Thousands of names with one short form, and names with another one's full form as their short form. */
START_TEST(many_clashes_end)
{
    enum { MANY = 5000 };
    static char text[MANY][64];
    struct names names = {0};
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], i % 2 ? "A<B<T%d>>::f(int)" : "A<...>::f(T%d)", i);
        ck_assert_uint_eq(names_add(&names, text[i], false), (uint32_t)i);
    }
    ck_assert_uint_eq(names_add(&names, "A<...>::f(int)", false), MANY);
    ck_assert_uint_eq(names_add(&names, "A<...>::f", false), MANY + 1);
    ck_assert_uint_eq(names_add(&names, "A<B<...>>::f", false), MANY + 2);
    ck_assert(names_settle(&names));
    struct texts shown = {0};
    for (uint32_t i = 0; i < MANY + 3; i++)
        ck_assert_uint_eq(texts_add(&shown, names.items[i].shown), i);
    texts_fini(&shown);
    names_fini(&names);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/names");
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, no_two_names_are_shown_alike, sets);
    tcase_add_test(tests, fixed_names_stay);
    tcase_add_test(tests, many_clashes_end);
    return unit_end();
}
