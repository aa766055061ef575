/* SPDX-License-Identifier: MIT
 *
 * System calls by interrupt, which every kernel with 32-bit programs supports, even if the C library uses another
 * way. */
#ifndef LIBPCSAMPLE_I386_H
#define LIBPCSAMPLE_I386_H

#include "common/arch/gate.h"

static inline long system_call(long number, long a, long b, long c, long d)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
    return result;
}

/* The registers of a call, except those of its number and result, in the order of the arguments. */
struct call_registers {
    uint32_t ebx, ecx, edx, esi, edi, ebp;
};

/* Makes call NUMBER with REGISTERS, and sets edi in them afterwards. It is a function of its own, because the compiler
 * may need ebp. */
__attribute__((visibility("hidden"))) long pcsample_call(long number, struct call_registers *registers);
__asm__(".pushsection .text\n"
        ".hidden pcsample_call\n"
        ".globl pcsample_call\n"
        ".type pcsample_call, @function\n"
        "pcsample_call:\n"
        ".cfi_startproc\n"
        "    push %ebp\n"
        ".cfi_adjust_cfa_offset 4\n.cfi_rel_offset ebp, 0\n"
        "    push %ebx\n"
        ".cfi_adjust_cfa_offset 4\n.cfi_rel_offset ebx, 0\n"
        "    push %esi\n"
        ".cfi_adjust_cfa_offset 4\n.cfi_rel_offset esi, 0\n"
        "    push %edi\n"
        ".cfi_adjust_cfa_offset 4\n.cfi_rel_offset edi, 0\n"
        "    mov 20(%esp), %eax\n"
        "    mov 24(%esp), %edi\n"
        "    mov (%edi), %ebx\n    mov 4(%edi), %ecx\n    mov 8(%edi), %edx\n"
        "    mov 12(%edi), %esi\n    mov 20(%edi), %ebp\n    mov 16(%edi), %edi\n"
        "    int $0x80\n"
        "    mov 24(%esp), %ecx\n    mov %edi, 16(%ecx)\n"
        "    pop %edi\n"
        ".cfi_adjust_cfa_offset -4\n.cfi_restore edi\n"
        "    pop %esi\n"
        ".cfi_adjust_cfa_offset -4\n.cfi_restore esi\n"
        "    pop %ebx\n"
        ".cfi_adjust_cfa_offset -4\n.cfi_restore ebx\n"
        "    pop %ebp\n"
        ".cfi_adjust_cfa_offset -4\n.cfi_restore ebp\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size pcsample_call, . - pcsample_call\n"
        ".popsection\n");

/* Like system_call, with the marks of a request in registers (arch/gate.h). */
static inline long marked_call(long number, long a, long b, long c, long d, uint64_t *mark,
                               struct gate_request *request)
{
    struct call_registers registers = {(uint32_t)a, (uint32_t)b,     (uint32_t)c,
                                       (uint32_t)d, (uint32_t)*mark, (uint32_t)(uintptr_t)request};
    long result = pcsample_call(number, &registers);
    if (registers.edi == (uint32_t)GATE_SERVED)
        *mark = GATE_SERVED;
    return result;
}

#endif
