/* SPDX-License-Identifier: MIT
 *
 * The arithmetic of profil and sprofil: which cell a PC falls into, and what is in it then. Pure. */
#ifndef MODEL_HISTOGRAM_H
#define MODEL_HISTOGRAM_H

#include "model/semantics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One range of text and the buffer that counts it. */
struct histogram {
    uint64_t buffer; /* address in the tracee */
    uint64_t size;   /* bytes of it */
    uint64_t offset; /* lowest PC */
    uint64_t scale;  /* 0x10000: one cell for each 2 bytes of text, by most systems' formula */
    bool is_compat;  /* of a 32-bit program: what lies below the offset wraps there */
};

/* Finds the cell of HISTOGRAM for PC by the rule INDEX; cells have WIDTH bytes (2 or 4). Returns true with the
 * cell's number in *CELL, or false, with *CELL unchanged, if PC is not counted. (tests/vectors/histogram.tsv has
 * examples.) */
bool histogram_cell(const struct histogram *histogram, enum bin_formula index, unsigned width, uint64_t pc,
                    uint64_t *cell);

/* Finds which of the COUNT REGIONS of sprofil counts PC, and in which of its cells, by the rule INDEX. Returns the
 * region's number, or -1 with *CELL unchanged. (tests/vectors/sprofil.tsv.) */
int histogram_region(const struct histogram *regions, size_t count, enum bin_formula index, unsigned width, uint64_t pc,
                     uint64_t *cell);

/* True if REGION counts anything; and if it takes, besides what is its own, all that no other region counts. */
bool histogram_counts(const struct histogram *region);
bool histogram_is_overflow(const struct histogram *region);

/* Adds TICKS to OLD, a cell of WIDTH bytes. Returns true with the cell's new value in *NEW; false, with *NEW
 * unchanged, if the cell stays unchanged and profiling ends. */
bool counter_add(enum rule_counter kind, unsigned width, uint32_t old, uint64_t ticks, uint32_t *new);

/* Ticks of 1/HZ second that have passed when the process's CPU clock stands at CLOCK_NS: floor(clock * HZ). */
uint64_t histogram_ticks(uint64_t clock_ns, unsigned hz);

#endif
