/* SPDX-License-Identifier: MIT */
#include "common/confine/calls.h"

#include "common/arch/machine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>

enum { BEGINNING = 4, FOR_EACH = 6 };

static uint32_t result_of(enum confine_action action)
{
    return action == CONFINE_ALLOW    ? SECCOMP_RET_ALLOW
           : action == CONFINE_REFUSE ? SECCOMP_RET_ERRNO | EACCES
                                      : SECCOMP_RET_TRAP;
}

/* Writes the instructions for CALL, which end the program or load the number again for the next call. */
static size_t put_call(struct sock_filter *at, const struct confine_call *call)
{
    const struct sock_filter steps[FOR_EACH] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, FOR_EACH - 1),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 (uint32_t)(offsetof(struct seccomp_data, args) + call->argument * sizeof(uint64_t))),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, call->mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, result_of(call->action)),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    memcpy(at, steps, sizeof steps);
    return FOR_EACH;
}

int confine_calls(const struct confine_call *list, size_t count)
{
    const struct sock_filter beginning[BEGINNING] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    struct sock_filter steps[BEGINNING + CONFINE_CALLS_MOST * FOR_EACH + 1];
    size_t length = BEGINNING;
    if (count > CONFINE_CALLS_MOST)
        return -EINVAL;
    memcpy(steps, beginning, sizeof beginning);
    for (size_t i = 0; i < count; i++)
        length += put_call(steps + length, &list[i]);
    steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog program = {(unsigned short)length, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return -errno;
    return 0;
}
