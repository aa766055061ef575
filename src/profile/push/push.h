/* SPDX-License-Identifier: MIT
 *
 * Profiles sent to servers of continuous profiling. */
#ifndef PUSH_PUSH_H
#define PUSH_PUSH_H

#include "profile/push/sender.h"

struct profile;
struct push_options;

struct push {
    const struct push_options *options;
    struct sender sender;
};

/* Starts to send to the targets of OPTIONS, which is borrowed. Does nothing without targets. Returns 0, or -errno with
 * ERROR set. */
int push_begin(struct push *push, const struct push_options *options, struct error *error);

/* Kinds of servers, as bits. Databases store measured profiles, and readers estimate times and filter. The others show
 * profiles unchanged. */
enum push_kind { PUSH_KEEPS = 1, PUSH_SHOWS = 2 };

/* Passes PROFILE to the sending process, for servers of KINDS (enum push_kind). May be called in a child. Returns 0, or
 * -errno with ERROR set. */
int push_profile(const struct push *push, unsigned kinds, const struct profile *profile, struct error *error);

/* Sends waiting requests for a few seconds, and reports losses. */
void push_end(struct push *push);

#endif
