/* SPDX-License-Identifier: MIT
 *
 * Runs a command under a kernel that refuses a system call:
 *     refuse ptrace|process_vm_writev|kexec_load COMMAND [ARGUMENT]...
 * ptrace and kexec_load are forbidden (EPERM), process_vm_writev is not there (ENOSYS). */
#include "target.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
    CHECK(argc > 2);
    bool missing = strcmp(argv[1], "process_vm_writev") == 0;
    unsigned number = missing ? SYS_process_vm_writev : strcmp(argv[1], "ptrace") == 0 ? SYS_ptrace : SYS_kexec_load;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (missing ? ENOSYS : EPERM)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    execvp(argv[2], argv + 2);
    die("exec: %s", strerror(errno));
}
