/* SPDX-License-Identifier: MIT */
#include "text/json.h"

#include "text/text.h"

#include <string.h>

/* What is left of TEXT after cleaning has no control characters and is UTF-8: these three are all that can do
 * harm. */
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

void json_put_text(struct buffer *out, const char *text)
{
    struct buffer clean = {0};
    text_clean(&clean, text, true);
    buffer_puts(out, "\"");
    put_escaped(out, clean.bytes ? clean.bytes : "");
    buffer_puts(out, "\"");
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

void json_put_texts(struct buffer *out, char *const *texts, size_t count)
{
    buffer_puts(out, "[");
    for (size_t i = 0; i < count; i++) {
        buffer_puts(out, i ? "," : "");
        json_put_text(out, texts[i]);
    }
    buffer_puts(out, "]");
}
