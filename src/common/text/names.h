/* SPDX-License-Identifier: MIT
 *
 * Displayed names of functions. They are short (see names/short_name.h), but two functions with different names never
 * have equal ones. If short names would be equal, each keeps enough to distinguish it. Parts that a compiler makes of a
 * function (its cold part, a clone) have the name of the function. */
#ifndef TEXT_NAMES_H
#define TEXT_NAMES_H

#include "common/base/texts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names_item {
    char *shown; /* owned; NULL until names_settle */
    unsigned char level;
    bool fixed, clashes;
};

/* Zero it before the first use. */
struct names {
    struct texts whole;       /* unchanged, except for the mark of a compiler's part */
    struct names_item *items; /* by number */
    size_t room;
};

void names_fini(struct names *names);

/* Returns true if NAME is displayed unchanged. SYMBOL: it comes from a symbol table. */
bool names_stay(const char *name, bool symbol);

/* Adds NAME. FIXED: it is displayed unchanged. Returns its number, or HASH_NONE if memory runs out. */
uint32_t names_add(struct names *names, const char *name, bool fixed);

/* Finds the displayed names. Call it when all names have been added, and again after more have been; displayed names
 * may change then. Returns false if memory runs out. */
bool names_settle(struct names *names);

#endif
