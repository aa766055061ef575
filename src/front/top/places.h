/* SPDX-License-Identifier: MIT
 *
 * The known names of the record's places: the functions of each node. Names arrive while the record grows; until then,
 * a place is shown as being read. */
#ifndef TOP_PLACES_H
#define TOP_PLACES_H

#include "common/text/names.h"
#include "profile/profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;

struct places_function {
    uint32_t name;   /* number in names */
    uint32_t module; /* number in modules */
    uint32_t label;  /* number in labels: what tells it apart from others of its name; HASH_NONE: nothing */
    char *shown;     /* its name with its label, if it has one; owned; NULL until places_settle */
};

enum places_state { PLACES_NEW, PLACES_ASKED, PLACES_KNOWN };

struct places_item {
    uint32_t object;
    uint64_t address;
    enum places_state state;
    uint32_t first, count; /* functions of the frames, innermost first */
    uint32_t location;     /* number in known, or PROFILE_NONE */
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
    } nodes; /* the place of each node in the record */
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
    struct texts modules, labels;
    struct builder known; /* locations that have been read */
    size_t labelled;      /* number of locations of known when the functions got their labels */
    size_t settled;       /* number of names that have been settled */
    size_t first_new;     /* all new places are from here on */
};

void places_free(struct places *places);

/* Adds the new nodes of RECORD. Returns false if memory runs out. */
bool places_follow(struct places *places, const struct record *record);

/* Returns the number of the function NAME in MODULE, and adds it if it is new. Returns HASH_NONE if memory runs out.
 * FIXED: its name is never shortened. */
uint32_t places_function(struct places *places, const char *name, const char *module, bool fixed);

/* Sets the functions of place NUMBER: COUNT FUNCTIONS, innermost first. Returns false if memory runs out. */
bool places_set(struct places *places, uint32_t number, const uint32_t *functions, size_t count);

/* Sets the functions of place NUMBER to those of LOCATION in known. Returns false if memory runs out. */
bool places_set_location(struct places *places, uint32_t number, uint32_t location);

/* Sets PICKED to at most MOST places of one object whose names are unknown and not requested yet, and marks them as
 * requested. Returns their number. */
size_t places_pick(struct places *places, uint32_t *picked, size_t most);

/* Call it before functions are looked at, and before names are shown. Tells different functions of one name apart, see
 * report/homonyms.h. Returns false if memory runs out. */
bool places_settle(struct places *places);

/* Return the displayed name of function NUMBER, after places_settle, and its module. Unescaped. */
const char *places_name(const struct places *places, uint32_t number);
const char *places_module(const struct places *places, uint32_t number);

#endif
