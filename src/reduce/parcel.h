/* SPDX-License-Identifier: MIT
 *
 * Profiles between the processes of a reduction: packed as stored profiles. Adding A, then B and C packed as one, is
 * the same as adding A, B and C. */
#ifndef REDUCE_PARCEL_H
#define REDUCE_PARCEL_H

#include "base/error.h"
#include "profile/builder.h"

#include <stddef.h>

/* Adds the stored profile in the file PATH to SUM. Returns 0; -errno with ERROR set, which then names PATH, and with
 * SUM unchanged unless that is -ENOMEM. */
int parcel_read(struct builder *sum, const char *path, struct error *error);

/* Ends SUM, and packs it in *BYTES, *SIZE of them, to be freed. NULL and 0: nothing has been added. Returns 0 or
 * -ENOMEM with ERROR set. */
int parcel_pack(struct builder *sum, char **bytes, size_t *size, struct error *error);

/* Adds the SIZE packed BYTES to SUM; 0: nothing. Returns 0 or -errno with ERROR set. */
int parcel_unpack(struct builder *sum, const char *bytes, size_t size, struct error *error);

#endif
