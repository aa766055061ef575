/* SPDX-License-Identifier: MIT
 *
 * Where the calls are entered in a process that the tracer holds: the front looks at its files. */
#ifndef SESSION_ENTRIES_H
#define SESSION_ENTRIES_H

#include "calls/options.h"
#include "record/record.h"
#include "wire/command.h"
#include "wire/message.h"

/* What is known of the record's objects, so that each file is looked at once. A zeroed one is empty. */
struct entries {
    enum calls_mode mode;
    struct entries_object *objects; /* owned; by the objects' numbers */
    size_t count;
};

void entries_fini(struct entries *entries);

/* Sets ANSWER to what is to be planted in the image that QUESTION, of SIZE bytes, is about. Its files are added to
 * OBJECTS, always the same ones. Returns false if the question cannot be understood. */
bool entries_answer(struct entries *entries, struct objects *objects, const struct message_entries *question,
                    size_t size, struct command *answer);

#endif
