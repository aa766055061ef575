/* SPDX-License-Identifier: MIT
 *
 * Strings for JSON. */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include "base/buffer.h"

/* Appends TEXT, cleaned as text_clean does, as a JSON string with its quotes. It holds no '<' as such, so
 * that it can also stand in a script element of a page. */
void json_put_text(struct buffer *out, const char *text);

/* Appends the COUNT TEXTS as an array. */
void json_put_texts(struct buffer *out, char *const *texts, size_t count);

#endif
