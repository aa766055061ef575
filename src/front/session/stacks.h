/* SPDX-License-Identifier: MIT
 *
 * Unwinds captures into frames, with the mappings of each image, while the tracees run. */
#ifndef SESSION_STACKS_H
#define SESSION_STACKS_H

#include "front/record/record.h"
#include "front/session/options.h"
#include "programs/unwind/unwind.h"

struct command;
struct message_capture;
struct message_code;

enum {
    STACKS_DEEPEST = 512,     /* maximum frames; deeper stacks are cut */
    STACKS_ASKED = 64,        /* requests; a request that does not fit is repeated when it is needed again */
    STACKS_LARGEST = 4 << 20, /* bytes; memory farther from the stack pointer belongs to another stack */
};

/* A request to the tracer: the maps of process PID, or STACK_BYTES of the stack of its thread TID. */
struct stacks_wish {
    pid_t pid, tid; /* tid 0: the maps */
    uint32_t stack_bytes;
    uint64_t crossed; /* if not 0: for COMMAND_DEEPER */
};

/* Requested pages of code that a process generated. */
struct stacks_code {
    pid_t pid;
    uint32_t image;
    uint32_t count;
    uint64_t pages[UNWIND_LACKING_MOST];
};

enum { STACKS_CODE = 16 };

/* An image that runs. */
struct stacks_image {
    uint32_t number;
    struct unwind_image *image;
};

struct stacks_object {
    bool is_opened;
    struct unwind_object *object; /* NULL: none */
};

/* Zero it before the first use. Until stacks_start, it finds only leaves. */
struct stacks {
    struct unwinder *unwinder;
    struct {
        struct stacks_image *items;
        size_t count, room;
        struct hash index;
    } images;
    struct {
        struct stacks_object *items;
        size_t count, room;
    } objects; /* by the record's numbers */
    struct unwind_frame frames[STACKS_DEEPEST];
    bool missed;     /* some code of the last unwound stack was not mapped, according to the known maps */
    uint64_t absent; /* first missing page of generated code; 0: none */
    struct stacks_code code[STACKS_CODE]; /* pages to request */
    size_t code_count;
    uint64_t crossed; /* see unwind_image_crossed */
    uint32_t needed;  /* bytes that were missing in the last copy; 0: the stack was not cut by the copy */
    struct stacks_wish asked[STACKS_ASKED];
    size_t asked_count;
    uint64_t unwound, limited; /* number of stacks, and of those cut because they are deeper than the copy */
    uint32_t deepest;          /* bytes of the deepest of them */
    uint32_t most;             /* maximum bytes that can be requested */
};

/* Begins. MOST: bytes of a stack that can be requested from the tracer. Returns 0, or -errno with ERROR set. */
int stacks_start(struct stacks *stacks, enum stacks_mode mode, uint32_t most, struct error *error);

/* The mappings of IMAGE have changed, and RECORD has the new maps (stacks_maps), or IMAGE has ended
 * (stacks_image_ends). */
void stacks_maps(struct stacks *stacks, const struct record *record, uint32_t image);
void stacks_image_ends(struct stacks *stacks, uint32_t image);

/* Returns the memory for the record's object NUMBER. */
uint64_t stacks_object_bytes(const struct stacks *stacks, uint32_t number);

/* The record is going to forget its object NUMBER, and may give the number to another one. */
void stacks_forget_object(struct stacks *stacks, uint32_t number);

/* Sets the frames of CAPTURE from MESSAGE, which is followed by its stack. They are valid until the next call. */
void stacks_unwind(struct stacks *stacks, const struct message_capture *message, struct record_capture *capture);

/* Requests the maps of process PID. */
void stacks_ask_maps(struct stacks *stacks, pid_t pid);

/* Accepts the last unwound stack, from MESSAGE of process PID, and counts it. If only a part was copied and the stack
 * was cut, requests deeper copies. */
void stacks_taken(struct stacks *stacks, pid_t pid, const struct message_capture *message);

/* Requests the missing generated code of the last unwound stack, from MESSAGE of process PID. Returns false if all of
 * it was requested lately, or if no more can be requested now. */
bool stacks_ask_code(struct stacks *stacks, pid_t pid, const struct message_capture *message);

/* Sets COMMAND to the next request to the tracer. Returns false if none is due. */
bool stacks_next_command(struct stacks *stacks, struct command *command);

/* Takes the answer to COMMAND_CODE: MESSAGE with its bytes. */
void stacks_code(struct stacks *stacks, const struct message_code *message);

/* Frees everything. Free the record later, because its files are in use. */
void stacks_fini(struct stacks *stacks);

#endif
