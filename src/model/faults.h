/* SPDX-License-Identifier: MIT
 *
 * The part of a process's running time that is system time outside of system calls: page faults. A stop shows whether a
 * thread was in a system call, but not whether it was in a fault. The kernel's account shows how much system time the
 * process has had, and how many faults each thread. System time beyond that of the samples in system calls is
 * distributed over the other samples, by the faults of their threads since the sample before. A sample never gets more
 * of it than its weight, and a sample without faults gets none.
 *
 * The kernel's account is coarse and includes interrupts. System time that comes without faults stays with the
 * samples. Pure. */
#ifndef MODEL_FAULTS_H
#define MODEL_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the kernel says of a process, or of a thread, from its beginning. */
struct faults_account {
    uint64_t user, system; /* time, both in the same unit, whichever that is */
    uint64_t faults;
};

struct process_faults {
    struct faults_account began; /* when the present image did, or was sampled again */
    uint64_t base_ns;            /* time that samples of the image represented then */
    uint64_t seen;               /* faults at the last look */
    uint64_t looked_ns;          /* time that samples represented then */
    uint64_t step_ns;            /* time that samples add until the next look, beyond FIRST_LOOK_NS */
    uint64_t target_ns;          /* part of looked_ns - base_ns that was system time, by the kernel's account */
    uint64_t shown_ns;           /* time since base_ns that samples show as system time, in calls and in faults */
    uint64_t calls_ns;           /* of this in calls, since the last look */
    uint64_t counted;            /* faults that time was shared out by, since then */
    double recent_ns;            /* system time outside of calls, lately */
    double recent_faults;        /* faults that it was for */
    double recent_all_ns;        /* time of all samples since then */
    double cost_ns;              /* of one fault, as distributed */
    uint32_t watch;              /* changes with each begin of a period in which threads' faults are counted */
    bool watched;                /* they are */
};

struct thread_faults {
    uint64_t seen;  /* at the last sample */
    uint32_t watch; /* the process's at that time; 0: none */
};

/* A process that begins is zeroed before the first use. A later image of it begins, or is sampled again, when the
 * process's account stands at NOW and samples of the image for BILLED_NS. */
void faults_begin(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns);

/* True if the account should be looked at, now that samples of the image represent BILLED_NS. */
bool faults_due(const struct process_faults *process, uint64_t billed_ns);

/* Looks at the account: it is at NOW, samples represent BILLED_NS, and the process has THREADS threads, which make a
 * look take longer. */
void faults_look(struct process_faults *process, const struct faults_account *now, uint64_t billed_ns, size_t threads);

/* THREAD has had FAULTS in all, and is sampled. Returns how many it has had since its last sample, as far as
 * the process has been watched since then. */
uint64_t faults_had(const struct process_faults *process, struct thread_faults *thread, uint64_t faults);

/* A sample of WEIGHT_NS was taken in a system call. */
void faults_bill_call(struct process_faults *process, uint64_t weight_ns);

/* A sample of WEIGHT_NS was taken in user code of a thread that had FAULTS faults since its last sample. Returns the
 * part of the weight that was system time. */
uint64_t faults_bill(struct process_faults *process, uint64_t faults, uint64_t weight_ns);

#endif
