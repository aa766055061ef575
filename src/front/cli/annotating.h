/* SPDX-License-Identifier: MIT
 *
 * Finds the functions for --annotate, and reads their code. */
#ifndef CLI_ANNOTATING_H
#define CLI_ANNOTATING_H

#include "front/cli/output_options.h"
#include "profile/report/annotation.h"

/* Fills ANNOTATION, which must be zeroed, by OPTIONS. Without --annotate, leaves it empty. If no function of PROFILE
 * matches, it has no items. Reports functions that cannot be shown if others can. Returns 0, or -errno with ERROR set
 * if none can. Free with annotation_fini in either case. */
int annotating_read(struct annotation *annotation, const struct output_options *options, const struct profile *profile,
                    struct error *error);

#endif
