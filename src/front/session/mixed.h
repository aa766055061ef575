/* SPDX-License-Identifier: MIT
 *
 * Stacks of interpreted programs: merges native frames with frames of the language. */
#ifndef SESSION_MIXED_H
#define SESSION_MIXED_H

#include "programs/interp/interpreters.h"

struct record;
struct record_capture;

enum {
    MIXED_NATIVE = 512,
    MIXED_MOST = MIXED_NATIVE + INTERPRETERS_DEEPEST + 1,
};

/* Zero it before the first use. */
struct mixed {
    struct interpreters interpreters;
    size_t function_count; /* time of the last look at a process */
    struct interpreters_stack stack;
    struct merge_native natives[MIXED_NATIVE];
    struct merge_script scripts[INTERPRETERS_DEEPEST];
    struct unwind_frame frames[MIXED_MOST];
};

void mixed_fini(struct mixed *mixed);

/* Call it when the mappings of IMAGE have changed, and RECORD has the new maps. */
void mixed_maps(struct mixed *mixed, const struct record *record, uint32_t image);

/* The record is renewed, and has other numbers for functions. NOW_NS: see functions_renew. */
void mixed_renew(struct mixed *mixed, uint64_t now_ns);

/* Inserts the language's frames in MESSAGE into the stack of CAPTURE, whose frames are MESSAGE's native ones. The new
 * frames are valid until the next call. Adds their functions to RECORD. */
void mixed_merge(struct mixed *mixed, struct record *record, const struct message_capture *message,
                 struct record_capture *capture);

#endif
