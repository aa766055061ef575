/* SPDX-License-Identifier: MIT
 *
 * Exchanges profiles between the processes of a reduction, packed as stored profiles. Adding A, and then B and C packed
 * as one, gives the same result as adding A, B and C. */
#ifndef REDUCE_PARCEL_H
#define REDUCE_PARCEL_H

#include <stddef.h>

struct builder;
struct error;

/* Adds the stored profile in the file PATH to SUM. Returns 0, or -errno with ERROR set, which names PATH. On failure
 * SUM is unchanged, except after -ENOMEM. */
int parcel_read(struct builder *sum, const char *path, struct error *error);

/* Ends SUM and packs it into *BYTES, *SIZE bytes, which the caller frees. If nothing was added, these are NULL and 0.
 * Returns 0 or -ENOMEM with ERROR set. */
int parcel_pack(struct builder *sum, char **bytes, size_t *size, struct error *error);

/* Adds the SIZE packed BYTES (0: none) to SUM. Returns 0 or -errno with ERROR set. */
int parcel_unpack(struct builder *sum, const char *bytes, size_t size, struct error *error);

#endif
