/* SPDX-License-Identifier: MIT */
#include "report/pprof_out.h"

#include "base/array.h"
#include "report/text.h"

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

/* Sends off what there is when that is enough. */
static void send(struct pprof_out *out)
{
    if (!out->result && (out->bytes.length >= CHUNK || out->bytes.failed))
        out->result = pack_write(out->pack, &out->bytes);
}

static void put_varint(struct buffer *bytes, uint64_t value)
{
    unsigned char digits[10];
    size_t length = 0;
    do {
        digits[length++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    buffer_append(bytes, digits, length);
}

void pprof_out_put_bytes(struct pprof_out *out, enum pprof_table table, const void *bytes, size_t size)
{
    if (out->result)
        return;
    put_varint(&out->bytes, (uint64_t)table << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
    put_varint(&out->bytes, size);
    buffer_append(&out->bytes, bytes, size);
    send(out);
}

/* Puts MESSAGE into out->packed and returns its size. */
static size_t packed(struct pprof_out *out, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    if (!array_reserve_((void **)&out->packed, &out->packed_room, size, 1)) {
        pprof_out_fail(out, -ENOMEM);
        return 0;
    }
    return protobuf_c_message_pack(message, out->packed);
}

void pprof_out_put(struct pprof_out *out, enum pprof_table table, const ProtobufCMessage *message)
{
    size_t size = packed(out, message);
    pprof_out_put_bytes(out, table, out->packed, size);
}

void pprof_out_put_fields(struct pprof_out *out, const Stored__Profile *message)
{
    size_t size = packed(out, &message->base);
    if (!out->result)
        buffer_append(&out->bytes, out->packed, size);
    send(out);
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
    buffer_free(&out->bytes);
    buffer_free(&out->clean);
    texts_free(&out->texts);
    free(out->packed);
    return out->result;
}
