/* SPDX-License-Identifier: MIT
 *
 * The files to add up, and the share of each process. */
#ifndef REDUCE_INPUTS_H
#define REDUCE_INPUTS_H

#include "common/base/buffer.h"

#include <stddef.h>

struct error;

/* Zero it before the first use. */
struct inputs {
    struct buffer names; /* each name ends with a 0, so that one message can contain all */
    size_t count;
};

/* Adds PATH. If it is a folder, adds the stored profiles in it (*.pb.gz) instead, in the order of their names. Returns
 * 0, or -errno with ERROR set. */
int inputs_add(struct inputs *inputs, const char *path, struct error *error);
void inputs_fini(struct inputs *inputs);

/* Calls TAKE with DATA and each name of share SHARE (of SHARES), in order, until it returns other than 0. Shares differ
 * by at most one name. In order, they contain all names. Returns the last result of TAKE, or 0. */
int inputs_each(const struct inputs *inputs, size_t share, size_t shares, int (*take)(const char *path, void *data),
                void *data);

#endif
