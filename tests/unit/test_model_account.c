/* SPDX-License-Identifier: MIT */
#include "common/model/account.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

/* Successive looks at one thread. */
static const struct {
    uint64_t ran, found;
    uint32_t quiet;
} looks[] = {
    {100, 100, 0}, {100, 0, 1},     {100, 0, 2},  {101, 1, 0},
    {101, 0, 1},   {5000, 4899, 0}, {4000, 0, 1}, /* time never goes back */
    {4001, 1, 0},
};

START_TEST(looks_find_what_is_new)
{
    struct thread_account thread = {0};
    for (size_t i = 0; i < UNIT_ROWS(looks); i++) {
        struct schedstat now = {.ran_ns = looks[i].ran, .waited_ns = i * 7, .arrivals = i * 3};
        ck_assert_uint_eq(account_look(&thread, &now), looks[i].found);
        ck_assert_uint_eq(thread.quiet_looks, looks[i].quiet);
        ck_assert_mem_eq(&thread.seen, &now, sizeof now);
        ck_assert_uint_eq(thread.billed_ns, 0); /* a look bills nothing */
    }
}
END_TEST

/* Looks at a thread that ran for RAN_US and arrived on its CPU ARRIVALS times since the last look. Our ticks explain
 * some arrivals. */
static const struct {
    const char *name;
    uint64_t ran_us, arrivals;
    int ticks; /* between two looks */
    bool interrupted;
} turns[] = {
    {"alone, and not looked at", 1000, 0, 0, false},
    {"alone at 1000 Hz", 1000, 2, 1, false},
    {"alone, and two ticks", 1000, 4, 2, false},
    {"now and then a kernel's thread, at 100 Hz", 10000, 4, 1, false},
    {"something every millisecond, at 1000 Hz", 1000, 3, 1, true},
    {"the same at 100 Hz", 10000, 12, 1, true},
    {"the same at 20000 Hz, each look alone or not", 50, 3, 1, true},
    {"no ticks, and turns all the time", 1000, 2, 0, true},
    {"a server", 500, 60, 1, true},
};

START_TEST(turns_of_others_are_counted)
{
    struct thread_account thread = {0};
    struct schedstat now = {0};
    for (int look = 0; look < 1000; look++) {
        now.ran_ns += turns[_i].ran_us * 1000;
        now.arrivals += turns[_i].arrivals;
        account_look(&thread, &now);
        for (int i = 0; i < turns[_i].ticks; i++)
            account_taken(&thread);
        ck_assert_msg(look < 20 || account_is_interrupted(&thread) == turns[_i].interrupted, "%s, look %d",
                      turns[_i].name, look);
    }
}
END_TEST

/* A requested stop may come after the next look. */
START_TEST(turns_of_ours_may_come_later)
{
    struct thread_account thread = {0};
    struct schedstat now = {0};
    for (int look = 0; look < 1000; look++) {
        now.ran_ns += 500000;
        now.arrivals++;
        account_look(&thread, &now);
        if (look % 2)
            account_taken(&thread);
        ck_assert(look < 20 || !account_is_interrupted(&thread));
    }
}
END_TEST

/* A thread counts as often interrupted only for a while. */
START_TEST(turns_are_forgotten)
{
    struct thread_account thread = {0};
    struct schedstat now = {.ran_ns = 60000000000, .arrivals = 10000000};
    account_look(&thread, &now);
    ck_assert(account_is_interrupted(&thread));
    for (int look = 0; look < 2000; look++) {
        now.ran_ns += 1000000;
        account_look(&thread, &now);
    }
    ck_assert(!account_is_interrupted(&thread));
}
END_TEST

enum { PERIOD = 100, MUCH_LONGER = 8 };

static const struct {
    uint64_t ran, weight;
} bills[] = {
    {100, 100}, {100, 0}, {350, 250}, {200, 0}, {350, 0}, {351, 1}, {1151, 800},
};

START_TEST(bills_add_up_to_what_was_run)
{
    struct thread_account thread = {.seen = {.ran_ns = 42}, .quiet_looks = 3};
    struct process_account process = {.billed_ns = 1000};
    uint64_t sum = 0;
    for (size_t i = 0; i < UNIT_ROWS(bills); i++) {
        uint64_t weight = account_bill(&thread, &process, bills[i].ran, PERIOD);
        ck_assert_uint_eq(weight, bills[i].weight);
        sum += weight;
        ck_assert_uint_eq(thread.billed_ns, sum);
        ck_assert_uint_eq(process.billed_ns, 1000 + sum);
    }
    ck_assert_uint_eq(thread.seen.ran_ns, 42); /* billing is not a look */
    ck_assert_uint_eq(thread.quiet_looks, 3);
}
END_TEST

/* Running time without a sample, among samples every STEP, and the number of such gaps. */
static const struct {
    uint64_t step, gap;
    unsigned gaps;
} gaps[] = {
    {PERIOD, 7 * PERIOD, 100},      {PERIOD, 10 * PERIOD, 100},    {PERIOD, 5000 * PERIOD, 1},
    {3 * PERIOD, 5000 * PERIOD, 2}, {PERIOD / 4, 900 * PERIOD, 3}, {UINT64_MAX / 1000000, UINT64_MAX / 100, 1},
};

