/* SPDX-License-Identifier: MIT */
#include "profile/stored/pprof_out.h"

#include "common/base/protobuf.h"
#include "common/text/text.h"
#include "profile/stored/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 16,
    MOST_TEXT = 1 << 18, /* bytes of a text, before they are escaped */
};

void pprof_out_begin(struct pprof_out *out, FILE *stream)
{
    *out = (struct pprof_out){.result = 0};
    out->result = pack_begin(&out->pack, stream);
    pprof_out_plain_text(out, "");
}

void pprof_out_fail(struct pprof_out *out, int result)
{
    if (!out->result)
        out->result = result;
}

int64_t pprof_out_plain_text(struct pprof_out *out, const char *text)
{
    uint32_t number = texts_add(&out->texts, text);
    if (number == HASH_NONE)
        pprof_out_fail(out, -ENOMEM);
    return number == HASH_NONE ? 0 : number;
}

int64_t pprof_out_text(struct pprof_out *out, const char *text)
{
    char *cut = strnlen(text, MOST_TEXT + 1) > MOST_TEXT ? strndup(text, MOST_TEXT) : NULL;
    out->clean.length = 0;
    text_clean(&out->clean, cut ? cut : text, true);
    free(cut);
    if (out->clean.failed)
        pprof_out_fail(out, -ENOMEM);
    return out->result ? 0 : pprof_out_plain_text(out, out->clean.bytes);
}

/* Writes the collected bytes if they fill a chunk. */
static void write_if_full(struct pprof_out *out)
{
    if (!out->result && (out->bytes.length >= CHUNK || out->bytes.failed))
        out->result = pack_write(out->pack, &out->bytes);
}

void pprof_out_put_bytes(struct pprof_out *out, enum pprof_table table, const void *bytes, size_t size)
{
    if (!out->result)
        protobuf_put_bytes(&out->bytes, table, bytes, size);
    write_if_full(out);
}

void pprof_out_put(struct pprof_out *out, enum pprof_table table, const struct protobuf_layout *layout,
                   const void *message)
{
    if (!out->result)
        protobuf_put_message(&out->bytes, table, layout, message);
    write_if_full(out);
}

void pprof_out_put_fields(struct pprof_out *out, const struct pprof_profile *message)
{
    if (!out->result)
        protobuf_put(&out->bytes, &pprof_profile_layout, message);
    write_if_full(out);
}

void pprof_out_put_texts(struct pprof_out *out)
{
    for (size_t i = 0; i < out->texts.count && !out->result; i++)
        pprof_out_put_bytes(out, PPROF_TEXT, out->texts.items[i], strlen(out->texts.items[i]));
}

int pprof_out_end(struct pprof_out *out)
{
    if (!out->result)
        out->result = pack_write(out->pack, &out->bytes);
    if (!out->result)
        out->result = pack_end(out->pack);
    pack_free(out->pack);
    buffer_fini(&out->bytes);
    buffer_fini(&out->clean);
    texts_fini(&out->texts);
    return out->result;
}
