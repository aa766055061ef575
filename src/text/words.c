/* SPDX-License-Identifier: MIT */
#include "text/words.h"

#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 4096 };

/* How much a word tells, in the order in which words are left out. */
enum value { VALUE_LEFT_OUT, VALUE_AGAIN, VALUE_OPTION, VALUE_PLAIN, VALUE_FILE, VALUE_PROGRAM };

struct words {
    struct word {
        const char *text;
        size_t length;
        enum value value;
    } items[MOST_WORDS];
    size_t count;
    const char *mark;
};

static bool begins_with(const struct word *word, const char *text)
{
    size_t length = strlen(text);
    return word->length >= length && !memcmp(word->text, text, length);
}

/* A file of the system, or of the moment, tells less than one that somebody has written. */
static bool is_own_file(const struct word *word)
{
    static const char *const others[] = {".", "/usr/", "/lib", "/tmp/", "/etc/", "/dev/", "/proc/", "/var/"};
    if (begins_with(word, "./") || begins_with(word, "../"))
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins_with(word, others[i]))
            return false;
    return memchr(word->text, '.', word->length) || memchr(word->text, '/', word->length);
}

static enum value value_of(const struct words *words, const struct word *word)
{
    if (!words->count)
        return VALUE_PROGRAM;
    for (size_t i = 0; i < words->count; i++)
        if (words->items[i].length == word->length && !memcmp(words->items[i].text, word->text, word->length))
            return VALUE_AGAIN;
    if (word->text[0] == '-')
        return VALUE_OPTION;
    return words->count == 1 || is_own_file(word) ? VALUE_FILE : VALUE_PLAIN; /* the first may be a subcommand */
}

/* Splits CLEAN at its spaces. What is beyond the most words is left out. */
static void split(struct words *words, const char *clean)
{
    while (*clean && words->count < MOST_WORDS) {
        struct word word = {.text = clean, .length = strcspn(clean, " ")};
        clean += word.length;
        clean += strspn(clean, " ");
        if (!word.length)
            continue;
        word.value = value_of(words, &word);
        words->items[words->count++] = word;
    }
}

/* Of the program's path only the name is left. */
static void drop_folder(struct word *program)
{
    for (size_t i = program->length; i-- > 1;)
        if (program->text[i - 1] == '/' && i < program->length) {
            program->text += i;
            program->length -= i;
            return;
        }
}

static void put(struct buffer *out, const struct words *words)
{
    bool missing = false;
    out->length = 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->items[i];
        bool left_out = word->value == VALUE_LEFT_OUT;
        if (!left_out || !missing) {
            buffer_puts(out, i ? " " : "");
            buffer_append(out, left_out ? words->mark : word->text, left_out ? strlen(words->mark) : word->length);
        }
        missing = left_out;
    }
    buffer_append(out, "", 0);
}

/* Leaves out the word that tells least. Returns false if only the program is left. */
static bool leave_one_out(struct words *words)
{
    struct word *least = NULL;
    for (size_t i = words->count; i--;) {
        struct word *word = &words->items[i];
        if (word->value != VALUE_LEFT_OUT && word->value != VALUE_PROGRAM && (!least || word->value < least->value))
            least = word;
    }
    if (least)
        least->value = VALUE_LEFT_OUT;
    return least != NULL;
}

static void shorten(struct buffer *text, struct words *words, const char *clean, unsigned columns)
{
    split(words, clean);
    if (!words->count)
        return;
    drop_folder(&words->items[0]);
    put(text, words);
    while (!text->failed && text_columns(text->bytes) > columns && leave_one_out(words))
        put(text, words);
}

void words_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    struct buffer text = {0};
    struct words *words = text_columns(clean) > columns ? calloc(1, sizeof *words) : NULL;
    if (words) {
        words->mark = utf8 ? "…" : "...";
        shorten(&text, words, clean, columns);
    }
    text_cut(out, text.bytes && !text.failed ? text.bytes : clean, columns, pad, utf8);
    buffer_fini(&text);
    free(words);
}
