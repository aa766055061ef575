/* SPDX-License-Identifier: MIT
 *
 * Getting what --annotate shows: the functions that it means, and their code. */
#ifndef CLI_ANNOTATING_H
#define CLI_ANNOTATING_H

#include "cli/output_options.h"
#include "report/annotation.h"

/* Fills ANNOTATION, which must be zeroed, by OPTIONS: not at all without --annotate, and with no item if no function
 * of PROFILE matches. Reports functions that cannot be shown if others can. Returns 0, or -errno with ERROR saying
 * why none can. Free with annotation_fini in either case. */
int annotating_read(struct annotation *annotation, const struct output_options *options, const struct profile *profile,
                    struct error *error);

#endif
