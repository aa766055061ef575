/* SPDX-License-Identifier: MIT */
#include "common/text/json.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

#include <string.h>

/* text_clean leaves only UTF-8 without control characters. Three more characters have a meaning in JSON or HTML. */
static void put_escaped(struct buffer *out, const char *text)
{
    static const char special[] = "\"\\<";
    for (;;) {
        size_t plain = strcspn(text, special);
        buffer_append(out, text, plain);
        text += plain;
        if (!*text)
            return;
        buffer_printf(out, *text == '<' ? "\\u%04x" : "\\%c", *text);
        text++;
    }
}

struct buffer *json_next(struct buffer *out)
{
    char last = out->length ? out->bytes[out->length - 1] : 0;
    if (!strchr("[{:\n", last) || !last)
        buffer_puts(out, ",");
    return out;
}

struct buffer *json_line(struct buffer *out)
{
    buffer_puts(json_next(out), "\n");
    return out;
}

void json_key(struct buffer *out, const char *key)
{
    json_next(out);
    if (key)
        buffer_printf(out, "\"%s\":", key);
}

void json_open(struct buffer *out, const char *key, char bracket)
{
    json_key(out, key);
    buffer_append(out, &bracket, 1);
}

void json_number(struct buffer *out, const char *key, uint64_t number)
{
    json_key(out, key);
    buffer_number(out, number);
}

void json_plain(struct buffer *out, const char *key, const char *plain)
{
    json_key(out, key);
    buffer_puts(out, plain);
}

void json_text(struct buffer *out, const char *key, const char *text)
{
    struct buffer clean = {0};
    json_key(out, key);
    text_clean(&clean, text ? text : "", true);
    buffer_puts(out, text ? "\"" : "null");
    put_escaped(out, clean.bytes ? clean.bytes : "");
    buffer_puts(out, text ? "\"" : "");
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

void json_texts(struct buffer *out, const char *key, char *const *texts, size_t count)
{
    json_open(out, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text(out, NULL, texts[i]);
    buffer_puts(out, "]");
}
