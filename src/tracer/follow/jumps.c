/* SPDX-License-Identifier: MIT */
#include "tracer/follow/jumps.h"

#include "common/arch/detour.h"
#include "common/arch/machine.h"
#include "common/model/proctext.h"
#include "tracer/follow/follow.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/plant/frames.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/registers.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

enum {
    THREADS_MOST = 64,
    LOOKS = 3, /* at a thread that seems to sleep */
};

/* Returns the next thread, from index *AT, that has the memory of SPACE, or NULL. */
static struct thread *next_thread(const struct follow *follow, const struct breakpoints *space, size_t *at)
{
    while (*at < follow->table.count) {
        struct thread *thread = follow->table.threads[(*at)++];
        if (thread->process->breakpoints == space)
            return thread;
    }
    return NULL;
}

/* Returns true if a thread that continues at PC may be inside a jump, after its first byte. A restarted system call
 * continues at its instruction. */
static bool is_covered(const void *context, uint64_t pc)
{
    const struct breakpoints *space = context;
    for (size_t i = 0; i < space->count; i++) {
        const struct breakpoint *byte = &space->bytes[i];
        if (byte->room && pc > byte->address && pc - byte->address < ARCH_JUMP_BYTES + ARCH_SYSCALL_BYTES)
            return true;
    }
    return false;
}

/* Returns true if no frame of THREAD is inside a jump. A stack that cannot be read counts as inside. */
static bool is_out(const struct thread *thread, uint64_t pc, uint64_t sp)
{
    const struct breakpoints *space = thread->process->breakpoints;
    return !is_covered(space, pc) && frames_have(space->memory, thread->tid, sp, is_covered, space) == 0;
}

static bool read_arrivals(const struct thread *thread, uint64_t *arrivals)
{
    char text[256];
    struct schedstat now;
    if (procfs_text(thread->process->pid, thread->tid, "schedstat", text, sizeof text) <= 0 ||
        !proctext_schedstat(text, &now))
        return false;
    *arrivals = now.arrivals;
    return true;
}

/* Like is_out, for a sleeping thread. Its stack fits its PC only if it got no CPU while we looked. */
static bool is_out_asleep(const struct thread *thread)
{
    char text[256];
    struct blocked where;
    uint64_t before, after;
    return read_arrivals(thread, &before) &&
           procfs_text(thread->process->pid, thread->tid, "syscall", text, sizeof text) > 0 &&
           proctext_blocked(text, &where) && is_out(thread, where.pc, where.sp) && read_arrivals(thread, &after) &&
           after == before;
}

/* Looks where THREAD is, and if necessary asks it to stop. No request is needed if it makes a call for us, or is
 * shielded from interruption: it stops by itself later. */
static void check_position(struct thread *thread)
{
    struct arch_registers now;
    if (thread->remote)
        return;
    if (request_registers(thread->tid, &now) == 0) {
        thread->unseen = !is_out(thread, arch_pc(&now), arch_sp(&now));
        return;
    }
    for (int i = 0; i < LOOKS && thread->unseen; i++)
        thread->unseen = !is_out_asleep(thread);
    if (thread->unseen && procfs_is_dead(thread->process->pid, thread->tid))
        thread->unseen = false;
    else if (thread->unseen && !thread->shielded)
        request_interrupt(thread->tid);
}

static bool has_bytes_for_jumps(const struct breakpoints *space)
{
    for (size_t i = 0; i < space->count; i++)
        if (space->bytes[i].room)
            return true;
    return false;
}

/* Returns true if an untraced maker shares the memory, or may share it. */
static bool is_shared_with_maker(const struct follow *follow, const struct process *process)
{
    pid_t pid, parent;
    return !procfs_family(process->pid, &pid, &parent) ||
           (parent && !table_process(&follow->table, parent) && memory_shared(parent, process->pid));
}

/* Returns true if breakpoints of PROCESS can become jumps. Jumps need system calls in the tracee, which a seccomp
 * filter may forbid. */
static bool may_jump(const struct follow *follow, const struct process *process)
{
    const struct breakpoints *space = process->breakpoints;
    size_t count = 0, at = 0;
    if (space->memory < 0 || !has_bytes_for_jumps(space) || is_shared_with_maker(follow, process))
        return false;
    for (const struct thread *thread; (thread = next_thread(follow, space, &at));)
        if (++count > THREADS_MOST || !procfs_filtered_as_we(thread->tid))
            return false;
    return count > 0;
}

/* Turns breakpoints into jumps when all threads have been seen elsewhere. Waits while bystanders exist, because they
 * may share the memory. */
static void jump(struct follow *follow, struct process *process)
{
    struct breakpoints *space = process->breakpoints;
    size_t at = 0;
    space->jumps_put_off = follow->bystanders.count > 0;
    if (space->jumps_put_off)
        return;
    for (const struct thread *thread; (thread = next_thread(follow, space, &at));)
        if (thread->unseen)
            return;
    space->jumps_wanted = false;
    breakpoints_jump(process, procfs_living_thread(process->pid), follow->rescue);
}

void jumps_begin(struct follow *follow, struct process *process)
{
    struct breakpoints *space = process->breakpoints;
    size_t at = 0;
    if (!space)
        return;
    space->jumps_wanted = may_jump(follow, process);
    for (struct thread *thread; space->jumps_wanted && (thread = next_thread(follow, space, &at));) {
        thread->unseen = true;
        check_position(thread);
    }
    if (space->jumps_wanted)
        jump(follow, process);
}

static bool are_wanted(const struct process *process)
{
    return process->breakpoints && process->breakpoints->jumps_wanted;
}

void jumps_stopped(struct follow *follow, struct thread *thread)
{
    const struct arch_registers *now;
    if (!are_wanted(thread->process))
        return;
    bool was_unseen = thread->unseen;
    if (was_unseen && !thread->remote && stopped_registers(&follow->restart.stopped, thread->tid, &now) == 0)
        thread->unseen = !is_out(thread, arch_pc(now), arch_sp(now));
    if (was_unseen != thread->unseen || thread->process->breakpoints->jumps_put_off)
        jump(follow, thread->process);
}

void jumps_ended(struct follow *follow, struct thread *thread)
{
    thread->unseen = false;
    if (are_wanted(thread->process))
        jump(follow, thread->process);
}
