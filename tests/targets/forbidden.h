/* SPDX-License-Identifier: MIT
 *
 * A seccomp filter that a program installs for itself: one system call kills it, all others are allowed. */
#ifndef FORBIDDEN_H
#define FORBIDDEN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

/* The instructions of a filter that kills for system call NUMBER. */
#define FORBIDDEN(number)                                                                                              \
    {                                                                                                                  \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                                         \
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),    \
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)                                                               \
    }

#endif
