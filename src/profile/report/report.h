/* SPDX-License-Identifier: MIT
 *
 * The formats of a finished profile. A writer gets the profile, the options and a stream, nothing else: it opens no
 * file, prints nowhere else and never exits. In every format the times add up to profile_ns(), within the resolution of
 * the format, which the writer's comment states.
 *
 * A new format is a file with its writer, a line at the end of this file, and a row in formats.c. doc/HOWTO.md has the
 * other steps: the build, tests and manual pages. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "profile/profile/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns true if rows by BY are processes, or groups of processes. */
bool report_by_is_of_processes(enum report_by by);

/* Return the name of BY for --by and JSON (report_by_name), or the name of the second column of its rows. NULL if it
 * has none, or if BY is not an enumerator. */
const char *report_by_name(enum report_by by);
const char *report_by_detail(enum report_by by);

/* Returns true if a row of BY has a total: its own time plus the time of its callees. */
bool report_by_has_total(enum report_by by);

/* Writes the part of PROFILE about one object: MODULE is an index of profile->modules. Returns as a report_writer. */
typedef int report_module_writer(const struct profile *profile, uint32_t module, FILE *stream);

/* Exactly one of write and write_module is set. With write_module the caller writes one file for each part of
 * report_parts_init, named by the part's suffix. */
struct report_format {
    const char *name;           /* for --format */
    const char *summary;        /* a few words for --help */
    const char *const *endings; /* endings of file names, or beginnings if a '*' is at the end; ends with NULL */
    report_writer *write;
    report_module_writer *write_module;
    bool binary;      /* not for a terminal */
    bool compares;    /* can show the difference to a base */
    bool short_names; /* intended for people, with short names by default */
    bool timed;       /* contains samples in order of time, up to report_timed_until_ns */
};

/* Returns the time up to which formats contain the times of PROFILE's samples; later samples are only in the sums.
 * 0: they contain all known times. */
uint64_t report_timed_until_ns(const struct profile *profile);

/* Writes PROFILE in FORMAT, which has a write, with names by options->names, and without inlined calls if
 * options->no_inlines. A binary format always has full names and all calls. Returns as a report_writer. */
int report_write(const struct report_format *format, const struct profile *profile,
                 const struct report_options *options, FILE *stream);

/* Returns 0 if PATTERN matches a function in the tree of PROFILE, with names by options->names and without inlined
 * calls if options->no_inlines; -ESRCH if it matches none; or -ENOMEM. */
int report_find(const struct profile *profile, const struct report_options *options,
                const struct report_pattern *pattern);

/* The formats, in the order of --help; the last item has name NULL. */
extern const struct report_format report_formats[];

/* Returns the format called NAME, or NULL. */
const struct report_format *report_format_by_name(const char *name);

/* Returns the format with an ending that FILE's last component has, or NULL. The longest matching ending wins. */
const struct report_format *report_format_by_file(const char *file);

/* Returns how many bytes at the end of the name FILE are an ending of FORMAT; 0 if none are. */
size_t report_format_ending(const struct report_format *format, const char *file);

/* The objects of a profile that can have a file each. */
struct report_part {
    uint32_t module; /* index of profile->modules */
    uint64_t ns;     /* number of samples whose innermost frame is in it */
    char *suffix;    /* suffix for the file name: "" for the main program, or for example ".libc.so.6"; all differ, and
                      * none contains a '/' or a control character */
};

struct report_parts {
    struct report_part *items;
    size_t count, room;
};

/* Fills PARTS, which may be uninitialised, with the ELF modules of PROFILE. The main program comes first, even
 * without samples, then the other modules with samples, by falling CPU time. PARTS is empty if none exists. If the
 * main program is not among the modules, no part has the suffix "". Returns 0, or -ENOMEM with PARTS empty. */
int report_parts_init(struct report_parts *parts, const struct profile *profile);
void report_parts_fini(struct report_parts *parts);

/* The writers. Comments at their definitions describe the formats. */
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
