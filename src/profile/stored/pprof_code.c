/* SPDX-License-Identifier: MIT */
#include "profile/stored/pprof_code.h"

#include "profile/profile/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A part of a function. In pprof's format, a function belongs to one source file; in ours it may belong to several. */
struct pprof_part {
    uint32_t function, file;
};

/* A location that is not code. */
struct pprof_extra {
    uint64_t mapping; /* id, or 0 */
    int64_t name;     /* text */
};

void pprof_code_fini(struct pprof_code *code)
{
    free(code->functions.items);
    hash_fini(&code->functions.index);
    free(code->extras.items);
    hash_fini(&code->extras.index);
}

static uint64_t module_id(uint32_t module)
{
    return module == PROFILE_NONE ? 0 : (uint64_t)module + 1;
}

static bool is_extra(const void *owner, uint32_t number, const void *key)
{
    const struct pprof_extra *extra = &((const struct pprof_code *)owner)->extras.items[number], *wanted = key;
    return extra->mapping == wanted->mapping && extra->name == wanted->name;
}

/* Returns the id of the location NAME in MAPPING. Such ids follow the ids of the profile's locations. */
static uint64_t extra_location(struct pprof_code *code, uint64_t mapping, const char *name)
{
    struct pprof_extra key = {mapping, pprof_out_plain_text(code->out, name)};
    uint64_t value = hash_number(mapping << 32 ^ (uint64_t)key.name);
    uint32_t number = HASH_INTERN(&code->extras, value, is_extra, code, &key);
    if (number == HASH_NONE)
        pprof_out_fail(code->out, -ENOMEM);
    return (uint64_t)code->profile->location_count + 1 + number;
}

uint64_t pprof_code_syscall(struct pprof_code *code, int32_t number)
{
    code->kernel = true;
    return extra_location(code, (uint64_t)code->profile->module_count + 1, label_syscall(number).text);
}

uint64_t pprof_code_unsampled(struct pprof_code *code, uint32_t module)
{
    return extra_location(code, module_id(module), PROFILE_NAME_UNSAMPLED);
}

uint64_t pprof_code_cut(struct pprof_code *code, enum profile_cut cut)
{
    return extra_location(code, 0, profile_cut_name(cut));
}

/* Sets the information about lines in MAPPINGS. */
static void describe_lines(const struct profile *profile, struct pprof_mapping *mappings)
{
    for (size_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        struct pprof_mapping *mapping = &mappings[location->module];
        mapping->has_inline_frames |= location->line_count > 1;
        for (uint32_t line = 0; line < location->line_count; line++) {
            const struct profile_line *known = &profile->lines[location->line_first + line];
            mapping->has_filenames |= known->file != PROFILE_NONE;
            mapping->has_line_numbers |= known->line != 0;
        }
    }
}

/* Sets has_functions, because names are complete: otherwise pprof would look for them in files that may have
 * changed. */
static void describe_module(struct pprof_code *code, uint32_t index, struct pprof_mapping *mapping)
{
    const struct profile_module *module = &code->profile->modules[index];
    mapping->id = module_id(index);
    mapping->memory_start = module->text_start;
    mapping->memory_limit = module->text_end;
    mapping->file_offset = module->text_offset;
    mapping->filename = pprof_out_text(code->out, module->path);
    mapping->build_id = module->build_id ? pprof_out_text(code->out, module->build_id) : 0;
    mapping->has_functions = true;
    if (code->bare)
        return;
    mapping->deleted = module->deleted;
    mapping->executable = module->executable;
    mapping->is_compat = module->is_compat;
    mapping->no_symbols = module->no_symbols;
    mapping->sources = module->sources.kind;
    mapping->user = module->sources.viewer.user;
    mapping->group = module->sources.viewer.group;
}

