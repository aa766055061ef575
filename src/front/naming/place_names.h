/* SPDX-License-Identifier: MIT
 *
 * The names of places in one object. Another process has found them, or an interpreted language has them, or there are
 * none.
 */
#ifndef NAMING_PLACE_NAMES_H
#define NAMING_PLACE_NAMES_H

#include "front/naming/name_answer.h"

#include <stddef.h>
#include <stdint.h>

struct builder;
struct elf_file;
struct object;
struct scripts;

/* Zero it before the first use. Zeroed means closed. */
struct place_names {
    struct builder *builder;
    uint32_t module; /* of the object; PROFILE_NONE if memory ran out */
    struct elf_file *file;
    const struct scripts *scripts; /* of an interpreted language's object, set by the caller; else NULL */
    const char *folder;            /* where its relative paths begin; or NULL */
    struct name_answer answer;     /* of places that another process has named, in their order; or empty */
};

/* For an object without names: adds the module of OBJECT to BUILDER, which is used until place_names_close. */
void place_names_lack(struct place_names *names, struct builder *builder, const struct object *object);

/* The same if another process has looked up the names of COUNT places: reads the SIZE bytes of its ANSWER. Ask then for
 * these places once, in this order. Returns false, with nothing opened, if the answer makes no sense. */
bool place_names_take(struct place_names *names, struct builder *builder, const struct object *object,
                      const void *answer, size_t size, size_t count);

/* Adds the place at OFFSET (see enum object_kind) of the object to the builder. If more than MOST_INLINED calls are
 * inlined there, drops them all and counts this in the profile. Returns the place's number, or PROFILE_NONE if
 * memory runs out. */
uint32_t place_names_location(struct place_names *names, uint64_t offset, uint64_t most_inlined);

void place_names_close(struct place_names *names);

/* Returns the ELF file of OBJECT, which the caller closes, or NULL. */
struct elf_file *place_names_file(const struct object *object);

/* Adds the module of OBJECT to BUILDER. FILE: its ELF file, or NULL. HAS_SYMBOLS, HAS_LINES: its whole table of
 * symbols, and its lines, are read. Returns its number, or PROFILE_NONE if memory runs out. */
uint32_t place_names_module(struct builder *builder, const struct object *object, const struct elf_file *file,
                            bool has_symbols, bool has_lines);

#endif
