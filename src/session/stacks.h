/* SPDX-License-Identifier: MIT
 *
 * From a capture to its frames: what each image has mapped, and the unwinding, while the tracee runs on. */
#ifndef SESSION_STACKS_H
#define SESSION_STACKS_H

#include "base/hash.h"
#include "record/record.h"
#include "unwind/unwind.h"
#include "wire/command.h"
#include "wire/message.h"

enum {
    STACKS_DEEPEST = 512,     /* frames; deeper stacks are cut */
    STACKS_ASKED = 64,        /* wishes; what else is missed is asked for when it is missed again */
    STACKS_LARGEST = 4 << 20, /* bytes; what lies further from the stack pointer is not the same stack */
};

/* A request to the tracer: for the maps of process PID, or for STACK_BYTES of the stack of its thread TID. */
struct stacks_wish {
    pid_t pid, tid; /* no tid: the maps */
    uint32_t stack_bytes;
    uint64_t crossed; /* or, if not 0, the depth for COMMAND_DEEPER */
};

/* Requested pages of code that a process generated. */
struct stacks_code {
    pid_t pid;
    uint32_t image;
    uint32_t count;
    uint64_t pages[UNWIND_LACKING_MOST];
};

enum { STACKS_CODE = 16 };

enum stacks_mode { STACKS_NONE, STACKS_FRAME_POINTERS, STACKS_DWARF };

/* An image that runs. */
struct stacks_image {
    uint32_t number;
    struct unwind_image *image;
};

/* Zero it before the first use; then it knows no stacks, only leaves. */
struct stacks {
    struct unwinder *unwinder;
    struct {
        struct stacks_image *items;
        size_t count, room;
        struct hash index;
    } images;
    struct {
        struct unwind_object **items;
        size_t count, room;
    } objects; /* by the record's numbers; NULL: none */
    struct unwind_frame frames[STACKS_DEEPEST];
    bool missed;     /* some code of the stack unwound last was not mapped yet, as far as is known */
    uint64_t absent; /* the first page of generated code that it waits for; 0: none */
    struct stacks_code code[STACKS_CODE]; /* to be asked for */
    size_t code_count;
    uint64_t crossed; /* see unwind_image_crossed */
    uint32_t needed;  /* bytes that would have had to be copied; 0: not cut for that reason */
    struct stacks_wish asked[STACKS_ASKED];
    size_t asked_count;
    uint64_t unwound, limited; /* stacks; and those cut because they are deeper than the copied part */
    uint32_t deepest;          /* of the latter, bytes */
    uint32_t most;             /* bytes that can be asked for */
};

/* MOST: bytes of a stack that the tracer can be asked for. Returns 0, or -errno with ERROR set. */
int stacks_start(struct stacks *stacks, enum stacks_mode mode, uint32_t most, struct error *error);

/* The mappings of IMAGE have changed, and RECORD has its new maps; IMAGE has ended. */
void stacks_maps(struct stacks *stacks, const struct record *record, uint32_t image);
void stacks_image_ends(struct stacks *stacks, uint32_t image);

/* Sets the frames of CAPTURE, valid until the next call, from MESSAGE, behind which its stack lies, as it should. */
void stacks_unwind(struct stacks *stacks, const struct message_capture *message, struct record_capture *capture);

/* Requests the maps of process PID. */
void stacks_ask_maps(struct stacks *stacks, pid_t pid);

/* Accepts the last unwound stack, of MESSAGE of process PID, and counts it. If it was cut because only a part was
 * copied, requests deeper copies. */
void stacks_taken(struct stacks *stacks, pid_t pid, const struct message_capture *message);

/* Requests the generated code that the last unwound stack, of MESSAGE of process PID, lacks. Returns false if all of
 * it was requested lately, or no more can be requested now. */
bool stacks_ask_code(struct stacks *stacks, pid_t pid, const struct message_capture *message);

/* Sets COMMAND to the next request to the tracer. Returns false if none is due. */
bool stacks_next_command(struct stacks *stacks, struct command *command);

/* The answer to COMMAND_CODE: MESSAGE with its bytes. */
void stacks_code(struct stacks *stacks, const struct message_code *message);

/* Frees everything. Free the record, whose files are used, later. */
void stacks_fini(struct stacks *stacks);

#endif
