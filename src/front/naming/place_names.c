/* SPDX-License-Identifier: MIT */
#include "front/naming/place_names.h"

#include "common/base/buffer.h"
#include "common/names/languages.h"
#include "front/record/object.h"
#include "front/record/scripts.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/file.h"
#include "programs/elf/lines.h"
#include "programs/elf/symbols.h"
#include "programs/jit/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_MAP_LIMIT = 64 << 20 };

/* Finds or adds the function NAME of MODULE. MANGLED: NAME comes from a symbol table. */
static uint32_t function_of(struct place_names *names, uint32_t module, const char *name, bool mangled, uint64_t start,
                            uint64_t end)
{
    char *text = (char *)(uintptr_t)name; /* it is copied */
    struct profile_function function = {.module = module, .start = start, .end = end};
    *(mangled ? &function.linkage_name : &function.name) = text;
    return builder_function(names->builder, &function);
}

/* Returns the function of MODULE with the symbol NAME. */
static uint32_t linked_function(struct place_names *names, uint32_t module, const char *name, uint64_t start,
                                uint64_t end)
{
    char *readable = names->symbols ? languages_demangle(elf_symbols_languages(names->symbols), name) : NULL;
    uint32_t function = function_of(names, module, readable ? readable : name, !readable, start, end);
    free(readable);
    return function;
}

static uint32_t elf_function(struct place_names *names, uint32_t module, uint64_t address)
{
    struct elf_symbol symbol;
    char text[512];
    const char *short_name = names->builder->profile->modules[module].name;
    if (!names->symbols || !elf_symbols_find(names->symbols, address, &symbol))
        return function_of(names, module, "[unknown]", false, 0, 0);
    if (symbol.kind == ELF_SYMBOL_FUNCTION)
        return linked_function(names, module, symbol.name, symbol.start, symbol.end);
    if (symbol.kind != ELF_SYMBOL_RANGE && symbol.name)
        return function_of(names, module, symbol.name, true, symbol.start, symbol.end);
    snprintf(text, sizeof text, "%.400s+0x%lx", short_name, symbol.start);
    return function_of(names, module, text, false, symbol.start, symbol.end);
}

static uint32_t jit_function(struct place_names *names, uint32_t module, uint64_t address)
{
    const char *name;
    uint64_t start, end;
    if (names->jit_map && jit_map_find(names->jit_map, address, &name, &start, &end))
        return function_of(names, module, name, false, start, end);
    return function_of(names, module, names->builder->profile->modules[module].path, false, 0, 0);
}

/* Returns the function of an inlined CALL of MODULE. A function private to its file has its source name here; if it
 * also has code of its own, its symbol has another name. Both are one function. */
static uint32_t inlined_function(struct place_names *names, uint32_t module, const struct elf_line *call)
{
    struct elf_symbol symbol;
    bool found = call->start && names->symbols && elf_symbols_find(names->symbols, call->start, &symbol) &&
                 symbol.kind == ELF_SYMBOL_FUNCTION && symbol.start == call->start && !strncmp(symbol.name, "_Z", 2);
    return linked_function(names, module, found ? symbol.name : call->function, 0, 0);
}

/* Puts the source lines of LOCATION into LINES, which has room for ELF_LINES_MAX. Returns their number. */
static uint32_t lines_of(struct place_names *names, const struct profile_location *location, struct profile_line *lines)
{
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = names->lines ? elf_lines_find(names->lines, location->address, chain) : 0;
    for (size_t i = 0; i < count; i++) {
        lines[i] = (struct profile_line){location->function, PROFILE_NONE, chain[i].line};
        if (chain[i].function)
            lines[i].function = inlined_function(names, location->module, &chain[i]);
        if (chain[i].file)
            lines[i].file = builder_file(names->builder, chain[i].file);
    }
    if (names->lines && elf_lines_gave_up(names->lines))
        names->builder->profile->modules[location->module].lines_cut = true;
    return (uint32_t)count;
}

/* Drops too many inlined calls. The last line is the function's own. */
static uint32_t lines_kept(struct place_names *names, const struct profile_location *location,
                           struct profile_line *lines, uint64_t most_inlined)
{
    uint32_t count = lines_of(names, location, lines);
    if (!count || count - 1 <= most_inlined)
        return count;
    names->builder->profile->without_inlined++;
    lines[0] = lines[count - 1];
    return 1;
}

/* Returns the number of the file PATH. Relative paths begin at the working directory. Texts such as <string> are not
 * paths. */
static uint32_t script_file(struct place_names *names, const char *path)
{
    struct buffer whole = {0};
    if (!names->folder || !*names->folder || strchr("/<([-", *path))
        return builder_file(names->builder, path);
    while (!strncmp(path, "./", 2))
        path += 2;
    buffer_printf(&whole, "%s/%s", strcmp(names->folder, "/") ? names->folder : "", path);
    uint32_t file = whole.failed ? PROFILE_NONE : builder_file(names->builder, whole.bytes);
    buffer_fini(&whole);
    return file;
}

/* Adds the place at ADDRESS: a line of a function in an interpreted language. */
static uint32_t script_location(struct place_names *names, uint64_t address)
{
    char name[2048];
    uint32_t number = scripts_number_of(address);
    const char *path = scripts_file(names->scripts, number);
    struct profile_line line = {.file = PROFILE_NONE, .line = scripts_line_of(address)};
    struct profile_location location = {.module = names->module, .address = address, .line_count = path != NULL};
    scripts_name(names->scripts, number, name, sizeof name);
    location.function = line.function = function_of(names, names->module, name, false, 0, 0);
    if (path)
        line.file = script_file(names, path);
    return builder_location(names->builder, &location, &line);
}

