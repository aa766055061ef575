/* SPDX-License-Identifier: MIT
 *
 * Unwinds functions that have a symbol but no table, and often no frame pointer either, as in small C libraries.
 * Also unwinds functions with a wrong table. */
#include "common/base/hash.h"
#include "programs/elf/file.h"
#include "programs/unwind/layout.h"
#include "programs/unwind/leave.h"
#include "programs/unwind/object.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>

enum { BODIES = 4096, LEAVINGS = 1024, BODY_MOST = 65536 /* bytes of a function */ };

/* The latest results, by instruction. */
struct unwind_bodies {
    struct body {
        uint64_t number;                                  /* 0: nothing */
        enum { BODY_NONE, BODY_FIRST, BODY_LAYOUT } kind; /* the first is the program's entry: nobody calls it */
        struct unwind_layout layout;
    } items[BODIES];
    struct leaving {
        uint64_t number; /* 0: nothing */
        size_t count;
        bool all; /* the function has no other ways to return */
        struct unwind_leave leaves[UNWIND_LEAVES];
    } leavings[LEAVINGS];
};

struct unwind_bodies *unwind_bodies_new(void)
{
    return calloc(1, sizeof(struct unwind_bodies));
}

void unwind_bodies_free(struct unwind_bodies *bodies)
{
    free(bodies);
}

/* True if VADDR is in the entry code of the program. Without a symbol that code is assumed to have ENTRY_MOST bytes:
 * a function that begins there only calls the next one. */
static bool is_entry(const struct unwind_object *object, uint64_t vaddr)
{
    enum { ENTRY_MOST = 64 };
    uint64_t entry = elf_file_entry(object->file);
    return entry && vaddr >= entry && vaddr - entry < ENTRY_MOST;
}

static void classify(struct body *body, struct unwind_object *object, uint64_t vaddr)
{
    uint64_t start, end;
    uint8_t *code;
    bool known = unwind_object_bounds(object, vaddr, &start, &end);
    body->kind = BODY_NONE;
    if (known ? start == elf_file_entry(object->file) : is_entry(object, vaddr))
        body->kind = BODY_FIRST;
    if (!known || body->kind == BODY_FIRST || end - start > BODY_MOST)
        return;
    size_t size = (size_t)(end - start);
    code = malloc(size);
    if (code && elf_file_read(object->file, start, code, size) == 0 &&
        unwind_layout_find(code, size, (size_t)(vaddr - start), elf_file_is_compat(object->file), &body->layout))
        body->kind = BODY_LAYOUT;
    free(code);
}

static const struct body *find(struct unwind_bodies *bodies, struct unwind_object *object, uint64_t vaddr)
{
    uint64_t number = unwind_object_number(object, vaddr);
    struct body *body = &bodies->items[hash_number(number) % BODIES];
    if (body->number != number) {
        body->number = number;
        classify(body, object, vaddr);
    }
    return body;
}

/* Returns the registers of the caller. Reads those that the function saved from the stack, below TOP. The others still
 * have the caller's values. */
static struct unwind_registers caller_of(const struct unwind_walk *walk, const struct unwind_layout *layout,
                                         uint64_t top)
{
    struct unwind_registers caller = {0};
    uint64_t value;
    for (int i = 0; i < UNWIND_KEPT; i++) {
        bool known = layout->saved[i] == 0
                         ? unwind_get(&walk->registers, unwind_kept[i], &value)
                         : layout->saved[i] > 0 && unwind_walk_read(walk, top - (uint64_t)layout->saved[i], &value);
        if (known)
            unwind_set(&caller, unwind_kept[i], value);
    }
    return caller;
}

/* Returns from a function with LAYOUT. PLACE is the value that the stack pointer had when the function was entered. */
static enum unwind_step go_back(struct unwind_walk *walk, const struct unwind_layout *layout, uint64_t place)
{
    struct unwind_registers caller = caller_of(walk, layout, place);
    uint64_t pc;
    if (UNWIND_PUSHED_BY_CALL ? !unwind_walk_read(walk, place, &pc) : !unwind_get(&caller, UNWIND_LINK, &pc))
        return UNWIND_STEP_OUTSIDE;
    pc = unwind_plain(pc);
    if (!unwind_code_is_return(walk->image->unwinder->code, walk->image, pc))
        return UNWIND_STEP_NONE;
    caller.known &= ~(UINT64_C(1) << UNWIND_LINK);
    unwind_set(&caller, UNWIND_PC, pc);
    unwind_set(&caller, UNWIND_SP, place + unwind_walk_pushed(walk));
    walk->registers = caller;
    return UNWIND_STEP_TAKEN;
}