static void put_mappings(struct pprof_code *code)
{
    const struct profile *profile = code->profile;
    struct pprof_mapping *mappings = calloc(profile->module_count + 1, sizeof *mappings);
    if (!mappings) {
        pprof_out_fail(code->out, -ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < profile->module_count; i++)
        describe_module(code, i, &mappings[i]);
    describe_lines(profile, mappings);
    for (size_t i = 0; i < profile->module_count; i++)
        pprof_out_put(code->out, PPROF_MAPPING, &pprof_mapping_layout, &mappings[i]);
    free(mappings);
    struct pprof_mapping kernel = {0};
    kernel.id = (uint64_t)profile->module_count + 1;
    kernel.filename = pprof_out_text(code->out, LABEL_KERNEL);
    kernel.has_functions = true;
    if (code->kernel)
        pprof_out_put(code->out, PPROF_MAPPING, &pprof_mapping_layout, &kernel);
}

static bool is_function(const void *owner, uint32_t number, const void *key)
{
    const struct pprof_part *function = &((const struct pprof_code *)owner)->functions.items[number], *wanted = key;
    return function->function == wanted->function && function->file == wanted->file;
}

/* Returns the id of the part of FUNCTION that is in FILE (an index, or PROFILE_NONE). */
static uint64_t function_id(struct pprof_code *code, uint32_t function, uint32_t file)
{
    struct pprof_part key = {function, file};
    uint64_t value = hash_number((uint64_t)function << 32 | file);
    uint32_t number = HASH_INTERN(&code->functions, value, is_function, code, &key);
    if (number == HASH_NONE)
        pprof_out_fail(code->out, -ENOMEM);
    return (uint64_t)number + 1;
}

/* Writes extra location NUMBER, and a function for it. Their ids follow all other ids of locations and of functions. */
static void put_extra(struct pprof_code *code, size_t number)
{
    const struct pprof_extra *extra = &code->extras.items[number];
    struct pprof_location location = {0};
    struct pprof_line line = {0};
    struct pprof_function function = {0};
    location.id = (uint64_t)code->profile->location_count + 1 + number;
    location.mapping_id = extra->mapping;
    location.n_line = 1;
    location.line = &line;
    line.function_id = function.id = (uint64_t)code->functions.count + 1 + number;
    function.name = extra->name;
    pprof_out_put(code->out, PPROF_LOCATION, &pprof_location_layout, &location);
    pprof_out_put(code->out, PPROF_FUNCTION, &pprof_function_layout, &function);
}

static void put_location(struct pprof_code *code, uint32_t index)
{
    const struct profile *profile = code->profile;
    const struct profile_location *location = &profile->locations[index];
    uint32_t count = location->line_count ? location->line_count : 1;
    struct profile_line only = {location->function, PROFILE_NONE, 0};
    const struct profile_line *known = location->line_count ? profile->lines + location->line_first : &only;
    struct pprof_location message = {0};
    struct pprof_line *lines = calloc(count, sizeof *lines);
    if (!lines)
        pprof_out_fail(code->out, -ENOMEM);
    for (uint32_t i = 0; i < count && !code->out->result; i++) {
        lines[i].function_id = function_id(code, known[i].function, known[i].file);
        lines[i].line = known[i].line;
    }
    message.id = (uint64_t)index + 1;
    message.mapping_id = module_id(location->module);
    message.address = location->address;
    message.n_line = count;
    message.line = lines;
    if (!code->out->result)
        pprof_out_put(code->out, PPROF_LOCATION, &pprof_location_layout, &message);
    free(lines);
}

static void put_function(struct pprof_code *code, size_t number)
{
    const struct pprof_part *key = &code->functions.items[number];
    const struct profile_function *function = &code->profile->functions[key->function];
    struct pprof_function message = {0};
    message.id = (uint64_t)number + 1;
    message.name = pprof_out_text(code->out, function->name);
    message.plain = function->linkage_name && !strcmp(function->linkage_name, function->name);
    message.system_name =
        function->linkage_name && !message.plain ? pprof_out_text(code->out, function->linkage_name) : 0;
    message.filename = key->file != PROFILE_NONE ? pprof_out_text(code->out, code->profile->files[key->file]) : 0;
    message.plain = message.plain && !code->bare;
    message.start = code->bare ? 0 : function->start;
    message.end = code->bare ? 0 : function->end;
    pprof_out_put(code->out, PPROF_FUNCTION, &pprof_function_layout, &message);
}

void pprof_code_put(struct pprof_code *code)
{
    put_mappings(code);
    for (size_t i = 0; i < code->profile->location_count && !code->out->result; i++)
        put_location(code, (uint32_t)i);
    for (size_t i = 0; i < code->functions.count && !code->out->result; i++)
        put_function(code, i);
    for (size_t i = 0; i < code->extras.count && !code->out->result; i++)
        put_extra(code, i);
}
