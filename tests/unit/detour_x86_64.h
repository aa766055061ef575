/* SPDX-License-Identifier: MIT
 *
 * For test_arch_detour.c: x86-64's instructions and registers. */
#ifndef DETOUR_X86_64_H
#define DETOUR_X86_64_H

enum { REACH_BEHIND = 5 }; /* the distance of a jump counts from its end */
#define REACH INT64_C(0x7fffffff)
#define REACH_BACK INT64_C(0x80000000)
enum { REACH_STEP = 1 };

/* lea (%rdi,%rsi), %rax; add %rdx, %rax; mov %ecx, %ecx; add %rcx, %rax; ret */
static const uint8_t function[] = {0x48, 0x8d, 0x04, 0x37, 0x48, 0x01, 0xd0, 0x89, 0xc9, 0x48, 0x01, 0xc8, 0xc3};
static const uint8_t tail[] = {0xc3};

/* The first instructions of functions, and the result of a copy at another address; 0: they cannot be moved. */
static const struct {
    uint8_t code[32];
    long result;
} heads[] = {
    {{0x53, 0x55, 0x41, 0x54, 0x48, 0x89, 0xf0, 0x41, 0x5c, 0x5d, 0x5b, 0xc3}, 20}, /* push ...; mov %rsi, %rax */
    {{0xf3, 0x0f, 0x1e, 0xfa, 0x89, 0xd0, 0xc3}, 300},                              /* endbr64; mov %edx, %eax */
    {{0x48, 0x8b, 0x05, 0x01, 0, 0, 0, 0xc3, 7, 0, 0, 0, 0, 0, 0, 0}, 7},           /* mov 1(%rip), %rax; ret */
    {{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0x89, 0x4c, 0x24, 0x08, 0x8b, 0x44, 0x24, 0x08, 0xc9, 0xc3},
     4000},
    {{0xb8, 5, 0, 0, 0, 0xc3}, 5},                                     /* mov $5, %eax */
    {{0x48, 0xb8, 6, 0, 0, 0, 0, 0, 0, 0, 0xc3}, 6},                   /* movabs */
    {{0x0f, 0xb6, 0xc1, 0x83, 0xc0, 0x01, 0xc3}, (4000 & 0xff) + 1},   /* movzbl %cl, %eax; add */
    {{0x48, 0x8d, 0x04, 0x37, 0xc3}, 21},                              /* lea (%rdi,%rsi), %rax; ret */
    {{0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x89, 0xf8, 0xc3}, 1}, /* mov %fs:0, %rax */
    {{0xe8, 1, 0, 0, 0, 0xc3, 0xc3}, 0},                               /* call */
    {{0x74, 1, 0xc3, 0xc3}, 0},                                        /* je */
    {{0x55, 0xeb, 2, 0x90, 0x90, 0xc3}, 0},                            /* jmp */
    {{0x0f, 0x05, 0xc3}, 0},                                           /* syscall */
    {{0xc5, 0xf8, 0x77, 0xc3}, 0},                                     /* vzeroupper */
};

/* Calls the code at AT with the arguments of call(). Sets four callee-saved registers to 11, 12, 13 and 14 before,
 * and stores their values after the call in KEPT. */
long call_marked(const void *at, uint64_t kept[4]);
__asm__("call_marked:\n"
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n"
        "    mov %rsi, %r14\n    mov %rdi, %rax\n"
        "    mov $1, %edi\n    mov $20, %esi\n    mov $300, %edx\n    mov $4000, %ecx\n"
        "    mov $11, %ebx\n    mov $12, %ebp\n    mov $13, %r12d\n    mov $14, %r13d\n"
        "    call *%rax\n"
        "    mov %rbx, (%r14)\n    mov %rbp, 8(%r14)\n    mov %r12, 16(%r14)\n    mov %r13, 24(%r14)\n"
        "    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n    ret\n");

#endif