/* Many later samples carry the time of a gap. All of it is carried when as much time again has run. */
START_TEST(a_gap_is_spread_over_what_follows)
{
    struct thread_account thread = {0};
    struct process_account process = {0};
    uint64_t step = gaps[_i].step, usual = step > PERIOD ? step : PERIOD, ran = 0, most = 0;
    for (int i = 0; i < 200; i++) /* learns the usual distance of samples */
        account_bill(&thread, &process, ran += step, PERIOD);
    for (unsigned n = 0; n < gaps[_i].gaps; n++) {
        ran += gaps[_i].gap;
        for (uint64_t after = 0; after < gaps[_i].gap + 2 * step; after += step, ran += step) {
            uint64_t weight = account_bill(&thread, &process, ran, PERIOD);
            most = weight > most ? weight : most;
        }
        account_bill(&thread, &process, ran, PERIOD);
        ck_assert_uint_eq(thread.billed_ns, ran);
        ck_assert_uint_eq(process.billed_ns, ran);
    }
    /* after a gap, larger distances count as usual for a while */
    ck_assert_uint_le(most, gaps[_i].gap < MUCH_LONGER * usual ? gaps[_i].gap : 9 * MUCH_LONGER * usual / 4);
}
END_TEST

/* One of this many periods has a sample, at random. */
static const unsigned scarcities[] = {1, 2, 3, 10, 100, 1000};

/* If samples are always rare, their distance is usual, and hardly any time is carried over. */
START_TEST(scarce_samples_stand_for_all)
{
    struct thread_account thread = {0};
    struct process_account process = {0};
    uint64_t ran = 0, put_off = 0, random = 1;
    const int samples = 2000;
    for (int taken = 0; taken < samples;) {
        ran += PERIOD;
        random = random * 6364136223846793005u + 1442695040888963407u;
        if ((random >> 33) % scarcities[_i])
            continue;
        taken++;
        account_bill(&thread, &process, ran, PERIOD);
        put_off += thread.billed_ns != ran;
    }
    ck_assert_uint_lt(put_off, samples / 20);
    ck_assert_uint_ge(thread.billed_ns, ran - ran / 50);
}
END_TEST

static const struct {
    uint64_t began, billed, clock, used;
} images[] = {
    {0, 0, 0, 0},           {0, 0, 500, 500},     /* no time was sampled */
    {0, 500, 500, 500},                           /* all of it was */
    {100, 300, 500, 400},   {100, 500, 500, 500}, /* the clock is behind the bills */
    {100, 5000, 500, 5000}, {500, 0, 500, 0},
    {600, 0, 500, 0}, /* or before its own start */
    {600, 30, 500, 30},     {UINT64_MAX - 10, 3, UINT64_MAX, 10},
};

START_TEST(the_end_of_an_image_follows_the_table)
{
    struct process_account process = {.began_ns = images[_i].began, .billed_ns = images[_i].billed};
    ck_assert_uint_eq(account_image(&process, images[_i].clock), images[_i].used);
    ck_assert_uint_eq(process.began_ns, images[_i].clock);
    ck_assert_uint_eq(process.billed_ns, 0);
}
END_TEST

/* Three threads, two images: billed times add up to the process's clock, and never exceed it. */
START_TEST(everything_adds_up_to_the_clock)
{
    struct thread_account threads[3] = {0};
    struct process_account process = {0};
    uint64_t ran[3] = {0}, total = 0, used = 0, sum = 0;
    uint32_t random = 1;
    for (int image = 0; image < 2; image++) {
        uint64_t weights = 0;
        for (int tick = 0; tick < 1000; tick++) {
            random = random * 1664525 + 1013904223;
            unsigned which = random >> 16 & 1 ? random >> 20 & 1 : 2;
            uint64_t more = random >> 8;
            ran[which] += more;
            total += more;
            if (random >> 30)
                weights += account_bill(&threads[which], &process, ran[which], UINT32_MAX);
        }
        used = account_image(&process, total);
        ck_assert_uint_gt(weights, used / 2);
        ck_assert_uint_lt(weights, used);
        sum += used;
        for (int i = 0; i < 3; i++) /* threads start with an empty account, as after exec */
            threads[i].billed_ns = ran[i];
    }
    ck_assert_uint_eq(sum, total);
}
END_TEST

