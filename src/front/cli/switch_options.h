/* SPDX-License-Identifier: MIT
 *
 * Options for when samples are taken. */
#ifndef CLI_SWITCH_OPTIONS_H
#define CLI_SWITCH_OPTIONS_H

#include "common/base/error.h"
#include "front/cli/option_row.h"
#include "front/session/options.h"

/* See option_taker. */
option_taker switch_take_delay, switch_take_toggle, switch_take_control;

/* Checks all of these options together. Call it after the last option. Returns 0, or -EINVAL with ERROR set. */
int switch_options_check(const struct switch_options *options, struct error *error);

#endif
