/* SPDX-License-Identifier: MIT */
#include "tracer/loop/sample.h"

#include "common/base/quantile.h"
#include "common/base/time.h"
#include "common/model/judge.h"
#include "common/model/level.h"
#include "common/model/runs.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/loop/image.h"
#include "tracer/loop/impose.h"
#include "tracer/loop/maps.h"
#include "tracer/loop/stack.h"
#include "tracer/loop/times.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void send_thread(struct tracer *tracer, struct thread *thread)
{
    struct message_thread message = {.image = thread->process->image, .tid = thread->tid};
    procfs_comm(thread->process->pid, thread->tid, message.comm);
    emit_message(&tracer->emitter, MESSAGE_THREAD, &message, sizeof message, NULL, 0, false);
    thread->own->named = true;
    thread->own->worker = procfs_is_worker(thread->process->pid, thread->tid);
}

/* The address of the futex for which THREAD waits, or 0. */
static uint64_t futex_of(const struct thread *thread, const struct blocked *where)
{
    return arch_syscall_of(where->syscall, thread->process->compat) == SYS_futex ? where->arguments[0] : 0;
}

/* Copies the frames of the interpreted language of THREAD's process, if it has one. Sends new objects, so call it
 * before a capture is reserved. */
static void read_interp(struct tracer *tracer, struct thread *thread, const struct arch_registers *registers,
                        const struct blocked *where, uint64_t now_ns)
{
    struct process *process = thread->process;
    const struct interp_sample sample = {
        .memory = &process->memory,
        .tid = thread->tid,
        .is_main = thread->tid == process->pid,
        .thread_pointer = thread->own->stack_top,
        .stack_end = stack_end(thread, arch_sp(registers)),
        .descriptor = thread->own->stack_top ? 0 : request_descriptor(thread->tid),
        .thread = &thread->own->interp,
        .now_ns = now_ns,
        .waits = where != NULL,
        .futex = where ? futex_of(thread, where) : 0,
        .registers = registers,
    };
    tracer->interp_stack.size = 0;
    tracer->interp_stack.lock_place = -1;
    if (process->own->interp && tracer->options.stack_bytes)
        interp_read_stack(process->own->interp, &sample, &tracer->emitter, &tracer->interp_stack);
}

struct message_capture *sample_reserve(struct tracer *tracer, struct thread *thread,
                                       const struct arch_registers *registers, const struct blocked *where)
{
    uint64_t now_ns = time_now_ns(), sp = arch_sp(registers);
    struct runs runs;
    maps_update(tracer, thread, arch_pc(registers), now_ns);
    if (!thread->own->named)
        send_thread(tracer, thread);
    thread->own->last_pc = arch_pc(registers);
    thread->own->last_sp = sp;
    uint32_t depth = stack_find(tracer, thread, sp, now_ns, &runs);
    read_interp(tracer, thread, registers, where, now_ns);
    struct message_capture *message =
        emit_reserve_capture(&tracer->emitter, runs.count, runs.bytes + tracer->interp_stack.size);
    if (!message)
        return NULL;
    tracer->stack_refused = stack_copy(thread, sp, &runs, message + 1) == -EPERM;
    *message = (struct message_capture){
        .image = thread->process->image,
        .tid = thread->tid,
        .stack_size = (uint32_t)runs.bytes,
        .time_ns = now_ns,
        .run_count = (uint32_t)runs.count,
        .stack_depth = depth,
        .registers = *registers,
    };
    return message;
}

/* Appends the interpreted frames, now that the length of the stack is known. */
void sample_send(struct tracer *tracer, struct thread *thread, struct message_capture *message)
{
    const struct interp_stack *interp = &tracer->interp_stack;
    memcpy((unsigned char *)(struct memory_run *)(message + 1) + message->run_count * sizeof(struct memory_run) +
               message->stack_size,
           interp->bytes, interp->size);
    message->interp_size = (uint32_t)interp->size;
    emit_capture(&tracer->emitter, message);
    atomic_fetch_add(&tracer->channel->shared->counts.samples, 1);
    if (tracer->stack_refused)
        image_report_trouble(tracer, thread->process, TROUBLE_STACKS, EPERM);
}

