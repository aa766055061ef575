/* SPDX-License-Identifier: MIT */
#include "tracer/loop/questions.h"

#include "common/base/time.h"
#include "common/model/counters.h"
#include "common/wire/command.h"
#include "tracer/loop/impose.h"
#include "tracer/loop/maps.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

/* Patience if no thread is held for the answer: the process runs. */
#define PATIENCE_UNHELD_NS 60000000000ull

/* Sends what is mapped in the process of THREAD. */
static bool send_question(struct tracer *tracer, const struct thread *thread, uint64_t now_ns)
{
    struct process *process = thread->process;
    struct message_entries message = {process->image, process->pid, thread->tid, 0};
    maps_read(tracer, process, thread->tid, now_ns);
    maps_expire(process); /* it is about to load more libraries */
    const struct buffer *text = maps_text(tracer, process);
    message.length = (uint32_t)text->length;
    return emit_question(&tracer->emitter, &message, text->bytes);
}

bool questions_ask(struct tracer *tracer, struct thread *thread, bool hold)
{
    struct questions *questions = &tracer->questions;
    const struct process *process = thread->process;
    uint64_t now_ns = time_now_ns();
    if (tracer->settling)
        return false;
    if (questions->count == QUESTIONS_MOST || !send_question(tracer, thread, now_ns)) {
        atomic_fetch_add(&tracer->calls.counts->unanswered, 1);
        return false;
    }
    questions->items[questions->count++] = (struct question){
        .pid = process->pid,
        .tid = thread->tid,
        .image = process->image,
        .until_ns = now_ns + (hold ? PATIENCE_LOOK_NS : PATIENCE_UNHELD_NS),
        .patience = {.since_ns = now_ns},
    };
    return true;
}

/* Returns a thread by which the memory of PROCESS can be reached: not by one that has ended. Returns NULL if PROCESS
 * has no thread. */
static struct thread *living_thread(const struct tracer *tracer, const struct process *process)
{
    struct thread *thread = table_thread(&tracer->follow.table, procfs_living_thread(process->pid));
    return thread && thread->process == process ? thread : process->threads;
}

void questions_ask_running(struct tracer *tracer, const struct process *process)
{
    questions_ask(tracer, living_thread(tracer, process), false);
}

/* Returns the thread of QUESTION, or NULL if the thread or its image has ended. */
static struct thread *asked_thread(const struct tracer *tracer, const struct question *question)
{
    struct thread *thread = table_thread(&tracer->follow.table, question->tid);
    return thread && thread->process->image == question->image ? thread : NULL;
}

/* Returns the thread by which the answer to QUESTION is used, or NULL if its image has ended. */
static struct thread *answered_thread(const struct tracer *tracer, const struct question *question,
                                      struct thread *asked)
{
    const struct process *process = table_process(&tracer->follow.table, question->pid);
    if (asked && asked->held)
        return asked;
    return process && process->image == question->image ? living_thread(tracer, process) : NULL;
}

static void release(struct tracer *tracer, struct thread *thread)
{
    impose_begin(tracer, thread);
    follow_release(thread);
}

static void end_question(struct tracer *tracer, size_t index, const struct command *answer)
{
    struct questions *questions = &tracer->questions;
    const struct question question = questions->items[index];
    struct thread *asked = asked_thread(tracer, &question);
    struct thread *thread = answered_thread(tracer, &question, asked);
    questions->items[index] = questions->items[--questions->count];
    bool again = thread && answer && answer->entry_count <= BREAKPOINT_MOST &&
                 calls_entries(&tracer->calls, thread, answer->entries, answer->entry_count, answer->complete != 0);
    if (!asked || !asked->held) {
        /* The thread was running, and may have loaded libraries before the breakpoint in the loader was set. */
        if (again)
            questions_ask(tracer, thread, false);
        return;
    }
    release(tracer, asked);
}

/* Returns true if the front is still expected to answer QUESTION, whose thread is held. */
static bool front_gets_on(const struct tracer *tracer, struct question *question, uint64_t now_ns)
{
    char text[512], state;
    int cpu;
    struct schedstat times = {0};
    pid_t front = tracer->front;
    if (!tracer->options.calls.wanted || procfs_text(front, front, "stat", text, sizeof text) <= 0 ||
        !proctext_stat(text, &state, &cpu))
        return false;
    if (procfs_text(front, front, "schedstat", text, sizeof text) > 0)
        proctext_schedstat(text, &times);
    return patience_lasts(&question->patience, state, &times, now_ns);
}

/* The time until the next look at QUESTION is over. If its thread is held, and no answer is to be expected soon, the
 * thread goes on. A later answer serves the process like an
 * attached one, which runs, too, before its breakpoints are set. Returns false if no answer is awaited any longer. */
static bool go_on_without(struct tracer *tracer, struct question *question, uint64_t now_ns)
{
    struct thread *thread = asked_thread(tracer, question);
    if (!thread || !thread->held)
        return false;
    if (front_gets_on(tracer, question, now_ns)) {
        question->until_ns = now_ns + PATIENCE_LOOK_NS;
        return true;
    }
    atomic_fetch_add(&tracer->calls.counts->unanswered, 1);
    /* Breakpoints are copied to children. Without this option, children that are not followed are not seen. */
    if (!tracer->follow.children && request_follow(thread->tid) < 0)
        return false;
    thread->process->attached = true;
    question->until_ns = now_ns + PATIENCE_UNHELD_NS;
    release(tracer, thread);
    return true;
}

void questions_answered(struct tracer *tracer, const struct command *answer)
{
    for (size_t i = 0; i < tracer->questions.count; i++) {
        const struct question *question = &tracer->questions.items[i];
        if (question->tid == answer->pid && question->image == answer->image) {
            end_question(tracer, i, answer);
            return;
        }
    }
}

uint64_t questions_expire(struct tracer *tracer)
{
    uint64_t now_ns = tracer->questions.count ? time_now_ns() : 0, next_ns = 0;
    for (size_t i = tracer->questions.count; i-- > 0;) {
        struct question *question = &tracer->questions.items[i];
        if (question->until_ns <= now_ns && !go_on_without(tracer, question, now_ns)) {
            end_question(tracer, i, NULL);
            continue;
        }
        if (!next_ns || question->until_ns < next_ns)
            next_ns = question->until_ns;
    }
    return next_ns;
}

void questions_drop(struct tracer *tracer)
{
    while (tracer->questions.count)
        end_question(tracer, 0, NULL);
}
