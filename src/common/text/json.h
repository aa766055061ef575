/* SPDX-License-Identifier: MIT
 *
 * Writes JSON value by value, each with its comma. The content of OUT may be written and removed between two values,
 * but not after a bracket. KEY: name of a member, which needs no escaping; NULL: the value belongs to an array. */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

/* Append the comma before the next value, which the caller appends to OUT, the returned buffer. json_line also begins a
 * new line. */
struct buffer *json_next(struct buffer *out);
struct buffer *json_line(struct buffer *out);

/* Appends the name of member KEY. Its value must follow. */
void json_key(struct buffer *out, const char *key);

/* Begins an object '{' or an array '['. The caller appends its end. */
void json_open(struct buffer *out, const char *key, char bracket);

/* Append a value: a number (json_number), an unchanged text (PLAIN), a TEXT cleaned by text_clean and without '<', so
 * that it can be in a script element of a page (null for NULL), or an array of COUNT TEXTS. */
void json_number(struct buffer *out, const char *key, uint64_t number);
void json_plain(struct buffer *out, const char *key, const char *plain);
void json_text(struct buffer *out, const char *key, const char *text);
void json_texts(struct buffer *out, const char *key, char *const *texts, size_t count);

#endif
