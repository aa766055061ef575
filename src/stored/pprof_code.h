/* SPDX-License-Identifier: MIT
 *
 * The code that a stored profile refers to: mappings, locations, functions. */
#ifndef STORED_PPROF_CODE_H
#define STORED_PPROF_CODE_H

#include "base/hash.h"
#include "profile/profile.h"
#include "stored/pprof_out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The id of a location is its index in the profile plus one. Locations that are not code, such as system calls,
 * follow. */
struct pprof_code {
    struct pprof_out *out;
    const struct profile *profile;
    bool bare; /* without fields of our own, at which some readers of others stop */
    struct {
        struct pprof_part *items;
        size_t count, room;
        struct hash index;
    } functions;
    struct {
        struct pprof_extra *items;
        size_t count, room;
        struct hash index;
    } extras;
    bool kernel; /* something is in the mapping of system calls, which comes after all others */
};

/* Frees what CODE holds. Before the first use set `out`, `profile` and `bare`, and zero the rest. */
void pprof_code_fini(struct pprof_code *code);

/* Return the id of the location that represents system call NUMBER; for the unsampled CPU time of a program (a module,
 * or PROFILE_NONE); for what is missing at the root of a stack. */
uint64_t pprof_code_syscall(struct pprof_code *code, int32_t number);
uint64_t pprof_code_unsampled(struct pprof_code *code, uint32_t module);
uint64_t pprof_code_cut(struct pprof_code *code, enum profile_cut cut);

/* Writes all tables of code: call it when all ids have been asked for. */
void pprof_code_put(struct pprof_code *code);

#endif
