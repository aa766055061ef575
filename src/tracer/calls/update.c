/* SPDX-License-Identifier: MIT
 *
 * Writes ticks into the memory of a process. */
#include "common/model/counters.h"
#include "common/semantics/call_state.h"
#include "common/semantics/debt.h"
#include "common/semantics/due.h"
#include "common/semantics/histogram.h"
#include "tracer/calls/calls.h"
#include "tracer/calls/calls_parts.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <string.h>

enum { ARRAY_CHUNK = 512 };

/* Replaces OLD by NEW, each of SIZE bytes. Writes all bytes or none. Returns 0, or -errno. */
static int replace(struct memory *memory, pid_t tid, uint64_t address, const void *old, const void *new, size_t size)
{
    ssize_t put = memory_write(memory, tid, address, new, size);
    if (put < 0)
        return (int)put;
    if ((size_t)put == size)
        return 0;
    memory_write(memory, tid, address, old, (size_t)put); /* the second part is in memory that the process may not
                                                           * write */
    return -EFAULT;
}

/* Adds TICKS to a cell. Returns 0 and sets *VALUE to the new value. Returns -EFAULT if the process cannot write there,
 * -EDOM if the counter stops profiling, or another -errno. */
static int update_cell(struct memory *memory, pid_t tid, const struct call_update *update, uint64_t ticks,
                       uint64_t *value)
{
    uint32_t old = 0, new = 0; /* little-endian: a 16-bit cell is the low half */
    int result = memory_read_all(memory, tid, update->address, &old, update->width);
    if (result)
        return result;
    if (!counter_add(update->counter, update->width, old, ticks, &new))
        return -EDOM;
    result = replace(memory, tid, update->address, &old, &new, update->width);
    if (!result)
        *value = new;
    return result;
}

/* Stores the lowest WIDTH bytes of PC as one element, which may cross a page boundary. */
static int store_one(struct memory *memory, pid_t tid, uint64_t address, uint64_t pc, unsigned width)
{
    uint64_t old;
    int result = memory_read_all(memory, tid, address, &old, width);
    return result ? result : replace(memory, tid, address, &old, &pc, width);
}

static int store_unaligned(struct memory *memory, pid_t tid, const struct call_update *update, uint64_t pc,
                           uint64_t *stored)
{
    int result = 0;
    for (*stored = 0; !result && *stored < update->elements; *stored += !result)
        result = store_one(memory, tid, update->address + *stored * update->width, pc, update->width);
    return result;
}

/* Writes copies of PC. Returns as update_cell. Sets *STORED to the number of whole elements written; no element is
 * written in part. */
static int update_array(struct memory *memory, pid_t tid, const struct call_update *update, uint64_t pc,
                        uint64_t *stored)
{
    unsigned char copies[ARRAY_CHUNK * sizeof pc];
    const unsigned width = update->width;
    if (update->address % width)
        return store_unaligned(memory, tid, update, pc, stored);
    for (size_t i = 0; i < ARRAY_CHUNK && i < update->elements; i++)
        memcpy(copies + i * width, &pc, width);
    for (*stored = 0; *stored < update->elements;) {
        uint64_t left = update->elements - *stored, some = left < ARRAY_CHUNK ? left : ARRAY_CHUNK;
        ssize_t put = memory_write(memory, tid, update->address + *stored * width, copies, (size_t)some * width);
        if (put < 0)
            return (int)put;
        *stored += (uint64_t)put / width;
        if ((uint64_t)put != some * width)
            return -EFAULT;
    }
    return 0;
}

/* Reports changes of an imposed call's buffer now: after the end of the process it cannot be read. */
static void report_change(struct calls *calls, const struct process *process, const struct call_update *update,
                          uint64_t pc, uint64_t done)
{
    struct calls_update told = {.number = pc, .value = done};
    if (update->what == UPDATE_CELL) {
        told.cell = true;
        told.number = (update->address - process->calls->state.regions[update->region].buffer) / update->width;
    }
    if (calls->news.update_count < CALLS_MOST_UPDATES)
        calls->news.updates[calls->news.update_count++] = told;
}

