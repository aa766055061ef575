/* SPDX-License-Identifier: MIT
 *
 * One walk up one stack, and the ways to go a step. */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "unwind/leave.h"
#include "unwind/object.h"

#include <string.h>

struct unwind_dwarf;
struct unwind_code;
struct unwind_bodies;
struct unwind_pages;

struct unwinder {
    enum unwind_mode mode;
    uint64_t objects;           /* ever made: their numbers are not used again */
    uint64_t tables_room;       /* bytes that the tables of all objects may still take */
    struct unwind_dwarf *dwarf; /* NULL: not built in */
    struct unwind_code *code;
    struct unwind_bodies *bodies;
    struct unwind_pages *pages;
};

struct unwind_image {
    struct unwinder *unwinder;
    struct unwind_mapping *mappings; /* sorted by start */
    size_t count;
    uint64_t missed;                    /* see unwind_image_missed */
    uint64_t outside;                   /* see unwind_image_outside */
    uint64_t crossed;                   /* see unwind_image_crossed */
    unsigned searches;                  /* for calls, see unwind_search_call, in this stack */
    bool weak_end;                      /* the last end found is only a zero, where an address or a frame is expected */
    bool is_compat;                     /* the stack is a 32-bit thread's */
    uint64_t now_ns;                    /* see unwind_image_time */
    uint64_t newest_ns;                 /* latest time ever set: fetched pages are dated with it */
    struct unwind_generated *generated; /* NULL: nothing yet */
};

/* Where a walk is: in the frame that has these registers. */
struct unwind_walk {
    struct unwind_image *image;
    const struct unwind_stack *stack;
    struct unwind_registers registers;
    size_t word;    /* bytes of an address: 4 or 8 */
    bool call;      /* the PC is a return address */
    bool is_loose;  /* the stack pointer may be further up: a frame pointer has led here */
    bool handled;   /* a signal came while it was here, and has a handler */
    bool is_signal; /* the last step went over the frame that the kernel makes for a signal handler */
};

enum unwind_step {
    UNWIND_STEP_TAKEN,   /* the walk is in the caller's frame, or has ended if the PC is 0 */
    UNWIND_STEP_NONE,    /* this way does not know. The walk is where it was: another way may be tried */
    UNWIND_STEP_END,     /* the function has no caller */
    UNWIND_STEP_OUTSIDE, /* the way leads to what was not copied */
    UNWIND_STEP_LOST,    /* it leads nowhere */
};

/* The mapping that ADDRESS is in, or NULL. */
const struct unwind_mapping *unwind_image_find(const struct unwind_image *image, uint64_t address);

/* The ELF virtual address of the code that WALK is in, the call instruction's if it is in a caller, and its
 * object, or NULL if it is not in one. */
struct unwind_object *unwind_walk_object(const struct unwind_walk *walk, uint64_t *vaddr);

/* Reads a word of SIZE bytes, at most 8, of the stack. False if it was not copied. */
static inline bool unwind_stack_read(const struct unwind_stack *stack, uint64_t address, size_t size, uint64_t *word)
{
    uint64_t next = address, place;
    if (!runs_next(stack->runs, stack->run_count, size, &next, &place) || next != address)
        return false;
    *word = 0;
    memcpy(word, (const uint8_t *)stack->bytes + place, size);
    return true;
}

/* Reads a word of the stack that WALK is on. If it was not copied, stores its address in the image, and returns
 * false. */
static inline bool unwind_walk_read(const struct unwind_walk *walk, uint64_t address, uint64_t *word)
{
    if (unwind_stack_read(walk->stack, address, walk->word, word))
        return true;
    walk->image->outside = address;
    return false;
}

/* True if ADDRESS may be one of memory that a program can have. */
static inline bool unwind_is_address(uint64_t address)
{
    return address >= 4096 && address < UINT64_C(1) << UNWIND_ADDRESS_BITS;
}

/* Returns how many bytes a call pushes for the return address. */
static inline uint64_t unwind_walk_pushed(const struct unwind_walk *walk)
{
    return UNWIND_PUSHED_BY_CALL ? walk->word : 0;
}

/* A register, if it is known. */
static inline bool unwind_get(const struct unwind_registers *registers, enum unwind_register number, uint64_t *value)
{
    *value = registers->value[number];
    return registers->known >> number & 1;
}

static inline void unwind_set(struct unwind_registers *registers, enum unwind_register number, uint64_t value)
{
    registers->value[number] = value;
    registers->known |= UINT64_C(1) << number;
}

