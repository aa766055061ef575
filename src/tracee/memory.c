/* SPDX-License-Identifier: MIT */
#include "tracee/memory.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t memory_read(pid_t tid, uint64_t address, void *bytes, size_t size)
{
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(tid, &here, 1, &there, 1, 0);
    return got < 0 ? -errno : got;
}

int memory_read_all(pid_t tid, uint64_t address, void *bytes, size_t size)
{
    ssize_t got = memory_read(tid, address, bytes, size);
    if (got < 0)
        return (int)got;
    return (size_t)got == size ? 0 : -EFAULT;
}

ssize_t memory_write(pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    struct iovec here = {(void *)(uintptr_t)bytes, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t put = process_vm_writev(tid, &here, 1, &there, 1, 0);
    return put < 0 ? -errno : put;
}

bool memory_shared(pid_t one, pid_t other)
{
    return syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}
