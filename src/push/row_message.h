/* SPDX-License-Identifier: MIT
 *
 * A profile as bodies of requests for databases: rows as lines of JSON, compressed. */
#ifndef PUSH_ROW_MESSAGE_H
#define PUSH_ROW_MESSAGE_H

#include "profile/profile.h"
#include "push/message.h"

/* Takes a body of SIZE BYTES. Returns 0, or -errno, which ends the work. */
typedef int row_message_taker(void *of, const void *bytes, size_t size);

/* Gives the bodies for PROFILE to TAKE with OF, each of at most some 4 MiB unpacked. Returns 0, -ENOMEM, or what TAKE
 * returned. */
int row_message_each(const struct profile *profile, const struct push_about *about, row_message_taker *take, void *of);

#endif
