/* SPDX-License-Identifier: MIT
 *
 * The names under which functions are shown. They are short (see names/short_name.h), but two functions with
 * different names never share one: where short names would be equal, each keeps as much as tells them apart. Parts
 * that a compiler makes of a function (its cold part, a clone) have the name of the function. */
#ifndef TEXT_NAMES_H
#define TEXT_NAMES_H

#include "base/texts.h"

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
    struct texts whole;       /* as they came, but for what is said of the part of a function */
    struct names_item *items; /* by number */
    size_t room;
};

void names_fini(struct names *names);

/* True if NAME is shown unchanged, not shortened. SYMBOL: it comes from a symbol table. */
bool names_stay(const char *name, bool symbol);

/* Adds NAME. FIXED: it is shown unchanged. Returns its number, or HASH_NONE if memory runs out. */
uint32_t names_add(struct names *names, const char *name, bool fixed);

/* To be called when all have been added, and again when more have been: finds the names that are shown, which may be
 * others then. False if memory runs out. */
bool names_settle(struct names *names);

#endif
