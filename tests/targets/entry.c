/* SPDX-License-Identifier: MIT
 *
 * Checks the state at its first instruction. In a new program, all registers except the stack pointer are 0, and the
 * stack begins with the arguments. Ends with 0 if this is true, with 1 if a register is not 0, with 2 if the flags
 * differ, and with 3 if the stack does.
 *
 *     entry */

#include <sys/syscall.h>

#define TEXT(number) #number
#define NUMBER(name) TEXT(name)

__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "    pushfq\n"
        "    or %rbx, %rax\n"
        "    or %rcx, %rax\n"
        "    or %rdx, %rax\n"
        "    or %rsi, %rax\n"
        "    or %rdi, %rax\n"
        "    or %rbp, %rax\n"
        "    or %r8, %rax\n"
        "    or %r9, %rax\n"
        "    or %r10, %rax\n"
        "    or %r11, %rax\n"
        "    or %r12, %rax\n"
        "    or %r13, %rax\n"
        "    or %r14, %rax\n"
        "    or %r15, %rax\n"
        "    mov $1, %edi\n"
        "    test %rax, %rax\n"
        "    jnz 1f\n"
        "    mov $2, %edi\n"
        "    pop %rax\n"
        "    cmp $0x202, %rax\n"
        "    jne 1f\n"
        "    mov $3, %edi\n"
        "    cmpq $1, (%rsp)\n"
        "    jne 1f\n"
        "    xor %edi, %edi\n"
        "1:  mov $" NUMBER(SYS_exit_group) ", %eax\n"
                                           "    syscall\n"
                                           "    hlt\n"
                                           ".size _start, . - _start\n");
