/* SPDX-License-Identifier: MIT */
#include "arch/decode.h"

#include <string.h>

enum { SP = 4, FRAME = 5, KEPT_FRAME = 1 /* its place in unwind_kept */, NO_REGISTER = -1 };

/* The parts of an instruction. */
struct parts {
    const uint8_t *at, *end;
    bool failed;
    bool is_32bit;              /* a 32-bit program's */
    bool wide, narrow;          /* REX.W; the prefix for 16 bits */
    bool short_address;         /* the prefix for addresses of half the size */
    unsigned high_reg, high_rm; /* the fourth bits of the registers, as 8 */
    unsigned map;               /* of opcodes: 0, 1 (after 0f), 2 (0f 38), 3 (0f 3a) */
    bool vector;                /* encoded as AVX has it */
    uint8_t opcode;
    uint8_t mode;     /* of the operand in ModRM; 3: a register */
    unsigned reg, rm; /* with their fourth bits */
    bool base_is_sp;  /* the operand is on the stack, at DISPLACEMENT from its pointer, with no index */
    int64_t displacement, immediate;
};

static uint8_t take(struct parts *parts)
{
    if (parts->at < parts->end)
        return *parts->at++;
    parts->failed = true;
    return 0;
}

/* A number of SIZE bytes, signed. */
static int64_t take_number(struct parts *parts, unsigned size)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)take(parts) << 8 * i;
    return size && size < 8 ? (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size) : (int64_t)number;
}

static bool is_one_of(uint8_t byte, const char *list, size_t count)
{
    return memchr(list, byte, count) != NULL;
}

#define IS_ONE_OF(byte, list) is_one_of(byte, list, sizeof(list) - 1)

static void take_prefixes(struct parts *parts)
{
    uint8_t byte = take(parts);
    while (IS_ONE_OF(byte, "\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65") && !parts->failed) {
        parts->narrow |= byte == 0x66;
        parts->short_address |= byte == 0x67;
        byte = take(parts);
    }
    if ((byte & 0xf0) == 0x40 && !parts->is_32bit) {
        parts->wide = byte & 8;
        parts->high_reg = byte & 4 ? 8 : 0;
        parts->high_rm = byte & 1 ? 8 : 0;
        byte = take(parts);
    }
    parts->opcode = byte;
}

/* After the byte that begins it. */
static void take_vector_prefix(struct parts *parts)
{
    uint8_t first = take(parts);
    parts->vector = true;
    parts->map = parts->opcode == 0xc5 ? 1 : first & 7;
    if (parts->opcode != 0xc5)
        take(parts);
    if (parts->opcode == 0x62)
        take(parts);
    parts->opcode = take(parts);
    parts->failed |= !parts->map || parts->map > 3;
}

static void take_opcode(struct parts *parts)
{
    take_prefixes(parts);
    /* what else these bytes stand for in a 32-bit program cannot be followed by this */
    bool vector = !parts->is_32bit || (parts->at < parts->end && *parts->at >= 0xc0);
    if (IS_ONE_OF(parts->opcode, "\xc4\xc5\x62") && vector) {
        take_vector_prefix(parts);
        return;
    }
    if (parts->opcode != 0x0f)
        return;
    parts->opcode = take(parts);
    parts->map = parts->opcode == 0x38 ? 2 : parts->opcode == 0x3a ? 3 : 1;
    if (parts->map > 1)
        parts->opcode = take(parts);
}

/* True for opcodes that are invalid in 64-bit mode; no compiler makes them for 32-bit programs either. */
static bool is_gone(const struct parts *parts)
{
    return !parts->map && !parts->vector &&
           IS_ONE_OF(parts->opcode,
                     "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\x82\x9a\xc4\xc5\xce\xd4\xd5\xd6\xea");
}

static bool has_operand(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    if (parts->vector)
        return parts->map != 1 || opcode != 0x77;
    if (parts->map == 1)
        return !(IS_ONE_OF(opcode, "\x05\x06\x08\x09\x0b\x0e\x77\xa0\xa1\xa2\xa8\xa9\xaa") || (opcode & 0xf8) == 0x30 ||
                 (opcode & 0xf0) == 0x80 || (opcode & 0xf8) == 0xc8);
    if (parts->map)
        return true;
    if (opcode < 0x40)
        return (opcode & 7) < 4;
    return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || (opcode >= 0x80 && opcode <= 0x8f) ||
           IS_ONE_OF(opcode, "\xc0\xc1\xc6\xc7\xd0\xd1\xd2\xd3\xf6\xf7\xfe\xff") || (opcode & 0xf8) == 0xd8;
}

