/* SPDX-License-Identifier: MIT
 *
 * The kernel still has the argument, and shows it in /proc for threads that are in a call. A thread that has stopped
 * on its way out of a call no longer counts as in it, so it is put back for a moment. Nothing else changes by that;
 * if we die at that moment, the kernel ignores the value when the thread goes on. At a call's entry and end
 * (system-call-stops) the thread counts as in the call: changing the number there, even for a moment, would cancel
 * the call. */
#include "tracee/argument.h"

#include "tracee/procfs.h"
#include "tracee/request.h"

static bool ask(pid_t tid, struct blocked *call)
{
    char text[256];
    return procfs_text(tid, 0, "syscall", text, sizeof text) > 0 && proctext_blocked(text, call);
}

void argument_add(pid_t tid, struct arch_registers *registers)
{
    struct blocked call;
    int number;
    if (!arch_lacks_argument(registers) || request_call(tid, &number))
        return;
    bool forgotten = number == -1;
    if (forgotten && request_set_call(tid, arch_syscall(registers)))
        return;
    bool known = ask(tid, &call);
    if (forgotten)
        request_set_call(tid, -1);
    if (known && call.syscall == arch_syscall(registers))
        arch_set_argument(registers, call.argument);
}
