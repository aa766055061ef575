/* SPDX-License-Identifier: MIT */
#include "common/text/text.h"

#include "common/base/buffer.h"

#include <errno.h>
#include <string.h>

struct range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

#define IN(character, ranges) in_ranges(character, ranges, sizeof(ranges) / sizeof *(ranges))

/* Control characters, and characters that could hide or reorder text next to a name. */
static const struct range unsafe[] = {
    {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},       {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xd800, 0xf8ff},     {0xfeff, 0xfeff},
    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xfffff}, {0x100000, 0x10ffff},
};

static const struct range no_column[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

static const struct range two_columns[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

/* Decodes the character at TEXT, which is not at its end. Returns its length in bytes, or 0 if it is malformed
 * (overlong, a surrogate, incomplete, too large). */
static unsigned decode(const char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    unsigned length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;

    if (length <= 1) {
        *character = at[0];
        return length;
    }
    uint32_t value = at[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return length;
}

static void escape(struct buffer *out, const char *bytes, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        switch (bytes[i]) {
        case '\n':
            buffer_puts(out, "\\n");
            break;
        case '\t':
            buffer_puts(out, "\\t");
            break;
        case '\r':
            buffer_puts(out, "\\r");
            break;
        default:
            buffer_printf(out, "\\x%02x", (unsigned char)bytes[i]);
        }
}

/* Returns how many bytes at TEXT are ASCII without control characters. In most names, these are nearly all. */
static size_t plain_length(const char *text)
{
    size_t length = 0;
    while (text[length] >= ' ' && text[length] < 0x7f)
        length++;
    return length;
}

void text_clean(struct buffer *out, const char *text, bool utf8)
{
    while (*text) {
        size_t plain = plain_length(text);
        buffer_append(out, text, plain);
        text += plain;
        if (!*text)
            break;
        uint32_t character = 0;
        unsigned length = decode(text, &character);
        if (!length)
            escape(out, text, length = 1);
        else if (IN(character, unsafe) || (length > 1 && !utf8))
            escape(out, text, length);
        else
            buffer_append(out, text, length);
        text += length;
    }
    buffer_append(out, "", 0); /* makes an empty text */
}

/* Moves past one character of a clean text. Returns its columns. */
static unsigned step(const char **at)
{
    uint32_t character = 0;
    unsigned length = decode(*at, &character);
    *at += length ? length : 1;
    return IN(character, no_column) ? 0 : IN(character, two_columns) ? 2 : 1;
}

unsigned text_columns(const char *clean)
{
    unsigned columns = 0;
    for (;;) {
        size_t plain = plain_length(clean);
        columns += (unsigned)plain;
        clean += plain;
        if (!*clean)
            return columns;
        columns += step(&clean);
    }
}

/* Skips combining marks of a letter that was cut off. */
static const char *past_marks(const char *at)
{
    const char *next = at;
    while (*at && !step(&next))
        at = next;
    return at;
}

/* Appends the beginning that fits into COLUMNS, and sets *TAKEN to its columns. Returns the rest. */
static const char *put_head(struct buffer *out, const char *clean, unsigned columns, unsigned *taken)
{
    const char *at = clean;
    *taken = 0;
    for (const char *next = at; *next; at = next) {
        unsigned one = step(&next);
        if (*taken + one > columns)
            break;
        *taken += one;
    }
    buffer_append(out, clean, (size_t)(at - clean));
    return at;
}

/* Appends a head, a mark and a tail that fit. Returns their columns. */
static unsigned cut(struct buffer *out, const char *clean, unsigned whole, unsigned columns, const char *mark)
{
    unsigned mark_columns = text_columns(mark);
    unsigned kept = columns > mark_columns ? columns - mark_columns : 0;
    unsigned taken, passed;
    const char *at = put_head(out, clean, kept - kept / 2, &taken);

    buffer_puts(out, mark);
    for (passed = taken; *at && whole - passed > kept - taken;)
        passed += step(&at);
    buffer_puts(out, past_marks(at));
    return taken + mark_columns + (whole - passed);
}

/* The same, cut at the beginning. */
static unsigned cut_head(struct buffer *out, const char *clean, unsigned whole, unsigned columns, const char *mark)
{
    unsigned mark_columns = text_columns(mark);
    unsigned kept = columns > mark_columns ? columns - mark_columns : 0;
    while (whole > kept)
        whole -= step(&clean);
    clean = past_marks(clean);
    const char *slash = strchr(clean, '/');
    buffer_puts(out, mark);
    buffer_puts(out, slash ? slash : clean);
    return mark_columns + (slash ? text_columns(slash) : whole);
}

/* The same, cut at the end. */
static unsigned cut_tail(struct buffer *out, const char *clean, unsigned whole, unsigned columns, const char *mark)
{
    unsigned mark_columns = text_columns(mark), taken;
    (void)whole;
    put_head(out, clean, columns > mark_columns ? columns - mark_columns : 0, &taken);
    buffer_puts(out, mark);
    return taken + mark_columns;
}

/* Appends CLEAN without the dots for template arguments. */
static void put_without_arguments(struct buffer *out, const char *clean)
{
    static const char dots[] = "<...>";
    for (const char *found; (found = strstr(clean, dots)); clean = found + sizeof dots - 1) {
        const char *end = found > clean && found[-1] == ' ' ? found - 1 : found; /* "operator< <...>" */
        buffer_append(out, clean, (size_t)(end - clean));
    }
    buffer_puts(out, clean);
}

/* Returns NAME without as many leading scopes as necessary to fit into COLUMNS, or NULL if too little would remain. */
static const char *within_scope(const char *name, unsigned columns)
{
    unsigned depth = 0, rest = text_columns(name);
    for (const char *at = name; *at; rest -= step(&at)) {
        depth += strchr("<({", *at) != NULL;
        depth -= depth && strchr(">)}", *at);
        if (!depth && rest <= columns && strncmp(at, "::", 2) == 0)
            return 2 * rest < columns || at[2] == '{' || !strncmp(at + 2, "operator", 8) ? NULL : at;
    }
    return NULL;
}

/* Like cut, for the name of a function. */
static unsigned cut_name(struct buffer *out, const char *clean, unsigned whole, unsigned columns, const char *mark)
{
    struct buffer name = {0};
    unsigned mark_columns = text_columns(mark);
    put_without_arguments(&name, clean);
    const char *text = name.failed ? clean : name.bytes, *rest = NULL;
    whole = text_columns(text);
    if (whole > columns && columns > mark_columns)
        rest = within_scope(text, columns - mark_columns);
    if (whole > columns && !rest)
        whole = cut(out, text, whole, columns, mark);
    else {
        buffer_puts(out, rest ? mark : "");
        buffer_puts(out, rest ? rest : text);
        whole = rest ? mark_columns + text_columns(rest) : whole;
    }
    buffer_fini(&name);
    return whole;
}

typedef unsigned cutter(struct buffer *out, const char *clean, unsigned whole, unsigned columns, const char *mark);

static void fit(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8, cutter *cut_by)
{
    unsigned taken = text_columns(clean);
    if (taken <= columns)
        buffer_puts(out, clean);
    else
        taken = cut_by(out, clean, taken, columns, utf8 ? "…" : columns >= 3 ? "..." : "");
    if (taken < pad)
        text_spaces(out, pad - taken);
}

void text_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    fit(out, clean, columns, pad, utf8, cut);
}

void text_cut_path(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    fit(out, clean, columns, pad, utf8, cut_head);
}

void text_cut_name(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    fit(out, clean, columns, pad, utf8, cut_name);
}

void text_cut_end(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    fit(out, clean, columns, pad, utf8, cut_tail);
}

void text_spaces(struct buffer *out, unsigned count)
{
    for (; count; count--)
        buffer_append(out, " ", 1);
}

struct text_unit text_unit_for(uint64_t largest_ns)
{
    if (largest_ns < 10 * 1000000)
        return (struct text_unit){"ms", 1000000, 3};
    if (largest_ns < UINT64_C(1000) * 1000000)
        return (struct text_unit){"ms", 1000000, 1};
    return (struct text_unit){"s", 1000000000, largest_ns < UINT64_C(1000) * 1000000000 ? 3 : 2};
}

uint64_t text_scaled(uint64_t value, uint64_t times, uint64_t divisor)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)value * times + divisor / 2) / divisor);
}

