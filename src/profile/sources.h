/* SPDX-License-Identifier: MIT
 *
 * Whose source files the functions of an interpreted language are in. Processes name these files, and a process can
 * name any file: so they are opened by the rights of its user, and below its root directory. Pure. */
#ifndef PROFILE_SOURCES_H
#define PROFILE_SOURCES_H

#include "base/viewer.h"

enum profile_sources_kind {
    PROFILE_SOURCES_NONE,      /* not an interpreted language, or not known */
    PROFILE_SOURCES_HERE,      /* paths are below our root directory */
    PROFILE_SOURCES_ELSEWHERE, /* paths are below another one */
    PROFILE_SOURCES_SEVERAL,   /* of processes of several users, or with several root directories */
    PROFILE_SOURCES_KINDS
};

struct profile_sources {
    enum profile_sources_kind kind;
    struct viewer viewer; /* user of the processes; 0: ours */
    char root[40];        /* of PROFILE_SOURCES_ELSEWHERE: that directory, as long as a process lives; not stored */
};

/* Adds what MORE says to SUM. Of our user and another one, the other one's rights count. */
void profile_sources_add(struct profile_sources *sum, const struct profile_sources *more);

#endif
