/* SPDX-License-Identifier: MIT
 *
 * A program that calls profil, and then installs a filter of system calls that allows only those of the C library's own
 * profil, and stops profiling. With BY_NUMBER, it installs the filter by syscall(), because it has no reference to
 * prctl, and does not call profil. Then it opens a library, and the filter allows the calls for that. Exits with status
 * 77 if filters are unavailable. */
#include "forbidden.h"
#include "target.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void put(struct sock_fprog *program)
{
#ifdef BY_NUMBER
    if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) != 0)
        _exit(77);
#else
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0)
        _exit(77);
#endif
}

#ifdef BY_NUMBER
int main(int argc, char **argv)
{
    struct sock_filter steps[] = FORBIDDEN(SYS_tgkill);
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    CHECK(argc == 2);
    put(&program);
    CHECK(dlopen(argv[1], RTLD_NOW));
    return 0;
}
#else
static void filter(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_setitimer),
        ALLOW(SYS_rt_sigaction),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_write),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    put(&program);
}

int main(void)
{
    static unsigned short counts[1024], *volatile none;
    target_begin();
    CHECK(profil(counts, sizeof counts, (size_t)main, 65536) == 0);
    filter();
    CHECK(profil(none, 0, 0, 0) == 0);
    _exit(0);
}
#endif