static void take_operand(struct parts *parts)
{
    uint8_t byte = take(parts), low = byte & 7;
    bool far_base = false;
    parts->mode = byte >> 6;
    parts->reg = (byte >> 3 & 7) | parts->high_reg;
    parts->rm = low | parts->high_rm;
    if (parts->mode == 3)
        return;
    if (low == 4) {
        uint8_t place = take(parts);
        parts->base_is_sp = place == 0x24 && !parts->high_rm;
        far_base = (place & 7) == 5;
    }
    if (parts->mode == 0 && (low == 5 || far_base))
        parts->displacement = take_number(parts, 4);
    else
        parts->displacement = take_number(parts, parts->mode == 1 ? 1 : parts->mode == 2 ? 4 : 0);
}

/* The size of the number that an instruction without a second map of opcodes ends with. */
static unsigned immediate_size(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    unsigned word = parts->narrow ? 2 : 4;
    if (opcode < 0x40)
        return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? word : 0;
    if ((opcode & 0xf0) == 0x70 || (opcode & 0xf8) == 0xb0 || (opcode >= 0xe0 && opcode <= 0xe7) ||
        IS_ONE_OF(opcode, "\x6a\x6b\x80\x83\xa8\xc0\xc1\xc6\xcd\xeb"))
        return 1;
    if (IS_ONE_OF(opcode, "\x68\x69\x81\xa9\xc7"))
        return word;
    if (opcode == 0xe8 || opcode == 0xe9)
        return 4;
    if ((opcode & 0xf8) == 0xb8)
        return parts->wide ? 8 : word;
    if ((opcode & 0xfc) == 0xa0)
        return parts->is_32bit ? 4 : 8;
    if (opcode == 0xc2 || opcode == 0xca)
        return 2;
    if ((opcode == 0xf6 || opcode == 0xf7) && (parts->reg & 7) < 2)
        return opcode == 0xf6 ? 1 : word;
    return 0;
}

static void take_immediate(struct parts *parts)
{
    unsigned size = 0;
    if (!parts->map)
        size = immediate_size(parts);
    else if (parts->map == 3)
        size = 1;
    else if (parts->map == 1 && !parts->vector && (parts->opcode & 0xf0) == 0x80)
        size = 4;
    else if (parts->map == 1)
        size = IS_ONE_OF(parts->opcode, "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6");
    parts->immediate = take_number(parts, size);
}

/* The place of register NUMBER in unwind_kept, or -1. */
static int kept_of(const struct parts *parts, int number)
{
    if (parts->is_32bit) /* esi and edi are in the places of r12 and r13 */
        return number == 3 ? 0 : number == FRAME ? KEPT_FRAME : number == 6 || number == 7 ? number - 4 : -1;
    return number == 3 ? 0 : number == FRAME ? KEPT_FRAME : number >= 12 && number <= 15 ? number - 10 : -1;
}

static struct arch_instruction effect(const struct parts *parts, enum arch_effect kind, int number, int64_t amount)
{
    return (struct arch_instruction){
        .effect = kind, .kept = kept_of(parts, number), .second = NO_REGISTER, .amount = amount};
}

/* Instructions that set the stack pointer, or may. */
static struct arch_instruction judge_set(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    bool on_sp = parts->mode == 3 && parts->rm == SP, to_sp = parts->reg == SP;
    if (opcode == 0x89 && parts->mode == 3 && parts->rm == FRAME && parts->reg == SP)
        return effect(parts, ARCH_EFFECT_FRAME, NO_REGISTER, 0);
    if (opcode == 0x8b && parts->mode == 3 && parts->reg == FRAME && parts->rm == SP)
        return effect(parts, ARCH_EFFECT_FRAME, NO_REGISTER, 0);
    if ((opcode == 0x89 && on_sp && parts->reg == FRAME) ||
        (opcode == 0x8b && to_sp && parts->mode == 3 && parts->rm == FRAME))
        return effect(parts, ARCH_EFFECT_TO_FRAME, NO_REGISTER, 0);
    if (opcode == 0x8d && to_sp && parts->base_is_sp)
        return effect(parts, ARCH_EFFECT_GROW, NO_REGISTER, -parts->displacement);
    if (opcode == 0x8d && to_sp && parts->rm == FRAME && parts->mode)
        return effect(parts, ARCH_EFFECT_TO_FRAME, NO_REGISTER, parts->displacement);
    if (opcode == 0x8b && to_sp && parts->base_is_sp && (parts->wide || parts->is_32bit))
        return effect(parts, ARCH_EFFECT_SWITCH, NO_REGISTER, parts->displacement);
    if (opcode == 0x89 && parts->base_is_sp)
        return effect(parts, ARCH_EFFECT_SAVE, (int)parts->reg, 0);
    if (IS_ONE_OF(opcode, "\x81\x83") && on_sp && (parts->reg & 7) == 5)
        return effect(parts, ARCH_EFFECT_GROW, NO_REGISTER, parts->immediate);
    if (IS_ONE_OF(opcode, "\x81\x83") && on_sp && (parts->reg & 7) == 0)
        return effect(parts, ARCH_EFFECT_GROW, NO_REGISTER, -parts->immediate);
    if (IS_ONE_OF(opcode, "\x81\x83\xc7\xf7\xd1\xd3\xc1") && on_sp && !(opcode != 0xc7 && (parts->reg & 7) == 7))
        return effect(parts, ARCH_EFFECT_LOST, NO_REGISTER, 0);
    if ((IS_ONE_OF(opcode, "\x01\x09\x11\x19\x21\x29\x31\x87\x89\x8f") && on_sp) ||
        (IS_ONE_OF(opcode, "\x03\x0b\x13\x1b\x23\x2b\x33\x63\x69\x6b\x87\x8b\x8d") && to_sp))
        return effect(parts, ARCH_EFFECT_LOST, NO_REGISTER, 0);
    return effect(parts, ARCH_EFFECT_PLAIN, NO_REGISTER, 0);
}

