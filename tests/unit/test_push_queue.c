/* SPDX-License-Identifier: MIT */
#include "profile/push/queue.h"

#include "unit.h"

#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)

static const struct {
    long status;
    enum push_result result;
} answers[] = {
    {0, PUSH_AGAIN},     {200, PUSH_SENT},    {202, PUSH_SENT},    {204, PUSH_SENT},    {301, PUSH_REFUSED},
    {400, PUSH_REFUSED}, {401, PUSH_REFUSED}, {404, PUSH_REFUSED}, {408, PUSH_AGAIN},   {413, PUSH_REFUSED},
    {429, PUSH_AGAIN},   {500, PUSH_FAILED},  {502, PUSH_FAILED},  {503, PUSH_AGAIN},   {504, PUSH_FAILED},
    {501, PUSH_REFUSED}, {100, PUSH_REFUSED}, {-1, PUSH_REFUSED},  {999, PUSH_REFUSED},
};

static void free_queue(struct push_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        free(queue->items[i].bytes);
    free(queue->items);
    *queue = (struct push_queue){0};
}

START_TEST(answers_follow_the_table)
{
    ck_assert_int_eq(push_result_of(answers[_i].status), answers[_i].result);
}
END_TEST

static void add(struct push_queue *queue, size_t size, uint64_t now_ns)
{
    push_queue_add(queue, malloc(size), size, now_ns);
    ck_assert_uint_le(queue->bytes, queue->most_bytes);
}

START_TEST(requests_are_sent_one_after_another)
{
    struct push_queue queue = {.most_bytes = 1000};
    ck_assert_ptr_null(push_queue_begin(&queue, 5));
    ck_assert_uint_eq(push_queue_due_ns(&queue), UINT64_MAX);
    add(&queue, 10, 5);
    add(&queue, 20, 6);
    ck_assert_uint_eq(push_queue_due_ns(&queue), 0);
    ck_assert_uint_eq(push_queue_begin(&queue, 6)->size, 10);
    ck_assert_ptr_null(push_queue_begin(&queue, 6));
    ck_assert_uint_eq(push_queue_due_ns(&queue), UINT64_MAX);
    push_queue_end(&queue, PUSH_SENT, 0, 0, 7);
    ck_assert_uint_eq(push_queue_begin(&queue, 7)->size, 20);
    push_queue_end(&queue, PUSH_SENT, 0, 0, 8);
    push_queue_end(&queue, PUSH_SENT, 0, 0, 8); /* no request is being sent */
    ck_assert_uint_eq(queue.counts.sent, 2);
    ck_assert_uint_eq(queue.count + queue.bytes, 0);
    free_queue(&queue);
}
END_TEST

START_TEST(the_oldest_make_room)
{
    struct push_queue queue = {.most_bytes = 100};
    for (uint64_t i = 1; i <= 5; i++)
        add(&queue, 40, i);
    ck_assert_uint_eq(queue.count, 2);
    ck_assert_uint_eq(queue.items[0].born_ns, 4);
    ck_assert_uint_eq(queue.counts.dropped, 3);
    add(&queue, 101, 6); /* larger than the queue: it is dropped, and others stay */
    ck_assert_uint_eq(queue.count, 2);
    ck_assert_uint_eq(queue.counts.dropped, 4);
    ck_assert_ptr_nonnull(push_queue_begin(&queue, 6));
    add(&queue, 60, 7); /* the request that is being sent stays */
    ck_assert_uint_eq(queue.count, 2);
    ck_assert_uint_eq(queue.items[0].born_ns, 4);
    ck_assert_uint_eq(queue.items[1].born_ns, 7);
    add(&queue, 80, 8); /* does not fit beside that request: it is dropped */
    ck_assert_uint_eq(queue.count, 2);
    push_queue_end(&queue, PUSH_SENT, 0, 0, 9);
    ck_assert_uint_eq(queue.counts.sent, 1);
    ck_assert_uint_eq(push_lost(&queue.counts), 6);
    free_queue(&queue);
}
END_TEST