/* Bills missed samples to THREAD's sample of WEIGHT_NS, which represents them. */
static void bill_missed(struct tracer *tracer, struct thread *thread, uint64_t weight_ns)
{
    int64_t ns[MISSED_REASONS] = {0};
    missed_bill(&thread->own->missed, &tracer->clock.missed, weight_ns, tracer->clock.period_ns, tracer->pace.period_ns,
                ns);
    for (size_t i = 0; i < MISSED_REASONS; i++)
        if (ns[i])
            atomic_fetch_add(&tracer->channel->shared->counts.missed[i],
                             missed_millionths(ns[i], tracer->pace.period_ns));
}

/* Bills the time until AFTER to MESSAGE, the capture of THREAD, and sends it. */
static void bill(struct tracer *tracer, struct thread *thread, const struct schedstat *after,
                 struct message_capture *message)
{
    struct process *process = thread->process;
    message->weight_ns =
        account_bill(&thread->clock->account, &process->clock->account, after->ran_ns, tracer->clock.period_ns);
    message->period_ns = tracer->clock.period_ns;
    bill_missed(tracer, thread, message->weight_ns);
    tracer->clock.weight_ns = message->weight_ns;
    message->fault_ns = times_bill(tracer, thread, message);
    if (tracer->options.wall)
        message->queued_ns = wait_bill_displaced(&thread->own->wait, &process->own->wait);
    message->own_ns = level_own(message->syscall >= 0, thread->own->attempt.late_ns);
    pace_bill(tracer, message->weight_ns, message->queued_ns);
    if (thread->own->attempt.place == JUDGE_ELSEWHERE)
        atomic_fetch_add(&tracer->channel->shared->counts.remote, 1);
    if (thread->own->attempt.place == JUDGE_DISPLACED || thread->own->attempt.place == JUDGE_HERE)
        atomic_fetch_add(&tracer->channel->shared->counts.rides, 1);
}

/* Returns the system call, or enum wait_place, that THREAD was stopped in; -1: user code. */
static int32_t place_of(const struct thread *thread, const struct arch_registers *registers)
{
    if (thread->own->worker)
        return WAIT_WORKER;
    return thread->own->attempt.fault == ARCH_FAULT_YES ? (int32_t)WAIT_OUTSIDE : arch_syscall(registers);
}

/* A signal that arrives in a system call lets the thread stop at the handler's first instruction. The time until then
 * is the call's: changes REGISTERS to those of the interrupted code. A handler can be interrupted in the same way. */
static void leave_handlers(struct thread *thread, struct arch_registers *registers)
{
    enum { HANDLERS_MOST = 8 };
    unsigned char frame[ARCH_HANDLER_BYTES];
    size_t size;
    for (int i = 0; i < HANDLERS_MOST && (size = arch_enters_handler(registers)) != 0; i++) {
        if (memory_read_present(&thread->process->memory, thread->tid, arch_sp(registers), frame, size) !=
            (ssize_t)size)
            return;
        arch_leave_handler(registers, frame);
        request_code(thread->tid, registers);
    }
}

static void capture(struct tracer *tracer, struct thread *thread, const struct arch_registers *stopped,
                    const struct schedstat *after)
{
    struct arch_registers copy = *stopped, *registers = &copy;
    leave_handlers(thread, registers);
    thread->own->stack_top = request_thread_pointer(thread->tid, registers);
    struct message_capture *message = sample_reserve(tracer, thread, registers, NULL);
    if (!message) {
        tracer->clock.missed.count[MISSED_FULL]++;
        return;
    }
    message->bare = thread->own->worker;
    message->syscall = place_of(thread, registers);
    if (message->syscall !=
        -1) /* it may hold the lock of its memory map next time, for which a look ahead would wait */
        thread->own->last_sp = 0;
    bill(tracer, thread, after, message);
    sample_send(tracer, thread, message);
}

