/* SPDX-License-Identifier: MIT
 *
 * The options that say when samples are taken. */
#ifndef CLI_SWITCH_OPTIONS_H
#define CLI_SWITCH_OPTIONS_H

#include "base/error.h"
#include "cli/option_row.h"

#include <stdbool.h>
#include <stdint.h>

/* Needs only to be zeroed: then sampling is on from the beginning. */
struct switch_options {
    bool off;            /* sampling begins switched off: */
    uint64_t delay_ns;   /* for so long; 0: until it is switched on */
    int signal;          /* that switches it on and off; 0: none */
    const char *control; /* a FIFO whose lines do, or NULL; points into argv */
};

/* See option_taker. */
option_taker switch_take_delay, switch_take_toggle, switch_take_control;

/* Checks all of them together, once all have been taken. Returns 0, or -EINVAL with ERROR set. */
int switch_options_check(const struct switch_options *options, struct error *error);

#endif
