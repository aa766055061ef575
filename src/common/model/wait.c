/* SPDX-License-Identifier: MIT */
#include "common/model/wait.h"

enum { REST_FACTOR = 19 }; /* looks may take a twentieth of the time */

static uint64_t beyond(uint64_t more, uint64_t less)
{
    return more > less ? more - less : 0;
}

void wait_begin(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran)
{
    *thread = (struct thread_wait){
        .born_ns = now_ns,
        .born_ran_ns = ran->ran_ns,
        .queued_ns = ran->waited_ns,
    };
}

static uint64_t lived(const struct thread_wait *thread, uint64_t now_ns)
{
    return thread->born_ns ? beyond(now_ns, thread->born_ns) : 0;
}

/* Returns the time without a CPU that is not billed yet. */
static uint64_t owed(const struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran)
{
    uint64_t ran_ns = beyond(ran->ran_ns, thread->born_ran_ns);
    return beyond(beyond(lived(thread, now_ns), ran_ns), thread->billed_ns);
}

uint64_t wait_bill_queued(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                          const struct schedstat *ran)
{
    uint64_t queued = beyond(ran->waited_ns, thread->queued_ns), most = owed(thread, now_ns, ran);
    thread->queued_ns += queued;
    if (queued > most)
        queued = most;
    thread->billed_ns += queued;
    process->billed_ns += queued;
    return queued;
}

struct wait_weight wait_bill(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                             const struct schedstat *ran)
{
    struct wait_weight weight = {.queued_ns = wait_bill_queued(thread, process, now_ns, ran)};
    weight.blocked_ns = owed(thread, now_ns, ran);
    thread->billed_ns += weight.blocked_ns;
    process->billed_ns += weight.blocked_ns;
    return weight;
}

void wait_end(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns)
{
    process->lived_ns += lived(thread, now_ns);
    thread->born_ns = 0;
}

uint64_t wait_image(const struct process_wait *process, uint64_t cpu_ns)
{
    uint64_t waited = beyond(process->lived_ns, cpu_ns);
    return waited > process->billed_ns ? waited : process->billed_ns;
}

uint64_t wait_scan_pause(uint64_t took_ns)
{
    return took_ns * REST_FACTOR;
}
