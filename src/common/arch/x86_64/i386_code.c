/* SPDX-License-Identifier: MIT
 *
 * Recognizes a few instructions of 32-bit programs. */
#include "common/arch/code.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfb}; /* endbr32 */

struct arch_plt_slot arch_plt_slot_decode_compat(const uint8_t *bytes, size_t size, uint64_t got)
{
    enum { PUSH = 0x68, JUMP = 0xff, BY_ADDRESS = 0x25, BY_EBX = 0xa3, RELOCATION_BYTES = 8 };
    struct arch_plt_slot slot = {.kind = ARCH_PLT_SLOT_OTHER};
    size_t at = arch_landing_mark_compat(bytes, size);
    bool jumps = size - at > 2 && bytes[at] == JUMP && (bytes[at + 1] == BY_ADDRESS || bytes[at + 1] == BY_EBX);
    bool pushes = size > at && bytes[at] == PUSH;
    bool by_ebx = jumps && bytes[at + 1] == BY_EBX;
    uint32_t operand;
    at += jumps ? 2 : 1;
    if ((!jumps && !pushes) || size - at < sizeof operand)
        return slot;
    memcpy(&operand, bytes + at, sizeof operand);
    slot.kind = jumps ? ARCH_PLT_SLOT_JUMP : ARCH_PLT_SLOT_LAZY;
    slot.value = pushes ? operand / RELOCATION_BYTES : by_ebx ? (uint32_t)(got + operand) : operand;
    return slot;
}

size_t arch_landing_mark_compat(const uint8_t *code, size_t size)
{
    return size >= sizeof landing && !memcmp(code, landing, sizeof landing) ? sizeof landing : 0;
}

/* cmp $-4095, %eax; jae to code that sets errno; ret */
static bool is_tail(const uint8_t *code, size_t size)
{
    static const uint8_t compare[] = {0x3d, 0x01, 0xf0, 0xff, 0xff};
    enum { JAE = 0x73, JAE_BYTES = 2, FAR = 0x0f, JAE_FAR = 0x83, JAE_FAR_BYTES = 6, RET = 0xc3 };
    if (size < sizeof compare + JAE_BYTES + 1 || memcmp(code, compare, sizeof compare) != 0)
        return false;
    const uint8_t *jump = code + sizeof compare;
    if (jump[0] == JAE)
        return jump[JAE_BYTES] == RET;
    return jump[0] == FAR && jump[1] == JAE_FAR && size > sizeof compare + JAE_FAR_BYTES && jump[JAE_FAR_BYTES] == RET;
}

static bool makes_call(const uint8_t *code, size_t size)
{
    static const uint8_t interrupt[] = {0xcd, 0x80}, by_vdso[] = {0x65, 0xff, 0x15, 0x10, 0, 0, 0}; /* call *%gs:16 */
    return (size >= sizeof interrupt && !memcmp(code, interrupt, sizeof interrupt)) ||
           (size >= sizeof by_vdso && !memcmp(code, by_vdso, sizeof by_vdso));
}

/* A return just after the call shows where the stack pointer is. */
size_t arch_call_tail_compat(const uint8_t *code, size_t size)
{
    bool called = false;
    for (size_t i = 0; i < size; i++) {
        called |= makes_call(code + i, size - i);
        if (called && is_tail(code + i, size - i))
            return i;
    }
    return 0;
}

/* Returns true if CODE may begin with an instruction that allows LOCK, or with another prefix. */
static bool may_be_locked(const uint8_t *code, size_t size)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
    static const uint8_t others[] = {0x80, 0x81, 0x82, 0x83, 0x86, 0x87, 0xf6, 0xf7, 0xfe, 0xff};
    enum { TWO_BYTES = 0x0f, HINT = 0x1e, HINT_LAST = 0x1f, ARITHMETIC_END = 0x38, TO_MEMORY_MOST = 1 };
    if (code[0] == TWO_BYTES)
        return size < 2 || code[1] < HINT || code[1] > HINT_LAST;
    return memchr(prefixes, code[0], sizeof prefixes) || memchr(others, code[0], sizeof others) ||
           (code[0] < ARITHMETIC_END && (code[0] & 7) <= TO_MEMORY_MOST);
}

static volatile sig_atomic_t locks_refused;

/* Skips `lock lea (%rax), %eax`. */
static void step_over(int sig, siginfo_t *info, void *context)
{
    enum { BYTES = 3 };
    (void)sig, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += BYTES;
    locks_refused = 1;
}

/* Emulated processors may ignore LOCK. */
static bool refuses_locks(void)
{
    static int known;
    struct sigaction action = {.sa_sigaction = step_over, .sa_flags = SA_SIGINFO}, former;
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGILL);
    if (!known && !sigaction(SIGILL, &action, &former)) {
        pthread_sigmask(SIG_UNBLOCK, &set, &mask);
        __asm__ volatile(".byte 0xf0, 0x8d, 0x00" : : : "rax");
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        sigaction(SIGILL, &former, NULL);
        known = locks_refused ? 1 : -1;
    }
    return known > 0;
}

/* No single byte is an invalid instruction. But with opcode 0xfe, three bits of the next byte select one of only two
 * operations. And few instructions allow LOCK before them. */
bool arch_breakpoint_compat(const uint8_t *code, size_t size, uint8_t *byte)
{
    enum { LOCK = 0xf0, GROUP = 0xfe, OPERATIONS = 2 };
    if (size < 2)
        return false;
    bool is_none = (code[1] >> 3 & 7) >= OPERATIONS;
    *byte = is_none ? GROUP : LOCK;
    return is_none || (!may_be_locked(code + 1, size - 1) && refuses_locks());
}
