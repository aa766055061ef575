/* SPDX-License-Identifier: MIT
 *
 * Why a process may not be traced, decided from what could be read of it and of us. Pure. */
#ifndef MODEL_PERMISSION_H
#define MODEL_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What was read. */
struct permission_facts {
    int error;            /* positive errno of the attempt */
    bool exists;          /* /proc/PID is there */
    bool zombie;          /* it has ended, and its parent has not asked for its status */
    bool kernel_thread;
    pid_t tracer;         /* that it has already; 0: none */
    uid_t user, own_user; /* real user of the process; effective user of ours */
    bool ids_differ;      /* its real, effective and saved users are not all one */
    bool protected;       /* /proc says that its memory is not to be looked at: not dumpable */
    bool same_namespace;  /* user namespace; also true if not known */
    bool capable;         /* we have CAP_SYS_PTRACE in our own user namespace */
    bool filtered;        /* we run under a seccomp filter */
    int yama;             /* ptrace_scope; -1: no Yama */
};

enum permission_reason {
    PERMISSION_GONE,
    PERMISSION_ZOMBIE,
    PERMISSION_KERNEL_THREAD,
    PERMISSION_TRACED,         /* by another tracer */
    PERMISSION_YAMA_NOBODY,    /* scope 3 */
    PERMISSION_YAMA_ADMIN,     /* scope 2 */
    PERMISSION_OTHER_NAMESPACE,
    PERMISSION_OTHER_USER,
    PERMISSION_PRIVILEGED,     /* set-user-id: its users differ */
    PERMISSION_PROTECTED,      /* PR_SET_DUMPABLE 0, or a program that may not be read */
    PERMISSION_YAMA_CHILDREN,  /* scope 1: only a parent may */
    PERMISSION_FILTERED,       /* a seccomp filter, as containers have it */
    PERMISSION_MODULE,         /* nothing of that: a security module, such as AppArmor or SELinux */
    PERMISSION_OTHER_ERROR     /* not a matter of permission */
};

/* The reason that FACTS give. */
enum permission_reason permission_judge(const struct permission_facts *facts);

#endif
