/* SPDX-License-Identifier: MIT
 *
 * For test_arch_detour.c: x86-64's instructions and registers. */
#ifndef DETOUR_X86_64_H
#define DETOUR_X86_64_H

enum { REACH_BEHIND = 5 }; /* a jump counts from there */
#define REACH INT64_C(0x7fffffff)
#define REACH_BACK INT64_C(0x80000000)
enum { REACH_STEP = 1 };

/* lea (%rdi,%rsi), %rax; add %rdx, %rax; mov %ecx, %ecx; add %rcx, %rax; ret */
static const uint8_t function[] = {0x48, 0x8d, 0x04, 0x37, 0x48, 0x01, 0xd0, 0x89, 0xc9, 0x48, 0x01, 0xc8, 0xc3};
static const uint8_t tail[] = {0xc3};

/* Calls what is AT with the arguments of call(), with 11 to 14 in registers that are the caller's; what they hold then
 * becomes KEPT. */
long call_marked(const void *at, uint64_t kept[4]);
__asm__("call_marked:\n"
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n"
        "    mov %rsi, %r14\n    mov %rdi, %rax\n"
        "    mov $1, %edi\n    mov $20, %esi\n    mov $300, %edx\n    mov $4000, %ecx\n"
        "    mov $11, %ebx\n    mov $12, %ebp\n    mov $13, %r12d\n    mov $14, %r13d\n"
        "    call *%rax\n"
        "    mov %rbx, (%r14)\n    mov %rbp, 8(%r14)\n    mov %r12, 16(%r14)\n    mov %r13, 24(%r14)\n"
        "    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n    ret\n");

static struct arch_registers shown(const ucontext_t *context, uint64_t *magic)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    struct arch_registers now = {0};
    now.user.r9 = (uint64_t)registers[REG_R9];
    now.user.rbx = (uint64_t)registers[REG_RBX];
    now.user.rbp = (uint64_t)registers[REG_RBP];
    now.user.r12 = (uint64_t)registers[REG_R12];
    now.user.r13 = (uint64_t)registers[REG_R13];
    *magic = (uint64_t)registers[REG_R8];
    return now;
}

#endif
