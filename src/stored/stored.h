/* SPDX-License-Identifier: MIT
 *
 * Reading stored profiles: ptprofil's own, and what other programs write in the format of pprof. */
#ifndef STORED_STORED_H
#define STORED_STORED_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/builder.h"

/* Adds the stored profile that BYTES are to INTO. Its CPU time is the value that is called so, else another time, else
 * the number of samples by their period. Every byte of it may be a stranger's. Returns 0, or -errno with ERROR set,
 * whose text follows the file's name in a sentence: -EBADMSG it is not such a profile or a damaged one, -E2BIG it is
 * larger than is reasonable, or -ENOMEM. INTO is then good for nothing
 * but builder_finish. */
int stored_take(struct builder *into, const struct buffer *bytes, struct error *error);

#endif
