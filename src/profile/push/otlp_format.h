/* SPDX-License-Identifier: MIT
 *
 * OTLP's messages, by opentelemetry-proto 1.11.0, as far as ptprofil uses them: profiles/v1development/profiles.proto
 * and collector/profiles/v1development/profiles_service.proto. All texts are indices of the dictionary's table, and so
 * are the parts of a stack. Element 0 of each table means that nothing is known. */
#ifndef PUSH_OTLP_FORMAT_H
#define PUSH_OTLP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

struct protobuf_layout;

/* The newest version of the messages that this was compared with. */
#define OTLP_VERSION "1.11.0"

/* ExportProfilesServiceRequest. */
enum otlp_request { OTLP_RESOURCE_PROFILES = 1, OTLP_DICTIONARY = 2 };

/* ProfilesDictionary. */
enum otlp_table {
    OTLP_MAPPING = 1,
    OTLP_LOCATION = 2,
    OTLP_FUNCTION = 3,
    OTLP_LINK = 4,
    OTLP_TEXT = 5,
    OTLP_ATTRIBUTE = 6,
    OTLP_STACK = 7,
    OTLP_TABLES
};

enum otlp_link { OTLP_TRACE_ID = 1, OTLP_SPAN_ID = 2 };

/* ResourceProfiles; Resource; KeyValue; AnyValue. */
enum otlp_resource_profiles { OTLP_RESOURCE = 1, OTLP_SCOPE_PROFILES = 2 };
enum otlp_resource { OTLP_RESOURCE_ATTRIBUTE = 1 };
enum otlp_key_value { OTLP_KEY = 1, OTLP_VALUE = 2 };
enum otlp_any_value { OTLP_STRING = 1 };

/* ScopeProfiles; InstrumentationScope; Profile. */
enum otlp_scope_profiles { OTLP_SCOPE = 1, OTLP_PROFILE = 2 };
enum otlp_scope { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION = 2 };
enum otlp_profile_field { OTLP_SAMPLE = 2, OTLP_PROFILE_ID = 7 };

struct otlp_value_type {
    uint64_t type, unit;
};

/* Profile without its samples and its id. */
struct otlp_profile {
    struct otlp_value_type *sample_type, *period_type;
    uint64_t time_unix_nano, duration_nano, period;
};

struct otlp_sample {
    uint64_t stack, *values;
    size_t n_values;
};

struct otlp_mapping {
    uint64_t memory_start, memory_limit, file_offset, filename, *attributes;
    size_t n_attributes;
};

struct otlp_stack {
    uint64_t *locations; /* leaf first */
    size_t n_locations;
};

struct otlp_line {
    uint64_t function, line;
};

struct otlp_location {
    uint64_t mapping, address, *attributes;
    struct otlp_line *lines; /* the innermost inlined call first */
    size_t n_attributes, n_lines;
};

struct otlp_function {
    uint64_t name, system_name, filename;
};

/* The key of KeyValueAndUnit. */
struct otlp_attribute {
    uint64_t key;
};

/* ExportProfilesServiceResponse.partial_success; its fields; google.rpc.Status. */
enum otlp_response { OTLP_PARTIAL_SUCCESS = 1 };
enum otlp_partial_success { OTLP_REJECTED = 1, OTLP_ERROR_MESSAGE = 2 };
enum otlp_status { OTLP_STATUS_MESSAGE = 2 };

extern const struct protobuf_layout otlp_profile_layout, otlp_sample_layout, otlp_mapping_layout, otlp_stack_layout,
    otlp_location_layout, otlp_function_layout, otlp_attribute_layout;

#endif
