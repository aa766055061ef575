/* SPDX-License-Identifier: MIT
 *
 * The interpreters that processes run: which files hold them, the recipes for the tracer, and, from what that has
 * copied, the stacks. */
#ifndef INTERP_INTERPRETERS_H
#define INTERP_INTERPRETERS_H

#include "interp/functions.h"
#include "interp/merge.h"
#include "interp/runtime.h"
#include "model/address_map.h"
#include "wire/command.h"
#include "wire/message.h"

enum {
    INTERPRETERS_DEEPEST = RECIPE_NODES_MOST + 1, /* frames of a language in one stack */
    INTERPRETERS_RANGES = 16,                     /* parts of an interpreter's file that are mapped as code */
};

/* An interpreter in a file. */
struct interpreters_runtime {
    uint32_t object; /* the file's number */
    bool is_known;   /* a recipe exists */
    struct interp_runtime about;
};

/* A process that runs one. */
struct interpreters_image {
    uint32_t number;
    pid_t pid;
    uint32_t runtime;                                /* index of runtimes */
    uint64_t bias;                                   /* load bias: what to add to its file's addresses */
    struct interp_range ranges[INTERPRETERS_RANGES]; /* where its file is mapped as code */
    size_t range_count;
    bool is_told;      /* the tracer has the recipe */
    bool is_looked_at; /* its user is known; the caller's */
};

/* Frames that the language's stack has, as its functions' own numbers. */
struct interpreters_frame {
    uint32_t function;                               /* of the functions; HASH_NONE: it could not be read */
    uint32_t line;                                   /* 0: not known */
    uint64_t stack;                                  /* the address of one that is on the thread's stack; else 0 */
    bool is_frame, is_entry, is_fresh, is_generator; /* see struct interp_frame */
};

struct interpreters_stack {
    const struct interp_runtime *runtime;
    struct interpreters_image *image;
    struct interpreters_frame frames[INTERPRETERS_DEEPEST]; /* leaf first */
    size_t count;
    bool is_whole, is_cut; /* all frames are there; those at the root were not copied */
    bool is_linking;       /* the evaluation at the leaf has no frames yet */
};

struct interpreters_counts {
    uint64_t stacks;  /* stacks with frames of a language */
    uint64_t broken;  /* stacks that could not be followed to the end */
    uint64_t cut;     /* stacks with more frames than are copied */
    uint64_t marked;  /* stacks in which some frames belong to no native frame */
    uint64_t unknown; /* frames whose function could not be read */
};

/* Zero it before the first use. */
struct interpreters {
    enum merge_mode mode;
    struct {
        struct interpreters_runtime *items;
        size_t count, room;
    } runtimes;
    struct {
        uint32_t *items; /* index of the runtime of each examined file; HASH_NONE: none */
        size_t count, room;
    } objects;
    struct {
        struct interpreters_image *items;
        size_t count, room;
        struct hash index;
    } images;
    struct functions functions;
    size_t told; /* of images: earlier ones have been reported */
    struct interpreters_counts counts;
};

void interpreters_fini(struct interpreters *interpreters);

/* In image NUMBER, of process PID, RANGE maps file OBJECT, a number, which FD is open on and PATH names. */
void interpreters_map(struct interpreters *interpreters, uint32_t number, pid_t pid, uint32_t object, int fd,
                      const char *path, const struct address_range *range);

/* Image NUMBER has new mappings, which will all be reported again; or it has ended. */
void interpreters_unmap(struct interpreters *interpreters, uint32_t number);
void interpreters_image_ends(struct interpreters *interpreters, uint32_t number);

/* Sets COMMAND to the next recipe for the tracer. Returns false if none is due. */
bool interpreters_next_command(struct interpreters *interpreters, struct command *command);

/* Takes MESSAGE, with SIZE bytes behind it. False if it is damaged. */
bool interpreters_object(struct interpreters *interpreters, const struct message_object *message, size_t size);

/* Sets STACK to what the interpreter's part of MESSAGE says. False if it has none, or its image is not known. */
bool interpreters_stack(struct interpreters *interpreters, const struct message_capture *message,
                        struct interpreters_stack *stack);

/* What PC, of CALL if it is where one returns to, is in where the stack's interpreter is mapped. */
enum merge_kind interpreters_kind(const struct interpreters_stack *stack, uint64_t pc, bool call);

/* True if PC is where the newest frame of the stack can be one that has ended. */
bool interpreters_is_beginning(const struct interpreters_stack *stack, uint64_t pc);

/* True if message_capture's interp_size bytes are what they should be. */
bool interpreters_is_sound(const struct message_capture *message);

#endif
