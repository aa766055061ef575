/* SPDX-License-Identifier: MIT
 *
 * The names of system calls. Pure. */
#ifndef ARCH_SYSCALLS_H
#define ARCH_SYSCALLS_H

#include <stdint.h>

/* By number; NULL where no call exists. The numbers are the kernel's interface and never change. New ones are added at
 * the end, the same on all architectures. They are written out because the build machine's headers may be older than
 * the profiled kernel. Each architecture's folder has the other calls. */
enum { ARCH_SYSCALL_NAMES = 468 };
extern const char *const arch_syscall_names[ARCH_SYSCALL_NAMES];
/* clang-format off */
#define ARCH_NEWER_SYSCALLS \
    [424] = "pidfd_send_signal", "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", \
    "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range", \
    "openat2", "pidfd_getfd", "faccessat2", "process_madvise", "epoll_pwait2", "mount_setattr", \
    "quotactl_fd", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "memfd_secret", \
    "process_mrelease", "futex_waitv", \
    [450] = "set_mempolicy_home_node", "cachestat", "fchmodat2", "map_shadow_stack", "futex_wake", \
    "futex_wait", "futex_requeue", "statmount", "listmount", "lsm_get_self_attr", "lsm_set_self_attr", \
    "lsm_list_modules", "mseal", "setxattrat", "getxattrat", "listxattrat", "removexattrat", \
    "open_tree_attr"
/* clang-format on */

/* Like arch_syscall_name's numbers, for 32-bit programs on this processor. Their calls without a native counterpart
 * have numbers from ARCH_COMPAT_SYSCALLS on. */
enum { ARCH_COMPAT_SYSCALLS = 1 << 16 };
extern const char *const arch_compat_syscall_names[ARCH_SYSCALL_NAMES];

/* Returns the name of system call NUMBER, or NULL if unknown. */
const char *arch_syscall_name(int32_t number);

/* Returns the number of the native call NAME, or -1. */
int32_t arch_native_syscall_number(const char *name);

/* Returns the number of the call NAME, or -1. */
int32_t arch_syscall_number(const char *name);

#endif
