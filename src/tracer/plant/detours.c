/* SPDX-License-Identifier: MIT */
#include "tracer/plant/detours.h"

#include "common/arch/detour.h"
#include "common/arch/gate.h"
#include "common/arch/machine.h"
#include "tracer/plant/detour.h"
#include "tracer/plant/frames.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <unistd.h>

static int open_space(struct detours_space space)
{
    struct procfs_identity identity;
    return space.memory >= 0 ? space.memory : procfs_open_memory(space.pid, &identity);
}

static void close_space(struct detours_space space, int fd)
{
    if (space.memory < 0 && fd >= 0)
        close(fd);
}

static void forget(struct detours *detours, struct rescue *rescue, size_t index)
{
    rescue_forget_detour(rescue, detours->items[index].note);
    detours->items[index] = detours->items[--detours->count];
}

/* Returns the address for a stub behind the other stubs of the same page, or 0 if it does not fit. */
static uint64_t find_room(const struct detours *detours, uint64_t room, size_t size)
{
    uint64_t at = arch_stub_place(room);
    uint64_t end = room + (CODE_PAGE - room % CODE_PAGE) % CODE_PAGE;
    for (size_t i = 0; i < detours->count; i++) {
        const struct detour *other = &detours->items[i].detour;
        if (other->stub >= at && other->stub < end)
            at = other->stub + arch_stub_bytes(other->is_compat);
    }
    return at < end && end - at >= size ? at : 0;
}

static int begin(int fd, const struct detour *detour, uint8_t now)
{
    int result = detour_prepare(fd, detour);
    if (result < 0)
        return result;
    result = detour_begin(fd, detour, now);
    if (result < 0)
        detour_wipe(fd, detour);
    return result;
}

static enum gate_call call_of(enum breakpoint_kind kind)
{
    return kind == BREAKPOINT_PROFIL ? GATE_PROFIL : kind == BREAKPOINT_SPROFIL ? GATE_SPROFIL : GATE_LOADED;
}

int detours_add(struct detours *detours, struct detours_space space, const struct procfs_identity *identity,
                struct rescue *rescue, const struct breakpoint *byte, uint8_t now)
{
    uint64_t stub = byte->room ? find_room(detours, byte->room, arch_stub_bytes(byte->is_compat)) : 0;
    if (!stub || space.memory < 0 || detours->count == DETOURS_MOST)
        return -ENOSPC;
    struct detour detour = {.address = byte->address,
                            .stub = stub,
                            .tail = byte->resume,
                            .call = call_of(byte->kind),
                            .is_compat = byte->is_compat,
                            .original = {[ARCH_BREAKPOINT_AT] = byte->original}};
    int result = detour_look(space.memory, &detour, now);
    if (result < 0)
        return result;
    int note = rescue_note_detour(rescue, space.pid, identity, &detour);
    if (note < 0)
        return note;
    result = begin(space.memory, &detour, now);
    if (result < 0) {
        rescue_forget_detour(rescue, note);
        return result;
    }
    detours->items[detours->count].detour = detour;
    detours->items[detours->count].ended = false;
    detours->items[detours->count++].note = note;
    return 0;
}

uint64_t detours_function(const struct detours *detours, uint64_t pc)
{
    for (size_t i = 0; i < detours->count; i++) {
        const struct detour *detour = &detours->items[i].detour;
        if (detour_has(detour, pc))
            return detour->address;
    }
    return 0;
}

bool detours_have(const struct detours *detours, uint64_t address)
{
    for (size_t i = 0; i < detours->count; i++)
        if (detours->items[i].detour.address == address && !detours->items[i].ended)
            return true;
    return false;
}

/* The copy may have been made before the original's jump was removed, so every jump counts as present. */
void detours_copy(struct detours *copy, const struct detours *original)
{
    *copy = *original;
    for (size_t i = 0; i < copy->count; i++)
        copy->items[i].ended = false;
}

/* Removes the jumps for CALL; 0: all. */
static void end_those(struct detours *detours, struct detours_space space, unsigned call)
{
    int fd = detours->count ? open_space(space) : -1;
    for (size_t i = 0; fd >= 0 && i < detours->count; i++)
        if (!detours->items[i].ended && (!call || detours->items[i].detour.call == call))
            detours->items[i].ended = detour_end(fd, &detours->items[i].detour) != -EPERM;
    close_space(space, fd);
}

void detours_end(struct detours *detours, struct detours_space space)
{
    end_those(detours, space, 0);
}

void detours_end_kind(struct detours *detours, struct detours_space space, enum breakpoint_kind kind)
{
    end_those(detours, space, call_of(kind));
}

bool detours_are_back(const struct detours *detours)
{
    for (size_t i = 0; i < detours->count; i++)
        if (!detours->items[i].ended)
            return false;
    return true;
}

static bool is_in_stub(const void *detours, uint64_t word)
{
    return detours_function(detours, word) != 0;
}

static bool hold(const struct detours *detours, int fd, pid_t tid, uint64_t pc, uint64_t sp)
{
    return is_in_stub(detours, pc) || frames_have(fd, tid, sp, is_in_stub, detours) > 0;
}

bool detours_hold(const struct detours *detours, struct detours_space space, pid_t tid, uint64_t pc, uint64_t sp)
{
    int fd = detours->count ? open_space(space) : -1;
    bool held = fd >= 0 && hold(detours, fd, tid, pc, sp);
    close_space(space, fd);
    return held;
}

void detours_wipe(struct detours *detours, struct detours_space space, struct rescue *rescue)
{
    int fd = detours->count ? open_space(space) : -1;
    for (size_t i = detours->count; fd >= 0 && i-- > 0;)
        if (detours->items[i].ended && detour_wipe(fd, &detours->items[i].detour) != -EPERM)
            forget(detours, rescue, i);
    close_space(space, fd);
}

bool detours_clean(const struct detours *detours, int fd, pid_t tid, uint64_t pc, uint64_t sp)
{
    bool held = fd >= 0 && detours->count && hold(detours, fd, tid, pc, sp);
    for (size_t i = 0; fd >= 0 && i < detours->count; i++) {
        detour_end(fd, &detours->items[i].detour);
        if (!held)
            detour_wipe(fd, &detours->items[i].detour);
    }
    return held;
}

/* The stub may be in another library, and still exist. */
void detours_forget_lost(struct detours *detours, struct detours_space space, struct rescue *rescue)
{
    int fd = detours->count ? open_space(space) : -1;
    for (size_t i = detours->count; fd >= 0 && i-- > 0;) {
        if (detours->items[i].ended || detour_is_there(fd, &detours->items[i].detour))
            continue;
        detours->items[i].ended = detour_has_stub(fd, &detours->items[i].detour);
        if (!detours->items[i].ended)
            forget(detours, rescue, i);
    }
    close_space(space, fd);
}

void detours_note(struct detours *detours, pid_t pid, const struct procfs_identity *identity, struct rescue *rescue,
                  bool forget)
{
    for (size_t i = 0; i < detours->count; i++) {
        int former = detours->items[i].note;
        detours->items[i].note = rescue_note_detour(rescue, pid, identity, &detours->items[i].detour);
        if (forget)
            rescue_forget_detour(rescue, former);
    }
}

void detours_leave(struct detours *detours, struct detours_space space, struct rescue *rescue)
{
    if (space.memory >= 0)
        detours_end(detours, space);
    while (detours->count)
        forget(detours, rescue, detours->count - 1);
}
