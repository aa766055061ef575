/* SPDX-License-Identifier: MIT
 *
 * Stored profiles in the format of pprof. Names and numbers below 30000 are from its public schema, as far as ptprofil
 * uses it. Additional fields have numbers from 30000, which other programs skip. All texts are indices of the string
 * table; its first text is empty.
 *
 * A file is one struct pprof_profile. It may be large, so it is neither read nor written as a whole: its tables are
 * processed one entry at a time. */
#ifndef STORED_PPROF_FORMAT_H
#define STORED_PPROF_FORMAT_H

#include "common/model/quality.h"

#include <stddef.h>
#include <stdint.h>

struct protobuf_layout;

/* Fields of the file. */
enum pprof_table {
    PPROF_SAMPLE_TYPE = 1,
    PPROF_SAMPLE = 2,
    PPROF_MAPPING = 3,
    PPROF_LOCATION = 4,
    PPROF_FUNCTION = 5,
    PPROF_TEXT = 6,
    PPROF_TIME = 9,
    PPROF_DURATION = 10,
    PPROF_PERIOD_TYPE = 11,
    PPROF_PERIOD = 12,
    PPROF_COMMENT = 13,
    PPROF_DEFAULT_TYPE = 14,
    PPROF_QUALITY = 30000,
    PPROF_INSTANTS = 30001, /* instants_encode */
    PPROF_MARK = 30002,
};

/* The meaning of a value in a sample: ("cpu", "nanoseconds"). */
struct pprof_value_type {
    int64_t type, unit;
};

/* Either a text or a number. */
struct pprof_label {
    int64_t key, str, num;
};

struct pprof_sample {
    uint64_t *location_id; /* leaf first */
    int64_t *value;        /* one for each sample type */
    struct pprof_label *label;
    size_t n_location_id, n_value, n_label;
};

struct pprof_mapping {
    uint64_t id; /* not 0 */
    uint64_t memory_start, memory_limit;
    uint64_t file_offset; /* of memory_start */
    int64_t filename, build_id;
    /* each 1 or 0 */
    uint64_t has_functions, has_filenames, has_line_numbers, has_inline_frames, deleted, executable, is_compat,
        no_symbols;
    uint64_t sources, user, group; /* for an interpreted language: struct profile_sources */
};

struct pprof_line {
    uint64_t function_id;
    int64_t line;
};

struct pprof_location {
    uint64_t id;         /* not 0 */
    uint64_t mapping_id; /* 0: none */
    uint64_t address;
    struct pprof_line *line; /* the innermost inlined call first */
    size_t n_line;
};

struct pprof_function {
    uint64_t id; /* not 0 */
    int64_t name, system_name, filename;
    uint64_t start, end; /* addresses; both 0: unknown */
    uint64_t plain;      /* not 0: NAME is also the linkage name, and SYSTEM_NAME is empty. (If both were equal, pprof
                          * would remove C++ parameters and templates, or text that looks like them) */
};

/* A time that the user has marked. */
struct pprof_mark {
    uint64_t time_ns; /* since the beginning */
    int64_t text;
};

/* Quality of the profile. */
struct pprof_quality {
    uint64_t rate, lowest_rate, max_overhead, samples, due;
    uint64_t pause_median_ns, pause_p99_ns, supervisor_cpu_ns;
    int64_t ended_early, command; /* texts */
    uint64_t wall;                /* 1 or 0 */
    uint64_t off_ns;              /* of the duration */
    uint64_t signal;              /* signal that ended the command, or 0 */
    uint64_t instants_until_ns;   /* not 0: instants after this time are missing */
    uint64_t *rates; /* the last rate; then for each change, its time since the beginning and the new rate */
    size_t n_rates;
#define COUNTER(name, number, key, text) uint64_t name;
    QUALITY_COUNTERS(COUNTER)
#undef COUNTER
};

/* Everything except texts and the tables of code and samples. */
struct pprof_profile {
    struct pprof_value_type *sample_type, *period_type;
    int64_t time_nanos, duration_nanos, period, default_sample_type;
    int64_t *comment;
    struct pprof_quality *quality;
    size_t n_sample_type, n_comment;
};

extern const struct protobuf_layout pprof_value_type_layout, pprof_sample_layout, pprof_mapping_layout,
    pprof_location_layout, pprof_function_layout, pprof_mark_layout, pprof_quality_layout, pprof_profile_layout;

#endif
