/* SPDX-License-Identifier: MIT
 *
 * Finds the return address from arm64 instructions. */
#include "programs/unwind/instructions.h"

#include "common/arch/code.h"

#include <string.h>

enum {
    NUMBER_OF_RETURN = 0xd2801168u, /* mov x8, #139: rt_sigreturn */
    MAKE_CALL = 0xd4000001u,        /* svc #0 */
    SIGN_A = 0xd503233fu,           /* paciasp */
    SIGN_B = 0xd503237fu,           /* pacibsp */
    PUSH_FOR_LINKER = 0xa9bf7bf0u,  /* stp x16, x30, [sp, #-16]!: begins the procedure linkage table */
    PUSH_FRAME = 0xa9bf7bfdu,       /* stp x29, x30, [sp, #-16]! */
    LOAD_17 = 0xf9400211u,          /* ldr x17, [x16, ...] */
    ADD_16 = 0x91000210u,           /* add x16, x16, ... */
    BRANCH_17 = 0xd61f0220u,        /* br x17 */
};

static uint32_t word_at(const uint8_t *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof word);
    return word;
}

static bool is_signal_return(const uint8_t *here)
{
    return word_at(here) == NUMBER_OF_RETURN && word_at(here + 4) == MAKE_CALL;
}

static bool is_return(uint32_t word) /* with signed addresses, too */
{
    return (word & 0xfffff3ffu) == 0xd65f03c0u || (word & 0xfffffbffu) == 0xd65f0bffu;
}

/* stp x29, x30, [sp, #...]!, and str x30, [sp, #...]! */
static bool saves_return(uint32_t word)
{
    return (word & 0xffc07fffu) == 0xa9807bfdu || (word & 0xffe00fffu) == 0xf8000ffeu;
}

/* Returns true if HERE is inside an entry of the procedure linkage table, after its first instruction. */
static bool is_in_slot(const uint8_t *here)
{
    uint32_t word = word_at(here), next = word_at(here + 4);
    return word == BRANCH_17 || ((word & 0xffc003ffu) == ADD_16 && next == BRANCH_17) ||
           ((word & 0xffc003ffu) == LOAD_17 && (next & 0xffc003ffu) == ADD_16);
}

enum unwind_code_kind unwind_judge_instruction(const uint8_t *here, bool compat)
{
    (void)compat;
    uint32_t word = word_at(here), before = word_at(here - 4);
    if (is_signal_return(here))
        return UNWIND_CODE_SIGNAL;
    if (before == PUSH_FOR_LINKER)
        return UNWIND_CODE_PUSHED;
    if (before == PUSH_FRAME)
        return UNWIND_CODE_PUSHED_FRAME;
    if (arch_landing_mark(here, sizeof word) || word == SIGN_A || word == SIGN_B || word == PUSH_FOR_LINKER ||
        saves_return(word) || is_return(word) || is_in_slot(here) ||
        arch_plt_slot_decode(here, UNWIND_BYTES_AFTER, 0).kind != ARCH_PLT_SLOT_OTHER)
        return UNWIND_CODE_ENTERED;
    return UNWIND_CODE_OTHER;
}

enum unwind_call_kind unwind_judge_call(const uint8_t *end, int32_t *distance)
{
    uint32_t word = word_at(end - 4);
    *distance = (int32_t)(word << 6) >> 4;
    *distance -= 4;
    if ((word & 0xfc000000u) == 0x94000000u) /* bl */
        return UNWIND_CALL_DIRECT;
    bool plain = (word & 0xfffffc1fu) == 0xd63f0000u,
         with_signed = (word & 0xfefff800u) == 0xd63f0800u; /* blr, blraa */
    return plain || with_signed ? UNWIND_CALL_INDIRECT : UNWIND_CALL_NONE;
}

enum unwind_code_kind unwind_judge_return(const uint8_t *here, bool compat)
{
    (void)compat;
    int32_t distance;
    if (is_signal_return(here))
        return UNWIND_CODE_SIGNAL;
    return unwind_judge_call(here, &distance) == UNWIND_CALL_NONE ? UNWIND_CODE_UNCALLED : UNWIND_CODE_OTHER;
}

/* sub x..., sp, #... or x...: the result still points to the same stack */
static bool takes_from_stack(uint32_t word)
{
    return (word & 0xff8003e0u) == 0xd10003e0u || (word & 0xffe003e0u) == 0xcb2003e0u;
}

/* The Go compiler computes the end of a large frame first, in another register. */
bool unwind_code_switches_stack(const uint8_t *code, size_t size)
{
    enum { SP = 31, FRAME = 29 };
    uint32_t same = UINT32_C(1) << SP | UINT32_C(1) << FRAME; /* registers that point to this stack */
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = word_at(code + i);
        if ((word & 0xbf80001fu) == 0x9100001fu && !(same >> (word >> 5 & 31) & 1))
            return true;
        if (takes_from_stack(word))
            same |= UINT32_C(1) << (word & 31);
    }
    return false;
}
