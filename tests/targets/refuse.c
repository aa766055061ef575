/* SPDX-License-Identifier: MIT
 *
 * Runs a command without a certain system call, or in a sandbox:
 *
 *     refuse ptrace|process_vm_readv|process_vm_writev|kexec_load|unshare|seccomp COMMAND [ARGUMENT]...
 *     refuse landlock COMMAND [ARGUMENT]...
 * process_vm_writev fails with ENOSYS, the others with EPERM. landlock forbids tracing processes outside of the
 * sandbox. Ends with status 77 if this kernel does not have it. */
#include "target.h"

#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static unsigned number_of(const char *call)
{
    static const struct {
        const char *name;
        unsigned number;
    } calls[] = {{"ptrace", SYS_ptrace},
                 {"process_vm_readv", SYS_process_vm_readv},
                 {"process_vm_writev", SYS_process_vm_writev},
                 {"kexec_load", SYS_kexec_load},
                 {"unshare", SYS_unshare},
                 {"seccomp", SYS_seccomp}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, call))
            return calls[i].number;
    die("no such call: %s", call);
}

static void filter_out(const char *call)
{
    unsigned number = number_of(call);
    bool missing = number == SYS_process_vm_writev;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (missing ? ENOSYS : EPERM)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* The rules only forbid creating character devices. Landlock then also restricts tracing. */
static void enter_sandbox(void)
{
    const struct landlock_ruleset_attr rules = {.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_CHAR};
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0);
    if (fd < 0)
        exit(77);
    CHECK(syscall(SYS_landlock_restrict_self, fd, 0) == 0 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc > 2);
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (!strcmp(argv[1], "landlock"))
        enter_sandbox();
    else
        filter_out(argv[1]);
    execvp(argv[2], argv + 2);
    die("exec: %s", strerror(errno));
}
