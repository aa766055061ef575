/* SPDX-License-Identifier: MIT */
#include "profile/push/otlp_format.h"

#include "common/base/protobuf.h"

#define NUMBER(field, type, name)                                                                                      \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_NUMBER, .member = offsetof(struct otlp_##type, name)                         \
    }
#define FIXED64(field, type, name)                                                                                     \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_FIXED64, .member = offsetof(struct otlp_##type, name)                        \
    }
#define NUMBERS(field, type, name)                                                                                     \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_NUMBERS, .member = offsetof(struct otlp_##type, name),                       \
        .count = offsetof(struct otlp_##type, n_##name)                                                                \
    }
#define MESSAGE(field, type, name, layout)                                                                             \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_MESSAGE, .member = offsetof(struct otlp_##type, name),                       \
        .of = &otlp_##layout##_layout                                                                                  \
    }
#define MESSAGES(field, type, name, layout)                                                                            \
    {                                                                                                                  \
        .number = field, .kind = PROTOBUF_MESSAGES, .member = offsetof(struct otlp_##type, name),                      \
        .count = offsetof(struct otlp_##type, n_##name), .of = &otlp_##layout##_layout                                 \
    }
#define LAYOUT(type)                                                                                                   \
    {                                                                                                                  \
        sizeof(struct otlp_##type), type##_fields, sizeof type##_fields / sizeof *type##_fields                        \
    }

static const struct protobuf_field value_type_fields[] = {NUMBER(1, value_type, type), NUMBER(2, value_type, unit)};
static const struct protobuf_layout otlp_value_type_layout = LAYOUT(value_type);

static const struct protobuf_field profile_fields[] = {
    MESSAGE(1, profile, sample_type, value_type),
    FIXED64(3, profile, time_unix_nano),
    NUMBER(4, profile, duration_nano),
    MESSAGE(5, profile, period_type, value_type),
    NUMBER(6, profile, period),
};
const struct protobuf_layout otlp_profile_layout = LAYOUT(profile);

static const struct protobuf_field sample_fields[] = {NUMBER(1, sample, stack), NUMBERS(4, sample, values)};
const struct protobuf_layout otlp_sample_layout = LAYOUT(sample);

static const struct protobuf_field mapping_fields[] = {
    NUMBER(1, mapping, memory_start), NUMBER(2, mapping, memory_limit), NUMBER(3, mapping, file_offset),
    NUMBER(4, mapping, filename),     NUMBERS(5, mapping, attributes),
};
const struct protobuf_layout otlp_mapping_layout = LAYOUT(mapping);

static const struct protobuf_field stack_fields[] = {NUMBERS(1, stack, locations)};
const struct protobuf_layout otlp_stack_layout = LAYOUT(stack);

static const struct protobuf_field line_fields[] = {NUMBER(1, line, function), NUMBER(2, line, line)};
static const struct protobuf_layout otlp_line_layout = LAYOUT(line);

static const struct protobuf_field location_fields[] = {
    NUMBER(1, location, mapping),
    NUMBER(2, location, address),
    MESSAGES(3, location, lines, line),
    NUMBERS(4, location, attributes),
};
const struct protobuf_layout otlp_location_layout = LAYOUT(location);

static const struct protobuf_field function_fields[] = {NUMBER(1, function, name), NUMBER(2, function, system_name),
                                                        NUMBER(3, function, filename)};
const struct protobuf_layout otlp_function_layout = LAYOUT(function);

static const struct protobuf_field attribute_fields[] = {NUMBER(1, attribute, key)};
const struct protobuf_layout otlp_attribute_layout = LAYOUT(attribute);
