/* SPDX-License-Identifier: MIT
 *
 * The effect of one x86 instruction on the stack and on the control flow. */
#include "common/arch/decode.h"

#include "common/arch/x86_64/parts.h"

enum { SP = 4, FRAME = 5, KEPT_FRAME = 1 /* its place in unwind_kept */ };

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
    AT_SP = 16,    /* memory, relative to the stack pointer */
    AT_FRAME = 32, /* memory, relative to the frame pointer */
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

/* The effects of instructions of map 0. The first row that matches applies: by opcode (under MASK), form, and
 * EXTENSION, the number in REG. */
static const struct rule {
    uint8_t opcode, mask;
    int extension;
    unsigned form;
    enum arch_effect effect;
    enum named named; /* the register that the effect concerns */
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
                                                  : PARTS_NO_REGISTER;
    struct arch_instruction instruction = {.effect = rule->effect,
                                           .kept = kept_of(parts, number),
                                           .second = PARTS_NO_REGISTER,
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
    struct parts parts;
    if (!parts_take(&parts, code, size, compat))
        return false;
    *instruction = judge(&parts);
    instruction->length = (size_t)(parts.at - code);
    return true;
}
