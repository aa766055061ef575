/* SPDX-License-Identifier: MIT
 *
 * Marks on restarted calls in x86-64 registers. */
#include "common/arch/arch.h"

#include "common/arch/call.h"
#include "common/arch/machine.h"
#include "common/arch/x86_64/i386.h"
#include "common/base/kernel.h"

#include <errno.h>

/* The kernel keeps the whole register of the call's number as long as the call lasts, including restarts, and forgets
 * it when the call returns. For calls made as 32-bit programs do, it drops the upper half. Before Linux 5.14 it used
 * the whole register as the number, so a marked call did not exist. A call by the tracer would not show that: for a
 * thread with a seccomp filter, these kernels dropped the upper half, too. */
bool arch_takes_mark(const struct arch_registers *registers)
{
    return !i386_is_entered(registers) && kernel_is_since(5, 14);
}

void arch_mark(struct arch_registers *restarted)
{
    if (arch_takes_mark(restarted))
        restarted->user.rax = call_marked(restarted->user.rax);
}

bool arch_is_marked(const struct arch_registers *registers)
{
    return call_is_marked(registers->user.orig_rax);
}

/* Makes the kernel treat the thread as outside of the call. */
bool arch_set_handled(struct arch_registers *registers)
{
    (void)registers;
    return false;
}

bool arch_waits_again(const struct arch_registers *restarted, int number, uint64_t pc, uint64_t sp)
{
    return arch_unmarked(restarted->user.rax) == (uint64_t)number && restarted->user.rip + ARCH_SYSCALL_BYTES == pc &&
           restarted->user.rsp == sp;
}

/* At the entry, the kernel stores -ENOSYS as the result. */
bool arch_enters_call(const struct arch_registers *registers)
{
    return (int64_t)registers->user.rax == -ENOSYS;
}
