/* SPDX-License-Identifier: MIT
 *
 * From a capture to its frames: what each image has mapped, and the unwinding, while the tracee runs on. */
#ifndef FRONT_STACKS_H
#define FRONT_STACKS_H

#include "base/hash.h"
#include "record/record.h"
#include "tracer/protocol.h"
#include "unwind/unwind.h"

enum {
    STACKS_DEEPEST = 512, /* frames; deeper stacks are cut */
    STACKS_ASKED = 64,    /* processes; more are asked when they miss again */
};

/* Pages of code that a process made itself, which are to be asked for. */
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

/* Needs only to be zeroed; then it knows no stacks, only leaves. */
struct stacks {
    struct unwinder *unwinder;
    struct { struct stacks_image *items; size_t count, room; struct hash index; } images;
    struct { struct unwind_object **items; size_t count, room; } objects; /* by the record's numbers; NULL: none */
    struct record_frame frames[STACKS_DEEPEST];
    bool missed;         /* some code of the stack unwound last was not mapped yet, as far as is known */
    bool lacks_code;     /* some page of generated code is not known that it leads through */
    struct stacks_code lacking; /* what it lacks and was not asked for yet; its pid is not set */
    struct stacks_code code[STACKS_CODE]; /* to be asked for */
    size_t code_count;
    pid_t asked[STACKS_ASKED]; /* processes whose maps are to be asked for */
    size_t asked_count;
};

/* Returns 0, or -errno with ERROR set. */
int stacks_start(struct stacks *stacks, enum stacks_mode mode, struct error *error);

/* The mappings of IMAGE, whose maps RECORD has taken, have changed; IMAGE has ended. */
void stacks_maps(struct stacks *stacks, const struct record *record, uint32_t image);
void stacks_image_ends(struct stacks *stacks, uint32_t image);

/* Sets the frames of CAPTURE, valid until the next call, from MESSAGE, behind which its stack lies, as it should. */
void stacks_unwind(struct stacks *stacks, const struct message_capture *message, struct record_capture *capture);

/* The maps of process PID are to be asked for. */
void stacks_ask(struct stacks *stacks, pid_t pid);

/* What the stack unwound last lacks of the code that process PID made is to be asked for. False if there is nothing that
 * was not asked for lately. */
bool stacks_ask_code(struct stacks *stacks, pid_t pid);

/* The answer: MESSAGE with its bytes. */
void stacks_code(struct stacks *stacks, const struct message_code *message);

/* Frees everything. The record, whose files are used, is freed later. */
void stacks_free(struct stacks *stacks);

#endif
