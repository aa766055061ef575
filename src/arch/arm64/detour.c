/* SPDX-License-Identifier: MIT */
#include "arch/detour.h"

#include "arch/gate.h"

#include <asm/hwcap.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

/* What differs from stub to stub: the instruction before arch_stub_tries, two jumps, and two words of 8 bytes. */
extern const uint8_t arch_stub_code[], arch_stub_tries[], arch_stub_to_tail[], arch_stub_to_entry[], arch_stub_entry[],
    arch_stub_call[], arch_stub_end[];

/* As on x86-64: a request as libpcsample makes it, with every signal held back but those of faults, and with the call
 * and its arguments in registers. On the stack a set of signals, the mask as it was, and four registers of the caller.
 * x9 to x13 are nobody's, and no system call changes them. If nobody answers, it is waited half a second for the
 * function's own first instruction to come back, and that is gone on with; else the call fails with ENOSYS. All jumps
 * are direct: where they lead there may be no landing mark. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".globl arch_stub_code, arch_stub_tries, arch_stub_to_tail, arch_stub_to_entry, arch_stub_entry, arch_stub_call, arch_stub_end\n"
        ".hidden arch_stub_code, arch_stub_tries, arch_stub_to_tail, arch_stub_to_entry, arch_stub_entry, arch_stub_call, arch_stub_end\n"
        "arch_stub_code:\n"
        "    sub sp, sp, #48\n    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n"
        "    mov x19, x0\n    mov x20, x1\n    mov x21, x2\n    mov w22, w3\n"
        "    ldr x5, arch_stub_call\n"
        "    ldr x9, 6f\n    str x9, [sp, #8]\n"
        "    mov x8, #135\n    mov x0, #0\n    add x1, sp, #8\n    mov x2, sp\n    mov x3, #8\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    tbnz x0, #63, 1f\n"
        "    ldr x4, 5f\n" /* a signal that came before would be taken for the request's */
        "    mov x8, #172\n    svc #0\n    mov x10, x0\n"                       /* getpid */
        "    mov x8, #178\n    svc #0\n    mov x1, x0\n"                        /* gettid */
        "    mov x8, #131\n    mov x0, x10\n    mov x2, #23\n    svc #0\n"      /* tgkill(..., SIGURG) */
        "    mov x9, #0x400000\n    str x9, [sp, #8]\n"
        "    mov x8, #135\n    mov x0, #1\n    add x1, sp, #8\n    mov x2, #0\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_UNBLOCK, SIGURG): here it is answered */
        "    mov x9, x0\n"
        "    ldr x11, 5f\n    add x4, x4, x11\n" /* -1 if that was answered; it shows no request any more */
        "    mov x8, #135\n    mov x0, #2\n    mov x1, sp\n    mov x2, #0\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    cmn x4, #1\n    b.eq 3f\n"
        "1:  mov x10, #0\n" /* how often it is looked whether the jump is there */
        "arch_stub_tries:\n"
        "    ldr x11, arch_stub_entry\n    mov x12, #16960\n    movk x12, #15, lsl #16\n"
        "2:  ldr w13, [x11]\n    lsr w13, w13, #26\n    cmp w13, #5\n    b.ne 4f\n"
        "    stp xzr, x12, [sp]\n    mov x8, #101\n    mov x0, sp\n    mov x1, #0\n"
        "    svc #0\n" /* nanosleep: 1 ms */
        "    subs x10, x10, #1\n    b.ne 2b\n"
        "    mov x9, #-38\n" /* ENOSYS */
        "3:  mov x0, x9\n"
        "    ldp x21, x22, [sp, #32]\n    ldp x19, x20, [sp, #16]\n    add sp, sp, #48\n"
        "arch_stub_to_tail:\n"
        "    b .\n"
        "4:  mov x0, x19\n    mov x1, x20\n    mov x2, x21\n    mov x3, x22\n"
        "    ldp x21, x22, [sp, #32]\n    ldp x19, x20, [sp, #16]\n    add sp, sp, #48\n"
        "arch_stub_to_entry:\n"
        "    b .\n"
        ".balign 8\n"
        "5:  .quad " STRING(GATE_MAGIC_NUMBER) "\n"
        "6:  .quad -0x400004d9\n"
        "arch_stub_entry:\n"
        "    .quad 0\n" /* where the function is entered */
        "arch_stub_call:\n"
        "    .quad 0\n" /* which call it is */
        "arch_stub_end:\n"
        ".popsection\n");
/* clang-format on */

#define SET_X10 0xd280000au /* mov x10, #number, which is 5 bits up */
#define BRANCH 0x14000000u
#define BRANCH_MASK 0xfc000000u

static bool set_branch(uint8_t *bytes, uint64_t from, uint64_t to)
{
    enum { REACH = 1 << 27 };
    int64_t distance = (int64_t)(to - from);
    if (distance % 4 || distance < -REACH || distance >= REACH)
        return false;
    uint32_t word = BRANCH | ((uint32_t)(distance / 4) & ~BRANCH_MASK);
    memcpy(bytes, &word, sizeof word);
    return true;
}

bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to)
{
    return set_branch(bytes, from, to);
}

bool arch_is_jump(const uint8_t bytes[static ARCH_JUMP_BYTES])
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return (word & BRANCH_MASK) == BRANCH;
}

/* In pages for which that is asked, a call by a pointer, or from a procedure linkage table, faults if it does not come
 * to a landing mark; signing the return address is one, too. Not every processor does that. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES])
{
    static const uint32_t marks[] = {0xd503245f, 0xd503249f, 0xd50324df, /* bti c, j, jc */
                                     0xd503233f, 0xd503237f};            /* paciasp, pacibsp */
    uint32_t word;
    memcpy(&word, original, sizeof word);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (word == marks[i])
            return !(getauxval(AT_HWCAP2) & HWCAP2_BTI);
    return true;
}

bool arch_stub_narrow(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail)
{
    (void)bytes, (void)address, (void)call, (void)entry, (void)tail;
    return false;
}

bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail)
{
    size_t size = (size_t)(arch_stub_end - arch_stub_code), to_tail = (size_t)(arch_stub_to_tail - arch_stub_code),
           to_entry = (size_t)(arch_stub_to_entry - arch_stub_code);
    uint64_t number = call;
    uint32_t tries = SET_X10 | arch_stub_patience(call) << 5;
    if (size > ARCH_STUB_BYTES)
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES);
    memcpy(bytes, arch_stub_code, size);
    memcpy(bytes + (arch_stub_tries - arch_stub_code) - sizeof tries, &tries, sizeof tries);
    memcpy(bytes + (arch_stub_entry - arch_stub_code), &entry, sizeof entry);
    memcpy(bytes + (arch_stub_call - arch_stub_code), &number, sizeof number);
    return set_branch(bytes + to_tail, address + to_tail, tail) &&
           set_branch(bytes + to_entry, address + to_entry, entry);
}
