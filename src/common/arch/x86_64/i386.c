/* SPDX-License-Identifier: MIT */
#include "common/arch/x86_64/i386.h"

#include "common/arch/arch.h"
#include "common/arch/call.h"

#include <string.h>
#include <sys/syscall.h>

/* The registers of a 32-bit thread in NT_PRSTATUS. */
struct compat_registers {
    uint32_t ebx, ecx, edx, esi, edi, ebp, eax, ds, es, fs, gs, orig_eax, eip, cs, eflags, esp, ss;
};

static uint64_t sign_extended(uint32_t value)
{
    return (uint64_t)(int64_t)(int32_t)value;
}

static void widen(struct user_regs_struct *user, const struct compat_registers *compat)
{
    *user = (struct user_regs_struct){
        .rax = sign_extended(compat->eax),
        .rbx = compat->ebx,
        .rcx = compat->ecx,
        .rdx = compat->edx,
        .rbp = compat->ebp,
        .rsp = compat->esp,
        .rip = compat->eip,
        .r12 = compat->esi,
        .r13 = compat->edi,
        .r14 = compat->edx,
        .r15 = sign_extended(compat->orig_eax),
        .orig_rax = (unsigned long long)i386_native((int32_t)compat->orig_eax),
        .rdi = compat->ebx,
        .rsi = compat->ecx,
        .r10 = compat->esi,
        .r8 = compat->edi,
        .r9 = compat->ebp,
        .eflags = compat->eflags,
        .cs = compat->cs,
        .ds = compat->ds,
        .es = compat->es,
        .fs = compat->fs,
        .gs = compat->gs,
        .ss = compat->ss,
    };
}

/* Returns the 64-bit call for NUMBER with first argument FIRST: some numbers multiplex many calls. Returns -1 if this
 * one does not. */
static int32_t unpacked(uint64_t number, uint32_t first)
{
    static const uint16_t of_sockets[] = {0,
                                          SYS_socket,
                                          SYS_bind,
                                          SYS_connect,
                                          SYS_listen,
                                          SYS_accept,
                                          SYS_getsockname,
                                          SYS_getpeername,
                                          SYS_socketpair,
                                          SYS_sendto,
                                          SYS_recvfrom,
                                          SYS_sendto,
                                          SYS_recvfrom,
                                          SYS_shutdown,
                                          SYS_setsockopt,
                                          SYS_getsockopt,
                                          SYS_sendmsg,
                                          SYS_recvmsg,
                                          SYS_accept4,
                                          SYS_recvmmsg,
                                          SYS_sendmmsg};
    static const uint16_t of_ipc[] = {
        [1] = SYS_semop, SYS_semget, SYS_semctl,       SYS_semtimedop, [11] = SYS_msgsnd, SYS_msgrcv,
        SYS_msgget,      SYS_msgctl, [21] = SYS_shmat, SYS_shmdt,      SYS_shmget,        SYS_shmctl};
    bool sockets = number == I386_SOCKETCALL, ipc = number == I386_IPC;
    uint32_t which = ipc ? first & 0xffff : first; /* the rest is a version */
    if (sockets && which && which < sizeof of_sockets / sizeof *of_sockets)
        return of_sockets[which];
    if (ipc && which < sizeof of_ipc / sizeof *of_ipc && of_ipc[which])
        return of_ipc[which];
    return -1;
}

static void unpack(struct user_regs_struct *user, const struct compat_registers *compat)
{
    int32_t number = unpacked(compat->orig_eax, compat->ebx);
    if (number >= 0)
        user->orig_rax = (unsigned long long)number;
    if (compat->orig_eax == I386_IPC)
        user->r10 = compat->ebp; /* the timeout of semtimedop */
}

int32_t i386_native_call(const struct arch_registers *registers)
{
    uint64_t number = registers->user.orig_rax;
    int32_t native = unpacked(number, (uint32_t)registers->user.rbx);
    return native >= 0 ? native : i386_native((int32_t)number);
}

/* Returns the number of the call that the thread used. */
static uint64_t own_number(const struct arch_registers *registers)
{
    return registers->is_compat ? registers->user.r15 : registers->by_interrupt ? registers->user.orig_rax : UINT64_MAX;
}

bool i386_packed(const struct arch_registers *registers)
{
    uint64_t number = own_number(registers);
    return !registers->is_unpacked && (number == I386_SOCKETCALL || number == I386_IPC);
}

