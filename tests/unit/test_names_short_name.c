/* SPDX-License-Identifier: MIT */
#include "common/names/short_name.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define COMPARE                                                                                                        \
    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(char const*) const"

/* NULL: the previous level's form, or the name itself at the first level. */
static const struct {
    const char *name, *forms[SHORT_NAME_WHOLE + 1];
} names[] = {
    {"main", {NULL}},
    {"[unknown]", {NULL}},
    {"", {NULL}},
    {"fib(int)", {"fib", NULL, "fib(int)"}},
    {COMPARE,
     {"std::basic_string<...>::compare",
      "std::basic_string<char, std::char_traits<...>, std::allocator<...> >::compare",
      "std::basic_string<...>::compare(char const*) const",
      "std::basic_string<char, std::char_traits<...>, std::allocator<...> >::compare(char const*) const", COMPARE}},
    {"std::__1::vector<int>::at(unsigned long)",
     {"std::vector<int>::at", NULL, "std::vector<int>::at(unsigned long)", NULL,
      "std::__1::vector<int>::at(unsigned long)"}},
    {"S::name[abi:cxx11]() const", {"S::name", NULL, "S::name() const", NULL, "S::name[abi:cxx11]() const"}},
    {"(anonymous namespace)::f(int)::g()", {"(anonymous namespace)::f::g", NULL, "(anonymous namespace)::f(int)::g()"}},
    /* Java's */
    {"void java.util.ComparableTimSort.sort(java.lang.Object[], int, int)",
     {"java.util.ComparableTimSort.sort", NULL, "void java.util.ComparableTimSort.sort(java.lang.Object[], int, int)"}},
    {"void org.acme.Shop$Order.<init>()", {"org.acme.Shop$Order.<init>", NULL, "void org.acme.Shop$Order.<init>()"}},
    {"java.lang.Object[] H.sort(int)", {"H.sort", NULL, "java.lang.Object[] H.sort(int)"}},
    /* Python's and Node.js's */
    {"py::run:/home/me/run.py", {"py::run:run.py", NULL, "py::run:/home/me/run.py"}},
    {"JS:*run /home/me/run.js:3:1", {"JS:*run run.js:3:1", NULL, "JS:*run /home/me/run.js:3:1"}},
    {"JS:^next node:internal/per_context:3:1", {NULL}},
    {"A::operator/(int)", {"A::operator/", NULL, "A::operator/(int)"}},
    {"long main(int)", {"long main", NULL, "long main(int)"}},
    /* operators with letters that are not brackets */
    {"operator<(A const&, A const&)", {"operator<", NULL, "operator<(A const&, A const&)"}},
    {"A::operator->() const", {"A::operator->", NULL, "A::operator->() const"}},
    {"A::operator->*(int)", {"A::operator->*", NULL, "A::operator->*(int)"}},
    {"A::operator()(int) const", {"A::operator()", NULL, "A::operator()(int) const"}},
    {"A<Type>::operator>>(int)",
     {"A<...>::operator>>", "A<Type>::operator>>", "A<...>::operator>>(int)", "A<Type>::operator>>(int)"}},
    {"std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
     {"std::operator<< <...>", "std::operator<< <std::char_traits<...> >",
      "std::operator<< <...>(std::ostream&, char const*)",
      "std::operator<< <std::char_traits<...> >(std::ostream&, char const*)",
      "std::operator<< <std::char_traits<char> >(std::ostream&, char const*)"}},
    {"operator<=><Type>(Type)",
     {"operator<=><...>", "operator<=><Type>", "operator<=><...>(Type)", "operator<=><Type>(Type)"}},
    {"operator-<Type>(Type)", {"operator-<...>", "operator-<Type>", "operator-<...>(Type)", "operator-<Type>(Type)"}},
    {"operator&&(A, B)", {"operator&&", NULL, "operator&&(A, B)"}},
    {"operator new[](unsigned long)", {"operator new[]", NULL, "operator new[](unsigned long)"}},
    {"operator delete(void*, unsigned long)@plt",
     {"operator delete@plt", NULL, "operator delete(void*, unsigned long)@plt"}},
    {"A::operator Type<long>() const",
     {"A::operator Type<...>", "A::operator Type<long>", "A::operator Type<...>() const",
      "A::operator Type<long>() const"}},
    {"my_operator(int)", {"my_operator", NULL, "my_operator(int)"}},
    {"operators<Type>()", {"operators<...>", "operators<Type>", "operators<...>()", "operators<Type>()"}},
    /* lambdas of both demanglers */
    {"work(int)::{lambda(double, double)#1}::operator()(double, double) const",
     {"work::{lambda#1}::operator()", NULL, "work(int)::{lambda(double, double)#1}::operator()(double, double) const"}},
    {"work(int)::'lambda'(double)::operator()(double) const",
     {"work::'lambda'::operator()", NULL, "work(int)::'lambda'(double)::operator()(double) const"}},
    {"f(void (*)(int), A<(1 > 2)>)", {"f", NULL, "f(void (*)(int), A<...>)", "f(void (*)(int), A<(1 > 2)>)"}},
    {"g<(Kind)0, (sizeof...(T)) == (2)>()",
     {"g<...>", "g<(Kind)0, (sizeof...(T)) == (2)>", "g<...>()", "g<(Kind)0, (sizeof...(T)) == (2)>()"}},
    {"h<(a<b)>(int)", {"h<...>", "h<(a<b)>(int)", "h<...>(int)", "h<(a<b)>(int)"}},
    {"A::f() const &", {"A::f", NULL, "A::f() const &"}},
    /* parts of a function have its name */
    {"fib(int) [clone .isra.0]", {"fib", NULL, "fib(int)"}},
    {"fib(int) [clone .constprop.0] [clone .isra.1] [clone .cold]", {"fib", NULL, "fib(int)"}},
    {"work.part.0", {"work", NULL, NULL, NULL, NULL}},
    {"work.cold", {"work", NULL, NULL, NULL, NULL}},
    {"work.constprop.0.isra.12.cold", {"work", NULL, NULL, NULL, NULL}},
    {"work.__part.2", {"work", NULL, NULL, NULL, NULL}},
    {"work.isra.0.localalias", {"work", NULL, NULL, NULL, NULL}},
    {"work.warm", {"work", NULL, NULL, NULL, NULL}},
    {"work.cold.0", {"work", NULL, NULL, NULL, NULL}},
    {"work.specialized.2", {"work", NULL, NULL, NULL, NULL}},
    {"shop.work(int) [clone .constprop.0]", {"shop.work", NULL, "shop.work(int)", NULL, "shop.work(int)"}},
    /* private to a file */
    {"work.lto_priv.1", {"work", NULL, NULL, NULL, NULL}},
    {"work.__uniq.2583.llvm.99", {"work", NULL, NULL, NULL, NULL}},
    {"work.lto_priv.0.constprop.1", {"work", NULL, NULL, NULL, NULL}},
    {"work.warmer", {NULL}},
    {"work.old", {NULL}},
    {".cold", {NULL}},
    {"party.0", {NULL}},
    /* Rust */
    {"core::fmt::Formatter::pad::h0123456789abcdef",
     {"core::fmt::Formatter::pad", NULL, NULL, NULL, "core::fmt::Formatter::pad::h0123456789abcdef"}},
    {"pad::h0123456789abcdeg", {NULL}},
    {"<alloc::vec::Vec<u8> as core::ops::Deref>::deref", {"<alloc::vec::Vec<u8> as core::ops::Deref>::deref"}},
    {"<alloc::vec::Vec<String> as Deref>::deref::<Type>",
     {"<alloc::vec::Vec<...> as Deref>::deref::<...>", "<alloc::vec::Vec<String> as Deref>::deref::<Type>",
      "<alloc::vec::Vec<...> as Deref>::deref::<...>", "<alloc::vec::Vec<String> as Deref>::deref::<Type>"}},
    {"alloc::slice::<impl [T]>::to_vec::{{closure}}", {NULL}},
    /* not C++ */
    {"main.(*Type).Method", {NULL}},
    {"main.Map[go.shape.int,go.shape.string].func1", {NULL}},
    {"java.lang.String.hashCode()I", {NULL}},
    {"-[NSString compare:]", {NULL}},
    {"JS:<anonymous> /tmp/x.js:1:1", {"JS:<anonymous> x.js:1:1", NULL, "JS:<anonymous> /tmp/x.js:1:1"}},
    /* unbalanced brackets */
    {"f(", {NULL}},
    {"f)", {NULL}},
    {"f(int))", {NULL}},
    {"A<int", {NULL}},
    {"A<B<C>::f(int)", {NULL}},
    {"A>::f(int)", {NULL}},
    {"A<(>::f", {NULL}},
    {"A<{>}", {NULL}},
    {"}{", {NULL}},
    {"f(A<)>", {NULL}},
    {"operator", {NULL}},
    {"operator<", {NULL}},
    {"std::", {NULL}},
    {"std::[abi:", {NULL}},
    {" [clone .cold]", {NULL}},
    {"<<<<>>>>", {NULL}},
};

