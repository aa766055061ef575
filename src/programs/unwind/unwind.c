/* SPDX-License-Identifier: MIT */
#include "programs/unwind/unwind.h"

#include "programs/unwind/frame.h"
#include "programs/unwind/object.h"
#include "programs/unwind/pages.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>

/* The largest programs have some 20 MiB of tables, but processes may map any number of files. */
#define TABLES_ROOM (UINT64_C(256) << 20)

struct unwinder *unwind_new(enum unwind_mode mode, elf_unwind_unpack *unpack)
{
    struct unwinder *unwinder = calloc(1, sizeof *unwinder);
    if (!unwinder)
        return NULL;
    unwinder->mode = mode;
    unwinder->unpack = unpack;
    unwinder->tables_room = TABLES_ROOM;
    unwinder->code = unwind_code_new();
    unwinder->bodies = unwind_bodies_new();
    unwinder->pages = unwind_pages_new();
    unwinder->dwarf = unwind_has_dwarf() ? unwind_dwarf_new() : NULL;
    if (unwinder->code && unwinder->bodies && unwinder->pages &&
        (unwinder->dwarf || (mode == UNWIND_FRAME_POINTERS && !unwind_has_dwarf())))
        return unwinder;
    unwind_free(unwinder);
    return NULL;
}

void unwind_free(struct unwinder *unwinder)
{
    if (!unwinder)
        return;
    unwind_dwarf_free(unwinder->dwarf);
    unwind_code_free(unwinder->code);
    unwind_bodies_free(unwinder->bodies);
    unwind_pages_free(unwinder->pages);
    free(unwinder);
}

void unwind_forget(struct unwinder *unwinder, const struct unwind_object *object)
{
    if (unwinder->dwarf && object && object->count)
        unwind_dwarf_forget(unwinder->dwarf, object);
}

static enum unwind_step step_by_table(struct unwind_walk *walk)
{
    struct unwind_dwarf *dwarf = walk->image->unwinder->dwarf;
    return dwarf ? unwind_dwarf_step(dwarf, walk) : UNWIND_STEP_NONE;
}

/* Follows the instructions up to the return, or finds the call or the jump that led to the function. */
static enum unwind_step step_without_frame(struct unwind_walk *walk, bool sp_known)
{
    struct unwind_bodies *bodies = walk->image->unwinder->bodies;
    enum unwind_step taken = UNWIND_STEP_NONE;
    if (sp_known && walk->call)
        taken = unwind_body_leave(bodies, walk);
    if (sp_known && taken != UNWIND_STEP_TAKEN)
        taken = unwind_body_called(walk);
    return taken == UNWIND_STEP_TAKEN ? taken : unwind_body_first(bodies, walk);
}

/* Uses the frame pointer. If it does not lead to a return address, follows the instructions instead. A frame pointer of
 * 0 marks the first frame. But the register may have another use, and the function may still have no caller. The stack
 * pointer of a caller is unknown if its callee has aligned the stack. */
static enum unwind_step step_by_frame(struct unwind_walk *walk)
{
    struct unwinder *unwinder = walk->image->unwinder;
    struct unwind_walk other = *walk;
    enum unwind_step taken = unwind_pointer_step(walk);
    bool sound = taken == UNWIND_STEP_TAKEN &&
                 unwind_code_is_return(unwinder->code, walk->image, walk->registers.value[UNWIND_PC]);
    bool zero = taken == UNWIND_STEP_END && !other.registers.value[UNWIND_FP];
    walk->image->weak_end = taken == UNWIND_STEP_END;
    if (sound || (taken == UNWIND_STEP_END && !zero) || unwinder->mode != UNWIND_DWARF)
        return taken;
    if (step_without_frame(&other, zero || !other.is_loose) == UNWIND_STEP_TAKEN) {
        *walk = other;
        return UNWIND_STEP_TAKEN;
    }
    return zero && !unwind_body_is_last(unwinder->bodies, walk) ? UNWIND_STEP_LOST : taken;
}

/* Steps where no table exists. The stack pointer of a caller may be unknown, for example if its callee has aligned its
 * own. */
