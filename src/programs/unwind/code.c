/* SPDX-License-Identifier: MIT
 *
 * Finds the return address from the instructions at the beginning and the end of functions, where the frame is not set
 * up yet or has been removed. */
#include "common/base/hash.h"
#include "programs/elf/file.h"
#include "programs/unwind/instructions.h"
#include "programs/unwind/object.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>

enum { CODES = 4096 };

/* The latest results, by location. */
struct unwind_code {
    struct {
        uint64_t key; /* 0: nothing */
        enum unwind_code_kind kind;
    } seen[CODES];
};

struct unwind_code *unwind_code_new(void)
{
    return calloc(1, sizeof(struct unwind_code));
}

void unwind_code_free(struct unwind_code *code)
{
    free(code);
}

/* Judges the code at VADDR. CALLED: a call returns there; otherwise it was interrupted there. */
static enum unwind_code_kind judge(struct unwind_code *code, const struct unwind_object *object, uint64_t vaddr,
                                   bool called)
{
    uint64_t key = unwind_object_number(object, vaddr) * 2 + called;
    size_t place = (size_t)(hash_number(key) % CODES);
    uint8_t bytes[UNWIND_BYTES_BEFORE + UNWIND_BYTES_AFTER] = {0}, *here = bytes + UNWIND_BYTES_BEFORE;
    enum unwind_code_kind kind = UNWIND_CODE_OTHER;
    bool compat = elf_file_is_compat(object->file);
    if (code->seen[place].key == key)
        return code->seen[place].kind;
    elf_file_read(object->file, vaddr - UNWIND_BYTES_BEFORE, bytes, UNWIND_BYTES_BEFORE);
    if (elf_file_read(object->file, vaddr, here, UNWIND_BYTES_AFTER) == 0)
        kind = called ? unwind_judge_return(here, compat) : unwind_judge_instruction(here, compat);
    code->seen[place].key = key;
    code->seen[place].kind = kind;
    return kind;
}

/* Returns from a signal handler: the kernel has saved the interrupted code's registers on the stack, at the stack
 * pointer. */
static enum unwind_step restore(struct unwind_walk *walk, enum unwind_code_kind kind)
{
    uint64_t sp;
    struct unwind_registers interrupted = {0};
    uint64_t value;
    if (!unwind_get(&walk->registers, UNWIND_SP, &sp))
        return UNWIND_STEP_LOST;
    for (int i = 0; i < UNWIND_REGISTERS; i++) {
        uint64_t place = unwind_signal_place((enum unwind_register)i, kind);
        if (place == UNWIND_NO_PLACE)
            continue;
        if (!unwind_walk_read(walk, sp + place, &value))
            return UNWIND_STEP_OUTSIDE;
        unwind_set(&interrupted, (enum unwind_register)i, value);
    }
    walk->registers = interrupted;
    walk->is_signal = true;
    return UNWIND_STEP_TAKEN;
}

/* Continues in the caller, at PC with SP. If a call leaves its return address in a register, the caller's value of that
 * register is lost. */
static void return_to(struct unwind_walk *walk, uint64_t pc, uint64_t sp)
{
    walk->registers.known &= ~(UINT64_C(1) << UNWIND_LINK);
    unwind_set(&walk->registers, UNWIND_PC, unwind_plain(pc));
    unwind_set(&walk->registers, UNWIND_SP, sp);
}

/* Returns to the address that lies WORDS words above the stack pointer. */
static enum unwind_step leave(struct unwind_walk *walk, unsigned words, bool pushed_frame)
{
    uint64_t sp = walk->registers.value[UNWIND_SP], frame = 0, pc;
    if ((pushed_frame && !unwind_walk_read(walk, sp, &frame)) || !unwind_walk_read(walk, sp + words * walk->word, &pc))
        return UNWIND_STEP_OUTSIDE;
    if (!unwind_image_find(walk->image, unwind_plain(pc) - 1))
        return UNWIND_STEP_NONE;
    if (pushed_frame)
        unwind_set(&walk->registers, UNWIND_FP, frame);
    return_to(walk, pc, sp + (words + 1) * walk->word);
    return UNWIND_STEP_TAKEN;
}

/* Returns from a function that has just begun, or is about to return: its return address is still where the call left
 * it, on the stack or in a register. */
