/* SPDX-License-Identifier: MIT */
#include "tracer/plant/rescue_parts.h"

#include "common/arch/arch.h"
#include "common/base/proc.h"
#include "common/model/event.h"
#include "common/model/proctext.h"
#include "common/wire/rescue_notes.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/argument.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_TRIES = 1000, WAIT_US = 100, LET_GO_MOST = 100000 };
#define STUBS_NS 20000000000ull /* on a busy machine a thread may get no CPU for long */

int rescue_note(struct rescue *rescue, pid_t pid, const struct procfs_identity *identity, uint64_t address,
                uint8_t original, uint8_t planted)
{
    uint32_t used = atomic_load(&rescue->used);
    for (uint32_t i = 0; i < RESCUE_NOTES; i++) {
        struct rescue_note *note = &rescue->notes[i];
        if (atomic_load(&note->pid))
            continue;
        note->address = address;
        note->original = original;
        note->planted = planted;
        note->identity = *identity;
        if (i >= used)
            atomic_store(&rescue->used, i + 1);
        atomic_store(&note->pid, pid);
        return (int)i;
    }
    return -ENOSPC;
}

void rescue_forget(struct rescue *rescue, int number)
{
    if (number >= 0 && number < RESCUE_NOTES)
        atomic_store(&rescue->notes[number].pid, 0);
}

struct rescue_remainder *rescue_remainder(struct rescue *rescue, pid_t tid, const struct procfs_identity *identity,
                                          const struct arch_registers *before, bool quietly)
{
    for (uint32_t i = 0; i < RESCUE_REMAINDERS; i++) {
        struct rescue_remainder *remainder = &rescue->remainders[i];
        if (atomic_load(&remainder->tid))
            continue;
        remainder->identity = *identity;
        remainder->before = *before;
        remainder->quietly = quietly;
        atomic_store(&remainder->tid, tid);
        return remainder;
    }
    return NULL;
}

enum outcome { RESTORED, NOT_THERE, REFUSED };

/* Some kernels refuse the file to everybody but the tracer; a dead process has none. FD: the memory, or the -errno
 * of opening it. */
static enum outcome restore_in(int fd, const struct rescue_note *note)
{
    off_t place = (off_t)(note->address + ARCH_BREAKPOINT_AT);
    uint8_t now;
    if (fd < 0)
        return fd == -ESRCH || fd == -ENOENT ? NOT_THERE : REFUSED;
    bool planted = pread(fd, &now, 1, place) == 1 && now == note->planted;
    bool done = planted && pwrite(fd, &note->original, 1, place) == 1;
    return done ? RESTORED : planted ? REFUSED : NOT_THERE;
}

static enum outcome restore_by_file(pid_t pid, const struct rescue_note *note)
{
    int fd = procfs_open_memory_of(pid, &note->identity);
    enum outcome outcome = restore_in(fd, note);
    if (fd >= 0)
        close(fd);
    return outcome;
}

/* Most breakpoints of a process are noted next to each other, so its memory stays open for the next note. */
void rescue_bytes(struct rescue *rescue)
{
    uint32_t used = atomic_load(&rescue->used);
    struct procfs_identity identity = {0};
    pid_t open_pid = 0;
    int fd = -ESRCH;
    for (uint32_t i = 0; i < used && i < RESCUE_NOTES; i++) {
        const struct rescue_note *note = &rescue->notes[i];
        pid_t pid = atomic_load(&note->pid);
        if (pid <= 0)
            continue;
        if (pid != open_pid || note->identity.started != identity.started || note->identity.stack != identity.stack) {
            if (fd >= 0)
                close(fd);
            open_pid = pid;
            identity = note->identity;
            fd = procfs_open_memory_of(pid, &identity);
        }
        if (restore_in(fd, note) != REFUSED)
            rescue_forget(rescue, (int)i);
    }
    if (fd >= 0)
        close(fd);
    rescue_jumps(rescue, false);
}

