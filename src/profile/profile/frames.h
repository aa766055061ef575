/* SPDX-License-Identifier: MIT
 *
 * The distinct functions in stacks, numbered. For formats that write a name once and then refer to it. Functions with
 * the same name in the same object and the same source file are one. */
#ifndef PROFILE_FRAMES_H
#define PROFILE_FRAMES_H

#include "common/base/texts.h"

#include <stddef.h>
#include <stdint.h>

struct profile;

struct frames_item {
    const char *name, *module; /* unescaped; they live as long as the profile and the frames */
    const char *full_name;     /* if name is a short one; otherwise NULL */
    const char *path;          /* path of the object; equal to module if there is none */
    const char *file;          /* source file, or NULL */
    uint32_t line;             /* smallest line in any stack; 0: unknown */
    uint64_t start;            /* ELF virtual address, or 0 */
    uint64_t touched;          /* for the user; 0 at first */
};

struct frames_source {
    const char *file;
    uint32_t line, number; /* number: HASH_NONE until a stack contains it */
};

struct frames {
    struct frames_item *items; /* by number */
    size_t count, room;
    struct hash index;
    struct texts made_up;          /* names that do not belong to the profile */
    struct frames_source *sources; /* one for each function of the profile */
    const struct profile *profile;
};

/* Fills FRAMES, which may be uninitialised, for PROFILE; no frame has a number yet. Returns 0, or -ENOMEM with FRAMES
 * empty. */
int frames_init(struct frames *frames, const struct profile *profile);
void frames_fini(struct frames *frames);

/* Returns the number of the profile's function FUNCTION. If FUNCTION is PROFILE_NONE, the frame has NAME and MODULE (a
 * literal) instead. Returns HASH_NONE if memory runs out. */
uint32_t frames_number(struct frames *frames, uint32_t function, const char *name, const char *module);

#endif
