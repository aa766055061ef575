/* SPDX-License-Identifier: MIT
 *
 * Chooses the functions to annotate, and gives each line and instruction its share of the time. */
#ifndef REPORT_ANNOTATION_H
#define REPORT_ANNOTATION_H

#include "profile/code/code.h"

struct report_pattern;

/* A part of a chosen function with code of its own: mostly all of it, but a compiler may split it (".cold"). */
struct annotation_part {
    uint32_t function;          /* index of profile->functions */
    uint32_t location;          /* a sampled location in it */
    uint32_t choice;            /* the function that it is a part of; for annotation_choose */
    uint64_t self_ns, total_ns; /* of the matching code */
    uint64_t touched;           /* for annotation_choose */
    struct code code;           /* zeroed until it is read; owned */
    bool shown;                 /* CODE has been read */
};

/* A chosen function. Its name matches, or calls of a matching function are inlined into it. */
struct annotation_choice {
    char *name;                 /* with what tells it apart from others of its name; owned */
    size_t first, count;        /* its parts, by falling total */
    bool inlined;               /* its own name does not match */
    uint64_t self_ns, total_ns; /* of the matching code */
    uint64_t touched;           /* for annotation_choose */
    uint32_t number;            /* for annotation_choose */
};

/* Zero it before the first use. */
struct annotation {
    struct annotation_choice *items; /* by falling total */
    size_t count, room;
    struct annotation_part *parts;
    size_t part_count, part_room;
    size_t shown; /* the first items, whose code has been read */
    const struct report_pattern *pattern;
    enum match least; /* how well the names of the chosen functions match at least */
};

/* Fills ANNOTATION with the functions of PROFILE with the text of PATTERN as their full or short name, as a table shows
 * it. If no function has that name, with the functions that PATTERN matches. Reads no code yet. Returns 0 or
 * -ENOMEM. */
int annotation_choose(struct annotation *annotation, const struct profile *profile,
                      const struct report_pattern *pattern);
void annotation_fini(struct annotation *annotation);

/* Sets *FOUND if annotation_choose would find a function. Returns 0 or -ENOMEM. */
int annotation_finds(const struct profile *profile, const struct report_pattern *pattern, bool *found);

/* The time of a function, line or instruction. */
struct line_time {
    uint64_t samples;           /* in it */
    uint64_t self_ns, total_ns; /* time of these samples; total: also with the functions called from there */
    uint64_t touched;           /* the last sample added, counted from 1 */
};

/* A source line and its instructions, or the instructions without a line. */
struct line_spot {
    uint32_t file, line;   /* as in struct code_instruction */
    uint32_t first, count; /* range of line_times.order */
    struct line_time time;
};

/* Where the time of a function was spent. */
struct line_times {
    struct line_time function;
    struct line_time *instructions; /* in the order of the code's instructions */
    struct line_spot *spots;        /* by file and line */
    size_t spot_count;
    uint32_t *order; /* numbers of instructions, sorted by spot, then by address */
};

/* Fills TIMES, which may be uninitialised, with the samples of PROFILE in CODE. A sample counts once for
 * each location, even if that is on its stack several times. Time in a system call counts as time of a called
 * function. Returns 0, or -ENOMEM with TIMES empty. */
int line_times_init(struct line_times *times, const struct profile *profile, const struct code *code);

/* Returns the time of all shown parts of CHOICE together. */
struct line_time line_times_sum(const struct profile *profile, const struct annotation *annotation,
                                const struct annotation_choice *choice);
void line_times_fini(struct line_times *times);

#endif
