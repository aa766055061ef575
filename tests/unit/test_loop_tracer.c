/* SPDX-License-Identifier: MIT
 *
 * The tracer's loop: how long it sleeps, and when it checks all tracees for events. Nothing is traced and sampling
 * is off, so only events of the loop itself wake it. */
#include "tracer/loop/dispatch.h"
#include "tracer/loop/settle.h"
#include "tracer/loop/tracer.h"

#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "fake_table.h"
#include "unit.h"

#include <signal.h>
#include <stdlib.h>

enum { THREADS = 65, FIRST_TID = 5000000, SWEEP_MS = 10, NEWBORN_MS = 1000 };
#define MS 1000000ull

/* Events while the loop sleeps, and its reaction. */
static const struct {
    const char *name;
    unsigned later_ms;
    bool child_signal, newborn;
    bool asks;         /* all tracees are checked */
    unsigned until_ms; /* the longest sleep; 0: unlimited */
} turns[] = {
    {"the first time", 0, false, false, true, 0},
    {"nothing, soon after", 4, false, false, false, SWEEP_MS - 4},
    {"again", 3, false, false, false, SWEEP_MS - 7},
    {"some tracee has news", 1, true, false, true, 0},
    {"again nothing", 1, false, false, false, SWEEP_MS - 1},
    {"that time is over", SWEEP_MS - 1, false, false, true, 0},
    {"a child was seen before its maker's event", SWEEP_MS, false, true, true, NEWBORN_MS},
    {"nothing more", 6, false, false, false, SWEEP_MS - 6},
    {"the time is over, and the child waits", SWEEP_MS - 6, false, false, true, NEWBORN_MS - SWEEP_MS},
};

static struct tracer *tracer;
static uint64_t now_ns = 5000 * MS;
static size_t turn;
static bool asked;

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return now_ns;
}

static void add_threads(void)
{
    struct process *process = table_add_process(&tracer->follow.table, FIRST_TID, 1);
    ck_assert_ptr_nonnull(process);
    for (int i = 0; i < THREADS; i++)
        ck_assert_ptr_nonnull(table_add_thread(&tracer->follow.table, process, FIRST_TID + i));
}

bool __wrap_dispatch_all(struct tracer *own);
bool __wrap_dispatch_all(struct tracer *own)
{
    if (!tracer) {
        tracer = own;
        add_threads();
    }
    asked = true;
    return true;
}

/* Prepares the next turn. */
static void happen(void)
{
    asked = false;
    turn++;
    if (turn == UNIT_ROWS(turns)) {
        tracer->closing = 1;
        return;
    }
    now_ns += turns[turn].later_ms * MS;
    if (turns[turn].child_signal)
        raise(SIGCHLD);
    if (turns[turn].newborn)
        tracer->follow.newborns[tracer->follow.newborn_count++] =
            (struct newborn){.tid = FIRST_TID + THREADS, .parent = FIRST_TID, .seen_ns = now_ns};
}

void __wrap_ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns);
void __wrap_ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns)
{
    (void)ticker, (void)seen;
    uint64_t expected_ns = turns[turn].until_ms ? now_ns + turns[turn].until_ms * MS : 0;
    expected_ns += expected_ns && tracer->follow.newborn_count && turns[turn].asks; /* the time must be exceeded */
    ck_assert_msg(asked == turns[turn].asks, "%s: %s", turns[turn].name, asked ? "all are asked" : "nobody is asked");
    ck_assert_msg(until_ns == expected_ns, "%s: until %llu, not %llu", turns[turn].name, (unsigned long long)until_ns,
                  (unsigned long long)expected_ns);
    happen();
}

int __wrap_ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns);
int __wrap_ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns)
{
    (void)ticker, (void)wake, (void)period_ns;
    return 0;
}

void __wrap_ticker_run(struct ticker *ticker, bool run);
void __wrap_ticker_run(struct ticker *ticker, bool run)
{
    (void)ticker;
    ck_assert(!run); /* no thread is active, and sampling is off */
}

bool __wrap_ticker_due(const struct ticker *ticker);
bool __wrap_ticker_due(const struct ticker *ticker)
{
    (void)ticker;
    return false;
}

void __wrap_settle_all(struct tracer *own);
void __wrap_settle_all(struct tracer *own)
{
    (void)own;
}

void __wrap_settle_stragglers(struct tracer *own);
void __wrap_settle_stragglers(struct tracer *own)
{
    (void)own;
}

void __wrap_settle_rests(struct tracer *own);
void __wrap_settle_rests(struct tracer *own)
{
    (void)own;
}

START_TEST(delayed_work_is_done_in_time)
{
    struct channel channel = {.shared = calloc(1, sizeof *channel.shared), .tracer_socket = -1, .ready = -1};
    const struct tracer_options options = {.rate = 1000, .children = true, .off = true};
    ck_assert_ptr_nonnull(channel.shared);
    tracer_run(&channel, &options);
    ck_assert_uint_eq(turn, UNIT_ROWS(turns));
    fake_table_free(&tracer->follow.table);
    free(channel.shared);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("loop/loop");
    tcase_add_test(tests, delayed_work_is_done_in_time);
    return unit_end();
}
