/* SPDX-License-Identifier: MIT
 *
 * Unwinds one frame by the frame pointer. */
#include "programs/unwind/walk.h"

/* A function that aligns its stack pushes a copy of its return address PC next to FRAME. Below FRAME, it saves the
 * caller's stack pointer: the address just above the original return address. Sets *SP to that value. Returns false if
 * no such word is found. */
static bool find_original(const struct unwind_walk *walk, uint64_t frame, uint64_t pc, uint64_t *sp)
{
    enum { WORDS = 8, ALIGNMENT_MOST = 4096 };
    uint64_t kept, original, place = frame;
    for (int i = 0; i < WORDS; i++) {
        place -= walk->word;
        if (place < walk->registers.value[UNWIND_SP] || !unwind_stack_read(walk->stack, place, walk->word, &kept))
            return false;
        if (kept > frame + 2 * walk->word && kept - frame < ALIGNMENT_MOST &&
            unwind_stack_read(walk->stack, kept - walk->word, walk->word, &original) && original == pc) {
            *sp = kept;
            return true;
        }
    }
    return false;
}

enum unwind_step unwind_pointer_step(struct unwind_walk *walk)
{
    uint64_t frame, sp = walk->registers.value[UNWIND_SP], caller_frame, pc;
    struct unwind_registers caller = {0};
    if (!unwind_get(&walk->registers, UNWIND_FP, &frame))
        return UNWIND_STEP_LOST;
    /* 0 marks the first frame. But an interrupted function may have no frame, and 0 in that register by chance. */
    if (!frame)
        return walk->call ? UNWIND_STEP_END : UNWIND_STEP_LOST;
    if (frame % walk->word || frame < sp || !unwind_is_address(frame))
        return UNWIND_STEP_LOST;
    if (!unwind_walk_read(walk, frame, &caller_frame) || !unwind_walk_read(walk, frame + walk->word, &pc))
        return UNWIND_STEP_OUTSIDE;
    pc = unwind_plain(pc);
    if (!pc && !caller_frame && walk->call)
        return UNWIND_STEP_END;
    if (!unwind_image_find(walk->image, pc - 1)) {
        walk->image->missed = unwind_is_address(pc) ? pc : 0;
        return UNWIND_STEP_LOST;
    }
    unwind_set(&caller, UNWIND_FP, caller_frame);
    unwind_set(&caller, UNWIND_PC, pc);
    /* if calls do not push, other data lies between: this is a lower bound */
    caller.value[UNWIND_SP] = frame + 2 * walk->word;
    if (UNWIND_PUSHED_BY_CALL)
        unwind_set(&caller, UNWIND_SP, frame + 2 * walk->word);
    walk->is_loose = !UNWIND_PUSHED_BY_CALL || !find_original(walk, frame, pc, &caller.value[UNWIND_SP]);
    walk->registers = caller;
    return UNWIND_STEP_TAKEN;
}
