/* SPDX-License-Identifier: MIT
 *
 * Where the calls are entered in a process that the tracer holds: the front looks at its files. */
#ifndef FRONT_ENTRIES_H
#define FRONT_ENTRIES_H

#include "record/record.h"
#include "tracer/protocol.h"

/* What is known of the record's objects, so that each file is looked at once. An empty one needs only to be zeroed. */
struct entries {
    struct entries_object *objects; /* owned; by the objects' numbers */
    size_t count;
};

void entries_free(struct entries *entries);

/* Sets the answer to a question about IMAGE of RECORD: what is to be planted by MODE. */
void entries_answer(struct entries *entries, const struct record *record, uint32_t image, enum calls_mode mode,
                    struct command *answer);

#endif
