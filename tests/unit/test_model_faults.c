/* SPDX-License-Identifier: MIT */
#include "common/model/faults.h"

#include "unit.h"

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_NS = 1000000, UNIT_NS = 10000000, UNITS_BEFORE = 77 };

/* A process with a sample for each millisecond of CPU time. The kernel updates its user and system times every 10
 * ms. */
struct run {
    struct process_faults process;
    struct thread_faults thread;
    uint64_t billed_ns, user_ns, system_ns, faults;
    uint64_t shown_in_calls_ns, shown_in_faults_ns;
    uint64_t looks, reads, random;
};

static unsigned percent(struct run *run)
{
    run->random = run->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((run->random >> 33) % 100);
}

static struct faults_account account_of(const struct run *run)
{
    return (struct faults_account){.user = UNITS_BEFORE + run->user_ns / UNIT_NS,
                                   .system = UNITS_BEFORE + run->system_ns / UNIT_NS,
                                   .faults = run->faults};
}

static struct run begin(void)
{
    struct run run = {.faults = 1000, .random = 4711};
    struct faults_account now = account_of(&run);
    faults_begin(&run.process, &now, 0);
    return run;
}

/* Takes one sample, after a millisecond with these shares in calls and page faults, and this number of faults.
 * Returns the part of the sample that is attributed to faults. */
static uint64_t sample(struct run *run, unsigned calls_percent, unsigned faults_percent, unsigned faults)
{
    uint64_t had = 0, part_ns = 0;
    uint64_t system_ns = (uint64_t)(calls_percent + faults_percent) * SAMPLE_NS / 100;
    run->billed_ns += SAMPLE_NS;
    run->system_ns += system_ns;
    run->user_ns += SAMPLE_NS - system_ns;
    run->faults += faults;
    if (run->process.watched)
        had = faults_had(&run->process, &run->thread, run->faults);
    run->reads += run->process.watched;
    if (percent(run) < calls_percent) {
        faults_bill_call(&run->process, SAMPLE_NS, SAMPLE_NS);
        run->shown_in_calls_ns += SAMPLE_NS;
    } else {
        part_ns = faults_bill(&run->process, had, SAMPLE_NS, SAMPLE_NS);
        ck_assert_uint_le(part_ns, SAMPLE_NS);
        ck_assert(had || !part_ns);
    }
    run->shown_in_faults_ns += part_ns;
    if (faults_due(&run->process, run->billed_ns)) {
        struct faults_account now = account_of(run);
        faults_look(&run->process, &now, run->billed_ns, 1);
        run->looks++;
    }
    return part_ns;
}

/* Programs that run for two seconds. */
static const struct {
    unsigned calls_percent, faults_percent, faults; /* in each millisecond */
    bool quiet;                                     /* no thread's fault count is read */
} programs[] = {
    {0, 0, 0, true},                           /* computes only */
    {60, 0, 0, true},                          /* makes calls */
    {0, 95, 700, false},                       /* touches new memory */
    {0, 50, 300, false},  {0, 20, 2, false},   /* huge pages */
    {30, 40, 300, false}, {50, 0, 100, false}, /* has its faults inside of calls */
    {0, 5, 20, false},    {0, 5, 0, true},     /* interrupts, which are not faults */
    {90, 5, 30, false},
};

START_TEST(faults_follow_the_account)
{
    struct run run = begin();
    const uint64_t samples = 2000;
    for (uint64_t i = 0; i < samples; i++)
        sample(&run, programs[_i].calls_percent, programs[_i].faults_percent, programs[_i].faults);
    double all = (double)(samples * SAMPLE_NS);
    double seen = 100 * (double)(run.shown_in_faults_ns + run.shown_in_calls_ns) / all;
    unsigned truth = programs[_i].calls_percent + programs[_i].faults_percent;
    if (programs[_i].quiet)
        ck_assert_uint_eq(run.shown_in_faults_ns, 0);
    else
        ck_assert_msg(seen > truth - 2.0 && seen < truth + 2.0, "%.2f %% shown, not %u", seen, truth);
    /* looks are rare, and threads' fault counts are read only if there was system time */
    ck_assert_uint_le(run.looks, samples / 10);
    ck_assert(!programs[_i].quiet || run.reads <= samples / 20);
}
END_TEST

