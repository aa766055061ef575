/* SPDX-License-Identifier: MIT */
#include "front/naming/place_tables.h"

#include "common/names/demangle.h"
#include "common/names/languages.h"
#include "front/naming/place_names.h"
#include "front/record/object.h"
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

/* Finds or adds the function NAME of the module. MANGLED: NAME comes from a symbol table. */
static uint32_t function_of(struct place_tables *tables, const char *name, bool mangled, uint64_t start, uint64_t end)
{
    char *text = (char *)(uintptr_t)name; /* it is copied */
    struct profile_function function = {.module = tables->module, .start = start, .end = end};
    *(mangled ? &function.linkage_name : &function.name) = text;
    return builder_function(tables->builder, &function);
}

/* Returns the function with the symbol NAME. */
static uint32_t linked_function(struct place_tables *tables, const char *name, uint64_t start, uint64_t end)
{
    char *readable = tables->symbols ? languages_demangle(elf_symbols_languages(tables->symbols), name) : NULL;
    uint32_t function = function_of(tables, readable ? readable : name, !readable, start, end);
    free(readable);
    return function;
}

static uint32_t elf_function(struct place_tables *tables, uint64_t address)
{
    struct elf_symbol symbol;
    char text[512];
    const char *short_name = tables->builder->profile->modules[tables->module].name;
    if (!tables->symbols || !elf_symbols_find(tables->symbols, address, &symbol))
        return function_of(tables, PROFILE_NAME_UNKNOWN, false, 0, 0);
    if (symbol.kind == ELF_SYMBOL_FUNCTION)
        return linked_function(tables, symbol.name, symbol.start, symbol.end);
    if (symbol.kind != ELF_SYMBOL_RANGE && symbol.name)
        return function_of(tables, symbol.name, true, symbol.start, symbol.end);
    snprintf(text, sizeof text, "%.400s+0x%lx", short_name, symbol.start);
    return function_of(tables, text, false, symbol.start, symbol.end);
}

static uint32_t jit_function(struct place_tables *tables, uint64_t address)
{
    const char *name;
    uint64_t start, end;
    if (tables->jit_map && jit_map_find(tables->jit_map, address, &name, &start, &end))
        return function_of(tables, name, false, start, end);
    return function_of(tables, tables->builder->profile->modules[tables->module].path, false, 0, 0);
}

/* Returns the function of an inlined CALL. A function private to its file has its source name here; if it also has code
 * of its own, its symbol has another name. Both are one function. */
static uint32_t inlined_function(struct place_tables *tables, const struct elf_line *call)
{
    struct elf_symbol symbol;
    bool found = call->start && tables->symbols && elf_symbols_find(tables->symbols, call->start, &symbol) &&
                 symbol.kind == ELF_SYMBOL_FUNCTION && symbol.start == call->start && !strncmp(symbol.name, "_Z", 2);
    return linked_function(tables, found ? symbol.name : call->function, 0, 0);
}

/* Puts the source lines of LOCATION into LINES, which has room for ELF_LINES_MAX. Returns their number. */
static uint32_t lines_of(struct place_tables *tables, const struct profile_location *location,
                         struct profile_line *lines)
{
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = tables->lines ? elf_lines_find(tables->lines, location->address, chain) : 0;
    for (size_t i = 0; i < count; i++) {
        lines[i] = (struct profile_line){location->function, PROFILE_NONE, chain[i].line};
        if (chain[i].function)
            lines[i].function = inlined_function(tables, &chain[i]);
        if (chain[i].file)
            lines[i].file = builder_file(tables->builder, chain[i].file);
    }
    if (tables->lines && elf_lines_gave_up(tables->lines))
        tables->builder->profile->modules[location->module].lines_cut = true;
    return (uint32_t)count;
}

uint32_t place_tables_location(struct place_tables *tables, uint64_t offset)
{
    struct profile_line lines[ELF_LINES_MAX];
    struct profile_location location = {.module = tables->module, .address = offset};
    if (tables->file)
        elf_file_vaddr_of_offset(tables->file, offset, &location.address);
    location.function = tables->file ? elf_function(tables, location.address) : jit_function(tables, location.address);
    location.line_count = lines_of(tables, &location, lines);
    return builder_location(tables->builder, &location, lines);
}

/* Reads the tables, in FILE and in debug files. */
static void read_tables(struct place_tables *tables, const struct object *object, bool with_lines)
{
    const char *slash = object->path ? strrchr(object->path, '/') : NULL;
    char *directory = slash ? strndup(object->path, (size_t)(slash - object->path)) : NULL;
    struct elf_debug_search search = {.directory = directory,
                                      .root = object->root,
                                      .viewer = &object->viewer,
                                      .ask_servers = object->kind == OBJECT_FILE};
    elf_symbols_new(tables->file, &search, &tables->symbols, NULL);
    if (with_lines)
        tables->no_lines = -elf_lines_new(tables->file, &search, &tables->lines, NULL);
    free(directory);
}

void place_tables_open(struct place_tables *tables, struct builder *builder, const struct object *object,
                       bool with_lines)
{
    *tables = (struct place_tables){.builder = builder, .file = place_names_file(object)};
    builder->readable = demangle_name;
    if (tables->file)
        read_tables(tables, object, with_lines);
    tables->module = place_names_module(builder, object, tables->file,
                                        tables->symbols && elf_symbols_has_full_table(tables->symbols), with_lines);
}

void place_tables_read_map(struct place_tables *tables, const struct object *object, const uint64_t *addresses,
                           size_t count)
{
    jit_map_free(tables->jit_map);
    tables->jit_map = NULL;
    if (object->kind == OBJECT_JIT && object->fd >= 0)
        jit_map_read(object->fd, JIT_MAP_LIMIT, addresses, count, &tables->jit_map, NULL);
}

void place_tables_close(struct place_tables *tables)
{
    elf_lines_free(tables->lines);
    elf_symbols_free(tables->symbols);
    elf_file_close(tables->file);
    jit_map_free(tables->jit_map);
    *tables = (struct place_tables){0};
}
