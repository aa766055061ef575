/* SPDX-License-Identifier: MIT */
#include "common/names/demangle.h"

#include "common/base/bounded.h"
#include "common/base/buffer.h"
#include "common/names/suffix.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MANGLED_MAX ((size_t)128 << 10)
#define DEMANGLED_MAX ((size_t)256 << 10)
#define SHORT 1000 /* letters: libiberty's own limit, which bounds its stack */
#define STACK_OF_LETTER ((size_t)1 << 10)
#define STACK_OF_PAIRS ((size_t)64 << 20)
#define STACK_OF_PAIR 64
#define DLANG_MAX ((size_t)4 << 10)
#define LIFETIME_DIGITS 1

/* Collects the text of a demangled name. A mangled name can refer to parts of itself. So a short name can represent an
 * unbounded text, or take unbounded time even without one. libiberty limits neither, and its callback cannot refuse
 * text, so it is left by longjmp. For C++, libiberty allocates nothing; for Rust, a hostile symbol leaks at most one
 * name. */
struct output {
    const char *mangled;
    size_t length;
    bool known;
    jmp_buf enough;
    char text[DEMANGLED_MAX];
};

static const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;

static void take(const char *text, size_t size, void *owner)
{
    struct output *output = owner;
    if (size >= sizeof output->text - output->length)
        longjmp(output->enough, 1);
    if (size) /* TEXT may be NULL */
        memcpy(output->text + output->length, text, size);
    output->length += size;
}

static bool is_base62(char letter)
{
    return isalnum((unsigned char)letter);
}

/* The lifetimes of a Rust type are a number: "G", digits of base 62 and "_". libiberty counts up to it even if it
 * prints nothing. */
static bool has_many_lifetimes(const char *mangled)
{
    for (const char *at = mangled; (at = strchr(at, 'G')); at++) {
        const char *end = at + 1;
        while (is_base62(*end))
            end++;
        if (at > mangled && (at[-1] == 'F' || at[-1] == 'D') && *end == '_' && end - at - 1 > LIFETIME_DIGITS)
            return true;
    }
    return false;
}

/* libiberty allocates memory for Rust, so its callback must not be left by longjmp. But its output is bounded, and it
 * reads the input only once if it prints nothing. */
static bool demangle_rust(struct output *output)
{
    return !setjmp(output->enough) && !(output->mangled[1] == 'R' && has_many_lifetimes(output->mangled)) &&
           rust_demangle_callback(output->mangled, options, take, output);
}

static void demangle_cplus(void *owner)
{
    struct output *output = owner;
    output->known = !setjmp(output->enough) && cplus_demangle_v3_callback(output->mangled, options, take, output);
}

/* libiberty leaves out what is nested too deeply, such as the elements of a list after the thousandth, and then reports
 * an error. The remainder is a readable name. */
static void demangle_long_cplus(void *owner)
{
    struct output *output = owner;
    output->known =
        !setjmp(output->enough) &&
        (cplus_demangle_v3_callback(output->mangled, options | DMGL_NO_RECURSE_LIMIT, take, output) || output->length);
}

/* Returns true if libiberty's stack stays within limits for a long NAME: it has an array with an element for each pair
 * of a template and a reference to a template parameter. */
static bool has_few_pairs(const char *name)
{
    size_t templates = 0, references = 0;
    for (; *name; name++) {
        templates += *name == 'I';
        references += (*name == 'R' || *name == 'O') && (name[1] == 'T' || name[1] == 'S');
    }
    return templates * references < STACK_OF_PAIRS / STACK_OF_PAIR;
}

static bool run_cplus(struct output *output)
{
    size_t length = strlen(output->mangled);
    if (length < SHORT)
        return bounded_run(demangle_cplus, output);
    return has_few_pairs(output->mangled) &&
           bounded_run_deep(demangle_long_cplus, output, length * STACK_OF_LETTER + 2 * STACK_OF_PAIRS);
}

static bool demangle(struct output *output)
{
    if (demangle_rust(output)) /* tried first, because older Rust names are also valid C++ names */
        return true;
    output->length = 0;
    return run_cplus(output) && output->known;
}

static bool is_dlang(const char *name)
{
    return !strncmp(name, "_D", 2) && (isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain"));
}

/* Returns the target of the back reference at AT in NAME, a "Q": a backward offset in base 26, whose last digit is a
 * lower-case letter. Returns AT if it is not a reference. */
static size_t referred(const char *name, size_t at)
{
    size_t offset = 0, i = at + 1;
    for (; name[i] >= 'A' && name[i] <= 'Z' && offset < DLANG_MAX; i++)
        offset = offset * 26 + (size_t)(name[i] - 'A');
    if (name[i] < 'a' || name[i] > 'z')
        return at;
    offset = offset * 26 + (size_t)(name[i] - 'a');
    return offset && offset <= at ? at - offset : at;
}

/* Returns false if NAME may expand to too long a text. A reference to an identifier counts with the identifier's
 * length, and any other one with everything from its target on. libiberty has no limit here, and must not be left by
 * longjmp, because it allocates. */
static bool is_short_enough(const char *name)
{
    size_t sums[DLANG_MAX + 1] = {0}; /* sum of the lengths before each letter */
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        size_t to = name[i] == 'Q' ? referred(name, i) : i, size = 1;
        if (to < i && isdigit((unsigned char)name[to]))
            size = strtoul(name + to, NULL, 10) < DLANG_MAX ? strtoul(name + to, NULL, 10) : DLANG_MAX;
        else if (to < i)
            size = sums[i] - sums[to];
        sums[i + 1] = sums[i] + size;
        if (sums[i + 1] > DEMANGLED_MAX)
            return false;
    }
    return true;
}

