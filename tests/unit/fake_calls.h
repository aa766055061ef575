/* SPDX-License-Identifier: MIT
 *
 * Fake processes with registers, memory and a clock, for the layer that serves the emulated calls. Writes to their
 * memory and requests to threads are logged. No process is traced: programs that include this file are linked with
 * --wrap for each function that it replaces.
 *
 * Each process has memory in four ranges. Memory from WRITABLE on is writable, code too. From READABLE on it is
 * read-only. From REFUSED on, writes fail with EPERM, which is not the process's fault. From SILENT on, each access
 * times out. All other accesses fail with EFAULT. */
#ifndef FAKE_CALLS_H
#define FAKE_CALLS_H

#include "common/semantics/semantics.h"
#include "tracer/calls/calls.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/remote.h"
#include "tracer/tracee/request.h"

#include "common/arch/arch.h"
#include "common/arch/gate.h"
#include "common/model/counters.h"
#include "common/wire/rescue_notes.h"
#include "tracer/tracee/table.h"
#include "unit.h"
#include "unit_log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct memory;

enum { FIRST_PID = 5000000, MOST = 6, HZ = 100, AT = 0x777, REQUEST = 0x1f80, STACK = 0x1e00 };
enum { CODE = 0x1100, CODE_SIZE = 0x100, BYTE = 0x55 };
enum { WRITABLE = 0x400, READABLE = 0x2000, HOLE = 0x3000, REFUSED = 0x4000, SILENT = 0x5000, END = 0x6000 };

static struct rescue rescue;
static struct calls_counts counts;
static struct {
    struct arch_registers registers;
    unsigned char bytes[END];
    uint64_t ticks, mask;
    int shares; /* the process whose memory this one has; 0: its own */
} fakes[MOST];
static struct {
    bool by_mask, no_magic, no_request, lost_request, handled, pending, refused, no_room, compat, no_stack;
} fake;

static int number_of(pid_t pid)
{
    int number = pid - FIRST_PID;
    ck_assert(number > 0 && number < MOST);
    return number;
}

static unsigned char *bytes_of(pid_t tid)
{
    int number = number_of(tid);
    return fakes[fakes[number].shares ? fakes[number].shares : number].bytes;
}

static int why_not(uint64_t address, bool writes)
{
    if (address < WRITABLE || (address >= HOLE && address < REFUSED) || address >= END)
        return -EFAULT;
    if (address >= REFUSED)
        return address >= SILENT ? -ETIMEDOUT : writes ? -EPERM : 0;
    return writes && address >= READABLE ? -EFAULT : 0;
}

int __wrap_memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);
int __wrap_memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size)
{
    (void)memory;
    for (size_t i = 0; i < size; i++) {
        int result = why_not(address + i, false);
        if (result)
            return result;
        ((unsigned char *)bytes)[i] = bytes_of(tid)[address + i];
    }
    return 0;
}

static void note_written(pid_t tid, uint64_t address, size_t size)
{
    uint64_t word = 0, other;
    memcpy(&word, bytes_of(tid) + address, size < sizeof word ? size : sizeof word);
    memcpy(&other, bytes_of(tid) + address + (size > sizeof word ? sizeof word : 0), sizeof other);
    if (size <= sizeof word)
        note("%d:%llx+%zu=%llx", number_of(tid), (unsigned long long)address, size, (unsigned long long)word);
    else if (word == other)
        note("%d:%llx=%llu*%llx", number_of(tid), (unsigned long long)address, (unsigned long long)(size / sizeof word),
             (unsigned long long)word);
    else
        note("%d:%llx=%llx %llx", number_of(tid), (unsigned long long)address, (unsigned long long)word,
             (unsigned long long)other);
}

ssize_t __wrap_memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size);
ssize_t __wrap_memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    size_t put = 0;
    (void)memory;
    for (; put < size && !why_not(address + put, true); put++)
        bytes_of(tid)[address + put] = ((const unsigned char *)bytes)[put];
    if (put)
        note_written(tid, address, put);
    return put ? (ssize_t)put : why_not(address, true);
}

