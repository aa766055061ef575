/* SPDX-License-Identifier: MIT */
#include "tracer/loop/stack.h"

#include "common/model/runs.h"
#include "common/wire/channel.h"
#include "fake_table.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "unit.h"

#include <stdlib.h>

enum { PID = 100, TID = 101, USUAL = 65536, DEEPEST = 1000000, HUGE_BYTES = 1 << 30 };

/* A clock that never advances. */
uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return 5000000000;
}

/* A tracer of one process with two threads that do not exist. */
static struct tracer *tracer_new(void)
{
    static struct channel channel; /* empty */
    struct tracer *tracer = calloc(1, sizeof *tracer);
    ck_assert_ptr_nonnull(tracer);
    tracer->channel = &channel;
    tracer->follow.table.rooms = tracer_rooms;
    tracer->options.stack_bytes = USUAL;
    tracer->options.stack_deepest = DEEPEST;
    struct process *process = table_add_process(&tracer->follow.table, PID, 1);
    ck_assert_ptr_nonnull(process);
    ck_assert_ptr_nonnull(table_add_thread(&tracer->follow.table, process, PID));
    ck_assert_ptr_nonnull(table_add_thread(&tracer->follow.table, process, TID));
    return tracer;
}

static void tracer_free(struct tracer *tracer)
{
    fake_table_free(&tracer->follow.table);
    free(tracer);
}

static const struct {
    uint64_t needed[3]; /* successive values */
    uint32_t granted;
} growths[] = {
    {{USUAL + 8}, 2 * USUAL},
    {{2 * USUAL}, 2 * USUAL},
    {{150 << 10}, 256 << 10},
    {{USUAL + 8, 2 * USUAL + 8, 4 * USUAL + 8}, 8 * USUAL},
    {{4 * USUAL, USUAL + 8}, 4 * USUAL}, /* a smaller need is not reported */
    {{DEEPEST}, DEEPEST},
    {{8 * USUAL + 8}, DEEPEST},
    {{HUGE_BYTES}, DEEPEST},
};

START_TEST(more_is_copied_by_steps)
{
    struct tracer *tracer = tracer_new();
    struct table *table = &tracer->follow.table;
    for (size_t i = 0; i < UNIT_ROWS(growths[_i].needed) && growths[_i].needed[i]; i++)
        stack_deeper(tracer, PID, TID, growths[_i].needed[i], 0);
    ck_assert_uint_eq(table_process(table, PID)->own->deep.bytes, growths[_i].granted);
    ck_assert_uint_eq(table_thread(table, TID)->own->deep.bytes, growths[_i].granted);
    ck_assert_uint_eq(table_thread(table, PID)->own->deep.bytes, 0); /* because its stack may end anywhere */
    tracer_free(tracer);
}
END_TEST

START_TEST(a_grant_ends)
{
    struct tracer *tracer = tracer_new();
    struct process *process = table_process(&tracer->follow.table, PID);
    stack_deeper(tracer, PID, TID, 4 * USUAL, 0);
    ck_assert_uint_gt(process->own->deep.until_ns, 0);
    process->own->deep.until_ns = 1;
    stack_deeper(tracer, PID, TID, USUAL + 8, 0);
    ck_assert_uint_eq(process->own->deep.bytes, 2 * USUAL);
    tracer_free(tracer);
}
END_TEST

/* Threads and processes that have ended, or belong to others. */
START_TEST(strangers_get_nothing)
{
    struct tracer *tracer = tracer_new();
    struct process *process = table_process(&tracer->follow.table, PID);
    stack_deeper(tracer, PID + 5, TID, USUAL + 8, 0);
    ck_assert_uint_eq(process->own->deep.bytes, 0);
    ck_assert_uint_eq(table_thread(&tracer->follow.table, TID)->own->deep.bytes, 0);
    stack_deeper(tracer, PID, TID + 5, USUAL + 8, 0);
    ck_assert_uint_eq(process->own->deep.bytes, 2 * USUAL);
    tracer->options.stack_bytes = 0; /* stacks are off */
    stack_deeper(tracer, PID, TID, 4 * USUAL, 0);
    ck_assert_uint_eq(process->own->deep.bytes, 2 * USUAL);
    tracer_free(tracer);
}
END_TEST

enum { SWAPPED_END = 0x10000, STACK_END = 0x14000 };

/* The page that ends at SWAPPED_END is swapped out, so a search that begins there finds nothing. The pages above it,
 * up to STACK_END, are present. */
void __real_runs_take_all(struct runs *runs);
void __wrap_runs_take_all(struct runs *runs);
void __wrap_runs_take_all(struct runs *runs)
{
    runs->end = runs->end < STACK_END ? runs->end : STACK_END;
    if (runs->at >= SWAPPED_END)
        __real_runs_take_all(runs);
}

START_TEST(a_page_below_the_stack_may_be_swapped_out)
{
    struct tracer *tracer = tracer_new();
    struct thread *thread = table_thread(&tracer->follow.table, TID);
    struct runs runs;
    thread->process->memory = (struct memory){.looked = true, .pagemap = -1};
    for (uint64_t sp = SWAPPED_END; sp < SWAPPED_END + 512; sp += 8) {
        stack_find(tracer, thread, sp, 1, &runs);
        ck_assert_uint_eq(runs.count, 1);
        ck_assert_uint_le(runs.items[0].start, sp);
        ck_assert_uint_eq(runs.items[0].start + runs.items[0].size, STACK_END);
    }
    tracer_free(tracer);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("loop/stack");
    UNIT_ADD_TABLE(tests, more_is_copied_by_steps, growths);
    tcase_add_test(tests, a_grant_ends);
    tcase_add_test(tests, strangers_get_nothing);
    tcase_add_test(tests, a_page_below_the_stack_may_be_swapped_out);
    return unit_end();
}
