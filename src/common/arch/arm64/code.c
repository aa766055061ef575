/* SPDX-License-Identifier: MIT
 *
 * Recognizes a few arm64 instructions, and analyses a function that puts a variable in front of a list. */
#include "common/arch/code.h"

#include <string.h>

enum {
    LANDING = 0xd503245fu,   /* bti c */
    MAKE_CALL = 0xd4000001u, /* svc #0 */
    COMPARE = 0xb140041fu,   /* cmn x0, #1, lsl #12: with the lowest of the error numbers */
    RETURN = 0xd65f03c0u,
    BRANCH_17 = 0xd61f0220u, /* br x17 */
};

static bool word_at(const uint8_t *code, size_t size, size_t at, uint32_t *word)
{
    if (at > size || size - at < sizeof *word)
        return false;
    memcpy(word, code + at, sizeof *word);
    return true;
}

static bool is_word(const uint8_t *code, size_t size, size_t at, uint32_t wanted)
{
    uint32_t word;
    return word_at(code, size, at, &word) && word == wanted;
}

/* adrp x16, PAGE; ldr x17, [x16, #OFFSET]; add x16, x16, #OFFSET; br x17. */
struct arch_plt_slot arch_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr)
{
    struct arch_plt_slot slot = {.kind = ARCH_PLT_SLOT_OTHER};
    size_t at = arch_landing_mark(bytes, size);
    uint32_t page, load;
    if (!word_at(bytes, size, at, &page) || (page & 0x9f00001fu) != 0x90000010u ||
        !word_at(bytes, size, at + 4, &load) || (load & 0xffc003ffu) != 0xf9400211u ||
        !is_word(bytes, size, at + 12, BRANCH_17))
        return slot;
    uint64_t number = (page >> 29 & 3) | (page >> 5 & 0x7ffff) << 2;
    int64_t distance = (int64_t)(number << 43) >> 31; /* 21 bits, signed, of pages */
    slot.kind = ARCH_PLT_SLOT_JUMP;
    slot.value = ((vaddr + at) & ~UINT64_C(0xfff)) + (uint64_t)distance + (load >> 10 & 0xfff) * 8;
    return slot;
}

struct arch_plt_slot arch_plt_slot_decode_compat(const uint8_t *bytes, size_t size, uint64_t got)
{
    (void)bytes;
    (void)size;
    (void)got;
    return (struct arch_plt_slot){.kind = ARCH_PLT_SLOT_OTHER};
}

bool arch_is_return(const uint8_t *code, size_t size)
{
    return is_word(code, size, 0, RETURN);
}

bool arch_jump_fits(const uint8_t *code, size_t size, size_t at)
{
    return at < size && arch_is_return(code + at, size - at);
}

size_t arch_landing_mark(const uint8_t *code, size_t size)
{
    return is_word(code, size, 0, LANDING) ? sizeof(uint32_t) : 0;
}

size_t arch_call_tail(const uint8_t *code, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 4)
        if (is_word(code, size, i, MAKE_CALL) && is_word(code, size, i + 4, COMPARE))
            return i + 4;
    return 0;
}

/* Returns true if WORD stores a register at DISTANCE from the stack pointer: "str x0, [sp, #DISTANCE]", or an stp of
 * two registers that includes DISTANCE. */
static bool is_stored_on_stack(uint32_t word, uint32_t distance)
{
    uint32_t pair = word >> 15 & 0x7f;
    if ((word & 0xffc003e0u) == 0xf90003e0u)
        return (word >> 10 & 0xfff) * 8 == distance;
    return (word & 0xffc003e0u) == 0xa90003e0u && (pair * 8 == distance || pair * 8 + 8 == distance);
}

/* Recognises add x0, sp, #DISTANCE; str x0, [x1, #OFFSET]; and later a store at DISTANCE + INNER. Finds no places. */
bool arch_find_linking(const uint8_t *code, size_t size, uint8_t offset, uint8_t inner, struct arch_linking *linking)
{
    enum { REGISTERS = 32 };
    uint32_t word, distances[REGISTERS] = {0}, distance = 0;
    struct arch_part *part = &linking->part;
    *linking = (struct arch_linking){.count = 0};
    for (size_t at = 0; word_at(code, size, at, &word); at += sizeof word) {
        if ((word & 0xffc003e0u) == 0x910003e0u)
            distances[word & 31] = word >> 10 & 0xfff;
        if (!part->start && (word & 0xfffffc00u) == (0xf9000000u | (uint32_t)offset / 8 << 10) &&
            distances[word & 31]) {
            distance = distances[word & 31];
            part->start = at + sizeof word;
            linking->variable = distance;
        } else if (part->start && is_stored_on_stack(word, distance + inner)) {
            part->end = at + sizeof word;
            return true;
        }
    }
    return false;
}
