/* SPDX-License-Identifier: MIT */
#include "tracer/plant/breakpoints.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"
#include "common/base/proc.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void close_memory(struct breakpoints *space)
{
    if (space->memory >= 0)
        close(space->memory);
    space->memory = -1;
}

static struct breakpoints *space_new(pid_t pid)
{
    struct breakpoints *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    space->pid = pid;
    space->users = 1;
    space->memory = procfs_open_memory(pid, &space->identity);
    if (space->memory >= 0 && proc_is_last(space->memory))
        close_memory(space);
    return space;
}

static struct detours_space in_space(const struct breakpoints *space)
{
    return (struct detours_space){space->pid, space->memory};
}

const struct breakpoint *breakpoints_at(const struct process *process, uint64_t address)
{
    const struct breakpoints *space = process->breakpoints;
    for (size_t i = 0; space && i < space->count; i++)
        if (space->bytes[i].address == address)
            return &space->bytes[i];
    return NULL;
}

/* Changes the byte of the instruction at ADDRESS to TO if it is FROM. Writes to /proc/PID/mem or, if that is refused
 * or we are out of descriptors, uses PTRACE_POKEDATA on stopped thread TID. (Kernels started with
 * proc_mem.force_override=never refuse to write code through the file.) Returns 0 or -errno; -ESTALE if the byte is not
 * FROM. */
static int change_at_once(const struct process *process, pid_t tid, uint64_t address, uint8_t from, uint8_t to)
{
    const struct breakpoints *space = process->breakpoints;
    uint8_t now;
    address += ARCH_BREAKPOINT_AT;
    if (space->memory < 0)
        return request_change_byte(tid, address, from, to);
    if (pread(space->memory, &now, 1, (off_t)address) != 1 || now != from)
        return -ESTALE;
    if (from == to || pwrite(space->memory, &to, 1, (off_t)address) == 1)
        return 0;
    return request_change_byte(tid, address, from, to) < 0 ? -EPERM : 0;
}

/* Like change_at_once, but returns -ETIMEDOUT if the memory does not come in time. */
static int change(struct process *process, pid_t tid, uint64_t address, uint8_t from, uint8_t to)
{
    if (!memory_at_hand(&process->memory, tid, address + ARCH_BREAKPOINT_AT))
        return -ETIMEDOUT;
    return change_at_once(process, tid, address, from, to);
}

static int note(const struct breakpoints *space, struct rescue *rescue, struct breakpoint *byte)
{
    return byte->note = rescue_note(rescue, space->pid, &space->identity, byte->address, byte->original, byte->planted);
}

/* Notes the breakpoint only after its memory is present. A wait for that memory may never end, and the front would
 * wait there, too, because of the note. */
static int add_breakpoint(struct process *process, pid_t tid, struct rescue *rescue, const struct breakpoint *byte)
{
    struct breakpoints *space = process->breakpoints;
    if (space->count >= BREAKPOINT_MOST)
        return -ENOSPC;
    struct breakpoint *added = &space->bytes[space->count];
    *added = *byte;
    if (!memory_at_hand(&process->memory, tid, byte->address + ARCH_BREAKPOINT_AT))
        return -ETIMEDOUT;
    if (note(space, rescue, added) < 0)
        return added->note;
    int result = change_at_once(process, tid, byte->address, byte->original, byte->planted);
    if (result < 0) {
        rescue_forget(rescue, added->note);
        return result;
    }
    space->count++;
    return 1;
}

static void forget(struct breakpoints *space, struct rescue *rescue, size_t index)
{
    rescue_forget(rescue, space->bytes[index].note);
    space->bytes[index] = space->bytes[--space->count];
}

/* True if RESULT of a change means that the breakpoint may still be there: the memory did not come in time, could
 * not be written, or needs a stopped thread. Such a breakpoint must stay known and noted, because a thread that
 * meets it would die otherwise. */
static bool may_be_there(int result)
{
    return result == -ETIMEDOUT || result == -EPERM || result == -ESRCH;
}

static bool all_at_hand(struct process *process, pid_t tid)
{
    const struct detours *detours = &process->breakpoints->detours;
    for (size_t i = 0; i < detours->count; i++)
        if (!memory_at_hand(&process->memory, tid, detours->items[i].detour.address) ||
            !memory_at_hand(&process->memory, tid, detours->items[i].detour.stub))
            return false;
    return true;
}

