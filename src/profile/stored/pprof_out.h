/* SPDX-License-Identifier: MIT
 *
 * Writes the entries of a stored profile, and their texts. `result` keeps the first failure, and later output is
 * dropped. So it is enough to check `result` sometimes. */
#ifndef STORED_PPROF_OUT_H
#define STORED_PPROF_OUT_H

#include "common/base/buffer.h"
#include "common/base/texts.h"
#include "profile/stored/pprof_format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pprof_out {
    struct texts texts; /* texts added, already cleaned */
    int result;         /* 0 or -errno */
    struct pack *pack;
    struct buffer bytes, clean;
};

/* Begins to write to STREAM. Call pprof_out_end in any case. */
void pprof_out_begin(struct pprof_out *out, FILE *stream);

/* Stores RESULT if it is a failure and the first one. */
void pprof_out_fail(struct pprof_out *out, int result);

/* Returns the index of TEXT, which must be cleaned already. */
int64_t pprof_out_plain_text(struct pprof_out *out, const char *text);

/* Returns the index of TEXT after cleaning: valid UTF-8, with characters that are unsafe for terminals escaped, and cut
 * if very long. */
int64_t pprof_out_text(struct pprof_out *out, const char *text);

/* Writes MESSAGE, which LAYOUT describes, as an entry of TABLE. */
void pprof_out_put(struct pprof_out *out, enum pprof_table table, const struct protobuf_layout *layout,
                   const void *message);

/* Writes SIZE bytes at BYTES, which are not a message, as an entry of TABLE. */
void pprof_out_put_bytes(struct pprof_out *out, enum pprof_table table, const void *bytes, size_t size);

/* Writes the fields of MESSAGE, which belong to the profile itself. */
void pprof_out_put_fields(struct pprof_out *out, const struct pprof_profile *message);

/* Writes all texts. Texts that are requested later are not written. */
void pprof_out_put_texts(struct pprof_out *out);

/* Ends the file, unless a failure occurred, and frees everything. Returns 0 or the first failure. */
int pprof_out_end(struct pprof_out *out);

#endif
