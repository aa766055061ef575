/* SPDX-License-Identifier: MIT
 *
 * Copies the frames of interpreted languages, by a recipe of the front's. Everything that is read is a stranger's:
 * links may lead anywhere, and round in circles. So there are limits to the number of nodes, of reads, and to the time.
 */
#ifndef TRACER_INTERP_H
#define TRACER_INTERP_H

#include "tracee/memory.h"
#include "tracer/emit.h"
#include "wire/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A recipe, and what has been told of the objects of the process that runs by it. */
struct interp;

/* The stack of the sample in hand: struct recipe_stack and its nodes. */
struct interp_stack {
    size_t size; /* bytes; 0: there is none */
    unsigned char bytes[sizeof(struct recipe_stack) +
                        RECIPE_NODES_MOST * (sizeof(struct recipe_node) + RECIPE_NODE_MOST + sizeof(uint64_t))];
};

/* What is known of a thread. To begin with, and whenever its image begins, it needs only to be zeroed. */
struct interp_thread {
    uint64_t state;       /* the address of its state; 0: not known */
    uint64_t searched_ns; /* monotonic time when it was looked for */
    uint64_t kept[8];     /* addresses of the pages that its last stack was on: they are read at once the next time */
    uint64_t kept_ns;     /* monotonic time of that */
    uint32_t kept_count;
};

struct interp_sample {
    struct memory *memory; /* of its process */
    pid_t tid;
    bool is_main;
    uint64_t thread_pointer; /* 0: not known */
    struct interp_thread *thread;
    uint64_t now_ns; /* monotonic */
};

/* True if RECIPE is one that can be followed: all within the limits. */
bool interp_is_sound(const struct recipe *recipe);

/* Makes one that follows RECIPE, which is sound; NULL if there is no memory. */
struct interp *interp_new(const struct recipe *recipe);

/* Makes a copy, for a process that was forked, or NULL. NULL is allowed. */
struct interp *interp_copy(const struct interp *interp);

/* Frees INTERP; NULL is allowed. */
void interp_free(struct interp *interp);

/* Sets STACK to the stack of SAMPLE. What of its objects the front does not know yet is sent by EMITTER. */
void interp_take(struct interp *interp, const struct interp_sample *sample, struct emitter *emitter,
                 struct interp_stack *stack);

#endif
