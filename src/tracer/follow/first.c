/* SPDX-License-Identifier: MIT
 *
 * Process 1 of a pid namespace, for example the main program of a container. Normally the kernel lets no signal from
 * its own namespace kill or stop it, but its own faults kill it. Under a tracer both change: the default action of a
 * fault is omitted, so the instruction faults forever, and a SIGSTOP that would have been ignored stops it. */
#include "tracer/follow/follow_parts.h"

#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <signal.h>

static bool is_first(struct process *process)
{
    if (process->first == PROCESS_FIRST_UNKNOWN)
        process->first = procfs_is_first(process->pid) ? PROCESS_FIRST : PROCESS_NOT_FIRST;
    return process->first == PROCESS_FIRST;
}

/* SIGTRAP and SIGSYS are absent: they come after the instruction that raised them, and that instruction does not run
 * again. */
static bool is_of_fault(int sig)
{
    return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE;
}

enum first_verdict first_signalled(struct thread *thread, int sig)
{
    struct request_sender sender;
    if ((sig != SIGSTOP && !is_of_fault(sig)) || !is_first(thread->process) || request_sender(thread->tid, &sender) < 0)
        return FIRST_ANY;
    if (sig == SIGSTOP) /* a sender outside of the namespace has no number in it */
        return !sender.is_kernel && sender.pid ? FIRST_SHIELDED : FIRST_ANY;
    return sender.is_kernel && !procfs_may_handle(thread->tid, sig) ? FIRST_DIES : FIRST_ANY;
}
