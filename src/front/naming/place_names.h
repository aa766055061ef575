/* SPDX-License-Identifier: MIT
 *
 * Finds the names of places in one object. Its files are open, and its symbols in memory, during that. */
#ifndef NAMING_PLACE_NAMES_H
#define NAMING_PLACE_NAMES_H

#include "front/naming/name_answer.h"

#include <stddef.h>
#include <stdint.h>

struct builder;
struct object;
struct scripts;

/* Zero it before the first use. Zeroed means closed. */
struct place_names {
    struct builder *builder;
    uint32_t module; /* of the object; PROFILE_NONE if memory ran out */
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
    int no_lines; /* errno if it is NULL, which explains that */
    struct jit_map *jit_map;
    const struct scripts *scripts; /* of an interpreted language's object, set by the caller; else NULL */
    const char *folder;            /* where its relative paths begin; or NULL */
    struct name_answer answer;     /* of places that another process has named, in their order; or empty */
};

/* Opens the sources of names for OBJECT, WITH_LINES also the sources of lines. Adds its module to BUILDER, which is
 * used until place_names_close. If nothing can be opened, places have no names; this is not an error. This parses
 * strangers' files by libraries, so only the process that has no rights may call it. */
void place_names_open(struct place_names *names, struct builder *builder, const struct object *object, bool with_lines);

/* The same without names and lines, for any process: for objects without names. */
void place_names_lack(struct place_names *names, struct builder *builder, const struct object *object);

/* The same if another process has looked up the names of COUNT places: reads the SIZE bytes of its ANSWER. Ask then for
 * these places once, in this order. Returns false, with nothing opened, if the answer makes no sense. */
bool place_names_take(struct place_names *names, struct builder *builder, const struct object *object,
                      const void *answer, size_t size, size_t count);

/* Reads the names of the COUNT sorted ADDRESSES from the map of OBJECT, if OBJECT is generated code. Other addresses of
 * OBJECT have no names afterwards. Does nothing for other objects. */
void place_names_read_map(struct place_names *names, const struct object *object, const uint64_t *addresses,
                          size_t count);

/* Adds the place at OFFSET (see enum object_kind) of the object to the builder. If more than MOST_INLINED calls are
 * inlined there, drops them all and counts this in the profile. Returns the place's number, or PROFILE_NONE if
 * memory runs out. */
uint32_t place_names_location(struct place_names *names, uint64_t offset, uint64_t most_inlined);

void place_names_close(struct place_names *names);

#endif
