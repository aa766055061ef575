/* SPDX-License-Identifier: MIT
 *
 * Unwinds whole stacks from copies: the registers of a stopped thread, and the upper end of its stack. The thread
 * already runs again. Do not trust the copy, the maps or the files: any program may have made them. A broken stack ends
 * early, and the result says why. */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "programs/elf/unwind_index.h"
#include "programs/unwind/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct memory_run;
struct unwind_frame;

enum unwind_mode {
    UNWIND_DWARF,          /* unwind tables; frame pointers where code has no table */
    UNWIND_FRAME_POINTERS, /* frame pointers. Uses tables, if available, for an interrupted function, which may have no
                            * frame, and at the end of the frames. */
};

struct unwind_registers {
    uint64_t value[UNWIND_REGISTERS];
    uint64_t known; /* one bit each, such as 1 << UNWIND_PC. PC and SP are enough to unwind a stack. */
    bool is_compat; /* of a 32-bit thread: its words have 4 bytes, and its esi and edi are in other registers */
};

/* Copies of memory, in ascending order, one after the other in BYTES. A stack may have holes. Begin the copy
 * ARCH_RED_ZONE bytes below the stack pointer, since functions may use those. */
struct unwind_stack {
    const struct memory_run *runs;
    size_t run_count;
    const void *bytes;
};

enum unwind_end {
    UNWIND_WHOLE,     /* down to the thread's first function */
    UNWIND_TRUNCATED, /* the stack continues in memory that was not copied, or has more frames than requested */
    UNWIND_UNKNOWN,   /* the next caller cannot be found */
};

/* Shared by all images: knowledge about code serves every process that maps the same file. */
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

/* Returns false if ptprofil was built without libunwind, which UNWIND_DWARF needs. */
bool unwind_has_dwarf(void);

/* Returns the version of libunwind that ptprofil was built with; libunwind does not report the version at run time.
 * The text is static. Returns NULL without libunwind. */
const char *unwind_version(void);

/* UNPACK: see elf_unwind_index_new. Returns NULL if memory runs out, or if the mode is not available. */
struct unwinder *unwind_new(enum unwind_mode mode, elf_unwind_unpack *unpack);

/* Frees UNWINDER. NULL is allowed. Free all its objects and images before. */
void unwind_free(struct unwinder *unwinder);

/* Returns an object for the ELF file that FD is open on. The caller keeps FD, and keeps it open until the object is
 * freed. The file is read with pread, so it may shrink or change. Returns NULL if FD is not an ELF file that
 * ptprofil understands, or if memory runs out. The caller frees the object, after all images that map it are freed
 * or have mapped something new. */
struct unwind_object *unwind_object_new(struct unwinder *unwinder, int fd);

/* Returns an object for the vDSO, which all processes of a kernel share: ptprofil reads its own, or if COMPAT, the
 * vDSO of 32-bit processes. Returns NULL if none exists. */
struct unwind_object *unwind_object_new_vdso(struct unwinder *unwinder, bool compat);

/* Returns an estimate of the memory for OBJECT; NULL is allowed. */
uint64_t unwind_object_memory(const struct unwind_object *object);

/* Frees what UNWINDER has stored for OBJECT's code. NULL is allowed. Without this call, that is freed when other code
 * replaces it, or with UNWINDER. */
void unwind_forget(struct unwinder *unwinder, const struct unwind_object *object);

/* NULL is allowed. */
void unwind_object_free(struct unwind_object *object);

/* Returns a process that has mapped nothing yet, or NULL if memory runs out. */
struct unwind_image *unwind_image_new(struct unwinder *unwinder);

/* NULL is allowed. */
void unwind_image_free(struct unwind_image *image);

/* Replaces the code mappings of IMAGE with copies of the COUNT MAPPINGS, in any order. If mappings overlap, it uses one
 * of them. Returns false, and changes nothing, if memory runs out. */
bool unwind_image_map(struct unwind_image *image, const struct unwind_mapping *mappings, size_t count);

/* If IMAGE has mapped OBJECT, these mappings become mappings without a file. */
void unwind_image_forget(struct unwind_image *image, const struct unwind_object *object);

/* Returns an address that was not mapped in IMAGE: the beginning of the last stack, or the return address that ended it
 * with UNWIND_UNKNOWN. New code may have been mapped there since. Returns 0 if nothing was missing. */
uint64_t unwind_image_missed(const struct unwind_image *image);

/* Adds a page of code that is in none of IMAGE's objects, such as generated code: it is unwound by its instructions.
 * ADDRESS is a multiple of UNWIND_PAGE. SIZE is UNWIND_PAGE, or another value if the page cannot be read. Copies
 * BYTES. */
enum { UNWIND_PAGE = 4096, UNWIND_LACKING_MOST = 32 };
void unwind_image_code(struct unwind_image *image, uint64_t address, const void *bytes, size_t size);

/* Sets the monotonic time of the next stack to NOW_NS. Such code may have changed since it was fetched. */
void unwind_image_time(struct unwind_image *image, uint64_t now_ns);

/* Returns the address of the first page that the last stack needed and that is missing or may have changed. If the
 * list of pages to fetch was full, returns a page that is fetched earlier. Returns 0 if the stack needs no page. */
uint64_t unwind_image_absent(const struct unwind_image *image);

/* Sets PAGES to the addresses of pages that the caller must fetch now. They were missing or out of date when STACK,
 * the last stack, was unwound, and were not returned lately. If STACK needs one of them (unwind_image_absent), pages
 * that the rest of STACK points to are added. Returns how many. A page is not requested again for a while. */
size_t unwind_image_lacking(struct unwind_image *image, const struct unwind_stack *stack,
                            uint64_t pages[static UNWIND_LACKING_MOST]);

/* Returns the address of the word with the interrupted code's stack pointer, if the last stack is a signal stack
 * (sigaltstack) and the stack of that code was not copied. Returns 0 in all other cases. */
uint64_t unwind_image_crossed(const struct unwind_image *image);

/* Returns the address of the missing memory, if the last stack ended with UNWIND_TRUNCATED because memory was not
 * copied. Otherwise the result is meaningless. */
uint64_t unwind_image_outside(const struct unwind_image *image);

/* Sets REGISTERS from the registers of a stopped thread as ptrace reports them. COMPAT: a 32-bit thread; arch/ has
 * converted its registers. */
void unwind_registers_set(struct unwind_registers *registers, const struct user_regs_struct *user, bool compat);

/* Marks only PC and SP of REGISTERS as known: the thread was not stopped. */
static inline void unwind_registers_of_waiting(struct unwind_registers *registers)
{
    registers->known = UINT64_C(1) << UNWIND_PC | UINT64_C(1) << UNWIND_SP;
}

/* Unwinds the stack of a thread of IMAGE into at most MOST FRAMES (at least 1), innermost first. Sets *END to how it
 * ends. Returns the number of frames, at least 1. */
size_t unwind_capture(struct unwind_image *image, const struct unwind_registers *registers,
                      const struct unwind_stack *stack, struct unwind_frame *frames, size_t most, enum unwind_end *end);

#endif