static void bill(struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t ticks)
{
    struct process *process = thread->process;
    struct call_state *state = &process->calls->state;
    struct call_update update = call_state_bill(state, calls->options.semantics, pc, ticks);
    uint64_t done = 0; /* the new value of the cell, or the number of elements stored */
    int result = 0;
    if (update.what == UPDATE_CELL)
        result = update_cell(&process->memory, thread->tid, &update, ticks, &done);
    else if (update.what == UPDATE_ARRAY)
        result = update_array(&process->memory, thread->tid, &update, pc, &done);
    if (!result || done)
        call_state_written(state, &update, done);
    bool changed = update.what == UPDATE_CELL ? !result : done > 0; /* a cell that wraps holds 0 */
    if (state->imposed && changed)
        report_change(calls, process, &update, pc, done);
    if (result == -EFAULT)
        call_state_fault(state, calls->options.semantics, &update);
    else if (result == -EDOM)
        call_state_stop(state);
    else if (result && result != -ESRCH)
        calls->news.trouble = -result;
    atomic_fetch_add(&calls->counts->ticks, ticks);
}

uint64_t calls_ticks(const struct calls *calls, const struct process *process)
{
    return histogram_ticks(cpu_clock_ns(process), calls->options.hz);
}

bool calls_owed(const struct calls *calls, const struct process *process)
{
    return process->calls->active && calls_ticks(calls, process) > process->calls->state.billed_ticks;
}

uint64_t calls_look_ns(const struct calls *calls, struct process *process, uint64_t now_ns)
{
    struct calls_process *own = process->calls;
    if (own->due.look_ns <= now_ns)
        due_plan(&own->due, cpu_clock_ns(process), own->state.billed_ticks, calls->options.hz, now_ns);
    return own->due.look_ns;
}

/* Returns true if STATE counts PC in a cell of its own or in an array, not in the overflow cell. */
static bool counts_at(const struct calls *calls, const struct call_state *state, uint64_t pc)
{
    struct call_update update = call_state_bill(state, calls->options.semantics, pc, 1);
    return update.what == UPDATE_ARRAY ||
           (update.what == UPDATE_CELL && !histogram_is_overflow(&state->regions[update.region]));
}

/* Bills ticks of unknown location to PC if PC is counted: an array has an element for each tick, and a process that
 * ends bills all its ticks. */
static void bill_parts(struct calls *calls, const struct thread *thread, uint64_t pc, enum calls_stop stop,
                       struct debt_parts parts)
{
    const struct calls_process *own = thread->process->calls;
    if (stop == CALLS_ENDING || !parts.late || counts_at(calls, &own->state, pc))
        parts.here += parts.late;
    else
        atomic_fetch_add(&calls->counts->late, parts.late);
    if (parts.before && own->seen.pc == pc)
        parts.here += parts.before;
    else if (parts.before)
        bill(calls, thread, own->seen.pc, parts.before);
    if (parts.here)
        bill(calls, thread, pc, parts.here);
}

void calls_bill(struct calls *calls, struct thread *thread, uint64_t pc, enum calls_stop stop)
{
    struct calls_process *own = thread->process->calls;
    if (!call_state_active(&own->state))
        return;
    uint64_t clock_ns = cpu_clock_ns(thread->process);
    struct debt_parts parts =
        debt_share(&own->seen, clock_ns, own->state.billed_ticks, calls->options.hz, stop != CALLS_MET);
    own->state.billed_ticks += parts.before + parts.late + parts.here;
    bill_parts(calls, thread, pc, stop, parts);
    if (stop == CALLS_MET)
        own->seen = (struct debt_seen){true, pc, clock_ns};
    if (parts.before || parts.late || parts.here)
        calls_recount(calls, thread->process);
}
