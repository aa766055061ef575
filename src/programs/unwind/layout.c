/* SPDX-License-Identifier: MIT */
#include "programs/unwind/layout.h"

#include "common/arch/decode.h"

#include <stdlib.h>

enum { DEEPEST = 1 << 24, PROBED = 4096 };

/* The stack before an instruction. */
struct state {
    struct unwind_layout layout;
    int32_t frame; /* depth when the frame pointer was set; 0: it was not set */
    int32_t probe; /* depth after a loop that grows the stack by pages and touches each; 0: none has begun */
    bool is_known; /* a path leads to this instruction */
    bool is_lost;  /* the depth is not known */
};

/* Register KEPT is stored or loaded, DOWN bytes below where the stack pointer was at function entry. */
static void store(struct state *state, int kept, int64_t down)
{
    if (kept >= 0 && !state->layout.saved[kept])
        state->layout.saved[kept] = down > 0 && down < DEEPEST ? (int32_t)down : -1;
}

static void load(struct state *state, int kept, int64_t down)
{
    if (kept >= 0 && state->layout.saved[kept] == down)
        state->layout.saved[kept] = 0;
    if (kept == UNWIND_KEPT_FP)
        state->frame = 0;
}

static void store_both(struct state *state, const struct arch_instruction *instruction, int64_t down)
{
    store(state, instruction->kept, down);
    store(state, instruction->second, down - 8);
}

static void load_both(struct state *state, const struct arch_instruction *instruction, int64_t down)
{
    load(state, instruction->kept, down);
    load(state, instruction->second, down - 8);
}

static void push(struct state *state, const struct arch_instruction *instruction)
{
    state->layout.depth += (int32_t)instruction->amount;
    store_both(state, instruction, state->layout.depth);
}

static void pop(struct state *state, const struct arch_instruction *instruction)
{
    load_both(state, instruction, state->layout.depth);
    state->layout.depth -= (int32_t)instruction->amount;
}

static void return_to_frame(struct state *state, int64_t above)
{
    state->is_lost = !state->frame || above > state->frame || above < -DEEPEST;
    if (!state->is_lost)
        state->layout.depth = state->frame - (int32_t)above;
}

/* Handles a loop that grows the stack: a register gets the address where a large frame will end, and the loop moves the
 * stack pointer there. */
static void probe(struct state *state, const struct arch_instruction *instruction)
{
    bool grows = instruction->effect == ARCH_EFFECT_GROW && instruction->amount == PROBED;
    if (instruction->effect == ARCH_EFFECT_ADDRESS && instruction->amount <= -PROBED && instruction->amount > -DEEPEST)
        state->probe = state->layout.depth - (int32_t)instruction->amount;
    else if (instruction->effect == ARCH_EFFECT_BRANCH && instruction->amount < 0 && state->probe)
        state->layout.depth = state->probe;
    if (!grows && instruction->effect != ARCH_EFFECT_ADDRESS && instruction->effect != ARCH_EFFECT_PLAIN)
        state->probe = 0;
}

static void run(struct state *state, const struct arch_instruction *instruction, bool compat)
{
    const struct arch_instruction pop_frame = {.kept = UNWIND_KEPT_FP, .second = -1, .amount = compat ? 4 : 8};
    int64_t amount = instruction->amount;
    int kept = instruction->kept;
    switch (instruction->effect) {
    case ARCH_EFFECT_PUSH:
        push(state, instruction);
        break;
    case ARCH_EFFECT_POP:
        pop(state, instruction);
        break;
    case ARCH_EFFECT_GROW:
        if (amount > -DEEPEST && amount < DEEPEST)
            state->layout.depth += (int32_t)amount;
        else
            state->is_lost = true;
        break;
    case ARCH_EFFECT_LOST:
    case ARCH_EFFECT_SWITCH:
        state->is_lost = true;
        break;
    case ARCH_EFFECT_SAVE:
        if (kept >= 0 && !state->layout.saved[kept])
            state->layout.saved[kept] = -1;
        break;
    case ARCH_EFFECT_STORE:
        store_both(state, instruction, state->layout.depth - amount);
        break;
    case ARCH_EFFECT_LOAD:
        load_both(state, instruction, state->layout.depth - amount);
        break;
    case ARCH_EFFECT_FRAME:
        state->frame = state->layout.depth - (int32_t)amount;
        break;
    case ARCH_EFFECT_TO_FRAME:
        return_to_frame(state, amount);
        break;
    case ARCH_EFFECT_LEAVE:
        return_to_frame(state, amount);
        pop(state, &pop_frame);
        break;
    default:
        break;
    }
    probe(state, instruction);
    if (state->layout.depth < 0 || state->layout.depth > DEEPEST) {
        state->is_lost = true;
        state->layout.depth = 0;
    }
}

/* Records that a path leads from STATE to byte TARGET; the first path counts. */
static void lead(struct state *states, size_t size, int64_t target, const struct state *state)
{
    if (target >= 0 && (uint64_t)target < size && !states[target].is_known) {
        states[target] = *state;
        states[target].is_known = true;
    }
}

static bool goes_on(enum arch_effect effect)
{
    return effect != ARCH_EFFECT_JUMP && effect != ARCH_EFFECT_JUMP_SOMEWHERE && effect != ARCH_EFFECT_RETURN &&
           effect != ARCH_EFFECT_NO_MORE;
}

static bool is_branch(enum arch_effect effect)
{
    return effect == ARCH_EFFECT_BRANCH || effect == ARCH_EFFECT_JUMP || effect == ARCH_EFFECT_JUMP_SOMEWHERE;
}

/* Follows CODE up to byte AT. STATES has an entry, initially unknown, for each byte. */
static bool follow(const uint8_t *code, size_t size, size_t at, bool compat, struct state *states,
                   struct unwind_layout *layout)
{
    struct arch_instruction instruction;
    struct state state = {.is_known = true}, body = state; /* deepest state at a branch: not in the middle of a call */
    for (size_t here = 0; here <= at; here += instruction.length) {
        if (states[here].is_known)
            state = states[here];
        else if (!state.is_known) /* only a jump backwards or a jump table leads here: most likely from the body */
            state = body;
        if (!arch_decode(code + here, size - here, compat, &instruction))
            return false;
        if (at < here + instruction.length) {
            *layout = state.layout;
            return !state.is_lost && (!state.frame || !UNWIND_PUSHED_BY_CALL);
        }
        run(&state, &instruction, compat);
        if (is_branch(instruction.effect) && !state.is_lost && state.layout.depth > body.layout.depth)
            body = state;
        if (instruction.effect == ARCH_EFFECT_BRANCH || instruction.effect == ARCH_EFFECT_JUMP)
            lead(states, size, (int64_t)(here + instruction.length) + instruction.amount, &state);
        state.is_known = goes_on(instruction.effect);
    }
    return false;
}

bool unwind_layout_find(const uint8_t *code, size_t size, size_t at, bool compat, struct unwind_layout *layout)
{
    struct state *states = at < size ? calloc(size, sizeof *states) : NULL;
    bool found = states && follow(code, size, at, compat, states, layout);
    free(states);
    return found;
}

void unwind_layout_begin(const uint8_t *code, size_t size, bool compat, struct unwind_layout *layout)
{
    struct arch_instruction instruction;
    struct state state = {.is_known = true};
    for (size_t at = 0; arch_decode(code + at, size - at, compat, &instruction); at += instruction.length) {
        if (!goes_on(instruction.effect) || is_branch(instruction.effect))
            break;
        run(&state, &instruction, compat);
        if (state.is_lost)
            break;
    }
    *layout = state.layout;
}
