/* SPDX-License-Identifier: MIT
 *
 * The files that a reduction adds up, and which process of it reads which of them. */
#ifndef REDUCE_INPUTS_H
#define REDUCE_INPUTS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>

/* Zero it before the first use. */
struct inputs {
    struct buffer names; /* each ended by a 0: one message has them all */
    size_t count;
};

/* Adds PATH. If it is a folder, adds the stored profiles in it (*.pb.gz) instead, in the order of their names. Returns
 * 0, or -errno with ERROR set. */
int inputs_add(struct inputs *inputs, const char *path, struct error *error);
void inputs_fini(struct inputs *inputs);

/* Calls TAKE with each name of share SHARE of SHARES, in order, and DATA, until it returns other than 0. Shares differ
 * by one name at most; all of them, in order, are all names. Returns what TAKE returned last, or 0. */
int inputs_each(const struct inputs *inputs, size_t share, size_t shares, int (*take)(const char *path, void *data),
                void *data);

#endif