static bool may_detour(struct process *process, pid_t tid, const struct breakpoint *byte)
{
    return byte->room && memory_at_hand(&process->memory, tid, byte->address) &&
           memory_at_hand(&process->memory, tid, byte->room);
}

/* Forgets breakpoints that went away with a closed library. Another library may be at their address now. */
static void forget_lost(struct process *process, pid_t tid, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    if (all_at_hand(process, tid))
        detours_forget_lost(&space->detours, in_space(space), rescue);
    for (size_t i = space->count; i-- > 0;) {
        if (detours_have(&space->detours, space->bytes[i].address))
            continue;
        uint8_t planted = space->bytes[i].planted;
        int result = change(process, tid, space->bytes[i].address, planted, planted);
        if (result < 0 && !may_be_there(result))
            forget(space, rescue, i);
    }
}

static void end_detours(struct process *process, pid_t tid, enum breakpoint_kind kind)
{
    struct breakpoints *space = process->breakpoints;
    if (space->detours.count && all_at_hand(process, tid))
        detours_end_kind(&space->detours, in_space(space), kind);
}

int breakpoints_add(struct process *process, pid_t tid, struct rescue *rescue, const struct breakpoint *byte, bool free)
{
    if (!process->breakpoints)
        process->breakpoints = space_new(process->pid);
    if (!process->breakpoints)
        return -ENOMEM;
    struct breakpoints *space = process->breakpoints;
    if (byte->kind == BREAKPOINT_LOADER && !byte->room)
        end_detours(process, tid, byte->kind); /* the detour must not make system calls any longer */
    forget_lost(process, tid, rescue);
    if (breakpoints_at(process, byte->address) || detours_have(&space->detours, byte->address))
        return 0;
    if (free && may_detour(process, tid, byte) &&
        !detours_add(&space->detours, in_space(space), &space->identity, rescue, byte, byte->original))
        return 1;
    return add_breakpoint(process, tid, rescue, byte);
}

void breakpoints_jump(struct process *process, pid_t tid, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    for (size_t i = 0; i < space->count; i++) {
        struct breakpoint *byte = &space->bytes[i];
        if (may_detour(process, tid, byte))
            detours_add(&space->detours, in_space(space), &space->identity, rescue, byte, byte->planted);
        byte->room = 0;
    }
}

/* Returns true if the breakpoint is gone. Another file may have been mapped there since. */
static bool restore(struct process *process, pid_t tid, struct rescue *rescue, struct breakpoint *byte)
{
    if (may_be_there(change(process, tid, byte->address, byte->planted, byte->original)))
        return false;
    rescue_forget(rescue, byte->note);
    byte->note = -1;
    return true;
}

void breakpoints_restore(struct process *process, pid_t tid, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    for (size_t i = 0; space && i < space->count; i++)
        restore(process, tid, rescue, &space->bytes[i]);
    if (space && all_at_hand(process, tid))
        detours_end(&space->detours, in_space(space));
}

/* A breakpoint that has been removed has no note. */
bool breakpoints_are_back(const struct process *process)
{
    const struct breakpoints *space = process->breakpoints;
    for (size_t i = 0; space && i < space->count; i++)
        if (space->bytes[i].note >= 0)
            return false;
    return !space || detours_are_back(&space->detours);
}

uint64_t breakpoints_function(const struct process *process, uint64_t pc)
{
    return process->breakpoints ? detours_function(&process->breakpoints->detours, pc) : 0;
}

bool breakpoints_hold(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp)
{
    const struct breakpoints *space = process->breakpoints;
    return space && detours_hold(&space->detours, in_space(space), tid, pc, sp);
}

void breakpoints_wipe(struct process *process, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    if (space && all_at_hand(process, procfs_living_thread(process->pid)))
        detours_wipe(&space->detours, in_space(space), rescue);
}

/* Writes through the file, or by a request, which needs a stopped thread. */
static void clean_byte(pid_t tid, int fd, const struct breakpoint *byte)
{
    uint64_t place = byte->address + ARCH_BREAKPOINT_AT;
    uint8_t now;
    bool known = fd >= 0 && pread(fd, &now, 1, (off_t)place) == 1;
    if (!known || (now == byte->planted && pwrite(fd, &byte->original, 1, (off_t)place) != 1))
        request_change_byte(tid, place, byte->planted, byte->original);
}

