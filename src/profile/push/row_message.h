/* SPDX-License-Identifier: MIT
 *
 * Converts a profile to bodies of requests for databases: rows as lines of JSON, compressed. */
#ifndef PUSH_ROW_MESSAGE_H
#define PUSH_ROW_MESSAGE_H

#include "profile/profile/profile.h"
#include "profile/push/message.h"

/* Receives a body of SIZE BYTES. Returns 0, or -errno, which ends the conversion. */
typedef int row_message_taker(void *of, const void *bytes, size_t size);

/* Calls TAKE with OF for each body of PROFILE, of about 4 MiB at most, unpacked. Returns 0, -ENOMEM, or the result of
 * TAKE. */
int row_message_each(const struct profile *profile, const struct push_about *about, row_message_taker *take, void *of);

#endif
