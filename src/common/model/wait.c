/* SPDX-License-Identifier: MIT */
#include "common/model/wait.h"

#include "common/base/scale.h"

enum { REST_FACTOR = 19 }; /* looks may take a twentieth of the time */

static uint64_t beyond(uint64_t more, uint64_t less)
{
    return more > less ? more - less : 0;
}

void wait_begin(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran,
                const struct switches *switches)
{
    *thread = (struct thread_wait){
        .born_ns = now_ns,
        .born_ran_ns = ran->ran_ns,
        .queue.waited_ns = ran->waited_ns,
        .queue.arrivals = ran->arrivals,
        .queue.switches = *switches,
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

/* Counts the waits for a CPU that have ended since the last division: *WAKES after a sleep, *TURNS after being
 * displaced. Each began with a switch, and ended with an arrival. Notes one that has not ended. */
static void count_ended(struct wait_queue *queue, uint64_t arrivals, const struct switches *now, bool blocked,
                        uint64_t *wakes, uint64_t *turns)
{
    uint64_t ended = beyond(arrivals, queue->arrivals);
    *wakes = queue->sleeps + beyond(now->voluntary, queue->switches.voluntary + queue->stops);
    *turns = queue->turns + beyond(now->involuntary, queue->switches.involuntary) + queue->stops;
    bool all = !blocked && *wakes + *turns <= ended;
    queue->turns = !all && !blocked && *turns;
    queue->sleeps = !all && !queue->turns && *wakes;
    *turns -= queue->turns;
    *wakes -= queue->sleeps;
}

void wait_divide(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran,
                 const struct switches *switches, bool blocked)
{
    struct wait_queue *queue = &thread->queue;
    uint64_t queued_ns = beyond(ran->waited_ns, queue->waited_ns), most_ns = owed(thread, now_ns, ran), wakes, turns;
    if (queued_ns > most_ns)
        queued_ns = most_ns;
    count_ended(queue, ran->arrivals, switches, blocked, &wakes, &turns);
    uint64_t displaced_ns = turns ? scale_share(queued_ns, turns, wakes + turns) : 0;
    queue->displaced_ns += displaced_ns;
    queue->woken_ns += queued_ns - displaced_ns;
    queue->wakes += wakes;
    queue->waited_ns = ran->waited_ns;
    queue->arrivals = ran->arrivals;
    queue->switches = *switches;
    queue->stops = 0;
    thread->billed_ns += queued_ns;
}

static uint64_t bill(struct thread_wait *thread, struct process_wait *process, uint64_t blocked_ns)
{
    thread->billed_ns += blocked_ns;
    process->billed_ns += blocked_ns;
    return blocked_ns;
}

uint64_t wait_bill_seen(struct thread_wait *thread, struct process_wait *process, uint64_t until_ns)
{
    return bill(thread, process, owed(thread, until_ns, &thread->seen));
}

uint64_t wait_bill_over(struct thread_wait *thread, struct process_wait *process, uint64_t until_ns, uint64_t now_ns,
                        const struct schedstat *ran)
{
    uint64_t blocked_ns = owed(thread, until_ns, &thread->seen);
    uint64_t most_ns = beyond(owed(thread, now_ns, ran), beyond(ran->waited_ns, thread->queue.waited_ns));
    return bill(thread, process, blocked_ns < most_ns ? blocked_ns : most_ns);
}

/* Bills NS of *POT, whose time is already billed to the thread. */
static uint64_t bill_queued(uint64_t *pot, struct process_wait *process, uint64_t ns)
{
    *pot -= ns;
    process->billed_ns += ns;
    return ns;
}

uint64_t wait_bill_woken(struct thread_wait *thread, struct process_wait *process)
{
    struct wait_queue *queue = &thread->queue;
    uint64_t woken_ns = queue->wakes > 1 ? queue->woken_ns / queue->wakes : queue->woken_ns;
    queue->wakes -= queue->wakes > 0;
    return bill_queued(&queue->woken_ns, process, woken_ns);
}

uint64_t wait_bill_displaced(struct thread_wait *thread, struct process_wait *process)
{
    return bill_queued(&thread->queue.displaced_ns, process, thread->queue.displaced_ns);
}

struct wait_weight wait_bill(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                             const struct schedstat *ran)
{
    struct wait_weight weight = {.queued_ns = bill_queued(&thread->queue.woken_ns, process, thread->queue.woken_ns)};
    weight.blocked_ns = bill(thread, process, owed(thread, now_ns, ran));
    thread->queue.wakes = 0;
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