/* Runs this number of processes one after another, with this number of samples each. The kernel accounts a tick in 5
 * ms, as user or system time. Checks the sum over all processes. */
static void check_short(size_t number, int processes, int samples)
{
    enum { TICK = 5 };
    const struct faults_account none = {0};
    struct faults_pool pool = {0};
    uint64_t shown_ns = 0, reads = 0, random = 1, all = (uint64_t)processes * (uint64_t)samples, at = 0;
    unsigned truth = programs[number].calls_percent + programs[number].faults_percent;
    for (int i = 0; i < processes; i++) {
        struct run run = {.random = random};
        faults_begin_as(&run.process, &run.thread, &none, &pool);
        struct faults_account account = {0};
        for (int j = 0; j < samples; j++) {
            sample(&run, programs[number].calls_percent, programs[number].faults_percent, programs[number].faults);
            if (at++ % TICK == 0)
                *(percent(&run) < truth ? &account.system : &account.user) += TICK * SAMPLE_NS;
        }
        ck_assert(faults_is_short(&run.process, run.billed_ns));
        account.faults = run.faults;
        faults_pool_add(&pool, &run.process, &account);
        shown_ns += run.shown_in_calls_ns + run.shown_in_faults_ns;
        reads += run.reads;
        random = run.random;
    }
    double seen = 100 * (double)shown_ns / ((double)all * SAMPLE_NS);
    if (!programs[number].quiet)
        ck_assert_msg(seen > truth - 4.0 && seen < truth + 4.0, "%.2f %% shown, not %u", seen, truth);
    ck_assert(!programs[number].quiet || reads <= all / 10);
}

START_TEST(short_processes_share_their_account)
{
    check_short((size_t)_i, 500, 20);
}
END_TEST

/* Most of them have no tick. */
START_TEST(shortest_processes_share_their_account)
{
    check_short((size_t)_i, 10000, 1);
}
END_TEST

/* The calls come first in each process, so samples in them have a tenth of the weight, but they are half of the
 * samples. */
START_TEST(short_samples_count_as_their_period)
{
    struct faults_pool pool = {0};
    for (int i = 0; i < 1000; i++) {
        const struct faults_account account = {.user = SAMPLE_NS, .system = SAMPLE_NS, .faults = 20};
        struct process_faults process = {0};
        if (i % 2)
            faults_bill_call(&process, SAMPLE_NS / 10, SAMPLE_NS);
        else
            faults_bill(&process, 20, SAMPLE_NS, SAMPLE_NS);
        faults_pool_add(&pool, &process, &account);
    }
    ck_assert_uint_eq((uint64_t)pool.all.cost_ns, 0);
}
END_TEST

/* An image is accounted what its process has used since the image began. */
START_TEST(images_of_a_process_are_apart)
{
    struct faults_pool pool = {0};
    const struct faults_account began = {.user = 7, .system = 1000, .faults = 10},
                                ended = {.user = 10, .system = 1001, .faults = 30};
    struct process_faults process = {0};
    faults_begin(&process, &began, 0);
    faults_pool_add(&pool, &process, &ended);
    ck_assert_uint_eq(pool.account.user, 3);
    ck_assert_uint_eq(pool.account.system, 1);
    ck_assert_uint_eq(pool.account.faults, 20);
}
END_TEST

/* A longer process has an account of its own. */
START_TEST(long_processes_are_apart)
{
    struct process_faults process = {.base_ns = 5};
    ck_assert(faults_is_short(&process, 5));
    ck_assert(faults_is_short(&process, 4 + 200000000));
    ck_assert(!faults_is_short(&process, 5 + 200000000));
}
END_TEST

