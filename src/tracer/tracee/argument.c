/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/argument.h"

#include "common/arch/arch.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

/* Asking may change what a signal handler sees. So do this only if no handler will run. */
void argument_add(pid_t tid, struct arch_registers *registers)
{
    uint64_t argument;
    if (!arch_lacks_argument(registers))
        return;
    int signal = request_signal(tid);
    if ((!signal || !procfs_may_handle(tid, signal)) && request_argument(tid, &argument) == 0)
        arch_set_argument(registers, argument);
}