/* Unwind tables. NULL if memory runs out, or they were not built in. */
struct unwind_dwarf *unwind_dwarf_new(void);
void unwind_dwarf_free(struct unwind_dwarf *dwarf);
/* Another stack begins. */
void unwind_dwarf_begin(struct unwind_dwarf *dwarf);
enum unwind_step unwind_dwarf_step(struct unwind_dwarf *dwarf, struct unwind_walk *walk);

/* Steps by the instructions at the beginning and end of functions, in the procedure linkage table, and in the code
 * that signal handlers return to. CODE caches results. */
struct unwind_code *unwind_code_new(void);
void unwind_code_free(struct unwind_code *code);
enum unwind_step unwind_code_step(struct unwind_code *code, struct unwind_walk *walk);

/* The same if WALK was interrupted in a retpoline: compilers' tables do not describe those. Else UNWIND_STEP_NONE. */
enum unwind_step unwind_code_retpoline(struct unwind_code *code, struct unwind_walk *walk);

/* WALK was interrupted where nothing is mapped: a bad function pointer was called, and the call has left its return
 * address. */
enum unwind_step unwind_code_wild(struct unwind_code *code, struct unwind_walk *walk);

/* Searches the stack from *PLACE upwards for a possible frame of the function that WALK is in, if the frame pointer
 * is unknown. CALLED_DIRECTLY: a direct call of this function must have pushed the return address there; if false,
 * any call is accepted. Sets *PLACE to the value for the frame pointer. Returns false if none is found. */
bool unwind_search_frame(const struct unwind_walk *walk, bool called_directly, uint64_t *place);

/* The function that WALK is in has no table and no symbol. Finds the return address of a direct call, at or above its
 * stack pointer. The call leads to code before it and behind all functions that are known; of several, the one that
 * leads nearest. Sets *PLACE to where the return address is on the stack, and *START to the ELF virtual address that
 * was called. False if none exists, or after some searches in one stack: each takes long. */
bool unwind_search_call(const struct unwind_walk *walk, uint64_t *place, uint64_t *start);

/* Searches some frames' words from *PLACE upwards for the first word that may be a return address. Sets *PLACE to
 * its location, and *PC to the word. Returns false if none is found. */
bool unwind_search_return(const struct unwind_walk *walk, uint64_t *place, uint64_t *pc);

/* True if a call may return to PC: IMAGE has mapped code there and, as far as it can be read, a call is
 * before it. */
bool unwind_code_is_return(struct unwind_code *code, struct unwind_image *image, uint64_t pc);

/* Steps by following the instructions of a whole function, if a symbol gives its beginning. */
struct unwind_bodies *unwind_bodies_new(void);
void unwind_bodies_free(struct unwind_bodies *bodies);
enum unwind_step unwind_body_step(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* Steps by following a function's instructions from the PC of WALK up to a return. Used if the function's beginning
 * is unknown, or if its table leads nowhere: some assembler functions push more than their tables describe. */
enum unwind_step unwind_body_leave(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* True if what the instructions of a function do up to its return says that nobody has called it. */
bool unwind_body_is_last(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* The function was jumped to and never returns, as main's caller in some C libraries: by the first return address on
 * the stack, if that is in code that begins the program or a thread. */
enum unwind_step unwind_body_first(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* Steps, as a last resort, by a call that has led to this function, and by the instructions at the function's
 * beginning. */
enum unwind_step unwind_body_called(struct unwind_walk *walk);

/* Returns by the first of COUNT LEAVES that leads to behind a call, LENIENT: or into code that is in no file. */
enum unwind_step unwind_leave_by(struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count,
                                 bool lenient);

/* True if by one of COUNT LEAVES nobody has called the function that WALK is in: it returns to where no call is. */
bool unwind_leave_is_last(const struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count);

/* Code that is in no file: by what its instructions do up to the return. */
void unwind_generated_begin(struct unwind_image *image); /* a stack is begun with */
void unwind_generated_free(struct unwind_generated *generated);
enum unwind_step unwind_generated_step(struct unwind_walk *walk);

/* True if a call may return to PC, which is in such code, as far as that is known. */
bool unwind_generated_is_return(struct unwind_image *image, uint64_t pc);

/* Frame pointers. */
enum unwind_step unwind_pointer_step(struct unwind_walk *walk);

#endif
