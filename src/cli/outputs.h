/* SPDX-License-Identifier: MIT
 *
 * The files that the profile is written to. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "base/error.h"
#include "session/file.h"
#include "cli/output_options.h"
#include "model/rank.h"
#include "report/annotation.h"

struct output {
    const struct output_option *option;
    char *path; /* its name with all parts replaced, see cli/output_name.h; owned */
    struct file file;
    struct error failure; /* why it could not be written, if so */
    bool stored;          /* outputs_store has taken care of it */
};

struct outputs {
    struct output *items;
    size_t count;
    struct rank rank;                   /* from the launcher of parallel jobs */
    struct report_options form, screen; /* of files, and of standard output as a screen */
    struct annotation annotation;       /* what --annotate shows, once it was read */
};

/* Opens every output for writing, before anything is run, without touching what the files hold. Returns 0 or -errno
 * with ERROR set. */
int outputs_open(struct outputs *outputs, const struct output_options *options, struct error *error);

/* True if another rank of the same job prints for all, so that a terminal shows one table and not a thousand. */
bool outputs_are_of_silent_rank(const struct outputs *outputs);

/* Says that each rank writes a file of its own, if this is the rank that speaks and the names did not say so. */
void outputs_say_names(const struct outputs *outputs);

/* Reads the source and code for --annotate, with which PROFILE is written. Returns 0, or -errno with ERROR set. */
int outputs_annotate(struct outputs *outputs, const struct output_options *options, const struct profile *profile,
                     struct error *error);

/* Writes PROFILE, complete and as measured, to the outputs that store it. Call it before times are estimated:
 * readers of a stored profile estimate again. Continues after a failure, which outputs_write returns. */
void outputs_store(struct outputs *outputs, const struct profile *profile);

/* Writes PROFILE to all other outputs, replacing their content. Skips outputs for an annotation if none exists.
 * Continues after a failure. Returns 0 or -errno; outputs_complain reports each failure. */
int outputs_write(struct outputs *outputs, const struct profile *profile);
void outputs_complain(const struct outputs *outputs);

/* Writes PROFILE to STREAM, a screen, in FORMAT; below a tree the summary. Returns as a report_writer. */
int outputs_show(const struct report_format *format, const struct report_options *form, const struct profile *profile,
                 FILE *stream);

/* Closes the outputs. Removes those that were created and not written. */
void outputs_close(struct outputs *outputs);

#endif
