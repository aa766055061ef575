/* SPDX-License-Identifier: MIT */
#include "names/demangle.h"

#include "base/buffer.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MANGLED_MAX ((size_t)16 << 10)
#define DEMANGLED_MAX ((size_t)64 << 10)

/* A mangled name refers back to parts of itself, so that a short one can stand for more text than there is
 * memory, and time. libiberty has no limit on that, and its callback can only leave, not refuse. It keeps
 * nothing on the heap while it calls for C++; for Rust at most a name being decoded is lost with a hostile
 * symbol. */
struct output {
    struct buffer text;
    jmp_buf enough;
};

static void take(const char *text, size_t size, void *owner)
{
    struct output *output = owner;
    if (size > DEMANGLED_MAX - output->text.length || !buffer_append(&output->text, text, size))
        longjmp(output->enough, 1);
}

static bool demangle(struct output *output, const char *mangled)
{
    const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
    if (setjmp(output->enough))
        return false;
    /* Rust first: its older names are C++ names as well */
    if (rust_demangle_callback(mangled, options, take, output))
        return true;
    output->text.length = 0;
    return cplus_demangle_v3_callback(mangled, options, take, output);
}

static bool looks_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 || strncmp(name, "_GLOBAL_", 8) == 0;
}

char *demangle_name(const char *linkage_name)
{
    struct output *output;
    const char *suffix;
    char *mangled, *name = NULL;
    if (!looks_mangled(linkage_name) || strnlen(linkage_name, MANGLED_MAX) == MANGLED_MAX)
        return NULL;
    suffix = strchrnul(linkage_name, '@');
    mangled = strndup(linkage_name, (size_t)(suffix - linkage_name));
    output = calloc(1, sizeof *output); /* not on the stack: longjmp does not keep what has changed there */
    if (mangled && output && demangle(output, mangled) && buffer_puts(&output->text, suffix)) {
        name = output->text.bytes;
        output->text = (struct buffer){0};
    }
    if (output)
        buffer_fini(&output->text);
    free(output);
    free(mangled);
    return name;
}
