/* SPDX-License-Identifier: MIT */
#include "common/wire/emit.h"

#include "common/base/error.h"
#include "common/base/ring.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A channel without processes: messages of the emitter are read back here. */
struct bench {
    struct channel channel;
    struct emitter emitter;
    uint32_t sent;               /* number of the last message or capture */
    uint32_t read;               /* of the last message read */
    uint64_t captures, messages; /* numbers of those read */
};

enum { ROOM = 1 << 16 };

static struct bench *bench_new(size_t room)
{
    struct error error = {0};
    struct bench *bench = calloc(1, sizeof *bench);
    ck_assert_ptr_nonnull(bench);
    ck_assert_int_eq(ring_map(&bench->channel.ring, room, &error), 0);
    bench->channel.shared = calloc(1, sizeof *bench->channel.shared);
    ck_assert_ptr_nonnull(bench->channel.shared);
    bench->channel.ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ck_assert_int_ge(bench->channel.ready, 0);
    bench->emitter.channel = &bench->channel;
    return bench;
}

static void bench_free(struct bench *bench)
{
    buffer_fini(&bench->emitter.waiting);
    close(bench->channel.ready);
    ring_unmap(&bench->channel.ring);
    free(bench->channel.shared);
    free(bench);
}

/* Returns true if the front was woken since the last call, and lets it be woken again. */
static bool told(struct bench *bench)
{
    uint64_t times;
    bool woken = read(bench->channel.ready, &times, sizeof times) == sizeof times;
    ck_assert(woken == (atomic_exchange(&bench->channel.shared->front_notified, 0) != 0));
    ck_assert(!woken || times == 1);
    return woken;
}

static uint64_t lost_captures(const struct bench *bench)
{
    return atomic_load(&bench->channel.shared->counts.lost_full);
}

static uint64_t lost_messages(const struct bench *bench)
{
    return atomic_load(&bench->channel.shared->counts.lost_messages);
}

static size_t free_bytes(const struct bench *bench)
{
    return bench->channel.ring.room - ring_filled(&bench->channel.ring);
}

static unsigned char byte_of(uint32_t number, size_t at)
{
    return (unsigned char)(number * 31 + at * 7);
}

/* Sends a message with a number and MORE bytes derived from it. */
static void put_message(struct bench *bench, size_t more, bool urgent)
{
    struct message_maps message = {.image = ++bench->sent, .length = (uint32_t)more};
    unsigned char *bytes = malloc(more + 1);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < more; i++)
        bytes[i] = byte_of(message.image, i);
    emit_message(&bench->emitter, MESSAGE_MAPS, &message, sizeof message, more ? bytes : NULL, more, urgent);
    free(bytes);
}

enum { RUNS = 3 }; /* of each capture */

/* Reserves ROOM bytes of stack and uses USED. Returns false without space. */
static bool put_capture(struct bench *bench, uint32_t room, uint32_t used)
{
    struct message_capture *capture = emit_reserve_capture(&bench->emitter, RUNS, room);
    if (!capture)
        return false;
    *capture = (struct message_capture){.image = ++bench->sent, .run_count = RUNS, .stack_size = used};
    unsigned char *stack = (unsigned char *)(capture + 1);
    for (size_t i = 0; i < RUNS * sizeof(struct memory_run); i++)
        *stack++ = byte_of(capture->image, i);
    for (uint32_t i = 0; i < used; i++)
        stack[i] = byte_of(capture->image, i);
    emit_capture(&bench->emitter, capture);
    return true;
}

static size_t wrong_bytes(const unsigned char *bytes, uint32_t number, size_t size)
{
    size_t wrong = 0;
    for (size_t i = 0; i < size; i++)
        wrong += bytes[i] != byte_of(number, i);
    return wrong;
}