uint32_t place_names_location(struct place_names *names, uint64_t offset, uint64_t most_inlined)
{
    uint32_t module = names->module;
    struct profile_line lines[ELF_LINES_MAX];
    struct profile_location location = {.module = module, .address = offset};
    if (names->answer.places.count)
        return name_answer_next(&names->answer, names->builder, most_inlined);
    if (names->scripts)
        return script_location(names, offset);
    if (names->file)
        elf_file_vaddr_of_offset(names->file, offset, &location.address);
    location.function =
        names->file ? elf_function(names, module, location.address) : jit_function(names, module, location.address);
    location.line_count = lines_kept(names, &location, lines, most_inlined);
    return builder_location(names->builder, &location, lines);
}

static char *hex_of(const uint8_t *bytes, size_t size)
{
    struct buffer text = {0};
    buffer_hex(&text, bytes, size);
    return text.bytes;
}

static const char *label_of(const struct object *object)
{
    switch (object->kind) {
    case OBJECT_FILE:
    case OBJECT_SCRIPT:
        return object->path ? object->path : "[unknown]";
    case OBJECT_VDSO:
    case OBJECT_VDSO_COMPAT:
        return "[vdso]";
    case OBJECT_VSYSCALL:
        return "[vsyscall]";
    case OBJECT_KERNEL:
        return "[kernel]";
    case OBJECT_JIT:
        return object->fd >= 0 ? "[jit]" : "[anon]";
    default:
        return "[unknown]";
    }
}

static void describe_elf(struct place_names *names, struct profile_module *module)
{
    size_t size;
    const uint8_t *build_id = elf_file_build_id(names->file, &size);
    module->build_id = build_id ? hex_of(build_id, size) : NULL;
    elf_file_text_range(names->file, &module->text_start, &module->text_end);
    elf_file_offset_of_vaddr(names->file, module->text_start, &module->text_offset);
    module->executable = elf_file_is_program(names->file);
    module->is_compat = elf_file_is_compat(names->file);
    module->no_symbols = !names->symbols || !elf_symbols_has_full_table(names->symbols);
}

/* Opens the sources of names. If that fails, the places have no names; this is not an error. */
static void open_object(struct place_names *names, const struct object *object, bool with_names, bool with_lines)
{
    if (object->kind != OBJECT_JIT && object->fd >= 0)
        elf_file_open(object->fd, &names->file, NULL);
    if (!names->file || !with_names)
        return;
    const char *slash = object->path ? strrchr(object->path, '/') : NULL;
    char *directory = slash ? strndup(object->path, (size_t)(slash - object->path)) : NULL;
    struct elf_debug_search search = {.directory = directory,
                                      .root = object->root,
                                      .viewer = &object->viewer,
                                      .ask_servers = object->kind == OBJECT_FILE};
    elf_symbols_new(names->file, &search, &names->symbols, NULL);
    if (with_lines)
        names->no_lines = -elf_lines_new(names->file, &search, &names->lines, NULL);
    free(directory);
}

static struct profile_module module_of_object(const struct object *object)
{
    return (struct profile_module){.path = (char *)(uintptr_t)label_of(object), /* it is copied */
                                   .deleted = object->deleted,
                                   .viewer = object->viewer,
                                   .sources = object->sources};
}

bool place_names_take(struct place_names *names, struct builder *builder, const struct object *object,
                      const void *answer, size_t size, size_t count)
{
    const struct profile_module module = module_of_object(object);
    *names = (struct place_names){.builder = builder};
    bool read = name_answer_read(&names->answer, answer, size, count, builder, &module);
    names->module = names->answer.module;
    if (!read)
        place_names_close(names);
    return read;
}

static void open_names(struct place_names *names, struct builder *builder, const struct object *object, bool with_names,
                       bool with_lines)
{
    struct profile_module module = module_of_object(object);
    *names = (struct place_names){.builder = builder, .folder = object->folder};
    open_object(names, object, with_names, with_lines);
    if (names->file)
        describe_elf(names, &module);
    module.lines_cut = names->file && !with_lines;
    names->module = builder_module(builder, &module);
    free(module.build_id);
}

void place_names_open(struct place_names *names, struct builder *builder, const struct object *object, bool with_lines)
{
    open_names(names, builder, object, true, with_lines);
}

void place_names_lack(struct place_names *names, struct builder *builder, const struct object *object)
{
    open_names(names, builder, object, false, false);
}

void place_names_read_map(struct place_names *names, const struct object *object, const uint64_t *addresses,
                          size_t count)
{
    jit_map_free(names->jit_map);
    names->jit_map = NULL;
    if (object->kind == OBJECT_JIT && object->fd >= 0)
        jit_map_read(object->fd, JIT_MAP_LIMIT, addresses, count, &names->jit_map, NULL);
}

void place_names_close(struct place_names *names)
{
    elf_lines_free(names->lines);
    elf_symbols_free(names->symbols);
    elf_file_close(names->file);
    jit_map_free(names->jit_map);
    name_answer_free(&names->answer);
    *names = (struct place_names){0};
}
