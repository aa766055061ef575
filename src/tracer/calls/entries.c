/* SPDX-License-Identifier: MIT
 *
 * Where calls arrive: at the gate of libpcsample, and at breakpoints on the C library's functions. */
#include "common/model/counters.h"
#include "common/wire/command.h"
#include "tracer/calls/calls.h"
#include "tracer/calls/calls_parts.h"
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
#include <string.h>

#define BIT(sig) ((uint64_t)1 << ((sig)-1))

/* Signals that cannot be blocked, and those that the C library reserves. */
#define NEVER_BLOCKED (BIT(SIGKILL) | BIT(SIGSTOP) | BIT(32) | BIT(33))

static bool dumps_core(int sig)
{
    static const int signals[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS, SIGSYS, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] == sig)
            return true;
    return false;
}

/* The request may come from the system call that unblocked SIG for a moment. Blocks SIG again: otherwise a pending SIG
 * of the program itself would be delivered too early. */
static void keep_blocked(pid_t tid, int sig)
{
    uint64_t mask;
    if (!request_signal_mask(tid, &mask))
        request_set_signal_mask(tid, mask | BIT(sig));
}

/* The signals that libpcsample uses for requests. Any other signal is the program's own, even if the registers look
 * like a request. */
static bool carries_requests(int sig)
{
    return sig == SIGURG || sig == SIGWINCH || sig == SIGCHLD || sig == SIGCONT;
}

static void answer_gate(struct calls *calls, struct thread *thread, const struct arch_registers *registers,
                        int64_t result)
{
    struct arch_registers answered = *registers;
    arch_gate_answer(&answered, result);
    stopped_set_registers(&calls->follow->restart.stopped, thread->tid, &answered);
}

/* Answers a request even if calls are not served: the program may handle SIG, and must not see it. */
static enum calls_signal serve_gate(struct calls *calls, struct thread *thread, const struct arch_registers *registers,
                                    int sig)
{
    struct gate_request request;
    uint64_t address, pc = arch_pc(registers), function = breakpoints_function(thread->process, pc);
    bool refused = calls->options.mode == CALLS_OFF || calls->closing;
    if (!arch_gate(registers, &address))
        return CALLS_NOT_OURS;
    if (function && !registers->is_compat)
        request = arch_stub_request(registers);
    else if (memory_read_all(&thread->process->memory, thread->tid, address, &request, sizeof request) ||
             request.magic != GATE_MAGIC)
        return CALLS_NOT_OURS;
    if (arch_gate_unblocks(registers))
        keep_blocked(thread->tid, sig);
    if (function && refused)
        return CALLS_SERVED; /* its stub makes the call itself */
    if (function && request.call == GATE_LOADED) {
        follow_consume(thread);
        answer_gate(calls, thread, registers, 0);
        return CALLS_ASKS;
    }
    struct calls_request wanted = {
        .call = request.call, .pc = function ? function : pc, .is_compat = registers->is_compat};
    memcpy(wanted.arguments, request.arguments, sizeof wanted.arguments);
    answer_gate(calls, thread, registers, refused ? -ENOSYS : calls_serve(calls, thread, &wanted));
    return CALLS_SERVED;
}

/* To deliver a blocked SIGILL, the kernel unblocks it. Blocks it again if all other signals are blocked, as in handlers
 * with a full mask. */
static void restore_mask(pid_t tid)
{
    uint64_t mask, full = ~NEVER_BLOCKED & ~BIT(SIGILL);
    if (!request_signal_mask(tid, &mask) && (mask & full) == full)
        request_set_signal_mask(tid, mask | BIT(SIGILL));
}

static int read_arguments(struct thread *thread, const struct arch_registers *registers,
                          uint64_t arguments[static ARCH_ARGUMENTS])
{
    uint32_t words[ARCH_ARGUMENTS];
    uint64_t address;
    arch_arguments(registers, arguments);
    if (!arch_arguments_stacked(registers, &address))
        return 0;
    int result = memory_read_all(&thread->process->memory, thread->tid, address, words, sizeof words);
    for (size_t i = 0; !result && i < ARCH_ARGUMENTS; i++)
        arguments[i] = words[i];
    return result;
}

static void serve_entry(struct calls *calls, struct thread *thread, const struct arch_registers *registers,
                        const struct breakpoint *byte)
{
    struct calls_request request = {.call = byte->kind == BREAKPOINT_PROFIL ? GATE_PROFIL : GATE_SPROFIL,
                                    .pc = arch_pc(registers),
                                    .is_compat = registers->is_compat};
    struct arch_registers answered = *registers;
    int unread = read_arguments(thread, registers, request.arguments);
    arch_set_pc(&answered, byte->resume);
    arch_set_result(&answered, unread ? unread : calls_serve(calls, thread, &request));
    stopped_set_registers(&calls->follow->restart.stopped, thread->tid, &answered);
}

