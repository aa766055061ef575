/* SPDX-License-Identifier: MIT
 *
 * The options that say when samples are taken. */
#ifndef CLI_SWITCH_OPTIONS_H
#define CLI_SWITCH_OPTIONS_H

#include "base/error.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* Needs only to be zeroed: then sampling is on from the beginning. */
struct switch_options {
    bool off;            /* sampling begins switched off: */
    uint64_t delay_ns;   /* for so long; 0: until it is switched on */
    int signal;          /* that switches it on and off; 0: none */
    const char *control; /* a FIFO whose lines do, or NULL; points into argv */
};

enum switch_option_number { SWITCH_DELAY = 1024, SWITCH_TOGGLE, SWITCH_CONTROL };

/* A part of a list for getopt_long. */
#define SWITCH_OPTIONS                                                                                                 \
    {"delay", required_argument, NULL, SWITCH_DELAY}, {"toggle", required_argument, NULL, SWITCH_TOGGLE},              \
    {                                                                                                                  \
        "control", required_argument, NULL, SWITCH_CONTROL                                                             \
    }

/* True if OPTION, as getopt_long returns it, is one of these. */
bool switch_options_has(int option);

/* Takes OPTION with its ARGUMENT, which must live on. Returns 0, or -EINVAL with ERROR set. */
int switch_options_take(struct switch_options *options, int option, const char *argument, struct error *error);

/* The same of all together, once all have been taken. */
int switch_options_check(const struct switch_options *options, struct error *error);

#endif
