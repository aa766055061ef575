/* SPDX-License-Identifier: MIT */
#include "profile/stored/stored_code.h"

#include "common/base/array.h"
#include "common/base/error.h"
#include "profile/profile/label.h"
#include "profile/stored/pprof_format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENTRIES = 4 << 20, /* of each table */
    MOST_TEXT = 2 << 20,    /* bytes */
    MOST_BYTES = 2 << 20,   /* bytes of any other entry; in memory an entry takes some thirty times as much */
    MOST_LINES = 16 << 20,  /* for all locations together */
    USUAL_NAME = 4096,      /* bytes; a longer name has more weight */
};

/* A function. Functions have no module here; their locations have. */
struct stored_function {
    int64_t name, system_name, filename; /* texts */
    uint64_t start, end;
    uint32_t module, built, file; /* function, module and file that were last built for it; PROFILE_NONE: none yet */
    uint64_t weight;              /* weight of its name; 0: not computed yet */
};

void stored_code_init(struct stored_code *code, struct builder *into, struct error *error)
{
    memset(code, 0, sizeof *code);
    code->into = into;
    code->error = error;
}

static void free_ids(struct stored_ids *ids)
{
    free(ids->items);
    hash_fini(&ids->index);
}

void stored_code_fini(struct stored_code *code)
{
    protobuf_memory_free(&code->memory);
    buffer_fini(&code->text_bytes);
    free(code->texts.items);
    free(code->mappings.items);
    free(code->functions.items);
    free(code->locations.items);
    free(code->lines.items);
    free_ids(&code->mappings.ids);
    free_ids(&code->functions.ids);
    free_ids(&code->locations.ids);
}

void stored_broken(struct stored_code *code, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!code->result)
        code->result = error_set(code->error, EBADMSG,
                                 "is not a stored profile (what 'ptprofil -o FILE.pb.gz' and pprof write), or a "
                                 "damaged one: %s",
                                 text);
}

void stored_unfit(struct stored_code *code, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!code->result)
        code->result = error_set(code->error, EBADMSG, "%s", text);
}

static void no_memory(struct stored_code *code)
{
    if (!code->result)
        code->result = error_set(code->error, ENOMEM, "out of memory");
}

bool stored_unpack(struct stored_code *code, const struct protobuf_layout *layout, const struct protobuf_entry *field,
                   const char *what, void *entry)
{
    protobuf_memory_free(&code->memory);
    if (field->size <= MOST_BYTES && protobuf_take(&code->memory, layout, field, entry))
        return true;
    stored_broken(code, "%s is damaged", what);
    return false;
}

static bool is_id(const void *owner, uint32_t number, const void *key)
{
    return ((const struct stored_ids *)owner)->items[number] == *(const uint64_t *)key;
}

static uint32_t find_id(const struct stored_ids *ids, uint64_t id)
{
    if (id && id <= ids->count && ids->items[id - 1] == id)
        return (uint32_t)(id - 1);
    return hash_find(&ids->index, hash_number(id), is_id, ids, &id);
}

/* Adds ID of an entry called WHAT, and makes room for its item of SIZE bytes in *ITEMS. Returns its index, or
 * HASH_NONE. */
static uint32_t add_id(struct stored_code *code, struct stored_ids *ids, uint64_t id, const char *what, void *items,
                       size_t *room, size_t size)
{
    if (!id || find_id(ids, id) != HASH_NONE)
        stored_broken(code, id ? "two %ss have the id %llu" : "a %s has the id %llu", what, (unsigned long long)id);
    else if (ids->count >= MOST_ENTRIES)
        stored_broken(code, "it has more than %d %ss", MOST_ENTRIES, what);
    else if (!ARRAY_RESERVE_ONE(ids) || !array_reserve_(items, room, ids->count + 1, size) ||
             !hash_add(&ids->index, hash_number(id), (uint32_t)ids->count))
        no_memory(code);
    if (code->result)
        return HASH_NONE;
    ids->items[ids->count] = id;
    return (uint32_t)ids->count++;
}

void stored_read_text(struct stored_code *code, const struct protobuf_entry *field)
{
    if (!field->is_bytes || field->size > MOST_TEXT)
        stored_broken(code, "a text of %zu bytes", field->size);
    else if (code->texts.count >= MOST_ENTRIES)
        stored_broken(code, "it has more than %d texts", MOST_ENTRIES);
    if (code->result)
        return;
    size_t begin = code->text_bytes.length;
    if (!ARRAY_RESERVE_ONE(&code->texts) || !buffer_append(&code->text_bytes, field->bytes, field->size) ||
        !buffer_append(&code->text_bytes, "", 1)) {
        no_memory(code);
        return;
    }
    code->texts.items[code->texts.count++] = (uint32_t)begin;
}

