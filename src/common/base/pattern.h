/* SPDX-License-Identifier: MIT
 *
 * Extended regular expressions that a user gives. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

struct error;

/* Compiles the extended regular expression TEXT into PATTERN, for regexec without matches. Call regfree in any case.
 * OPTION names the source of TEXT in errors. Returns 0, or -EINVAL if TEXT is invalid, or -ENOMEM, with ERROR set and
 * PATTERN empty. As with grep -E, nested repetitions may take much memory, so TEXT must be the user's own. */
int pattern_compile(regex_t *pattern, const char *option, const char *text, bool ignore_case, struct error *error);

#endif
