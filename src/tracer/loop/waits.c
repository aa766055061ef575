/* SPDX-License-Identifier: MIT */
#include "tracer/loop/waits.h"

#include "common/arch/arch.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/model/wait.h"
#include "common/wire/channel.h"
#include "common/wire/emit.h"
#include "common/wire/message.h"
#include "common/wire/shared.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/maps.h"
#include "tracer/loop/pace.h"
#include "tracer/loop/sample.h"
#include "tracer/loop/stack.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

enum {
    MOST_CAPTURES = 256,  /* of one process, for each look */
    QUEUED_NS = 50000,    /* a shorter wait for a CPU is not worth reading why it happened */
    TELL_NS = 1000000000, /* interval between reports of a continuing wait */
};

static bool same_run(const struct schedstat *one, const struct schedstat *other)
{
    return one->ran_ns == other->ran_ns && one->arrivals == other->arrivals;
}

/* Returns true if THREAD has not run since it was last found waiting. */
static bool still_waits(struct thread *thread)
{
    struct schedstat now;
    return picker_schedstat(thread, &now) && same_run(&now, &thread->own->wait.seen);
}

/* Reports that THREAD has waited for WEIGHT, until UNTIL_NS, where it was last seen. OVER: the wait has ended. */
static void report_wait(struct tracer *tracer, struct thread *thread, const struct wait_weight *weight,
                        uint64_t until_ns, bool over)
{
    struct process *process = thread->process;
    uint64_t looks = process->own->wait.looks, counted = thread->own->wait.looks;
    struct message_waited message = {
        .image = process->image,
        .tid = thread->tid,
        .count = looks > counted ? looks - counted : 0, /* a capture has counted the present look */
        .wait_ns = weight->blocked_ns,
        .queued_ns = weight->queued_ns,
        .time_ns = until_ns,
        .over = over,
    };
    pace_bill(tracer, 0, weight->blocked_ns + weight->queued_ns);
    thread->own->wait.looks = process->own->wait.looks;
    thread->own->wait.waits = !over;
    emit_message(&tracer->emitter, MESSAGE_WAITED, &message, sizeof message, NULL, 0, false);
}

/* Reports that THREAD, which has not been seen running since, waited until UNTIL_NS. */
static void report_seen(struct tracer *tracer, struct thread *thread, uint64_t until_ns, bool over)
{
    const struct wait_weight weight = {.blocked_ns =
                                           wait_bill_seen(&thread->own->wait, &thread->process->own->wait, until_ns)};
    report_wait(tracer, thread, &weight, until_ns, over);
}

/* Reads how often THREAD left its CPU. Does not change SWITCHES if that is unknown. */
static void read_switches(const struct thread *thread, struct switches *switches)
{
    char text[4096];
    if (procfs_text(thread->process->pid, thread->tid, "status", text, sizeof text) > 0)
        proctext_switches(text, switches);
}

/* Divides the time that THREAD, with the counts RAN, has waited for a CPU. BLOCKED: it sleeps. */
static void divide(struct thread *thread, const struct schedstat *ran, bool blocked)
{
    struct wait_queue *queue = &thread->own->wait.queue;
    struct switches switches = queue->switches;
    if (ran->waited_ns < queue->waited_ns + QUEUED_NS)
        return;
    read_switches(thread, &switches);
    wait_divide(&thread->own->wait, time_now_ns(), ran, &switches, blocked);
}

/* THREAD, with the counts RAN, has run since the last look. BLOCKED: it sleeps again. */
static void note_run(struct tracer *tracer, struct thread *thread, const struct schedstat *ran, bool blocked)
{
    struct thread_wait *wait = &thread->own->wait;
    struct process_wait *process = &thread->process->own->wait;
    struct wait_weight weight = {0, 0};
    if (wait->waits)
        weight.blocked_ns = wait_bill_over(wait, process, process->confirmed_ns, time_now_ns(), ran);
    divide(thread, ran, blocked);
    if (!wait->waits)
        return;
    weight.queued_ns = wait_bill_woken(wait, process);
    report_wait(tracer, thread, &weight, process->confirmed_ns, true);
}

/* Returns the wait reason of THREAD, which is blocked at WHERE. LOCK: the reason if it waits for the lock of its
 * language; otherwise -1. */
static int32_t place_of(const struct thread *thread, const struct blocked *where, int32_t lock)
{
    int32_t number = arch_syscall_of(where->syscall, thread->process->compat);
    if (thread->own->worker)
        return WAIT_WORKER;
    if (thread->group_stopped)
        return WAIT_STOPPED;
    return lock >= 0 ? lock : number < 0 ? WAIT_OUTSIDE : number;
}

struct message_capture *waits_copy(struct tracer *tracer, struct thread *thread, const struct blocked *where,
                                   struct schedstat *seen)
{
    struct arch_registers registers;
    struct schedstat after;
    arch_set_blocked(&registers, where->pc, where->sp, thread->process->compat);
    struct message_capture *message = sample_reserve(tracer, thread, &registers, where);
    if (!message || !picker_schedstat(thread, &after) || !same_run(seen, &after))
        return NULL;
    *seen = after;
    stack_trim(thread, message);
    message->syscall = place_of(thread, where, tracer->interp_stack.lock_place);
    message->waiting = true;
    message->bare = thread->own->worker;
    return message;
}

