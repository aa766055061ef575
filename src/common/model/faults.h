/* SPDX-License-Identifier: MIT
 *
 * The part of a process's running time that is system time outside of system calls: page faults. Not every stop shows
 * whether a thread was in a fault (arch_fault). The kernel's account shows how much system time the process has had,
 * and how many faults each thread. System time that samples known to be in the kernel do not have, in system calls and
 * in faults, is distributed over the samples for which this is unknown, by the faults of their threads since the sample
 * before. A sample never gets more of it than its weight, and a sample without faults gets none.
 *
 * The kernel's account is coarse and includes interrupts. System time that comes without faults stays with the
 * samples. Pure. */
#ifndef MODEL_FAULTS_H
#define MODEL_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's account of a process, or of a thread, since its beginning. */
struct faults_account {
    uint64_t user, system; /* times in any unit, but both in the same */
    uint64_t faults;
};

struct process_faults {
    struct faults_account began; /* account when the present image began, or sampling was switched on again */
    uint64_t base_ns;            /* time that samples of the image represented then */
    uint64_t seen;               /* faults at the last look */
    uint64_t looked_ns;          /* time that samples represented then */
    uint64_t step_ns;            /* time that samples add until the next look, beyond FIRST_LOOK_NS */
    uint64_t target_ns;          /* part of looked_ns - base_ns that was system time, by the kernel's account */
    uint64_t shown_ns;           /* time since base_ns that samples show as system time, in calls and in faults */
    uint64_t calls_ns;           /* part of this known to be in the kernel, since the last look */
    double counted;              /* faults to which time was distributed since then */
    double recent_ns;            /* recent system time outside of calls */
    double recent_faults;        /* recent faults in that time */
    double recent_all_ns;        /* recent time of all samples */
    double cost_ns;              /* cost of one fault, as distributed */
    uint32_t watch;              /* changes at each beginning of a period in which threads' faults are counted */
    bool watched;                /* they are counted now */
    uint64_t all_ns;             /* since base_ns, with each sample as its period: all, */
    uint64_t all_calls_ns;       /* those known to be in the kernel, */
    double all_parts_ns;         /* the parts distributed to faults, */
    double all_counted;          /* and these faults */
};

/* What the images of short processes have in common. Their accounts are too coarse one by one: a process has at most a
 * few scheduler ticks, and often none. The sum of the ticks is right. The first sample of a process has only the time
 * until then as its weight. So here each sample counts as its period, as in the estimate of time without samples. Zero
 * before use. */
struct faults_pool {
    struct process_faults all;
    struct faults_account account; /* sum over ended images */
    uint64_t sampled_ns;           /* sum of the periods of their samples */
};

struct thread_faults {
    uint64_t seen;  /* at the last sample */
    uint32_t watch; /* the process's watch at that time; 0: none */
};

/* Begins a later image of the process, or begins again after sampling was off. NOW: the process's account; BILLED_NS:
 * time of the image's samples so far. Zero a process before its first use. */
void faults_begin(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns);

/* Lets PROCESS, which has just begun with NOW and has only THREAD, begin with the cost of a fault in POOL. If that is
 * known, the account of PROCESS is not read while it is short. */
void faults_begin_as(struct process_faults *process, struct thread_faults *thread, const struct faults_account *now,
                     const struct faults_pool *pool);

/* Returns true if the image of PROCESS has ended so early that its own account, of a few scheduler ticks, means little.
 * BILLED_NS: time of the image's samples. */
bool faults_is_short(const struct process_faults *process, uint64_t billed_ns);

/* Adds an image of PROCESS that was short to POOL. ACCOUNT: the account of PROCESS at the end of the image. */
void faults_pool_add(struct faults_pool *pool, const struct process_faults *process,
                     const struct faults_account *account);

/* Returns true if the account should be read now. BILLED_NS: time of the image's samples. */
bool faults_due(const struct process_faults *process, uint64_t billed_ns);

/* Takes account NOW, read when samples represent BILLED_NS. THREADS: number of threads in the process, which make a
 * look take longer. */
void faults_look(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns, size_t threads);

/* THREAD is sampled and has had FAULTS in all. Returns how many it has had since its last sample, as far as the process
 * was watched. */
uint64_t faults_had(const struct process_faults *process, struct thread_faults *thread, uint64_t faults);

/* Notes a sample of WEIGHT_NS that was in a system call, or is known to be in a fault, taken at this period. */
void faults_bill_call(struct process_faults *process, uint64_t weight_ns, uint64_t period_ns);

/* Notes a sample of WEIGHT_NS that may have been in a fault, taken at this period. FAULTS: the thread's faults since
 * its last sample. Returns the part of the weight that was system time. */
uint64_t faults_bill(struct process_faults *process, uint64_t faults, uint64_t weight_ns, uint64_t period_ns);

#endif
