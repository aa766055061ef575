/* SPDX-License-Identifier: MIT
 *
 * Analyses a function that puts a variable in front of a list, by following values in registers and in memory. */
#include "common/arch/x86_64/parts.h"

#include "common/arch/code.h"
#include "common/arch/decode.h"

#include <string.h>

enum { AX = 0, CX = 1, DX = 2, SP = 4, SI = 6, DI = 7, LAST_SCRATCH = 11, REGISTERS = 16, WORD = 8 };

/* What a value is known to be. */
enum kind {
    OTHER,
    STATE,    /* the function's first argument */
    PREVIOUS, /* the word at OFFSET of STATE: the address of the previous variable */
    NODE,     /* the word at INNER of the previous variable */
    ON_STACK  /* the address of a variable of the function */
};

struct value {
    enum kind kind;
    int64_t distance; /* of a variable from the stack pointer */
};

static const struct value other = {OTHER, 0};

/* The known state before an instruction. */
struct tracker {
    uint8_t offset, inner;
    struct value general[REGISTERS], low[REGISTERS], high[REGISTERS]; /* the latter two: of vectors */
    bool has_node;                                                    /* whether a NODE is stored on the stack */
    int64_t node;                                                     /* its distance from the stack pointer */
    bool is_linked, is_filled; /* the first store was executed, and the second one */
    int64_t variable;
};

static void forget_registers(struct tracker *tracker)
{
    memset(tracker->general, 0, sizeof tracker->general);
    memset(tracker->low, 0, sizeof tracker->low);
    memset(tracker->high, 0, sizeof tracker->high);
}

/* Called when the stack pointer has an unknown value. */
static void forget_distances(struct tracker *tracker)
{
    tracker->has_node = false;
    for (size_t i = 0; i < REGISTERS; i++)
        if (tracker->general[i].kind == ON_STACK)
            tracker->general[i] = other;
}

static void forget_scratch(struct tracker *tracker)
{
    static const unsigned others[] = {AX, CX, DX, SI, DI};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tracker->general[others[i]] = other;
    for (size_t i = WORD; i <= LAST_SCRATCH; i++)
        tracker->general[i] = other;
    memset(tracker->low, 0, sizeof tracker->low);
    memset(tracker->high, 0, sizeof tracker->high);
}

/* Returns the word that PARTS loads from memory. */
static struct value loaded(const struct tracker *tracker, const struct parts *parts)
{
    enum kind base = parts->base < 0 ? OTHER : tracker->general[parts->base].kind;
    if (base == STATE && parts->displacement == tracker->offset && !tracker->is_linked)
        return (struct value){PREVIOUS, 0};
    return base == PREVIOUS && parts->displacement == tracker->inner ? (struct value){NODE, 0} : other;
}

/* Follows the instruction PARTS, which stores COUNT words in memory. */
static void store(struct tracker *tracker, const struct parts *parts, const struct value *words, size_t count)
{
    int64_t at = parts->displacement, end = at + WORD * (int64_t)count, filled = tracker->variable + tracker->inner;
    if (parts->base >= 0 && tracker->general[parts->base].kind == STATE && at == tracker->offset &&
        words[0].kind == ON_STACK && !tracker->is_linked) {
        tracker->is_linked = true;
        tracker->variable = words[0].distance;
    }
    if (!parts->base_is_sp)
        return;
    tracker->is_filled |= tracker->is_linked && at <= filled && filled < end;
    tracker->has_node &= tracker->node + WORD <= at || tracker->node >= end;
    for (size_t i = 0; i < count; i++)
        if (words[i].kind == NODE) {
            tracker->has_node = true;
            tracker->node = at + WORD * (int64_t)i;
        }
}

static void write_rm(struct tracker *tracker, const struct parts *parts, struct value value)
{
    if (parts->mode == 3)
        tracker->general[parts->rm] = value;
    else
        store(tracker, parts, &value, 1);
}

enum written { NOTHING, RM, REG, IN_OPCODE, PRODUCT, SCRATCH };
#define ANY (-1)

/* Which registers instructions change, apart from mov and lea. The first row applies that matches the opcode (under
 * MASK), and the EXTENSION in REG. */
