/* SPDX-License-Identifier: MIT
 *
 * The stub and the jump of a detour in arm64 programs. */
#include "common/arch/detour.h"

#include "common/arch/gate.h"
#include "common/arch/machine.h"

#include <asm/hwcap.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#define STRING_OF(number) #number
#define STRING(number) STRING_OF(number)

#define STUB_BYTES 368
_Static_assert(STUB_BYTES == ARCH_STUB_BYTES, "the stub's size, for the assembler");

/* Parts that differ from stub to stub: two jumps, an instruction before the second, and a word of 8 bytes. */
extern const uint8_t arch_stub_code[], arch_stub_to_tail[], arch_stub_to_entry[], arch_stub_call[], arch_stub_end[];

/* As on x86-64: a request as libpcsample makes it, with every signal but SIGSYS blocked, and with the call and its
 * arguments in registers. The stack holds the previous mask, a set of signals, a signal's action, and four registers
 * of the caller. x9 to x13 are scratch registers that no system call changes. Without an answer, the stub executes
 * the instruction that the jump has replaced, and the function continues. All jumps are direct: their targets may
 * lack a landing mark. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".globl arch_stub_code, arch_stub_to_tail, arch_stub_to_entry, arch_stub_call, arch_stub_end\n"
        ".hidden arch_stub_code, arch_stub_to_tail, arch_stub_to_entry, arch_stub_call, arch_stub_end\n"
        "arch_stub_code:\n"
        "    sub sp, sp, #80\n    stp x19, x20, [sp, #48]\n    stp x21, x22, [sp, #64]\n"
        "    mov x19, x0\n    mov x20, x1\n    mov x21, x2\n    mov w22, w3\n"
        "    ldr x5, arch_stub_call\n"
        "    ldr x9, 6f\n    str x9, [sp, #8]\n"
        "    mov x8, #135\n    mov x0, #0\n    add x1, sp, #8\n    mov x2, sp\n    mov x3, #8\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_BLOCK, all, mask) */
        "    tbnz x0, #63, 3f\n"
        "    mov x8, #136\n    add x0, sp, #8\n    mov x1, #8\n    svc #0\n" /* rt_sigpending(set) */
        "    ldr x12, [sp, #8]\n"
        "    mov x13, #0x1c17\n    movk x13, #0x1211, lsl #16\n" /* SIGURG, SIGWINCH, SIGCHLD, SIGCONT */
        "1:  and x10, x13, #0xff\n    sub x11, x10, #1\n    mov x9, #1\n    lsl x9, x9, x11\n"
        "    tst x12, x9\n    b.ne 2f\n"
        "    mov x8, #134\n    mov x0, x10\n    mov x1, #0\n    add x2, sp, #16\n    mov x3, #8\n"
        "    svc #0\n" /* rt_sigaction(signal, NULL, action) */
        "    ldr x0, [sp, #16]\n    cmp x0, #1\n    b.ls 4f\n"
        "2:  mov x4, #0\n    lsr x13, x13, #8\n    cbnz x13, 1b\n    b 7f\n"
        "4:  str x9, [sp, #8]\n"
        "    ldr x4, 5f\n" /* a signal that came before would be taken for the request's */
        "    mov x8, #172\n    svc #0\n    mov x11, x0\n"                     /* getpid */
        "    mov x8, #178\n    svc #0\n    mov x1, x0\n"                      /* gettid */
        "    mov x8, #131\n    mov x0, x11\n    mov x2, x10\n    svc #0\n"   /* tgkill(..., signal) */
        "    mov x8, #135\n    mov x0, #1\n    add x1, sp, #8\n    mov x2, #0\n    mov x3, #8\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_UNBLOCK, signal): here it is answered */
        "    mov x9, x0\n"
        "    ldr x11, 5f\n    add x4, x4, x11\n" /* -1 if answered; not a request any longer */
        "7:  mov x8, #135\n    mov x0, #2\n    mov x1, sp\n    mov x2, #0\n    mov x3, #8\n"
        "    svc #0\n" /* rt_sigprocmask(SIG_SETMASK, mask) */
        "    cmn x4, #1\n    b.ne 3f\n"
        "    mov x0, x9\n"
        "    ldp x21, x22, [sp, #64]\n    ldp x19, x20, [sp, #48]\n    add sp, sp, #80\n"
        "arch_stub_to_tail:\n"
        "    b .\n"
        "3:  mov x0, x19\n    mov x1, x20\n    mov x2, x21\n    mov x3, x22\n"
        "    ldp x21, x22, [sp, #64]\n    ldp x19, x20, [sp, #48]\n    add sp, sp, #80\n"
        "    nop\n" /* what the function begins with */
        "arch_stub_to_entry:\n"
        "    b .\n"
        ".balign 8\n"
        "5:  .quad " STRING(GATE_MAGIC_NUMBER) "\n"
        "6:  .quad -0x40000001\n"
        "arch_stub_call:\n"
        "    .quad 0\n" /* which call it is */
        "arch_stub_end:\n"
        ".org arch_stub_code + " STRING(STUB_BYTES) "\n" /* an error if the stub is longer */
        ".popsection\n");
/* clang-format on */

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

/* Returns true if WORD does the same at any address, because it is not relative to its own. */
static bool may_move(uint32_t word)
{
    bool branches = (word & 0x7c000000) == 0x14000000 || (word & 0xff000010) == 0x54000000 ||
                    (word & 0x7e000000) == 0x34000000 || (word & 0x7e000000) == 0x36000000;
    bool addresses = (word & 0x1f000000) == 0x10000000 || (word & 0x3b000000) == 0x18000000;
    return !branches && !addresses;
}

/* In protected pages, an indirect call or one from a procedure linkage table faults unless it leads to a landing
 * mark. Signing the return address is also such a mark. Not every processor checks this. */
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

bool arch_stub_compat(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
                      const uint8_t head[static ARCH_HEAD_BYTES])
{
    (void)bytes, (void)address, (void)call, (void)entry, (void)tail, (void)head;
    return false;
}

bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
               const uint8_t head[static ARCH_HEAD_BYTES])
{
    size_t size = (size_t)(arch_stub_end - arch_stub_code), to_tail = (size_t)(arch_stub_to_tail - arch_stub_code),
           to_entry = (size_t)(arch_stub_to_entry - arch_stub_code);
    uint64_t number = call;
    uint32_t word;
    memcpy(&word, head, sizeof word);
    if (size > ARCH_STUB_BYTES || !may_move(word))
        return false;
    memset(bytes, 0, ARCH_STUB_BYTES);
    memcpy(bytes, arch_stub_code, size);
    memcpy(bytes + to_entry - sizeof word, &word, sizeof word);
    memcpy(bytes + (arch_stub_call - arch_stub_code), &number, sizeof number);
    return set_branch(bytes + to_tail, address + to_tail, tail) &&
           set_branch(bytes + to_entry, address + to_entry, entry + sizeof word);
}
