/* SPDX-License-Identifier: MIT */
#include "arch/decode.h"

#include <string.h>

enum { SP = 4, FRAME = 5, KEPT_FRAME = 1 /* its place in unwind_kept */, NO_REGISTER = -1 };

/* The parts of an instruction. */
struct parts {
    const uint8_t *at, *end;
    bool failed;
    bool is_32bit;              /* a 32-bit program's */
    bool wide, compat;          /* REX.W; the prefix for 16 bits */
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
        parts->compat |= byte == 0x66;
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
    /* in a 32-bit program these bytes are les, lds or bound, unless 0xc0 or more follows */
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
    unsigned word = parts->compat ? 2 : 4;
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

/* Returns the index of register NUMBER in unwind_kept, or -1. */
static int kept_of(const struct parts *parts, int number)
{
    if (parts->is_32bit) /* esi and edi take the slots of r12 and r13 */
        return number == 3 ? 0 : number == FRAME ? KEPT_FRAME : number == 6 || number == 7 ? number - 4 : -1;
    return number == 3 ? 0 : number == FRAME ? KEPT_FRAME : number >= 12 && number <= 15 ? number - 10 : -1;
}

/* Kinds of operands. RM may be in memory, REG is always a register. */
enum form {
    RM_IS_SP = 1,
    RM_IS_FRAME = 2,
    REG_IS_SP = 4,
    REG_IS_FRAME = 8,
    AT_SP = 16,    /* memory, at a distance from the stack pointer */
    AT_FRAME = 32, /* at one from the frame pointer */
    IN_MEMORY = 64,
    WHOLE_WORD = 128
};

static unsigned form_of(const struct parts *parts)
{
    bool in_register = parts->mode == 3;
    return (in_register && parts->rm == SP ? RM_IS_SP : 0) | (in_register && parts->rm == FRAME ? RM_IS_FRAME : 0) |
           (parts->reg == SP ? REG_IS_SP : 0) | (parts->reg == FRAME ? REG_IS_FRAME : 0) |
           (parts->base_is_sp ? AT_SP : 0) | (parts->mode && parts->rm == FRAME ? AT_FRAME : 0) |
           (in_register ? 0 : IN_MEMORY) | (parts->wide || parts->is_32bit ? WHOLE_WORD : 0);
}

enum amount { NOTHING, WORD, IMMEDIATE, MINUS_IMMEDIATE, UNSIGNED_IMMEDIATE, DISPLACEMENT, MINUS_DISPLACEMENT };
enum named { NAMES_NONE, NAMES_IN_OPCODE, NAMES_REG };
#define ANY (-1)

/* The effects of instructions of map 0. The first row applies that matches an instruction's opcode (under MASK), its
 * form, and its EXTENSION, the number in REG. */
static const struct rule {
    uint8_t opcode, mask;
    int extension;
    unsigned form;
    enum arch_effect effect;
    enum named named; /* the register that it is about */
    enum amount amount;
} rules[] = {
    {0x50, 0xf8, ANY, 0, ARCH_EFFECT_PUSH, NAMES_IN_OPCODE, WORD},
    {0x58, 0xf8, ANY, 0, ARCH_EFFECT_POP, NAMES_IN_OPCODE, WORD},
    {0x68, 0xff, ANY, 0, ARCH_EFFECT_PUSH, NAMES_NONE, WORD},            /* push of a number */
    {0x6a, 0xff, ANY, 0, ARCH_EFFECT_PUSH, NAMES_NONE, WORD},            /* the same, of a byte */
    {0x9c, 0xff, ANY, 0, ARCH_EFFECT_PUSH, NAMES_NONE, WORD},            /* pushf */
    {0xff, 0xff, 6, 0, ARCH_EFFECT_PUSH, NAMES_NONE, WORD},              /* push of an operand */
    {0x9d, 0xff, ANY, 0, ARCH_EFFECT_POP, NAMES_NONE, WORD},             /* popf */
    {0x8f, 0xff, ANY, IN_MEMORY, ARCH_EFFECT_POP, NAMES_NONE, WORD},     /* pop into memory */
    {0x70, 0xf0, ANY, 0, ARCH_EFFECT_BRANCH, NAMES_NONE, IMMEDIATE},     /* jcc */
    {0xe0, 0xfc, ANY, 0, ARCH_EFFECT_BRANCH, NAMES_NONE, IMMEDIATE},     /* loop, jrcxz */
    {0xe9, 0xfd, ANY, 0, ARCH_EFFECT_JUMP, NAMES_NONE, IMMEDIATE},       /* jmp, also short */
    {0xff, 0xff, 4, 0, ARCH_EFFECT_JUMP_SOMEWHERE, NAMES_NONE, NOTHING}, /* jmp to an operand */
    {0xc2, 0xfe, ANY, 0, ARCH_EFFECT_RETURN, NAMES_NONE, UNSIGNED_IMMEDIATE},
    {0xf4, 0xff, ANY, 0, ARCH_EFFECT_NO_MORE, NAMES_NONE, NOTHING}, /* hlt */
    {0xcc, 0xff, ANY, 0, ARCH_EFFECT_NO_MORE, NAMES_NONE, NOTHING}, /* int3 */
    {0xc9, 0xff, ANY, 0, ARCH_EFFECT_LEAVE, NAMES_NONE, NOTHING},
    {0xc8, 0xff, ANY, 0, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},                        /* enter */
    {0x94, 0xff, ANY, 0, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},                        /* xchg of the stack pointer */
    {0x89, 0xff, ANY, RM_IS_FRAME | REG_IS_SP, ARCH_EFFECT_FRAME, NAMES_NONE, NOTHING}, /* mov */
    {0x8b, 0xff, ANY, RM_IS_SP | REG_IS_FRAME, ARCH_EFFECT_FRAME, NAMES_NONE, NOTHING},
    {0x89, 0xff, ANY, RM_IS_SP | REG_IS_FRAME, ARCH_EFFECT_TO_FRAME, NAMES_NONE, NOTHING},
    {0x8b, 0xff, ANY, RM_IS_FRAME | REG_IS_SP, ARCH_EFFECT_TO_FRAME, NAMES_NONE, NOTHING},
    {0x8d, 0xff, ANY, REG_IS_SP | AT_SP, ARCH_EFFECT_GROW, NAMES_NONE, MINUS_DISPLACEMENT}, /* lea */
    {0x8d, 0xff, ANY, REG_IS_SP | AT_FRAME, ARCH_EFFECT_TO_FRAME, NAMES_NONE, DISPLACEMENT},
    {0x8d, 0xff, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},
    {0x8d, 0xff, ANY, AT_SP | WHOLE_WORD, ARCH_EFFECT_ADDRESS, NAMES_NONE, DISPLACEMENT},
    {0x8b, 0xff, ANY, REG_IS_SP | AT_SP | WHOLE_WORD, ARCH_EFFECT_SWITCH, NAMES_NONE, DISPLACEMENT},
    {0x89, 0xff, ANY, AT_SP | WHOLE_WORD, ARCH_EFFECT_STORE, NAMES_REG, DISPLACEMENT},
    {0x89, 0xff, ANY, AT_SP, ARCH_EFFECT_SAVE, NAMES_REG, NOTHING},           /* of a part of it */
    {0x81, 0xfd, 5, RM_IS_SP, ARCH_EFFECT_GROW, NAMES_NONE, IMMEDIATE},       /* sub */
    {0x81, 0xfd, 0, RM_IS_SP, ARCH_EFFECT_GROW, NAMES_NONE, MINUS_IMMEDIATE}, /* add */
    {0x81, 0xfd, 7, RM_IS_SP, ARCH_EFFECT_PLAIN, NAMES_NONE, NOTHING},        /* cmp */
    {0x81, 0xfd, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},       /* others with a number */
    {0xc7, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},       /* mov of a number */
    {0xf7, 0xff, 7, RM_IS_SP, ARCH_EFFECT_PLAIN, NAMES_NONE, NOTHING},        /* idiv */
    {0xf7, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},       /* not, neg */
    {0xd1, 0xfd, 7, RM_IS_SP, ARCH_EFFECT_PLAIN, NAMES_NONE, NOTHING},        /* sar */
    {0xd1, 0xfd, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},       /* shifts */
    {0xc1, 0xff, 7, RM_IS_SP, ARCH_EFFECT_PLAIN, NAMES_NONE, NOTHING},
    {0xc1, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},
    {0x39, 0xfd, ANY, 0, ARCH_EFFECT_PLAIN, NAMES_NONE, NOTHING},        /* cmp, both ways */
    {0x01, 0xc7, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},  /* add, or, adc, sbb, and, sub, xor */
    {0x03, 0xc7, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING}, /* the same the other way */
    {0x87, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},  /* xchg */
    {0x87, 0xff, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},
    {0x89, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING}, /* mov */
    {0x8b, 0xff, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},
    {0x8f, 0xff, ANY, RM_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING},  /* pop */
    {0x63, 0xff, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING}, /* movslq */
    {0x69, 0xfd, ANY, REG_IS_SP, ARCH_EFFECT_LOST, NAMES_NONE, NOTHING}, /* imul */
};

static int64_t amount_of(const struct parts *parts, enum amount amount)
{
    switch (amount) {
    case WORD:
        return parts->is_32bit ? 4 : 8;
    case IMMEDIATE:
        return parts->immediate;
    case MINUS_IMMEDIATE:
        return -parts->immediate;
    case UNSIGNED_IMMEDIATE:
        return parts->immediate & 0xffff;
    case DISPLACEMENT:
        return parts->displacement;
    case MINUS_DISPLACEMENT:
        return -parts->displacement;
    case NOTHING:
        break;
    }
    return 0;
}

static struct arch_instruction apply(const struct parts *parts, const struct rule *rule)
{
    int number = rule->named == NAMES_REG         ? (int)parts->reg
                 : rule->named == NAMES_IN_OPCODE ? (parts->opcode & 7) | (int)parts->high_rm
                                                  : NO_REGISTER;
    struct arch_instruction instruction = {.effect = rule->effect,
                                           .kept = kept_of(parts, number),
                                           .second = NO_REGISTER,
                                           .amount = amount_of(parts, rule->amount)};
    if (rule->effect == ARCH_EFFECT_POP && number == SP) {
        instruction.effect = ARCH_EFFECT_SWITCH;
        instruction.amount = 0;
    }
    return instruction;
}

static struct arch_instruction judge(const struct parts *parts)
{
    static const struct rule branch = {.effect = ARCH_EFFECT_BRANCH, .amount = IMMEDIATE},
                             undefined = {.effect = ARCH_EFFECT_NO_MORE}, plain = {.effect = ARCH_EFFECT_PLAIN};
    unsigned form = form_of(parts);
    if (parts->map == 1 && !parts->vector && (parts->opcode & 0xf0) == 0x80) /* jcc */
        return apply(parts, &branch);
    if (parts->map == 1 && !parts->vector && parts->opcode == 0x0b) /* ud2 */
        return apply(parts, &undefined);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !parts->map && !parts->vector; i++)
        if ((parts->opcode & rules[i].mask) == rules[i].opcode && (form & rules[i].form) == rules[i].form &&
            (rules[i].extension == ANY || rules[i].extension == (int)(parts->reg & 7)))
            return apply(parts, &rules[i]);
    return apply(parts, &plain);
}

bool arch_decode(const uint8_t *code, size_t size, bool compat, struct arch_instruction *instruction)
{
    struct parts parts = {.at = code, .end = code + size, .is_32bit = compat};
    take_opcode(&parts);
    parts.failed |= is_gone(&parts) || (compat && parts.short_address);
    if (has_operand(&parts))
        take_operand(&parts);
    take_immediate(&parts);
    if (parts.failed)
        return false;
    *instruction = judge(&parts);
    instruction->length = (size_t)(parts.at - code);
    return true;
}
