/* SPDX-License-Identifier: MIT
 *
 * The output files of a profile. */
#ifndef OUTPUTS_OUTPUTS_H
#define OUTPUTS_OUTPUTS_H

#include "front/outputs/file.h"
#include "front/outputs/options.h"
#include "front/outputs/output_name.h"
#include "profile/report/annotation.h"

struct output {
    const struct output_option *option;
    char *path; /* its name with all parts replaced, see outputs/output_name.h; owned */
    struct file file;
    struct error failure; /* why it could not be written, if it failed */
    bool stored;          /* outputs_store has written it */
};

struct outputs {
    struct output *items;
    size_t count;
    struct rank rank;                   /* rank according to the launcher of the parallel job */
    struct report_options form, screen; /* of files, and of standard output as a screen */
    struct annotation annotation;       /* content for --annotate, once it has been read */
};

/* Sets output->path by NAME, makes its folders, and opens its file, without changing its content. Returns 0 or -errno
 * with ERROR set. Free the path and end the file in either case. */
int output_open(struct output *output, const struct output_name *name, struct error *error);

/* Writes PROFILE to OUTPUT, in FORM. AGAIN: another version will follow, see file_begin_version; otherwise ends its
 * file. Returns 0 or -errno. */
int output_write(struct output *output, const struct profile *profile, const struct report_options *form, bool again);

/* Opens every output for writing, before any program runs, without changing the contents. Returns 0 or -errno with
 * ERROR set. */
int outputs_open(struct outputs *outputs, const struct output_options *options, struct error *error);

/* Folds idle threads in PROFILE, which is only shown from then on, unless OPTIONS ask for their rows or FORMAT is not
 * a table or tree of people. Returns 0, or -ENOMEM with ERROR set. */
int outputs_fold_idle(const struct output_options *options, const struct report_format *format, struct profile *profile,
                      struct error *error);

/* Returns true if another rank of the job prints for all, so that a terminal shows one table instead of a thousand. */
bool outputs_are_of_silent_rank(const struct outputs *outputs);

/* Prints that each rank writes a file of its own, if this rank prints for all and the names do not show it. */
void outputs_say_names(const struct outputs *outputs);

/* Reads source and code for --annotate, for writing PROFILE. Returns 0, or -errno with ERROR set. */
int outputs_annotate(struct outputs *outputs, const struct output_options *options, const struct profile *profile,
                     struct error *error);

/* Writes PROFILE, complete and as measured, to the outputs that store it. Call it before times are estimated, because
 * readers of a stored profile estimate again. Continues after a failure, which outputs_write returns. */
void outputs_store(struct outputs *outputs, const struct profile *profile);

/* Estimates where PROFILE's time without samples was spent, unless OPTIONS keep it separate, and removes what their
 * filter does not select. WHOLE (or NULL): outputs that store a profile as it was measured. They get it before that,
 * and then nothing is removed. Returns 0, or -errno with ERROR set; then only profile_free may be called for PROFILE.
 */
int outputs_choose(const struct output_options *options, struct outputs *whole, struct profile *profile,
                   struct error *error);

/* Writes PROFILE to all other outputs, replacing their content. Skips outputs that need an annotation if there is none.
 * Continues after a failure. Returns 0 or -errno; outputs_complain reports each failure. */
int outputs_write(struct outputs *outputs, const struct profile *profile);
void outputs_complain(const struct outputs *outputs);

/* Writes PROFILE to STREAM, a screen, in FORMAT. After a tree, also writes the summary. Returns as a report_writer. */
int outputs_show(const struct report_format *format, const struct report_options *form, const struct profile *profile,
                 FILE *stream);

/* Shows the first page that was written in the user's browser, unless another rank of the job does. Reports why it
 * cannot. */
void outputs_show_page(const struct outputs *outputs);

/* Closes the outputs. Removes those that were created and not written. */
void outputs_close(struct outputs *outputs);

#endif