bool __wrap_memory_writable(struct memory *memory, pid_t tid, uint64_t address, uint64_t size);
bool __wrap_memory_writable(struct memory *memory, pid_t tid, uint64_t address, uint64_t size)
{
    (void)memory, (void)tid;
    for (uint64_t i = 0; i < size; i++)
        if (why_not(address + i, true) == -EFAULT)
            return false;
    return true;
}

bool __wrap_memory_at_hand(struct memory *memory, pid_t tid, uint64_t address);
bool __wrap_memory_at_hand(struct memory *memory, pid_t tid, uint64_t address)
{
    (void)memory, (void)tid, (void)address;
    return true;
}

bool __wrap_memory_shared(pid_t one, pid_t other);
bool __wrap_memory_shared(pid_t one, pid_t other)
{
    return bytes_of(one) == bytes_of(other);
}

int __wrap_procfs_open_memory(pid_t pid, struct procfs_identity *identity);
int __wrap_procfs_open_memory(pid_t pid, struct procfs_identity *identity)
{
    *identity = (struct procfs_identity){(uint64_t)pid, 1};
    return -EPERM;
}

bool __wrap_procfs_identify(pid_t pid, struct procfs_identity *identity);
bool __wrap_procfs_identify(pid_t pid, struct procfs_identity *identity)
{
    *identity = (struct procfs_identity){(uint64_t)pid, 1};
    return true;
}

int __real_breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *to);
int __wrap_breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *to);
int __wrap_breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *to)
{
    return fake.no_room ? -ENOMEM : __real_breakpoints_inherit(child, parent, shared, to);
}

bool __wrap_procfs_may_handle(pid_t tid, int sig);
bool __wrap_procfs_may_handle(pid_t tid, int sig)
{
    (void)tid, (void)sig;
    return fake.handled;
}

bool __wrap_procfs_may_wait(pid_t tid, int sig);
bool __wrap_procfs_may_wait(pid_t tid, int sig)
{
    (void)tid;
    ck_assert_int_eq(sig, SIGILL);
    return fake.pending;
}

bool __wrap_procfs_filtered_as_we(pid_t tid);
bool __wrap_procfs_filtered_as_we(pid_t tid)
{
    (void)tid;
    return !fake.handled;
}

int __wrap_remote_prepare(struct thread *thread, const struct arch_call *call);
int __wrap_remote_prepare(struct thread *thread, const struct arch_call *call)
{
    ck_assert_int_eq(call->number, SYS_mmap);
    if (fake.refused)
        return -ENOENT;
    note("%d maps %llx", number_of(thread->tid), (unsigned long long)call->arguments[1]);
    return 0;
}

uint64_t __wrap_cpu_clock_ns(const struct process *process);
uint64_t __wrap_cpu_clock_ns(const struct process *process)
{
    return fakes[number_of(process->pid)].ticks * (1000000000 / HZ);
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    (void)info;
    ck_assert(type == P_PID && !(options & WNOWAIT));
    note("take %d", number_of((pid_t)id));
    return 0;
}

int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    *registers = fakes[number_of(tid)].registers;
    return 0;
}

int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers);
int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    fakes[number_of(tid)].registers = *registers;
    note("%d goes on at %llx with %lld%s", number_of(tid), user->rip, (long long)user->rax,
         user->r8 == GATE_SERVED ? " of the gate" : "");
    return 0;
}

int __wrap_request_signal_mask(pid_t tid, uint64_t *mask);
int __wrap_request_signal_mask(pid_t tid, uint64_t *mask)
{
    *mask = fakes[number_of(tid)].mask;
    return 0;
}

int __wrap_request_set_signal_mask(pid_t tid, uint64_t mask);
int __wrap_request_set_signal_mask(pid_t tid, uint64_t mask)
{
    note("%d blocks %llx", number_of(tid), (unsigned long long)mask);
    return 0;
}

int __wrap_request_follow(pid_t tid);
int __wrap_request_follow(pid_t tid)
{
    note("%d's children are told of", number_of(tid));
    return 0;
}

int __wrap_request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to);
int __wrap_request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to)
{
    unsigned char *byte = &bytes_of(tid)[address];
    if (*byte != from)
        return -ESTALE;
    if (from != to)
        note("%d:%llx=%02x", number_of(tid), (unsigned long long)address, to);
    *byte = to;
    return 0;
}

#endif