static void fixed(struct buffer *out, uint64_t value, uint64_t one, unsigned decimals)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    uint64_t rounded = text_scaled(value, scale, one);
    buffer_number(out, rounded / scale);
    if (decimals)
        buffer_printf(out, ".%0*llu", (int)decimals, (unsigned long long)(rounded % scale));
}

void text_time(struct buffer *out, uint64_t ns, struct text_unit unit)
{
    fixed(out, ns, unit.ns, unit.decimals);
}

void text_change(struct buffer *out, int64_t ns, struct text_unit unit)
{
    if (ns)
        buffer_puts(out, ns < 0 ? "-" : "+");
    text_time(out, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, unit);
}

void text_duration(struct buffer *out, uint64_t ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}};
    size_t i = 0;
    if (!ns) {
        buffer_puts(out, "0 s");
        return;
    }
    while (i < 2 && ns < units[i].ns)
        i++;
    unsigned decimals = ns < 10 * units[i].ns ? 2 : ns < 100 * units[i].ns ? 1 : 0;
    fixed(out, ns, units[i].ns, i == 0 && !decimals ? 1 : decimals);
    buffer_printf(out, " %s", units[i].name);
}

void text_percent(struct buffer *out, uint64_t part, uint64_t whole)
{
    fixed(out, whole ? text_scaled(part, 1000, whole) : 0, 10, 1);
}

void text_share(struct buffer *out, uint64_t part, uint64_t whole)
{
    struct buffer cell = {0};
    text_percent(&cell, part, whole);
    buffer_printf(out, "%6s%% ", cell.bytes ? cell.bytes : "");
    out->failed |= cell.failed;
    buffer_fini(&cell);
}

int text_write(struct buffer *out, FILE *stream)
{
    int result = 0;
    errno = 0;
    if (out->failed)
        result = -ENOMEM;
    else if (out->length && fwrite(out->bytes, 1, out->length, stream) != out->length)
        result = errno ? -errno : -EIO;
    out->length = 0;
    return result;
}

int text_write_full(struct buffer *out, FILE *stream)
{
    enum { CHUNK = 1 << 16 };
    return out->length < CHUNK ? 0 : text_write(out, stream);
}

int text_end(struct buffer *out, FILE *stream, int result)
{
    if (!result)
        result = text_write(out, stream);
    buffer_fini(out);
    return result ? result : text_flush(stream);
}

int text_flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) || ferror(stream))
        return errno ? -errno : -EIO;
    return 0;
}

const char *text_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}
