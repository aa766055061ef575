/* SPDX-License-Identifier: MIT */
#include "arch/detour.h"

#include "arch/gate.h"

#include <stddef.h>
#include <string.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* Where the operands are that differ from stub to stub: just before these places. */
extern const uint8_t arch_stub_code[], arch_stub_entry[], arch_stub_call[], arch_stub_tries[], arch_stub_tail[],
    arch_stub_end[];

/* A request as libpcsample makes it (libpcsample/gate.c), with every signal held back but those of faults; but the call
 * and its arguments are in registers (arch_stub_request), as the tracer may not be allowed to read this memory. On the
 * stack, from the top: where the function is entered, four registers of the caller, a set of signals, and the mask as
 * it was. SIGURG is sent and let in. If nobody answers, it is waited half a second for the function's own first
 * instruction to come back, and that is gone on with; else the call fails with ENOSYS. Nothing is called: the stack is
 * as the caller left it. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".hidden arch_stub_code, arch_stub_entry, arch_stub_call, arch_stub_tries, arch_stub_tail, arch_stub_end\n"
        "arch_stub_code:\n"
        "    mov %ecx, %ecx\n"
        "    lea 0(%rip), %rax\n" /* where the function is entered */
        "arch_stub_entry:\n"
        "    push %rax\n"
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n"
        "    mov %rdi, %rbx\n    mov %rsi, %rbp\n    mov %rdx, %r12\n    mov %rcx, %r13\n"
        "    mov $0, %r9d\n" /* which call it is */
        "arch_stub_call:\n"
        "    movabs $" STRING(GATE_MAGIC_NUMBER) ", %r8\n"
        "    push $-0x400004d9\n    push $0\n"
        "    mov $14, %eax\n    xor %edi, %edi\n    lea 8(%rsp), %rsi\n    mov %rsp, %rdx\n    mov $8, %r10d\n"
        "    syscall\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    test %rax, %rax\n    js 1f\n"
        "    mov $39, %eax\n    syscall\n    mov %eax, %edi\n"  /* getpid */
        "    mov $186, %eax\n    syscall\n    mov %eax, %esi\n" /* gettid */
        "    mov $23, %edx\n    mov $234, %eax\n    syscall\n"  /* tgkill(..., SIGURG) */
        "    movq $0x400000, 8(%rsp)\n"
        "    mov $14, %eax\n    mov $1, %edi\n    lea 8(%rsp), %rsi\n    xor %edx, %edx\n"
        "    syscall\n" /* rt_sigprocmask(SIG_UNBLOCK, SIGURG): here it is answered */
        "    mov %rax, %r9\n"
        /* -1 if that was answered; it shows no request any more: what waits comes when it is let in */
        "    movabs $" STRING(GATE_MAGIC_NUMBER) ", %rcx\n    add %rcx, %r8\n"
        "    mov $14, %eax\n    mov $2, %edi\n    mov %rsp, %rsi\n    xor %edx, %edx\n"
        "    syscall\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    inc %r8\n    je 3f\n"
        "1:  mov $0, %r8d\n" /* how often it is looked whether the jump is there */
        "arch_stub_tries:\n"
        "2:  mov 48(%rsp), %rax\n    cmpb $0xe9, (%rax)\n    jne 4f\n"
        "    movq $0, (%rsp)\n    movq $1000000, 8(%rsp)\n"
        "    mov $35, %eax\n    mov %rsp, %rdi\n    xor %esi, %esi\n"
        "    syscall\n" /* nanosleep: 1 ms */
        "    dec %r8d\n    jnz 2b\n"
        "    mov $-38, %r9\n" /* ENOSYS */
        "3:  mov %r9, %rax\n    add $16, %rsp\n"
        "    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n    add $8, %rsp\n"
        "    .byte 0xe9\n    .long 0\n" /* to what the function does with a result */
        "arch_stub_tail:\n"
        "4:  mov %rbx, %rdi\n    mov %rbp, %rsi\n    mov %r12, %rdx\n    mov %r13, %rcx\n    add $16, %rsp\n"
        "    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n    add $8, %rsp\n    jmp *%rax\n"
        "arch_stub_end:\n"
        ".popsection\n");
/* clang-format on */

static bool set_distance(uint8_t *operand, uint64_t after, uint64_t to)
{
    int64_t distance = (int64_t)(to - after);
    int32_t near = (int32_t)distance;
    if (near != distance)
        return false;
    memcpy(operand, &near, sizeof near);
    return true;
}

bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to)
{
    bytes[0] = 0xe9;
    return set_distance(bytes + 1, from + ARCH_JUMP_BYTES, to);
}

bool arch_is_jump(const uint8_t bytes[static ARCH_JUMP_BYTES])
{
    return bytes[0] == 0xe9;
}

/* Linux lets programs come to anything. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES])
{
    (void)original;
    return true;
}

bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail)
{
    size_t size = (size_t)(arch_stub_end - arch_stub_code), behind_entry = (size_t)(arch_stub_entry - arch_stub_code),
           behind_call = (size_t)(arch_stub_call - arch_stub_code),
           behind_tail = (size_t)(arch_stub_tail - arch_stub_code);
    uint32_t number = call, tries = arch_stub_patience(call);
    if (size > ARCH_STUB_BYTES)
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES);
    memcpy(bytes, arch_stub_code, size);
    memcpy(bytes + behind_call - sizeof number, &number, sizeof number);
    memcpy(bytes + (arch_stub_tries - arch_stub_code) - sizeof tries, &tries, sizeof tries);
    return set_distance(bytes + behind_entry - sizeof number, address + behind_entry, entry) &&
           set_distance(bytes + behind_tail - sizeof number, address + behind_tail, tail);
}
