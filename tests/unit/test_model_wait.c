/* SPDX-License-Identifier: MIT */
#include "common/model/wait.h"

#include "unit.h"

enum { BORN = 1000000, RAN = 300, QUEUED = 70, ARRIVALS = 20, VOLUNTARY = 9, INVOLUNTARY = 11 };

/* Bills of a thread that had run before it was watched. Each row has the time since its birth, and since then the
 * schedstat and the context switches; whether it is found asleep; and the expected bill. The last sleep began at its
 * switch. */
static const struct {
    uint64_t after;
    struct schedstat ran;
    struct switches switches;
    bool blocked;
    struct wait_weight weight; /* running: queued_ns */
} bills[] = {
    {1000, {0, 0, 0}, {1, 0}, true, {1000, 0}},
    {1000, {0, 0, 0}, {1, 0}, true, {0, 0}},
    {1500, {100, 0, 1}, {2, 0}, true, {400, 0}},
    {2500, {300, 200, 2}, {3, 0}, true, {600, 200}},  /* it waited for a CPU when it woke up */
    {3000, {400, 250, 4}, {3, 1}, false, {0, 25}},    /* it woke up, and was displaced */
    {4000, {500, 250, 4}, {4, 1}, true, {1250, 25}},  /* the wake belongs to this wait */
    {4100, {550, 1250, 5}, {5, 1}, true, {0, 50}},    /* not more than the elapsed time */
    {4000, {600, 1250, 5}, {5, 1}, true, {0, 0}},     /* clocks can go back */
    {5000, {600, 1250, 6}, {5, 2}, false, {0, 0}},    /* displaced: it still waits for a CPU */
    {6000, {700, 2250, 7}, {6, 2}, true, {750, 0}},   /* that time is for a sample that finds it running */
    {7000, {800, 2250, 8}, {6, 2}, false, {0, 1000}}, /* this one */
};

START_TEST(time_not_running_is_waiting)
{
    struct thread_wait thread = {.waits = true};
    struct process_wait process = {.billed_ns = 5};
    const struct schedstat before = {.ran_ns = RAN, .waited_ns = QUEUED, .arrivals = ARRIVALS};
    const struct switches switches = {VOLUNTARY, INVOLUNTARY};
    uint64_t sum = 0;
    wait_begin(&thread, BORN, &before, &switches);
    ck_assert(!thread.waits);
    for (size_t i = 0; i < UNIT_ROWS(bills); i++) {
        struct schedstat ran = {RAN + bills[i].ran.ran_ns, QUEUED + bills[i].ran.waited_ns,
                                ARRIVALS + bills[i].ran.arrivals};
        struct switches now = {VOLUNTARY + bills[i].switches.voluntary, INVOLUNTARY + bills[i].switches.involuntary};
        struct wait_weight weight = {0, 0};
        wait_divide(&thread, BORN + bills[i].after, &ran, &now, bills[i].blocked);
        if (bills[i].blocked)
            weight = wait_bill(&thread, &process, BORN + bills[i].after, &ran);
        else
            weight.queued_ns = wait_bill_displaced(&thread, &process);
        ck_assert_uint_eq(weight.blocked_ns, bills[i].weight.blocked_ns);
        ck_assert_uint_eq(weight.queued_ns, bills[i].weight.queued_ns);
        sum += weight.blocked_ns + weight.queued_ns;
        ck_assert_uint_eq(process.billed_ns, 5 + sum);
    }
    ck_assert_uint_eq(sum + 700, 6000); /* running and waiting together are its lifetime when it last slept */
}
END_TEST

/* How the time waited for a CPU is divided. Each row begins asleep or not, with a switch and no arrival since. */
static const struct {
    bool slept;
    uint64_t arrivals;
    struct switches switches;
    uint64_t stops;
    bool blocked;
    uint64_t displaced; /* of 1200 */
} divisions[] = {
    {true, 1, {0, 0}, 0, false, 0},     /* woken, runs */
    {true, 1, {1, 0}, 0, true, 0},      /* and sleeps again */
    {true, 2, {0, 1}, 0, false, 600},   /* woken, displaced, runs */
    {true, 1, {0, 1}, 0, false, 0},     /* woken, displaced, waits for a CPU */
    {true, 4, {1, 3}, 0, true, 900},    /* woken, displaced three times, sleeps */
    {true, 4, {3, 1}, 0, true, 300},    /* slept twice in between */
    {false, 3, {0, 3}, 0, false, 1200}, /* only displaced */
    {false, 3, {1, 3}, 0, true, 1200},  /* and sleeps at last */
    {false, 2, {2, 0}, 2, false, 1200}, /* stopped for samples twice: it was not asleep */
    {true, 3, {2, 1}, 1, true, 800},    /* woken, displaced, stopped, sleeps */
    {false, 1, {0, 0}, 0, false, 0},    /* counts that do not fit: unknown, so for its next wait */
    {false, 0, {0, 0}, 9, false, 1200}, {true, 5, {UINT64_MAX, 0}, 0, true, 0},
};

