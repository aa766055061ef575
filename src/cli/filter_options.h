/* SPDX-License-Identifier: MIT
 *
 * The options that choose samples: the same for a recording and for a stored profile, but for those that have another
 * meaning there. */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/filter.h"

#include <getopt.h>
#include <stdbool.h>

enum filter_option_number {
    FILTER_FOCUS = 768,
    FILTER_IGNORE,
    FILTER_PID,
    FILTER_TID,
    FILTER_COMM,
    FILTER_MODULE,
    FILTER_BETWEEN
};

/* A part of a list for getopt_long. FILTER_PID is not in it. */
#define FILTER_OPTIONS                                                                                                 \
    {"focus", required_argument, NULL, FILTER_FOCUS}, {"ignore", required_argument, NULL, FILTER_IGNORE},              \
        {"tid", required_argument, NULL, FILTER_TID}, {"comm", required_argument, NULL, FILTER_COMM},                  \
        {"module", required_argument, NULL, FILTER_MODULE},                                                            \
    {                                                                                                                  \
        "between", required_argument, NULL, FILTER_BETWEEN                                                             \
    }

/* True if OPTION, as getopt_long returns it, is one of these. */
bool filter_options_has(int option);

/* Takes OPTION with its ARGUMENT, which must live on. Returns 0, or -EINVAL or -ENOMEM with ERROR set. */
int filter_options_take(struct filter *filter, int option, const char *argument, struct error *error);

/* Appends the options that were given, each with a space before it, to TEXT. */
void filter_options_list(const struct filter *filter, struct buffer *text);

#endif
