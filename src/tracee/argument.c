/* SPDX-License-Identifier: MIT
 *
 * The kernel still has it, and tells it of threads that are in a call. One that has stopped on the way out of a call is
 * not in it any more, and is put back there for a moment: that changes nothing else, and if we die meanwhile, it means
 * nothing to the kernel when the thread goes on. */
#include "tracee/argument.h"

#include "tracee/procfs.h"
#include "tracee/request.h"

void argument_add(pid_t tid, struct arch_registers *registers)
{
    char text[256];
    struct blocked call;
    if (!arch_lacks_argument(registers) || request_set_call(tid, arch_syscall(registers)))
        return;
    bool known = procfs_text(tid, 0, "syscall", text, sizeof text) > 0 && proctext_blocked(text, &call);
    request_set_call(tid, -1);
    if (known && call.syscall == arch_syscall(registers))
        arch_set_argument(registers, call.argument);
}
