/* SPDX-License-Identifier: MIT */
#include "common/names/library_name.h"

#include "unit.h"

#include <stdlib.h>

static const struct {
    const char *name;
    bool library;
} names[] = {
    {"main", false},
    {"parse(std::string const&)", false},
    {"Index<...>::add", false},
    {"standard::parse", false},
    {"core", false},
    {"(anonymous namespace)::run", false},
    {"main.count", false},
    {"<app::Parser as core::iter::Iterator>::next", false},
    {"", false},
    {"<", false},
    {"_start", true},
    {"__libc_start_main", true},
    {"std::sort<...>", true},
    {"void std::__sort<int*>(int*, int*)", true},
    {"__gnu_cxx::__ops::_Iter_less_iter::operator()<...>", true},
    {"operator new", true},
    {"<core::mem::maybe_uninit::MaybeUninit<u8>>::write", true},
    {"<&dyn core::ops::function::Fn<()> as core::ops::function::FnOnce<()>>::call_once", true},
    {"alloc::vec::Vec<T,A>::push", true},
    {"runtime.mallocgc", true},
};

START_TEST(names_follow_the_table)
{
    ck_assert_int_eq(library_name(names[_i].name), names[_i].library);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("names/library_name");
    UNIT_ADD_TABLE(tests, names_follow_the_table, names);
    return unit_end();
}
