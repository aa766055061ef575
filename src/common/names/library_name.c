/* SPDX-License-Identifier: MIT */
#include "common/names/library_name.h"

#include <stddef.h>
#include <string.h>

/* Skips return types, and the beginning of Rust's "<&dyn core::ops::Fn as ...>". */
static const char *skip_marks(const char *name)
{
    static const char *const marks[] = {"<", "&", "dyn ", "impl ", "mut ", "void ", "bool ", "decltype (", "(", "["};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (!strncmp(name, marks[i], strlen(marks[i])) && name[strlen(marks[i])]) {
            name += strlen(marks[i]);
            i = (size_t)-1;
        }
    return name;
}

bool library_name(const char *name)
{
    static const char *const paths[] = {
        "std::", "core::", "alloc::", "hashbrown::", "boost::", "runtime.", "operator new", "operator delete", "_"};
    name = skip_marks(name);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!strncmp(name, paths[i], strlen(paths[i])))
            return true;
    return false;
}
