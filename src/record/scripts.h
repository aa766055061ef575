/* SPDX-License-Identifier: MIT
 *
 * The functions of interpreted languages: they have no address, but a name, a file and a line. */
#ifndef RECORD_SCRIPTS_H
#define RECORD_SCRIPTS_H

#include "base/hash.h"
#include "base/texts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script {
    uint32_t module;     /* the language: the object's number */
    uint32_t name, file; /* of texts; file HASH_NONE: not known */
    uint32_t first_line; /* 0: not known */
    bool is_ambiguous;   /* others have the name, too; set by scripts_compare */
};

struct scripts {
    struct script *items;
    size_t count, room;
    struct hash index;
    struct texts texts;
};

/* A zeroed set is empty. Frees everything. */
void scripts_fini(struct scripts *scripts);

/* Returns the number of the function NAME of FILE (NULL: unknown), which begins at FIRST_LINE, of the language of
 * object MODULE, and adds it if it is new. HASH_NONE if memory runs out, or after very many functions. */
uint32_t scripts_add(struct scripts *scripts, uint32_t module, const char *name, const char *file, uint32_t first_line);

/* Finds which functions share their names with others of their language. */
void scripts_compare(struct scripts *scripts);

/* Writes the displayed name of function NUMBER to NAME, SIZE bytes; it includes the file if the name alone is
 * ambiguous. */
void scripts_name(const struct scripts *scripts, uint32_t number, char *name, size_t size);

/* The file of function NUMBER, or NULL. */
const char *scripts_file(const struct scripts *scripts, uint32_t number);

/* Encodes LINE (0: unknown) of function NUMBER as an address; and the reverse. */
static inline uint64_t scripts_address(uint32_t number, uint32_t line)
{
    return (uint64_t)number << 32 | line;
}

static inline uint32_t scripts_number_of(uint64_t address)
{
    return (uint32_t)(address >> 32);
}

static inline uint32_t scripts_line_of(uint64_t address)
{
    return (uint32_t)address;
}

#endif
