/* SPDX-License-Identifier: MIT
 *
 * Merges two stacks of a thread: the native frames, and the frames of the interpreted language. Each call of the
 * interpreter's evaluation function, which runs the language's code, runs a group of the language's frames. The last
 * frame of a group, where the call entered it, is marked as its entry. Pure. */
#ifndef INTERP_MERGE_H
#define INTERP_MERGE_H

#include "programs/unwind/frame.h"

#include <stdbool.h>
#include <stddef.h>

enum merge_mode {
    MERGE_LANGUAGE, /* the language's frames replace the interpreter's own */
    MERGE_BOTH,     /* the interpreter's own frames stay, too */
    MERGE_OFF
};

/* Kind of a native frame's code. */
enum merge_kind {
    MERGE_OTHER,      /* not the interpreter */
    MERGE_OWN,        /* the interpreter */
    MERGE_EVALUATION, /* its function that runs the language's code */
};

struct merge_native {
    struct unwind_frame frame;
    enum merge_kind kind;
    size_t groups;  /* set by merge_stacks: how many of the next groups come before it, */
    bool is_marked; /* and whether a mark comes between those and it */
};

struct merge_script {
    struct unwind_frame frame; /* language 0: only a mark, not a frame */
    bool is_entry;
    uint64_t stack;    /* for an entry: an address in the stack frame of its evaluation; 0: unknown */
    bool is_fresh;     /* its function has not begun */
    bool is_generator; /* its function may continue in a new evaluation */
    bool is_marked;    /* set by merge_stacks: a mark comes before it */
};

/* Leaf first. */
struct merge_stacks {
    struct merge_native *natives;
    size_t native_count;
    bool native_whole; /* they reach the thread's first function */
    struct merge_script *scripts;
    size_t script_count;
    bool script_whole; /* the same for the language's frames */
    bool script_cut;   /* the language's frames at the root were not copied */
    bool is_exact;     /* all evaluations are known: each has frames, unless it is beginning or ending */
    bool is_beginning; /* the leaf is an evaluation before it has linked its frame to the others: the link may still
                          point to a frame that has ended */
};

/* Writes the merged stack, leaf first, to FRAMES, at most MOST of them. MARK is put at frames of the language that
 * belong to no native frame. If the language's frames are cut, the merged stack is cut, too. Returns the number of
 * frames, and sets *MARKED if MARK is among them. */
size_t merge_stacks(const struct merge_stacks *stacks, enum merge_mode mode, struct unwind_frame mark,
                    struct unwind_frame *frames, size_t most, bool *marked);

#endif
