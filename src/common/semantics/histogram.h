/* SPDX-License-Identifier: MIT
 *
 * The arithmetic of profil and sprofil: the cell for a PC, and its new value. Pure. */
#ifndef SEMANTICS_HISTOGRAM_H
#define SEMANTICS_HISTOGRAM_H

#include "common/semantics/semantics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of code, and the buffer that counts it. */
struct histogram {
    uint64_t buffer; /* address in the tracee */
    uint64_t size;   /* bytes of it */
    uint64_t offset; /* lowest PC */
    uint64_t scale;  /* 0x10000: one cell for every 2 bytes of code, by most systems' formula */
    bool is_compat;  /* for a 32-bit program: addresses below the offset wrap around */
};

/* Finds the cell of HISTOGRAM for PC by the rule INDEX. Cells have WIDTH bytes (2 or 4). Returns true, with the cell's
 * number in *CELL, or false, with *CELL unchanged, if PC is not counted. Examples: tests/vectors/histogram.tsv. */
bool histogram_cell(const struct histogram *histogram, enum bin_formula index, unsigned width, uint64_t pc,
                    uint64_t *cell);

/* Finds the region of sprofil (of COUNT REGIONS) that counts PC, and its cell, by the rule INDEX. Returns the region's
 * number, or -1 with *CELL unchanged. Examples: tests/vectors/sprofil.tsv. */
int histogram_region(const struct histogram *regions, size_t count, enum bin_formula index, unsigned width, uint64_t pc,
                     uint64_t *cell);

/* Return true if REGION counts anything (histogram_counts), or if it also counts every PC that no other region counts
 * (histogram_is_overflow). */
bool histogram_counts(const struct histogram *region);
bool histogram_is_overflow(const struct histogram *region);

/* Adds TICKS to OLD, the value of a cell of WIDTH bytes. Returns true with the new value in *NEW. Returns false, with
 * *NEW unchanged, if profiling ends instead. */
bool counter_add(enum rule_counter kind, unsigned width, uint32_t old, uint64_t ticks, uint32_t *new);

/* Returns the ticks of 1/HZ second that have passed at CLOCK_NS of the process's CPU clock: floor(clock * HZ). */
uint64_t histogram_ticks(uint64_t clock_ns, unsigned hz);

#endif