START_TEST(displaced_is_not_woken)
{
    struct thread_wait thread;
    struct process_wait process = {0};
    const struct schedstat nothing = {0, 0, 0};
    const struct switches none = {0, 0}, first = {divisions[_i].slept, 0};
    wait_begin(&thread, BORN, &nothing, &none);
    wait_divide(&thread, BORN, &nothing, &first, divisions[_i].slept);
    thread.queue.stops = divisions[_i].stops;
    struct switches now = divisions[_i].switches;
    now.voluntary += now.voluntary == UINT64_MAX ? 0 : first.voluntary;
    const struct schedstat ran = {.waited_ns = 1200, .arrivals = divisions[_i].arrivals};
    wait_divide(&thread, BORN + 5000, &ran, &now, divisions[_i].blocked);
    ck_assert_uint_eq(thread.queue.displaced_ns, divisions[_i].displaced);
    ck_assert_uint_eq(thread.queue.woken_ns, 1200 - divisions[_i].displaced);
    ck_assert_uint_eq(thread.queue.stops, 0);
    ck_assert_uint_eq(wait_bill_displaced(&thread, &process), divisions[_i].displaced);
    ck_assert_uint_eq(wait_bill_displaced(&thread, &process), 0);
}
END_TEST

/* A thread that was seen waiting has slept twice since then: half of the time after waking up is for the first wait. */
START_TEST(a_wait_has_its_own_end)
{
    struct thread_wait thread;
    struct process_wait process = {0};
    const struct schedstat nothing = {0, 0, 0}, ran = {.ran_ns = 100, .waited_ns = 800, .arrivals = 2};
    const struct switches none = {0, 0}, first = {1, 0}, now = {3, 0};
    wait_begin(&thread, BORN, &nothing, &none);
    wait_divide(&thread, BORN + 1000, &nothing, &first, true);
    ck_assert_uint_eq(wait_bill(&thread, &process, BORN + 1000, &nothing).blocked_ns, 1000);
    ck_assert_uint_eq(wait_bill_seen(&thread, &process, BORN + 1500), 500);
    ck_assert_uint_eq(wait_bill_over(&thread, &process, BORN + 2000, BORN + 3000, &ran), 500);
    wait_divide(&thread, BORN + 3000, &ran, &now, true);
    ck_assert_uint_eq(wait_bill_woken(&thread, &process), 400);
    struct wait_weight rest = wait_bill(&thread, &process, BORN + 3000, &ran);
    ck_assert_uint_eq(rest.queued_ns, 400);
    ck_assert_uint_eq(rest.blocked_ns, 100);
    ck_assert_uint_eq(process.billed_ns, 2900);
}
END_TEST

/* It was thought to sleep while it already waited for a CPU: that time is not billed twice. */
START_TEST(a_wait_leaves_the_time_for_a_cpu)
{
    struct thread_wait thread;
    struct process_wait process = {0};
    const struct schedstat nothing = {0, 0, 0}, ran = {.ran_ns = 100, .waited_ns = 1500, .arrivals = 1};
    const struct switches none = {0, 0}, first = {1, 0};
    wait_begin(&thread, BORN, &nothing, &none);
    wait_divide(&thread, BORN + 1000, &nothing, &first, true);
    ck_assert_uint_eq(wait_bill(&thread, &process, BORN + 1000, &nothing).blocked_ns, 1000);
    ck_assert_uint_eq(wait_bill_over(&thread, &process, BORN + 2800, BORN + 3000, &ran), 400);
    wait_divide(&thread, BORN + 3000, &ran, &first, false);
    ck_assert_uint_eq(wait_bill_woken(&thread, &process), 1500);
    ck_assert_uint_eq(process.billed_ns, 2900);
}
END_TEST

START_TEST(a_life_counts_once)
{
    struct thread_wait one = {0}, other = {0};
    struct process_wait process = {0};
    const struct schedstat nothing = {0, 0, 0};
    const struct switches none = {0, 0};
    wait_end(&one, &process, BORN); /* it is not watched yet */
    ck_assert_uint_eq(process.lived_ns, 0);
    wait_begin(&one, BORN, &nothing, &none);
    wait_begin(&other, BORN + 100, &nothing, &none);
    wait_end(&one, &process, BORN + 1000);
    ck_assert_uint_eq(process.lived_ns, 1000);
    wait_end(&one, &process, BORN + 5000);
    ck_assert_uint_eq(process.lived_ns, 1000);
    wait_end(&other, &process, BORN + 1000);
    ck_assert_uint_eq(process.lived_ns, 1900);
    ck_assert_uint_eq(wait_bill(&one, &process, BORN + 9000, &nothing).blocked_ns, 0);
}
END_TEST

static const struct {
    uint64_t lived, billed, cpu, waited;
} images[] = {
    {1000, 300, 400, 600}, {1000, 700, 400, 700}, {1000, 0, 1500, 0}, {1000, 20, 1500, 20}, {0, 0, 0, 0},
};

START_TEST(waiting_is_lifetime_without_cpu_time)
{
    struct process_wait process = {.lived_ns = images[_i].lived, .billed_ns = images[_i].billed};
    ck_assert_uint_eq(wait_image(&process, images[_i].cpu), images[_i].waited);
}
END_TEST

START_TEST(looking_takes_a_twentieth)
{
    ck_assert_uint_eq(wait_scan_pause(0), 0);
    ck_assert_uint_eq(wait_scan_pause(1000) + 1000, 20 * 1000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/wait");
    tcase_add_test(tests, time_not_running_is_waiting);
    UNIT_ADD_TABLE(tests, displaced_is_not_woken, divisions);
    tcase_add_test(tests, a_wait_has_its_own_end);
    tcase_add_test(tests, a_wait_leaves_the_time_for_a_cpu);
    tcase_add_test(tests, a_life_counts_once);
    UNIT_ADD_TABLE(tests, waiting_is_lifetime_without_cpu_time, images);
    tcase_add_test(tests, looking_takes_a_twentieth);
    return unit_end();
}
