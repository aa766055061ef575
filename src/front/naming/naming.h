/* SPDX-License-Identifier: MIT
 *
 * Turns the record into the profile: finds the name of each distinct address, once, at the end. */
#ifndef NAMING_NAMING_H
#define NAMING_NAMING_H

#include <stddef.h>

struct error;
struct name_server;
struct profile;
struct record;

/* Reports progress. NAMED is called at the beginning of each file (PATH), and sometimes in between. DONE of COUNT
 * places have names. */
struct naming_watch {
    void (*named)(void *of, const char *path, size_t done, size_t count);
    void *of;
};

/* Finds all names, and makes a profile of RECORD, without quality and command. SERVER looks up the names of files, and
 * is started if it does not run; if it is NULL, another one does that ends with this call. Without an answer, places of
 * a file have no names. WATCH may be NULL. Closes images without a reported end. Returns NULL, with ERROR set, if
 * memory runs out. */
struct profile *naming_profile(struct record *record, struct name_server *server, const struct naming_watch *watch,
                               struct error *error);

#endif
