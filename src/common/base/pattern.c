/* SPDX-License-Identifier: MIT */
#include "common/base/pattern.h"

#include "common/base/error.h"

#include <errno.h>
#include <string.h>

int pattern_compile(regex_t *pattern, const char *option, const char *text, bool ignore_case, struct error *error)
{
    char why[128];
    memset(pattern, 0, sizeof *pattern);
    int failed = regcomp(pattern, text, REG_EXTENDED | (ignore_case ? REG_ICASE : 0));
    if (!failed)
        return 0;
    regerror(failed, pattern, why, sizeof why);
    memset(pattern, 0, sizeof *pattern);
    return error_set(error, failed == REG_ESPACE ? ENOMEM : EINVAL, "%s: '%s' is not a regular expression: %s", option,
                     text, why);
}
