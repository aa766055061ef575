/* SPDX-License-Identifier: MIT
 *
 * Text for people: cleans names of strangers, counts columns, writes numbers independently of the locale. All functions
 * append to a struct buffer; its `failed` is set if memory runs out. */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct buffer;

/* Appends TEXT in a form that is safe for terminals: control characters, malformed UTF-8, and invisible or reordering
 * characters become
 * , \t, \r or \xNN. Without UTF8, so does every byte that is not ASCII. */
void text_clean(struct buffer *out, const char *text, bool utf8);

/* Returns how many columns CLEAN, a text from text_clean, takes. */
unsigned text_columns(const char *clean);

/* Appends CLEAN, which is cut to COLUMNS columns if it is longer, and then spaces up to PAD columns. */
typedef void text_cutter(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

/* Appends CLEAN cut in its middle to at most COLUMNS columns, and then spaces up to PAD columns. */
void text_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

/* The same, but cuts at the beginning; if the rest fits, after a slash. */
void text_cut_path(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

/* Like text_cut, for the name of a function. First removes "<...>" (template arguments), then enclosing scopes if
 * enough of the name remains ("…::lower_bound"), and otherwise cuts the middle. */
void text_cut_name(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

/* The same, but cuts at the end. */
void text_cut_end(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

/* Returns ONE if COUNT is 1, else MANY. */
const char *text_plural(uint64_t count, const char *one, const char *many);

/* Appends COUNT spaces. */
void text_spaces(struct buffer *out, unsigned count);

/* Unit and precision of all times in a table. */
struct text_unit {
    const char *name; /* "s", "ms" */
    uint64_t ns;      /* one of it */
    unsigned decimals;
};

/* Returns the unit for times up to LARGEST_NS. */
struct text_unit text_unit_for(uint64_t largest_ns);

/* Appends NS, rounded, in UNIT, without its name. */
void text_time(struct buffer *out, uint64_t ns, struct text_unit unit);

/* As text_time, for a change, with its sign; 0 has none. */
void text_change(struct buffer *out, int64_t ns, struct text_unit unit);

/* Appends NS in the unit that suits it, down to "us", with its name: "5.31 s", "18 us". */
void text_duration(struct buffer *out, uint64_t ns);

/* Appends PART of WHOLE as a percentage with one decimal, without the sign; "0.0" when WHOLE is 0. */
void text_percent(struct buffer *out, uint64_t part, uint64_t whole);

/* As text_percent, in a column of eight: right-aligned, with a percent sign and a space behind it. */
void text_share(struct buffer *out, uint64_t part, uint64_t whole);

/* Returns VALUE * TIMES / DIVISOR, rounded to the nearest; the product may be larger than 64 bits, the result
 * may not. DIVISOR is not 0. */
uint64_t text_scaled(uint64_t value, uint64_t times, uint64_t divisor);

/* Writes what OUT holds to STREAM and empties it. Returns 0, -ENOMEM if something could not be appended, or
 * -errno. */
int text_write(struct buffer *out, FILE *stream);

/* The same once OUT holds enough to be worth it. */
int text_write_full(struct buffer *out, FILE *stream);

/* Ends the output of OUT: writes the remainder unless RESULT is not 0, frees OUT, and flushes STREAM. Returns RESULT
 * if it is not 0, else 0, -ENOMEM or -errno. */
int text_end(struct buffer *out, FILE *stream, int result);

/* Flushes STREAM. Returns 0 or -errno. */
int text_flush(FILE *stream);

#endif