static enum unwind_step step_by_pointer(struct unwind_walk *walk)
{
    struct unwinder *unwinder = walk->image->unwinder;
    if (walk->handled && !unwind_image_find(walk->image, walk->registers.value[UNWIND_PC]))
        return unwind_code_wild(unwinder->code, walk);
    enum unwind_step taken = unwind_code_step(unwinder->code, walk);
    if (taken == UNWIND_STEP_NONE && unwinder->mode == UNWIND_DWARF)
        taken = unwind_body_step(unwinder->bodies, walk);
    if (taken == UNWIND_STEP_NONE && unwinder->mode == UNWIND_DWARF && !walk->call)
        taken = unwind_body_leave(unwinder->bodies, walk);
    if (taken == UNWIND_STEP_NONE && unwinder->mode == UNWIND_DWARF)
        taken = unwind_generated_step(walk);
    return taken == UNWIND_STEP_NONE ? step_by_frame(walk) : taken;
}

/* Goes one step, in the ways that the mode allows. An interrupted function may have no frame; nor has the
 * code in the C library that calls main. */
static enum unwind_step step(struct unwind_walk *walk)
{
    struct unwinder *unwinder = walk->image->unwinder;
    bool table_first = unwinder->mode == UNWIND_DWARF || !walk->call;
    if (unwind_code_retpoline(unwinder->code, walk) == UNWIND_STEP_TAKEN)
        return UNWIND_STEP_TAKEN;
    enum unwind_step taken = table_first ? step_by_table(walk) : step_by_pointer(walk), other;
    if (table_first)
        return taken == UNWIND_STEP_NONE ? step_by_pointer(walk) : taken;
    /* the register may have another use, and hold any value, even 0, the mark of the first frame */
    if (taken == UNWIND_STEP_TAKEN)
        return taken;
    other = step_by_table(walk);
    return other == UNWIND_STEP_NONE ? taken : other;
}

/* Like step, but tries other ways if a table leads nowhere: an interrupted function may be at an instruction that its
 * table does not describe. */
static enum unwind_step step_soundly(struct unwind_walk *walk)
{
    struct unwind_walk other = *walk;
    enum unwind_step taken = step(walk);
    uint64_t pc = walk->registers.value[UNWIND_PC];
    if (other.call || taken != UNWIND_STEP_TAKEN || walk->is_signal ||
        (pc && unwind_code_is_return(walk->image->unwinder->code, walk->image, pc)))
        return taken;
    struct unwind_bodies *bodies = walk->image->unwinder->bodies;
    if (unwind_body_leave(bodies, &other) == UNWIND_STEP_TAKEN || unwind_body_step(bodies, &other) == UNWIND_STEP_TAKEN)
        *walk = other;
    return taken;
}

static enum unwind_end end_of(enum unwind_step last)
{
    switch (last) {
    case UNWIND_STEP_END:
        return UNWIND_WHOLE;
    case UNWIND_STEP_OUTSIDE:
        return UNWIND_TRUNCATED;
    default:
        return UNWIND_UNKNOWN;
    }
}

/* True if SP can be the stack pointer of the caller of a frame with stack pointer BEFORE. A stack grows downwards,
 * and a call takes room on it. An INTERRUPTED function may already have popped its return address. */
static bool is_above(uint64_t sp, uint64_t before, bool interrupted)
{
    return sp > before || (interrupted && sp == before);
}

/* A signal handler has returned with the stack pointer at FRAME, and WALK is in the interrupted code. If that code
 * runs on another stack, keeps the address of its saved stack pointer. */
static void note_crossing(struct unwind_walk *walk, uint64_t frame)
{
    static const enum unwind_code_kind kinds[] = {UNWIND_CODE_SIGNAL, UNWIND_CODE_SIGNAL_COMPAT,
                                                  UNWIND_CODE_SIGNAL_OLD};
    uint64_t sp, word;
    if (!unwind_get(&walk->registers, UNWIND_SP, &sp) || unwind_stack_read(walk->stack, sp, walk->word, &word))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t place = unwind_signal_place(UNWIND_SP, kinds[i]);
        if (place != UNWIND_NO_PLACE && unwind_stack_read(walk->stack, frame + place, walk->word, &word) && word == sp)
            walk->image->crossed = frame + place;
    }
}

