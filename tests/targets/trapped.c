/* SPDX-License-Identifier: MIT
 *
 * A handler of SIGSYS makes two of its system calls, as its seccomp filter wants. The handler must find the call's
 * number in the whole register, and its result must be the call's.
 *
 *     trapped [SECONDS] */
#include "target.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifdef __aarch64__
#define NUMBER(context) (context)->uc_mcontext.regs[8]
#define RESULT(context) (context)->uc_mcontext.regs[0]
#else
#define NUMBER(context) (context)->uc_mcontext.gregs[REG_RAX]
#define RESULT(context) (context)->uc_mcontext.gregs[REG_RAX]
#endif

enum { DESCRIPTOR = 1000, BYTES = 4000, SHORT = 3990 };

DEFINE_SPIN(spin_in_handler, 0x7a9)

static atomic_int wrong;

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    spin_in_handler(1000);
    wrong += (long long)NUMBER((ucontext_t *)context) != info->si_syscall;
    *(volatile long long *)&RESULT((ucontext_t *)context) = info->si_syscall == SYS_write ? SHORT : -EINTR;
}

static void set_filter(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_recvfrom, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DESCRIPTOR, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int argc, char **argv)
{
    static char bytes[BYTES];
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    int calls = 0, other = 0;
    target_begin();
    uint64_t end_ns = monotonic_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
    CHECK(sigaction(SIGSYS, &action, NULL) == 0);
    set_filter();
    for (; monotonic_ns() < end_ns; calls++) {
        other += write(DESCRIPTOR, bytes, sizeof bytes) != SHORT;
        other += recvfrom(DESCRIPTOR, bytes, sizeof bytes, 0, NULL, NULL) != -1 || errno != EINTR;
    }
    printf("trapped: %d calls\n", calls);
    if (wrong || other)
        die("of %d calls the handler found %d to be others, and %d had another result", calls, wrong, other);
    return calls ? 0 : 1;
}
