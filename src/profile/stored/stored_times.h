/* SPDX-License-Identifier: MIT
 *
 * Timestamps of a stored profile's samples, and its marks. */
#ifndef STORED_STORED_TIMES_H
#define STORED_STORED_TIMES_H

#include <stddef.h>
#include <stdint.h>

struct profile_sample;
struct protobuf_entry;
struct stored_code;
struct stored_values;

struct stored_times_sample {
    uint32_t index;                  /* index of the sample in the builder; PROFILE_NONE: it can have no instant */
    uint64_t count, cpu_ns, wait_ns; /* not yet assigned to instants */
};

/* Zero it before the first use. */
struct stored_times {
    struct stored_times_sample *items;
    size_t count, room;
    uint64_t last_us;  /* time of the entry before */
    uint64_t delay_ns; /* from the beginning of the builder's profile to the beginning of this one */
};

/* Notes that the next sample of the file was added to sample INDEX of the builder, with the values of SAMPLE. */
void stored_times_sample(struct stored_times *times, struct stored_code *code, uint32_t index,
                         const struct profile_sample *sample);

/* Call stored_times_begin when all samples and VALUES have been taken. The others each take one FIELD: the next part of
 * the list, or a mark. After a broken list, nothing more is taken. */
void stored_times_begin(struct stored_times *times, struct stored_code *code, const struct stored_values *values);
void stored_times_read(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field);
void stored_times_read_mark(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field);

void stored_times_fini(struct stored_times *times);

#endif
