/* SPDX-License-Identifier: MIT
 *
 * Different functions with one name, such as functions private to two files of a program. Their source files
 * distinguish them, or their addresses if no file is known. Parts and variants of a function count as that function,
 * and so do its inlined calls, and the copies of a header's function in several files. */
#ifndef REPORT_HOMONYMS_H
#define REPORT_HOMONYMS_H

#include "profile/profile/profile.h"

/* A profile whose functions have one source file each. */
struct homonyms {
    struct profile profile; /* has functions and lines of its own, and shares everything else */
    size_t room;            /* of the functions */
    uint32_t *files;        /* source file of each function, or PROFILE_NONE */
    uint32_t *names;        /* number of each function's name; for the user */
    char **labels;          /* what distinguishes each function, such as "main.c"; NULL: its name suffices */
};

/* Fills VIEW, which may be uninitialised, from PROFILE. An inlined function with code in several files becomes several
 * functions. Sets no labels. Returns 0, or -ENOMEM with VIEW empty. */
int homonyms_init(struct homonyms *view, const struct profile *profile);
void homonyms_fini(struct homonyms *view);

/* Sets the labels of VIEWS, COUNT profiles to compare, by their names: equal names have equal numbers. Functions of two
 * builds that correspond get equal labels. Functions without a file get none if it is uncertain which ones
 * correspond. Returns 0 or -ENOMEM. */
int homonyms_label(struct homonyms *views, uint32_t count);

#endif
