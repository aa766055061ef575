/* SPDX-License-Identifier: MIT */
#include "common/names/short_name.h"

#include "common/base/buffer.h"
#include "common/names/suffix.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum {
    DEEPEST = 256,   /* brackets in brackets */
    DOTS_LENGTH = 3, /* text that is no longer than dots is kept */
    HASH_LENGTH = 19 /* of Rust's "::h0123456789abcdef" */
};

struct fold {
    struct buffer *out;
    const char *begin, *at, *end;
    bool arguments, parameters; /* are kept */
    char open[DEEPEST];         /* '<' for a template, '[' for other angle brackets, '(' and '{' */
    size_t depth;
    size_t templates;    /* open and kept */
    size_t hidden_depth; /* depth of the bracket whose content is left out; 0: none */
    const char *hidden;  /* the content that is left out */
    bool after_name;     /* the text before AT could name a function or a template */
};

static bool is_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '$' || (unsigned char)letter >= 0x80;
}

static bool begins(const struct fold *fold, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(fold->end - fold->at) >= length && !memcmp(fold->at, text, length);
}

static bool follows(const struct fold *fold, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(fold->at - fold->begin) >= length && !memcmp(fold->at - length, text, length);
}

static bool is_at_word(const struct fold *fold)
{
    return fold->at == fold->begin || !is_word(fold->at[-1]);
}

/* Takes LENGTH letters. Writes them unless they are inside content that is left out. */
static void take(struct fold *fold, size_t length)
{
    if (!fold->hidden_depth)
        buffer_append(fold->out, fold->at, length);
    fold->at += length;
}

/* Takes the bracket at AT and stores it as KIND. Returns false if too many are open. */
static bool open_bracket(struct fold *fold, char kind, bool hide)
{
    if (fold->depth == DEEPEST)
        return false;
    bool visible = !fold->hidden_depth;
    fold->open[fold->depth++] = kind;
    take(fold, visible && hide && kind == '(' ? 0 : 1);
    if (visible && hide) {
        fold->hidden_depth = fold->depth;
        fold->at += kind == '(';
        fold->hidden = fold->at;
    } else if (visible && kind == '<') {
        fold->templates++;
    }
    fold->after_name = false;
    return true;
}

/* "<" begins template arguments after a name, and in Rust after "::", but not in "<T as Trait>" and "<impl T>". */
static bool open_angle(struct fold *fold)
{
    bool arguments = fold->after_name || (follows(fold, "::") && !begins(fold, "<impl "));
    return open_bracket(fold, arguments ? '<' : '[', arguments && (!fold->arguments || fold->templates));
}

/* Skips the qualifiers of a member function. */
static void skip_qualifiers(struct fold *fold)
{
    static const char *const qualifiers[] = {" const", " volatile", " noexcept", " &&", " &", "&&", "&"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (begins(fold, qualifiers[i])) {
            fold->at += strlen(qualifiers[i]);
            i = (size_t)-1;
        }
}

/* Closes the innermost bracket, which ends before AT or at it. Returns false if it was not a list of parameters after
 * all: a name continues after it. */
static bool close_bracket(struct fold *fold, char kind)
{
    bool shown_again = fold->hidden_depth == fold->depth;
    if (!fold->hidden_depth && kind == '<')
        fold->templates--;
    fold->depth--;
    if (!shown_again) {
        take(fold, 1);
        fold->after_name = kind == '<' || kind == '{';
        return true;
    }
    fold->hidden_depth = 0;
    fold->after_name = kind == '<';
    if (kind == '<') {
        size_t length = (size_t)(fold->at - fold->hidden);
        buffer_append(fold->out, length <= DOTS_LENGTH ? fold->hidden : "...",
                      length <= DOTS_LENGTH ? length : DOTS_LENGTH);
        take(fold, 1);
        return true;
    }
    fold->at++;
    skip_qualifiers(fold);
    return fold->at == fold->end || !is_word(*fold->at);
}

static char innermost(const struct fold *fold)
{
    return fold->depth ? fold->open[fold->depth - 1] : 0;
}

/* ">" is not a bracket in parentheses, or after "-". */
static bool close_angle(struct fold *fold)
{
    char kind = innermost(fold);
    if (follows(fold, "-") || kind == '(') {
        take(fold, 1);
        return true;
    }
    return (kind == '<' || kind == '[') && close_bracket(fold, kind);
}

/* A "<" that is still open in these parentheses was not a bracket. */
static bool close_parenthesis(struct fold *fold)
{
    while (innermost(fold) == '<' || innermost(fold) == '[') {
        if (fold->hidden_depth == fold->depth)
            return false;
        fold->templates -= !fold->hidden_depth && innermost(fold) == '<';
        fold->depth--;
    }
    return innermost(fold) == '(' && close_bracket(fold, '(');
}

/* Takes "operator" and its symbol, in which '<' and '(' are not brackets. */
static void take_operator(struct fold *fold)
{
    static const char *const symbols[] = {
        "<=>", "->*", "<<=", ">>=", "()", "<<", ">>", "<=", ">=", "->", "--", "-=", "<", ">", "-"};
    take(fold, strlen("operator"));
    fold->after_name = true;
    size_t length = strspn(fold->at, "+*/%^&|~!=,");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols && !length; i++)
        length = begins(fold, symbols[i]) ? strlen(symbols[i]) : 0;
    take(fold, length);
    if (begins(fold, " <")) /* its template arguments */
        take(fold, 1);
}

