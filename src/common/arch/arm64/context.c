/* SPDX-License-Identifier: MIT
 *
 * The arguments and the result of a call in an arm64 signal handler's context, for libpcsample. */
#include "common/arch/code.h"

#include <ucontext.h>

unsigned long arch_context_argument(const void *context, unsigned number)
{
    return (unsigned long)((const ucontext_t *)context)->uc_mcontext.regs[number];
}

void arch_context_answer(void *context, long result)
{
    ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long)result;
}
