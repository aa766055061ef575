/* SPDX-License-Identifier: MIT
 *
 * One stack of two: the native frames of a thread, and those of the language whose interpreter it runs. Each call of
 * the function that runs the language's code (evaluation) runs a group of the language's frames, the last of which is
 * marked as that which it was entered with. Pure. */
#ifndef INTERP_MERGE_H
#define INTERP_MERGE_H

#include "unwind/frame.h"

#include <stdbool.h>
#include <stddef.h>

enum merge_mode {
    MERGE_LANGUAGE, /* the language's frames are in the place of the interpreter's own */
    MERGE_BOTH,     /* the interpreter's own stay, too */
    MERGE_OFF
};

/* What a native frame is in. */
enum merge_kind {
    MERGE_OTHER,      /* not the interpreter */
    MERGE_OWN,        /* the interpreter */
    MERGE_EVALUATION, /* its function that runs the language's code */
};

struct merge_native {
    struct unwind_frame frame;
    enum merge_kind kind;
};

struct merge_script {
    struct unwind_frame frame; /* language 0: it is none, only a mark */
    bool is_entry;
};

/* Leaf first. */
struct merge_stacks {
    const struct merge_native *natives;
    size_t native_count;
    bool native_whole; /* they reach the thread's first function */
    const struct merge_script *scripts;
    size_t script_count;
    bool script_whole; /* the same of the language's */
    bool is_exact;     /* all evaluations are marked: none but one that begins or ends has no frames */
};

/* Writes the merged stack to FRAMES, MOST at most, leaf first. MARK stands where frames of the language belong to no
 * native one. Returns how many frames there are; *MARKED says whether MARK is among them. */
size_t merge_stacks(const struct merge_stacks *stacks, enum merge_mode mode, struct unwind_frame mark,
                    struct unwind_frame *frames, size_t most, bool *marked);

#endif
