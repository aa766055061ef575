/* SPDX-License-Identifier: MIT
 *
 * The kernel still has it, and tells it of threads that are in a call. One that has stopped on the way out of a call is
 * not in it any more, and is put back there for a moment: that changes nothing else, and if we die meanwhile, it means
 * nothing to the kernel when the thread goes on. At a call's entry and end (system-call-stops) the thread is in it: to
 * change the number there, and be it for a moment, would cancel the call. */
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
