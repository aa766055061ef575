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
 * none, or -ENOMEM. As with grep -E, nested repetitions may take much memory: TEXT must be the user's own. */
int pattern_compile(regex_t *pattern, const char *option, const char *text, bool ignore_case, struct error *error);

#endif
