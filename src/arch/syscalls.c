/* SPDX-License-Identifier: MIT */
#include "arch/syscalls.h"

#include <stddef.h>
#include <string.h>

const char *arch_syscall_name(int32_t number)
{
    return number >= 0 && number < ARCH_SYSCALL_NAMES ? arch_syscall_names[number] : NULL;
}

int32_t arch_syscall_number(const char *name)
{
    for (int32_t i = 0; i < ARCH_SYSCALL_NAMES; i++)
        if (arch_syscall_names[i] && !strcmp(arch_syscall_names[i], name))
            return i;
    return -1;
}