/* Reads one message. Checks that it is complete and in order. Returns false if the ring is empty. */
static bool take(struct bench *bench)
{
    struct ring_header header;
    bool damaged = false;
    const unsigned char *bytes = ring_peek(&bench->channel.ring, &header, &damaged);
    ck_assert(!damaged);
    if (!bytes)
        return false;
    uint32_t number;
    memcpy(&number, bytes, sizeof number); /* both types begin with it */
    if (header.type == MESSAGE_CAPTURE) {
        const struct message_capture *capture = (const void *)bytes;
        ck_assert_uint_eq(header.size, sizeof *capture + RUNS * sizeof(struct memory_run) + capture->stack_size);
        ck_assert_uint_eq(wrong_bytes((const void *)message_runs(capture), number, RUNS * sizeof(struct memory_run)),
                          0);
        ck_assert_uint_eq(wrong_bytes(message_stack(capture), number, capture->stack_size), 0);
        bench->captures++;
    } else {
        const struct message_maps *message = (const void *)bytes;
        ck_assert_uint_eq(header.type, MESSAGE_MAPS);
        ck_assert_uint_eq(header.size, sizeof *message + message->length);
        ck_assert_uint_eq(wrong_bytes((const void *)(message + 1), number, message->length), 0);
        bench->messages++;
    }
    ck_assert_uint_gt(number, bench->read);
    bench->read = number;
    ring_consume(&bench->channel.ring);
    return true;
}

/* Reads all sent and all waiting messages. */
static void take_all(struct bench *bench)
{
    do {
        while (take(bench))
            ;
        emit_retry(&bench->emitter);
    } while (ring_filled(&bench->channel.ring));
    ck_assert_uint_eq(bench->emitter.waiting.length, 0);
}

START_TEST(sent_messages_arrive)
{
    struct bench *bench = bench_new(ROOM);
    put_message(bench, 0, false);
    put_message(bench, 1, false);
    ck_assert(put_capture(bench, 1000, 1000));
    ck_assert(put_capture(bench, 1000, 3)); /* shortened */
    ck_assert(put_capture(bench, 0, 0));
    put_message(bench, 5000, false);
    take_all(bench);
    ck_assert_uint_eq(bench->read, 6);
    ck_assert_uint_eq(bench->messages, 3);
    ck_assert_uint_eq(bench->captures, 3);
    ck_assert_uint_eq(lost_captures(bench), 0);
    bench_free(bench);
}
END_TEST

START_TEST(the_front_is_told_when_it_matters)
{
    struct bench *bench = bench_new(ROOM);
    put_message(bench, 100, false);
    ck_assert(put_capture(bench, 100, 100));
    ck_assert(!told(bench));
    put_message(bench, 100, true); /* urgent */
    put_message(bench, 100, true); /* the front has not read yet, so it is not woken again */
    ck_assert(told(bench));
    ck_assert(!told(bench));
    while (ring_filled(&bench->channel.ring) + 2000 < ROOM / 4)
        ck_assert(put_capture(bench, 1000, 1000));
    ck_assert(!told(bench));
    emit_remind(&bench->emitter, 1000);
    ck_assert(!told(bench));
    while (ring_filled(&bench->channel.ring) <= ROOM / 4)
        ck_assert(put_capture(bench, 1000, 1000));
    ck_assert(!told(bench)); /* a capture is taken while its thread is stopped */
    emit_remind(&bench->emitter, 1000);
    ck_assert(told(bench));
    put_message(bench, 10, false);
    ck_assert(told(bench));
    take_all(bench);
    put_message(bench, 10, false);
    ck_assert(!told(bench));
    bench_free(bench);
}
END_TEST

/* A few captures do not wait for the ring to fill: one wake-up in 50 ms is for all of them. */
START_TEST(the_front_is_reminded_of_few_captures)
{
    enum { MS = 1000000 };
    struct bench *bench = bench_new(16 * ROOM);
    emit_remind(&bench->emitter, 1000 * (uint64_t)MS);
    ck_assert(!told(bench)); /* the ring is empty */
    for (uint64_t ms = 1001, calls = 0; ms < 2001; ms++) {
        ck_assert(put_capture(bench, 10, 10));
        emit_remind(&bench->emitter, ms * MS);
        if (told(bench)) {
            take_all(bench);
            calls++;
        }
        ck_assert_msg(ms < 2000 || (calls >= 18 && calls <= 20), "%lu", calls);
    }
    bench_free(bench);
}
END_TEST

