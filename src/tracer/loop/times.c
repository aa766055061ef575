/* SPDX-License-Identifier: MIT */
#include "tracer/loop/times.h"

#include "common/model/faults.h"
#include "common/model/proctext.h"
#include "common/wire/message.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

static bool read_account(pid_t pid, struct faults_account *account)
{
    char text[1024];
    return procfs_text(pid, 0, "stat", text, sizeof text) > 0 && proctext_faults(text, &account->faults) &&
           proctext_times(text, &account->user, &account->system);
}

void times_begin(struct tracer *tracer, struct process *process)
{
    struct process_faults *faults = &process->own->faults;
    struct faults_account now = {0};
    read_account(process->pid, &now);
    faults_begin(faults, &now, process->clock->account.billed_ns);
    if (process->thread_count == 1)
        faults_begin_as(faults, &process->threads->own->faults, &now, &tracer->short_faults);
}

void times_begin_forked(struct tracer *tracer, struct thread *thread)
{
    const struct faults_account none = {0};
    faults_begin_as(&thread->process->own->faults, &thread->own->faults, &none, &tracer->short_faults);
}

uint64_t times_exit(const struct process *process)
{
    uint64_t faults;
    char text[1024];
    bool read = faults_is_short(&process->own->faults, process->clock->account.billed_ns) &&
                procfs_text(process->pid, 0, "stat", text, sizeof text) > 0 && proctext_faults(text, &faults);
    return read ? faults : 0;
}

void times_end(struct tracer *tracer, struct process *process)
{
    struct cpu_times times;
    if (!process->own->exit.faults)
        return;
    cpu_clock_read(process, &times);
    const struct faults_account account = {times.user_ns, times.system_ns, process->own->exit.faults};
    faults_pool_add(&tracer->short_faults, &process->own->faults, &account, process->clock->account.billed_ns);
}

uint64_t times_bill(struct tracer *tracer, struct thread *thread, const struct message_capture *message)
{
    struct process_faults *faults = &thread->process->own->faults;
    uint64_t count, had = 0;
    if (faults_due(faults, thread->process->clock->account.billed_ns))
        tracer->times_due = thread->process->pid;
    if (faults->watched && picker_faults(thread, &count))
        had = faults_had(faults, &thread->own->faults, count);
    if (message->syscall < 0)
        return faults_bill(faults, had, message->weight_ns);
    faults_bill_call(faults, message->weight_ns);
    return 0;
}

void times_look(struct tracer *tracer)
{
    struct process *process = tracer->times_due ? table_process(&tracer->follow.table, tracer->times_due) : NULL;
    struct faults_account now;
    tracer->times_due = 0;
    if (process && read_account(process->pid, &now))
        faults_look(&process->own->faults, &now, process->clock->account.billed_ns, process->thread_count);
}
