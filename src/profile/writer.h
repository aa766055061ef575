/* SPDX-License-Identifier: MIT
 *
 * Writers of finished profiles, and their options. */
#ifndef PROFILE_WRITER_H
#define PROFILE_WRITER_H

#include "profile/profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum report_by {
    REPORT_BY_FUNCTION, /* the innermost frame, or the system call */
    REPORT_BY_MODULE,
    REPORT_BY_PROCESS, /* one row a process image */
    REPORT_BY_PROGRAM, /* process images of one name together */
    REPORT_BY_COMMAND, /* process images of one command line together; the name if that is unknown */
    REPORT_BY_THREAD,
    REPORT_BY_LINE,    /* of the source: the innermost one */
    REPORT_BY_SYSCALL, /* the system calls; all of user code is one row */
    REPORT_BY_RANK,    /* the ranks of parallel jobs (of MPI); processes of none are one row */
    REPORT_BY_MPI,     /* the outermost MPI call; everything else is one row */
};

enum report_sort {
    REPORT_SORT_SELF,      /* by a row's own time, then by that with what it called */
    REPORT_SORT_TOTAL,     /* by the latter, then by the former */
    REPORT_SORT_IMBALANCE, /* with `spread`: by how much longer the slowest rank took than the mean */
};

enum report_names {
    REPORT_NAMES_OF_FORMAT, /* as the format has it */
    REPORT_NAMES_SHORT,     /* without arguments of templates and parameters, see text/names.h */
    REPORT_NAMES_FULL
};

/* A regular expression that functions are looked for with. */
struct report_pattern {
    const char *text;
    regex_t compiled;
};

struct annotation;

struct report_options {
    enum report_by by; /* rows of the flat view */
    enum report_sort sort;
    enum report_names names; /* for report_write */
    bool no_inlines; /* the same: inlined calls are not frames, their time belongs to the function that contains them */
    unsigned width;  /* columns of the terminal; 0: nothing is cut and no bar is drawn */
    unsigned height; /* its lines, which limit the flat view without max_rows, but not below a minimum; 0: no limit */
    size_t max_rows; /* maximum rows of a table; 0: all. A last row sums up the others */
    double min_percent; /* leave out rows whose total is below this share of the shown time */
    bool own_only;      /* so are rows without time of their own, unless the order is by total */
    bool overview;      /* the flat view also has the heaviest paths, and what ran; see report/overview.h */
    bool spread;    /* the flat view, CSV and JSON show how the ranks of a parallel job differ, see report/spread.h */
    bool bottom_up; /* trees begin where the time was spent */
    double min_branch;                              /* branches of a tree below this share of its time are left out */
    bool fold;                                      /* a chain of calls in a tree is one line */
    const struct report_pattern *callers, *callees; /* instead of all, the tree shows these of the functions that match;
                                                       or NULL */
    const struct annotation *annotation; /* see report/annotation.h; for what shows source, which must have one */
    bool color;                          /* ANSI attributes may be written */
    bool verbose;                        /* the summary is complete */
    bool utf8;                           /* the reader uses UTF-8; else only ASCII is written */
    const struct profile *base;          /* what to compare with, or NULL; only for formats that compare */
    char *const *filters;                /* the options that chose the samples, as "--focus=main" */
    size_t filter_count;
};

/* What a terminal should show: by function, 80 columns, the 40 largest rows that reach 0.5 % and have time of their
 * own, branches that reach 1 %, no color, ASCII. */
#define REPORT_OPTIONS_DEFAULT                                                                                         \
    ((struct report_options){                                                                                          \
        .width = 80, .max_rows = 40, .min_percent = 0.5, .own_only = true, .min_branch = 1, .fold = true})

/* Everything, for a file. */
#define REPORT_OPTIONS_FULL ((struct report_options){.utf8 = true})

/* Writes PROFILE to STREAM and flushes it. Returns 0 or -errno: -ENOMEM, or what the stream met. */
typedef int report_writer(const struct profile *profile, const struct report_options *options, FILE *stream);

/* Writes how good the profile is, in one sentence that is wrapped to options->width, behind an empty line: what went
 * otherwise than asked, and what is missing; nothing at all if it is nothing. If options->verbose also how long, how
 * many samples of how many due and why fewer, and what the stops cost. Returns as a report_writer. */
report_writer summary_write;

#endif
