/* SPDX-License-Identifier: MIT
 *
 * The effect of one arm64 instruction on the stack and on the control flow. */
#include "common/arch/decode.h"

#include <string.h>

enum { LENGTH = 4, SP = 31, FRAME = 29, FIRST_KEPT = 19, LAST_KEPT = 30, NO_REGISTER = -1 };

/* Returns COUNT bits of WORD, from bit FROM on. */
static unsigned bits(uint32_t word, unsigned from, unsigned count)
{
    return word >> from & ((1u << count) - 1);
}

static int64_t signed_bits(uint32_t word, unsigned from, unsigned count)
{
    int64_t number = bits(word, from, count);
    return number >> (count - 1) ? number - ((int64_t)1 << count) : number;
}

static int kept_of(unsigned number)
{
    return number >= FIRST_KEPT && number <= LAST_KEPT ? (int)number - FIRST_KEPT : NO_REGISTER;
}

static struct arch_instruction effect(enum arch_effect kind, int64_t amount)
{
    return (struct arch_instruction){
        .length = LENGTH, .effect = kind, .kept = NO_REGISTER, .second = NO_REGISTER, .amount = amount};
}

/* Returns the branch to WORDS words after the branch's own beginning. */
static struct arch_instruction branch(enum arch_effect kind, int64_t words)
{
    return effect(kind, words * LENGTH - LENGTH);
}

static struct arch_instruction judge_branch(uint32_t word)
{
    if ((word & 0xfc000000u) == 0x14000000u)
        return branch(ARCH_EFFECT_JUMP, signed_bits(word, 0, 26));
    if ((word & 0xff000000u) == 0x54000000u || (word & 0x7e000000u) == 0x34000000u) /* on a condition; cbz, cbnz */
        return branch(ARCH_EFFECT_BRANCH, signed_bits(word, 5, 19));
    if ((word & 0x7e000000u) == 0x36000000u) /* tbz, tbnz */
        return branch(ARCH_EFFECT_BRANCH, signed_bits(word, 5, 14));
    if ((word & 0xffe0001fu) == 0xd4200000u) /* brk */
        return effect(ARCH_EFFECT_NO_MORE, 0);
    if ((word & 0xfe1f0000u) != 0xd61f0000u) /* not to a register; calls by bl */
        return effect(ARCH_EFFECT_PLAIN, 0);
    switch (bits(word, 21, 4) & 7) { /* the highest bit: signed with another register */
    case 0:
        return effect(ARCH_EFFECT_JUMP_SOMEWHERE, 0);
    case 2:
        return effect(ARCH_EFFECT_RETURN, 0);
    default: /* calls */
        return effect(ARCH_EFFECT_PLAIN, 0);
    }
}

/* How an operand in memory is given. */
enum mode { AT_OFFSET, AFTERWARDS, BEFORE };

static struct arch_instruction judge_access(bool load, enum mode mode, int64_t offset, int first, int second)
{
    struct arch_instruction result = effect(load ? ARCH_EFFECT_LOAD : ARCH_EFFECT_STORE, offset);
    result.kept = first;
    result.second = second;
    if (mode == BEFORE && !load) {
        result.effect = ARCH_EFFECT_PUSH;
        result.amount = -offset;
    } else if (mode == AFTERWARDS && load) {
        result.effect = ARCH_EFFECT_POP;
    } else if (mode != AT_OFFSET) { /* only the stack pointer is changed in this way */
        result = effect(ARCH_EFFECT_GROW, -offset);
    }
    return result;
}

/* Two registers that are stored or loaded. */
static struct arch_instruction judge_pair(uint32_t word)
{
    static const enum mode modes[] = {AT_OFFSET, AFTERWARDS, AT_OFFSET, BEFORE};
    unsigned kind = bits(word, 30, 2);
    bool vector = bits(word, 26, 1), whole = kind == 2 && !vector;
    int64_t size = vector ? 4 << kind : kind == 2 ? 8 : 4;
    return judge_access(bits(word, 22, 1), modes[bits(word, 23, 2)], signed_bits(word, 15, 7) * size,
                        whole ? kept_of(bits(word, 0, 5)) : NO_REGISTER,
                        whole ? kept_of(bits(word, 10, 5)) : NO_REGISTER);
}

/* One. */
static struct arch_instruction judge_single(uint32_t word)
{
    static const enum mode modes[] = {AT_OFFSET, AFTERWARDS, AT_OFFSET, BEFORE};
    bool vector = bits(word, 26, 1), whole = word >> 30 == 3 && !vector, scaled = bits(word, 24, 1);
    unsigned operation = bits(word, 22, 2), scale = bits(word, 30, 2) + (vector && operation >= 2 ? 4 : 0);
    bool load = vector ? operation & 1 : operation != 0;
    if (!scaled && bits(word, 21, 1)) /* the offset is in a register, or it is done at once */
        return effect(ARCH_EFFECT_PLAIN, 0);
    int64_t offset = scaled ? (int64_t)bits(word, 10, 12) << scale : signed_bits(word, 12, 9);
    return judge_access(load, scaled ? AT_OFFSET : modes[bits(word, 10, 2)], offset,
                        whole && operation < 2 ? kept_of(bits(word, 0, 5)) : NO_REGISTER, NO_REGISTER);
}

/* add and sub of a number, 64 bits, flags left alone. */
static struct arch_instruction judge_sum(uint32_t word)
{
    unsigned to = bits(word, 0, 5), from = bits(word, 5, 5);
    int64_t number = (int64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? 12 : 0);
    if (bits(word, 30, 1))
        number = -number;
    if (to == SP && from == SP)
        return effect(ARCH_EFFECT_GROW, -number);
    if (to == SP)
        return from == FRAME ? effect(ARCH_EFFECT_TO_FRAME, number) : effect(ARCH_EFFECT_LOST, 0);
    return to == FRAME && from == SP ? effect(ARCH_EFFECT_FRAME, number) : effect(ARCH_EFFECT_PLAIN, 0);
}

static struct arch_instruction judge(uint32_t word)
{
    bool by_sp = bits(word, 5, 5) == SP, to_sp = bits(word, 0, 5) == SP;
    if (bits(word, 26, 3) == 5)
        return judge_branch(word);
    if (bits(word, 27, 3) == 5 && by_sp && !bits(word, 25, 1))
        return judge_pair(word);
    if (bits(word, 27, 3) == 7 && by_sp && !bits(word, 25, 1))
        return judge_single(word);
    if ((word & 0xbf800000u) == 0x91000000u)
        return judge_sum(word);
    /* add and sub of a register that may be extended; and, orr and eor of a number */
    if (to_sp &&
        ((word & 0xbfe00000u) == 0x8b200000u || ((word & 0x9f800000u) == 0x92000000u && bits(word, 29, 2) != 3)))
        return effect(ARCH_EFFECT_LOST, 0);
    return effect(ARCH_EFFECT_PLAIN, 0);
}

bool arch_decode(const uint8_t *code, size_t size, bool compat, struct arch_instruction *instruction)
{
    (void)compat;
    uint32_t word;
    if (size < sizeof word)
        return false;
    memcpy(&word, code, sizeof word);
    if (word >> 16 == 0) /* never an instruction */
        return false;
    *instruction = judge(word);
    return true;
}
