/* SPDX-License-Identifier: MIT
 *
 * What a process has asked of profil, sprofil and pcsample, and what its kernel would do with that: at calls, at ticks,
 * at faults, at fork and exec. Knows nothing of how memory is written. Pure. */
#ifndef MODEL_CALL_STATE_H
#define MODEL_CALL_STATE_H

#include "model/histogram.h"

enum { CALL_MOST_REGIONS = 65536 }; /* of sprofil */

enum call_kind { CALL_NONE, CALL_PROFIL, CALL_SPROFIL, CALL_PCSAMPLE };

struct call_state {
    enum call_kind kind;
    unsigned width;            /* of cells, or of elements of the array; bytes */
    struct histogram *regions; /* owned; 1 for profil; unused by pcsample. Scale 0: turned off by a fault */
    size_t region_count;
    uint64_t array, room;  /* pcsample: address and number of elements */
    uint64_t stored;       /* pcsample: elements stored since the last call; survives the end of sampling */
    bool imposed;          /* the call was imposed on the process, which did not make it */
    uint64_t billed_ticks; /* ticks of the process's clock that are not owed any more */
};

/* A state of a process that has called nothing is zeroed before the first use. Frees what it holds and zeroes it. */
void call_state_fini(struct call_state *state);

/* True if ticks have to be counted: not when the array is full. */
bool call_state_active(const struct call_state *state);

/* profil(2): takes the arguments and applies the rules. BUFFER_BAD: the process itself could not write some byte of
 * the buffer, or its range wraps; this matters only where call_profil_checks_buffer says so. NOW_TICKS: the ticks of
 * the process's clock so far (histogram_ticks); this call does not owe earlier ones. Replaces the previous call's
 * request as the rules say. Returns 0 or -errno; -ENOMEM, with nothing changed, if memory runs out. */
int call_profil(struct call_state *state, const struct semantics *semantics, const struct histogram *wanted,
                bool buffer_bad, uint64_t now_ticks);

/* True if profil with these arguments makes it matter whether the buffer is bad. */
bool call_profil_checks_buffer(const struct semantics *semantics, const struct histogram *wanted);

/* sprofil(2), the arguments already read from the tracee: COUNT regions (copied), FLAGS as the call's. COUNT is the
 * call's profcnt and may be negative; REGIONS is NULL if they could not be read, or need not be. INTERVAL_WRITABLE: tvp
 * was NULL, or can be written, or has been. Returns 0 or -errno, as above. */
int call_sprofil(struct call_state *state, const struct semantics *semantics, const struct histogram *regions,
                 int count, unsigned flags, bool interval_writable, uint64_t now_ticks);

/* True if sprofil with COUNT would look at its regions in the present STATE: not if it is refused before, or if it only
 * disables. COUNT is then from 1 to CALL_MOST_REGIONS. */
bool call_sprofil_reads(const struct call_state *state, const struct semantics *semantics, int count);

/* True if sprofil writes *tvp first, whatever its result; false if it writes it on success. */
bool call_sprofil_writes_first(const struct semantics *semantics);

/* pcsample(2), called by a process with pointers of POINTER_SIZE bytes (4 or 8). Returns the call's result, or
 * -errno with nothing changed. */
int64_t call_pcsample(struct call_state *state, uint64_t array, int64_t count, unsigned pointer_size,
                      uint64_t now_ticks);

/* The memory that a tick writes. An address that would wrap becomes the highest one, where no process can write. */
struct call_update {
    enum { UPDATE_NOTHING, UPDATE_CELL, UPDATE_ARRAY } what;
    uint64_t address; /* of the cell, or of the first element */
    unsigned width;   /* of the cell, or of an element */
    enum rule_counter counter;
    int region;        /* the region of the cell */
    uint64_t elements; /* UPDATE_ARRAY: number of copies of the PC */
};

/* Bills TICKS, all at once, to user PC. Nothing of the state has changed when it returns. */
struct call_update call_state_bill(const struct call_state *state, const struct semantics *semantics, uint64_t pc,
                                   uint64_t ticks);

/* An update was made: STORED elements of UPDATE_ARRAY were written (for a cell: any number). */
void call_state_written(struct call_state *state, const struct call_update *update, uint64_t stored);

/* The process's page protection forbade an update, or the counter stops profiling (counter_add). */
void call_state_fault(struct call_state *state, const struct semantics *semantics, const struct call_update *update);
void call_state_stop(struct call_state *state);

/* A child of a fork, vfork or clone that has a state of its own: CHILD, which is empty, becomes what the rules say. Its
 * clock starts at 0. Returns 0 or -ENOMEM. */
int call_state_fork(struct call_state *child, const struct call_state *parent, const struct semantics *semantics);

/* An exec. */
void call_state_exec(struct call_state *state);

#endif
