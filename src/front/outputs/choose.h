/* SPDX-License-Identifier: MIT
 *
 * Prepares a profile for its outputs. */
#ifndef OUTPUTS_CHOOSE_H
#define OUTPUTS_CHOOSE_H

#include "common/base/error.h"
#include "front/outputs/options.h"
#include "front/outputs/outputs.h"

/* Estimates where PROFILE's time without samples was spent, unless OPTIONS keep it separate, and removes what their
 * filter does not select. WHOLE (or NULL): outputs that store a profile as it was measured. They get it before that,
 * and then nothing is removed. Returns 0, or -errno with ERROR set; then only profile_free may be called for PROFILE.
 */
int choose_apply(const struct output_options *options, struct outputs *whole, struct profile *profile,
                 struct error *error);

#endif
