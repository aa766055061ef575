/* SPDX-License-Identifier: MIT */
#include "tracer/loop/look.h"

#include "common/arch/arch.h"
#include "common/base/ring.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/model/wait.h"
#include "common/wire/channel.h"
#include "common/wire/emit.h"
#include "common/wire/message.h"
#include "common/wire/shared.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/sample.h"
#include "tracer/loop/tracer.h"
#include "tracer/loop/waits.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <string.h>
#include <sys/syscall.h>

#define LOOK_NS UINT64_C(2000000000) /* the longest look */
#define AGAIN_NS UINT64_C(1000000)   /* between two passes over the threads */
#define STOP_NS UINT64_C(50000000)   /* if a thread has not stopped by then, it may have fallen asleep instead */

/* The weight of a capture: it has to have one to be recorded. */
enum { NO_TIME = 1 };

void look_begin(struct tracer *tracer)
{
    tracer->look = (struct look){tracer->look.number + 1, true, time_now_ns() + LOOK_NS};
}

static void send(struct tracer *tracer, struct thread *thread, struct message_capture *message)
{
    message->wait_ns = NO_TIME;
    sample_send(tracer, thread, message);
    thread->own->looked = tracer->look.number;
}

/* Returns the thread of PROCESS that has its descriptor at DESCRIPTOR, or 0. */
static pid_t thread_with(const struct process *process, uint64_t descriptor)
{
    for (const struct thread *thread = process->threads; thread && descriptor; thread = thread->next)
        if (request_descriptor(thread->tid) - descriptor < INTERP_DESCRIPTOR_SIZE)
            return thread->tid;
    return 0;
}

/* Reports the system call of THREAD, which waits at WHERE. */
static void send_call(struct tracer *tracer, struct thread *thread, const struct blocked *where)
{
    struct message_call message = {
        .image = thread->process->image,
        .tid = thread->tid,
        .syscall = arch_syscall_of(where->syscall, thread->process->compat),
        .holder = thread_with(thread->process, tracer->interp_stack.holder),
    };
    _Static_assert(sizeof message.arguments == sizeof where->arguments, "as many as the kernel shows");
    memcpy(message.arguments, where->arguments, sizeof message.arguments);
    if (message.syscall == SYS_futex) {
        ssize_t got = memory_read_present(&thread->process->memory, thread->tid, where->arguments[0], message.words,
                                          sizeof message.words);
        message.word_count = got > 0 ? (uint32_t)((size_t)got / sizeof message.words[0]) : 0;
    }
    emit_message(&tracer->emitter, MESSAGE_CALL, &message, sizeof message, NULL, 0, false);
}

/* Asks THREAD to stop. */
static void ask(struct tracer *tracer, struct thread *thread)
{
    thread->own->attempt = (struct attempt){.look = true, .asked_ns = time_now_ns()};
    thread->asked = request_interrupt(thread->tid) == 0;
    if (thread->asked)
        atomic_fetch_add(&tracer->channel->shared->counts.stops, 1);
}

/* Captures THREAD, or asks it to stop. Returns false if it is still to be captured. */
static bool look_at(struct tracer *tracer, struct thread *thread)
{
    struct schedstat seen;
    struct blocked where;
    if (thread->held || thread->remote || (thread->asked && time_now_ns() - thread->own->attempt.asked_ns < STOP_NS))
        return false;
    if (!picker_schedstat(thread, &seen))
        return true;
    if (!picker_blocked(thread, &where)) {
        if (!thread->asked)
            ask(tracer, thread);
        return false;
    }
    if (!where.sp)
        return true; /* it has ended; other threads of its process go on */
    struct message_capture *message = waits_copy(tracer, thread, &where, &seen);
    if (!message)
        return false;
    send(tracer, thread, message);
    send_call(tracer, thread, &where);
    return true;
}

/* Returns true if the ring has room for large stacks. */
static bool has_room(const struct tracer *tracer)
{
    const struct ring *ring = &tracer->channel->ring;
    return ring_filled(ring) < ring->room / 2;
}

/* Returns how many threads of PROCESS are left. */
static uint32_t look_at_threads(struct tracer *tracer, struct process *process)
{
    uint32_t left = 0;
    for (struct thread *thread = process->threads; thread; thread = thread->next) {
        if (thread->own->looked == tracer->look.number)
            continue;
        if (has_room(tracer) && look_at(tracer, thread))
            thread->own->looked = tracer->look.number;
        else
            left++;
    }
    return left;
}

uint64_t look_serve(struct tracer *tracer, uint64_t until_ns)
{
    const struct table *table = &tracer->follow.table;
    struct message_looked message = {.number = tracer->look.number};
    if (!tracer->look.is_open)
        return until_ns;
    for (size_t i = 0; i < table->process_count; i++)
        if (table->processes[i]->image && !table->processes[i]->foreign)
            message.missed += look_at_threads(tracer, table->processes[i]);
    uint64_t now_ns = time_now_ns();
    if (message.missed && now_ns < tracer->look.until_ns)
        return time_earlier(until_ns, now_ns + AGAIN_NS);
    tracer->look.is_open = false;
    emit_message(&tracer->emitter, MESSAGE_LOOKED, &message, sizeof message, NULL, 0, true);
    return until_ns;
}

void look_stopped(struct tracer *tracer, struct thread *thread)
{
    const struct arch_registers *registers;
    if (!tracer->look.is_open || thread->own->looked == tracer->look.number || !thread->process->image ||
        stopped_registers(&tracer->follow.restart.stopped, thread->tid, &registers) < 0)
        return;
    tracer->pause_began_ns = thread->own->attempt.asked_ns;
    thread->own->stack_top = request_thread_pointer(thread->tid, registers);
    struct message_capture *message = sample_reserve(tracer, thread, registers, NULL);
    if (!message)
        return;
    message->bare = thread->own->worker;
    message->syscall = message->bare ? WAIT_WORKER : arch_syscall(registers);
    send(tracer, thread, message);
}
