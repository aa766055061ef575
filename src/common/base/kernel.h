/* SPDX-License-Identifier: MIT
 *
 * What the kernel has, and the headers of an older system do not declare: Linux 5.10 runs there, or a newer one, but
 * glibc 2.31 and its kernel headers are older. The numbers are the same on x86-64 and arm64. */
#ifndef BASE_KERNEL_H
#define BASE_KERNEL_H

#include <linux/futex.h>
#include <linux/magic.h>
#include <sys/syscall.h>
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
