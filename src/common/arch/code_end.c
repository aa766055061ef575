/* SPDX-License-Identifier: MIT
 *
 * Finds the end of a function without a size, from its instructions. */
#include "common/arch/decode.h"

/* Returns true if CODE may be padding between functions. On any processor, such padding begins with one of these
 * bytes. */
static bool may_be_padding(const uint8_t *code, size_t size)
{
    static const uint8_t fillings[] = {0x90, 0xcc, 0x00, 0x66, 0x0f, 0x1f};
    bool padding = !size;
    for (size_t i = 0; i < sizeof fillings && !padding; i++)
        padding = code[0] == fillings[i];
    return padding;
}

/* Returns true if code ends with an instruction of EFFECT, followed by the SIZE bytes at NEXT. A trap ends it only
 * before padding, because a handler may continue after the trap. */
static bool ends(enum arch_effect effect, const uint8_t *next, size_t size)
{
    return effect == ARCH_EFFECT_RETURN || effect == ARCH_EFFECT_JUMP ||
           (effect == ARCH_EFFECT_NO_MORE && may_be_padding(next, size));
}

size_t arch_code_end(const uint8_t *code, size_t size, bool compat, uint64_t *reach)
{
    struct arch_instruction instruction;
    size_t at = 0;
    while (at < size) {
        if (!arch_decode(code + at, size - at, compat, &instruction) || !instruction.length ||
            instruction.effect == ARCH_EFFECT_JUMP_SOMEWHERE)
            return size;
        at += instruction.length;
        uint64_t target = at + (uint64_t)instruction.amount;
        bool ahead = instruction.amount >= 0 && instruction.amount < INT32_MAX && target > *reach;
        if (ahead && (instruction.effect == ARCH_EFFECT_BRANCH ||
                      (instruction.effect == ARCH_EFFECT_JUMP && target < size))) /* other jumps lead to another
                                                                                   * function */
            *reach = target;
        if (at > *reach && ends(instruction.effect, code + at, size - at))
            return at;
    }
    return size;
}
