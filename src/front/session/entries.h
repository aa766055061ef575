/* SPDX-License-Identifier: MIT
 *
 * Finds the entries of the calls in a process that the tracer holds, by looking at its files. */
#ifndef SESSION_ENTRIES_H
#define SESSION_ENTRIES_H

#include "tracer/calls/options.h"

struct command;
struct message_entries;
struct objects;

/* Facts about the record's objects, so that each file is examined once. Zero it before the first use. */
struct entries {
    enum calls_mode mode;
    struct entries_object *objects; /* owned; by the objects' numbers */
    size_t count;
};

void entries_fini(struct entries *entries);

/* Sets ANSWER to the breakpoints for the image of QUESTION, a message of SIZE bytes. Adds its files to OBJECTS,
 * which must always be the same. Returns false if the question is malformed. */
bool entries_answer(struct entries *entries, struct objects *objects, const struct message_entries *question,
                    size_t size, struct command *answer);

/* The record is going to forget its object NUMBER, and may give the number to another one. */
void entries_forget_object(struct entries *entries, uint32_t number);

#endif