/* Takes a capture of THREAD at WHERE. Returns false if the thread should be looked at again. */
static bool capture(struct tracer *tracer, struct thread *thread, const struct blocked *where,
                    const struct schedstat *before)
{
    struct process_wait *process = &thread->process->own->wait;
    struct schedstat after = *before;
    struct message_capture *message = waits_copy(tracer, thread, where, &after);
    if (!message)
        return false;
    struct wait_weight weight = wait_bill(&thread->own->wait, process, message->time_ns, &after);
    thread->own->wait.seen = after;
    thread->own->wait.looks = process->looks + 1;
    thread->own->wait.waits = true;
    message->wait_ns = weight.blocked_ns;
    message->queued_ns = weight.queued_ns;
    pace_bill(tracer, 0, weight.blocked_ns + weight.queued_ns);
    sample_send(tracer, thread, message);
    emit_remind(&tracer->emitter, message->time_ns);
    if (tracer->stack_grows)
        waits_look_again(tracer, thread);
    return !tracer->stack_grows;
}

/* Looks at THREAD, with at most *CAPTURES captures left. Returns false if it should be looked at again even if its
 * process does not run before. */
static bool look_at_thread(struct tracer *tracer, struct thread *thread, unsigned *captures)
{
    struct schedstat now;
    struct blocked where;
    if (!picker_schedstat(thread, &now))
        return true;
    if (thread->own->wait.waits && same_run(&now, &thread->own->wait.seen))
        return true;
    bool blocked = picker_blocked(thread, &where);
    note_run(tracer, thread, &now, blocked);
    if (!*captures || thread->asked || thread->held || thread->remote)
        return false;
    if (!blocked)
        return true;
    if (!where.sp) { /* it has ended; other threads of its process go on */
        wait_end(&thread->own->wait, &thread->process->own->wait, time_now_ns());
        return true;
    }
    --*captures;
    return capture(tracer, thread, &where, &now);
}

/* Looks at the threads of PROCESS. If it has more threads than one look captures, they take turns. Returns as
 * look_at_thread. */
static bool look_at_threads(struct tracer *tracer, struct process *process)
{
    unsigned captures = MOST_CAPTURES;
    size_t first = process->thread_count ? tracer->waits_turn % process->thread_count : 0;
    bool complete = true;
    for (int round = 0; round < 2; round++) {
        size_t number = 0;
        for (struct thread *thread = process->threads; thread; thread = thread->next)
            if ((number++ >= first) == (round == 0))
                complete &= look_at_thread(tracer, thread, &captures);
    }
    if (!captures)
        tracer->waits_turn += MOST_CAPTURES;
    return complete;
}

/* Reports all threads of PROCESS that waited at the last look. */
static void tell_all(struct tracer *tracer, struct process *process)
{
    process->own->wait.told_ns = process->own->wait.confirmed_ns;
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (thread->own->wait.waits)
            report_seen(tracer, thread, process->own->wait.confirmed_ns, false);
}

static void look_at_process(struct tracer *tracer, struct process *process, uint64_t now_ns)
{
    struct process_wait *wait = &process->own->wait;
    uint64_t clock_ns = cpu_clock_ns(process);
    maps_answer(tracer, process, now_ns);
    if (clock_ns != wait->clock_ns)
        wait->clock_ns = look_at_threads(tracer, process) ? clock_ns : UINT64_MAX;
    wait->looks++;
    wait->confirmed_ns = now_ns;
    if (now_ns - wait->told_ns < TELL_NS)
        return;
    tell_all(tracer, process);
}

void waits_look_again(struct tracer *tracer, struct thread *thread)
{
    if (!thread || !thread->own->wait.waits)
        return;
    report_seen(tracer, thread, thread->process->own->wait.confirmed_ns, true);
    thread->process->own->wait.clock_ns = UINT64_MAX;
}

void waits_begin(const struct tracer *tracer, struct thread *thread, uint64_t now_ns, const struct schedstat *ran)
{
    struct switches switches = {0, 0};
    if (!tracer->options.wall)
        return;
    read_switches(thread, &switches);
    wait_begin(&thread->own->wait, now_ns, ran, &switches);
}

void waits_tell(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    for (size_t i = 0; i < table->process_count; i++)
        if (table->processes[i]->image)
            tell_all(tracer, table->processes[i]);
}

void waits_look(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    uint64_t now_ns = time_now_ns();
    if (now_ns < tracer->waits_next_ns) {
        atomic_fetch_add(&tracer->channel->shared->counts.put_off, 1);
        return;
    }
    uint64_t before_ns = time_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < table->process_count; i++)
        if (table->processes[i]->image && !table->processes[i]->foreign)
            look_at_process(tracer, table->processes[i], now_ns);
    emit_remind(&tracer->emitter, now_ns);
    tracer->waits_next_ns = time_now_ns() + wait_scan_pause(time_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
}

static void end_thread(struct tracer *tracer, struct thread *thread, uint64_t now_ns)
{
    struct process_wait *process = &thread->process->own->wait;
    if (tracer->off)
        thread->own->wait.born_ns = 0; /* it was born, or its image began, while sampling was off */
    if (thread->own->wait.waits)
        report_seen(tracer, thread, still_waits(thread) ? now_ns : process->confirmed_ns, true);
    wait_end(&thread->own->wait, process, now_ns);
}

void waits_thread_ends(struct tracer *tracer, struct thread *thread)
{
    end_thread(tracer, thread, time_now_ns());
}

uint64_t waits_image_ends(struct tracer *tracer, struct process *process, uint64_t cpu_ns)
{
    uint64_t now_ns = time_now_ns();
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        end_thread(tracer, thread, now_ns);
    return wait_image(&process->own->wait, cpu_ns);
}
