/* SPDX-License-Identifier: MIT */
#include "tracer/loop/settle.h"

#include "common/arch/arch.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/calls/calls.h"
#include "tracer/clock/picker.h"
#include "tracer/follow/bystanders.h"
#include "tracer/follow/follow.h"
#include "tracer/loop/dispatch.h"
#include "tracer/loop/questions.h"
#include "tracer/loop/tracer.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/restart/calls.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/registers.h"
#include "tracer/tracee/remote.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <signal.h>
#include <unistd.h>

enum {
    SETTLE_ROUNDS = 20,
    SETTLE_TRIES = 500,  /* tenths of a millisecond */
    RECALL_TRIES = 5000, /* tenths of a millisecond */
    LEAVE_LOOK_US = 50,
    REST_LOOK_US = 2000, /* signals of tracees end this sleep */
    STRAGGLER_LOOK_US = 10000,
};
#define SETTLE_NS 1500000000ull        /* for all threads, on a busy machine: the front does not wait forever */
#define SETTLE_ALONE_NS 20000000000ull /* without a front nobody finishes the work */
#define LEAVE_NS 20000000ull           /* for signals on their way */
#define REST_STALL_NS 2000000000ull    /* a transfer without progress for this time may never end */

void settle_stopped(struct tracer *tracer, struct thread *thread)
{
    const struct arch_registers *registers;
    if (thread->own->settled || thread->remote ||
        stopped_registers(&tracer->follow.restart.stopped, thread->tid, &registers) < 0)
        return;
    thread->own->settled = calls_settled(&tracer->calls, thread, arch_pc(registers), arch_sp(registers));
    thread->asked = !thread->own->settled;
}

void settle_born(const struct tracer *tracer, struct thread *thread)
{
    thread->own->settled = calls_are_back(&tracer->calls, thread->process);
}

/* Returns true if THREAD, which is shielded or does not answer, sleeps at a safe location. */
static bool is_settled_asleep(const struct tracer *tracer, const struct thread *thread)
{
    struct blocked where;
    return procfs_blocked(thread->process->pid, thread->tid, &where) &&
           calls_settled(&tracer->calls, thread, where.pc, where.sp);
}

static size_t stop_unsettled(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    size_t waiting = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct thread *thread = table->threads[i];
        if (!thread->process->breakpoints || thread->own->settled || thread->held)
            continue;
        if (!thread->shielded)
            thread->asked = request_interrupt(thread->tid) == 0;
        thread->own->settled = thread->shielded ? is_settled_asleep(tracer, thread) : !thread->asked;
        waiting += !thread->own->settled;
    }
    return waiting + bystanders_stop(&tracer->follow.bystanders);
}

static bool any_pending(const struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    for (size_t i = 0; i < table->count; i++)
        if (table->threads[i]->asked || remote_is_away(table->threads[i]))
            return true;
    return tracer->follow.newborn_count || tracer->follow.bystanders.count;
}

/* Returns true if THREAD is in the kernel, where no signal reaches it. Mostly it waits in a system call of its program.
 * But a thread that a cgroup has frozen may be anywhere, and continues there: only its PC and its frames show where. */
static bool is_out_of_reach(const struct thread *thread)
{
    return procfs_waits_in_kernel(thread->process->pid, thread->tid);
}

/* Detaches threads that do not answer, if they sleep at a safe location, because their wait may take any time. The
 * kernel reports the end of a first thread only after the others have ended. */
static void give_up_waiting(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    for (size_t i = 0; i < table->count; i++) {
        struct thread *thread = table->threads[i];
        if (!thread->asked)
            continue;
        bool waits = is_out_of_reach(thread);
        if (waits ? !is_settled_asleep(tracer, thread) : !procfs_is_dead(thread->process->pid, thread->tid))
            continue;
        thread->asked = false;
        thread->own->settled = true;
        atomic_fetch_add(&tracer->channel->shared->counts.unstopped, waits);
    }
    struct bystanders *bystanders = &tracer->follow.bystanders;
    for (size_t i = bystanders->count; i-- > 0;)
        if (procfs_waits_in_kernel(bystanders->items[i], 0) && calls_sleeps_well(&tracer->calls, bystanders->items[i]))
            bystanders_remove(bystanders, bystanders->items[i]);
}

/* True if all threads that share the memory of PROCESS, and its stubs, are settled. */
static bool is_settled(const struct table *table, const struct process *process)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->threads[i]->process->breakpoints == process->breakpoints && !table->threads[i]->own->settled)
            return false;
    return true;
}

/* Removes the stubs that no thread uses. The front removes the others. */
static void leave_stubs(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    for (size_t i = 0; i < table->process_count; i++)
        if (is_settled(table, table->processes[i]) && !tracer->follow.bystanders.count)
            calls_left(&tracer->calls, table->processes[i]);
}

/* Returns true without a front, or if the front has left the stragglers to us. */
static bool is_alone(const struct tracer *tracer)
{
    return getppid() != tracer->front || atomic_load(&tracer->channel->shared->stragglers);
}

static bool has_time(const struct tracer *tracer, int round, uint64_t began_ns)
{
    return is_alone(tracer) ? time_now_ns() - began_ns < SETTLE_ALONE_NS : round < SETTLE_ROUNDS;
}

