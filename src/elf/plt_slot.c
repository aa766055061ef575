/* SPDX-License-Identifier: MIT */
#include "elf/plt_slot.h"

#include <string.h>

static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
static const uint8_t jump[] = {0xff, 0x25};                /* jmp *displacement(%rip) */
static const uint8_t bound_jump[] = {0xf2, 0xff, 0x25};    /* bnd jmp *displacement(%rip) */
static const uint8_t push[] = {0x68};                      /* push $number */

#define BEGINS(pattern) (size - at >= sizeof(pattern) && memcmp(bytes + at, pattern, sizeof(pattern)) == 0)

struct elf_plt_slot elf_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr)
{
    struct elf_plt_slot slot = {.kind = ELF_PLT_SLOT_OTHER};
    size_t at = 0;
    int32_t operand;

    if (BEGINS(landing))
        at += sizeof landing;
    if (BEGINS(jump)) {
        at += sizeof jump;
        slot.kind = ELF_PLT_SLOT_JUMP;
    } else if (BEGINS(bound_jump)) {
        at += sizeof bound_jump;
        slot.kind = ELF_PLT_SLOT_JUMP;
    } else if (BEGINS(push)) {
        at += sizeof push;
        slot.kind = ELF_PLT_SLOT_LAZY;
    }
    if (slot.kind == ELF_PLT_SLOT_OTHER || size - at < sizeof operand)
        return (struct elf_plt_slot){.kind = ELF_PLT_SLOT_OTHER};
    memcpy(&operand, bytes + at, sizeof operand);
    slot.value = slot.kind == ELF_PLT_SLOT_JUMP ? vaddr + at + sizeof operand + (uint64_t)(int64_t)operand
                                                : (uint32_t)operand;
    return slot;
}