/* Returns true if the return address of WALK is where generated code begins, with no call before it. Something replaced
 * the true return address, for example the kernel, for a probe at a function's return. */
static bool is_hijacked(const struct unwind_walk *walk)
{
    uint64_t pc = walk->registers.value[UNWIND_PC];
    const struct unwind_mapping *mapping = walk->call ? unwind_image_find(walk->image, pc) : NULL;
    return mapping && !mapping->object && mapping->start == pc;
}

/* Returns true if a program built this stack itself, for a coroutine: a function returns to where another one begins,
 * and no call is before that. Above are words of any kind. */
static bool is_built(const struct unwind_walk *walk)
{
    struct unwind_walk first = *walk;
    uint64_t pc = walk->registers.value[UNWIND_PC], vaddr, start, end;
    first.call = false;
    if (!walk->by_table || !walk->call || unwind_code_is_return(walk->image->unwinder->code, walk->image, pc))
        return false;
    struct unwind_object *object = unwind_walk_object(&first, &vaddr);
    return object && unwind_object_bounds(object, vaddr, &start, &end) && start == vaddr;
}

/* Steps from FRAME, the walk's current frame, to its caller. Returns UNWIND_STEP_TAKEN if the caller was found. */
static enum unwind_step go_on(struct unwind_walk *walk, struct unwind_frame *frame)
{
    uint64_t before = walk->registers.value[UNWIND_SP];
    bool interrupted = !walk->call;
    enum unwind_step taken;
    if (walk->is_first)
        return UNWIND_STEP_END;
    walk->handled = walk->is_signal;
    walk->is_signal = walk->by_table = false;
    walk->image->outside = 0;
    walk->image->weak_end = false;
    taken = step_soundly(walk);
    if (taken != UNWIND_STEP_TAKEN) {
        /* a program built this stack itself: the address is where code begins, not a return address */
        if (frame->call && !unwind_code_is_return(walk->image->unwinder->code, walk->image, frame->pc))
            frame->call = false;
        return taken;
    }
    if (walk->is_signal)
        frame->call = false;
    if (walk->is_signal)
        note_crossing(walk, before);
    walk->call = !walk->is_signal;
    if (!walk->registers.value[UNWIND_PC] && walk->call) {
        walk->image->weak_end = true;
        return UNWIND_STEP_END;
    }
    /* a signal handler may have a stack of its own */
    if (!walk->is_signal && !is_above(walk->registers.value[UNWIND_SP], before, interrupted))
        return UNWIND_STEP_LOST;
    walk->is_first = is_built(walk);
    walk->call &= !walk->is_first;
    if (unwind_image_find(walk->image, walk->registers.value[UNWIND_PC] - walk->call))
        return UNWIND_STEP_TAKEN;
    if (is_hijacked(walk)) {
        walk->call = false;
        return UNWIND_STEP_TAKEN;
    }
    walk->image->missed = walk->registers.value[UNWIND_PC];
    return walk->is_signal ? UNWIND_STEP_TAKEN : UNWIND_STEP_LOST;
}

/* The frames found so far. */
struct found {
    struct unwind_frame *frames;
    size_t count, most;
    enum unwind_step last;
};

/* Follows callers until it fails. Returns the walk as it was before the step that failed. */
static struct unwind_walk follow(struct unwind_walk walk, struct found *found)
{
    struct unwind_walk before = walk;
    found->last = UNWIND_STEP_TAKEN;
    while (found->last == UNWIND_STEP_TAKEN && found->count < found->most) {
        before = walk;
        found->frames[found->count++] = (struct unwind_frame){
            .pc = walk.registers.value[UNWIND_PC], .call = walk.call, .sp = walk.registers.value[UNWIND_SP]};
        found->last = go_on(&walk, &found->frames[found->count - 1]);
    }
    return before;
}

/* Guesses the frame of WALK's function by searching the stack. Accepts a return address after a direct call of this
 * function. Accepts any other guess only if the rest of the stack unwinds to the thread's entry. */
