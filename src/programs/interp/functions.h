/* SPDX-License-Identifier: MIT
 *
 * The functions of interpreted languages that were found in processes. Each is stored once, however many processes
 * have it. */
#ifndef INTERP_FUNCTIONS_H
#define INTERP_FUNCTIONS_H

#include "common/base/texts.h"
#include "programs/interp/runtime.h"

struct functions_item {
    uint32_t runtime;          /* number */
    uint32_t name, file;       /* of texts */
    uint32_t number;           /* the user's own; HASH_NONE to begin with */
    struct interp_lines lines; /* its bytes are owned */
};

struct functions_serial {
    uint32_t function;        /* HASH_NONE: none */
    struct interp_range code; /* see struct interp_function */
};

struct functions {
    struct functions_item *items;
    size_t count, room;
    struct hash index;
    struct texts texts;
    struct {
        struct functions_serial *items; /* of each object's serial, from FIRST on */
        size_t count, room;
        uint32_t first;
        size_t old;      /* how many of them were known */
        uint64_t old_ns; /* at this time; 0: no such time yet */
    } serials;
    uint64_t bytes; /* of all line tables */
};

/* A zeroed set is empty. Frees everything. */
void functions_fini(struct functions *functions);

/* Stores that the object SERIAL, of runtime number RUNTIME, is FUNCTION (NULL: no function). If there are too many
 * objects, later ones are not stored. */
void functions_set(struct functions *functions, uint32_t serial, uint32_t runtime,
                   const struct interp_function *function);

/* Returns the function of the object SERIAL, or NULL, and sets *CODE to its code. The result is valid until the next
 * functions_set or functions_add. */
struct functions_item *functions_get(const struct functions *functions, uint32_t serial, struct interp_range *code);

/* Begins an interval of the user, who gives the functions new numbers. NOW_NS: time of the last capture. Forgets
 * serials to which no later capture refers, and then functions without serials. KEEP: no function is forgotten while
 * few are unused. */
void functions_renew(struct functions *functions, uint64_t now_ns, bool keep);

/* Returns the function NAME of FILE, of runtime number RUNTIME, which has no object; or NULL. The result is valid as
 * above. */
struct functions_item *functions_add(struct functions *functions, uint32_t runtime, const char *name, const char *file);

#endif
