/* SPDX-License-Identifier: MIT */
#include "tracer/loop/times.h"

#include "common/model/faults.h"
#include "common/model/proctext.h"
#include "common/wire/channel.h"
#include "common/wire/message.h"
#include "common/wire/shared.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

#include <signal.h>

static bool read_account(const struct process *process, uint64_t faults, struct faults_account *account)
{
    struct cpu_times times;
    cpu_clock_read(process, &times);
    *account = (struct faults_account){times.user_ns, times.system_ns, faults};
    return times.all_ns > 0;
}

static bool read_faults(const struct process *process, uint64_t *faults)
{
    char text[1024];
    return procfs_text(process->pid, 0, "stat", text, sizeof text) > 0 && proctext_faults(text, faults);
}

void times_begin(struct tracer *tracer, struct process *process)
{
    struct process_faults *faults = &process->own->faults;
    struct faults_account now;
    uint64_t count = 0;
    read_faults(process, &count);
    read_account(process, count, &now);
    faults_begin(faults, &now, process->clock->account.billed_ns);
    if (process->thread_count == 1)
        faults_begin_as(faults, &process->threads->own->faults, &now, &tracer->short_faults);
}

void times_begin_forked(struct tracer *tracer, struct thread *thread)
{
    const struct faults_account none = {0};
    faults_begin_as(&thread->process->own->faults, &thread->own->faults, &none, &tracer->short_faults);
}

uint64_t times_faults(const struct process *process)
{
    uint64_t count;
    bool read =
        faults_is_short(&process->own->faults, process->clock->account.billed_ns) && read_faults(process, &count);
    return read ? count : 0;
}

void times_end(struct tracer *tracer, const struct process *process, uint64_t faults)
{
    struct faults_account account;
    if (faults && read_account(process, faults, &account))
        faults_pool_add(&tracer->short_faults, &process->own->faults, &account);
}

/* A processor that never marks a page fault does not mark any. The exceptions that cause these signals are marked, too;
 * so are our breakpoints. */
enum arch_fault times_fault(struct tracer *tracer, struct thread *thread, const struct arch_registers *registers,
                            int sig)
{
    uint8_t code[ARCH_INSTRUCTION_MOST];
    ssize_t size = 0;
    if (arch_syscall(registers) >= 0 || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP)
        return ARCH_FAULT_NO;
    if (arch_fault_lacks_code(registers))
        size = memory_read_present(&thread->process->memory, thread->tid, arch_pc(registers), code, sizeof code);
    enum arch_fault fault = arch_fault(registers, code, size > 0 ? (size_t)size : 0);
    tracer->faults_marked |= fault == ARCH_FAULT_YES;
    return tracer->faults_marked ? fault : ARCH_FAULT_UNKNOWN;
}

uint64_t times_bill(struct tracer *tracer, struct thread *thread, const struct message_capture *message)
{
    struct process_faults *faults = &thread->process->own->faults;
    uint64_t count, had = 0;
    if (message->syscall >= 0) {
        faults_bill_call(faults, message->weight_ns, message->period_ns);
        return 0;
    }
    if (thread->own->attempt.fault == ARCH_FAULT_UNKNOWN) {
        if (faults_due(faults, thread->process->clock->account.billed_ns))
            tracer->times_due = thread->process->pid;
        if (faults->watched && picker_faults(thread, &count))
            had = faults_had(faults, &thread->own->faults, count);
    }
    uint64_t part_ns = faults_bill(faults, had, message->weight_ns, message->period_ns);
    if (part_ns)
        atomic_fetch_add(&tracer->channel->shared->counts.guessed, 1);
    return part_ns;
}

void times_look(struct tracer *tracer)
{
    struct process *process = tracer->times_due ? table_process(&tracer->follow.table, tracer->times_due) : NULL;
    struct faults_account now;
    uint64_t count;
    tracer->times_due = 0;
    if (process && read_faults(process, &count) && read_account(process, count, &now))
        faults_look(&process->own->faults, &now, process->clock->account.billed_ns, process->thread_count);
}
