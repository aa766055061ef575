/* SPDX-License-Identifier: MIT */
#include "common/names/languages.h"

#include "common/base/buffer.h"
#include "common/names/demangle.h"
#include "common/names/suffix.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 4096, TUPLE_MAX = 64 };

static bool begins(const char *name, size_t length, const char *with)
{
    return length >= strlen(with) && !memcmp(name, with, strlen(with));
}

/* GHC writes a dot in the name of a module or in a version as "zi". */
static bool is_of_haskell(const char *name, size_t length)
{
    static const char end[] = "_info", dot[] = "zi";
    if (length < sizeof end || memcmp(name + length - strlen(end), end, strlen(end)) != 0)
        return false;
    const char *at = memmem(name, length, dot, strlen(dot));
    return begins(name, length, "ZCMain_main_") ||
           (at && (isupper((unsigned char)at[2]) || isdigit((unsigned char)at[2])));
}

unsigned languages_shown_by(const char *name, size_t length)
{
    static const struct {
        const char *beginning;
        unsigned language;
    } marks[] = {
        {"__gnat_", LANGUAGES_ADA}, {"_ada_", LANGUAGES_ADA}, {"adainit", LANGUAGES_ADA}, {"NimMain", LANGUAGES_NIM}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (begins(name, length, marks[i].beginning))
            return marks[i].language;
    if (begins(name, length, "__") && memmem(name, length, "_MOD_", 5))
        return LANGUAGES_FORTRAN;
    if (begins(name, length, "caml") && length > 4 && isupper((unsigned char)name[4]))
        return LANGUAGES_OCAML;
    return is_of_haskell(name, length) ? LANGUAGES_HASKELL : 0;
}

/* __MODULE_MOD_PROCEDURE */
static bool put_fortran(struct buffer *out, const char *name)
{
    const char *middle = strstr(name, "_MOD_");
    if (strncmp(name, "__", 2) != 0 || !middle || middle == name + 2 || !middle[5])
        return false;
    return buffer_append(out, name + 2, (size_t)(middle - name - 2)) && buffer_printf(out, "::%s", middle + 5);
}

/* Returns the byte that "$" with two hexadecimal digits at TEXT represents, if identifiers cannot contain that byte.
 * Otherwise returns 0. */
static char escaped(const char *text)
{
    char digits[3] = {0}, *end;
    if (text[0] != '$' || !text[1] || !text[2])
        return 0;
    memcpy(digits, text + 1, 2);
    unsigned long value = strtoul(digits, &end, 16);
    return end == digits + 2 && isxdigit((unsigned char)digits[0]) && isgraph((int)value) && !isalnum((int)value)
               ? (char)value
               : 0;
}

/* camlMODULE__FUNCTION_NUMBER, with any number of modules; since OCaml 5.1, "." or "$" replaces "__". */
static bool put_ocaml(struct buffer *out, const char *name)
{
    if (strncmp(name, "caml", 4) != 0 || !isupper((unsigned char)name[4]) || !strpbrk(name, "_.$"))
        return false;
    for (const char *at = name + 4; *at; at++) {
        char byte = escaped(at), one[] = {byte ? byte : *at == '$' ? '.' : *at, 0};
        bool separates = at[0] == '_' && at[1] == '_' && at[2];
        if (!buffer_puts(out, separates ? "." : one))
            return false;
        at += byte ? 2 : separates;
    }
    return true;
}

/* Returns true if TEXT is a number up to its end. Newer versions put a "u" before it. */
static bool is_number(const char *text)
{
    text += *text == 'u';
    return *text && !text[strspn(text, "0123456789")];
}

/* NAME__MODULE_NUMBER, with "Z" for "/" in the module's path. */
static bool put_nim(struct buffer *out, const char *name)
{
    const char *module = NULL, *number = strrchr(name, '_');
    for (const char *at = name; (at = strstr(at, "__")); at++)
        module = at + 2;
    if (!module || module - 2 == name || number <= module || !is_number(number + 1))
        return false;
    for (const char *at = module; at < number; at++)
        if (!buffer_append(out, *at == 'Z' && at > module ? "/" : at, 1))
            return false;
    return buffer_puts(out, ".") && buffer_append(out, name, (size_t)(module - 2 - name)) && buffer_puts(out, number);
}

/* Appends the character with number CODE, as UTF-8. */
static bool put_character(struct buffer *out, uint32_t code)
{
    char bytes[4];
    if (code < 0x80 && isgraph((int)code))
        return buffer_append(out, &(char){(char)code}, 1);
    if (code < 0xa0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false; /* not a character of a name */
    size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = count; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(code | (0xf00u >> count & 0xffu));
    return buffer_append(out, bytes, count);
}

/* "Z", a number, and "T" or "H": a tuple with that number of members, boxed or unboxed. */
static const char *put_tuple(struct buffer *out, const char *at)
{
    char *end;
    unsigned long count = strtoul(at + 1, &end, 10);
    if (!isdigit((unsigned char)at[1]) || count > TUPLE_MAX || (*end != 'T' && *end != 'H'))
        return NULL;
    bool done = buffer_puts(out, *end == 'H' ? "(#" : "(");
    for (unsigned long i = 1; i < count && done; i++)
        done = buffer_puts(out, ",");
    return done && buffer_puts(out, *end == 'H' ? "#)" : ")") ? end + 1 : NULL;
}

/* Appends the text for the code at AT, which begins with z or Z. Returns the end of the code, or NULL if this is not a
 * code. */
static const char *put_code(struct buffer *out, const char *at)
{
    static const char small[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz", large[] = "L(R)M[N]C:ZZ";
    const char *pairs = *at == 'z' ? small : large;
    for (const char *pair = pairs; *pair; pair += 2)
        if (*pair == at[1])
            return buffer_append(out, pair + 1, 1) ? at + 2 : NULL;
    if (*at == 'Z')
        return put_tuple(out, at);
    char *end;
    unsigned long code = strtoul(at + 1, &end, 16);
    return isdigit((unsigned char)at[1]) && *end == 'U' && code <= 0x10ffff && put_character(out, (uint32_t)code)
               ? end + 1
               : NULL;
}

/* Appends the part of GHC's name up to the next "_" or the end of the text. Returns that position, or NULL. */
static const char *put_part(struct buffer *out, const char *at)
{
    while (at && *at && *at != '_') {
        if (*at == 'z' || *at == 'Z')
            at = put_code(out, at);
        else
            at = buffer_append(out, at, 1) ? at + 1 : NULL;
    }
    return at;
}

/* Returns the ending of NAME that GHC gives to an entry point of a function, or NULL if it has none. */
static const char *find_ending(const char *name)
{
    static const char *const endings[] = {"_con_info", "_static_info", "_info", "_entry", "_slow", "_fast"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]);
        if (length > size && !strcmp(name + length - size, endings[i]))
            return name + length - size;
    }
    return NULL;
}

/* Returns the module in NAME, which is [PACKAGE_]Module_function before ENDING; NULL if it has another form. */
static const char *find_module(const char *name, const char *ending)
{
    const char *first = strchr(name, '_'), *second = strchr(first + 1, '_'); /* the ending has one, too */
    if (!second)
        return NULL;
    if (second >= ending)
        return name;
    return strchr(second + 1, '_') == ending ? first + 1 : NULL;
}

/* [PACKAGE_]Module_function_info. Other entry points of a function keep their ending. */
static bool put_haskell(struct buffer *out, const char *name)
{
    const char *ending = find_ending(name), *module = ending ? find_module(name, ending) : NULL;
    if (!module)
        return false;
    bool is_main = begins(module, strlen(module), "ZC"); /* :Main, the module that calls main */
    bool is_of_runtime = !strncmp(name, "stg_", 4);
    if (!is_main && (is_of_runtime || !isupper((unsigned char)*module)))
        return false;
    const char *at = put_part(out, module);
    if (!at || at >= ending || !buffer_puts(out, "."))
        return false;
    return put_part(out, at + 1) == ending && (!strcmp(ending, "_info") || buffer_puts(out, ending));
}

char *languages_demangle(unsigned languages, const char *linkage_name)
{
    static const struct {
        unsigned language;
        bool (*put)(struct buffer *, const char *);
    } kinds[] = {{LANGUAGES_FORTRAN, put_fortran},
                 {LANGUAGES_OCAML, put_ocaml},
                 {LANGUAGES_HASKELL, put_haskell},
                 {LANGUAGES_NIM, put_nim}};
    if (strnlen(linkage_name, NAME_BYTES_MAX) == NAME_BYTES_MAX)
        return NULL;
    char *symbol = strndup(linkage_name, suffix_begin_all(linkage_name, strlen(linkage_name))), *readable = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && symbol && !readable; i++) {
        struct buffer name = {0};
        if ((languages & kinds[i].language) && kinds[i].put(&name, symbol) && !name.failed)
            readable = name.bytes;
        else
            buffer_fini(&name);
    }
    if (symbol && !readable && (languages & LANGUAGES_ADA))
        readable = demangle_ada(symbol);
    free(symbol);
    return readable;
}
