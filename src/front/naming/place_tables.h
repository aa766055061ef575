/* SPDX-License-Identifier: MIT
 *
 * Finds the names of places in one object, from its tables. Only the process that has no rights may call this: it
 * parses strangers' files by libraries. */
#ifndef NAMING_PLACE_TABLES_H
#define NAMING_PLACE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builder;
struct object;

/* Zero it before the first use. Zeroed means closed. Its files are open, and its symbols in memory, until it is. */
struct place_tables {
    struct builder *builder;
    uint32_t module; /* of the object; PROFILE_NONE if memory ran out */
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
    int no_lines; /* errno if it is NULL, which explains that */
    struct jit_map *jit_map;
};

/* Opens the tables of OBJECT, WITH_LINES also those with lines. Adds its module to BUILDER, which is used until
 * place_tables_close. If nothing can be opened, places have no names; this is not an error. */
void place_tables_open(struct place_tables *tables, struct builder *builder, const struct object *object,
                       bool with_lines);

/* Reads the names of the COUNT sorted ADDRESSES from the map of OBJECT, if OBJECT is generated code. Other addresses of
 * OBJECT have no names afterwards. Does nothing for other objects. */
void place_tables_read_map(struct place_tables *tables, const struct object *object, const uint64_t *addresses,
                           size_t count);

/* Adds the place at OFFSET (see enum object_kind) of the object to the builder. Returns the place's number, or
 * PROFILE_NONE if memory runs out. */
uint32_t place_tables_location(struct place_tables *tables, uint64_t offset);

void place_tables_close(struct place_tables *tables);

#endif
