/* SPDX-License-Identifier: MIT
 *
 * Copies the frames of interpreted languages, following a recipe from the front. All that it reads is untrusted:
 * links may lead anywhere, and in circles. So the number of nodes, the number of reads and the time are limited. */
#ifndef WALK_INTERP_H
#define WALK_INTERP_H

#include "common/wire/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct emitter;
struct memory;

/* The recipes of a process, and its objects that have already been reported. */
struct interp;

/* The stacks of the current sample: for each recipe, struct recipe_stack and its nodes. */
struct interp_stack {
    size_t size;        /* bytes; 0: no stack */
    int32_t lock_place; /* enum wait_place if the thread waits for the language's lock; else -1 */
    uint64_t holder; /* then: the thread pointer of the lock's holder, at the beginning of its descriptor; 0: unknown */
    unsigned char
        bytes[RECIPES_MOST * (sizeof(struct recipe_stack) +
                              RECIPE_NODES_MOST * (sizeof(struct recipe_node) + RECIPE_NODE_MOST + sizeof(uint64_t)))];
};

enum { INTERP_KEPT_MOST = 48 };

/* The part of a page that the last samples of a thread needed. */
struct interp_kept {
    uint64_t start;
    uint16_t size;
    uint16_t unused; /* number of the last samples that did not need it */
};

/* The states of a thread, by one recipe. */
struct interp_states {
    uint64_t states[4]; /* addresses of its last known states, the innermost interpreter's first */
    uint32_t state_count;
    bool is_found;        /* the last search found one */
    uint64_t searched_ns; /* monotonic time of the last search */
    uint64_t wait_ns;     /* time from that to the next search */
};

/* Facts about a thread. Zero it at first, and whenever an image begins. */
struct interp_thread {
    struct interp_states of[RECIPES_MOST];
    struct interp_kept kept[INTERP_KEPT_MOST]; /* by address: they are read with one call in the next sample */
    uint64_t kept_ns;                          /* monotonic time of that */
    uint32_t kept_count;
};

/* More bytes than the C library's descriptor of a thread has. Descriptors are farther apart. */
enum { INTERP_DESCRIPTOR_SIZE = 4096 };

struct interp_sample {
    struct memory *memory; /* of its process */
    pid_t tid;
    bool is_main;
    uint64_t thread_pointer; /* 0: unknown */
    uint64_t stack_end;      /* of the stack that begins at the stack pointer; 0: unknown */
    struct interp_thread *thread;
    uint64_t now_ns; /* monotonic */
    bool waits;      /* it is not stopped, and may get no other sample for long */
    uint64_t futex;  /* the address of the futex for which it waits; 0: none */
    const struct arch_registers *registers;
    uint64_t descriptor; /* without a thread pointer: an address in the C library's descriptor of the thread; 0:
                          * unknown */
};

/* Returns true if RECIPE is within all limits, and so can be followed. */
bool interp_is_sound(const struct recipe *recipe);

/* Adds RECIPE, which is sound, to INTERP (NULL: none yet), and returns that. Leaves it unchanged if it has a recipe of
 * the same runtime already, or as many as possible, or if memory runs out. The caller frees it. */
struct interp *interp_add(struct interp *interp, const struct recipe *recipe);

/* Returns a copy of INTERP, for a forked process, or NULL. INTERP may be NULL. */
struct interp *interp_copy(const struct interp *interp);

/* Frees INTERP, which may be NULL. */
void interp_free(struct interp *interp);

/* Sets STACK to the stacks of SAMPLE. Sends objects that the front does not know yet through EMITTER. */
void interp_read_stack(struct interp *interp, const struct interp_sample *sample, struct emitter *emitter,
                       struct interp_stack *stack);

#endif
