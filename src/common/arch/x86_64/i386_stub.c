/* SPDX-License-Identifier: MIT
 *
 * The stub of a detour in 32-bit programs. */
#include "common/arch/detour.h"

#include "common/arch/gate.h"
#include "common/arch/x86_64/passage.h"

#include <stddef.h>
#include <string.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* Labels just after the 4-byte numbers that differ from stub to stub. At the end of the stub is the passage. */
extern const uint8_t i386_stub_code[], i386_stub_call[], i386_stub_tail[], i386_stub_end[];

/* Like the stub of 64-bit programs (detour.c), but with int $0x80, and shorter, because some libraries leave little
 * room. A call that has succeeded leaves 0 in eax, so that the next number fits in al. The call uses all registers but
 * one, so the request is in memory (struct gate_request), with the arguments from the caller's stack. The stack holds,
 * from the top, four registers of the caller, the request in 48 bytes, a signal's action in 20, a set of signals, and
 * the previous mask. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".code32\n"
        ".hidden i386_stub_code, i386_stub_call, i386_stub_tail, i386_stub_end\n"
        "i386_stub_code:\n"
        "    push %ebx\n    push %esi\n    push %edi\n    push %ebp\n"
        "    mov %esp, %ebp\n" /* above: the return address at 16, then the arguments */
        "    xor %eax, %eax\n    push %eax\n    pushl 32(%ebp)\n    push %eax\n    pushl 28(%ebp)\n"
        "    push %eax\n    pushl 24(%ebp)\n    push %eax\n    pushl 20(%ebp)\n"
        "    push %eax\n    .byte 0x68\n    .long 0\n" /* push: which call it is */
        "i386_stub_call:\n"
        "    push $" STRING(GATE_MAGIC_NUMBER) " >> 32\n    push $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff\n"
        "    mov %esp, %ebp\n    sub $20, %esp\n"
        "    push $-1\n    push $-0x40000001\n    push %eax\n    push %eax\n"
        "    mov $175, %al\n    xor %ebx, %ebx\n    lea 8(%esp), %ecx\n    mov %esp, %edx\n    push $8\n    pop %esi\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    test %eax, %eax\n    js 5f\n"
        "    mov $176, %al\n    mov %ecx, %ebx\n    mov %esi, %ecx\n"
        "    int $0x80\n"             /* rt_sigpending(set) */
        "    mov $0x11101b16, %edi\n" /* SIGURG, SIGWINCH, SIGCHLD, SIGCONT, each less 1 */
        "1:  mov %edi, %ebx\n    movzbl %bl, %ebx\n"
        "    bt %ebx, 8(%esp)\n    jc 3f\n    inc %ebx\n"
        "    mov $174, %al\n    xor %ecx, %ecx\n    lea 16(%esp), %edx\n"
        "    int $0x80\n" /* rt_sigaction(signal, NULL, action) */
        "    cmpl $1, 16(%esp)\n    jbe 2f\n"
        "3:  shr $8, %edi\n    jne 1b\n    jmp 4f\n"
        "2:  lea -1(%ebx), %ecx\n    xor %eax, %eax\n    mov %eax, 12(%esp)\n    bts %ecx, %eax\n    mov %eax, 8(%esp)\n"
        "    mov %ebx, %ecx\n    mov %ebx, %eax\n    mov $224, %al\n    int $0x80\n" /* gettid */
        "    xchg %eax, %ebx\n    mov $238, %al\n    int $0x80\n"                     /* tkill(..., signal) */
        "    mov $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff, %edi\n"
        "    mov $175, %al\n    xor %ebx, %ebx\n    inc %ebx\n    lea 8(%esp), %ecx\n    xor %edx, %edx\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_UNBLOCK, signal): the tracer answers here */
        "    mov %eax, %ebp\n"
        "    add $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff, %edi\n" /* -1 if answered; not a request any longer */
        "4:  mov $175, %eax\n    push $2\n    pop %ebx\n    mov %esp, %ecx\n    xor %edx, %edx\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    inc %edi\n    jne 5f\n"
        "    mov %ebp, %eax\n    add $84, %esp\n    pop %ebp\n    pop %edi\n    pop %esi\n    pop %ebx\n"
        "    .byte 0xe9\n    .long 0\n" /* to the function's handling of the result */
        "i386_stub_tail:\n"
        "5:  add $84, %esp\n    pop %ebp\n    pop %edi\n    pop %esi\n    pop %ebx\n"
        "i386_stub_end:\n"
        ".code64\n"
        ".popsection\n");
/* clang-format on */

static void set_word(uint8_t *bytes, const uint8_t *behind, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy(bytes + (behind - i386_stub_code) - sizeof word, &word, sizeof word);
}

bool arch_stub_compat(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
                      const uint8_t head[static ARCH_HEAD_BYTES])
{
    size_t size = (size_t)(i386_stub_end - i386_stub_code);
    if (size > ARCH_STUB_BYTES_COMPAT || (address | entry | tail) > UINT32_MAX)
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES_COMPAT);
    memcpy(bytes, i386_stub_code, size);
    set_word(bytes, i386_stub_call, call);
    set_word(bytes, i386_stub_tail, tail - (address + (uint64_t)(i386_stub_tail - i386_stub_code)));
    return passage_write(bytes + size, ARCH_STUB_BYTES_COMPAT - size, address + size, head, entry, true);
}
