/* SPDX-License-Identifier: MIT
 *
 * Stacks of programs that run in an interpreter: the native frames and those of the language, as one. */
#ifndef SESSION_MIXED_H
#define SESSION_MIXED_H

#include "interp/interpreters.h"
#include "record/record.h"

enum {
    MIXED_NATIVE = 512,
    MIXED_MOST = MIXED_NATIVE + INTERPRETERS_DEEPEST + 1,
};

/* Needs only to be zeroed. */
struct mixed {
    struct interpreters interpreters;
    struct interpreters_stack stack;
    struct merge_native natives[MIXED_NATIVE];
    struct merge_script scripts[INTERPRETERS_DEEPEST];
    struct unwind_frame frames[MIXED_MOST];
};

void mixed_fini(struct mixed *mixed);

/* The mappings of IMAGE, whose maps RECORD has taken, have changed. */
void mixed_maps(struct mixed *mixed, const struct record *record, uint32_t image);

/* Puts the frames of the language that MESSAGE has copies of into the stack of CAPTURE, whose frames are MESSAGE's
 * native ones; its frames are valid until the next call then. Their functions are added to RECORD. */
void mixed_merge(struct mixed *mixed, struct record *record, const struct message_capture *message,
                 struct record_capture *capture);

#endif
