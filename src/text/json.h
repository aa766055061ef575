/* SPDX-License-Identifier: MIT
 *
 * JSON, written value by value, each with the comma that it needs. What OUT holds may be written and removed between
 * two values, not behind a bracket. KEY is the name of a member, and needs no escape; NULL: the value is one of an
 * array. */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include "base/buffer.h"

/* Appends the comma between the last value and the next one, which the caller appends to the buffer that this returns:
 * OUT. In the second case that begins a line. */
struct buffer *json_next(struct buffer *out);
struct buffer *json_line(struct buffer *out);

/* Appends the name of member KEY. Its value must follow. */
void json_key(struct buffer *out, const char *key);

/* Begins an object '{' or an array '['. The caller appends its end. */
void json_open(struct buffer *out, const char *key, char bracket);

/* Append a value: a number; PLAIN, unchanged; TEXT, cleaned as by text_clean and without '<', so that it can stand
 * in a script element of a page, or null if TEXT is NULL; the COUNT TEXTS as an array. */
void json_number(struct buffer *out, const char *key, uint64_t number);
void json_plain(struct buffer *out, const char *key, const char *plain);
void json_text(struct buffer *out, const char *key, const char *text);
void json_texts(struct buffer *out, const char *key, char *const *texts, size_t count);

#endif