static void stop_all(struct tracer *tracer)
{
    uint64_t began_ns = time_now_ns();
    for (int round = 0; has_time(tracer, round, began_ns) && (stop_unsettled(tracer) || any_pending(tracer)); round++) {
        uint64_t until_ns = began_ns + (is_alone(tracer) ? SETTLE_ALONE_NS : SETTLE_NS);
        for (int i = 0; i < SETTLE_TRIES && any_pending(tracer) && time_now_ns() < until_ns; i++) {
            dispatch_all(tracer);
            usleep(100);
        }
        give_up_waiting(tracer);
        /* Let threads run: a thread that is stopped too soon again never receives its pending signal. */
        usleep((useconds_t)(round < SETTLE_ROUNDS ? round : SETTLE_ROUNDS) * 1000);
        dispatch_all(tracer);
    }
    leave_stubs(tracer);
}

/* Removes the breakpoints. A thread that has just hit one would later die of the pending signal. So all existing
 * threads are stopped once more, until each is seen elsewhere. If a thread cannot be stopped, its location is read
 * while it sleeps. A new thread is elsewhere anyway. */
void settle_all(struct tracer *tracer)
{
    tracer->settling = true;
    follow_welcome(&tracer->follow);
    dispatch_told(tracer);
    calls_close(&tracer->calls);
    questions_drop(tracer);
    stop_all(tracer);
}

/* Counts the threads that transfer a remainder. Sets *RAN to the sum of their run times and run counts: it changes
 * while one makes progress. */
static uint32_t count_remainders(const struct table *table, uint64_t *ran)
{
    struct schedstat now;
    uint32_t count = 0;
    *ran = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (!table->threads[i]->remainder)
            continue;
        count++;
        if (picker_schedstat(table->threads[i], &now))
            *ran += now.ran_ns + now.arrivals;
    }
    return count;
}

static bool asked_again(const struct tracer *tracer)
{
    return tracer->terms > 1 || tracer->closing > 1;
}

static void await_remainders(struct tracer *tracer)
{
    _Atomic uint32_t *told = &tracer->channel->shared->remainders;
    uint64_t now_ns = time_now_ns(), until_ns = now_ns + TRACER_TRANSFERS_NS, moved_ns = now_ns, before = 0, ran;
    uint32_t count;
    while ((count = count_remainders(&tracer->follow.table, &ran)) && !asked_again(tracer) && now_ns < until_ns &&
           now_ns - moved_ns < REST_STALL_NS) {
        atomic_store(told, count);
        usleep(REST_LOOK_US);
        dispatch_all(tracer);
        tracer_obey(tracer);
        now_ns = time_now_ns();
        if (ran != before)
            moved_ns = now_ns;
        before = ran;
    }
    atomic_store(told, 0);
}

static void recall_remainders(struct tracer *tracer)
{
    for (int i = 0; i < RECALL_TRIES && restart_recall(&tracer->follow.restart); i++) {
        usleep(100);
        dispatch_all(tracer);
    }
}

void settle_remainders(struct tracer *tracer)
{
    await_remainders(tracer);
    recall_remainders(tracer);
}

/* Counts threads that need us. A frozen thread cannot receive the pending signal of a breakpoint, and without us
 * would die of it later. A frozen thread in a stub, or with the remainder of a transfer, would get a wrong result. */
static uint32_t count_stragglers(const struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    struct blocked where;
    uint32_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct thread *thread = table->threads[i];
        pid_t pid = thread->process->pid, tid = thread->tid;
        if (!thread->remainder && (!thread->process->breakpoints || thread->own->settled))
            continue;
        count += is_out_of_reach(thread) || (procfs_blocked(pid, tid, &where) &&
                                             breakpoints_at(thread->process, where.pc) && procfs_may_wait(tid, SIGILL));
    }
    return count;
}

void settle_stragglers(struct tracer *tracer)
{
    uint32_t count = count_stragglers(tracer);
    if (!count)
        return;
    atomic_store(&tracer->channel->shared->stragglers, count);
    while (count_stragglers(tracer)) {
        usleep(STRAGGLER_LOOK_US);
        dispatch_all(tracer);
    }
    stop_all(tracer);
    recall_remainders(tracer);
}

/* Returns true if a signal has woken a thread that has not stopped for it yet. If there are very many threads, checks
 * only some. */
static bool any_signalled(const struct table *table, uint64_t until_ns)
{
    for (size_t i = 0; i < table->count && time_now_ns() < until_ns; i++)
        if (!table->threads[i]->group_stopped && procfs_has_signal(table->threads[i]->tid))
            return true;
    return false;
}

/* Waits until no ignored signal is being delivered, and then exits at once. If we exited before a thread has stopped
 * for such a signal, or during that stop, the thread's call would fail. */
void settle_last(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    uint64_t until_ns = time_now_ns() + LEAVE_NS;
    restart_leave(&tracer->follow.restart);
    dispatch_all(tracer);
    while ((restart_leave(&tracer->follow.restart) || any_signalled(table, until_ns)) && time_now_ns() < until_ns) {
        usleep(LEAVE_LOOK_US);
        dispatch_all(tracer);
    }
    dispatch_all(tracer);
}
