/* SPDX-License-Identifier: MIT */
#include "tracer/loop/dispatch.h"

#include "common/base/time.h"
#include "common/base/wake.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/clock/cpu_timer.h"
#include "tracer/loop/image.h"
#include "tracer/loop/impose.h"
#include "tracer/loop/look.h"
#include "tracer/loop/sample.h"
#include "tracer/loop/settle.h"
#include "tracer/loop/waits.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LONGEST_NS = 2000000,  /* tracees that have events all the time do not keep the loop from its ticks and the front */
    UNFAIR = 8,            /* after this many events in a row, the threads are asked in turn, */
    IN_TURN = 4,           /* this many for each further event */
    CONTINUING_TRIES = 100 /* of half a millisecond each */
};

static void note_process(struct tracer *tracer, struct process *process)
{
    cpu_timer_install(process);
    picker_activate(process, time_now_ns());
    atomic_fetch_add(&tracer->channel->shared->counts.processes, 1);
}

/* Forgets PROCESS. If the front waits for all processes, it sleeps until the last one has ended. */
static void forget_process(struct tracer *tracer, struct process *process)
{
    const uint64_t one = 1;
    if (process->pid == atomic_load(&tracer->channel->shared->command))
        wake_signal(&tracer->channel->shared->command_over);
    cpu_timer_remove(process);
    image_set_interp(process, NULL);
    if (atomic_fetch_sub(&tracer->channel->shared->counts.processes, 1) == 1 &&
        write(tracer->channel->ready, &one, sizeof one) < 0)
        return;
}

/* Wakes the front, which stops when the command stops. If a user continues only the command, only the tracer sees that.
 * A front that is about to stop would lose the signal, so it is sent until the front reports that it runs. */
static void wake_front(const struct tracer *tracer, pid_t pid)
{
    struct shared *shared = tracer->channel->shared;
    if (pid != atomic_load(&shared->command))
        return;
    for (int i = 0; i < CONTINUING_TRIES && atomic_load(&shared->front_stopped) && !tracer->terms; i++) {
        kill(getppid(), SIGCONT);
        usleep(500);
    }
}

static void end_process(struct tracer *tracer, struct process *process)
{
    image_exits(process, 0); /* if it had no exit stop */
    if (process->let_go)
        sample_ended(tracer, process);
    if (process->image)
        image_ends(tracer, process, IMAGE_EXITS);
    calls_process_ends(&tracer->calls, process);
    forget_process(tracer, process);
}

static void begin_forked(struct tracer *tracer, const struct follow_event *event)
{
    struct process *child = event->process;
    note_process(tracer, child);
    news_expect(&tracer->news, event->thread->tid);
    event->thread->own->wait.born_ns = time_now_ns();
    if (event->origin) {
        child->own->origin = event->origin->image;
        calls_forked(&tracer->calls, child, event->origin);
    }
    image_begins(tracer, child, event->thread, child->attached);
    if (event->origin)
        image_set_interp(child, interp_copy(event->origin->own->interp));
    impose_forked(tracer, child);
}

/* Returns true if the thread must be held. */
static bool begin_executed(struct tracer *tracer, const struct follow_event *event)
{
    struct thread *thread = event->thread;
    image_begins(tracer, event->process, thread, true);
    bool held = calls_image_begins(&tracer->calls, thread) && questions_ask(tracer, thread, true);
    if (!held)
        impose_begin(tracer, thread);
    return held;
}

static void decide_signal(struct tracer *tracer, struct thread *thread, struct follow_action *action)
{
    enum calls_signal what = calls_signalled(&tracer->calls, thread, action->sig);
    if (what != CALLS_NOT_OURS)
        action->sig = 0;
    if (what == CALLS_ASKS)
        action->hold = questions_ask(tracer, thread, true);
    impose_tell(tracer, thread);
}

/* THREAD has stopped or ended, so its signals are no longer ignored. */
static void end_wait(struct tracer *tracer, const struct thread *thread)
{
    if (tracer->awaited == thread->tid)
        tracer->awaited = 0;
}

static struct follow_action decide_stop(struct tracer *tracer, const struct follow_event *event)
{
    struct thread *thread = event->thread;
    struct follow_action action = {.sig = event->sig};
    enum event_kind stop = event->stop.kind;
    if (stop == EVENT_FORK || stop == EVENT_VFORK || stop == EVENT_CLONE)
        news_expect(&tracer->news, thread->tid); /* a maker often makes more */
    calls_seen(&tracer->calls, thread);
    if (tracer->settling && !event->remote)
        settle_stopped(tracer, thread);
    else if (event->asked && thread->own->attempt.look)
        look_stopped(tracer, thread);
    else if (event->asked)
        sample_stopped(tracer, thread, event->sig);
    if (event->continued)
        wake_front(tracer, thread->process->pid);
    if (event->called) {
        calls_called(&tracer->calls, thread, event->result);
        impose_tell(tracer, thread);
    }
    if (event->sig)
        decide_signal(tracer, thread, &action);
    end_wait(tracer, thread);
    return action;
}

