/* SPDX-License-Identifier: MIT
 *
 * Tables for a file of the Firefox Profiler: stacks (as a tree), frames, functions, objects and texts, each once.
 * Samples refer to them by number. */
#ifndef REPORT_FIREFOX_TABLES_H
#define REPORT_FIREFOX_TABLES_H

#include "profile/profile/distinct.h"
#include "profile/profile/frames.h"
#include "profile/profile/stack.h"

struct buffer;

/* Different pairs of numbers, each of which has a number itself. */
struct firefox_pairs {
    struct firefox_pair {
        uint32_t of, with;
    } * items;
    size_t count, room;
    struct hash index;
};

struct firefox_tables {
    const struct profile *profile;
    struct frames functions;
    struct distinct distinct;
    struct firefox_pairs stacks; /* of a frame, with the stack that called it; HASH_NONE: it is the root */
    struct firefox_pairs frames; /* of a function, with a category */
    struct texts texts, objects; /* objects: paths */
    uint32_t *running, *waiting; /* for each distinct stack, the number of its node while its thread runs and while it
                                    waits; HASH_NONE: not yet */
    struct stack stack;
};

/* Sets up empty TABLES for PROFILE. Returns 0 or -ENOMEM. Free with firefox_tables_fini in either case. */
int firefox_tables_init(struct firefox_tables *tables, const struct profile *profile);
void firefox_tables_fini(struct firefox_tables *tables);

/* Return the number of a stack, or HASH_NONE if memory runs out: the stack of SAMPLE, with its NUMBER, in a thread
 * that WAITS or runs; and the stack of unsampled time. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t number, const struct profile_sample *sample,
                              bool waits);
uint32_t firefox_tables_unsampled(struct firefox_tables *tables);

/* Returns the number of TEXT. HASH_NONE if memory runs out. */
uint32_t firefox_tables_text(struct firefox_tables *tables, const char *text);

/* Appends NUMBER to an array: null for HASH_NONE. */
void firefox_tables_number(struct buffer *out, uint32_t number);

/* Append the member "categories", and the members "libs" and "shared". Add nothing to the tables after the latter. */
void firefox_tables_categories(struct buffer *out);
void firefox_tables_put(struct firefox_tables *tables, struct buffer *out);

#endif