/* Skips a mark that only distinguishes versions of a library or compiler. Returns false if none begins here. */
static bool skip_version(struct fold *fold)
{
    static const char *const versions[] = {"__cxx11::", "__1::"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (follows(fold, "std::") && begins(fold, versions[i])) {
            fold->at += strlen(versions[i]);
            return true;
        }
    if (!begins(fold, "[abi:"))
        return false;
    const char *end = fold->at + 1;
    while (end < fold->end && *end != ']' && *end != '[') /* another "[" first: not a bracket */
        end++;
    if (end == fold->end || *end == '[')
        return false;
    fold->at = end + 1;
    return true;
}

static bool is_operator(const struct fold *fold)
{
    size_t length = strlen("operator");
    return is_at_word(fold) && begins(fold, "operator") &&
           (fold->at + length == fold->end || !is_word(fold->at[length]));
}

/* Takes the next part at AT. Returns false if the brackets do not match. */
static bool step(struct fold *fold)
{
    switch (*fold->at) {
    case '<':
        return open_angle(fold);
    case '>':
        return close_angle(fold);
    case '(':
        return open_bracket(fold, '(', fold->after_name && !fold->parameters);
    case ')':
        return close_parenthesis(fold);
    case '{':
        return open_bracket(fold, '{', false);
    case '}':
        return innermost(fold) == '{' && close_bracket(fold, '{');
    default:
        break;
    }
    if (is_operator(fold)) {
        take_operator(fold);
    } else if (!skip_version(fold)) {
        fold->after_name = is_word(*fold->at) || *fold->at == ']' || *fold->at == '\'';
        take(fold, 1);
    }
    return true;
}

/* Returns the length of NAME (LENGTH letters) without the hash at the end of Rust's names. */
static size_t without_hash(const char *name, size_t length)
{
    const char *hash = length > HASH_LENGTH ? name + length - HASH_LENGTH : NULL;
    if (!hash || memcmp(hash, "::h", 3) != 0)
        return length;
    for (const char *digit = hash + 3; digit < name + length; digit++)
        if (!isdigit((unsigned char)*digit) && (*digit < 'a' || *digit > 'f'))
            return length;
    return (size_t)(hash - name);
}

/* Returns the beginning of a Java method in NAME, and sets *LENGTH to its length without parameters. HotSpot writes
 * "void java.util.TimSort.sort(int[], int)". Returns NULL if NAME is not a Java method. */
static const char *find_java(const char *name, size_t *length)
{
    const char *space = strchr(name, ' '), *open = strchr(name, '(');
    if (!space || !open || space > open || name[strlen(name) - 1] != ')')
        return NULL;
    const char *method = space + 1;
    *length = (size_t)(open - method);
    for (size_t i = 0; i < *length; i++)
        if (!is_word(method[i]) && !strchr("./<>", method[i])) /* A.<init> */
            return NULL;
    return memchr(method, '.', *length) ? method : NULL;
}

/* Returns the beginning of a source file's folder in NAME, and sets *LENGTH to its length with the last slash. Python
 * and Node.js write "py::run:/home/me/run.py" and "JS:*run /home/me/run.js:3:1". Returns NULL if there is none. */
static const char *find_folder(const char *name, size_t *length)
{
    const char *folder = strstr(name, ":/"), *last = strrchr(name, '/');
    if (!folder)
        folder = strstr(name, " /");
    if (!folder)
        return NULL;
    *length = (size_t)(last - folder);
    return folder + 1;
}

bool short_name_is_generated(const char *name)
{
    size_t length;
    return find_java(name, &length) || find_folder(name, &length);
}

/* Appends the short form of a runtime's name for generated code. Returns false if NAME is not such a name. */
static bool put_generated(struct buffer *out, const char *name)
{
    size_t length;
    const char *part = find_java(name, &length);
    if (part) {
        buffer_append(out, part, length);
        return true;
    }
    part = find_folder(name, &length);
    if (part) {
        buffer_append(out, name, (size_t)(part - name));
        buffer_puts(out, part + length);
    }
    return part != NULL;
}

void short_name_put(struct buffer *out, const char *name, enum short_name_level level)
{
    size_t length = suffix_begin_all(name, strlen(name)), before = out->length;
    if (level < SHORT_NAME_PARAMETERS && put_generated(out, name))
        return;
    bool whole = level == SHORT_NAME_WHOLE;
    struct fold fold = {
        .out = out,
        .begin = name,
        .at = name,
        .end = name + (whole ? length : without_hash(name, length)),
        .arguments = level == SHORT_NAME_ARGUMENTS || level == SHORT_NAME_BOTH,
        .parameters = level >= SHORT_NAME_PARAMETERS,
    };
    buffer_append(out, "", 0); /* makes an empty text */
    while (!whole && fold.at < fold.end && step(&fold))
        ;
    if (!whole && fold.at == fold.end && !fold.depth)
        return;
    if (!out->failed)
        out->length = before;
    buffer_append(out, name, length);
}
