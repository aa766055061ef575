/* SPDX-License-Identifier: MIT
 *
 * When the samples of a stored profile were taken, and its marks. */
#ifndef STORED_STORED_TIMES_H
#define STORED_STORED_TIMES_H

#include "stored/stored_code.h"
#include "stored/stored_values.h"

struct stored_times_sample {
    uint32_t index;                  /* of what is built; PROFILE_NONE: it can have no instant */
    uint64_t count, cpu_ns, wait_ns; /* not yet assigned to instants */
};

/* Zero it before the first use. */
struct stored_times {
    struct stored_times_sample *items;
    size_t count, room;
    uint64_t last_us;  /* of the entry before */
    uint64_t delay_ns; /* between the beginning of what is built and the beginning of this profile */
};

/* The next sample of the file has become sample INDEX of what is built, which SAMPLE was added to. */
void stored_times_sample(struct stored_times *times, struct stored_code *code, uint32_t index,
                         const struct profile_sample *sample);

/* All samples and VALUES have been taken: each takes one FIELD, the next part of the list, or a mark. Once the list
 * breaks the file, nothing more is taken. */
void stored_times_begin(struct stored_times *times, struct stored_code *code, const struct stored_values *values);
void stored_times_take(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field);
void stored_times_take_mark(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field);

void stored_times_fini(struct stored_times *times);

#endif
