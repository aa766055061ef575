/* SPDX-License-Identifier: MIT
 *
 * Sampling is switched off and on again. CPU time of threads between the two does not count, and no timer of the
 * tracer remains. */
#include "tracer/loop/switch.h"

#include "common/model/account.h"
#include "common/model/missed.h"
#include "common/model/proctext.h"
#include "fake_table.h"
#include "tracer/clock/state.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "unit.h"
#include "unit_log.h"

enum { PID = 5000000 }; /* larger than any real process number */
#define MS 1000000ull

static uint64_t now_ns, clock_ns;
static struct schedstat schedstat;

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return now_ns;
}

uint64_t __wrap_cpu_clock_ns(const struct process *process);
uint64_t __wrap_cpu_clock_ns(const struct process *process)
{
    (void)process;
    return clock_ns;
}

bool __wrap_picker_schedstat(struct thread *thread, struct schedstat *now);
bool __wrap_picker_schedstat(struct thread *thread, struct schedstat *now)
{
    (void)thread;
    *now = schedstat;
    return true;
}

void __wrap_picker_activate(struct process *process, uint64_t at_ns);
void __wrap_picker_activate(struct process *process, uint64_t at_ns)
{
    note("%d runs at %llu ms", (int)process->pid - PID, (unsigned long long)(at_ns / MS));
}

void __wrap_waits_thread_ends(struct tracer *tracer, struct thread *thread);
void __wrap_waits_thread_ends(struct tracer *tracer, struct thread *thread)
{
    ck_assert(!tracer->off);
    note("the wait of %d ends", (int)thread->tid - PID);
}

static struct process *begin(struct tracer *tracer, bool wall)
{
    *tracer = (struct tracer){.options.wall = wall, .follow.table.rooms = tracer_rooms};
    struct process *process = table_add_process(&tracer->follow.table, PID, 1);
    ck_assert_ptr_nonnull(process);
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(table_add_thread(&tracer->follow.table, process, PID + i));
    return process;
}

/* Sets the state of a tracer that has sampled for a while. */
static void sample_for_a_while(struct tracer *tracer)
{
    now_ns = 5000 * MS;
    clock_ns = 40 * MS;
    schedstat = (struct schedstat){.ran_ns = 20 * MS};
    tracer->waits_due_ns = 5007 * MS;
    tracer->window_began_ns = 4000 * MS;
    tracer->window_paused_ns = tracer->clock.picker.ran_ns = tracer->clock.wasted_ns = MS;
    *log_text = 0;
}

static void expect_nothing_is_due(const struct tracer *tracer)
{
    ck_assert_uint_eq(tracer->waits_due_ns, 0);
    ck_assert_uint_eq(tracer->window_began_ns, 0);
    ck_assert_uint_eq(tracer->window_paused_ns, 0);
    ck_assert_uint_eq(tracer->clock.picker.ran_ns, 0);
    ck_assert_uint_eq(tracer->clock.wasted_ns, 0);
}

START_TEST(nothing_is_due_while_off)
{
    struct tracer tracer;
    begin(&tracer, _i);
    sample_for_a_while(&tracer);
    switch_sampling(&tracer, false);
    ck_assert(tracer.off);
    expect_nothing_is_due(&tracer);
    ck_assert_str_eq(log_text, _i ? "the wait of 1 ends; the wait of 0 ends; " : "");
    fake_table_free(&tracer.follow.table);
}
END_TEST

START_TEST(time_switched_off_is_not_owed)
{
    struct tracer tracer;
    struct process *process = begin(&tracer, true);
    sample_for_a_while(&tracer);
    switch_sampling(&tracer, false);
    now_ns += 1000 * MS;
    clock_ns += 600 * MS;
    schedstat.ran_ns += 300 * MS;
    tracer.clock.missed.count[MISSED_LATE] = 3;
    *log_text = 0;
    switch_sampling(&tracer, true);
    ck_assert(!tracer.off);
    expect_nothing_is_due(&tracer);
    ck_assert_str_eq(log_text, "0 runs at 6000 ms; ");
    for (const struct thread *thread = process->threads; thread; thread = thread->next) {
        ck_assert_uint_eq(thread->clock->account.billed_ns, 320 * MS);
        ck_assert_uint_eq(thread->clock->account.sampled_ns, 320 * MS);
        ck_assert_uint_eq(thread->own->missed.seen.count[MISSED_LATE], 3);
        ck_assert_uint_eq(thread->own->wait.born_ns, 6000 * MS);
    }
    clock_ns += 7 * MS; /* from here only later time counts, with the time before the switch */
    ck_assert_uint_eq(account_image(&process->clock->account, clock_ns), 47 * MS);
    fake_table_free(&tracer.follow.table);
}
END_TEST

START_TEST(twice_the_same_does_nothing)
{
    struct tracer tracer;
    begin(&tracer, true);
    sample_for_a_while(&tracer);
    switch_sampling(&tracer, true);
    ck_assert_uint_eq(tracer.waits_due_ns, 5007 * MS); /* sampling was on */
    switch_sampling(&tracer, false);
    *log_text = 0;
    switch_sampling(&tracer, false);
    ck_assert(tracer.off);
    ck_assert_str_eq(log_text, "");
    fake_table_free(&tracer.follow.table);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("loop/switch");
    tcase_add_loop_test(tests, nothing_is_due_while_off, false, true + 1);
    tcase_add_test(tests, time_switched_off_is_not_owed);
    tcase_add_test(tests, twice_the_same_does_nothing);
    return unit_end();
}
