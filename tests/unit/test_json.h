/* SPDX-License-Identifier: MIT
 *
 * A strict JSON parser for tests: checks whether a text is JSON, and adds up arrays of numbers. */
#ifndef TEST_JSON_H
#define TEST_JSON_H

#include "unit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the well-formed UTF-8 character at TEXT, or 0. */
static inline size_t utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if (at[i] >> 6 != 2)
            return 0;
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool beyond = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
    return length > 1 && (overlong || beyond) ? 0 : length;
}

static inline const char *json_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Each of these returns the text behind the value at AT, or NULL if the value is invalid. */
static inline const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    while (*at != '"') {
        if (*at == '\\' && at[1] == 'u') {
            if (strspn(at + 2, "0123456789abcdefABCDEF") < 4)
                return NULL;
            at += 6;
        } else if (*at == '\\') {
            if (!at[1] || !strchr("\"\\/bfnrt", at[1]))
                return NULL;
            at += 2;
        } else {
            size_t length = utf8_length(at);
            if (!length || (unsigned char)*at < ' ')
                return NULL;
            at += length;
        }
    }
    return at + 1;
}

static inline const char *json_skip_number(const char *at)
{
    char *end;
    if (!isdigit((unsigned char)at[*at == '-']))
        return NULL;
    strtod(at, &end);
    return end;
}

static inline const char *json_value(const char *at);

static inline const char *json_members(const char *at, char end, bool named)
{
    at = json_space(at);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (named) {
            at = json_string(json_space(at));
            at = at ? json_space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = json_value(at);
        at = at ? json_space(at) : NULL;
        if (!at || *at == end)
            return at ? at + 1 : NULL;
        if (*at++ != ',')
            return NULL;
    }
}

static inline const char *json_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    at = json_space(at);
    if (*at == '{' || *at == '[')
        return json_members(at + 1, *at == '{' ? '}' : ']', *at == '{');
    if (*at == '"')
        return json_string(at);
    for (size_t i = 0; i < UNIT_ROWS(words); i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    return json_skip_number(at);
}

static inline bool is_json(const char *text)
{
    const char *end = json_value(text);
    return end && !*json_space(end);
}

/* Returns the sum of all arrays of whole numbers called NAME. Strings cannot contain the searched text, because it
 * has quotes. */
static inline uint64_t json_sum(const char *text, const char *name)
{
    char begin[64];
    uint64_t sum = 0;
    snprintf(begin, sizeof begin, "\"%s\":[", name);
    for (const char *at = strstr(text, begin); at; at = strstr(at, begin))
        for (at += strlen(begin); *at && *at != ']';) {
            char *end;
            sum += strtoull(at, &end, 10);
            ck_assert_msg(end > at, "not a number in %s", name);
            at = *end == ',' ? end + 1 : end;
        }
    return sum;
}

/* Returns the sum of all members called NAME that are whole numbers. */
static inline uint64_t json_sum_members(const char *text, const char *name)
{
    char begin[64];
    uint64_t sum = 0;
    snprintf(begin, sizeof begin, "\"%s\":", name);
    for (const char *at = strstr(text, begin); at; at = strstr(at + 1, begin))
        sum += strtoull(at + strlen(begin), NULL, 10);
    return sum;
}

/* Returns the data of an HTML page. Free with free(). */
static inline char *page_data(const char *page)
{
    static const char begin[] = "<script id=\"data\" type=\"application/json\">\n";
    const char *at = strstr(page, begin);
    const char *end = at ? strstr(at, "</script>") : NULL;
    ck_assert_msg(end != NULL, "no data in the page");
    at += strlen(begin);
    return strndup(at, (size_t)(end - at));
}

#endif