static const uint32_t stacks[] = {0, 1, 100, 1000, 4096, ROOM / 2 - 1000};

START_TEST(captures_that_do_not_fit_are_dropped_and_counted)
{
    struct bench *bench = bench_new(ROOM);
    uint64_t taken = 0;
    while (put_capture(bench, stacks[_i], stacks[_i]))
        taken++;
    ck_assert_uint_gt(taken, 0);
    ck_assert_uint_eq(lost_captures(bench), 1);
    ck_assert_uint_ge(free_bytes(bench), ROOM / 8); /* reserved for messages */
    ck_assert_uint_lt(free_bytes(bench),
                      ROOM / 8 + sizeof(struct message_capture) + RUNS * sizeof(struct memory_run) + stacks[_i] + 32);
    ck_assert(told(bench));
    for (int i = 0; i < 10; i++)
        ck_assert(!put_capture(bench, stacks[_i], stacks[_i]));
    ck_assert_uint_eq(lost_captures(bench), 11);
    ck_assert(told(bench)); /* a second time, as it has not read */

    put_message(bench, ROOM / 8 - 100, false); /* it fits */
    ck_assert_uint_eq(bench->emitter.waiting.length, 0);
    take_all(bench);
    ck_assert_uint_eq(bench->captures, taken);
    ck_assert_uint_eq(bench->messages, 1);
    ck_assert(put_capture(bench, stacks[_i], stacks[_i]));
    ck_assert_uint_eq(lost_captures(bench), 11);
    bench_free(bench);
}
END_TEST

START_TEST(messages_that_do_not_fit_wait)
{
    struct bench *bench = bench_new(ROOM);
    for (int i = 0; i < 10; i++)
        put_message(bench, ROOM / 4, false);
    ck_assert_uint_gt(bench->emitter.waiting.length, 6 * ROOM / 4);
    size_t waiting = bench->emitter.waiting.length;

    /* a small message, or a capture that fits, does not overtake waiting ones */
    ck_assert_uint_gt(free_bytes(bench), 1000);
    put_message(bench, 10, false);
    ck_assert_uint_gt(bench->emitter.waiting.length, waiting);
    uint32_t last = bench->sent;
    ck_assert(!put_capture(bench, 0, 0));
    ck_assert_uint_eq(lost_captures(bench), 1);

    ck_assert(take(bench));
    waiting = bench->emitter.waiting.length;
    told(bench);
    emit_retry(&bench->emitter); /* one fits */
    ck_assert_uint_lt(bench->emitter.waiting.length, waiting);
    ck_assert(told(bench));
    waiting = bench->emitter.waiting.length;
    emit_retry(&bench->emitter); /* no more fits */
    ck_assert_uint_eq(bench->emitter.waiting.length, waiting);
    ck_assert(!told(bench));

    take_all(bench);
    ck_assert_uint_eq(bench->messages, 11);
    ck_assert_uint_eq(bench->read, last);
    ck_assert_uint_eq(lost_messages(bench), 0);
    ck_assert(put_capture(bench, 0, 0));
    bench_free(bench);
}
END_TEST

START_TEST(a_retry_of_nothing_does_nothing)
{
    struct bench *bench = bench_new(ROOM);
    emit_retry(&bench->emitter);
    ck_assert(!told(bench));
    ck_assert_uint_eq(ring_filled(&bench->channel.ring), 0);
    bench_free(bench);
}
END_TEST

/* Whenever the front reads, every message arrives in order, and every capture arrives or is counted. */
static const struct {
    uint32_t seed, reads; /* number of reads in 16 steps */
} runs[] = {{1, 0}, {2, 1}, {3, 4}, {4, 8}, {5, 12}};

