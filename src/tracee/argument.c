/* SPDX-License-Identifier: MIT */
#include "tracee/argument.h"

#include "tracee/procfs.h"
#include "tracee/request.h"

/* Nothing is restarted if a handler will run, and only a handler sees what asking might change. */
void argument_add(pid_t tid, struct arch_registers *registers)
{
    uint64_t argument;
    if (!arch_lacks_argument(registers))
        return;
    int signal = request_signal(tid);
    if ((!signal || !procfs_may_handle(tid, signal)) && request_argument(tid, &argument) == 0)
        arch_set_argument(registers, argument);
}
