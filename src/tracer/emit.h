/* SPDX-License-Identifier: MIT
 *
 * The tracer's end of the rings. It never waits: captures that do not fit are dropped and counted, other messages are
 * kept aside until there is room. */
#ifndef TRACER_EMIT_H
#define TRACER_EMIT_H

#include "base/buffer.h"
#include "tracee/table.h"
#include "wire/channel.h"

struct emitter {
    struct channel *channel;
    struct buffer waiting; /* messages that found no room, each with its ring_header */
    uint64_t told_ns;      /* time of the last capture of which the front was told */
    bool closed;           /* all has been said: no message is sent any more */
};

/* Sends a message of TYPE: SIZE bytes and then MORE_SIZE bytes. Tells the front at once if URGENT. */
void emit_message(struct emitter *emitter, enum message_type type, const void *bytes, size_t size, const void *more,
                  size_t more_size, bool urgent);

/* Sends QUESTION, with the TEXT that it tells the length of, past all other messages. Returns false if there is no
 * room. */
bool emit_question(struct emitter *emitter, const struct message_entries *question, const char *text);

/* Reserves a capture with room for RUN_COUNT runs and BYTES behind them, or returns NULL, counted, if
 * the ring is too full: the last eighth is kept for the other messages. */
struct message_capture *emit_reserve_capture(struct emitter *emitter, size_t run_count, size_t bytes);

/* Publishes the reserved capture, with the run_count, stack_size and time_ns that are set in it. The front is told when
 * it has enough to do, but not later than it can be asked for what it lacks. */
void emit_capture(struct emitter *emitter, const struct message_capture *capture);

/* Tells of WHAT cannot be done as it should with PROCESS, and the errno ERROR for that; once an image. */
void emit_trouble(struct emitter *emitter, struct process *process, enum trouble what, int error);

/* Tries again to send what is waiting. */
void emit_retry(struct emitter *emitter);

#endif
