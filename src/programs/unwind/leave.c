/* SPDX-License-Identifier: MIT */
#include "programs/unwind/leave.h"

#include "common/arch/decode.h"

#include <string.h>

enum { DEEPEST = 1 << 20, MOST_INSTRUCTIONS = 1500, MOST_SEEN = 4096, MOST_WAYS = 128 };

/* The state before the instruction at ADDRESS. DEPTH: how far the stack pointer has moved up. */
struct way {
    uint64_t address;
    struct unwind_leave now;
    int32_t frame_depth; /* depth at which the function set the frame pointer, if FRAME_SET */
    bool frame_set, frame_lost;
};

struct search {
    unwind_leave_read *read;
    void *owner;
    bool compat;
    struct unwind_leave *found;
    size_t found_count;
    struct way ways[MOST_WAYS]; /* paths still to be followed, as a ring */
    size_t first, count;
    uint64_t seen[MOST_SEEN]; /* addresses, by hash; 0: none */
    unsigned instructions;
    bool lost; /* some path leads to code that cannot be read or followed */
};

/* Returns true if no path has been at ADDRESS before. */
static bool is_new(struct search *search, uint64_t address)
{
    size_t place = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
    while (search->seen[place] && search->seen[place] != address)
        place = (place + 1) % MOST_SEEN;
    if (search->seen[place] == address)
        return false;
    search->seen[place] = address;
    return true;
}

static void remember_way(struct search *search, const struct way *way, uint64_t address)
{
    struct way *place = &search->ways[(search->first + search->count) % MOST_WAYS];
    search->lost |= search->count == MOST_WAYS;
    if (search->count == MOST_WAYS)
        return;
    *place = *way;
    place->address = address;
    search->count++;
}

/* The path pops only a value that it has pushed: the register keeps its value. */
static void load(struct way *way, int kept, int64_t depth)
{
    if (kept >= 0 && (way->now.by_frame || depth >= 0))
        way->now.saved[kept] = (int32_t)depth;
    if (kept == UNWIND_KEPT_FP)
        way->frame_lost = true;
}

static void load_both(struct way *way, const struct arch_instruction *instruction, int64_t depth)
{
    load(way, instruction->kept, depth);
    load(way, instruction->second, depth + 8);
}

static void forget_saved(struct way *way)
{
    for (int i = 0; i < UNWIND_KEPT; i++)
        way->now.saved[i] = UNWIND_STILL_THERE;
}

/* Sets the stack pointer to AMOUNT bytes above the frame pointer. Returns false if the frame pointer is unknown. */
static bool to_frame(struct way *way, int64_t amount)
{
    if (way->frame_lost || amount > DEEPEST || amount < -DEEPEST)
        return false;
    if (!way->frame_set && !way->now.by_frame) {
        way->now.by_frame = true;
        forget_saved(way);
    }
    way->now.depth = (way->frame_set ? way->frame_depth : 0) + (int32_t)amount;
    return true;
}

static bool has_loaded(const struct way *way)
{
    for (int i = 0; i < UNWIND_KEPT; i++)
        if (way->now.saved[i] != UNWIND_STILL_THERE)
            return true;
    return false;
}

/* The stack pointer is loaded from AMOUNT bytes above it. A function that has aligned its stack keeps the original
 * value there. Returns false if the location is unknown, or if this path has already done so. */
static bool to_saved(struct way *way, int64_t amount)
{
    int64_t place = way->now.depth + amount;
    if (way->now.by_frame || way->now.by_saved || place < 0 || place > DEEPEST || has_loaded(way))
        return false;
    way->now.by_saved = true;
    way->now.saved_at = (int32_t)place;
    way->now.depth = 0;
    way->frame_set = false;
    way->frame_lost = true;
    return true;
}