bool arch_registers_received(struct arch_registers *registers, size_t size)
{
    struct compat_registers compat;
    registers->is_compat = size == sizeof compat;
    registers->by_interrupt = registers->is_ahead = registers->is_unpacked = 0;
    if (registers->is_compat) {
        memcpy(&compat, &registers->user, sizeof compat);
        widen(&registers->user, &compat);
        unpack(&registers->user, &compat);
    }
    return registers->is_compat || size == sizeof registers->user;
}

/* A transfer that returned a positive result may have been cut short. */
size_t arch_lacks_packed(const struct arch_registers *registers, uint64_t *address)
{
    enum { SEND = 9, SENDTO = 11, WORDS_OF_SEND = 4 };
    const struct user_regs_struct *user = &registers->user;
    bool sends = own_number(registers) == I386_SOCKETCALL && (user->rbx == SEND || user->rbx == SENDTO);
    *address = (uint32_t)user->rcx;
    return !sends || (int64_t)user->rax <= 0 ? 0 : user->rbx == SEND ? WORDS_OF_SEND : ARCH_PACKED_MOST;
}

void arch_set_packed(struct arch_registers *registers, const uint32_t words[static ARCH_PACKED_MOST])
{
    struct user_regs_struct *user = &registers->user;
    if (registers->by_interrupt)
        return; /* such a transfer is not resumed */
    user->rdi = words[0];
    user->rsi = words[1];
    user->rdx = words[2];
    user->r10 = words[3];
    user->r8 = words[4];
    user->r9 = words[5];
    registers->is_unpacked = 1;
}

/* Sets *WHOLE to VALUE, unless the low halves are equal: 64-bit code of the same thread may have data in the high half,
 * which 32-bit code keeps. */
static void put(unsigned long long *whole, uint64_t value)
{
    if ((uint32_t)*whole != (uint32_t)value)
        *whole = value;
}

void arch_registers_put(struct user_regs_struct *whole, const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    put(&whole->rax, user->rax);
    put(&whole->rbx, (uint32_t)user->rbx);
    put(&whole->rcx, (uint32_t)user->rcx);
    put(&whole->rdx, (uint32_t)user->r14);
    put(&whole->rsi, (uint32_t)user->r12);
    put(&whole->rdi, (uint32_t)user->r13);
    put(&whole->rbp, (uint32_t)user->rbp);
    put(&whole->rsp, (uint32_t)user->rsp);
    put(&whole->rip, (uint32_t)user->rip);
    put(&whole->eflags, (uint32_t)user->eflags);
    put(&whole->orig_rax, user->r15);
}

int32_t arch_syscall_of(int32_t number, bool compat)
{
    return compat ? i386_native(number) : number;
}

uint64_t i386_number(const struct arch_registers *registers)
{
    if (registers->is_compat && registers->is_unpacked)
        return I386_SENDTO;
    return registers->is_compat ? (uint32_t)registers->user.r15 : arch_unmarked(registers->user.orig_rax);
}

void i386_take_arguments(struct arch_registers *registers)
{
    struct user_regs_struct *user = &registers->user;
    if (!registers->is_compat)
        return;
    user->rbx = user->rdi;
    user->rcx = user->rsi;
    user->r14 = user->rdx;
    user->r12 = user->r10;
    user->r13 = user->r8;
    user->rbp = user->r9;
    if (registers->is_unpacked) /* ebx no longer selects the call */
        user->r15 = I386_SENDTO;
}

/* i386 has new calls with 64-bit times, for dates after 2038; older calls have times in words of 4 bytes. */
struct arch_timeout arch_timeout(const struct arch_registers *registers)
{
    enum { FIRST_WITH_LONG_TIMES = 403, OLD_SELECT = 82 };
    struct arch_timeout timeout = call_timeout(registers);
    timeout.is_short = own_number(registers) < FIRST_WITH_LONG_TIMES;
    if (timeout.place == ARCH_TIMEOUT_OF_SOCKET && i386_packed(registers))
        call_pack_timeout(registers, &timeout, call_argument(registers, 1));
    if (i386_is_entered(registers))
        timeout.set_bytes = call_set_bytes(registers, sizeof(uint32_t));
    if (own_number(registers) == OLD_SELECT) /* its arguments are in memory */
        timeout = (struct arch_timeout){.place = ARCH_NO_TIMEOUT};
    return timeout;
}

/* They are above the return address. */
bool arch_arguments_stacked(const struct arch_registers *registers, uint64_t *address)
{
    *address = registers->user.rsp + sizeof(uint32_t);
    return registers->is_compat;
}