static struct arch_instruction judge(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    int number = (opcode & 7) | (int)parts->high_rm, word = parts->is_32bit ? 4 : 8;
    if (parts->map == 1 && !parts->vector && (opcode & 0xf0) == 0x80)
        return effect(parts, ARCH_EFFECT_BRANCH, NO_REGISTER, parts->immediate);
    if (parts->map == 1 && !parts->vector && opcode == 0x0b)
        return effect(parts, ARCH_EFFECT_NO_MORE, NO_REGISTER, 0);
    if (parts->map || parts->vector)
        return effect(parts, ARCH_EFFECT_PLAIN, NO_REGISTER, 0);
    if ((opcode & 0xf8) == 0x50)
        return effect(parts, ARCH_EFFECT_PUSH, number, word);
    if ((opcode & 0xf8) == 0x58)
        return effect(parts, number == SP ? ARCH_EFFECT_SWITCH : ARCH_EFFECT_POP, number, number == SP ? 0 : word);
    if (IS_ONE_OF(opcode, "\x68\x6a\x9c") || (opcode == 0xff && (parts->reg & 7) == 6))
        return effect(parts, ARCH_EFFECT_PUSH, NO_REGISTER, word);
    if (opcode == 0x9d || (opcode == 0x8f && parts->mode != 3))
        return effect(parts, ARCH_EFFECT_POP, NO_REGISTER, word);
    if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
        return effect(parts, ARCH_EFFECT_BRANCH, NO_REGISTER, parts->immediate);
    if (opcode == 0xe9 || opcode == 0xeb)
        return effect(parts, ARCH_EFFECT_JUMP, NO_REGISTER, parts->immediate);
    if (opcode == 0xff && (parts->reg & 7) == 4)
        return effect(parts, ARCH_EFFECT_JUMP_SOMEWHERE, NO_REGISTER, 0);
    if (opcode == 0xc3 || opcode == 0xc2)
        return effect(parts, ARCH_EFFECT_RETURN, NO_REGISTER, parts->immediate & 0xffff);
    if (opcode == 0xf4 || opcode == 0xcc)
        return effect(parts, ARCH_EFFECT_NO_MORE, NO_REGISTER, 0);
    if (opcode == 0xc9)
        return effect(parts, ARCH_EFFECT_LEAVE, NO_REGISTER, 0);
    if (opcode == 0xc8 || opcode == 0x94)
        return effect(parts, ARCH_EFFECT_LOST, NO_REGISTER, 0);
    return has_operand(parts) ? judge_set(parts) : effect(parts, ARCH_EFFECT_PLAIN, NO_REGISTER, 0);
}

bool arch_decode(const uint8_t *code, size_t size, bool narrow, struct arch_instruction *instruction)
{
    struct parts parts = {.at = code, .end = code + size, .is_32bit = narrow};
    take_opcode(&parts);
    parts.failed |= is_gone(&parts) || (narrow && parts.short_address);
    if (has_operand(&parts))
        take_operand(&parts);
    take_immediate(&parts);
    if (parts.failed)
        return false;
    *instruction = judge(&parts);
    instruction->length = (size_t)(parts.at - code);
    return true;
}