enum unwind_step unwind_body_step(struct unwind_bodies *bodies, struct unwind_walk *walk)
{
    uint64_t vaddr, sp;
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    const struct body *body;
    if (!unwind_get(&walk->registers, UNWIND_SP, &sp) || !object || !unwind_object_numbered(object, vaddr))
        return UNWIND_STEP_NONE;
    body = find(bodies, object, vaddr);
    if (body->kind != BODY_LAYOUT)
        return body->kind == BODY_FIRST ? UNWIND_STEP_END : UNWIND_STEP_NONE;
    return go_back(walk, &body->layout, sp + (uint64_t)body->layout.depth);
}

static size_t read_code(void *owner, uint64_t address, uint8_t bytes[static UNWIND_INSTRUCTION_MOST])
{
    return elf_file_read(owner, address, bytes, UNWIND_INSTRUCTION_MOST) == 0 ? UNWIND_INSTRUCTION_MOST : 0;
}

/* Returns how the function that WALK is in may be left, or NULL if a file does not contain it. */
static const struct leaving *leaving_of(struct unwind_bodies *bodies, const struct unwind_walk *walk)
{
    uint64_t vaddr;
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    if (!object || !unwind_object_numbered(object, vaddr))
        return NULL;
    uint64_t number = unwind_object_number(object, vaddr);
    struct leaving *leaving = &bodies->leavings[hash_number(number) % LEAVINGS];
    if (leaving->number != number) {
        leaving->number = number;
        leaving->count = unwind_leave_find(read_code, object->file, vaddr + walk->call,
                                           elf_file_is_compat(object->file), leaving->leaves, &leaving->all);
    }
    return leaving;
}

enum unwind_step unwind_body_leave(struct unwind_bodies *bodies, struct unwind_walk *walk)
{
    const struct leaving *leaving = leaving_of(bodies, walk);
    return leaving ? unwind_leave_by(walk, leaving->leaves, leaving->count, false) : UNWIND_STEP_NONE;
}

bool unwind_body_is_last(struct unwind_bodies *bodies, struct unwind_walk *walk)
{
    const struct leaving *leaving = leaving_of(bodies, walk);
    return !leaving || (!leaving->count && leaving->all) || unwind_leave_is_last(walk, leaving->leaves, leaving->count);
}

/* Returns true if WALK is in code that begins a program. That code calls the code after it, or another small function
 * near it. */
static bool begins_program(const struct unwind_walk *walk)
{
    enum { BEGINNING = 256 };
    uint64_t vaddr;
    const struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    uint64_t entry = object ? elf_file_entry(object->file) : 0;
    return entry && (vaddr >= entry ? vaddr - entry : entry - vaddr) < BEGINNING;
}

enum unwind_step unwind_body_first(struct unwind_bodies *bodies, struct unwind_walk *walk)
{
    uint64_t vaddr, pc, place = walk->registers.value[UNWIND_SP], start, end;
    struct unwind_walk caller = *walk;
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    if (!object || unwind_object_bounds(object, vaddr, &start, &end) || !unwind_search_return(walk, &place, &pc))
        return UNWIND_STEP_NONE;
    caller.registers = (struct unwind_registers){.is_compat = walk->registers.is_compat};
    unwind_set(&caller.registers, UNWIND_PC, pc);
    unwind_set(&caller.registers, UNWIND_SP, place + unwind_walk_pushed(walk));
    unwind_set(&caller.registers, UNWIND_FP, 0);
    caller.call = true;
    const struct leaving *leaving = leaving_of(bodies, &caller);
    if (!leaving || ((leaving->count || !leaving->all) && !begins_program(&caller)))
        return UNWIND_STEP_NONE;
    *walk = caller;
    return UNWIND_STEP_TAKEN;
}

/* Sets *TOP to the value that the stack pointer had when the function was entered. The return address is at PLACE:
 * pushed by the call, or saved by the function as LAYOUT says. Returns false if the function has not saved it. */
static bool find_top(const struct unwind_layout *layout, uint64_t place, uint64_t *top)
{
    *top = place;
    for (int i = 0; i < UNWIND_KEPT; i++)
        if (unwind_kept[i] == UNWIND_LINK) {
            *top = place + (uint64_t)layout->saved[i];
            return layout->saved[i] > 0;
        }
    return true;
}

enum unwind_step unwind_body_called(struct unwind_walk *walk)
{
    enum { BEGINNING = 128 }; /* bytes that are followed */
    uint8_t code[BEGINNING];
    uint64_t vaddr, place, start, top;
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    struct unwind_layout layout;
    if (!object || !unwind_search_call(walk, &place, &start))
        return UNWIND_STEP_NONE;
    size_t size = vaddr - start < sizeof code ? (size_t)(vaddr - start) : sizeof code;
    if (elf_file_read(object->file, start, code, size) < 0)
        return UNWIND_STEP_NONE;
    unwind_layout_begin(code, size, walk->word == 4, &layout);
    return find_top(&layout, place, &top) ? go_back(walk, &layout, top) : UNWIND_STEP_NONE;
}