const char *stored_text(struct stored_code *code, int64_t index)
{
    if (index >= 0 && (uint64_t)index < code->texts.count)
        return code->text_bytes.bytes + code->texts.items[index];
    if (index)
        stored_broken(code, "it refers to text %lld of %zu", (long long)index, code->texts.count);
    return "";
}

/* Returns the text, or NULL if it is empty. */
static char *text_or_none(struct stored_code *code, int64_t index)
{
    const char *text = stored_text(code, index);
    return *text ? (char *)(uintptr_t)text : NULL; /* the builder copies the text */
}

/* Returns the owner of the sources. Only our own files contain this. */
static struct profile_sources sources_of(const struct stored_code *code, const struct pprof_mapping *mapping)
{
    struct profile_sources sources = {.viewer = code->into->viewer};
    if (mapping->sources < PROFILE_SOURCES_KINDS)
        sources.kind = (enum profile_sources_kind)mapping->sources;
    if (!sources.viewer.user)
        sources.viewer = (struct viewer){(uid_t)mapping->user, (gid_t)mapping->group};
    return sources;
}

void stored_read_mapping(struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_mapping mapping;
    if (!stored_unpack(code, &pprof_mapping_layout, field, "a mapping", &mapping))
        return;
    uint32_t index = add_id(code, &code->mappings.ids, mapping.id, "mapping", &code->mappings.items,
                            &code->mappings.room, sizeof *code->mappings.items);
    struct profile_module module = {
        .path = text_or_none(code, mapping.filename),
        .build_id = text_or_none(code, mapping.build_id),
        .text_start = mapping.memory_start,
        .text_end = mapping.memory_limit,
        .text_offset = mapping.file_offset,
        .deleted = mapping.deleted != 0,
        .executable = mapping.executable != 0,
        .is_compat = mapping.is_compat != 0,
        .no_symbols = mapping.no_symbols != 0,
        .sources = sources_of(code, &mapping),
    };
    static char unknown[] = PROFILE_NAME_UNKNOWN;
    if (!module.path)
        module.path = unknown;
    if (!code->result)
        code->mappings.items[index] = builder_module(code->into, &module);
}

void stored_read_function(struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_function function;
    if (!stored_unpack(code, &pprof_function_layout, field, "a function", &function))
        return;
    uint32_t index = add_id(code, &code->functions.ids, function.id, "function", &code->functions.items,
                            &code->functions.room, sizeof *code->functions.items);
    if (!code->result)
        code->functions.items[index] = (struct stored_function){
            .name = function.name,
            .system_name = function.plain ? function.name : function.system_name,
            .filename = function.filename,
            .start = function.start,
            .end = function.end,
            .module = PROFILE_NONE,
            .file = PROFILE_NONE,
        };
}

/* Returns the profile's function for STORED in MODULE. STORED is NULL if the name is unknown. */
static uint32_t build_function(struct stored_code *code, uint32_t module, const struct stored_function *stored)
{
    static char unknown[] = PROFILE_NAME_UNKNOWN;
    struct profile_function function = {.module = module, .name = unknown};
    if (stored) {
        char *name = text_or_none(code, stored->name);
        function.linkage_name = text_or_none(code, stored->system_name);
        function.start = stored->start;
        function.end = stored->end;
        if (name || function.linkage_name)
            function.name = name ? name : function.linkage_name;
    }
    return builder_function(code->into, &function);
}

/* Builds a function once, because many lines may belong to a function with a long name and path. */
static void build_once(struct stored_code *code, uint32_t module, struct stored_function *stored)
{
    if (stored->module != module) {
        stored->built = build_function(code, module, stored);
        stored->module = module;
    }
    if (!stored->weight) {
        const char *file = text_or_none(code, stored->filename);
        stored->file = file ? builder_file(code->into, file) : PROFILE_NONE;
        stored->weight =
            1 + (strlen(stored_text(code, stored->name)) + strlen(stored_text(code, stored->system_name))) / USUAL_NAME;
    }
}

/* Sets LINE, and returns its weight. */
static uint64_t add_line(struct stored_code *code, uint32_t module, const struct pprof_line *stored,
                         struct profile_line *line)
{
    uint32_t index = find_id(&code->functions.ids, stored->function_id);
    if (index == HASH_NONE) {
        stored_broken(code, "it refers to function %llu, which is not there", (unsigned long long)stored->function_id);
        return 0;
    }
    struct stored_function *function = &code->functions.items[index];
    build_once(code, module, function);
    line->function = function->built;
    line->file = function->file;
    line->line = stored->line > 0 && stored->line < UINT32_MAX ? (uint32_t)stored->line : 0;
    return function->weight;
}

