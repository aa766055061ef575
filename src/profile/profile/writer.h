/* SPDX-License-Identifier: MIT
 *
 * Writers of finished profiles, and their options. */
#ifndef PROFILE_WRITER_H
#define PROFILE_WRITER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile;

enum report_by {
    REPORT_BY_FUNCTION, /* the innermost frame, or the system call */
    REPORT_BY_MODULE,
    REPORT_BY_PROCESS, /* one row for each process image */
    REPORT_BY_PROGRAM, /* process images with the same name together */
    REPORT_BY_COMMAND, /* process images with the same command line together, or with the same name if it is unknown */
    REPORT_BY_THREAD,
    REPORT_BY_LINE,    /* source line of the innermost frame */
    REPORT_BY_FILE,    /* source file of the innermost frame, such as a script */
    REPORT_BY_SYSCALL, /* system calls; all user code is one row */
    REPORT_BY_RANK,    /* ranks of parallel jobs (MPI); other processes are one row */
    REPORT_BY_MPI,     /* outermost MPI calls; everything else is one row */
};

enum report_sort {
    REPORT_SORT_SELF,      /* by self time, then by total time */
    REPORT_SORT_TOTAL,     /* by total time, then by self time */
    REPORT_SORT_IMBALANCE, /* with `spread`: by how much longer the slowest rank took than the average */
};

enum report_names {
    REPORT_NAMES_OF_FORMAT, /* the usual form of the format */
    REPORT_NAMES_SHORT,     /* without template arguments and parameters, see text/names.h */
    REPORT_NAMES_FULL
};

/* A regular expression that selects functions. */
struct report_pattern {
    const char *text;
    regex_t compiled;
};

struct annotation;

struct report_options {
    enum report_by by; /* rows of the flat view */
    enum report_sort sort;
    enum report_names names; /* for report_write */
    bool no_inlines;    /* for report_write: inlined calls are not frames, and their time belongs to the function that
                         * contains them */
    unsigned width;     /* columns of the terminal; 0: no text is cut, and no bar is drawn */
    unsigned height;    /* lines of the terminal. Without max_rows they limit the flat view, down to a minimum; 0: no
                         * limit */
    size_t max_rows;    /* maximum rows of a table; 0: all. A last row sums up the rest */
    double min_percent; /* leave out rows whose total is below this share of the shown time */
    bool own_only;      /* leave out rows without self time, unless rows are sorted by total */
    bool overview;      /* the flat view also shows the heaviest paths and the processes; see report/flat.h */
    bool spread;    /* the flat view, CSV and JSON show how the ranks of a parallel job differ; see report/spread.h */
    bool bottom_up; /* trees begin at the innermost function */
    double min_branch;                              /* branches of a tree below this share of its time are left out */
    bool fold;                                      /* show a chain of calls in a tree as one line */
    const struct report_pattern *callers, *callees; /* show the callers or callees of matching functions instead of the
                                                     * whole tree; or NULL */
    const struct annotation *annotation;            /* see report/annotation.h; required for formats that show source */
    bool color;                                     /* ANSI attributes may be written */
    bool verbose;                                   /* the summary is complete */
    bool utf8;                                      /* the reader uses UTF-8; otherwise only ASCII is written */
    const struct profile *base;                     /* what to compare with, or NULL; only for formats that compare */
    char *const *filters;                           /* the options that selected the samples, such as "--focus=main" */
    size_t filter_count;
};

/* For a terminal: by function, 80 columns, the 40 largest rows that reach 0.5 % and have self time, branches that reach
 * 1 %, no color, ASCII. */
#define REPORT_OPTIONS_DEFAULT                                                                                         \
    ((struct report_options){                                                                                          \
        .width = 80, .max_rows = 40, .min_percent = 0.5, .own_only = true, .min_branch = 1, .fold = true})

/* For a file: everything. */
#define REPORT_OPTIONS_FULL ((struct report_options){.utf8 = true})

/* Writes PROFILE to STREAM and flushes it. Returns 0 or -errno: -ENOMEM, or an error of the stream. */
typedef int report_writer(const struct profile *profile, const struct report_options *options, FILE *stream);

/* Writes the quality of the profile after an empty line, as one sentence wrapped to options->width: deviations from the
 * request, and missing data. Writes nothing if there are none. With options->verbose, also writes the duration, the
 * samples taken and due, the reasons for the difference, and the cost of the stops. Returns as report_writer. */
report_writer summary_write;

#endif
