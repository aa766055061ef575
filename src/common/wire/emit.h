/* SPDX-License-Identifier: MIT
 *
 * The tracer's end of the rings. It never waits: captures that do not fit are dropped and counted; other messages
 * are kept until there is room. */
#ifndef WIRE_EMIT_H
#define WIRE_EMIT_H

#include "common/base/buffer.h"
#include "common/wire/message.h"

struct channel;

struct emitter {
    struct channel *channel;
    struct buffer waiting; /* messages that did not fit, each with its ring_header */
    uint64_t told_ns;      /* monotonic time at which captures last woke the front */
    bool closed;           /* no message is sent any longer */
};

/* Sends a message of TYPE: SIZE bytes and then MORE_SIZE bytes. URGENT: wakes the front at once. */
void emit_message(struct emitter *emitter, enum message_type type, const void *bytes, size_t size, const void *more,
                  size_t more_size, bool urgent);

/* Sends QUESTION with its TEXT, of the length in QUESTION, past all other messages. Returns false if there is no
 * room. */
bool emit_question(struct emitter *emitter, const struct message_entries *question, const char *text);

/* Reserves a capture with room for RUN_COUNT runs and BYTES after them. Returns NULL, and counts the loss, if the
 * ring is too full: its last eighth is kept for other messages. */
struct message_capture *emit_reserve_capture(struct emitter *emitter, size_t run_count, size_t bytes);

/* Publishes the reserved capture, with its run_count and stack_size set. Wakes nobody: its thread may be stopped. */
void emit_capture(struct emitter *emitter, const struct message_capture *capture);

/* Wakes the front at NOW_NS if it has enough work, or if messages wait in the ring and it has not been woken for long:
 * it may ask for maps that it lacks, or for more of a thread that waits. Call it after captures, and while none
 * come. */
void emit_remind(struct emitter *emitter, uint64_t now_ns);

/* Tries again to send the waiting messages. */
void emit_retry(struct emitter *emitter);

#endif