/* THREAD is ending, by itself or with its process. ASKED: it was asked to stop for a sample. */
static void sample_exit(struct tracer *tracer, struct thread *thread, bool asked)
{
    if (asked)
        sample_left(tracer, thread, thread->process->thread_count > 1 ? SYS_exit : SYS_exit_group);
}

static void end_thread(struct tracer *tracer, struct thread *thread)
{
    if (tracer->options.wall)
        waits_thread_ends(tracer, thread);
    calls_seen_no_more(&tracer->calls, thread);
    end_wait(tracer, thread);
}

static void exit_thread(struct tracer *tracer, struct thread *thread)
{
    calls_thread_ends(&tracer->calls, thread);
    impose_tell(tracer, thread);
    end_wait(tracer, thread);
}

static struct follow_action decide(struct tracer *tracer, const struct follow_event *event)
{
    struct follow_action action = {.sig = event->sig};
    struct process *process = event->process;
    switch (event->kind) {
    case FOLLOW_STOPPED:
        return decide_stop(tracer, event);
    case FOLLOW_ADDED:
        note_process(tracer, process);
        break;
    case FOLLOW_BORN:
        begin_forked(tracer, event);
        break;
    case FOLLOW_ATTACHED:
        image_begins(tracer, process, event->thread, true);
        break;
    case FOLLOW_CHILDREN_KNOWN:
        if (calls_attached(&tracer->calls, process))
            questions_ask_running(tracer, process);
        break;
    case FOLLOW_IMAGE_ENDS:
        if (event->asked)
            sample_left(tracer, event->thread, SYS_execve);
        image_ends(tracer, process, IMAGE_REPLACED);
        calls_image_ends(&tracer->calls, process);
        break;
    case FOLLOW_EXEC:
        action.hold = begin_executed(tracer, event);
        break;
    case FOLLOW_THREAD_EXITS:
        sample_exit(tracer, event->thread, event->asked);
        exit_thread(tracer, event->thread);
        if (event->last)
            image_exits(event->thread->process, event->thread->tid);
        break;
    case FOLLOW_THREAD_ENDED:
        sample_exit(tracer, event->thread, event->asked);
        end_thread(tracer, event->thread);
        break;
    case FOLLOW_PROCESS_ENDED:
        end_process(tracer, process);
        break;
    case FOLLOW_UNFOLLOWED:
        action.let_go = calls_unfollowed(&tracer->calls, event->tid, &action.sig);
        break;
    case FOLLOW_THREAD_BORN:
        news_expect(&tracer->news, event->thread->tid);
        event->thread->own->wait.born_ns = time_now_ns();
        settle_born(tracer, event->thread);
        break;
    case FOLLOW_NEWBORN:
        break;
    }
    return action;
}

void dispatch_told(struct tracer *tracer)
{
    struct follow_event event;
    while (follow_next(&tracer->follow, &event)) {
        uint64_t resumed_ns = follow_answer(&tracer->follow, &event, decide(tracer, &event));
        if (event.asked)
            sample_resumed(tracer, resumed_ns);
    }
}

bool dispatch_heard(struct tracer *tracer, pid_t tid)
{
    if (!follow_hear(&tracer->follow, tid))
        return false;
    dispatch_told(tracer);
    return true;
}

/* A wait for any child finds the event of the youngest thread first. Where events come faster than they are answered,
 * as they can without a real-time priority, the other threads would stay stopped. */
static void ask_in_turn(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    size_t *turn = &tracer->news.turn;
    for (int i = 0; i < IN_TURN && table->count; i++) {
        *turn = *turn + 1 < table->count ? *turn + 1 : 0;
        dispatch_heard(tracer, table->threads[*turn]->tid);
    }
}

bool dispatch_all(struct tracer *tracer)
{
    unsigned *in_a_row = &tracer->news.in_a_row;
    bool keeps_up = tracer->clock.blockers.real_time;
    for (uint64_t until_ns = time_now_ns() + LONGEST_NS; dispatch_heard(tracer, 0);) {
        if (++*in_a_row > UNFAIR && !keeps_up)
            ask_in_turn(tracer);
        if (time_now_ns() >= until_ns)
            return false;
    }
    *in_a_row = 0;
    return true;
}
