/* SPDX-License-Identifier: MIT
 *
 * The interpreters that processes run: which files hold them, the recipes for the tracer, and, from what that has
 * copied, the stacks. */
#ifndef INTERP_INTERPRETERS_H
#define INTERP_INTERPRETERS_H

#include "programs/interp/functions.h"
#include "programs/interp/merge.h"

#include <sys/types.h>

struct address_range;
struct command;
struct message_capture;
struct message_object;

enum {
    INTERPRETERS_DEEPEST = RECIPE_NODES_MOST + 1, /* frames of a language in one stack */
    INTERPRETERS_RANGES = 16,                     /* parts of an interpreter's file that are mapped as code */
};

/* An interpreter in a file. */
struct interpreters_runtime {
    uint32_t object; /* the file's number; HASH_NONE: it is forgotten */
    bool is_free;    /* and nothing refers to the runtime */
    bool is_known;   /* a recipe exists */
    struct interp_runtime about;
};

/* An interpreter that a process has mapped. */
struct interpreters_mapped {
    uint32_t runtime;                                /* index of runtimes */
    uint64_t bias;                                   /* load bias: address in memory minus ELF virtual address */
    struct interp_range ranges[INTERPRETERS_RANGES]; /* where the interpreter's file is mapped as code */
    size_t range_count;
    bool is_told;      /* the tracer has the recipe */
    bool is_looked_at; /* its user is known; the caller's */
};

/* A process that has interpreters. */
struct interpreters_image {
    uint32_t number;
    pid_t pid;
    struct interpreters_mapped mapped[RECIPES_MOST];
    size_t count;
};

/* A frame of the language. */
struct interpreters_frame {
    uint32_t function; /* number in functions; HASH_NONE: it could not be read */
    uint32_t line;     /* 0: not known */
    uint64_t stack;    /* the frame's address if it is on the thread's stack; otherwise 0 */
    bool is_frame, is_entry, is_fresh, is_generator; /* see struct interp_frame */
};

struct interpreters_stack {
    const struct interp_runtime *runtime;
    struct interpreters_mapped *mapped;
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
    struct interpreters_counts counts;
};

void interpreters_fini(struct interpreters *interpreters);

/* Notes that image NUMBER, of process PID, maps a file at RANGE. OBJECT: number of the file; FD is open on it. */
void interpreters_map(struct interpreters *interpreters, uint32_t number, pid_t pid, uint32_t object, int fd,
                      const struct address_range *range);

/* Notes that the mappings of image NUMBER changed, and that all will be reported again; or that the image has ended. */
void interpreters_unmap(struct interpreters *interpreters, uint32_t number);
void interpreters_image_ends(struct interpreters *interpreters, uint32_t number);

/* The file with this number is forgotten, and another file may get its number. No running image has mapped it. */
void interpreters_forget_object(struct interpreters *interpreters, uint32_t object);

/* Begins an interval, see functions_renew. Call it after forgetting objects. */
void interpreters_renew(struct interpreters *interpreters, uint64_t now_ns);

/* Sets COMMAND to the next recipe for the tracer. Returns false if none is due. */
bool interpreters_next_command(struct interpreters *interpreters, struct command *command);

/* Takes MESSAGE, which SIZE bytes follow. Returns false if it is damaged. */
bool interpreters_object(struct interpreters *interpreters, const struct message_object *message, size_t size);

/* Sets STACK to the frames of the next interpreter in MESSAGE, which is sound, from byte *AT of its interpreters' part
 * on, and moves *AT behind them. Returns false if no more is there. */
bool interpreters_stack(struct interpreters *interpreters, const struct message_capture *message, size_t *at,
                        struct interpreters_stack *stack);

/* Returns the kind of code at PC, for the interpreter of the stack. CALL: PC is a return address. */
enum merge_kind interpreters_kind(const struct interpreters_stack *stack, uint64_t pc, bool call);

/* Returns true if the newest frame of the stack may have ended while a thread is at PC. */
bool interpreters_is_beginning(const struct interpreters_stack *stack, uint64_t pc);

/* Returns true if the interp_size bytes of the message are well-formed. */
bool interpreters_is_sound(const struct message_capture *message);

#endif
