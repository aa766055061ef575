/* SPDX-License-Identifier: MIT
 *
 * Puts the tracer's messages into the record. */
#ifndef SESSION_INTAKE_H
#define SESSION_INTAKE_H

#include "front/session/entries.h"
#include "front/session/looks.h"
#include "front/session/mixed.h"
#include "front/session/senders.h"
#include "front/session/shadow.h"
#include "front/session/stacks.h"
#include "front/session/waiting.h"

struct channel;
struct ring;

/* State besides the record. */
struct intake {
    struct senders_recent recent;
    struct record *record;
    struct stacks stacks;
    struct mixed mixed;
    struct channel *channel; /* for questions and answers; NULL: no questions */
    struct entries entries;  /* facts for answers */
    struct buffer waiting;   /* session/waiting.h */
    struct arrived_pages arrived;
    uint64_t latest_ns; /* time of the newest capture */
    uint64_t unknown;   /* messages that could not be understood */
    struct {
        uint64_t count;                /* of processes */
        struct message_trouble of_one; /* of them */
    } troubles[TROUBLES];
    struct looks looks;
    struct shadows shadows;                    /* copies of the buffers of imposed calls */
    uint64_t running;                          /* images still running when the tracer closed */
    bool begun;                                /* an image has begun; */
    char first_command[COMMAND_LINE_MOST + 1]; /* its command line; empty if unknown */
};

/* Takes one message of TYPE with SIZE bytes. Counts and ignores bytes that do not fit their type. */
void intake_message(struct intake *intake, uint32_t type, const void *bytes, size_t size);

/* Takes the next message of RING. Returns false if there is none. Questions come through another ring and are answered
 * first, because threads are held for them. */
bool intake_next(struct intake *intake, struct ring *ring);

/* Call it after the last message. */
void intake_end(struct intake *intake);

/* Begins the next interval: renews the record, and forgets files that have been unused for long. */
void intake_renew(struct intake *intake);

#endif
