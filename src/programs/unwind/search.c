/* SPDX-License-Identifier: MIT
 *
 * Searches of the stack. Only PC and SP are known of a thread that was not stopped. A function that uses a frame
 * pointer has a word on the stack that points to the caller's frame. The return address, which follows a call of the
 * function, lies above that word. If neither a table nor a symbol gives the beginning of a function, a call of it
 * does. */
#include "programs/elf/file.h"
#include "programs/unwind/instructions.h"
#include "programs/unwind/object.h"
#include "programs/unwind/walk.h"

enum { MOST_WORDS = 8192 };

/* The call instruction before a return address. */
struct call {
    enum unwind_call_kind kind;
    struct unwind_object *object;
    uint64_t vaddr;  /* return address */
    uint64_t called; /* by a direct call, in the same object */
};

static struct call judge(const struct unwind_walk *walk, uint64_t pc)
{
    uint8_t bytes[UNWIND_BYTES_BEFORE];
    struct unwind_walk caller = {.image = walk->image, .call = true};
    struct call call = {.kind = UNWIND_CALL_NONE};
    int32_t distance;
    caller.registers.value[UNWIND_PC] = pc;
    call.object = unwind_walk_object(&caller, &call.vaddr);
    if (!call.object || elf_file_read(call.object->file, ++call.vaddr - sizeof bytes, bytes, sizeof bytes) < 0)
        return call;
    call.kind = unwind_judge_call(bytes + sizeof bytes, &distance);
    call.called = call.vaddr + (uint64_t)(int64_t)distance;
    return call;
}

bool unwind_search_frame(const struct unwind_walk *walk, bool called_directly, uint64_t *place)
{
    const struct unwind_stack *stack = walk->stack;
    uint64_t vaddr, pc, at, first, bottom = walk->registers.value[UNWIND_SP];
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    const struct unwind_rules *rules = object ? unwind_object_rules(object, vaddr) : NULL;
    if (!rules) /* no table shows that it has such a frame */
        return false;
    if (!runs_next(stack->runs, stack->run_count, 2 * walk->word, &bottom, &first))
        return false;
    for (; runs_next(stack->runs, stack->run_count, 2 * walk->word, place, &at); *place += walk->word) {
        if (at - first >= MOST_WORDS * walk->word || !unwind_stack_read(stack, *place + walk->word, walk->word, &pc))
            return false;
        struct call call = judge(walk, unwind_plain(pc));
        /* return addresses of earlier callees can remain below the frame */
        bool inside = call.object == object && call.vaddr > rules->start && call.vaddr <= rules->end;
        if (called_directly ? call.kind == UNWIND_CALL_DIRECT && call.object == object && call.called == rules->start
                            : call.kind != UNWIND_CALL_NONE && !inside)
            return true;
    }
    return false;
}

/* True if no symbol or table covers START, VADDR or the code between. */
static bool is_ambiguous(struct unwind_object *object, uint64_t start, uint64_t vaddr)
{
    enum { STEP = 32 };
    uint64_t from, to;
    for (uint64_t at = start; at < vaddr; at += STEP)
        if (unwind_object_bounds(object, at, &from, &to))
            return false;
    return !unwind_object_bounds(object, vaddr, &from, &to);
}

/* A function begins at the nearest call target before VADDR. Calls to lower targets are left over in the function's
 * own frame from functions called earlier. */
bool unwind_search_call(const struct unwind_walk *walk, uint64_t *place, uint64_t *start)
{
    enum { FUNCTION_MOST = 65536 /* bytes */, SEARCHES_MOST = 4, NEAR_WORDS = 1024, CALLS_MOST = 16 };
    const struct unwind_stack *stack = walk->stack;
    uint64_t vaddr, pc, at, first, here = walk->registers.value[UNWIND_SP];
    struct unwind_object *object = unwind_walk_object(walk, &vaddr);
    unsigned calls = 0;
    bool found = false;
    if (!object || !is_ambiguous(object, vaddr, vaddr) || walk->image->searches++ >= SEARCHES_MOST ||
        !runs_next(stack->runs, stack->run_count, walk->word, &here, &first))
        return false;
    for (; runs_next(stack->runs, stack->run_count, walk->word, &here, &at) && at - first < NEAR_WORDS * walk->word &&
           unwind_stack_read(stack, here, walk->word, &pc) && calls < CALLS_MOST;
         here += walk->word) {
        struct call call = judge(walk, unwind_plain(pc));
        if (call.kind != UNWIND_CALL_DIRECT || call.object != object || call.called > vaddr ||
            vaddr - call.called >= FUNCTION_MOST || (found && call.called <= *start))
            continue;
        if (!found && !is_ambiguous(object, call.called, vaddr)) {
            calls++;
            continue;
        }
        found = true;
        *place = here;
        *start = call.called;
    }
    return found;
}

/* True if the bytes before VADDR can be read, which proves that they are not a call. */
static bool is_readable(const struct unwind_object *object, uint64_t vaddr)
{
    uint8_t bytes[UNWIND_BYTES_BEFORE];
    return object && elf_file_read(object->file, vaddr - sizeof bytes, bytes, sizeof bytes) == 0;
}

bool unwind_search_return(const struct unwind_walk *walk, uint64_t *place, uint64_t *pc)
{
    enum { NEAR_WORDS = 64 };
    const struct unwind_stack *stack = walk->stack;
    uint64_t at, first;
    if (!runs_next(stack->runs, stack->run_count, walk->word, place, &first))
        return false;
    for (; runs_next(stack->runs, stack->run_count, walk->word, place, &at) && at - first < NEAR_WORDS * walk->word &&
           unwind_stack_read(stack, *place, walk->word, pc);
         *place += walk->word) {
        *pc = unwind_plain(*pc);
        if (!unwind_image_find(walk->image, *pc - 1))
            continue;
        struct call call = judge(walk, *pc);
        if (call.kind == UNWIND_CALL_NONE && !is_readable(call.object, call.vaddr))
            return false;
        uint64_t start, end; /* a word may also be the address of a function behind a final call */
        bool begins = call.object && unwind_object_bounds(call.object, call.vaddr, &start, &end) && start == call.vaddr;
        if (call.kind != UNWIND_CALL_NONE && !begins)
            return true;
    }
    return false;
}
