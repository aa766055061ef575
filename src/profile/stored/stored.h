/* SPDX-License-Identifier: MIT
 *
 * Reads stored profiles: ptprofil's own, and other programs' profiles in pprof's format. */
#ifndef STORED_STORED_H
#define STORED_STORED_H

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"

/* Adds the stored profile in BYTES, which is not trusted, to INTO. Its CPU time is the value with that name, or another
 * time, or the number of samples multiplied by their period. Returns 0, or -errno with ERROR set: -EBADMSG if BYTES are
 * not such a profile or are damaged, -E2BIG if the profile is unreasonably large, or -ENOMEM. The text of ERROR follows
 * the file's name in a sentence. After a failure, only builder_finish may be called for INTO. */
int stored_take(struct builder *into, const struct buffer *bytes, struct error *error);

#endif
