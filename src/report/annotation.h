/* SPDX-License-Identifier: MIT
 *
 * Functions of which the source and the instructions are shown, each with its share of the time. */
#ifndef REPORT_ANNOTATION_H
#define REPORT_ANNOTATION_H

#include "code/code.h"
#include "report/report.h"

/* A function that has code of its own, and matches, or has calls of one that does inlined into it. */
struct annotation_choice {
    uint32_t function;          /* index of the profile's */
    uint32_t location;          /* one that was sampled in it */
    bool inlined;               /* its own name does not match */
    uint64_t self_ns, total_ns; /* of what matches */
};

/* Zero it before the first use. */
struct annotation {
    struct annotation_choice *items; /* those with the most time of their own first */
    size_t count, room;
    struct code *codes; /* of the first of them; owned */
    size_t code_count;
    const struct report_pattern *pattern;
    bool exact; /* what is meant has the text of the pattern as its name */
};

/* Fills ANNOTATION with the functions of PROFILE that PATTERN means: those whose name, full or short, is its text,
 * or if none exists of that name, those whose name it matches. There are no codes yet. Returns 0 or -ENOMEM. */
int annotation_choose(struct annotation *annotation, const struct profile *profile,
                      const struct report_pattern *pattern);
void annotation_fini(struct annotation *annotation);

/* The time of a place. */
struct heat {
    uint64_t samples;           /* in it */
    uint64_t self_ns, total_ns; /* that they stand for, and with what was called from there */
    uint64_t touched;           /* the sample that was added last, counted from 1 */
};

/* A line of the source, or what has none, and its instructions. */
struct heat_spot {
    uint32_t file, line;   /* as in struct code_instruction */
    uint32_t first, count; /* of heats.order */
    struct heat heat;
};

/* Where the time of a function was spent. */
struct heats {
    struct heat function;
    struct heat *instructions; /* as those of the code */
    struct heat_spot *spots;   /* by file and line */
    size_t spot_count;
    uint32_t *order; /* instructions, by spot, and of one by address */
};

/* Fills HEATS, which need not be initialised, with the samples of PROFILE in CODE, which is in MODULE. A sample counts
 * once in each place, however often that is on its stack. Time in system calls is that of what is called. Returns 0, or
 * -ENOMEM with HEATS empty. */
int heats_init(struct heats *heats, const struct profile *profile, uint32_t module, const struct code *code);
void heats_fini(struct heats *heats);

#endif