/* If the process ends during the wait, its status is left for others: it may be the command. */
int rescue_await(pid_t pid)
{
    siginfo_t info;
    for (int i = 0; i < WAIT_TRIES; i++) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) < 0)
            return -1;
        if (info.si_pid) {
            struct event event = event_decode(info.si_code, info.si_status);
            bool ended = event.kind == EVENT_EXITED || event.kind == EVENT_KILLED;
            return ended ? -1 : event.kind == EVENT_SIGNAL ? event.value : 0;
        }
        usleep(WAIT_US);
    }
    return -1;
}

static bool stands_at(pid_t tid, uint64_t address)
{
    struct arch_registers registers;
    return request_registers(tid, &registers) == 0 && arch_pc(&registers) == address;
}

void rescue_release(pid_t tid, int sig)
{
    struct arch_registers now;
    bool known = !sig && request_registers(tid, &now) == 0;
    if (known)
        argument_add(tid, &now);
    if (known && arch_restart_call(&now))
        request_set_registers(tid, &now);
    request_detach(tid, sig);
}

bool rescue_stop(pid_t tid, pid_t pid, const struct procfs_identity *identity, int *sig)
{
    if (!procfs_is(pid, identity))
        return false;
    request_seize(tid, false, false); /* may fail: traced by us already, or impossible; interrupting shows which */
    if (request_interrupt(tid) < 0)
        return false;
    *sig = rescue_await(tid);
    if (*sig < 0)
        return false;
    if (procfs_is(pid, identity))
        return true;
    rescue_release(tid, *sig);
    return false;
}

static bool restore_by_tracing(pid_t pid, const struct rescue_note *note)
{
    pid_t tid = procfs_living_thread(pid);
    int sig;
    if (!rescue_stop(tid, pid, &note->identity, &sig))
        return false;
    uint64_t place = note->address + ARCH_BREAKPOINT_AT;
    bool done = request_change_byte(tid, place, note->planted, note->original) == 0;
    if (sig == SIGILL && stands_at(tid, note->address))
        sig = 0; /* from the breakpoint, which is gone */
    rescue_release(tid, sig);
    return done;
}

static bool restore(pid_t pid, const struct rescue_note *note)
{
    enum outcome outcome = restore_by_file(pid, note);
    return outcome == RESTORED || (outcome == REFUSED && restore_by_tracing(pid, note));
}

/* Ends the transfer of stopped thread TID with its present count. A thread that is elsewhere already has seen too small
 * a count, and is not changed. */
static void cut_remainder(pid_t tid, const struct rescue_remainder *remainder)
{
    struct arch_registers now;
    enum arch_remainder where = request_registers(tid, &now)
                                    ? ARCH_REMAINDER_ELSEWHERE
                                    : arch_remainder(&now, &remainder->before, remainder->quietly);
    if (where == ARCH_REMAINDER_AHEAD)
        now = remainder->before;
    if (where == ARCH_REMAINDER_INSIDE)
        arch_sum(&now, &remainder->before);
    if (where != ARCH_REMAINDER_ELSEWHERE)
        request_set_registers(tid, &now);
}

static void end_remainder(pid_t tid, const struct rescue_remainder *remainder)
{
    int sig;
    if (!rescue_stop(tid, tid, &remainder->identity, &sig))
        return;
    cut_remainder(tid, remainder);
    request_detach(tid, sig);
}

void rescue_stopped_late(pid_t tid, int status)
{
    siginfo_t info;
    struct event event = event_decode(CLD_TRAPPED, status);
    waitid(P_PID, (id_t)tid, &info,
           WSTOPPED | WNOHANG | __WALL); /* otherwise it would be reported forever if this fails: */
    rescue_release(tid, event.kind == EVENT_SIGNAL ? event.value : 0);
}

/* At the entry of the call for the remainder nothing can be changed any longer, and it cannot be distinguished from
 * its end. */
static void cut_rest_of(struct rescue *rescue, pid_t tid)
{
    for (uint32_t i = 0; i < RESCUE_REMAINDERS; i++) {
        struct rescue_remainder *remainder = &rescue->remainders[i];
        if (atomic_load(&remainder->tid) != tid)
            continue;
        cut_remainder(tid, remainder);
        rescue_forget_remainder(remainder);
        return;
    }
}

