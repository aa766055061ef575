/* SPDX-License-Identifier: MIT
 *
 * Names and numbers of system calls in profiles. */
#include "profile/profile/profile.h"

#include "common/arch/syscalls.h"
#include "common/model/wait.h"

#include <string.h>

static const char *const waits[] = {
    [WAIT_FOR_CPU - WAIT_FIRST] = "runnable",
    [WAIT_STOPPED - WAIT_FIRST] = "stopped",
    [WAIT_OUTSIDE - WAIT_FIRST] = "page fault",
    [WAIT_WORKER - WAIT_FIRST] = "io_uring worker",
    [WAIT_GIL - WAIT_FIRST] = "GIL",
    [WAIT_GVL - WAIT_FIRST] = "GVL",
    [WAIT_IDLE - WAIT_FIRST] = "idle threads",
};

const char *profile_syscall_name(int32_t number)
{
    if (number >= WAIT_FIRST && (size_t)(number - WAIT_FIRST) < sizeof waits / sizeof *waits)
        return waits[number - WAIT_FIRST];
    return arch_syscall_name(number);
}

int32_t profile_syscall_number(const char *name)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (!strcmp(waits[i], name))
            return WAIT_FIRST + (int32_t)i;
    return arch_syscall_number(name);
}