static void search(struct unwind_walk walk, struct found *found)
{
    enum { MOST_TRIES = 8 };
    uint64_t place = walk.registers.value[UNWIND_SP];
    uint64_t missed = walk.image->missed;
    struct found known = *found;

    known.count--; /* follow() adds it again */
    if (unwind_search_frame(&walk, true, &place)) {
        unwind_set(&walk.registers, UNWIND_FP, place);
        *found = known;
        follow(walk, found);
        return;
    }
    place = walk.registers.value[UNWIND_SP];
    for (int i = 0; i < MOST_TRIES && unwind_search_frame(&walk, false, &place); i++, place += walk.word) {
        struct found attempt = known;
        unwind_set(&walk.registers, UNWIND_FP, place);
        follow(walk, &attempt);
        if (attempt.last == UNWIND_STEP_END) {
            *found = attempt;
            return;
        }
    }
    walk.image->missed = missed;
}

/* Searches for the caller of WALK in generated code without a known return: the size of its frame is unknown. Such code
 * saves the frame pointer below its return address. Accepts a caller if the stack unwinds from it to the thread's
 * entry. */
static void search_generated(struct unwind_walk walk, struct found *found)
{
    enum { MOST_TRIES = 8, MOST_WORDS = 256 };
    const struct unwind_stack *stack = walk.stack;
    uint64_t pc, frame, at, first, place = walk.registers.value[UNWIND_SP], missed = walk.image->missed;
    bool hijacked = !walk.call && found->count > 1; /* then nothing shows which words belong to the callers */
    int tries = 0;
    if (!runs_next(stack->runs, stack->run_count, walk.word, &place, &first))
        return;
    for (; tries < MOST_TRIES && runs_next(stack->runs, stack->run_count, walk.word, &place, &at) &&
           at - first < MOST_WORDS * walk.word && unwind_stack_read(stack, place, walk.word, &pc);
         place += walk.word) {
        struct unwind_walk caller = walk;
        struct found attempt = *found;
        if (!unwind_image_find(walk.image, pc - 1) ||
            !unwind_code_is_return(walk.image->unwinder->code, walk.image, pc) ||
            !unwind_stack_read(stack, place - walk.word, walk.word, &frame))
            continue;
        tries++;
        caller.registers = (struct unwind_registers){.is_compat = walk.registers.is_compat};
        unwind_set(&caller.registers, UNWIND_PC, pc);
        unwind_set(&caller.registers, UNWIND_SP, place + walk.word);
        unwind_set(&caller.registers, UNWIND_FP, frame);
        caller.call = true;
        follow(caller, &attempt);
        if (attempt.last == UNWIND_STEP_END && !(hijacked && walk.image->weak_end)) {
            *found = attempt;
            return;
        }
    }
    walk.image->missed = missed;
}

static bool is_generated(const struct unwind_walk *walk)
{
    const struct unwind_mapping *mapping =
        unwind_image_find(walk->image, walk->registers.value[UNWIND_PC] - walk->call);
    return mapping && !mapping->object;
}

size_t unwind_capture(struct unwind_image *image, const struct unwind_registers *registers,
                      const struct unwind_stack *stack, struct unwind_frame *frames, size_t most, enum unwind_end *end)
{
    struct unwind_walk walk = {
        .image = image, .stack = stack, .registers = *registers, .word = registers->is_compat ? 4 : 8};
    struct found found = {.frames = frames, .most = most};
    uint64_t frame;
    bool stopped = unwind_get(registers, UNWIND_FP, &frame);
    image->is_compat = registers->is_compat;
    image->searches = 0;
    image->crossed = 0;
    unwind_generated_begin(image);
    if (image->unwinder->dwarf)
        unwind_dwarf_begin(image->unwinder->dwarf);
    image->missed = unwind_image_find(image, walk.registers.value[UNWIND_PC]) ? 0 : walk.registers.value[UNWIND_PC];
    walk = follow(walk, &found);
    if (!stopped && end_of(found.last) == UNWIND_UNKNOWN && !unwind_get(&walk.registers, UNWIND_FP, &frame))
        search(walk, &found);
    else if (stopped && UNWIND_PUSHED_BY_CALL != 0 && end_of(found.last) != UNWIND_WHOLE && found.count < found.most &&
             !unwind_image_absent(image) && is_generated(&walk))
        search_generated(walk, &found);
    *end = found.last == UNWIND_STEP_TAKEN ? UNWIND_TRUNCATED : end_of(found.last);
    return found.count;
}
