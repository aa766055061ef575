/* SPDX-License-Identifier: MIT */
#include "common/arch/syscalls.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_compat(int32_t number)
{
    return number >= ARCH_COMPAT_SYSCALLS && number - ARCH_COMPAT_SYSCALLS < ARCH_SYSCALL_NAMES;
}

const char *arch_syscall_name(int32_t number)
{
    if (is_compat(number))
        return arch_compat_syscall_names[number - ARCH_COMPAT_SYSCALLS];
    return number >= 0 && number < ARCH_SYSCALL_NAMES ? arch_syscall_names[number] : NULL;
}

static int32_t number_of(const char *const names[static ARCH_SYSCALL_NAMES], const char *name)
{
    for (int32_t i = 0; i < ARCH_SYSCALL_NAMES; i++)
        if (names[i] && !strcmp(names[i], name))
            return i;
    return -1;
}

int32_t arch_native_syscall_number(const char *name)
{
    return number_of(arch_syscall_names, name);
}

int32_t arch_syscall_number(const char *name)
{
    int32_t native = arch_native_syscall_number(name);
    int32_t compat = native < 0 ? number_of(arch_compat_syscall_names, name) : -1;
    return compat < 0 ? native : ARCH_COMPAT_SYSCALLS + compat;
}
