/* SPDX-License-Identifier: MIT */
#include "profile/profile/sources.h"

#include <string.h>

void profile_sources_add(struct profile_sources *sum, const struct profile_sources *more)
{
    if (more->kind == PROFILE_SOURCES_NONE)
        return;
    if (sum->kind == PROFILE_SOURCES_NONE) {
        *sum = *more;
        return;
    }
    bool differ = sum->viewer.user && more->viewer.user && sum->viewer.user != more->viewer.user;
    if (differ || sum->kind != more->kind || strcmp(sum->root, more->root) != 0)
        sum->kind = PROFILE_SOURCES_SEVERAL;
    if (!sum->viewer.user)
        sum->viewer = more->viewer;
}