static char *shortened(const char *name, enum short_name_level level)
{
    struct buffer out = {0};
    buffer_puts(&out, "=");
    short_name_put(&out, name, level);
    ck_assert(!out.failed);
    ck_assert_int_eq(out.bytes[0], '=');
    memmove(out.bytes, out.bytes + 1, out.length);
    return out.bytes;
}

START_TEST(names_are_shortened_level_by_level)
{
    const char *expected = names[_i].name;
    for (enum short_name_level level = SHORT_NAME_BARE; level <= SHORT_NAME_WHOLE; level++) {
        if (names[_i].forms[level])
            expected = names[_i].forms[level];
        char *form = shortened(names[_i].name, level);
        ck_assert_msg(!strcmp(form, expected), "level %d: \"%s\", not \"%s\"", (int)level, form, expected);
        free(form);
    }
}
END_TEST

/* Any part of a name gives, at each level, a text no longer than the part and the dots. */
START_TEST(any_part_of_a_name_is_a_name)
{
    const char *name = names[_i].name;
    size_t length = strlen(name);
    for (size_t begin = 0; begin < length; begin++)
        for (size_t end = begin; end <= length; end++) {
            char *part = strndup(name + begin, end - begin);
            for (enum short_name_level level = SHORT_NAME_BARE; level <= SHORT_NAME_WHOLE; level++) {
                char *form = shortened(part, level);
                ck_assert_uint_le(strlen(form), end - begin);
                free(form);
            }
            free(part);
        }
}
END_TEST