/* A capture of THREAD in SYSCALL, which has no user registers any more. */
static void capture_bare(struct tracer *tracer, struct thread *thread, int32_t syscall, const struct schedstat *after)
{
    struct message_capture *message = emit_reserve_capture(&tracer->emitter, 0, 0);
    if (!message) {
        tracer->clock.missed.count[MISSED_FULL]++;
        return;
    }
    *message = (struct message_capture){
        .image = thread->process->image,
        .tid = thread->tid,
        .time_ns = time_now_ns(),
        .syscall = syscall,
        .bare = 1,
    };
    bill(tracer, thread, after, message);
    emit_capture(&tracer->emitter, message);
    atomic_fetch_add(&tracer->channel->shared->counts.samples, 1);
}

/* A late wake-up came when the thread on our CPU left the kernel, or when its time slice ended. If the thread is in
 * the kernel, in a system call or a page fault, two cases are possible. Either it was in the kernel at the deadline of
 * the tick and could not be preempted: then the sample is good. Or it entered the kernel only later, and a random
 * timestamp would not have found it there. The registers cannot distinguish the two, but a thread that often works in
 * the kernel is a good sign of the first. */
static bool late_is_good(struct thread *thread, bool in_kernel)
{
    return in_kernel && picker_works_in_kernel(thread);
}

static bool is_good(struct tracer *tracer, struct thread *thread, bool in_kernel, const struct schedstat *after)
{
    const struct attempt *attempt = &thread->own->attempt;
    bool here = judge_stop(&attempt->before, after, attempt->place, attempt->own_ns, tracer->leave_ns) == JUDGE_GOOD;
    bool good = here && !attempt->spoilt && (!attempt->late || late_is_good(thread, in_kernel));
    if (good && attempt->place == JUDGE_TAKEN)
        judge_learn(&tracer->leave_ns, &attempt->before, after, attempt->own_ns);
    if (good && !in_kernel && attempt->unexplained_ns != ACCOUNT_UNKNOWN) /* in the kernel it might have slept */
        account_learn(&tracer->clock.picker.lack_ns, attempt->unexplained_ns);
    if (!good && attempt->record)
        tracer->clock.missed.count[here ? MISSED_LATE : MISSED_WAITING]++;
    tracer->clock.missed.count[MISSED_STOP] += attempt->again;
    thread->clock->place_known =
        here && attempt->place != JUDGE_DISPLACED && after->arrivals != attempt->before.arrivals;
    return good;
}

static void count_running(struct tracer *tracer, struct thread *thread, const struct schedstat *after)
{
    thread->process->clock->account.explained_ns += picker_note(&tracer->clock.picker, thread, after);
}

void sample_stopped(struct tracer *tracer, struct thread *thread, int sig)
{
    struct attempt *attempt = &thread->own->attempt;
    const struct arch_registers *registers;
    struct schedstat after;

    if (!thread->process->image || !picker_schedstat(thread, &after) ||
        stopped_registers(&tracer->follow.restart.stopped, thread->tid, &registers) < 0)
        return;
    count_running(tracer, thread, &after);
    tracer->counted = thread;
    thread->own->wait.queue.stops++;
    attempt->fault = times_fault(tracer, thread, registers, sig);
    if (is_good(tracer, thread, arch_syscall(registers) >= 0 || attempt->fault == ARCH_FAULT_YES, &after)) {
        /* Time that the thread lost to others' competition for the CPU is not our pause. */
        tracer->pause_began_ns =
            attempt->place == JUDGE_ELSEWHERE ? attempt->asked_ns : time_now_ns() - attempt->own_ns;
        if (attempt->record && !tracer->off)
            capture(tracer, thread, registers, &after);
        if (tracer->calls.active) {
            calls_bill(&tracer->calls, thread, arch_pc(registers), CALLS_MET);
            impose_tell(tracer, thread);
        }
    } else if (attempt->place == JUDGE_HERE || attempt->place == JUDGE_HELD) {
        picker_contended(&tracer->clock.picker, after.waited_ns - attempt->before.waited_ns);
    }
}

