/* SPDX-License-Identifier: MIT
 *
 * The tables of code in a stored profile: mappings, locations, functions. */
#ifndef STORED_PPROF_CODE_H
#define STORED_PPROF_CODE_H

#include "profile/profile/profile.h"
#include "profile/stored/pprof_out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The id of a location is its index in the profile plus one. Locations that are not code, such as system calls,
 * follow. */
struct pprof_code {
    struct pprof_out *out;
    const struct profile *profile;
    bool bare; /* omit fields of our own, because some other programs fail at them */
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
    bool kernel; /* the mapping of system calls, which comes last, is in use */
};

/* Frees the tables of CODE. Before the first use, set `out`, `profile` and `bare`, and zero the rest. */
void pprof_code_fini(struct pprof_code *code);

/* Return the id of the location for system call NUMBER, for the unsampled CPU time of a program (a module, or
 * PROFILE_NONE), or for the missing root of a stack. */
uint64_t pprof_code_syscall(struct pprof_code *code, int32_t number);
uint64_t pprof_code_unsampled(struct pprof_code *code, uint32_t module);
uint64_t pprof_code_cut(struct pprof_code *code, enum profile_cut cut);

/* Writes all tables. Call it after all ids have been requested. */
void pprof_code_put(struct pprof_code *code);

#endif