/* Deeply nested brackets, and long sequences of them, as in an attacker's name. */
START_TEST(long_names_are_harmless)
{
    enum { MANY = 100000 };
    struct buffer name = {0}, flat = {0};
    for (int i = 0; i < MANY; i++)
        buffer_puts(&name, "A<");
    for (int i = 0; i < MANY; i++)
        buffer_puts(&name, ">");
    char *form = shortened(name.bytes, SHORT_NAME_BARE);
    ck_assert_str_eq(form, name.bytes);
    free(form);
    for (int i = 0; i < MANY; i++)
        buffer_puts(&flat, i ? "::A<Type>(int)" : "A<Type>(int)");
    form = shortened(flat.bytes, SHORT_NAME_BARE);
    ck_assert_uint_eq(strlen(form), (size_t)MANY * strlen("::A<...>") - 2);
    free(form);
    flat.length = 0;
    for (int i = 0; i < 10 * MANY; i++)
        buffer_puts(&flat, "a[abi:");
    form = shortened(flat.bytes, SHORT_NAME_BARE);
    ck_assert_str_eq(form, flat.bytes);
    free(form);
    buffer_fini(&name);
    buffer_fini(&flat);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("names/short_name");
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, names_are_shortened_level_by_level, names);
    UNIT_ADD_TABLE(tests, any_part_of_a_name_is_a_name, names);
    tcase_add_test(tests, long_names_are_harmless);
    return unit_end();
}