static enum unwind_step leave_entered(struct unwind_walk *walk)
{
    uint64_t pc;
    if (UNWIND_PUSHED_BY_CALL)
        return leave(walk, 0, false);
    if (!unwind_get(&walk->registers, UNWIND_LINK, &pc) || !unwind_image_find(walk->image, unwind_plain(pc) - 1))
        return UNWIND_STEP_NONE;
    return_to(walk, pc, walk->registers.value[UNWIND_SP]);
    return UNWIND_STEP_TAKEN;
}

/* Returns from a retpoline: to the caller of the code that contains the retpoline, or to that code if it called the
 * retpoline. */
static enum unwind_step leave_retpoline(struct unwind_code *code, struct unwind_walk *walk, enum unwind_code_kind kind)
{
    struct unwind_walk other = *walk;
    enum unwind_step taken = leave(&other, kind == UNWIND_CODE_REPLACED, false);
    if (taken != UNWIND_STEP_TAKEN || !unwind_code_is_return(code, walk->image, other.registers.value[UNWIND_PC]))
        return taken == UNWIND_STEP_OUTSIDE ? taken : UNWIND_STEP_NONE;
    *walk = other;
    return UNWIND_STEP_TAKEN;
}

enum unwind_step unwind_code_retpoline(struct unwind_code *code, struct unwind_walk *walk)
{
    uint64_t vaddr;
    const struct unwind_object *object = walk->call ? NULL : unwind_walk_object(walk, &vaddr);
    if (!object || !unwind_object_numbered(object, vaddr))
        return UNWIND_STEP_NONE;
    enum unwind_code_kind kind = judge(code, object, vaddr, false);
    if (kind != UNWIND_CODE_CAPTURING && kind != UNWIND_CODE_REPLACED)
        return UNWIND_STEP_NONE;
    return leave_retpoline(code, walk, kind);
}

enum unwind_step unwind_code_step(struct unwind_code *code, struct unwind_walk *walk)
{
    uint64_t vaddr;
    const struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    if (!object || !unwind_object_numbered(object, vaddr + walk->call))
        return UNWIND_STEP_NONE;
    enum unwind_code_kind kind = judge(code, object, vaddr + walk->call, walk->call);
    switch (kind) {
    case UNWIND_CODE_OTHER:
        return UNWIND_STEP_NONE;
    case UNWIND_CODE_ENTERED:
        return leave_entered(walk);
    case UNWIND_CODE_PUSHED:
        return leave(walk, 1, false);
    case UNWIND_CODE_CAPTURING:
    case UNWIND_CODE_REPLACED:
        return leave_retpoline(code, walk, kind);
    case UNWIND_CODE_PUSHED_TWICE:
        return leave(walk, 2, false);
    case UNWIND_CODE_PUSHED_FRAME:
        return leave(walk, 1, true);
    case UNWIND_CODE_SIGNAL:
    case UNWIND_CODE_SIGNAL_COMPAT:
    case UNWIND_CODE_SIGNAL_OLD:
        return restore(walk, kind);
    case UNWIND_CODE_UNCALLED: /* somebody else put it there: what makecontext makes begins so */
        return UNWIND_STEP_END;
    }
    return UNWIND_STEP_NONE;
}

enum unwind_step unwind_code_wild(struct unwind_code *code, struct unwind_walk *walk)
{
    struct unwind_walk other = *walk;
    uint64_t sp;
    if (!unwind_get(&walk->registers, UNWIND_SP, &sp))
        return UNWIND_STEP_LOST;
    enum unwind_step taken = leave_entered(&other);
    if (taken != UNWIND_STEP_TAKEN || !unwind_code_is_return(code, walk->image, other.registers.value[UNWIND_PC]))
        return taken == UNWIND_STEP_OUTSIDE ? taken : UNWIND_STEP_LOST;
    *walk = other;
    return UNWIND_STEP_TAKEN;
}

bool unwind_code_is_return(struct unwind_code *code, struct unwind_image *image, uint64_t pc)
{
    const struct unwind_mapping *mapping = unwind_image_find(image, pc - 1);
    uint64_t vaddr;
    if (!mapping)
        return false;
    if (!mapping->object)
        return unwind_generated_is_return(image, pc);
    if (!elf_file_vaddr_of_offset(mapping->object->file, pc - mapping->start + mapping->offset, &vaddr) ||
        !unwind_object_numbered(mapping->object, vaddr))
        return true;
    return judge(code, mapping->object, vaddr, true) != UNWIND_CODE_UNCALLED;
}
