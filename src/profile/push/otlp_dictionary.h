/* SPDX-License-Identifier: MIT
 *
 * The tables of an OTLP request: stacks, locations, functions, mappings and texts. Each element is stored once. */
#ifndef PUSH_OTLP_DICTIONARY_H
#define PUSH_OTLP_DICTIONARY_H

#include "common/base/hash.h"
#include "profile/profile/profile.h"
#include "profile/push/otlp_format.h"

/* An element of a table, which is SIZE bytes at AT of `bytes`. */
struct otlp_element {
    enum otlp_table table;
    uint32_t index;
    size_t at, size;
};

struct otlp_dictionary {
    const struct profile *profile;
    struct buffer bytes; /* the message; its `failed` is kept for everything here */
    uint32_t counts[OTLP_TABLES];
    struct {
        struct otlp_element *items;
        size_t count, room;
        struct hash index;
    } elements;
    uint32_t *mappings, *locations; /* index for each module and location of the profile; HASH_NONE: not added */
};

/* What a sample adds to the tables at most: a stack ends, and is marked, where it would add more. */
enum { OTLP_STACK_MOST = 1 << 20 };

/* Begins a dictionary for stacks of PROFILE. Returns false, with everything freed, if memory runs out. */
bool otlp_dictionary_init(struct otlp_dictionary *dictionary, const struct profile *profile);
void otlp_dictionary_fini(struct otlp_dictionary *dictionary);

/* Return the index of TEXT, made harmless and cut if it is very long; of the stack of SAMPLE; of the stack of time
 * without samples. */
uint64_t otlp_dictionary_text(struct otlp_dictionary *dictionary, const char *text);
uint64_t otlp_dictionary_stack(struct otlp_dictionary *dictionary, const struct profile_sample *sample);
uint64_t otlp_dictionary_unsampled(struct otlp_dictionary *dictionary);

#endif
