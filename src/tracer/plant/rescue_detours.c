/* SPDX-License-Identifier: MIT
 *
 * Removes noted detours: the jumps at once, a stub when no thread is in it. */
#include "tracer/plant/rescue_parts.h"

#include "common/arch/arch.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/wire/rescue_notes.h"
#include "tracer/plant/detour.h"
#include "tracer/plant/frames.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STUB_WAIT_US = 1000, THREADS_MOST = 4096, GENERATIONS = 8 };

int rescue_note_detour(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity,
                       const struct detour *detour)
{
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        struct rescue_detour *note = &rescue->detours[i];
        if (atomic_load(&note->pid))
            continue;
        note->identity = *identity;
        note->detour = *detour;
        atomic_store(&note->pid, pid);
        return i;
    }
    return -ENOSPC;
}

void rescue_forget_detour(struct rescue *rescue, int number)
{
    if (number >= 0 && number < RESCUE_DETOURS)
        atomic_store(&rescue->detours[number].pid, 0);
}

/* Returns 0, -ESRCH if the process is gone, or another -errno. */
static int end_by_file(pid_t pid, const struct rescue_detour *note)
{
    int fd = procfs_open_memory_of(pid, &note->identity);
    if (fd < 0)
        return fd == -ENOENT ? -ESRCH : fd;
    int result = detour_end(fd, &note->detour);
    close(fd);
    return result == -EPERM ? -EPERM : 0;
}

/* The kernel may refuse the file to everybody but the tracer. */
static int end_by_tracing(pid_t pid, const struct rescue_detour *note)
{
    pid_t tid = procfs_living_thread(pid);
    int sig;
    if (!rescue_stop(tid, pid, &note->identity, &sig))
        return -ESRCH;
    int result = end_by_file(pid, note);
    rescue_release(tid, sig);
    return result;
}

void rescue_jumps(struct rescue *rescue, bool stop)
{
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *note = &rescue->detours[i];
        pid_t pid = atomic_load(&note->pid);
        if (pid <= 0)
            continue;
        int result = end_by_file(pid, note);
        if (result < 0 && result != -ESRCH && stop)
            result = end_by_tracing(pid, note);
        if (result < 0 && stop)
            rescue_forget_detour(rescue, i);
    }
}

static bool is_noted(const struct rescue *rescue, pid_t pid)
{
    for (int i = 0; i < RESCUE_DETOURS; i++)
        if (atomic_load(&rescue->detours[i].pid) == pid)
            return true;
    return false;
}

static bool parent_of(pid_t pid, pid_t *parent)
{
    char text[4096];
    uint64_t above;
    if (procfs_text(pid, 0, "status", text, sizeof text) <= 0 || !proctext_status_number(text, "PPid", 10, &above))
        return false;
    *parent = (pid_t)above;
    return true;
}

/* A copy of the parent's detour is ours only if both jump and stub are there. */
static unsigned note_copy(struct rescue *rescue, pid_t pid, const struct detour *detour)
{
    struct procfs_identity identity;
    int fd = procfs_identify(pid, &identity) ? procfs_open_memory_of(pid, &identity) : -1;
    if (fd < 0)
        return 0;
    bool is_copy = detour_is_there(fd, detour) && detour_has_stub(fd, detour);
    close(fd);
    return is_copy && rescue_note_detour(rescue, pid, &identity, detour) >= 0;
}

static unsigned note_child(pid_t pid, void *context)
{
    struct rescue *rescue = context;
    unsigned noted = 0;
    pid_t parent;
    if (is_noted(rescue, pid) || !parent_of(pid, &parent) || !is_noted(rescue, parent))
        return 0;
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *note = &rescue->detours[i];
        if (atomic_load(&note->pid) == parent)
            noted += note_copy(rescue, pid, &note->detour);
    }
    return noted;
}

void rescue_children(struct rescue *rescue)
{
    bool any = false;
    for (int i = 0; i < RESCUE_DETOURS; i++)
        any |= atomic_load(&rescue->detours[i].pid) > 0;
    for (int i = 0; any && i < GENERATIONS && rescue_visit("/proc/.", note_child, rescue); i++)
        rescue_jumps(rescue, false);
}

/* Looks at the threads of a process and of others that share its memory. A thread that was outside the stubs after
 * the jumps were removed stays outside. */
struct visit {
    struct rescue *rescue;
    const struct rescue_detour *first; /* the first note of the process */
    pid_t pid;
    int fd;        /* its memory */
    pid_t process; /* the process being looked at */
    unsigned listings;
    size_t count;
    struct {
        pid_t tid, process;
        bool asked; /* asked to stop; otherwise it is outside */
    } seen[THREADS_MOST];
};

static bool is_of(const struct rescue_detour *note, const struct visit *visit)
{
    return atomic_load(&note->pid) == visit->pid && procfs_is_same(&note->identity, &visit->first->identity);
}

static bool is_in_stub(const void *context, uint64_t word)
{
    const struct visit *visit = context;
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *note = &visit->rescue->detours[i];
        if (detour_has(&note->detour, word) && is_of(note, visit))
            return true;
    }
    return false;
}

static bool is_inside(const struct visit *visit, pid_t tid, uint64_t pc, uint64_t sp)
{
    return is_in_stub(visit, pc) || frames_have(visit->fd, tid, sp, is_in_stub, visit) > 0;
}

