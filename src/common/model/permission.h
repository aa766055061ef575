/* SPDX-License-Identifier: MIT
 *
 * Decides why a process may not be traced, from facts about it and about us. Pure. */
#ifndef MODEL_PERMISSION_H
#define MODEL_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The facts. Users and groups have the numbers of our namespace. */
struct permission_facts {
    int error;   /* positive errno of the attempt */
    bool exists; /* /proc/PID is there */
    bool zombie; /* it has ended, but its parent has not reaped it */
    bool kernel_thread;
    pid_t tracer;         /* its present tracer; 0: none, or none visible to us */
    uid_t user, own_user; /* real ones */
    gid_t group, own_group;
    bool ids_differ;                         /* its real, effective and saved users, or groups, are not all equal */
    bool protected;                          /* /proc shows that its memory is protected: not dumpable */
    uint64_t capabilities, own_capabilities; /* permitted sets */
    bool same_namespace;                     /* equal user namespaces; also true if unknown */
    bool initial_namespace;                  /* ours is the initial user namespace */
    bool capable;                            /* we have CAP_SYS_PTRACE in our own user namespace */
    bool filtered;                           /* we run under a seccomp filter */
    bool child_refused;                      /* not even a child of ours can be traced */
    int yama;                                /* ptrace_scope; -1: no Yama */
    bool deny_ptrace;                        /* SELinux enforces its boolean deny_ptrace */
    bool confined;                           /* AppArmor confines us or the process */
};

enum permission_reason {
    PERMISSION_GONE,
    PERMISSION_ZOMBIE,
    PERMISSION_KERNEL_THREAD,
    PERMISSION_TRACED,      /* by another tracer */
    PERMISSION_YAMA_NOBODY, /* scope 3 */
    PERMISSION_YAMA_ADMIN,  /* scope 2 */
    PERMISSION_OTHER_NAMESPACE,
    PERMISSION_OTHER_USER,
    PERMISSION_OTHER_GROUP,
    PERMISSION_PRIVILEGED,    /* set-user-id: its users, or groups, differ */
    PERMISSION_PROTECTED,     /* PR_SET_DUMPABLE 0, or a program that may not be read */
    PERMISSION_MORE_CAPABLE,  /* it has capabilities that we do not have */
    PERMISSION_YAMA_CHILDREN, /* scope 1: only a parent may trace */
    PERMISSION_NOT_CAPABLE,   /* one of the above. We are root, but without the capability, as in containers */
    PERMISSION_FILTERED,      /* a seccomp filter, as in containers */
    PERMISSION_SELINUX,       /* its deny_ptrace */
    PERMISSION_APPARMOR,
    PERMISSION_MODULE,     /* none of these: a security module that leaves no trace, such as Landlock */
    PERMISSION_OTHER_ERROR /* not a question of permission */
};

/* Returns the reason that follows from FACTS. */
enum permission_reason permission_judge(const struct permission_facts *facts);

#endif