/* The dynamic linker has loaded a library, or is about to. Lets it continue. */
static void pass_loader(struct calls *calls, struct thread *thread, const struct arch_registers *registers,
                        const struct breakpoint *byte)
{
    struct arch_registers answered = *registers;
    arch_set_pc(&answered, byte->resume);
    stopped_set_registers(&calls->follow->restart.stopped, thread->tid, &answered);
}

static enum calls_signal serve_planted(struct calls *calls, struct thread *thread,
                                       const struct arch_registers *registers, const struct breakpoint *byte)
{
    struct breakpoint hit = *byte;
    follow_consume(thread);
    restore_mask(thread->tid);
    if (calls->closing)
        return CALLS_SERVED; /* the breakpoint is removed: the thread repeats the instruction */
    if (hit.kind == BREAKPOINT_LOADER)
        pass_loader(calls, thread, registers, &hit);
    else
        serve_entry(calls, thread, registers, &hit);
    return hit.kind == BREAKPOINT_LOADER ? CALLS_ASKS : CALLS_SERVED;
}

enum calls_signal calls_signalled(struct calls *calls, struct thread *thread, int sig)
{
    const struct arch_registers *registers;
    struct process *process = thread->process;
    if (!process->image || (calls->options.mode == CALLS_OFF && !carries_requests(sig)) ||
        stopped_registers(&calls->follow->restart.stopped, thread->tid, &registers) < 0)
        return CALLS_NOT_OURS;
    enum calls_signal gate = carries_requests(sig) ? serve_gate(calls, thread, registers, sig) : CALLS_NOT_OURS;
    if (gate != CALLS_NOT_OURS)
        return gate;
    const struct breakpoint *byte = sig == SIGILL ? breakpoints_at(process, arch_pc(registers)) : NULL;
    if (byte)
        return serve_planted(calls, thread, registers, byte);
    /* A core file must contain the program's own code, without breakpoints. */
    if (process->breakpoints && dumps_core(sig) && !procfs_may_handle(thread->tid, sig))
        breakpoints_lift(process, thread->tid, calls->rescue);
    return CALLS_NOT_OURS;
}

/* Children that share the memory of PROCESS share its breakpoints. Some were made after PROCESS was attached and before
 * its breakpoints were planted. */
static void share_bytes(const struct calls *calls, struct process *process)
{
    const struct table *table = &calls->follow->table;
    for (size_t i = 0; i < table->process_count; i++) {
        struct process *other = table->processes[i];
        if (other != process && !other->breakpoints && memory_shared(other->pid, process->pid))
            breakpoints_inherit(other, process, true, calls->rescue);
    }
}

/* Returns true if no thread can be in the code that a detour replaces: a library is being loaded, and none of its code
 * has run. The stub's requests are system calls, so the filters of the process must allow them. */
static bool is_free(const struct thread *thread)
{
    const struct process *process = thread->process;
    return !process->attached && process->threads == thread && !thread->next && procfs_is_alone(thread->tid, false) &&
           procfs_filtered_as_we(thread->tid);
}

/* The C library of an attached process may be profiling already, by SIGPROF. It must also serve the call that ends
 * this. Otherwise it would count on in a buffer that the program then uses for other data. */
static bool profiles_itself(const struct thread *thread)
{
    return thread->process->attached && procfs_may_handle(thread->tid, SIGPROF);
}

bool calls_entries(struct calls *calls, struct thread *thread, const struct breakpoint *bytes, size_t count,
                   bool complete)
{
    enum { TIMES_LEFT_MOST = 50 };
    struct process *process = thread->process;
    bool told_from_now = false;
    /* A child has copies of the breakpoints. If children are not followed, each must be cleaned before it runs. */
    if (count && !calls->follow->children)
        request_follow(thread->tid);
    bool free = count && is_free(thread), left = count && profiles_itself(thread);
    for (size_t i = 0; i < count; i++) {
        if (left && bytes[i].kind != BREAKPOINT_LOADER)
            continue;
        if (breakpoints_add(process, thread->tid, calls->rescue, &bytes[i], free) <= 0)
            continue;
        atomic_fetch_add(&calls->counts->planted, 1);
        told_from_now |= bytes[i].kind == BREAKPOINT_LOADER;
    }
    if (process->attached)
        share_bytes(calls, process);
    if (count && !calls->closing)
        jumps_begin(calls->follow, process);
    if (complete)
        breakpoints_lift_kind(process, thread->tid, calls->rescue, BREAKPOINT_LOADER);
    /* Ask again, but not forever: a program that turns profiling on and off is soon found with it off. */
    bool waits = left && process->calls->times_left++ < TIMES_LEFT_MOST;
    return waits || (told_from_now && !complete);
}
