/* SPDX-License-Identifier: MIT */
#include "common/model/account.h"

enum {
    MUCH_LONGER = 8, /* a gap is too long from this many usual distances on */
    SMOOTHING = 8,   /* about this many samples determine the usual distance */
    TAKEN_TURNS = 2, /* the thread is put on its CPU twice: after it was displaced, and after its stop */
    LATELY_NS = 100000000,
    SHORT_TURN_NS = 40000, /* longer turns show in how long the thread waited for its stop */
    ONE_IN = 100,
    LACK_SPREAD_NS = 4000, /* a resumption and a switch may take this much longer than usual, */
    LACK_MOST_NS = 16000,  /* and usually take at most this long */
    LACK_STEP_NS = 20,
    LACK_ONE_IN = 8,
};

void account_taken(struct thread_account *thread)
{
    thread->own_turns += TAKEN_TURNS;
}

static void count_turns(struct thread_account *thread, uint64_t arrivals, uint64_t ran_ns)
{
    uint64_t ours = thread->seen.arrivals + thread->own_turns, left = ours > arrivals ? ours - arrivals : 0;
    thread->turns += arrivals > ours ? arrivals - ours : 0;
    thread->own_turns = left < TAKEN_TURNS ? left : TAKEN_TURNS;
    thread->turns_ran_ns += ran_ns;
    while (thread->turns_ran_ns > LATELY_NS) {
        thread->turns /= 2;
        thread->turns_ran_ns /= 2;
    }
}

bool account_is_interrupted(const struct thread_account *thread)
{
    return thread->turns > thread->turns_ran_ns / (ONE_IN * SHORT_TURN_NS);
}

uint64_t account_look(struct thread_account *thread, const struct schedstat *now)
{
    uint64_t ran = now->ran_ns > thread->seen.ran_ns ? now->ran_ns - thread->seen.ran_ns : 0;
    thread->quiet_looks = ran ? 0 : thread->quiet_looks + 1;
    count_turns(thread, now->arrivals, ran);
    thread->seen = *now;
    return ran;
}

static uint64_t busy_ns(const struct schedstat *counts)
{
    return counts->ran_ns + counts->waited_ns;
}

void account_resumed(struct thread_account *thread, uint64_t resumed_ns)
{
    thread->resumed_ns = resumed_ns;
    thread->resumed_busy_ns = busy_ns(&thread->seen);
}

int64_t account_unexplained(const struct thread_account *thread, const struct schedstat *now, uint64_t until_ns)
{
    if (!thread->resumed_ns || until_ns < thread->resumed_ns)
        return ACCOUNT_UNKNOWN;
    return (int64_t)(until_ns - thread->resumed_ns) - (int64_t)(busy_ns(now) - thread->resumed_busy_ns);
}

bool account_has_lost_cpu(int64_t unexplained_ns, uint64_t usual_ns)
{
    return unexplained_ns >= -LACK_SPREAD_NS && unexplained_ns <= (int64_t)usual_ns + LACK_SPREAD_NS;
}

void account_learn(uint64_t *usual_ns, int64_t unexplained_ns)
{
    if (unexplained_ns > (int64_t)*usual_ns)
        *usual_ns += *usual_ns < LACK_MOST_NS ? LACK_STEP_NS : 0;
    else
        *usual_ns -= *usual_ns < (LACK_ONE_IN - 1) * LACK_STEP_NS ? *usual_ns : (LACK_ONE_IN - 1) * LACK_STEP_NS;
}

uint64_t account_bill(struct thread_account *thread, struct process_account *process, uint64_t ran_ns,
                      uint64_t period_ns)
{
    uint64_t owed = ran_ns > thread->billed_ns ? ran_ns - thread->billed_ns : 0;
    uint64_t since = ran_ns > thread->sampled_ns ? ran_ns - thread->sampled_ns : 0;
    uint64_t usual = thread->usual_ns > period_ns ? thread->usual_ns : period_ns;
    uint64_t own = since / MUCH_LONGER < usual ? since : MUCH_LONGER * usual;
    uint64_t weight = owed / 2 < own ? owed : 2 * own;
    thread->usual_ns = usual - usual / SMOOTHING + own / SMOOTHING;
    thread->sampled_ns += since;
    thread->billed_ns += weight;
    process->billed_ns += weight;
    return weight;
}

void account_off(struct process_account *process, uint64_t clock_ns)
{
    process->off_ns = clock_ns;
    process->off = true;
}

void account_on(struct process_account *process, uint64_t clock_ns)
{
    if (process->off && clock_ns > process->off_ns)
        process->began_ns += clock_ns - process->off_ns;
    process->off = false;
}

uint64_t account_image(struct process_account *process, uint64_t clock_ns)
{
    uint64_t until_ns = process->off ? process->off_ns : clock_ns;
    uint64_t used = until_ns > process->began_ns ? until_ns - process->began_ns : 0;
    if (used < process->billed_ns)
        used = process->billed_ns; /* the clock lags while threads run, but the bills are exact */
    process->began_ns = process->off_ns = clock_ns;
    process->billed_ns = 0;
    return used;
}
