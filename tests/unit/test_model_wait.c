/* SPDX-License-Identifier: MIT */
#include "common/model/wait.h"

#include "unit.h"

enum { BORN = 1000000, RAN = 300, QUEUED = 70 };

/* Bills of a thread that had run before it was watched. Each row has the time since its birth, and since the first
 * bill the time that it ran and waited for a CPU. */
static const struct {
    uint64_t after, ran, queued;
    bool running; /* found running, not asleep */
    struct wait_weight weight;
} bills[] = {
    {1000, 0, 0, false, {1000, 0}},      {1000, 0, 0, false, {0, 0}},         {1500, 100, 0, false, {400, 0}},
    {2500, 300, 200, false, {600, 200}}, {3000, 500, 250, true, {0, 50}},   /* the next sample that finds it asleep
                                                                             * gets the time */
    {4000, 600, 250, false, {1150, 0}},  {4100, 650, 1250, false, {0, 50}}, /* not more than the elapsed time */
    {4000, 700, 1250, false, {0, 0}},                                       /* clocks can go back */
    {5000, 700, 1300, true, {0, 50}},    {6000, 700, 1300, false, {1800, 0}},
};

START_TEST(time_not_running_is_waiting)
{
    struct thread_wait thread = {.waits = true};
    struct process_wait process = {.billed_ns = 5};
    const struct schedstat before = {.ran_ns = RAN, .waited_ns = QUEUED};
    uint64_t sum = 0;
    wait_begin(&thread, BORN, &before);
    ck_assert(!thread.waits);
    for (size_t i = 0; i < UNIT_ROWS(bills); i++) {
        struct schedstat now = {.ran_ns = RAN + bills[i].ran, .waited_ns = QUEUED + bills[i].queued};
        struct wait_weight weight = {0, 0};
        if (bills[i].running)
            weight.queued_ns = wait_bill_queued(&thread, &process, BORN + bills[i].after, &now);
        else
            weight = wait_bill(&thread, &process, BORN + bills[i].after, &now);
        ck_assert_uint_eq(weight.blocked_ns, bills[i].weight.blocked_ns);
        ck_assert_uint_eq(weight.queued_ns, bills[i].weight.queued_ns);
        sum += weight.blocked_ns + weight.queued_ns;
        ck_assert_uint_eq(process.billed_ns, 5 + sum);
    }
    ck_assert_uint_eq(sum + 700, 6000); /* running and waiting together are its lifetime */
}
END_TEST

START_TEST(a_life_counts_once)
{
    struct thread_wait one = {0}, other = {0};
    struct process_wait process = {0};
    const struct schedstat nothing = {0, 0, 0};
    wait_end(&one, &process, BORN); /* it is not watched yet */
    ck_assert_uint_eq(process.lived_ns, 0);
    wait_begin(&one, BORN, &nothing);
    wait_begin(&other, BORN + 100, &nothing);
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
    tcase_add_test(tests, a_life_counts_once);
    UNIT_ADD_TABLE(tests, waiting_is_lifetime_without_cpu_time, images);
    tcase_add_test(tests, looking_takes_a_twentieth);
    return unit_end();
}
