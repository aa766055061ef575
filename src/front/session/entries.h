/* SPDX-License-Identifier: MIT
 *
 * Finds the entries of the calls in a process that the tracer holds, by looking at its files. */
#ifndef SESSION_ENTRIES_H
#define SESSION_ENTRIES_H

#include "tracer/calls/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct command;
struct message_entries;
struct objects;

/* Programs whose calls are not served, because they refer to prctl, and to clone or syscall. */
struct entries_refused {
    size_t count;   /* of those that refer to the calls, too */
    uint32_t image; /* the last one */
    pid_t pid;      /* of the first one */
    char *path;     /* owned; of the first one, or NULL */
    bool others;    /* some do not refer to the calls */
};

/* Facts about the record's objects, so that each file is examined once. Zero it before the first use. */
struct entries {
    enum calls_mode mode;
    bool referred; /* some program refers to the calls */
    struct entries_refused refused;
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
