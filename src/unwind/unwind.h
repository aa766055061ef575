/* SPDX-License-Identifier: MIT
 *
 * Whole stacks from what was copied while a thread was stopped: its registers and the upper end of its stack.
 * The thread runs again meanwhile. Everything that is read here may come from a stranger: the copy, the maps
 * and the files. A stack that makes no sense ends, and says how. */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "model/runs.h"
#include "unwind/frame.h"
#include "unwind/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum unwind_mode {
    UNWIND_DWARF,          /* unwind tables; where code has none, frame pointers */
    UNWIND_FRAME_POINTERS, /* frame pointers; tables, if there are any, where a function was interrupted, as
                              it may have no frame, and where the frames end */
};

struct unwind_registers {
    uint64_t value[UNWIND_REGISTERS];
    uint64_t known; /* a bit for each: 1 << UNWIND_PC. A stack of which only PC and SP are known can be
                       unwound, too. */
    bool is_narrow; /* of a 32-bit thread: its words have 4 bytes, and its esi and edi are in other registers */
};

/* Copies of memory, upwards, that lie one behind the other in BYTES: a stack has holes. They should begin
 * ARCH_RED_ZONE bytes below the stack pointer, as functions may use them. */
struct unwind_stack {
    const struct memory_run *runs;
    size_t run_count;
    const void *bytes;
};

enum unwind_end {
    UNWIND_WHOLE,     /* the thread's first function */
    UNWIND_TRUNCATED, /* the stack goes on where nothing was copied, or there are more frames than were asked
                         for */
    UNWIND_UNKNOWN,   /* nothing tells how it goes on */
};

/* What unwinding needs once: what it knows of code is shared by all processes that map the same file. */
struct unwinder;

/* An ELF file that processes map. */
struct unwind_object;

/* What one process has mapped. */
struct unwind_image;

struct unwind_mapping {
    uint64_t start, end;          /* addresses in the process */
    uint64_t offset;              /* of START in the file */
    struct unwind_object *object; /* NULL: not a file, or not readable */
};

/* False if this program was built without what UNWIND_DWARF needs. */
bool unwind_has_dwarf(void);

/* The version of libunwind that it was built with, as libunwind does not tell the one that it runs with. Static; NULL
 * without libunwind. */
const char *unwind_version(void);

/* Returns NULL if memory runs out, or no way to unwind in that mode. */
struct unwinder *unwind_new(enum unwind_mode mode);

/* Frees it. NULL is allowed. All of its objects and images are freed before. */
void unwind_free(struct unwinder *unwinder);

/* The ELF file that FD is open on. FD stays the caller's, and open until the object is freed; it is read with
 * pread, so the file may shrink or change. NULL if it is no ELF file that is understood, or there is no
 * memory. The object is the caller's, freed after all images that map it were freed or have mapped something
 * else. */
struct unwind_object *unwind_object_new(struct unwinder *unwinder, int fd);

/* The vDSO, which is the same in all processes of a kernel: our own is taken, or NARROW, that of 32-bit ones. NULL
 * if none exists. */
struct unwind_object *unwind_object_new_vdso(struct unwinder *unwinder, bool narrow);

/* NULL is allowed. */
void unwind_object_free(struct unwind_object *object);

/* A process that has mapped nothing yet. NULL if memory runs out. */
struct unwind_image *unwind_image_new(struct unwinder *unwinder);

/* NULL is allowed. */
void unwind_image_free(struct unwind_image *image);

/* From now on IMAGE has mapped as code the COUNT MAPPINGS, in any order; they are copied. Where they overlap, one is
 * taken. False, with nothing changed, if memory runs out. */
bool unwind_image_map(struct unwind_image *image, const struct unwind_mapping *mappings, size_t count);

/* If the stack that was unwound last begins where IMAGE has mapped nothing, or ended with UNWIND_UNKNOWN
 * because a function returns to such a place: that address. Something may have been mapped there meanwhile.
 * Else 0. */
uint64_t unwind_image_missed(const struct unwind_image *image);

/* Code of IMAGE that is in none of its objects, as generated code, is unwound by its instructions. They are brought by
 * the page: UNWIND_PAGE bytes at ADDRESS, a multiple of that; BYTES are copied. Another SIZE: they cannot be read. */
enum { UNWIND_PAGE = 4096, UNWIND_LACKING_MOST = 32 };
void unwind_image_code(struct unwind_image *image, uint64_t address, const void *bytes, size_t size);

/* The next stack is one of monotonic time NOW_NS: such code may have changed since it was brought. */
void unwind_image_time(struct unwind_image *image, uint64_t now_ns);

/* The first page without which the stack that was unwound last may not be what it could be, as it was not brought or
 * may be another by now, or one that is brought before it: its address. 0: there is none. */
uint64_t unwind_image_absent(const struct unwind_image *image);

/* Sets PAGES to the addresses of those that were lacking when STACK was unwound, as the last one, or are out of date,
 * and have not been told here lately; where there are some without which it is not what it could be, also to what the
 * rest of STACK points to. Returns how many. They are to be brought now: for a while no stack lacks them again. */
size_t unwind_image_lacking(struct unwind_image *image, const struct unwind_stack *stack,
                            uint64_t pages[static UNWIND_LACKING_MOST]);

/* If the stack that was unwound last is one on which signals are handled (sigaltstack), and that on which the thread
 * was interrupted was not copied: the address of the word that has the stack pointer there. Else 0. */
uint64_t unwind_image_crossed(const struct unwind_image *image);

/* If the stack that was unwound last ended with UNWIND_TRUNCATED because something had not been copied: its address.
 * Else anything. */
uint64_t unwind_image_outside(const struct unwind_image *image);

/* The registers of a stopped thread, as ptrace tells them; NARROW: of a 32-bit one, as arch/ brings them into that
 * form. */
void unwind_registers_set(struct unwind_registers *registers, const struct user_regs_struct *user, bool narrow);

/* Of a thread that was not stopped: only PC and SP of REGISTERS are known. */
static inline void unwind_registers_of_waiting(struct unwind_registers *registers)
{
    registers->known = UINT64_C(1) << UNWIND_PC | UINT64_C(1) << UNWIND_SP;
}

/* Unwinds the stack of a thread of IMAGE into at most MOST FRAMES (at least 1), the innermost first, and sets
 * *END to how it ends. Returns how many there are, at least 1. */
size_t unwind_capture(struct unwind_image *image, const struct unwind_registers *registers,
                      const struct unwind_stack *stack, struct unwind_frame *frames, size_t most, enum unwind_end *end);

#endif
