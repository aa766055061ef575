/* SPDX-License-Identifier: MIT */
#include "common/arch/arch.h"

/* When the handler begins, the kernel does not show any more whether the thread came from a system call. */
size_t arch_enters_handler(const struct arch_registers *registers)
{
    (void)registers;
    return 0;
}

void arch_leave_handler(struct arch_registers *registers, const void *frame)
{
    (void)registers;
    (void)frame;
}
