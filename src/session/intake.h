/* SPDX-License-Identifier: MIT
 *
 * From the tracer's messages to the record. */
#ifndef SESSION_INTAKE_H
#define SESSION_INTAKE_H

#include "base/buffer.h"
#include "session/entries.h"
#include "session/mixed.h"
#include "session/shadow.h"
#include "session/stacks.h"
#include "session/waiting.h"
#include "record/record.h"
#include "wire/channel.h"

/* What messages reported besides samples. */
struct intake {
    struct record *record;
    struct stacks stacks;
    struct mixed mixed;
    struct channel *channel; /* carries questions and their answers; NULL: no questions */
    struct entries entries;  /* facts for the answers */
    struct buffer waiting;   /* session/waiting.h */
    struct arrived_pages arrived;
    uint64_t unknown; /* messages that could not be understood */
    struct {
        uint64_t count;                /* of processes */
        struct message_trouble of_one; /* of them */
    } troubles[TROUBLES];
    struct shadows shadows;                    /* of the buffers of imposed calls */
    uint64_t running;                          /* images that were still running when the tracer closed */
    bool begun;                                /* there has been an image; */
    char first_command[COMMAND_LINE_MOST + 1]; /* its command line; empty if unknown */
};

/* Takes one message of TYPE with SIZE bytes. Bytes that do not fit their type are counted and ignored. */
void intake_message(struct intake *intake, uint32_t type, const void *bytes, size_t size);

/* Takes the next message of RING. Returns false if none exists. Threads are held for questions, which come by
 * another ring: they are answered first. */
bool intake_next(struct intake *intake, struct ring *ring);

/* Call it when no more messages come. */
void intake_end(struct intake *intake);

#endif