static const struct rule {
    uint8_t map, opcode, mask;
    int extension;
    enum written written;
} rules[] = {
    {0, 0x38, 0xfc, ANY, NOTHING},   /* cmp */
    {0, 0x00, 0xc6, ANY, RM},        /* add, or, adc, sbb, and, sub, xor */
    {0, 0x02, 0xc6, ANY, REG},       /* the same the other way, */
    {0, 0x04, 0xc6, ANY, PRODUCT},   /* or with a number */
    {0, 0x50, 0xf8, ANY, NOTHING},   /* push */
    {0, 0x58, 0xf8, ANY, IN_OPCODE}, /* pop */
    {0, 0x63, 0xff, ANY, REG},       /* movslq */
    {0, 0x69, 0xfd, ANY, REG},       /* imul */
    {0, 0x70, 0xf0, ANY, NOTHING},   /* jcc */
    {0, 0x80, 0xfc, 7, NOTHING},     /* cmp with a number */
    {0, 0x80, 0xfc, ANY, RM},        /* others with one */
    {0, 0x84, 0xfe, ANY, NOTHING},   /* test */
    {0, 0x88, 0xfe, ANY, RM},        /* mov of a part */
    {0, 0x8a, 0xfe, ANY, REG},       /* the same the other way */
    {0, 0x8d, 0xff, ANY, REG},       /* lea */
    {0, 0x90, 0xff, ANY, NOTHING},   /* nop */
    {0, 0x98, 0xfe, ANY, PRODUCT},   /* cltq, cqto */
    {0, 0xb0, 0xf0, ANY, IN_OPCODE}, /* mov of a number */
    {0, 0xc0, 0xfe, ANY, RM},        /* shifts */
    {0, 0xc6, 0xfe, ANY, RM},        /* mov of a number */
    {0, 0xd0, 0xfc, ANY, RM},        /* shifts */
    {0, 0xe8, 0xff, ANY, SCRATCH},   /* call */
    {0, 0xf6, 0xfe, 0, NOTHING},     /* test with a number */
    {0, 0xf6, 0xfe, 2, RM},          /* not */
    {0, 0xf6, 0xfe, 3, RM},          /* neg */
    {0, 0xf6, 0xfe, ANY, PRODUCT},   /* mul, div */
    {0, 0xff, 0xff, 2, SCRATCH},     /* call of an operand */
    {0, 0xfe, 0xfe, 0, RM},          /* inc */
    {0, 0xfe, 0xfe, 1, RM},          /* dec */
    {1, 0x0d, 0xff, ANY, NOTHING},   /* prefetch */
    {1, 0x18, 0xf8, ANY, NOTHING},   /* prefetch, landing marks, nop */
    {1, 0x40, 0xf0, ANY, REG},       /* cmov */
    {1, 0x80, 0xf0, ANY, NOTHING},   /* jcc */
    {1, 0x90, 0xf0, ANY, RM},        /* setcc */
    {1, 0xaf, 0xff, ANY, REG},       /* imul */
    {1, 0xb6, 0xf6, ANY, REG},       /* movz, movs */
};

static void apply(struct tracker *tracker, const struct parts *parts)
{
    const struct rule *rule = rules, *end = rules + sizeof rules / sizeof *rules;
    while (rule < end && (rule->map != parts->map || (parts->opcode & rule->mask) != rule->opcode ||
                          (rule->extension != ANY && rule->extension != (int)(parts->reg & 7))))
        rule++;
    if (rule == end || parts->vector)
        forget_registers(tracker);
    else if (rule->written == RM)
        write_rm(tracker, parts, other);
    else if (rule->written == REG)
        tracker->general[parts->reg] = other;
    else if (rule->written == IN_OPCODE)
        tracker->general[(parts->opcode & 7) | parts->high_rm] = other;
    else if (rule->written == PRODUCT)
        tracker->general[AX] = tracker->general[DX] = other;
    else if (rule->written == SCRATCH)
        forget_scratch(tracker);
}

static bool move(struct tracker *tracker, const struct parts *parts)
{
    bool in_register = parts->mode == 3;
    if (parts->map || parts->vector || !parts->wide)
        return false;
    if (parts->opcode == 0x89)
        write_rm(tracker, parts, tracker->general[parts->reg]);
    else if (parts->opcode == 0x8b)
        tracker->general[parts->reg] = in_register ? tracker->general[parts->rm] : loaded(tracker, parts);
    else if (parts->opcode == 0x8d && parts->base_is_sp)
        tracker->general[parts->reg] = (struct value){ON_STACK, parts->displacement};
    else
        return false;
    return true;
}

