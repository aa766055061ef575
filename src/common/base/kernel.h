/* SPDX-License-Identifier: MIT
 *
 * The kernel's version, and what the kernel has and the headers of an older system do not declare: Linux 5.10 runs
 * there, or a newer one, but glibc 2.31 and its kernel headers are older. The numbers are the same on x86-64 and arm64.
 */
#ifndef BASE_KERNEL_H
#define BASE_KERNEL_H

#include <linux/futex.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

/* Returns true if the kernel says that its version is MAJOR.MINOR or later. */
static inline bool kernel_is_since(unsigned long major, unsigned long minor)
{
    struct utsname system = {0};
    uname(&system);
    char *end = system.release;
    unsigned long first = strtoul(end, &end, 10), second = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return first > major || (first == major && second >= minor);
}

#ifdef __GLIBC__
#if !__GLIBC_PREREQ(2, 36)
#define P_PIDFD ((idtype_t)3)
#endif
#if !__GLIBC_PREREQ(2, 34)
static inline int close_range(unsigned first, unsigned last, int flags)
{
    return (int)syscall(SYS_close_range, first, last, flags);
}
#endif
#endif

#endif
