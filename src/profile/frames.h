/* SPDX-License-Identifier: MIT
 *
 * The distinct functions that stacks show, each once and with a number: for formats that say a name once and
 * then refer to it. Functions of the same name in the same object and the same source file are one. */
#ifndef PROFILE_FRAMES_H
#define PROFILE_FRAMES_H

#include "base/hash.h"
#include "base/texts.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct frames_item {
    const char *name, *module; /* as they came; they live as long as the profile and the frames */
    const char *full_name;     /* if name is a short one, else NULL */
    const char *path;          /* of the object; what module is where none exists */
    const char *file;          /* of the source, or NULL */
    uint32_t line;             /* the first of its lines that any stack shows; 0: not known */
    uint64_t start;            /* ELF virtual address, or 0 */
    uint64_t touched;          /* the user's own; 0 at first */
};

struct frames_source {
    const char *file;
    uint32_t line, number; /* number: HASH_NONE until a stack shows it */
};

struct frames {
    struct frames_item *items; /* by number */
    size_t count, room;
    struct hash index;
    struct texts made_up;          /* names that are not the profile's */
    struct frames_source *sources; /* one for each function of the profile */
    const struct profile *profile;
};

/* Fills FRAMES, which need not be initialised, with no frame of PROFILE yet. Returns 0, or -ENOMEM with
 * FRAMES empty. */
int frames_init(struct frames *frames, const struct profile *profile);
void frames_fini(struct frames *frames);

/* Returns the number of the profile's function FUNCTION, or of what is not in the profile, which NAME and MODULE (a
 * literal) say, if FUNCTION is PROFILE_NONE. HASH_NONE if memory runs out. */
uint32_t frames_number(struct frames *frames, uint32_t function, const char *name, const char *module);

#endif