/* SIGILL is dropped: a truly illegal instruction faults again, and nobody suppresses that signal. A SIGILL may still
 * be pending, since stops that we ask for come before signals. Then the thread is resumed, but stays traced. */
static void let_go(struct rescue *rescue, pid_t tid, struct event event)
{
    siginfo_t info;
    int sig = event.kind == EVENT_SIGNAL ? event.value : 0;
    bool of_byte = sig == SIGILL && request_is_fault(tid);
    if (event.kind != EVENT_SYSCALL)
        cut_rest_of(rescue, tid);
    if (of_byte)
        sig = 0;
    if (!sig) /* after an exec no request works before */
        waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL);
    if (of_byte || !procfs_may_wait(tid, SIGILL))
        request_detach(tid, sig);
    else
        request_resume(tid, sig);
}

unsigned rescue_let_go(struct rescue *rescue)
{
    siginfo_t info;
    unsigned count = 0;
    for (; count < LET_GO_MOST; count++) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WSTOPPED | WNOWAIT | WNOHANG | __WALL) < 0 || !info.si_pid)
            break;
        let_go(rescue, info.si_pid, event_decode(info.si_code, info.si_status));
    }
    return count;
}

/* Allocates nothing: the heap may be corrupt. */
unsigned rescue_visit(const char *path, unsigned (*visit)(pid_t, void *), void *context)
{
    _Alignas(struct dirent64) char bytes[4096];
    unsigned sum = 0;
    ssize_t got;
    int fd = proc_open(path, O_RDONLY | O_DIRECTORY);
    while (fd >= 0 && (got = getdents64(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *entry = (const void *)(bytes + at);
            pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);
            sum += number > 0 ? visit(number, context) : 0;
            at += entry->d_reclen;
        }
    if (fd >= 0)
        close(fd);
    return sum;
}

/* True even if the note has been removed since. */
static bool was_noted(const struct rescue *rescue, uint64_t address)
{
    uint32_t used = atomic_load(&rescue->used);
    for (uint32_t i = 0; i < used && i < RESCUE_NOTES; i++)
        if (rescue->notes[i].address == address)
            return true;
    return false;
}

/* A frozen thread has not received its signal yet, and stands at the breakpoint. */
static unsigned is_awaited(pid_t tid, void *context)
{
    const struct rescue *rescue = context;
    struct blocked where;
    pid_t process, parent;
    return procfs_family(tid, &process, &parent) && procfs_may_wait(tid, SIGILL) && !procfs_is_dead(process, tid) &&
           (!procfs_blocked(tid, 0, &where) || was_noted(rescue, where.pc));
}

static unsigned count_awaited(pid_t pid, void *context)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return rescue_visit(path, is_awaited, context);
}

unsigned rescue_awaited(struct rescue *rescue)
{
    return rescue_visit("/proc/.", count_awaited, rescue);
}

/* Breakpoints come first: a thread that meets one dies, while a thread with a remainder only waits. */
unsigned rescue_all(struct rescue *rescue)
{
    unsigned restored = 0;
    uint32_t used = atomic_load(&rescue->used);
    for (uint32_t i = 0; i < used && i < RESCUE_NOTES; i++) {
        pid_t pid = atomic_load(&rescue->notes[i].pid);
        restored += pid > 0 && restore(pid, &rescue->notes[i]);
        rescue_forget(rescue, (int)i);
    }
    rescue_jumps(rescue, true);
    for (uint32_t i = 0; i < RESCUE_REMAINDERS; i++) {
        pid_t tid = atomic_load(&rescue->remainders[i].tid);
        if (tid > 0)
            end_remainder(tid, &rescue->remainders[i]);
        rescue_forget_remainder(&rescue->remainders[i]);
    }
    rescue_children(rescue);
    rescue_stubs(rescue, STUBS_NS);
    return restored;
}