static bool was_seen(const struct visit *visit, pid_t tid)
{
    for (size_t i = 0; i < visit->count; i++)
        if (visit->seen[i].tid == tid)
            return true;
    return false;
}

/* A running thread must be stopped to look at it. All are asked first, since each may wait long for a CPU. */
static unsigned look_at_thread(pid_t tid, void *context)
{
    struct visit *visit = context;
    struct blocked blocked;
    char text[256];
    if (was_seen(visit, tid))
        return 0;
    if (visit->count == THREADS_MOST)
        return 1;
    bool asked =
        procfs_text(visit->process, tid, "syscall", text, sizeof text) <= 0 || !proctext_blocked(text, &blocked);
    if (!asked && is_inside(visit, tid, blocked.pc, blocked.sp))
        return 1;
    if (asked) {
        request_seize(tid, false, false); /* may fail: traced by us already, or impossible; interrupting shows which */
        if (request_interrupt(tid) < 0)
            return !procfs_is_dead(visit->process, tid);
    }
    visit->seen[visit->count].tid = tid;
    visit->seen[visit->count].process = visit->process;
    visit->seen[visit->count++].asked = asked;
    return 0;
}

static unsigned look_at_process(pid_t pid, struct visit *visit)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    visit->process = pid;
    return rescue_visit(path, look_at_thread, visit);
}

/* A vforked child, or one of clone with CLONE_VM, may be in a stub while its maker waits. */
static unsigned look_at_sharer(pid_t pid, void *context)
{
    struct visit *visit = context;
    return pid != visit->pid && memory_shared(pid, visit->pid) ? look_at_process(pid, visit) : 0;
}

static bool look_at_stopped(const struct visit *visit, pid_t tid, int sig)
{
    struct arch_registers now;
    bool inside = request_registers(tid, &now) || is_inside(visit, tid, arch_pc(&now), arch_sp(&now));
    rescue_release(tid, sig);
    return inside;
}

/* Returns how many threads are inside, or have not stopped yet. */
static unsigned look_at_asked(struct visit *visit)
{
    unsigned inside = 0;
    for (size_t i = visit->count; i-- > 0;) {
        pid_t tid = visit->seen[i].tid;
        if (!visit->seen[i].asked)
            continue;
        int sig = rescue_await(tid);
        bool dead = sig < 0 && procfs_is_dead(visit->seen[i].process, tid);
        if (dead && tid != visit->seen[i].process)
            waitid(P_PID, (id_t)tid, &(siginfo_t){0}, WEXITED | WNOHANG | __WALL); /* an exec may be waiting for that */
        visit->seen[i].asked = sig < 0 && !dead;
        inside += visit->seen[i].asked;
        if (sig >= 0 && look_at_stopped(visit, tid, sig)) {
            visit->seen[i] = visit->seen[--visit->count];
            inside++;
        }
    }
    return inside;
}

/* Returns false if a stub could not be overwritten. */
static bool wipe(const struct visit *visit)
{
    bool all = true;
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *note = &visit->rescue->detours[i];
        if (!is_of(note, visit))
            continue;
        if (detour_wipe(visit->fd, &note->detour) == -EPERM)
            all = false;
        else
            rescue_forget_detour(visit->rescue, i);
    }
    return all;
}

/* The kernel may refuse to write code to everybody but the tracer. */
static void wipe_by_tracing(const struct visit *visit)
{
    pid_t tid = procfs_living_thread(visit->pid);
    int sig;
    if (!rescue_stop(tid, visit->pid, &visit->first->identity, &sig))
        return;
    wipe(visit);
    rescue_release(tid, sig);
}

/* While threads end, the kernel may leave out others of their process. So threads are listed again until none is new.
 * The number of times is limited, because no thread can have been left out each time. */
static bool all_are_listed(struct visit *visit, size_t before)
{
    enum { LISTINGS = 5 };
    return visit->count == before || ++visit->listings == LISTINGS;
}

/* Returns false if a thread may be in a stub. */
static bool remove_stubs(struct visit *visit)
{
    if (!procfs_is(visit->pid, &visit->first->identity))
        return true;
    size_t before = visit->count;
    unsigned inside = look_at_process(visit->pid, visit) + rescue_visit("/proc/.", look_at_sharer, visit);
    bool listed = all_are_listed(visit, before);
    if (inside + look_at_asked(visit) || !listed)
        return false;
    if (!wipe(visit))
        wipe_by_tracing(visit);
    return true;
}

void rescue_stubs(struct rescue *rescue, uint64_t patience_ns)
{
    static struct visit visit; /* a handler may have a small stack, and no heap */
    uint64_t until_ns = time_now_ns() + patience_ns;
    for (int i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *note = &rescue->detours[i];
        visit.rescue = rescue;
        visit.first = note;
        visit.count = visit.listings = 0;
        visit.pid = atomic_load(&note->pid);
        if (visit.pid <= 0)
            continue;
        visit.fd = procfs_open_memory_of(visit.pid, &note->identity);
        bool left = visit.fd != -ESRCH && visit.fd != -ENOENT;
        while (visit.fd >= 0 && (left = !remove_stubs(&visit)) && time_now_ns() < until_ns)
            usleep(STUB_WAIT_US);
        if (visit.fd >= 0)
            close(visit.fd);
        if (!left)
            rescue_forget_detour(rescue, i);
    }
}
