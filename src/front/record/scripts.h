/* SPDX-License-Identifier: MIT
 *
 * Functions of interpreted languages. They have no address, but a name, a file and a line. */
#ifndef RECORD_SCRIPTS_H
#define RECORD_SCRIPTS_H

#include "common/base/texts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script {
    uint32_t module;     /* number of the object for the language */
    uint32_t name, file; /* indices of texts; file HASH_NONE: unknown */
    uint32_t first_line; /* 0: not known */
    bool is_ambiguous;   /* other functions have the same name; set by scripts_compare */
};

struct scripts {
    struct script *items;
    size_t count, room;
    struct hash index;
    struct texts texts;
};

/* Frees everything. The set is empty afterwards. A zeroed set is empty. */
void scripts_fini(struct scripts *scripts);

/* Returns the number of the function NAME of FILE (NULL: unknown), which begins at FIRST_LINE, in the language of
 * object MODULE. Adds it if it is new. Returns HASH_NONE if memory runs out, or after very many functions. */
uint32_t scripts_add(struct scripts *scripts, uint32_t module, const char *name, const char *file, uint32_t first_line);

/* Finds the functions that share their names with others of their language. */
void scripts_compare(struct scripts *scripts);

/* Writes the displayed name of function NUMBER to NAME, SIZE bytes; it includes the file if the name alone is
 * ambiguous. */
void scripts_name(const struct scripts *scripts, uint32_t number, char *name, size_t size);

/* Returns the file of function NUMBER, or NULL. */
const char *scripts_file(const struct scripts *scripts, uint32_t number);

/* Encode LINE (0: unknown) of function NUMBER as an address, and decode it. */
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
