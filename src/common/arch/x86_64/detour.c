/* SPDX-License-Identifier: MIT
 *
 * The stub and the jump of a detour in x86-64 programs. */
#include "common/arch/detour.h"

#include "common/arch/gate.h"
#include "common/arch/x86_64/passage.h"

#include <stddef.h>
#include <string.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* Labels just after the operands that differ from stub to stub. At the end of the stub is the passage. */
extern const uint8_t arch_stub_code[], arch_stub_call[], arch_stub_tail[], arch_stub_end[];

/* Makes a request like libpcsample (libpcsample/gate.c), with every signal but SIGSYS blocked. The call and its
 * arguments are in registers (arch_stub_request), because the tracer may not be allowed to read this memory. The stack
 * holds, from the top, four registers of the caller, a signal's action, a set of signals, and the previous mask. All of
 * it is touched before signals are blocked. The stub sends and unblocks a signal that is ignored by default and neither
 * caught nor pending. If it finds no such signal, it makes no request. Without an answer, the passage executes the
 * function's own beginning, and the function continues. The stub calls nothing: the stack is as the caller left it. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".hidden arch_stub_code, arch_stub_call, arch_stub_tail, arch_stub_end\n"
        "arch_stub_code:\n"
        "    mov %ecx, %ecx\n"
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n"
        "    mov %rdi, %rbx\n    mov %rsi, %rbp\n    mov %rdx, %r12\n    mov %rcx, %r13\n"
        "    mov $0, %r9d\n" /* which call it is */
        "arch_stub_call:\n"
        "    sub $48, %rsp\n    movq $-0x40000001, 8(%rsp)\n"
        "    mov $14, %eax\n    xor %edi, %edi\n    lea 8(%rsp), %rsi\n    mov %rsp, %rdx\n    mov $8, %r10d\n"
        "    syscall\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    test %rax, %rax\n    js 3f\n"
        "    mov $127, %eax\n    lea 8(%rsp), %rdi\n    mov %r10, %rsi\n    syscall\n" /* rt_sigpending(set) */
        "    mov $0x12111c17, %r8d\n" /* SIGURG, SIGWINCH, SIGCHLD, SIGCONT */
        "1:  movzbl %r8b, %edi\n    lea -1(%rdi), %ecx\n    bt %rcx, 8(%rsp)\n    jc 2f\n"
        "    xor %esi, %esi\n    lea 16(%rsp), %rdx\n    mov $13, %eax\n"
        "    syscall\n" /* rt_sigaction(signal, NULL, action) */
        "    cmpq $1, 16(%rsp)\n    jbe 4f\n"
        "2:  shr $8, %r8d\n    jne 1b\n    jmp 5f\n"
        "4:  mov %edi, %edx\n    movabs $" STRING(GATE_MAGIC_NUMBER) ", %r8\n"
        "    xor %eax, %eax\n    lea -1(%rdi), %ecx\n    bts %rcx, %rax\n    mov %rax, 8(%rsp)\n"
        "    mov $39, %eax\n    syscall\n    mov %eax, %edi\n"  /* getpid */
        "    mov $186, %eax\n    syscall\n    mov %eax, %esi\n" /* gettid */
        "    mov $234, %eax\n    syscall\n"                        /* tgkill(..., signal) */
        "    mov $14, %eax\n    mov $1, %edi\n    lea 8(%rsp), %rsi\n    xor %edx, %edx\n"
        "    syscall\n" /* rt_sigprocmask(SIG_UNBLOCK, signal): the tracer answers here */
        "    mov %rax, %r9\n"
        /* -1 if answered; not a request any longer: a pending signal arrives when it is unblocked */
        "    movabs $" STRING(GATE_MAGIC_NUMBER) ", %rcx\n    add %rcx, %r8\n"
        "5:  mov $14, %eax\n    mov $2, %edi\n    mov %rsp, %rsi\n    xor %edx, %edx\n"
        "    syscall\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    inc %r8\n    jne 3f\n"
        "    mov %r9, %rax\n    add $48, %rsp\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
        "    .byte 0xe9\n    .long 0\n" /* to the function's handling of the result */
        "arch_stub_tail:\n"
        "3:  mov %rbx, %rdi\n    mov %rbp, %rsi\n    mov %r12, %rdx\n    mov %r13, %rcx\n    add $48, %rsp\n"
        "    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
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

/* Always true: Linux does not enforce landing marks in x86-64 programs. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES])
{
    (void)original;
    return true;
}

bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
               const uint8_t head[static ARCH_HEAD_BYTES])
{
    size_t size = (size_t)(arch_stub_end - arch_stub_code), behind_call = (size_t)(arch_stub_call - arch_stub_code),
           behind_tail = (size_t)(arch_stub_tail - arch_stub_code);
    uint32_t number = call;
    if (size > ARCH_STUB_BYTES)
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES);
    memcpy(bytes, arch_stub_code, size);
    memcpy(bytes + behind_call - sizeof number, &number, sizeof number);
    return set_distance(bytes + behind_tail - sizeof number, address + behind_tail, tail) &&
           passage_write(bytes + size, ARCH_STUB_BYTES - size, address + size, head, entry, false);
}
