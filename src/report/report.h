/* SPDX-License-Identifier: MIT
 *
 * The formats that a finished profile can be written in. A writer sees the profile, the options and a stream,
 * nothing else: it opens no file, prints nowhere else and never exits. In every format the times add up to
 * profile_ns(), each to its own resolution, which the writer's comment states.
 *
 * A new format is a file with its writer, a line here and a line in the table of formats.c. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "profile/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True if rows are processes, alone or several together. */
bool report_by_is_of_processes(enum report_by by);

/* Returns the name of BY as --by and JSON have it, and the name of the second column of its rows. NULL if none exists,
 * or BY is not an enumerator. */
const char *report_by_name(enum report_by by);
const char *report_by_detail(enum report_by by);

/* True if a row of BY has a total: the time of what it called besides its own. */
bool report_by_has_total(enum report_by by);

/* Writes what is about one object: MODULE is an index of profile->modules. Returns as a report_writer. */
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

/* Returns how many bytes at the end of the name FILE are an ending of FORMAT; 0 if none are. */
size_t report_format_ending(const struct report_format *format, const char *file);

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

/* Fills PARTS, which need not be initialised, with the ELF modules of PROFILE: the main program first, even if no
 * sample fell into it, then the others that have samples, by falling CPU time. PARTS is empty if none exists, and no
 * part has the suffix "" if the main program is not among the modules. Returns 0, or -ENOMEM with PARTS empty. */
int report_parts_init(struct report_parts *parts, const struct profile *profile);
void report_parts_fini(struct report_parts *parts);

/* The writers. What each does with the profile is said where it is defined. */
report_writer report_annotate_write;
report_writer report_callgrind_write;
report_writer report_csv_write;
report_writer report_firefox_write;
report_writer report_flat_write;
report_writer report_folded_write;
report_writer report_html_write;
report_writer report_json_write;
report_writer report_speedscope_write;
report_writer report_svg_write;
report_writer report_tree_write;
report_module_writer report_gmon_write;

#endif
