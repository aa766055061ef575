/* SPDX-License-Identifier: MIT */
#include "common/model/faults.h"

enum {
    FIRST_LOOK_NS = 10000000,    /* time that samples represent before the first look */
    WATCHED_STEP_NS = 50000000,  /* between looks while faults occur */
    LONGEST_STEP_NS = 200000000, /* between looks while none occur */
    STEP_OF_THREAD_NS = 50000,   /* added for each thread, because the kernel adds up all of them */
    DEAREST_NS = 1000000,        /* most that a fault costs; clearing a huge page takes some hundreds of us */
    LEAST_SHARE = 100,           /* less than this part (1/100) is not distributed */
    RAREST_NS = 10000000,        /* rarer faults do not explain system time */
    SHORT_NS = 200000000,        /* time of the samples of a process that is not short */
    OWED_FIRST = 3,              /* weight of owed time, compared with recently seen time */
};
static const double KEPT = 7.0 / 8; /* share of the older average that remains at each look */

void faults_begin(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns)
{
    *process = (struct process_faults){
        .began = *now, .base_ns = billed_ns, .looked_ns = billed_ns, .seen = now->faults, .watch = process->watch};
}

bool faults_due(const struct process_faults *process, uint64_t billed_ns)
{
    return billed_ns >= process->looked_ns + FIRST_LOOK_NS + process->step_ns;
}

static uint64_t grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* Returns the system time in BILLED_NS. The kernel's account also contains unsampled time, so only its ratio counts. */
static uint64_t target(const struct process_faults *process, const struct faults_account *now, uint64_t billed_ns)
{
    double user = (double)grown(now->user, process->began.user);
    double system = (double)grown(now->system, process->began.system);
    return system > 0 ? (uint64_t)((double)grown(billed_ns, process->base_ns) * (system / (user + system))) : 0;
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* Spreads the correction of earlier errors over the next looks. */
static void share_out(struct process_faults *process)
{
    double owed =
        within((double)process->target_ns - (double)process->shown_ns, -process->recent_all_ns, process->recent_all_ns);
    double open = process->recent_ns + OWED_FIRST * owed;
    bool watched =
        open * LEAST_SHARE > process->recent_all_ns && process->recent_faults * RAREST_NS > process->recent_all_ns;
    process->cost_ns = watched ? within(open / process->recent_faults, 0, DEAREST_NS) : 0;
    process->watch += watched && !process->watched;
    process->watched = watched;
    /* time that was not for faults is not owed to later faults */
    process->shown_ns = (uint64_t)((double)process->target_ns - (watched || owed < 0 ? owed : 0));
}

static void plan(struct process_faults *process, size_t threads)
{
    uint64_t longest = process->watched ? WATCHED_STEP_NS : LONGEST_STEP_NS;
    uint64_t step_ns = 2 * process->step_ns + FIRST_LOOK_NS;
    process->step_ns = (step_ns < longest ? step_ns : longest) + (uint64_t)threads * STEP_OF_THREAD_NS;
}

void faults_look(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns, size_t threads)
{
    uint64_t target_ns = target(process, now, billed_ns);
    double faults = process->watched ? process->counted : (double)grown(now->faults, process->seen);
    process->recent_ns =
        KEPT * process->recent_ns + (double)target_ns - (double)process->target_ns - (double)process->calls_ns;
    process->recent_faults = KEPT * process->recent_faults + faults;
    process->recent_all_ns = KEPT * process->recent_all_ns + (double)grown(billed_ns, process->looked_ns);
    process->target_ns = target_ns;
    process->looked_ns = billed_ns;
    process->seen = now->faults;
    process->calls_ns = 0;
    process->counted = 0;
    share_out(process);
    plan(process, threads);
}

void faults_begin_as(struct process_faults *process, struct thread_faults *thread, const struct faults_account *now,
                     const struct faults_pool *pool)
{
    if (!pool->all.looked_ns)
        return;
    process->step_ns = SHORT_NS;
    if (!pool->all.watched)
        return;
    process->cost_ns = pool->all.cost_ns;
    process->watched = true;
    process->watch++;
    *thread = (struct thread_faults){.seen = now->faults, .watch = process->watch};
}

bool faults_is_short(const struct process_faults *process, uint64_t billed_ns)
{
    return grown(billed_ns, process->base_ns) < SHORT_NS;
}

void faults_pool_add(struct faults_pool *pool, const struct process_faults *process,
                     const struct faults_account *account)
{
    pool->account.user += grown(account->user, process->began.user);
    pool->account.system += grown(account->system, process->began.system);
    pool->account.faults += grown(account->faults, process->began.faults);
    pool->sampled_ns += process->all_ns;
    pool->all.shown_ns += process->all_calls_ns + (uint64_t)process->all_parts_ns;
    pool->all.calls_ns += process->all_calls_ns;
    pool->all.counted += process->all_counted;
    if (faults_due(&pool->all, pool->sampled_ns))
        faults_look(&pool->all, &pool->account, pool->sampled_ns, 1);
}

uint64_t faults_had(const struct process_faults *process, struct thread_faults *thread, uint64_t faults)
{
    uint64_t had = thread->watch == process->watch ? grown(faults, thread->seen) : 0;
    *thread = (struct thread_faults){.seen = faults, .watch = process->watch};
    return had;
}

void faults_bill_call(struct process_faults *process, uint64_t weight_ns, uint64_t period_ns)
{
    process->shown_ns += weight_ns;
    process->calls_ns += weight_ns;
    process->all_ns += period_ns;
    process->all_calls_ns += period_ns;
}

uint64_t faults_bill(struct process_faults *process, uint64_t faults, uint64_t weight_ns, uint64_t period_ns)
{
    double scale = weight_ns ? (double)period_ns / (double)weight_ns : 0;
    uint64_t part_ns = (uint64_t)within(process->cost_ns * (double)faults, 0, (double)weight_ns);
    process->counted += (double)faults;
    process->shown_ns += part_ns;
    process->all_ns += period_ns;
    process->all_parts_ns += scale * (double)part_ns;
    process->all_counted += scale * (double)faults;
    return part_ns;
}
