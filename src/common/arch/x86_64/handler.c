/* SPDX-License-Identifier: MIT
 *
 * Threads at a signal handler's first instruction: the registers of the code that the signal interrupted. */
#include "common/arch/arch.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* What the kernel puts on the stack of a 64-bit handler, as far as the saved registers. */
struct frame {
    uint64_t restorer, flags, link, stack[3];
    greg_t saved[NGREG];
};

/* The kernel's struct ucontext is followed by the struct siginfo. */
enum { CONTEXT_AT = 8, INFO_AT = CONTEXT_AT + 304 };

/* The registers that a 32-bit handler's frame has, in words. */
struct compat_saved {
    uint32_t segments[4], edi, esi, ebp, esp, ebx, edx, ecx, eax, trap, error, eip;
};

/* Without and with SA_SIGINFO. */
struct compat_frame {
    uint32_t restorer, signal;
    struct compat_saved saved;
};

struct compat_info_frame {
    uint32_t restorer, signal, info_at, context_at;
    uint8_t info[128];
    uint32_t flags, link, stack[3];
    struct compat_saved saved;
};

_Static_assert(sizeof(struct frame) <= ARCH_HANDLER_BYTES && sizeof(struct compat_info_frame) <= ARCH_HANDLER_BYTES,
               "the frames fit");

static bool is_signal(uint64_t number)
{
    return number >= 1 && number < (uint64_t)NSIG;
}

/* The instruction syscall puts the address behind it into rcx, so a thread that is still behind it has made that call
 * in the handler. */
static bool enters(const struct user_regs_struct *user)
{
    return is_signal(user->rdi) && !user->rax && user->rsi == user->rsp + INFO_AT &&
           user->rdx == user->rsp + CONTEXT_AT && user->rcx != user->rip;
}

/* The handler's arguments are in registers, too: the signal in eax, the others in edx (see i386.h) and ecx. */
static bool enters_compat(const struct user_regs_struct *user)
{
    bool has_info = user->r14 == user->rsp + offsetof(struct compat_info_frame, info) &&
                    user->rcx == user->rsp + offsetof(struct compat_info_frame, flags);
    return is_signal(user->rax) && (has_info || (!user->r14 && !user->rcx));
}

size_t arch_enters_handler(const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    if (arch_syscall(registers) < 0)
        return 0;
    if (!registers->is_compat)
        return enters(user) ? sizeof(struct frame) : 0;
    if (!enters_compat(user))
        return 0;
    return user->rcx ? sizeof(struct compat_info_frame) : sizeof(struct compat_frame);
}

static void set_compat(struct user_regs_struct *user, const struct compat_saved *saved)
{
    user->r13 = saved->edi;
    user->r12 = saved->esi;
    user->rbp = saved->ebp;
    user->rsp = saved->esp;
    user->rbx = saved->ebx;
    user->r14 = saved->edx;
    user->rcx = saved->ecx;
    user->rax = (unsigned long long)(int64_t)(int32_t)saved->eax;
    user->rip = saved->eip;
}

static void set(struct user_regs_struct *user, const greg_t *saved)
{
    const struct {
        unsigned long long *to;
        int from;
    } registers[] = {
        {&user->r8, REG_R8},   {&user->r9, REG_R9},   {&user->r10, REG_R10}, {&user->r11, REG_R11},
        {&user->r12, REG_R12}, {&user->r13, REG_R13}, {&user->r14, REG_R14}, {&user->r15, REG_R15},
        {&user->rdi, REG_RDI}, {&user->rsi, REG_RSI}, {&user->rbp, REG_RBP}, {&user->rbx, REG_RBX},
        {&user->rdx, REG_RDX}, {&user->rax, REG_RAX}, {&user->rcx, REG_RCX}, {&user->rsp, REG_RSP},
        {&user->rip, REG_RIP},
    };
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        *registers[i].to = (unsigned long long)saved[registers[i].from];
}

void arch_leave_handler(struct arch_registers *registers, const void *frame)
{
    struct frame native;
    struct compat_frame plain;
    struct compat_info_frame with_info;
    if (!registers->is_compat) {
        memcpy(&native, frame, sizeof native);
        set(&registers->user, native.saved);
    } else if (registers->user.rcx) {
        memcpy(&with_info, frame, sizeof with_info);
        set_compat(&registers->user, &with_info.saved);
    } else {
        memcpy(&plain, frame, sizeof plain);
        set_compat(&registers->user, &plain.saved);
    }
}
