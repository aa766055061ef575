/* SPDX-License-Identifier: MIT
 *
 * The known names of the record's places: which functions each node represents. Names arrive while the record grows;
 * until then a place is shown as being read. */
#ifndef TOP_PLACES_H
#define TOP_PLACES_H

#include "record/record.h"
#include "text/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct places_function {
    uint32_t name;   /* number in names */
    uint32_t module; /* number in modules */
};

enum places_state { PLACES_NEW, PLACES_ASKED, PLACES_KNOWN };

struct places_item {
    uint32_t object;
    uint64_t address;
    enum places_state state;
    uint32_t first, count; /* of the frames, innermost first */
};

/* Zero it before the first use. */
struct places {
    bool full_names;
    struct {
        struct places_item *items;
        size_t count, room;
        struct hash index;
    } places;
    struct {
        uint32_t *items;
        size_t count, room;
    } nodes; /* the place of each node of the record */
    struct {
        uint32_t *items;
        size_t count, room;
    } frames; /* functions */
    struct {
        struct places_function *items;
        size_t count, room;
        struct hash index;
    } functions;
    struct names names;
    struct texts modules;
    size_t settled;   /* how many names have been settled */
    size_t first_new; /* no place below it is new */
};

void places_free(struct places *places);

/* Adds the nodes that RECORD has got since the last time. False if memory runs out. */
bool places_follow(struct places *places, const struct record *record);

/* The number of a function called NAME in MODULE, which is added if it is new; HASH_NONE if memory runs out. FIXED:
 * its name is never shortened. */
uint32_t places_function(struct places *places, const char *name, const char *module, bool fixed);

/* Place NUMBER is in the COUNT FUNCTIONS, innermost first. False if memory runs out. */
bool places_set(struct places *places, uint32_t number, const uint32_t *functions, size_t count);

/* Sets PICKED to at most MOST places of one object whose names are unknown and not yet asked for, and marks them as
 * asked for. Returns their number. */
size_t places_pick(struct places *places, uint32_t *picked, size_t most);

/* To be called before names are shown. False if memory runs out. */
bool places_settle(struct places *places);

/* What function NUMBER is shown as, after places_settle, and its module. Not escaped. */
const char *places_name(const struct places *places, uint32_t number);
const char *places_module(const struct places *places, uint32_t number);

#endif