/* The clock's value when sampling is switched off (O) or on (I), or the image ends (E), and the image's time then. */
static const struct {
    const char *steps;
    uint64_t clock[8], billed, used;
} switches[] = {
    {"E", {100}, 0, 100},
    {"OE", {30, 100}, 0, 30},
    {"OIE", {30, 50, 100}, 0, 80},
    {"OIIE", {30, 50, 60, 100}, 0, 80},
    {"IE", {50, 100}, 0, 100},
    {"OIOIE", {10, 20, 50, 90, 100}, 0, 50},
    {"OIOE", {10, 20, 50, 100}, 0, 40},
    {"OIE", {30, 20, 100}, 0, 100}, /* the clock never goes back */
    {"OIE", {30, 50, 100}, 85, 85},
    {"OEE", {30, 100, 200}, 0, 0}, /* the next image begins switched off */
    {"OEIE", {30, 100, 150, 200}, 0, 50},
};

START_TEST(time_switched_off_does_not_count)
{
    struct process_account process = {.billed_ns = switches[_i].billed};
    uint64_t used = 0;
    for (size_t i = 0; switches[_i].steps[i]; i++) {
        uint64_t clock = switches[_i].clock[i];
        if (switches[_i].steps[i] == 'O')
            account_off(&process, clock);
        else if (switches[_i].steps[i] == 'I')
            account_on(&process, clock);
        else
            used = account_image(&process, clock);
    }
    ck_assert_uint_eq(used, switches[_i].used);
}
END_TEST

/* A thread was resumed at 1000 us. At the tick, it has run and waited for a CPU for this long since. */
static const struct {
    const char *name;
    uint64_t until_us, ran_us, waited_us;
    bool lost;
} stretches[] = {
    {"it ran all the time", 2000, 995, 0, true},
    {"it also waited for a CPU", 2000, 300, 695, true},
    {"the switch took somewhat longer", 2000, 991, 0, true},
    {"its clock is somewhat faster", 2000, 1001, 0, true},
    {"it slept for 20 us", 2000, 975, 0, false},
    {"it has waited for 50 us, which is not counted yet", 2000, 500, 445, false},
    {"it runs, which is counted at the end of its turn", 2000, 0, 0, false},
    {"it ran after that time, on another CPU", 2000, 1020, 0, false},
    {"it was displaced at once", 1005, 1, 1, true},
    {"the tick was before its stop", 900, 0, 0, false},
};

enum { USUAL_NS = 6000 };

START_TEST(counts_show_who_lost_the_cpu)
{
    enum { RESUMED_US = 1000 };
    struct thread_account thread = {0};
    struct schedstat now = {.ran_ns = 77777, .waited_ns = 55555};
    uint64_t until_ns = stretches[_i].until_us * 1000;
    account_look(&thread, &now);
    ck_assert(account_unexplained(&thread, &now, until_ns) == ACCOUNT_UNKNOWN);
    account_resumed(&thread, RESUMED_US * 1000);
    now.ran_ns += stretches[_i].ran_us * 1000;
    now.waited_ns += stretches[_i].waited_us * 1000;
    for (int i = 0; i < 2; i++) { /* looks in between change nothing */
        int64_t unexplained_ns = account_unexplained(&thread, &now, until_ns);
        ck_assert_msg(account_has_lost_cpu(unexplained_ns, USUAL_NS) == stretches[_i].lost, "%s: %ld",
                      stretches[_i].name, unexplained_ns);
        account_look(&thread, &now);
    }
}
END_TEST

/* What threads lack that lost their CPU: LEAST_NS, and up to SPREAD_NS more. */
static const struct {
    int64_t least_ns, spread_ns;
    uint64_t learned_ns; /* within a microsecond */
} lacks[] = {{8000, 0, 8000}, {2000, 8000, 3000}, {12000, 0, 12000}, {-500, 0, 0}, {90000, 0, 16000}};

START_TEST(the_usual_lack_is_learned)
{
    uint64_t usual_ns = USUAL_NS;
    uint32_t random = 1;
    for (int i = 0; i < 3000; i++) {
        random = random * 1664525u + 1013904223u;
        account_learn(&usual_ns, lacks[_i].least_ns + (int64_t)(random >> 16) * lacks[_i].spread_ns / 65536);
    }
    ck_assert_msg(usual_ns + 1000 >= lacks[_i].learned_ns && usual_ns <= lacks[_i].learned_ns + 1000, "%lu", usual_ns);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/account");
    tcase_add_test(tests, looks_find_what_is_new);
    UNIT_ADD_TABLE(tests, turns_of_others_are_counted, turns);
    tcase_add_test(tests, turns_of_ours_may_come_later);
    tcase_add_test(tests, turns_are_forgotten);
    tcase_add_test(tests, bills_add_up_to_what_was_run);
    UNIT_ADD_TABLE(tests, a_gap_is_spread_over_what_follows, gaps);
    UNIT_ADD_TABLE(tests, scarce_samples_stand_for_all, scarcities);
    UNIT_ADD_TABLE(tests, the_end_of_an_image_follows_the_table, images);
    tcase_add_test(tests, everything_adds_up_to_the_clock);
    UNIT_ADD_TABLE(tests, counts_show_who_lost_the_cpu, stretches);
    UNIT_ADD_TABLE(tests, the_usual_lack_is_learned, lacks);
    UNIT_ADD_TABLE(tests, time_switched_off_does_not_count, switches);
    return unit_end();
}
