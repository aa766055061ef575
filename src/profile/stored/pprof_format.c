/* SPDX-License-Identifier: MIT */
#include "profile/stored/pprof_format.h"

#include "common/base/protobuf.h"

#define NUMBER(field, type, name)                                                                                      \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_NUMBER, .member = offsetof(struct pprof_##type, name)                        \
    }
#define NUMBERS(field, type, name)                                                                                     \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_NUMBERS, .member = offsetof(struct pprof_##type, name),                      \
        .count = offsetof(struct pprof_##type, n_##name)                                                               \
    }
#define MESSAGE(field, type, name, layout)                                                                             \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_MESSAGE, .member = offsetof(struct pprof_##type, name),                      \
        .of = &pprof_##layout##_layout                                                                                 \
    }
#define MESSAGES(field, type, name, layout)                                                                            \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_MESSAGES, .member = offsetof(struct pprof_##type, name),                     \
        .count = offsetof(struct pprof_##type, n_##name), .of = &pprof_##layout##_layout                               \
    }
#define LAYOUT(type)                                                                                                   \
    {                                                                                                                  \
        sizeof(struct pprof_##type), type##_fields, sizeof type##_fields / sizeof *type##_fields                       \
    }

static const struct protobuf_field value_type_fields[] = {NUMBER(1, value_type, type), NUMBER(2, value_type, unit)};
const struct protobuf_layout pprof_value_type_layout = LAYOUT(value_type);

static const struct protobuf_field label_fields[] = {NUMBER(1, label, key), NUMBER(2, label, str),
                                                     NUMBER(3, label, num)};
static const struct protobuf_layout pprof_label_layout = LAYOUT(label);

static const struct protobuf_field sample_fields[] = {
    NUMBERS(1, sample, location_id),
    NUMBERS(2, sample, value),
    MESSAGES(3, sample, label, label),
};
const struct protobuf_layout pprof_sample_layout = LAYOUT(sample);

static const struct protobuf_field mapping_fields[] = {
    NUMBER(1, mapping, id),
    NUMBER(2, mapping, memory_start),
    NUMBER(3, mapping, memory_limit),
    NUMBER(4, mapping, file_offset),
    NUMBER(5, mapping, filename),
    NUMBER(6, mapping, build_id),
    NUMBER(7, mapping, has_functions),
    NUMBER(8, mapping, has_filenames),
    NUMBER(9, mapping, has_line_numbers),
    NUMBER(10, mapping, has_inline_frames),
    NUMBER(30000, mapping, deleted),
    NUMBER(30001, mapping, executable),
    NUMBER(30002, mapping, no_symbols),
    NUMBER(30003, mapping, is_compat),
    NUMBER(30004, mapping, sources),
    NUMBER(30005, mapping, user),
    NUMBER(30006, mapping, group),
};
const struct protobuf_layout pprof_mapping_layout = LAYOUT(mapping);

static const struct protobuf_field line_fields[] = {NUMBER(1, line, function_id), NUMBER(2, line, line)};
static const struct protobuf_layout pprof_line_layout = LAYOUT(line);

static const struct protobuf_field location_fields[] = {
    NUMBER(1, location, id),
    NUMBER(2, location, mapping_id),
    NUMBER(3, location, address),
    MESSAGES(4, location, line, line),
};
const struct protobuf_layout pprof_location_layout = LAYOUT(location);

static const struct protobuf_field function_fields[] = {
    NUMBER(1, function, id),        NUMBER(2, function, name),      NUMBER(3, function, system_name),
    NUMBER(4, function, filename),  NUMBER(30000, function, start), NUMBER(30001, function, end),
    NUMBER(30002, function, plain),
};
const struct protobuf_layout pprof_function_layout = LAYOUT(function);

static const struct protobuf_field mark_fields[] = {NUMBER(1, mark, time_ns), NUMBER(2, mark, text)};
const struct protobuf_layout pprof_mark_layout = LAYOUT(mark);

/* QUALITY_COUNTERS lists the fields of the counters. */
static const struct protobuf_field quality_fields[] = {
    NUMBER(1, quality, rate),          NUMBER(2, quality, lowest_rate),
    NUMBER(3, quality, max_overhead),  NUMBER(4, quality, samples),
    NUMBER(5, quality, due),           NUMBER(10, quality, pause_median_ns),
    NUMBER(11, quality, pause_p99_ns), NUMBER(12, quality, supervisor_cpu_ns),
    NUMBER(13, quality, ended_early),  NUMBER(14, quality, command),
    NUMBER(15, quality, wall),         NUMBER(22, quality, instants_until_ns),
    NUMBER(23, quality, off_ns),       NUMBERS(30, quality, rates),
    NUMBER(31, quality, signal),
#define COUNTER(name, number, key, text) NUMBER(number, quality, name),
    QUALITY_COUNTERS(COUNTER)
#undef COUNTER
};
_Static_assert(sizeof quality_fields / sizeof *quality_fields <= PROTOBUF_FIELDS_MOST, "there are too many counters");
const struct protobuf_layout pprof_quality_layout = LAYOUT(quality);

static const struct protobuf_field profile_fields[] = {
    MESSAGES(PPROF_SAMPLE_TYPE, profile, sample_type, value_type),
    NUMBER(PPROF_TIME, profile, time_nanos),
    NUMBER(PPROF_DURATION, profile, duration_nanos),
    MESSAGE(PPROF_PERIOD_TYPE, profile, period_type, value_type),
    NUMBER(PPROF_PERIOD, profile, period),
    NUMBERS(PPROF_COMMENT, profile, comment),
    NUMBER(PPROF_DEFAULT_TYPE, profile, default_sample_type),
    MESSAGE(PPROF_QUALITY, profile, quality, quality),
};
const struct protobuf_layout pprof_profile_layout = LAYOUT(profile);
