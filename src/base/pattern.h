/* SPDX-License-Identifier: MIT
 *
 * Extended regular expressions that a user gives. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/error.h"

#include <regex.h>
#include <stdbool.h>

/* Makes PATTERN, for regexec with no matches and for regfree, of the extended regular expression TEXT. OPTION names its
 * origin in errors. Returns 0, or with ERROR set and PATTERN empty, so that regfree does no harm: -EINVAL if it is
 * none, -E2BIG if it repeats too much, or -ENOMEM. The C library writes out what is repeated as often as it is
 * repeated, so that a few nested repetitions would take all memory. */
int pattern_compile(regex_t *pattern, const char *option, const char *text, bool ignore_case, struct error *error);

#endif