/* Executes INSTRUCTION. Returns false if the path is lost. */
static bool run(struct way *way, const struct arch_instruction *instruction, bool compat)
{
    switch (instruction->effect) {
    case ARCH_EFFECT_PUSH:
        way->now.depth -= (int32_t)instruction->amount;
        break;
    case ARCH_EFFECT_POP:
        load_both(way, instruction, way->now.depth);
        way->now.depth += (int32_t)instruction->amount;
        break;
    case ARCH_EFFECT_LOAD:
        if (instruction->amount > DEEPEST || instruction->amount < -DEEPEST)
            return false;
        load_both(way, instruction, way->now.depth + instruction->amount);
        break;
    case ARCH_EFFECT_GROW:
        if (instruction->amount > DEEPEST || instruction->amount < -DEEPEST)
            return false;
        way->now.depth -= (int32_t)instruction->amount;
        break;
    case ARCH_EFFECT_FRAME:
        way->frame_set = true;
        way->frame_lost = false;
        way->frame_depth = way->now.depth + (int32_t)instruction->amount;
        break;
    case ARCH_EFFECT_TO_FRAME:
        return to_frame(way, instruction->amount);
    case ARCH_EFFECT_SWITCH:
        return to_saved(way, instruction->amount);
    case ARCH_EFFECT_LEAVE:
        if (!to_frame(way, 0))
            return false;
        load(way, UNWIND_KEPT_FP, way->now.depth);
        way->now.depth += compat ? 4 : 8;
        break;
    default:
        return instruction->effect != ARCH_EFFECT_LOST;
    }
    return way->now.depth < DEEPEST && way->now.depth > -DEEPEST;
}

/* Stores the return that WAY has reached, unless it is known already. */
static void keep_return(struct search *search, const struct way *way, int64_t arguments)
{
    for (size_t i = 0; i < search->found_count; i++) {
        const struct unwind_leave *found = &search->found[i];
        if (found->by_frame == way->now.by_frame && found->depth == way->now.depth &&
            found->by_saved == way->now.by_saved && found->saved_at == way->now.saved_at)
            return;
    }
    bool pushed = way->now.depth < 0 && !way->now.by_frame; /* the function pushed this address itself: it is a jump */
    search->lost |= pushed;
    if (pushed)
        return;
    search->found[search->found_count] = way->now;
    search->found[search->found_count++].arguments = (int32_t)arguments;
}

/* Goes one instruction forward. Returns false if WAY ends. */
static bool go(struct search *search, struct way *way)
{
    uint8_t bytes[UNWIND_INSTRUCTION_MOST];
    struct arch_instruction instruction;
    size_t size;
    if (!is_new(search, way->address))
        return false;
    search->instructions++;
    size = search->read(search->owner, way->address, bytes);
    if (!size || !arch_decode(bytes, size, search->compat, &instruction) || !run(way, &instruction, search->compat)) {
        search->lost = true;
        return false;
    }
    way->address += instruction.length;
    search->lost |= instruction.effect == ARCH_EFFECT_JUMP_SOMEWHERE;
    if (instruction.effect == ARCH_EFFECT_RETURN)
        keep_return(search, way, instruction.amount);
    if (instruction.effect == ARCH_EFFECT_BRANCH)
        remember_way(search, way, way->address + (uint64_t)instruction.amount);
    if (instruction.effect == ARCH_EFFECT_JUMP)
        way->address += (uint64_t)instruction.amount;
    return instruction.effect != ARCH_EFFECT_RETURN && instruction.effect != ARCH_EFFECT_NO_MORE &&
           instruction.effect != ARCH_EFFECT_JUMP_SOMEWHERE;
}

size_t unwind_leave_find(unwind_leave_read *read, void *owner, uint64_t address, bool compat,
                         struct unwind_leave leaves[static UNWIND_LEAVES], bool *all)
{
    struct search search = {.read = read, .owner = owner, .found = leaves, .compat = compat};
    struct way way = {.address = address};
    forget_saved(&way);
    remember_way(&search, &way, address);
    while (search.count && search.found_count < UNWIND_LEAVES && search.instructions < MOST_INSTRUCTIONS) {
        way = search.ways[search.first];
        search.first = (search.first + 1) % MOST_WAYS;
        search.count--;
        while (go(&search, &way) && search.instructions < MOST_INSTRUCTIONS)
            ;
    }
    *all = !search.lost && !search.count;
    return search.found_count;
}
