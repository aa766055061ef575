/* SPDX-License-Identifier: MIT */
#include "base/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COPIES 4000 /* of characters, that repetitions may make */
#define DEEPEST 100      /* parentheses within each other */
#define VERY_MANY (1 << 30)

/* What the expression takes when it is written out, counted in characters. */
struct group {
    size_t size, last; /* of all, and of the part that a repetition would repeat */
};

/* Returns the end of the bracket expression at TEXT. */
static const char *skip_brackets(const char *text)
{
    text += text[1] == '^' ? 2 : 1;
    text += *text == ']';
    while (*text && *text != ']') {
        bool nested = *text == '[' && text[1] && strchr(".=:", text[1]);
        const char end[] = {nested ? text[1] : 0, ']', 0}, *close = nested ? strstr(text + 2, end) : NULL;
        text = close ? close + 2 : text + 1;
    }
    return *text ? text + 1 : text;
}

/* Returns the end of the repetition at TEXT, TEXT if there is none, and how often it copies what it repeats. */
static const char *read_repetition(const char *text, size_t *copies)
{
    char *end;
    *copies = *text == '+' ? 2 : 1;
    if (*text && strchr("*+?", *text))
        return text + 1;
    if (*text != '{')
        return text;
    size_t least = strtoul(text + 1, &end, 10), most = least;
    if (*end == ',')
        most = end[1] == '}' ? least + 1 : strtoul(end + 1, &end, 10);
    *copies = most > least ? most : least;
    *copies += !*copies;
    end += strcspn(end, "}");
    return *end ? end + 1 : end;
}

static void repeat(struct group *group, size_t copies)
{
    size_t more;
    if (__builtin_mul_overflow(group->last, copies - 1, &more) || more > VERY_MANY)
        more = VERY_MANY;
    group->size += more;
    group->last += more;
}

static void add_part(struct group *group, size_t size)
{
    group->size += size;
    group->last = size;
}

/* Returns the end of the character or of the bracket expression at TEXT. */
static const char *skip_part(const char *text)
{
    return *text == '[' ? skip_brackets(text) : *text == '\\' && text[1] ? text + 2 : text + 1;
}

/* What is no regular expression at all is left to the compiler. */
static bool repeats_too_much(const char *text)
{
    struct group groups[DEEPEST] = {{0, 0}}, *group = groups;
    size_t most = strlen(text) + MOST_COPIES;
    while (*text && group->size <= most) {
        size_t copies;
        const char *end = read_repetition(text, &copies);
        if (end > text) {
            repeat(group, copies);
            text = end;
        } else if (*text == '(') {
            if (++group == groups + DEEPEST)
                return true;
            *group = (struct group){0, 0};
            text++;
        } else if (*text == ')' && group > groups) {
            group--;
            add_part(group, group[1].size);
            text++;
        } else {
            add_part(group, 1);
            text = skip_part(text);
        }
    }
    return group->size > most;
}

int pattern_compile(regex_t *pattern, const char *option, const char *text, bool ignore_case, struct error *error)
{
    char why[128];
    memset(pattern, 0, sizeof *pattern);
    if (repeats_too_much(text))
        return error_set(error, E2BIG, "%s: '%s' repeats too much; write it with fewer repetitions within each other",
                         option, text);
    int failed = regcomp(pattern, text, REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0));
    if (!failed)
        return 0;
    regerror(failed, pattern, why, sizeof why);
    memset(pattern, 0, sizeof *pattern);
    return error_set(error, failed == REG_ESPACE ? ENOMEM : EINVAL, "%s: '%s' is not a regular expression: %s", option,
                     text, why);
}
