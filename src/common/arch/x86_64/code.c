/* SPDX-License-Identifier: MIT
 *
 * Recognizes a few x86-64 instructions. */
#include "common/arch/code.h"

#include "common/arch/machine.h"

#include <string.h>
#include <ucontext.h>

static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
static const uint8_t jump[] = {0xff, 0x25};                /* jmp *displacement(%rip) */
static const uint8_t bound_jump[] = {0xf2, 0xff, 0x25};    /* bnd jmp *displacement(%rip) */
static const uint8_t push[] = {0x68};                      /* push $number */
static const uint8_t set_number[] = {0x41, 0xbb};          /* mov $number,%r11d, which mold puts before the jump */
static const uint8_t load[] = {0x4c, 0x8b, 0x1d};          /* mov displacement(%rip),%r11 */
static const uint8_t replace[] = {0x4c, 0x89, 0x1c, 0x24, 0xc3};                      /* mov %r11,(%rsp); ret */
static const uint8_t capture[] = {0xe8, 0x0b, 0, 0, 0, 0xf3, 0x90, 0x0f, 0xae, 0xe8}; /* call; pause; lfence */

/* Returns the size of an entry that loads its target and goes to a retpoline, or 0 if it is something else. */
static size_t retpoline_slot(const uint8_t *bytes, size_t size)
{
    enum { USUAL = 16, LAZY = 32, GO = 7, AFTER = 12, CALL = 0xe8, JUMP = 0xe9, BREAKPOINT = 0xcc };
    if (size < USUAL || memcmp(bytes, load, sizeof load) != 0)
        return 0;
    if (bytes[GO] == CALL && bytes[AFTER] == JUMP)
        return LAZY;
    return bytes[GO] == JUMP && bytes[AFTER] == BREAKPOINT ? USUAL : 0;
}

#define BEGINS(pattern) (size - at >= sizeof(pattern) && memcmp(bytes + at, pattern, sizeof(pattern)) == 0)

struct arch_plt_slot arch_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr)
{
    struct arch_plt_slot slot = {.kind = ARCH_PLT_SLOT_OTHER};
    size_t at = 0, by_retpoline = retpoline_slot(bytes, size);
    int32_t operand;
    if (BEGINS(replace) || BEGINS(capture))
        return (struct arch_plt_slot){.kind = ARCH_PLT_SLOT_RETPOLINE};
    if (BEGINS(landing))
        at += sizeof landing;
    if (BEGINS(set_number) && size - at >= sizeof set_number + sizeof operand)
        at += sizeof set_number + sizeof operand;
    if (by_retpoline) {
        at += sizeof load;
        slot.kind = ARCH_PLT_SLOT_JUMP;
    } else if (BEGINS(jump)) {
        at += sizeof jump;
        slot.kind = ARCH_PLT_SLOT_JUMP;
    } else if (BEGINS(bound_jump)) {
        at += sizeof bound_jump;
        slot.kind = ARCH_PLT_SLOT_JUMP;
    } else if (BEGINS(push)) {
        at += sizeof push;
        slot.kind = ARCH_PLT_SLOT_LAZY;
    }
    if (slot.kind == ARCH_PLT_SLOT_OTHER || size - at < sizeof operand)
        return (struct arch_plt_slot){.kind = ARCH_PLT_SLOT_OTHER};
    memcpy(&operand, bytes + at, sizeof operand);
    slot.size = by_retpoline;
    slot.value =
        slot.kind == ARCH_PLT_SLOT_JUMP ? vaddr + at + sizeof operand + (uint64_t)(int64_t)operand : (uint32_t)operand;
    return slot;
}

bool arch_is_return(const uint8_t *code, size_t size)
{
    return size && *code == 0xc3;
}

size_t arch_landing_mark(const uint8_t *code, size_t size)
{
    return size >= sizeof landing && !memcmp(code, landing, sizeof landing) ? sizeof landing : 0;
}

/* Padding between functions: instructions without effect, of one or more bytes, and in 32-bit code an lea of a
 * register to itself. */
static bool is_filler(const uint8_t *code, size_t size)
{
    static const char *const beginnings[] = {
        "\x66\x66\x66\x66", "\x66\x66\x66\x2e", "\x66\x66\x2e\x0f", "\x66\x2e\x0f\x1f", "\x2e\x0f\x1f\x84",
        "\x0f\x1f\x44\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x84\x00", "\x0f\x1f\x80\x00", "\x90\x90\x90\x90",
        "\xcc\xcc\xcc\xcc", "\x8d\xb4\x26\x00", "\x8d\x74\x26\x00", "\x8d\xb6\x00\x00", "\x8d\x76\x00\x8d",
        "\x2e\x8d\xb4\x26", "\x2e\x8d\x74\x26"};
    enum { BYTES = 4 };
    for (size_t i = 0; size <= BYTES && i < sizeof beginnings / sizeof *beginnings; i++)
        if (!memcmp(code, beginnings[i], size))
            return true;
    return false;
}

bool arch_jump_fits(const uint8_t *code, size_t size, size_t at)
{
    size_t mark = arch_landing_mark(code, size) + arch_landing_mark_compat(code, size), end = at + ARCH_JUMP_BYTES;
    if (at > mark || end > size || mark >= end || !arch_is_return(code + mark, size - mark))
        return false;
    return is_filler(code + mark + 1, end - mark - 1);
}

/* The code after the call compares the result with the lowest error number. */
size_t arch_call_tail(const uint8_t *code, size_t size)
{
    static const uint8_t call_and_compare[] = {0x0f, 0x05, 0x48, 0x3d}, lowest[] = {0xf0, 0xff, 0xff};
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(code + i, call_and_compare, sizeof call_and_compare) == 0 &&
            memcmp(code + i + 5, lowest, sizeof lowest) == 0)
            return i + 2;
    return 0;
}

unsigned long arch_context_argument(const void *context, unsigned number)
{
    static const int order[] = {REG_RDI, REG_RSI, REG_RDX};
    return (unsigned long)((const ucontext_t *)context)->uc_mcontext.gregs[order[number]];
}

void arch_context_answer(void *context, long result)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = result;
}