bool breakpoints_clean(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp)
{
    const struct breakpoints *space = process->breakpoints;
    struct procfs_identity identity;
    int fd = procfs_open_memory(tid, &identity);
    for (size_t i = 0; i < space->count; i++)
        clean_byte(tid, fd, &space->bytes[i]);
    bool held = detours_clean(&space->detours, fd, tid, pc, sp);
    if (fd >= 0)
        close(fd);
    return held;
}

static void lift(struct process *process, pid_t tid, struct rescue *rescue, size_t index)
{
    if (restore(process, tid, rescue, &process->breakpoints->bytes[index]))
        forget(process->breakpoints, rescue, index);
}

void breakpoints_lift(struct process *process, pid_t tid, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    struct arch_registers now;
    for (size_t i = space ? space->count : 0; i-- > 0;)
        lift(process, tid, rescue, i);
    if (!space || !space->detours.count || !all_at_hand(process, tid))
        return;
    detours_end(&space->detours, in_space(space));
    if (procfs_is_alone(tid, false) && !request_registers(tid, &now) &&
        !detours_hold(&space->detours, in_space(space), tid, arch_pc(&now), arch_sp(&now)))
        detours_wipe(&space->detours, in_space(space), rescue);
}

void breakpoints_lift_kind(struct process *process, pid_t tid, struct rescue *rescue, enum breakpoint_kind kind)
{
    struct breakpoints *space = process->breakpoints;
    for (size_t i = space ? space->count : 0; i-- > 0;)
        if (space->bytes[i].kind == kind)
            lift(process, tid, rescue, i);
    if (space)
        end_detours(process, tid, kind);
}

int breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *rescue)
{
    struct breakpoints *origin = parent->breakpoints;
    if (!origin || (!origin->count && !origin->detours.count))
        return 0;
    if (shared) {
        origin->users++;
        child->breakpoints = origin;
        return 0;
    }
    struct breakpoints *space = child->breakpoints = space_new(child->pid);
    if (!space)
        return -ENOMEM;
    for (size_t i = 0; i < origin->count; i++) {
        struct breakpoint *byte = &space->bytes[space->count++];
        *byte = origin->bytes[i];
        note(space, rescue, byte); /* the note may fail for lack of room */
    }
    detours_copy(&space->detours, &origin->detours);
    detours_note(&space->detours, space->pid, &space->identity, rescue, false);
    return 0;
}

/* A removed breakpoint has no note. The new note comes first, so that one note is true at every moment. */
static void renote(const struct breakpoints *space, struct rescue *rescue, struct breakpoint *byte)
{
    int former = byte->note;
    if (former < 0)
        return;
    note(space, rescue, byte);
    rescue_forget(rescue, former);
}

/* Hands the space on to another process that shares it. */
static void hand_on(struct breakpoints *space, const struct process *left, const struct table *table,
                    struct rescue *rescue)
{
    for (size_t i = 0; i < table->process_count; i++) {
        const struct process *other = table->processes[i];
        if (other == left || other->breakpoints != space)
            continue;
        space->pid = other->pid;
        procfs_identify(other->pid, &space->identity);
        for (size_t k = 0; k < space->count; k++)
            renote(space, rescue, &space->bytes[k]);
        detours_note(&space->detours, space->pid, &space->identity, rescue, true);
        return;
    }
}

/* Removes BYTE for unknown processes that may share this memory: a child that is not followed, or the parent of a
 * vforked child. If no process has the memory, reading fails. */
static void restore_left(const struct breakpoints *space, const struct process *left, const struct breakpoint *byte)
{
    off_t place = (off_t)(byte->address + ARCH_BREAKPOINT_AT);
    uint8_t now;
    if (space->memory >= 0 && !left->memory.silent_until_ns && pread(space->memory, &now, 1, place) == 1 &&
        now == byte->planted && pwrite(space->memory, &byte->original, 1, place) != 1)
        return;
}

void breakpoints_leave(struct process *process, const struct table *table, struct rescue *rescue)
{
    struct breakpoints *space = process->breakpoints;
    process->breakpoints = NULL;
    if (!space)
        return;
    if (--space->users) {
        if (space->pid == process->pid)
            hand_on(space, process, table, rescue);
        return;
    }
    for (size_t i = 0; i < space->count; i++) {
        restore_left(space, process, &space->bytes[i]);
        rescue_forget(rescue, space->bytes[i].note);
    }
    struct detours_space left = in_space(space);
    if (process->memory.silent_until_ns)
        left.memory = -1;
    detours_leave(&space->detours, left, rescue);
    close_memory(space);
    free(space);
}
