/* SPDX-License-Identifier: MIT
 *
 * Internal interfaces of code_read. */
#ifndef CODE_CODE_PARTS_H
#define CODE_CODE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code;
struct code_file;
struct code_names;
struct error;
struct origin;
struct profile;
struct profile_function;
struct profile_location;
struct profile_module;

/* places.c has names and lines for addresses of a file. */
struct code_places {
    struct profile *profile; /* NULL: nothing was found */
    uint64_t *addresses;     /* ELF virtual addresses, sorted */
    uint32_t *locations;     /* of the profile */
    size_t count;
    int no_lines; /* errno that explains why lines are missing; or 0 */
};

/* Finds the COUNT ADDRESSES in the file of ORIGIN by NAMES; leaves out other addresses. Zero PLACES before.
 * Returns false if memory runs out. */
bool code_places_find(struct code_places *places, const struct code_names *names, const struct origin *origin,
                      const uint64_t *addresses, size_t count);
void code_places_fini(struct code_places *places);

/* Returns what was found at ADDRESS, or NULL. */
const struct profile_location *code_places_at(const struct code_places *places, uint64_t address);

/* Returns the function with a symbol at ADDRESS, or NULL. */
const struct profile_function *code_places_symbol(const struct code_places *places, uint64_t address);

/* gather.c adds to the lists of a struct code. Each item is in its list only once. */

/* Sets *INDEX to the index of the file at PATH, or to CODE_NONE if memory runs out. Returns the file if it is new: the
 * caller then reads it, before the next call. Otherwise NULL. */
struct code_file *gather_file(struct code *code, const char *path, uint32_t *index);

/* Sorts the instructions or lines of CODE by address, and keeps one of each address. */
void gather_once(struct code *code);

/* script.c reads a function of an interpreted language. It has no instructions: its items are its sampled lines. */

/* Returns true if MODULE contains functions of an interpreted language. */
bool script_is_module(const struct profile_module *module);

/* Reads the sources of FUNCTION in such a module, as code_read does. A process named them. So they are opened with the
 * rights of its user, and below its root directory, or below SYSROOT if that is not NULL. Returns 0, or -errno with
 * ERROR set: -EXDEV the root directory is not ours and not known, -EPERM processes of several users named them,
 * -ENOMEM. */
int script_read(struct code *code, const struct profile *profile, uint32_t function, const char *sysroot,
                struct error *error);

/* Sets *ADDRESS to the target of the jump or call in TEXT, an instruction as in code/disassembly.h. Returns false for
 * indirect jumps and calls, and for other instructions. In target.c; pure. */
bool target_of(const char *text, uint64_t *address);

#endif