/* Moves between vectors, registers and memory, by which a compiler stores two words at once. */
static bool move_vector(struct tracker *tracker, const struct parts *parts)
{
    struct value *low = &tracker->low[parts->reg], *high = &tracker->high[parts->reg];
    bool in_register = parts->mode == 3;
    if (parts->map != 1 || parts->vector)
        return false;
    if (parts->opcode == 0x6e) { /* movq; movd */
        *low = in_register && parts->wide ? tracker->general[parts->rm] : other;
        *high = other;
    } else if (parts->opcode == 0x6c && in_register) { /* punpcklqdq */
        *high = tracker->low[parts->rm];
    } else if (parts->opcode == 0x16 && !parts->compat && !parts->repeats) { /* movhps, movlhps */
        *high = in_register ? tracker->low[parts->rm] : loaded(tracker, parts);
    } else if (IS_ONE_OF(parts->opcode, "\x10\x28\x57\x6f\xef")) { /* loads; xor */
        *low = *high = other;
    } else if (IS_ONE_OF(parts->opcode, "\x11\x29\x7f") && !in_register) { /* stores */
        store(tracker, parts, (struct value[]){*low, *high}, 2);
    } else if (IS_ONE_OF(parts->opcode, "\x17\xd6") && !in_register) { /* stores of one half */
        store(tracker, parts, parts->opcode == 0x17 ? high : low, 1);
    } else {
        return false;
    }
    return true;
}

/* Follows the instruction at CODE. Returns its length; 0 if it leads elsewhere, or is unknown. */
static size_t follow(struct tracker *tracker, const uint8_t *code, size_t size)
{
    struct arch_instruction instruction;
    struct parts parts;
    if (!arch_decode(code, size, false, &instruction) || !parts_take(&parts, code, size, false))
        return 0;
    switch (instruction.effect) {
    case ARCH_EFFECT_LOST:
    case ARCH_EFFECT_JUMP:
    case ARCH_EFFECT_JUMP_SOMEWHERE:
    case ARCH_EFFECT_RETURN:
    case ARCH_EFFECT_NO_MORE:
        return 0;
    case ARCH_EFFECT_PUSH:
    case ARCH_EFFECT_POP:
    case ARCH_EFFECT_GROW:
    case ARCH_EFFECT_TO_FRAME:
    case ARCH_EFFECT_LEAVE:
    case ARCH_EFFECT_SWITCH:
        forget_distances(tracker);
        if (tracker->is_linked)
            return 0;
        break;
    default:
        break;
    }
    if (!move(tracker, &parts) && !move_vector(tracker, &parts))
        apply(tracker, &parts);
    return instruction.length;
}

/* Finds where the node is now. Returns false if it is known to be nowhere. */
static bool find_node(const struct tracker *tracker, struct arch_place *place)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        enum kind kind = tracker->general[i].kind;
        *place = (struct arch_place){.number = i, .is_stored = kind == PREVIOUS, .offset = tracker->inner};
        if (kind == NODE || kind == PREVIOUS)
            return true;
    }
    *place = (struct arch_place){.number = SP, .is_stored = true, .offset = tracker->node};
    return tracker->has_node;
}

/* Adds the place of the node while the instruction of LENGTH bytes at AT is the next one. */
static void add_place(const struct tracker *tracker, size_t at, size_t length, struct arch_linking *linking)
{
    struct arch_place place, *last = linking->count ? &linking->places[linking->count - 1] : NULL;
    if (!find_node(tracker, &place))
        return;
    if (last && last->part.end == at && last->number == place.number && last->is_stored == place.is_stored &&
        last->offset == place.offset) {
        last->part.end = at + length;
    } else if (linking->count < ARCH_PLACES_MOST) {
        place.part = (struct arch_part){at, at + length};
        linking->places[linking->count++] = place;
    }
}

bool arch_find_linking(const uint8_t *code, size_t size, uint8_t offset, uint8_t inner, struct arch_linking *linking)
{
    struct tracker tracker = {.offset = offset, .inner = inner, .general[DI] = {STATE, 0}};
    *linking = (struct arch_linking){.count = 0};
    for (size_t at = 0; at < size;) {
        struct tracker before = tracker;
        size_t length = follow(&tracker, code + at, size - at);
        if (!length)
            return false;
        if (before.is_linked)
            add_place(&before, at, length, linking);
        at += length;
        if (!before.is_linked)
            linking->part.start = at;
        linking->part.end = at;
        linking->variable = tracker.variable;
        if (tracker.is_filled)
            return true;
    }
    return false;
}
