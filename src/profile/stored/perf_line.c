/* SPDX-License-Identifier: MIT */
#include "profile/stored/perf_line.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static struct perf_text trimmed(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (end > at && (is_blank(end[-1]) || end[-1] == '\r'))
        end--;
    return (struct perf_text){at, (size_t)(end - at)};
}

bool perf_line_next(struct perf_text *text, struct perf_text *line)
{
    if (!text->length)
        return false;
    const char *end = memchr(text->at, '\n', text->length);
    size_t length = end ? (size_t)(end - text->at) : text->length, taken = end ? length + 1 : length;
    while (length && (is_blank(text->at[length - 1]) || text->at[length - 1] == '\r'))
        length--;
    *line = (struct perf_text){text->at, length};
    text->at += taken;
    text->length -= taken;
    return true;
}

bool perf_text_is(struct perf_text text, const char *what)
{
    return text.length == strlen(what) && !memcmp(text.at, what, text.length);
}

/* Takes the next word from REST. The word is empty at the end. */
static struct perf_text next_word(struct perf_text *rest)
{
    const char *end = rest->at + rest->length;
    *rest = trimmed(rest->at, end);
    size_t length = 0;
    while (length < rest->length && !is_blank(rest->at[length]))
        length++;
    struct perf_text word = {rest->at, length};
    rest->at += length;
    rest->length -= length;
    return word;
}

/* Reads digits at *AT, up to MOST. Returns false if there are none, or too many. */
static bool parse_number(const char **at, const char *end, uint64_t most, uint64_t *number)
{
    const char *begin = *at;
    for (*number = 0; *at < end && is_digit(**at); (*at)++) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (*number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *at > begin;
}

/* Takes "TID" or "PID/TID". Idle threads of a whole machine are -1. */
static bool parse_ids(struct perf_text word, struct perf_head *head)
{
    const char *at = word.at, *end = at + word.length;
    uint64_t first = 0, second = 0;
    if (perf_text_is(word, "-1")) {
        head->pid = head->tid = 0;
        return true;
    }
    if (!parse_number(&at, end, INT32_MAX, &first))
        return false;
    if (at < end && (*at++ != '/' || !parse_number(&at, end, INT32_MAX, &second)))
        return false;
    head->pid = (pid_t)first;
    head->tid = word.length && memchr(word.at, '/', word.length) ? (pid_t)second : (pid_t)first;
    return at == end;
}

static bool is_cpu(struct perf_text word)
{
    if (word.length < 3 || word.at[0] != '[' || word.at[word.length - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < word.length; i++)
        if (!is_digit(word.at[i]))
            return false;
    return true;
}

/* "SECONDS.FRACTION:" */
static bool parse_time(struct perf_text word, uint64_t *time_ns)
{
    const char *at = word.at, *end = at + word.length, *point;
    uint64_t seconds, fraction;
    if (!parse_number(&at, end, INT64_MAX / SECOND - 1, &seconds) || at == end || *at++ != '.')
        return false;
    point = at;
    if (!parse_number(&at, end, 999999999, &fraction) || at - point > 9 || end - at != 1 || *at != ':')
        return false;
    for (long digits = at - point; digits < 9; digits++)
        fraction *= 10;
    *time_ns = seconds * SECOND + fraction;
    return true;
}

/* Takes the part after the name: "TID [CPU] TIME:". */
static bool parse_place(struct perf_text word, struct perf_text *rest, struct perf_head *head)
{
    struct perf_text after = *rest;
    if (!parse_ids(word, head))
        return false;
    word = next_word(&after);
    if (is_cpu(word))
        word = next_word(&after);
    if (!parse_time(word, &head->time_ns))
        return false;
    *rest = after;
    return true;
}

static bool parse_event(struct perf_text *rest, struct perf_head *head)
{
    struct perf_text word = next_word(rest);
    const char *at = word.at;
    head->told = parse_number(&at, word.at + word.length, INT64_MAX, &head->period) && at == word.at + word.length;
    if (head->told)
        word = next_word(rest);
    else
        head->period = 0;
    if (word.length < 2 || word.at[word.length - 1] != ':')
        return false;
    head->event = (struct perf_text){word.at, word.length - 1};
    head->rest = trimmed(rest->at, rest->at + rest->length);
    return true;
}

bool perf_line_head(struct perf_text line, struct perf_head *head)
{
    struct perf_text rest = line, word = next_word(&rest);
    const char *comm = word.at;
    if (!word.length || *line.at == '#' || *line.at == '\t')
        return false;
    while ((word = next_word(&rest)).length)
        if (parse_place(word, &rest, head)) {
            head->comm = trimmed(comm, word.at);
            return parse_event(&rest, head);
        }
    return false;
}

static bool parse_address(struct perf_text word, uint64_t *address)
{
    *address = 0;
    for (size_t i = 0; i < word.length; i++) {
        char letter = word.at[i];
        if (!is_digit(letter) && (letter < 'a' || letter > 'f'))
            return false;
        *address = *address << 4 | (uint64_t)(is_digit(letter) ? letter - '0' : letter - 'a' + 10);
    }
    return word.length && word.length <= 16;
}

/* Finds the parenthesis that matches the last one, also in "(/bin/x (deleted))". Returns NULL if no blank comes
 * before it. */
static const char *find_balanced(struct perf_text rest)
{
    size_t depth = 0;
    for (const char *at = rest.at + rest.length; at-- > rest.at;) {
        depth += *at == ')';
        depth -= *at == '(';
        if (!depth)
            return at > rest.at && is_blank(at[-1]) ? at : NULL;
    }
    return NULL;
}

/* Returns the beginning of the object, or NULL if there is none. If its parentheses do not match, it begins at the last
 * blank. */
static const char *find_object(struct perf_text rest)
{
    if (!rest.length || rest.at[rest.length - 1] != ')')
        return NULL;
    const char *found = find_balanced(rest);
    for (const char *at = rest.at + rest.length; !found && --at > rest.at;)
        if (*at == '(' && is_blank(at[-1]))
            found = at;
    return found;
}

/* Removes "+0xOFFSET" from NAME. */
static void drop_offset(struct perf_text *name)
{
    size_t at = name->length;
    while (at && (is_digit(name->at[at - 1]) || (name->at[at - 1] >= 'a' && name->at[at - 1] <= 'f')))
        at--;
    if (at < name->length && at >= 3 && !memcmp(name->at + at - 3, "+0x", 3))
        name->length = at - 3;
}

bool perf_line_frame(struct perf_text line, struct perf_frame *frame)
{
    struct perf_text rest = line;
    if (!parse_address(next_word(&rest), &frame->address))
        return false;
    rest = trimmed(rest.at, rest.at + rest.length);
    const char *object = find_object(rest), *end = rest.at + rest.length;
    if (!object)
        return false;
    frame->object = trimmed(object + 1, end - 1);
    frame->name = trimmed(rest.at, object);
    drop_offset(&frame->name);
    return frame->name.length && frame->object.length;
}
