/* SPDX-License-Identifier: MIT
 *
 * A stack and code without a process. The stack has WORDS words at STACK. The value of word i shows its position: it
 * is CODE + i, in unknown code. The exceptions are frame pointers. */
#ifndef UNWIND_SYNTHETIC_H
#define UNWIND_SYNTHETIC_H

#include "programs/unwind/unwind.h"

#include "common/base/memory_run.h"
#include "elf_fixtures.h"
#include "programs/elf/inflate.h"
#include "programs/unwind/frame.h"

#define SYNTHETIC_STACK UINT64_C(0x7f0000000000)
#define SYNTHETIC_CODE UINT64_C(0x500000000)
#define SYNTHETIC_FILE UINT64_C(0x100000000)
#define SYNTHETIC_HEAP UINT64_C(0x602000)

enum {
    SYNTHETIC_WORDS = 64,
    /* words that registers point to at the beginning */
    WORD_OF_R10 = 32,
    WORD_OF_FRAME = 48,
    /* the word that every frame pointer on the stack points to, and the word found by it */
    WORD_OF_NEXT_FRAME = 56,
    /* register r12 has this word's value */
    WORD_IN_R12 = 60,
};

struct synthetic {
    struct unwinder *unwinder;
    struct unwind_object *object;
    struct unwind_image *image;
    struct fixture fixture;
    struct unwind_registers registers;
    uint64_t words[SYNTHETIC_WORDS];
    struct memory_run copied;
    struct unwind_stack stack;
    struct unwind_frame frames[SYNTHETIC_WORDS];
    size_t count;
    enum unwind_end end;
};

static inline uint64_t synthetic_address(int word)
{
    return SYNTHETIC_STACK + 8 * (uint64_t)word;
}

static inline uint64_t synthetic_word(int word)
{
    return SYNTHETIC_CODE + (uint64_t)word;
}

static inline void synthetic_set(struct synthetic *synthetic, enum unwind_register number, uint64_t value)
{
    synthetic->registers.value[number] = value;
    synthetic->registers.known |= 1u << number;
}

/* Maps the file's code, and unknown code around ELSEWHERE. */
static inline void synthetic_map(struct synthetic *synthetic, uint64_t elsewhere)
{
    uint64_t start, end, offset;

    elf_file_text_range(synthetic->fixture.file, &start, &end);
    ck_assert(elf_file_offset_of_vaddr(synthetic->fixture.file, start, &offset));
    struct unwind_mapping mappings[] = {
        {elsewhere - 4096, elsewhere + 4096, 0, NULL},
        {SYNTHETIC_FILE, SYNTHETIC_FILE + (end - start), offset, synthetic->object},
    };
    ck_assert(unwind_image_map(synthetic->image, mappings, UNIT_ROWS(mappings)));
}

/* A thread in the code of file NAME of the fixtures. */
static inline struct synthetic *synthetic_new(const char *name)
{
    struct synthetic *synthetic = calloc(1, sizeof *synthetic);

    ck_assert_ptr_nonnull(synthetic);
    synthetic->unwinder = unwind_new(UNWIND_DWARF, elf_inflate_debug_frame);
    synthetic->image = unwind_image_new(synthetic->unwinder);
    synthetic->fixture = fixture_open(name, NULL);
    synthetic->object = unwind_object_new(synthetic->unwinder, synthetic->fixture.fd);
    ck_assert(synthetic->image && synthetic->object);
    synthetic_map(synthetic, SYNTHETIC_CODE);
    for (int i = 0; i < SYNTHETIC_WORDS; i++)
        synthetic->words[i] = synthetic_word(i);
    synthetic->words[3] = synthetic->words[5] = synthetic->words[WORD_OF_FRAME] = synthetic_address(WORD_OF_NEXT_FRAME);
    synthetic->copied = (struct memory_run){SYNTHETIC_STACK, sizeof synthetic->words};
    synthetic->stack = (struct unwind_stack){&synthetic->copied, 1, synthetic->words};
    synthetic_set(synthetic, UNWIND_SP, SYNTHETIC_STACK);
    synthetic_set(synthetic, UNWIND_FP, synthetic_address(WORD_OF_FRAME));
    synthetic_set(synthetic, UNWIND_RBX, SYNTHETIC_HEAP);
    synthetic_set(synthetic, UNWIND_R10, synthetic_address(WORD_OF_R10));
    synthetic_set(synthetic, UNWIND_R12, synthetic_word(WORD_IN_R12));
    return synthetic;
}

static inline void synthetic_free(struct synthetic *synthetic)
{
    unwind_image_free(synthetic->image);
    unwind_object_free(synthetic->object);
    unwind_free(synthetic->unwinder);
    fixture_close(&synthetic->fixture);
    free(synthetic);
}

/* Interrupts the thread SKIP bytes into FUNCTION of the file. */
static inline void synthetic_enter(struct synthetic *synthetic, const char *function, unsigned skip)
{
    struct elf_symbol symbol;
    uint64_t start, end;

    elf_file_text_range(synthetic->fixture.file, &start, &end);
    ck_assert_msg(fixture_find(&synthetic->fixture, function, ELF_SYMBOL_FUNCTION, &symbol), "no %s", function);
    synthetic_set(synthetic, UNWIND_PC, SYNTHETIC_FILE + (symbol.start - start) + skip);
}

static inline void synthetic_unwind(struct synthetic *synthetic)
{
    synthetic->count = unwind_capture(synthetic->image, &synthetic->registers, &synthetic->stack, synthetic->frames,
                                      SYNTHETIC_WORDS, &synthetic->end);
}

/* Returns the result, for messages; valid until the next call. */
static inline const char *synthetic_text(const struct synthetic *synthetic)
{
    static char text[4096];
    size_t length = 0;

    for (size_t i = 0; i < synthetic->count && length < sizeof text - 100; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%#lx%s ", synthetic->frames[i].pc,
                                   synthetic->frames[i].call ? "" : " (interrupted)");
    snprintf(text + length, sizeof text - length, "end %d", synthetic->end);
    return text;
}

#endif
