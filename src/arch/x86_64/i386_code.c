/* SPDX-License-Identifier: MIT */
#include "arch/code.h"

#include <stdbool.h>
#include <string.h>

struct arch_plt_slot arch_plt_slot_decode_narrow(const uint8_t *bytes, size_t size, uint64_t got)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfb}; /* endbr32 */
    enum { PUSH = 0x68, JUMP = 0xff, BY_ADDRESS = 0x25, BY_EBX = 0xa3, RELOCATION_BYTES = 8 };
    struct arch_plt_slot slot = {.kind = ARCH_PLT_SLOT_OTHER};
    size_t at = size >= sizeof landing && memcmp(bytes, landing, sizeof landing) == 0 ? sizeof landing : 0;
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