static char *demangle_dlang(const char *name)
{
    return strlen(name) < DLANG_MAX && is_short_enough(name) ? dlang_demangle(name, 0) : NULL;
}

static bool looks_mangled(const char *name)
{
    return is_dlang(name) || strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
           strncmp(name, "_GLOBAL_", 8) == 0;
}

static bool is_fortran_letter(char letter)
{
    return islower((unsigned char)letter) || isdigit((unsigned char)letter) || letter == '_';
}

/* Returns MODULE::PROCEDURE for a procedure of a Fortran module in GNU Fortran's form, __module_MOD_procedure.
 * Otherwise returns NULL. */
static char *demangle_fortran(const char *linkage_name)
{
    static const char between[] = "_MOD_";
    struct buffer name = {0};
    const char *end = strstr(linkage_name, between);
    if (strncmp(linkage_name, "__", 2) != 0 || !end || end <= linkage_name + 2 || !end[sizeof between - 1])
        return NULL;
    for (const char *at = linkage_name + 2; at < end; at++)
        if (!is_fortran_letter(*at))
            return NULL;
    buffer_append(&name, linkage_name + 2, (size_t)(end - linkage_name - 2));
    buffer_puts(&name, "::");
    buffer_puts(&name, end + sizeof between - 1);
    if (name.failed)
        buffer_fini(&name);
    return name.bytes;
}

/* Returns what libiberty makes of MANGLED, a name without suffixes, or NULL. */
static char *demangle_mangled(const char *mangled)
{
    if (is_dlang(mangled))
        return demangle_dlang(mangled);
    struct output *output = malloc(sizeof *output); /* longjmp does not preserve changes of local variables */
    if (!output)
        return NULL;
    output->mangled = mangled;
    output->length = 0;
    output->known = false;
    char *name = demangle(output) ? strndup(output->text, output->length) : NULL;
    free(output);
    return name;
}

/* Appends the suffixes up to END as libiberty writes those of C++: " [clone .isra.0] [clone .cold]". */
static void put_suffixes(struct buffer *name, const char *suffix, const char *end)
{
    while (suffix < end) {
        const char *next = suffix + 1;
        while (next < end && !(*next == '.' && !isdigit((unsigned char)next[1])))
            next++;
        buffer_puts(name, " [clone ");
        buffer_append(name, suffix, (size_t)(next - suffix));
        buffer_puts(name, "]");
        suffix = next;
    }
}

char *demangle_name(const char *linkage_name)
{
    struct buffer name = {0};
    if (strnlen(linkage_name, MANGLED_MAX) == MANGLED_MAX)
        return NULL;
    const char *version = strchrnul(linkage_name, '@');
    size_t length = suffix_begin_all(linkage_name, (size_t)(version - linkage_name));
    char *mangled = strndup(linkage_name, length);
    char *readable = mangled ? demangle_fortran(mangled) : NULL;
    if (mangled && !readable && looks_mangled(mangled))
        readable = demangle_mangled(mangled);
    if (readable && buffer_puts(&name, readable)) {
        put_suffixes(&name, linkage_name + length, version);
        buffer_puts(&name, version);
    }
    free(readable);
    free(mangled);
    if (name.failed)
        buffer_fini(&name);
    return name.bytes;
}

/* Returns the number of an overloaded function, after the last two underscores, or NULL if it has none. */
static const char *overloading(const char *name)
{
    const char *end = name + strlen(name), *at = end;
    while (at > name && isdigit((unsigned char)at[-1]))
        at--;
    return at < end && at - name > 2 && at[-1] == '_' && at[-2] == '_' ? at : NULL;
}

char *demangle_ada(const char *linkage_name)
{
    struct buffer name = {0};
    bool begins = islower((unsigned char)linkage_name[0]) || !strncmp(linkage_name, "_ada_", 5);
    if (!begins || !strstr(linkage_name + 1, *linkage_name == '_' ? "_" : "__") ||
        strnlen(linkage_name, MANGLED_MAX) == MANGLED_MAX)
        return NULL;
    size_t length = strlen(linkage_name);
    while (length && isdigit((unsigned char)linkage_name[length - 1]))
        length--;
    bool is_local = length && linkage_name[length - 1] == '.' && linkage_name[length]; /* within another: ".1" */
    char *mangled = strndup(linkage_name, is_local ? length - 1 : strlen(linkage_name));
    char *readable = mangled ? ada_demangle(mangled, 0) : NULL;
    const char *number = mangled ? overloading(mangled) : NULL;
    if (readable && *readable != '<' && buffer_puts(&name, readable) && number)
        buffer_printf(&name, "#%s", number);
    free(readable);
    free(mangled);
    if (name.failed)
        buffer_fini(&name);
    return name.bytes;
}
