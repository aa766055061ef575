/* SPDX-License-Identifier: MIT
 *
 * Calls imposed on programs that do not make them: which call, and its arguments in a given image. Pure. */
#ifndef SEMANTICS_IMPOSE_H
#define SEMANTICS_IMPOSE_H

#include "common/semantics/call_state.h"

struct address_map;

enum {
    IMPOSE_MOST_SAMPLES = 1 << 27,     /* of pcsample */
    IMPOSE_MOST_BYTES = 1 << 30,       /* bytes of a histogram that the user requests */
    IMPOSE_MOST_TEXT_BYTES = 16 << 20, /* bytes of a buffer that ptprofil chooses */
};

struct impose {
    enum call_kind kind; /* CALL_NONE, CALL_PROFIL or CALL_PCSAMPLE */
    bool text;           /* profil: offset, size and scale are chosen for each image, so that they cover its
                          * executable's code */
    uint64_t offset, size;
    uint32_t scale;
    uint64_t count; /* pcsample: nsamples */
};

/* Effect of the call under SEMANTICS. */
enum impose_outcome { IMPOSE_COUNTS, IMPOSE_REFUSED, IMPOSE_TURNS_OFF };
enum impose_outcome impose_judge(const struct impose *impose, const struct semantics *semantics);

/* Sets *START and *END to the code range of the first mapped file in MAP: the kernel maps the executable below all
 * other files. Returns false if none exists. */
bool impose_text(const struct address_map *map, uint64_t *start, uint64_t *end);

/* Sets the arguments of profil for code from START to END. Chooses the largest scale up to 1:1 for which the buffer
 * stays below IMPOSE_MOST_TEXT_BYTES. The buffer has a cell for each address of the code under every system's rule.
 * Other members of ARGUMENTS are unchanged. */
void impose_cover(uint64_t start, uint64_t end, struct histogram *arguments);

/* Returns the size of an element of pcsample's array in a program with these ARGUMENTS. */
unsigned impose_pointer_size(const struct histogram *arguments);

/* Makes the call in a process with STATE. ARGUMENTS are profil's; for pcsample, their buffer is the array. The buffer
 * must be writable. Marks the resulting profiling as imposed. Returns the call's result, or -errno. */
int64_t impose_call(struct call_state *state, const struct semantics *semantics, const struct impose *impose,
                    const struct histogram *arguments, uint64_t now_ticks);

#endif