/* One function has page faults and another one has none. The first one gets the system time. */
START_TEST(time_goes_where_the_faults_are)
{
    struct run run = begin();
    uint64_t here_ns = 0, there_ns = 0;
    for (int i = 0; i < 3000; i++)
        if (i / 30 % 2)
            here_ns += sample(&run, 0, 90, 600);
        else
            there_ns += sample(&run, 0, 0, 0);
    ck_assert_uint_eq(there_ns, 0);
    ck_assert_uint_ge(here_ns, 1250ull * SAMPLE_NS);
    ck_assert_uint_le(here_ns, 1450ull * SAMPLE_NS);
}
END_TEST

/* The system time of old interrupts is not attributed to the first later faults. */
START_TEST(old_debts_are_forgotten)
{
    struct run run = begin();
    for (int i = 0; i < 5000; i++)
        sample(&run, 0, 10, 0);
    ck_assert_uint_eq(run.shown_in_faults_ns, 0);
    for (int i = 0; i < 1000; i++)
        sample(&run, 0, 20, 100);
    ck_assert_uint_ge(run.shown_in_faults_ns, 150ull * SAMPLE_NS);
    ck_assert_uint_le(run.shown_in_faults_ns, 250ull * SAMPLE_NS);
}
END_TEST

/* A thread's first sample with fault counts only sets the start. */
START_TEST(faults_count_from_the_last_sample)
{
    struct process_faults process = {.watch = 1, .watched = true};
    struct thread_faults thread = {0};
    ck_assert_uint_eq(faults_had(&process, &thread, 500), 0);
    ck_assert_uint_eq(faults_had(&process, &thread, 510), 10);
    ck_assert_uint_eq(faults_had(&process, &thread, 510), 0);
    ck_assert_uint_eq(faults_had(&process, &thread, 400), 0); /* counts never go back */
    process.watch = 2;
    ck_assert_uint_eq(faults_had(&process, &thread, 900), 0);
    ck_assert_uint_eq(faults_had(&process, &thread, 901), 1);
}
END_TEST

/* With any values in the account. */
START_TEST(nothing_overflows)
{
    static const struct faults_account odd[] = {
        {0, 0, 0}, {UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, UINT64_MAX, UINT64_MAX}, {1, 1, 1}, {UINT64_MAX, 0, 0}};
    struct process_faults process = {0};
    struct thread_faults thread = {0};
    uint64_t billed_ns = 0;
    for (size_t i = 0; i < 1000; i++) {
        billed_ns += i % 7 == 0 ? INT64_MAX / 1000 : 1000;
        faults_look(&process, &odd[i % UNIT_ROWS(odd)], billed_ns, i % 3 ? 1 : SIZE_MAX);
        uint64_t had = faults_had(&process, &thread, i % 2 ? UINT64_MAX : i);
        ck_assert_uint_le(faults_bill(&process, had, 1000, 1000), 1000);
        if (i % 5 == 0)
            faults_bill_call(&process, INT64_MAX / 1000, INT64_MAX / 1000);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/faults");
    UNIT_ADD_TABLE(tests, faults_follow_the_account, programs);
    UNIT_ADD_TABLE(tests, short_processes_share_their_account, programs);
    UNIT_ADD_TABLE(tests, shortest_processes_share_their_account, programs);
    tcase_add_test(tests, short_samples_count_as_their_period);
    tcase_add_test(tests, images_of_a_process_are_apart);
    tcase_add_test(tests, long_processes_are_apart);
    tcase_add_test(tests, time_goes_where_the_faults_are);
    tcase_add_test(tests, old_debts_are_forgotten);
    tcase_add_test(tests, faults_count_from_the_last_sample);
    tcase_add_test(tests, nothing_overflows);
    return unit_end();
}
