/* SPDX-License-Identifier: MIT
 *
 * One walk up a stack, and the ways to go one step. */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "common/model/runs.h"
#include "programs/unwind/unwind.h"

#include <string.h>

struct unwind_bodies;
struct unwind_code;
struct unwind_dwarf;
struct unwind_leave;
struct unwind_object;
struct unwind_pages;

struct unwinder {
    enum unwind_mode mode;
    elf_unwind_unpack *unpack;
    uint64_t objects;           /* number of objects ever made: their numbers are not reused */
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
    unsigned searches;                  /* searches for a call in this stack, see unwind_search_call */
    bool weak_end;                      /* the end was found only because a word is zero where an address or a frame is
                                         * expected */
    bool is_compat;                     /* the stack is a 32-bit thread's */
    uint64_t now_ns;                    /* see unwind_image_time */
    uint64_t newest_ns;                 /* latest time ever set: fetched pages are dated with it */
    struct unwind_generated *generated; /* NULL: nothing yet */
};

/* The state of a walk. It is in the frame with these registers. */
struct unwind_walk {
    struct unwind_image *image;
    const struct unwind_stack *stack;
    struct unwind_registers registers;
    size_t word;    /* bytes of an address: 4 or 8 */
    bool call;      /* the PC is a return address */
    bool is_loose;  /* a frame pointer led here, so the real stack pointer may be higher */
    bool handled;   /* the previous step left a signal handler: this frame was interrupted */
    bool is_signal; /* the last step left the frame that the kernel makes for a signal handler */
    bool by_table;  /* the last step used an unwind table */
    bool is_first;  /* this frame has no caller */
};

enum unwind_step {
    UNWIND_STEP_TAKEN,   /* the walk is in the caller's frame. If the PC is 0, it has ended */
    UNWIND_STEP_NONE,    /* this way does not apply. The walk is unchanged: try another way */
    UNWIND_STEP_END,     /* the function has no caller */
    UNWIND_STEP_OUTSIDE, /* the caller is in memory that was not copied */
    UNWIND_STEP_LOST,    /* this way fails */
};

/* Returns the mapping that contains ADDRESS, or NULL. */
const struct unwind_mapping *unwind_image_find(const struct unwind_image *image, uint64_t address);

/* Returns the object with the code that WALK is in, or NULL if it is in no object. Sets *VADDR to the ELF virtual
 * address of that code: in a caller, of its call instruction. */
struct unwind_object *unwind_walk_object(const struct unwind_walk *walk, uint64_t *vaddr);

/* Reads a word of SIZE bytes, at most 8, from the stack. Returns false if it was not copied. */
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

/* Returns true if ADDRESS can be an address in a program's memory. */
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

/* Step with unwind tables. unwind_dwarf_new returns NULL if memory runs out, or if ptprofil was built without
 * libunwind. */
struct unwind_dwarf *unwind_dwarf_new(void);
void unwind_dwarf_free(struct unwind_dwarf *dwarf);
/* Frees the rows of OBJECT. */
void unwind_dwarf_forget(struct unwind_dwarf *dwarf, const struct unwind_object *object);
/* Call it at the beginning of each stack. */
void unwind_dwarf_begin(struct unwind_dwarf *dwarf);
enum unwind_step unwind_dwarf_step(struct unwind_dwarf *dwarf, struct unwind_walk *walk);

/* Step by the instructions at the beginning and end of functions, in the procedure linkage table, and in the code that
 * signal handlers return to. CODE caches results. */
struct unwind_code *unwind_code_new(void);
void unwind_code_free(struct unwind_code *code);
enum unwind_step unwind_code_step(struct unwind_code *code, struct unwind_walk *walk);

/* Like unwind_code_step, but only for a WALK that was interrupted in a retpoline, which tables do not describe.
 * Otherwise returns UNWIND_STEP_NONE. */
enum unwind_step unwind_code_retpoline(struct unwind_code *code, struct unwind_walk *walk);

/* Steps from an address that is not mapped: a bad function pointer was called, and the call has left its return
 * address. */
enum unwind_step unwind_code_wild(struct unwind_code *code, struct unwind_walk *walk);

/* Searches the stack from *PLACE upwards for a possible frame of the function that WALK is in, if the frame pointer
 * is unknown. CALLED_DIRECTLY: a direct call of this function must have pushed the return address there; if false,
 * any call is accepted. Sets *PLACE to the value for the frame pointer. Returns false if none is found. */
bool unwind_search_frame(const struct unwind_walk *walk, bool called_directly, uint64_t *place);

/* For a function without table and symbol: searches the stack upwards for the return address of a direct call to code
 * before WALK's address, and after all known functions. Of several such calls, takes the one with the nearest target.
 * Sets *PLACE to its location on the stack, and *START to the ELF virtual address that was called. Returns false if
 * none exists, or after some searches in one stack, because each search takes long. */
bool unwind_search_call(const struct unwind_walk *walk, uint64_t *place, uint64_t *start);

/* Searches the words of some frames from *PLACE upwards for the first possible return address. Sets *PLACE to its
 * location, and *PC to its value. Returns false if none is found. */
bool unwind_search_return(const struct unwind_walk *walk, uint64_t *place, uint64_t *pc);

/* Returns true if a call may return to PC: IMAGE has mapped code there, and a call is before it, as far as that can be
 * read. */
bool unwind_code_is_return(struct unwind_code *code, struct unwind_image *image, uint64_t pc);

/* Step by following the instructions of a whole function, if a symbol gives its beginning. */
struct unwind_bodies *unwind_bodies_new(void);
void unwind_bodies_free(struct unwind_bodies *bodies);
enum unwind_step unwind_body_step(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* Steps by following a function's instructions from the PC of WALK up to a return. Used if the function's beginning
 * is unknown, or if its table leads nowhere: some assembler functions push more than their tables describe. */
enum unwind_step unwind_body_leave(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* Returns true if a function's instructions up to its return show that it has no caller. */
bool unwind_body_is_last(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* Steps from a function that was reached by a jump and never returns, for example main's caller in some C libraries.
 * Uses the first return address on the stack, if it is in code that begins the program or a thread. */
enum unwind_step unwind_body_first(struct unwind_bodies *bodies, struct unwind_walk *walk);

/* The last resort: steps by the call that led to this function, and by the instructions at the function's beginning. */
enum unwind_step unwind_body_called(struct unwind_walk *walk);

/* Returns by the first of COUNT LEAVES whose return address follows a call. LENIENT: an address in code that is in no
 * file is also accepted. */
enum unwind_step unwind_leave_by(struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count,
                                 bool lenient);

/* Returns true if one of COUNT LEAVES shows that the function of WALK has no caller: its return address is 0 or follows
 * no call. */
bool unwind_leave_is_last(const struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count);

/* Step through code that is in no file, by its instructions up to the return. */
void unwind_generated_begin(struct unwind_image *image); /* call it at the beginning of each stack */
void unwind_generated_free(struct unwind_generated *generated);
enum unwind_step unwind_generated_step(struct unwind_walk *walk);

/* Returns true if a call may return to PC, which is in such code, as far as the code is known. */
bool unwind_generated_is_return(struct unwind_image *image, uint64_t pc);

/* Steps by the frame pointer. */
enum unwind_step unwind_pointer_step(struct unwind_walk *walk);

#endif