START_TEST(nothing_is_lost_uncounted)
{
    struct bench *bench = bench_new(ROOM);
    uint32_t random = runs[_i].seed;
    uint64_t messages = 0, asked = 0;
    for (int step = 0; step < 4000; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t size = (random >> 8) % 3000;
        if (random >> 28 < runs[_i].reads) {
            for (uint32_t i = 0; i < 3 && take(bench); i++)
                ;
        } else if (random & 0x80) {
            asked++;
            put_capture(bench, size, size / 2);
        } else {
            messages++;
            put_message(bench, size, random & 0x40);
        }
    }
    take_all(bench);
    ck_assert_uint_eq(bench->messages, messages);
    ck_assert_uint_eq(lost_messages(bench), 0);
    ck_assert_uint_eq(bench->captures + lost_captures(bench), asked);
    ck_assert((lost_captures(bench) > 0) == (runs[_i].reads < 8)); /* a front that is fast enough gets all captures */
    bench_free(bench);
}
END_TEST

/* If the front never reads, the tracer's memory must have a limit. */
START_TEST(waiting_messages_are_bounded)
{
    enum { SIZE = 1000000, COUNT = 100, MOST = 64 << 20 };
    struct bench *bench = bench_new(4 << 20);
    for (int i = 0; i < COUNT; i++)
        put_message(bench, SIZE, false);
    uint64_t lost = lost_messages(bench);
    ck_assert_uint_gt(lost, 0);
    ck_assert_uint_le(bench->emitter.waiting.length, MOST);
    ck_assert_uint_gt(bench->emitter.waiting.length, MOST - 2 * SIZE);
    for (int i = 0; i < 20; i++)
        put_message(bench, SIZE, true);
    ck_assert_uint_eq(lost_messages(bench), lost + 20);
    take_all(bench);
    ck_assert_uint_eq(bench->messages + lost, COUNT);
    put_message(bench, 10, false);
    take_all(bench);
    ck_assert_uint_eq(bench->read, bench->sent); /* the channel works again */
    bench_free(bench);
}
END_TEST

/* With any amount of data in the ring and waiting for it. */
START_TEST(questions_have_a_way_of_their_own)
{
    struct bench *bench = bench_new(ROOM);
    struct message_entries question = {.image = 7, .pid = 8, .tid = 9, .length = 5};
    struct ring *questions = &bench->channel.questions;
    struct error error = {0};
    struct ring_header header;
    bool damaged = false;
    ck_assert_int_eq(ring_map(questions, ROOM, &error), 0);
    for (size_t sent = 0; sent < 2 * ROOM; sent += ROOM / 8)
        put_message(bench, ROOM / 8, false);
    ck_assert_uint_gt(bench->emitter.waiting.length, 0);
    told(bench);
    ck_assert(emit_question(&bench->emitter, &question, "text"));
    ck_assert(told(bench));
    const unsigned char *got = ring_peek(questions, &header, &damaged);
    ck_assert_ptr_nonnull(got);
    ck_assert_uint_eq(header.type, MESSAGE_ENTRIES);
    ck_assert_uint_eq(header.size, sizeof question + 5);
    ck_assert_mem_eq(got, &question, sizeof question);
    ck_assert_mem_eq(got + sizeof question, "text", 5);
    question.length = ROOM; /* larger than any limit: no thread is held for it */
    ck_assert(!emit_question(&bench->emitter, &question, "text"));
    ring_unmap(questions);
    bench_free(bench);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("wire/emit");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, sent_messages_arrive);
    tcase_add_test(tests, the_front_is_told_when_it_matters);
    tcase_add_test(tests, the_front_is_reminded_of_few_captures);
    UNIT_ADD_TABLE(tests, captures_that_do_not_fit_are_dropped_and_counted, stacks);
    tcase_add_test(tests, messages_that_do_not_fit_wait);
    tcase_add_test(tests, a_retry_of_nothing_does_nothing);
    UNIT_ADD_TABLE(tests, nothing_is_lost_uncounted, runs);
    tcase_add_test(tests, waiting_messages_are_bounded);
    tcase_add_test(tests, questions_have_a_way_of_their_own);
    return unit_end();
}
