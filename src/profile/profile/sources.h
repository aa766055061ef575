/* SPDX-License-Identifier: MIT
 *
 * Owners of the source files that contain functions of an interpreted language. Processes name these files, and a
 * process can name any file. So they are opened with the rights of its user, and below its root directory. Pure. */
#ifndef PROFILE_SOURCES_H
#define PROFILE_SOURCES_H

#include "common/base/viewer.h"

enum profile_sources_kind {
    PROFILE_SOURCES_NONE,      /* not an interpreted language, or unknown */
    PROFILE_SOURCES_HERE,      /* paths are below our root directory */
    PROFILE_SOURCES_ELSEWHERE, /* paths are below another root directory */
    PROFILE_SOURCES_SEVERAL,   /* for processes of several users, or with several root directories */
    PROFILE_SOURCES_KINDS
};

struct profile_sources {
    enum profile_sources_kind kind;
    struct viewer viewer; /* user of the processes; 0: ours */
    char root[40];        /* for PROFILE_SOURCES_ELSEWHERE: that directory, valid while a process lives; not stored */
};

/* Merges MORE into SUM. If one user is ours, the rights of the other user apply. */
void profile_sources_add(struct profile_sources *sum, const struct profile_sources *more);

#endif
