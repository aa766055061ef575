/* SPDX-License-Identifier: MIT
 *
 * What the process that reads strangers' files may do: read, use memory, and answer. */
#include "front/naming/name_wire.h"

#include "common/arch/machine.h"
#include "common/base/kernel.h"
#include "common/confine/confine.h"
#include "programs/files/guard.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors for kept files, their debug files, and files that these name. */
enum { MOST_FDS = 4096, MOST_CPU_SECONDS = 3600 };

#define ALL UINT32_MAX

/* newfstatat is how the C library makes fstat. The path is not compared, but the root directory is empty. */
static const struct confine_call calls[] = {
    {.number = SYS_read},
    {.number = SYS_pread64},
    {.number = SYS_readv},
    {.number = SYS_recvmsg},
    {.number = SYS_recvfrom},
    {.number = SYS_sendmsg},
    {.number = SYS_sendto},
    {.number = SYS_futex},
    {.number = SYS_brk},
    {.number = SYS_munmap},
    {.number = SYS_mremap},
    {.number = SYS_madvise},
    {.number = SYS_mmap, .argument = 2, .mask = PROT_EXEC},
    {.number = SYS_mprotect, .argument = 2, .mask = PROT_EXEC},
    {.number = SYS_fstat},
    {.number = SYS_newfstatat, .argument = 3, .mask = AT_EMPTY_PATH, .value = AT_EMPTY_PATH},
    {.number = SYS_newfstatat, .action = CONFINE_REFUSE},
    {.number = SYS_lseek},
    {.number = SYS_close},
    {.number = SYS_fcntl, .argument = 1, .mask = ALL, .value = F_GETFL},
    {.number = SYS_fcntl, .argument = 1, .mask = ALL, .value = F_GETFD},
    {.number = SYS_fcntl, .action = CONFINE_REFUSE},
    {.number = SYS_exit},
    {.number = SYS_exit_group},
    {.number = SYS_rt_sigreturn},
    {.number = SYS_rt_sigprocmask},
    {.number = SYS_clock_gettime},
    {.number = SYS_gettimeofday},
    {.number = SYS_getpid},
    {.number = SYS_gettid},
    {.number = SYS_getrandom},
    {.number = SYS_sysinfo},
    /* the timer and the thread that bound the demangler */
    {.number = SYS_rt_sigaction},
    {.number = SYS_timer_create},
    {.number = SYS_timer_settime},
    {.number = SYS_timer_delete},
    {.number = SYS_clone, .argument = 0, .mask = CLONE_THREAD, .value = CLONE_THREAD},
    {.number = SYS_clone3, .action = CONFINE_LACK},
    {.number = SYS_set_robust_list},
    {.number = SYS_rseq},
    {.number = SYS_sched_getaffinity},
    {.number = SYS_sched_yield},
    {.number = SYS_restart_syscall},
    {.number = SYS_prlimit64, .argument = 0, .mask = ALL},
    {.number = SYS_ioctl, .action = CONFINE_REFUSE},
    {.number = SYS_faccessat, .action = CONFINE_REFUSE},
#ifdef SYS_stat /* glibc before 2.33 */
    {.number = SYS_stat, .action = CONFINE_REFUSE},
    {.number = SYS_lstat, .action = CONFINE_REFUSE},
    {.number = SYS_access, .action = CONFINE_REFUSE},
#endif
    {.number = SYS_getcwd, .action = CONFINE_REFUSE},
    {.number = SYS_statx, .action = CONFINE_REFUSE},
    {.number = SYS_openat2, .action = CONFINE_REFUSE},
    {.number = SYS_openat, .action = CONFINE_TRAP},
    {.number = ARCH_SYS_OPEN, .action = CONFINE_TRAP},
    {.number = SYS_readlinkat, .action = CONFINE_TRAP},
    {.number = ARCH_SYS_READLINK, .action = CONFINE_TRAP},
    {.number = SYS_write, .argument = 0, .mask = ALL, .value = STDERR_FILENO}, /* leads to /dev/null */
#ifdef __SANITIZE_ADDRESS__                                                    /* its own reports */
    {.number = SYS_sigaltstack},
    {.number = SYS_prctl, .action = CONFINE_REFUSE},
#endif
};

unsigned name_confine(const struct name_reader *reader)
{
    struct confine wanted = {
        .user = reader->user,
        .group = reader->group,
        .namespaces = true,
        .most_cpu = MOST_CPU_SECONDS,
        .most_fds = MOST_FDS,
        .calls = calls,
        .call_count = sizeof calls / sizeof *calls,
    };
#ifndef __SANITIZE_ADDRESS__ /* its shadow memory takes terabytes of addresses */
    wanted.most_as = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
#endif
    bool prepared = guard_prepare() == 0;
    unsigned refused = confine_begin(&wanted);
    if (prepared && !(refused & 1U << CONFINE_CALLS))
        guard_begin();
    return refused;
}
