/* SPDX-License-Identifier: MIT
 *
 * The formats that a finished profile can be written in. A writer sees the profile, the options and a stream,
 * nothing else: it opens no file, prints nowhere else and never exits. In every format the times add up to
 * profile_ns(), each to its own resolution, which the writer's comment states.
 *
 * A new format is a file with its writer, a line here and a line in the table of formats.c. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "profile/profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum report_by {
    REPORT_BY_FUNCTION, /* what ran: the innermost frame, or the system call that it was in */
    REPORT_BY_MODULE,
    REPORT_BY_PROCESS, /* one row a process image */
    REPORT_BY_PROGRAM, /* process images of one name together */
    REPORT_BY_COMMAND, /* the same of those of one command line; the name where that is not known */
    REPORT_BY_THREAD,
    REPORT_BY_LINE,    /* of the source: the innermost one */
    REPORT_BY_SYSCALL, /* the system calls; all of user code is one row */
};

enum report_sort {
    REPORT_SORT_SELF,  /* by a row's own time, then by that with what it called */
    REPORT_SORT_TOTAL, /* by the latter, then by the former */
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
    bool no_inlines; /* the same: inlined calls are no frames, their time is that of what they were inlined into */
    unsigned width;  /* columns of the terminal; 0: nothing is cut and no bar is drawn */
    unsigned height; /* its lines: without max_rows the flat view takes no more, nor fewer than some; 0: any number */
    size_t max_rows; /* most rows of a table; 0: all. What is left out is added up in a last row */
    double min_percent; /* rows of which the total is below this share of what is shown are left out */
    bool bottom_up;     /* trees begin where the time was spent */
    double min_branch;  /* branches of a tree below this share of its time are left out */
    bool fold;          /* a chain of calls in a tree is one line */
    const struct report_pattern *callers, *callees; /* instead of all, the tree shows these of the functions that match;
                                                       or NULL */
    const struct annotation *annotation; /* see report/annotation.h; for what shows source, which must have one */
    bool color;                          /* ANSI attributes may be written */
    bool verbose;                        /* the summary tells all that it knows */
    bool utf8;                           /* the reader's character set is UTF-8; else only ASCII is written */
    const struct profile *base;          /* what to compare with, or NULL; only for formats that compare */
    char *const *filters;                /* the options that chose the samples, as "--focus=main" */
    size_t filter_count;
};

/* What a terminal should show: by function, 80 columns, the 40 largest rows that reach 0.1 %, branches that reach 1 %,
 * no color, ASCII. */
#define REPORT_OPTIONS_DEFAULT                                                                                         \
    ((struct report_options){.width = 80, .max_rows = 40, .min_percent = 0.1, .min_branch = 1, .fold = true})

/* Everything, for a file. */
#define REPORT_OPTIONS_FULL ((struct report_options){.utf8 = true})

/* Looks up a name of --by. False, with *BY unchanged, if there is no such name. */
bool report_by_find(const char *name, enum report_by *by);

/* True if rows are processes, alone or several together. */
bool report_by_is_of_processes(enum report_by by);

/* Returns that name, and what a program may call the second text of such rows: NULL if there is none. */
const char *report_by_name(enum report_by by);
const char *report_by_detail(enum report_by by);

/* True if a row of BY has a total: the time of what it called besides its own. */
bool report_by_has_total(enum report_by by);

/* Writes PROFILE to STREAM and flushes it. Returns 0 or -errno: -ENOMEM, or what the stream met. */
typedef int report_writer(const struct profile *profile, const struct report_options *options, FILE *stream);

/* The same for a format whose file is about one object: MODULE is an index of profile->modules. */
typedef int report_module_writer(const struct profile *profile, uint32_t module, FILE *stream);

/* Exactly one of write and write_module is set. With write_module the caller writes one file for each part of
 * report_parts_init, named by the part's suffix. */
struct report_format {
    const char *name;           /* as --format takes it */
    const char *summary;        /* a few words for --help */
    const char *const *endings; /* of file names; with a '*' at the end, beginnings of them; ends with NULL */
    report_writer *write;
    report_module_writer *write_module;
    bool binary;      /* not for a terminal */
    bool compares;    /* can show the difference to a base */
    bool short_names; /* people look at it: shows short names unless full ones are asked for */
    bool timed;       /* has samples in the order of time, up to report_timed_until_ns */
};

/* Returns up to when formats have the times of the samples of PROFILE: of what came then or later, they have the sums
 * alone. 0: they have all that PROFILE knows. */
uint64_t report_timed_until_ns(const struct profile *profile);

/* Writes PROFILE in FORMAT, which has a write, with the names that options->names says, and without inlined calls if
 * options->no_inlines; a binary format has full names and all calls whatever they say. Returns as a report_writer. */
int report_write(const struct report_format *format, const struct profile *profile,
                 const struct report_options *options, FILE *stream);

/* Returns 0 if a function that a tree of PROFILE would show, with the names that options->names says and without
 * inlined calls if options->no_inlines, matches PATTERN; -ESRCH if none does; or -ENOMEM. */
int report_find(const struct profile *profile, const struct report_options *options,
                const struct report_pattern *pattern);

/* The formats, in the order in which --help should name them; the end has name NULL. */
extern const struct report_format report_formats[];

/* Returns the format called NAME, or NULL. */
const struct report_format *report_format_by_name(const char *name);

/* Returns the format whose ending FILE's last component has, or NULL. The longest ending that fits counts. */
const struct report_format *report_format_by_file(const char *file);

/* Why there is no format for NAME, a file or the name of a format, in this build, as a sentence without its end; NULL
 * if no build has one. */
const char *report_format_missing(const char *name);

/* The objects of a profile that can have a file each. */
struct report_part {
    uint32_t module; /* index of profile->modules */
    uint64_t ns;     /* of the samples whose innermost frame is in it */
    char *suffix;    /* what follows the file name: "" for the main program, ".libc.so.6"; all differ, none has a
                        '/' or a control character */
};

struct report_parts {
    struct report_part *items;
    size_t count, room;
};

/* Fills PARTS, which need not be initialised, with the ELF modules of PROFILE: the main program first, even
 * if no sample fell into it, then the others that have samples, by falling CPU time. PARTS is empty if there
 * is none, and no part has the suffix "" if the main program is not among the modules. Returns 0, or -ENOMEM
 * with PARTS empty. */
int report_parts_init(struct report_parts *parts, const struct profile *profile);
void report_parts_fini(struct report_parts *parts);

/* Writes how good the profile is, in one sentence that is wrapped to options->width, behind an empty line: what went
 * otherwise than asked, and what is missing; nothing at all if it is nothing. If options->verbose also how long, how
 * many samples of how many due and why fewer, and what the stops cost. Returns as a report_writer. */
report_writer report_summary;

/* The writers. What each does with the profile is said where it is defined. */
report_writer report_annotate_write;
report_writer report_callgrind_write;
report_writer report_csv_write;
report_writer report_firefox_write;
report_writer report_flat_write;
report_writer report_folded_write;
report_writer report_html_write;
report_writer report_json_write;
report_writer report_perf_write;
report_writer report_pprof_write;
report_writer report_speedscope_write;
report_writer report_tree_write;
report_module_writer report_gmon_write;

#endif
