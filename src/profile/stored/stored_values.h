/* SPDX-License-Identifier: MIT
 *
 * Meaning of the values in a stored profile's samples, and the profile's own properties. */
#ifndef STORED_STORED_VALUES_H
#define STORED_STORED_VALUES_H

#include "profile/stored/pprof_format.h"
#include "profile/stored/stored_code.h"

struct pprof_sample;

enum { STORED_MOST_TYPES = 64 };

/* Zero it before the first use. */
struct stored_values {
    struct pprof_value_type types[STORED_MOST_TYPES], period_type;
    size_t count;
    int64_t period, default_type;
    int64_t began_ns, duration_ns;
    struct profile_quality quality;
    int64_t ended_early, command; /* texts */
    uint64_t instants_until_ns;
    bool has_quality;
    /* Chosen values: an index, or -1 for none, and the nanoseconds of their units. */
    int time, samples, wall, period_value;
    uint64_t time_unit, period_ns;
};

/* Takes FIELD of the profile if it belongs to the values. Call it after all texts have been taken. */
void stored_values_read(struct stored_values *values, struct stored_code *code, const struct protobuf_entry *field);

/* Chooses which values are CPU time, wall time and samples. Call it when all fields have been taken. */
void stored_values_choose(struct stored_values *values, struct stored_code *code);

/* Sets count, cpu_ns and wait_ns of VALUE from SAMPLE. count, and the sum of the times, are at most INT64_MAX. Sets the
 * result of CODE if SAMPLE breaks the file. */
void stored_values_of(const struct stored_values *values, struct stored_code *code, const struct pprof_sample *sample,
                      struct profile_sample *value);

/* Adds the quality of the profile to the builder. SAMPLES: how many were read. */
void stored_values_finish(struct stored_values *values, struct stored_code *code, uint64_t samples);

#endif