/* Returns the module for locations without a mapping. */
static uint32_t nowhere(struct stored_code *code)
{
    static char unknown[] = PROFILE_NAME_UNKNOWN;
    return builder_module(code->into, &(struct profile_module){.path = unknown});
}

static bool is_module(const struct stored_code *code, uint32_t module, const char *path)
{
    return module != PROFILE_NONE && !strcmp(code->into->profile->modules[module].path, path);
}

/* Finds the kind of a location that is called NAME and has neither address nor line. */
static void find_kind(const struct stored_code *code, struct stored_location *location, const char *name)
{
    location->syscall = is_module(code, location->module, PROFILE_NAME_KERNEL) ? label_syscall_number(name) : -1;
    if (location->syscall >= 0)
        location->kind = STORED_SYSCALL;
    else if (!strcmp(name, PROFILE_NAME_UNSAMPLED))
        location->kind = STORED_UNSAMPLED;
    else if (location->module == PROFILE_NONE)
        location->cut = profile_cut_of(name);
    if (location->cut != PROFILE_WHOLE)
        location->kind = STORED_CUT;
}

/* Returns the number of lines to store. A single line that only contains the function's name counts as 0. */
static uint32_t count_lines(const struct stored_code *code, const struct pprof_location *stored)
{
    const struct profile_line *line = code->lines.items;
    return stored->n_line == 1 && !line->line && line->file == PROFILE_NONE ? 0 : (uint32_t)stored->n_line;
}

static void build_location(struct stored_code *code, struct stored_location *location,
                           const struct pprof_location *stored)
{
    uint32_t module = location->module == PROFILE_NONE ? nowhere(code) : location->module;
    struct profile_location built = {.module = module, .address = stored->address};
    for (size_t i = 0; i < stored->n_line && !code->result; i++)
        location->weight += add_line(code, module, &stored->line[i], &code->lines.items[i]);
    built.function = stored->n_line && !code->result ? code->lines.items[stored->n_line - 1].function
                                                     : build_function(code, module, NULL);
    if (code->into->failed)
        no_memory(code);
    if (code->result)
        return;
    built.line_count = stored->n_line ? count_lines(code, stored) : 0;
    if (!built.line_count && !stored->address)
        find_kind(code, location, code->into->profile->functions[built.function].name);
    location->index = builder_location(code->into, &built, code->lines.items);
}

static uint32_t module_of(struct stored_code *code, uint64_t mapping)
{
    uint32_t index = mapping ? find_id(&code->mappings.ids, mapping) : HASH_NONE;
    if (mapping && index == HASH_NONE)
        stored_broken(code, "it refers to mapping %llu, which is not there", (unsigned long long)mapping);
    return index == HASH_NONE ? PROFILE_NONE : code->mappings.items[index];
}

void stored_read_location(struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_location stored;
    if (!stored_unpack(code, &pprof_location_layout, field, "a location", &stored))
        return;
    uint32_t index = add_id(code, &code->locations.ids, stored.id, "location", &code->locations.items,
                            &code->locations.room, sizeof *code->locations.items);
    struct stored_location location = {.syscall = -1, .module = module_of(code, stored.mapping_id)};
    if (!code->result &&
        !array_reserve_((void **)&code->lines.items, &code->lines.room, stored.n_line + 1, sizeof *code->lines.items))
        no_memory(code);
    if (!code->into->failed && code->into->profile->line_count + stored.n_line > MOST_LINES)
        stored_broken(code, "it has more than %d lines", MOST_LINES);
    if (code->result)
        return;
    build_location(code, &location, &stored);
    code->locations.items[index] = location;
}

const struct stored_location *stored_location(struct stored_code *code, uint64_t id)
{
    uint32_t index = find_id(&code->locations.ids, id);
    if (index != HASH_NONE)
        return &code->locations.items[index];
    stored_broken(code, "it refers to location %llu, which is not there", (unsigned long long)id);
    return NULL;
}

struct stored_location stored_no_location(struct stored_code *code)
{
    struct profile_location unknown = {.module = nowhere(code)};
    unknown.function = build_function(code, unknown.module, NULL);
    return (struct stored_location){
        .syscall = -1, .module = PROFILE_NONE, .index = builder_location(code->into, &unknown, NULL)};
}

const char *stored_program(const struct stored_code *code)
{
    return code->mappings.ids.count ? code->into->profile->modules[code->mappings.items[0]].name : PROFILE_NAME_UNKNOWN;
}