/* Each tick that met the thread becomes a sample, and they share the time since the last one. */
void sample_left(struct tracer *tracer, struct thread *thread, int32_t syscall)
{
    const struct attempt *attempt = &thread->own->attempt;
    bool certain = attempt->place == JUDGE_TAKEN || attempt->place == JUDGE_DISPLACED;
    struct schedstat after;
    if (!thread->process->image || !attempt->record || tracer->off || !picker_schedstat(thread, &after))
        return;
    count_running(tracer, thread, &after);
    if (!certain || attempt->spoilt || attempt->late)
        return;
    if (!thread->own->named && syscall != SYS_execve) /* after which it has the next program's name */
        send_thread(tracer, thread);
    uint64_t billed_ns = thread->clock->account.billed_ns, left_ns = after.ran_ns - billed_ns;
    for (uint32_t i = 0, count = 1 + attempt->again; i < count; i++) {
        after.ran_ns = billed_ns + left_ns * (i + 1) / count;
        capture_bare(tracer, thread, syscall, &after);
    }
}

/* A sample of WEIGHT_NS in the exit of PROCESS. */
static void capture_ended(struct tracer *tracer, struct process *process, uint64_t weight_ns)
{
    struct message_capture *message = emit_reserve_capture(&tracer->emitter, 0, 0);
    if (!message) {
        tracer->clock.missed.count[MISSED_FULL]++;
        return;
    }
    *message = (struct message_capture){
        .image = process->image,
        .tid = process->own->exit.tid,
        .time_ns = time_now_ns(),
        .syscall = SYS_exit_group,
        .bare = 1,
        .weight_ns = weight_ns,
        .period_ns = tracer->clock.period_ns,
        .own_ns = LEVEL_ALONE,
    };
    process->clock->account.billed_ns += weight_ns;
    faults_bill_call(&process->own->faults, weight_ns, tracer->clock.period_ns);
    pace_bill(tracer, weight_ns, 0);
    emit_capture(&tracer->emitter, message);
    atomic_fetch_add(&tracer->channel->shared->counts.samples, 1);
}

/* Like other samples, the first represents also the time before, but not more than a period of it. No end is missed, as
 * other samples can be on a busy machine, so it takes no time from them. */
void sample_ended(struct tracer *tracer, struct process *process)
{
    const struct process_account *account = &process->clock->account;
    uint64_t period_ns = tracer->clock.period_ns, end_ns = process->ending.last.all_ns;
    uint64_t tail_ns = end_ns - process->ending.stopped.all_ns, known_ns = account->began_ns + account->billed_ns;
    if (!process->image || process->foreign || tracer->off || end_ns <= known_ns)
        return;
    tracer->ended_ns += tail_ns;
    uint64_t count = tracer->ended_ns / period_ns;
    uint64_t most_ns = tail_ns + period_ns, left_ns = end_ns - known_ns < most_ns ? end_ns - known_ns : most_ns;
    tracer->ended_ns %= period_ns;
    if (!count)
        return;
    struct message_thread named = {.image = process->image, .tid = process->own->exit.tid};
    memcpy(named.comm, process->own->exit.comm, sizeof named.comm);
    emit_message(&tracer->emitter, MESSAGE_THREAD, &named, sizeof named, NULL, 0, false);
    for (uint64_t i = 0; i < count; i++)
        capture_ended(tracer, process, left_ns * (i + 1) / count - left_ns * i / count);
    emit_remind(&tracer->emitter, time_now_ns());
}

void sample_resumed(struct tracer *tracer, uint64_t resumed_ns)
{
    if (tracer->counted && resumed_ns)
        account_resumed(&tracer->counted->clock->account, resumed_ns);
    tracer->counted = NULL;
    if (tracer->pause_began_ns && resumed_ns) {
        uint64_t pause_ns = resumed_ns - tracer->pause_began_ns;
        quantile_add(&tracer->channel->shared->counts.pauses, pause_ns);
        tracer->window_paused_ns += pause_ns;
    }
    tracer->pause_began_ns = 0;
    emit_remind(&tracer->emitter, time_now_ns());
}
