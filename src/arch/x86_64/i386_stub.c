/* SPDX-License-Identifier: MIT */
#include "arch/detour.h"

#include "arch/gate.h"

#include <stddef.h>
#include <string.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* What differs from stub to stub: numbers of 4 bytes just before these places. */
extern const uint8_t i386_stub_code[], i386_stub_call[], i386_stub_tries[], i386_stub_entry[], i386_stub_tail[],
    i386_stub_end[];

/* As 64-bit programs have it (detour.c), by int $0x80, and short, as little room is behind some libraries. All
 * registers but one are the call's own, so the request lies in memory (struct gate_request), with the arguments from
 * the caller's stack. On the stack, from the top: the four registers of the caller, the request in 48 bytes, a set of
 * signals, and the mask as it was. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".code32\n"
        ".hidden i386_stub_code, i386_stub_call, i386_stub_tries, i386_stub_entry, i386_stub_tail, i386_stub_end\n"
        "i386_stub_code:\n"
        "    push %ebx\n    push %esi\n    push %edi\n    push %ebp\n"
        "    mov %esp, %ebp\n" /* above: the return address at 16, then the arguments */
        "    push $0\n    pushl 32(%ebp)\n    push $0\n    pushl 28(%ebp)\n"
        "    push $0\n    pushl 24(%ebp)\n    push $0\n    pushl 20(%ebp)\n"
        "    push $0\n    .byte 0x68\n    .long 0\n" /* push: which call it is */
        "i386_stub_call:\n"
        "    push $" STRING(GATE_MAGIC_NUMBER) " >> 32\n    push $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff\n"
        "    mov %esp, %ebp\n"
        "    push $-1\n    push $-0x400004d9\n    push $0\n    push $0\n"
        "    mov $175, %eax\n    xor %ebx, %ebx\n    lea 8(%esp), %ecx\n    mov %esp, %edx\n    push $8\n    pop %esi\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    test %eax, %eax\n    js 1f\n"
        "    push $20\n    pop %eax\n    int $0x80\n    mov %eax, %ebx\n"  /* getpid */
        "    mov $224, %eax\n    int $0x80\n    mov %eax, %ecx\n" /* gettid */
        "    push $23\n    pop %edx\n    mov $270, %eax\n    int $0x80\n"  /* tgkill(..., SIGURG) */
        "    movl $0x400000, 8(%esp)\n    movl $0, 12(%esp)\n"
        "    mov $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff, %edi\n"
        "    mov $175, %eax\n    xor %ebx, %ebx\n    inc %ebx\n    lea 8(%esp), %ecx\n    xor %edx, %edx\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_UNBLOCK, SIGURG): here it is answered */
        "    mov %eax, %ebp\n"
        "    add $" STRING(GATE_MAGIC_NUMBER) " & 0xffffffff, %edi\n" /* -1 if that was answered; no request any more */
        "    mov $175, %eax\n    inc %ebx\n    mov %esp, %ecx\n    xor %edx, %edx\n"
        "    int $0x80\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    inc %edi\n    je 3f\n"
        "1:  mov $0, %edi\n" /* how often it is looked whether the jump is there */
        "i386_stub_tries:\n"
        "2:  .byte 0xb8\n    .long 0\n" /* mov: where the function is entered */
        "i386_stub_entry:\n"
        "    cmpb $0xe9, (%eax)\n    jne 4f\n"
        "    movl $0, (%esp)\n    movl $1000000, 4(%esp)\n"
        "    mov $162, %eax\n    mov %esp, %ebx\n    xor %ecx, %ecx\n"
        "    int $0x80\n" /* nanosleep: 1 ms */
        "    dec %edi\n    jnz 2b\n"
        "    push $-38\n    pop %ebp\n" /* ENOSYS */
        "3:  mov %ebp, %eax\n    add $64, %esp\n    pop %ebp\n    pop %edi\n    pop %esi\n    pop %ebx\n"
        "    .byte 0xe9\n    .long 0\n" /* to what the function does with a result */
        "i386_stub_tail:\n"
        "4:  add $64, %esp\n    pop %ebp\n    pop %edi\n    pop %esi\n    pop %ebx\n    jmp *%eax\n"
        "i386_stub_end:\n"
        ".code64\n"
        ".popsection\n");
/* clang-format on */

static void set_word(uint8_t *bytes, const uint8_t *behind, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy(bytes + (behind - i386_stub_code) - sizeof word, &word, sizeof word);
}

bool arch_stub_narrow(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail)
{
    size_t size = (size_t)(i386_stub_end - i386_stub_code);
    if (size > ARCH_STUB_BYTES_NARROW || (address | entry | tail) > UINT32_MAX)
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES_NARROW);
    memcpy(bytes, i386_stub_code, size);
    set_word(bytes, i386_stub_call, call);
    set_word(bytes, i386_stub_tries, arch_stub_patience(call));
    set_word(bytes, i386_stub_entry, entry);
    set_word(bytes, i386_stub_tail, tail - (address + (uint64_t)(i386_stub_tail - i386_stub_code)));
    return true;
}
