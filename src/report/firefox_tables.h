/* SPDX-License-Identifier: MIT
 *
 * What the samples of a file for the Firefox Profiler refer to: stacks, as a tree, their frames, functions, objects and
 * texts, each once. */
#ifndef REPORT_FIREFOX_TABLES_H
#define REPORT_FIREFOX_TABLES_H

#include "base/buffer.h"
#include "base/hash.h"
#include "base/texts.h"
#include "profile/distinct.h"
#include "profile/frames.h"
#include "profile/stack.h"

struct firefox_node {
    uint32_t prefix, frame; /* HASH_NONE: it is the root */
};

struct firefox_frame {
    uint32_t function, category;
};

struct firefox_tables {
    const struct profile *profile;
    struct frames functions;
    struct distinct distinct;
    struct {
        struct firefox_node *items;
        size_t count, room;
        struct hash index;
    } stacks;
    struct {
        struct firefox_frame *items;
        size_t count, room;
        struct hash index;
    } frames;
    struct texts texts, objects; /* objects: paths */
    uint32_t *running, *waiting; /* of each distinct stack, where its thread runs and where it waits: the number of
                                    its node; HASH_NONE: not yet */
    struct stack stack;
};

/* Begins with nothing of PROFILE. Returns 0 or -ENOMEM; it is to be freed by firefox_tables_fini in either case. */
int firefox_tables_init(struct firefox_tables *tables, const struct profile *profile);
void firefox_tables_fini(struct firefox_tables *tables);

/* Each returns the number of a stack: that of SAMPLE, which has that NUMBER, as one of a thread that WAITS or not;
 * that of time without a sample. HASH_NONE if memory runs out. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t number, const struct profile_sample *sample,
                              bool waits);
uint32_t firefox_tables_unsampled(struct firefox_tables *tables);

/* The number of TEXT. HASH_NONE if memory runs out. */
uint32_t firefox_tables_text(struct firefox_tables *tables, const char *text);

/* Appends NUMBER to an array: null for HASH_NONE. */
void firefox_tables_number(struct buffer *out, uint32_t number);

/* Append the member "categories"; and the members "libs" and "shared", which nothing may be added to any more. */
void firefox_tables_categories(struct buffer *out);
void firefox_tables_put(struct firefox_tables *tables, struct buffer *out);

#endif
