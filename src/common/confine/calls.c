/* SPDX-License-Identifier: MIT */
#include "common/confine/calls.h"

#include "common/arch/machine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BEGINNING = 6, FOR_EACH = 6, FIRST_FOREIGN = 0x40000000 };

static uint32_t result_of(enum confine_action action)
{
    static const uint32_t results[] = {
        [CONFINE_ALLOW] = SECCOMP_RET_ALLOW,         [CONFINE_REFUSE] = SECCOMP_RET_ERRNO | EACCES,
        [CONFINE_LACK] = SECCOMP_RET_ERRNO | ENOSYS, [CONFINE_TRAP] = SECCOMP_RET_TRAP,
        [CONFINE_KILL] = SECCOMP_RET_KILL_PROCESS,
    };
    return results[action];
}

/* Writes the instructions for CALL, which end the program or load the number again for the next call. If the
 * arguments are not loaded, the kernel remembers the answer, and does not run the program again for this call. */
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
    const struct sock_filter all[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, result_of(call->action)),
    };
    memcpy(at, call->mask ? steps : all, call->mask ? sizeof steps : sizeof all);
    return call->mask ? FOR_EACH : sizeof all / sizeof *all;
}

/* The state before our first filter. */
static struct {
    bool noted, filtered, no_new_privileges;
} inherited;

/* Writes "noted" first, so that the page is there: the emulator QEMU 7.2 stores a wrong result of a comparison (setg)
 * if the store faults. */
static void note_inherited(void)
{
    if (!inherited.noted) {
        *(volatile bool *)&inherited.noted = true;
        inherited.filtered = prctl(PR_GET_SECCOMP) > 0;
        inherited.no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    }
}

bool confine_was_filtered(void)
{
    note_inherited();
    return inherited.filtered;
}

bool confine_had_no_new_privileges(void)
{
    note_inherited();
    return inherited.no_new_privileges;
}

/* Leaves speculation on: some kernels switch it off with a filter, which slows the process down. Older kernels
 * do not know these flags. */
static int install(const struct sock_fprog *program, bool log)
{
    unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW | (log ? SECCOMP_FILTER_FLAG_LOG : 0);
    note_inherited();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) == 0)
        return 0;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) < 0 ? -errno : 0;
}

int confine_calls_else(const struct confine_call *list, size_t count, enum confine_action otherwise)
{
    const uint32_t foreign = result_of(otherwise == CONFINE_KILL ? CONFINE_KILL : CONFINE_LACK);
    const struct sock_filter beginning[BEGINNING] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, foreign),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1), /* x32 programs have these numbers */
        BPF_STMT(BPF_RET | BPF_K, foreign),
    };
    struct sock_filter steps[BEGINNING + CONFINE_CALLS_MOST * FOR_EACH + 1];
    size_t length = BEGINNING;
    if (count > CONFINE_CALLS_MOST)
        return -EINVAL;
    memcpy(steps, beginning, sizeof beginning);
    for (size_t i = 0; i < count; i++)
        length += put_call(steps + length, &list[i]);
    steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result_of(otherwise));
    return install(&(struct sock_fprog){(unsigned short)length, steps}, otherwise == CONFINE_REFUSE);
}

int confine_calls(const struct confine_call *list, size_t count)
{
    return confine_calls_else(list, count, CONFINE_KILL);
}