START_TEST(waits_grow_and_are_spread)
{
    struct push_queue queue = {.most_bytes = 100};
    uint64_t now_ns = SECOND_NS, last_ns = 0;
    add(&queue, 40, now_ns);
    for (int i = 0; i < 10; i++) {
        ck_assert_ptr_nonnull(push_queue_begin(&queue, now_ns));
        push_queue_end(&queue, PUSH_AGAIN, 0, 1023, now_ns);
        uint64_t wait_ns = queue.next_ns - now_ns;
        ck_assert_uint_ge(wait_ns, last_ns);
        ck_assert_uint_le(wait_ns, 60 * SECOND_NS);
        ck_assert_ptr_null(push_queue_begin(&queue, queue.next_ns - 1));
        last_ns = wait_ns;
        now_ns = queue.next_ns;
    }
    ck_assert_uint_gt(last_ns, 59 * SECOND_NS);
    ck_assert_ptr_nonnull(push_queue_begin(&queue, now_ns));
    push_queue_end(&queue, PUSH_AGAIN, 0, 0, now_ns);
    ck_assert_uint_eq(queue.next_ns - now_ns, 30 * SECOND_NS);
    free_queue(&queue);
}
END_TEST

START_TEST(a_server_is_not_asked_before_it_wants_to_be)
{
    struct push_queue queue = {.most_bytes = 100};
    add(&queue, 40, 1);
    for (uint32_t random = 0; random < 5000; random += 77) {
        ck_assert_ptr_nonnull(push_queue_begin(&queue, queue.next_ns));
        uint64_t now_ns = queue.next_ns;
        push_queue_end(&queue, PUSH_AGAIN, 7 * SECOND_NS, random, now_ns);
        ck_assert_uint_ge(queue.next_ns - now_ns, 7 * SECOND_NS);
        ck_assert_uint_lt(queue.next_ns - now_ns, 8 * SECOND_NS);
    }
    uint64_t now_ns = queue.next_ns;
    ck_assert_ptr_nonnull(push_queue_begin(&queue, now_ns));
    push_queue_end(&queue, PUSH_AGAIN, UINT64_MAX, 0, now_ns); /* retries end */
    ck_assert_uint_le(queue.next_ns - now_ns, 3601 * SECOND_NS);
    free_queue(&queue);
}
END_TEST

/* A request that causes errors of the server must not block all others. */
START_TEST(errors_of_the_server_end)
{
    struct push_queue queue = {.most_bytes = 100};
    add(&queue, 40, 1);
    add(&queue, 50, 1);
    int tries = 0;
    while (queue.items[0].size == 40) {
        ck_assert_ptr_nonnull(push_queue_begin(&queue, queue.next_ns));
        push_queue_end(&queue, PUSH_FAILED, 0, 5, queue.next_ns);
        ck_assert_int_lt(tries++, 10);
    }
    ck_assert_int_eq(tries, 5);
    ck_assert_uint_eq(queue.counts.refused, 1);
    ck_assert_uint_eq(queue.counts.retries, 4);
    free_queue(&queue);
}
END_TEST

/* The server is down for an hour, and each ten seconds a request is added. Requests that fit are kept, others are
 * counted, and few attempts are made. */
START_TEST(an_outage_of_an_hour)
{
    struct push_queue queue = {.most_bytes = 16 << 20, .oldest_ns = 3600 * SECOND_NS};
    uint64_t attempts = 0, until_ns = 3600 * SECOND_NS, end_ns = until_ns + 300 * SECOND_NS;
    uint32_t random = 1;
    for (uint64_t now_ns = SECOND_NS; now_ns < end_ns; now_ns += SECOND_NS) {
        if (now_ns / SECOND_NS % 10 == 0 && now_ns < until_ns)
            add(&queue, _i ? 100000 : 20000, now_ns);
        for (bool away = now_ns < until_ns; push_queue_begin(&queue, now_ns); attempts += away)
            push_queue_end(&queue, away ? PUSH_AGAIN : PUSH_SENT, 0, random = random * 1103515245 + 12345, now_ns);
    }
    ck_assert_uint_lt(attempts, 130);
    ck_assert_uint_eq(queue.count, 0);
    ck_assert_uint_eq(queue.counts.sent + push_lost(&queue.counts), 359);
    ck_assert_uint_eq(queue.counts.refused, 0);
    if (!_i)
        ck_assert_uint_ge(queue.counts.sent, 350); /* the oldest ones may have expired */
    else
        ck_assert_uint_eq(queue.counts.dropped, 359 - (16 << 20) / 100000);
    free_queue(&queue);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/queue");
    UNIT_ADD_TABLE(tests, answers_follow_the_table, answers);
    tcase_add_test(tests, requests_are_sent_one_after_another);
    tcase_add_test(tests, the_oldest_make_room);
    tcase_add_test(tests, waits_grow_and_are_spread);
    tcase_add_test(tests, a_server_is_not_asked_before_it_wants_to_be);
    tcase_add_test(tests, errors_of_the_server_end);
    tcase_add_loop_test(tests, an_outage_of_an_hour, 0, 2);
    return unit_end();
}
