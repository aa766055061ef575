/* SPDX-License-Identifier: MIT
 *
 * The state of profil, sprofil and pcsample in a process: what it requested, and what its kernel would do at calls,
 * ticks, faults, fork and exec. Does not write memory itself. Pure. */
#ifndef SEMANTICS_CALL_STATE_H
#define SEMANTICS_CALL_STATE_H

#include "common/semantics/histogram.h"

enum { CALL_MOST_REGIONS = 65536 }; /* of sprofil */

enum call_kind { CALL_NONE, CALL_PROFIL, CALL_SPROFIL, CALL_PCSAMPLE };

struct call_state {
    enum call_kind kind;
    unsigned width;            /* bytes of cells, or of elements of the array */
    struct histogram *regions; /* owned: one for profil, several for sprofil, none for pcsample. A region with scale 0
                                * was turned off by a fault */
    size_t region_count;
    uint64_t array, room;  /* pcsample: address and number of elements */
    uint64_t stored;       /* pcsample: elements stored since the last call; survives the end of sampling */
    bool imposed;          /* ptprofil imposed the call; the process did not make it */
    uint64_t billed_ticks; /* ticks of the process's clock that are billed already */
};

/* Frees the regions and zeroes the state. Zero a state before the first use. */
void call_state_fini(struct call_state *state);

/* Returns true if ticks must be counted. They need not if the array is full. */
bool call_state_active(const struct call_state *state);

/* profil(2): applies the rules to the arguments. BUFFER_BAD: the process itself could not write some byte of the
 * buffer, or its range wraps; this matters only if call_profil_checks_buffer returns true. NOW_TICKS: the ticks of the
 * process's clock so far (histogram_ticks); earlier ticks are not owed to this call. Replaces the previous request as
 * the rules say. Returns 0 or -errno; -ENOMEM, with nothing changed, if memory runs out. */
int call_profil(struct call_state *state, const struct semantics *semantics, const struct histogram *wanted,
                bool buffer_bad, uint64_t now_ticks);

/* Returns true if the result of profil with these arguments depends on whether the buffer is bad. */
bool call_profil_checks_buffer(const struct semantics *semantics, const struct histogram *wanted);

/* sprofil(2): the arguments have been read from the tracee. COUNT is the call's profcnt, and may be negative. REGIONS
 * (COUNT of them, copied) is NULL if they could not be read, or need not be. FLAGS: the call's flags.
 * INTERVAL_WRITABLE: tvp was NULL, can be written, or has been written. Returns as call_profil. */
int call_sprofil(struct call_state *state, const struct semantics *semantics, const struct histogram *regions,
                 int count, unsigned flags, bool interval_writable, uint64_t now_ticks);

/* Returns true if sprofil with COUNT would read its regions in the present STATE. It does not if it is refused before,
 * or only disables. If true, COUNT is from 1 to CALL_MOST_REGIONS. */
bool call_sprofil_reads(const struct call_state *state, const struct semantics *semantics, int count);

/* Returns true if sprofil writes *tvp first, whatever its result. Returns false if it writes it only on success. */
bool call_sprofil_writes_first(const struct semantics *semantics);

/* pcsample(2): POINTER_SIZE is the size of the process's pointers (4 or 8). Returns the call's result, or -errno with
 * nothing changed. */
int64_t call_pcsample(struct call_state *state, uint64_t array, int64_t count, unsigned pointer_size,
                      uint64_t now_ticks);

/* The memory that a tick writes. An address that would wrap becomes the highest address, where no process can write. */
struct call_update {
    enum { UPDATE_NOTHING, UPDATE_CELL, UPDATE_ARRAY } what;
    uint64_t address; /* address of the cell, or of the first element */
    unsigned width;   /* size of the cell, or of an element */
    enum rule_counter counter;
    int region;        /* the region of the cell */
    uint64_t elements; /* UPDATE_ARRAY: number of copies of the PC */
};

/* Returns the update that bills TICKS at once to user PC. The state does not change. */
struct call_update call_state_bill(const struct call_state *state, const struct semantics *semantics, uint64_t pc,
                                   uint64_t ticks);

/* Notes that an update was made. STORED: the number of elements written (for a cell: any number). */
void call_state_written(struct call_state *state, const struct call_update *update, uint64_t stored);

/* Handle a failed update: the process's page protection forbade it (call_state_fault), or the counter stops profiling
 * (call_state_stop, see counter_add). */
void call_state_fault(struct call_state *state, const struct semantics *semantics, const struct call_update *update);
void call_state_stop(struct call_state *state);

/* Sets the state of a child of fork, vfork or clone as the rules say. CHILD is empty before. Its clock starts at 0.
 * Returns 0 or -ENOMEM. */
int call_state_fork(struct call_state *child, const struct call_state *parent, const struct semantics *semantics);

/* An exec. */
void call_state_exec(struct call_state *state);

#endif
