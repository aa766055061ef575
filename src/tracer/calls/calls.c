/* SPDX-License-Identifier: MIT
 *
 * Keeps the emulated calls of processes through fork, exec and exit. */
#include "tracer/calls/calls_parts.h"

#include "common/model/proctext.h"
#include "common/semantics/call_state.h"
#include "common/wire/command.h"
#include "tracer/calls/calls.h"
#include "tracer/calls/options.h"
#include "tracer/follow/follow.h"
#include "tracer/follow/jumps.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/registers.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <signal.h>

void calls_recount(struct calls *calls, struct process *process)
{
    bool active = call_state_active(&process->calls->state);
    if (active && !process->calls->active) {
        process->calls->due.look_ns = 0; /* now */
        process->calls->cpu = -1;
        calls->active++;
    }
    if (!active && process->calls->active)
        calls->active--;
    process->calls->active = active;
}

void calls_forked(struct calls *calls, struct process *child, struct process *origin)
{
    bool shared = memory_shared(child->pid, origin->pid);
    struct arch_registers registers;
    if (breakpoints_inherit(child, origin, shared, calls->rescue) < 0 && !request_registers(child->pid, &registers))
        breakpoints_clean(origin, child->pid, arch_pc(&registers), arch_sp(&registers));
    if (calls->closing)
        breakpoints_restore(child, child->pid, calls->rescue); /* it was made before the breakpoints were removed from
                                                                * its maker */
    call_state_fork(&child->calls->state, &origin->calls->state, calls->options.semantics);
    calls_recount(calls, child);
}

/* Handles the stop of child TID, which is not followed but shares the memory of PROCESS. It has hit a breakpoint there,
 * or a stub has made a request (SIG shows which). The C library then serves the call itself: a stub without an answer
 * continues with it. A breakpoint is removed until something else causes a search for entries. */
static bool pass(const struct calls *calls, struct process *process, pid_t tid, int sig)
{
    struct arch_registers registers;
    const struct breakpoint *byte;
    uint64_t request;
    if (request_registers(tid, &registers))
        return false;
    if (sig != SIGILL)
        return breakpoints_function(process, arch_pc(&registers)) && arch_gate(&registers, &request);
    if (!(byte = breakpoints_at(process, arch_pc(&registers))))
        return false;
    if (byte->kind != BREAKPOINT_LOADER) {
        breakpoints_restore(process, tid, calls->rescue);
        return true;
    }
    arch_set_pc(&registers, byte->resume);
    return request_set_registers(tid, &registers) == 0;
}

/* The breakpoints are being removed. Returns true if TID, which shares the memory of PROCESS, can be released. Returns
 * false if TID is in a stub, or has just hit a breakpoint and its signal is still to come. */
static bool leave(const struct calls *calls, struct process *process, pid_t tid, int *sig)
{
    struct arch_registers registers;
    breakpoints_restore(process, tid, calls->rescue);
    if (request_registers(tid, &registers))
        return true;
    if (breakpoints_hold(process, tid, arch_pc(&registers), arch_sp(&registers)))
        return false;
    if (!breakpoints_at(process, arch_pc(&registers)))
        return true;
    if (*sig == SIGILL)
        *sig = 0;
    else
        return !procfs_may_wait(tid, SIGILL);
    return true;
}

static bool has_bytes(const struct process *process)
{
    const struct breakpoints *breakpoints = process->breakpoints;
    return breakpoints && (breakpoints->count || breakpoints->detours.count);
}

bool calls_unfollowed(const struct calls *calls, pid_t tid, int *sig)
{
    const struct table *table = &calls->follow->table;
    struct arch_registers registers;
    for (size_t i = 0; i < table->process_count; i++) {
        struct process *process = table->processes[i];
        if (!has_bytes(process) &&
            (!process->attached || calls->options.mode == CALLS_OFF)) /* otherwise breakpoints may be planted soon */
            continue;
        if (memory_shared(tid, process->pid)) {
            if (calls->closing)
                return leave(calls, process, tid, sig);
            if (*sig && pass(calls, process, tid, *sig))
                *sig = 0;
            return false;
        }
        if (has_bytes(process) && !request_registers(tid, &registers))
            breakpoints_clean(process, tid, arch_pc(&registers), arch_sp(&registers));
    }
    return true;
}

bool calls_sleeps_well(const struct calls *calls, pid_t tid)
{
    const struct table *table = &calls->follow->table;
    struct blocked where;
    bool well = procfs_blocked(tid, 0, &where);
    for (size_t i = 0; well && i < table->process_count; i++) {
        struct process *process = table->processes[i];
        if (!has_bytes(process))
            continue;
        bool held = memory_shared(tid, process->pid) ? breakpoints_hold(process, tid, where.pc, where.sp)
                                                     : breakpoints_clean(process, tid, where.pc, where.sp);
        well = !held && (!breakpoints_at(process, where.pc) || !procfs_may_wait(tid, SIGILL));
    }
    return well;
}

bool calls_image_begins(struct calls *calls, struct thread *thread)
{
    struct process *process = thread->process;
    process->calls->impose_due = calls->options.impose.kind != CALL_NONE;
    return calls->options.mode != CALLS_OFF;
}

bool calls_attached(const struct calls *calls, const struct process *process)
{
    return calls->options.mode != CALLS_OFF && process->threads;
}

bool calls_take_news(struct calls *calls, struct calls_news *news)
{
    *news = calls->news;
    calls->news = (struct calls_news){0};
    return news->trouble || news->update_count || news->imposed;
}

void calls_image_ends(struct calls *calls, struct process *process)
{
    breakpoints_leave(process, &calls->follow->table, calls->rescue);
    call_state_exec(&process->calls->state);
    process->calls->seen.known = false;
    calls_recount(calls, process);
}

void calls_process_ends(struct calls *calls, struct process *process)
{
    calls_image_ends(calls, process);
    call_state_fini(&process->calls->state);
}

void calls_thread_ends(struct calls *calls, struct thread *thread)
{
    const struct arch_registers *registers;
    if (thread->process->calls->active &&
        stopped_registers(&calls->follow->restart.stopped, thread->tid, &registers) == 0)
        calls_bill(calls, thread, arch_pc(registers), arch_syscall(registers) >= 0 ? CALLS_ENDING : CALLS_MET);
}

void calls_seen(const struct calls *calls, struct thread *thread)
{
    if (!calls->closing)
        jumps_stopped(calls->follow, thread);
}

void calls_seen_no_more(const struct calls *calls, struct thread *thread)
{
    if (!calls->closing)
        jumps_ended(calls->follow, thread);
}

void calls_close(struct calls *calls)
{
    const struct table *table = &calls->follow->table;
    calls->closing = true;
    for (size_t i = 0; i < table->process_count; i++)
        breakpoints_restore(table->processes[i], table->processes[i]->pid, calls->rescue);
}

bool calls_are_back(const struct calls *calls, const struct process *process)
{
    return calls->closing && breakpoints_are_back(process);
}

bool calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t sp)
{
    breakpoints_restore(thread->process, thread->tid, calls->rescue);
    if (breakpoints_hold(thread->process, thread->tid, pc, sp))
        return false;
    return !breakpoints_at(thread->process, pc) || !procfs_may_wait(thread->tid, SIGILL);
}

void calls_left(const struct calls *calls, struct process *process)
{
    breakpoints_wipe(process, calls->rescue);
}
