/* SPDX-License-Identifier: MIT
 *
 * From the record to the profile: names are put on each distinct address, once, at the end. */
#include "record/record.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/texts.h"
#include "elf/demangle.h"
#include "elf/file.h"
#include "elf/jitmap.h"
#include "elf/lines.h"
#include "elf/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_MAP_LIMIT = 256 << 20 };

/* What is being built, with the ways to find what is there already. */
struct naming {
    struct record *record;
    struct profile *profile;
    size_t module_room, function_room, location_room, line_room, frame_room, sample_room;
    struct hash functions, locations;
    struct texts files;
    uint32_t *modules;   /* of each object; HASH_NONE while it has none */
    uint32_t *locations_of_nodes;
    uint32_t *processes; /* of each image */
    /* of the object in hand */
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
    struct jitmap *jitmap;
    bool failed;
};

static bool reserve(struct naming *naming, void *items, size_t *room, size_t count, size_t size)
{
    bool reserved = array_reserve_(items, room, count + 1, size);
    naming->failed |= !reserved;
    return reserved;
}

struct function_key {
    uint32_t module;
    uint64_t start;
    const char *name; /* compared only where there is no address */
};

static bool function_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct profile_function *function = &((const struct profile *)owner)->functions[index];
    const struct function_key *wanted = key;
    return function->module == wanted->module && function->start == wanted->start &&
           !strcmp(function->linkage_name ? function->linkage_name : function->name, wanted->name);
}

/* Finds or adds the function NAME of MODULE. MANGLED: NAME is from a symbol table. */
static uint32_t function_of(struct naming *naming, uint32_t module, const char *name, bool mangled, uint64_t start,
                            uint64_t end)
{
    struct profile *profile = naming->profile;
    struct function_key key = {module, start, name};
    uint64_t value = hash_number(hash_bytes(name, strlen(name)) ^ start ^ (uint64_t)module << 40);
    uint32_t found = hash_find(&naming->functions, value, function_has_key, profile, &key);
    if (found != HASH_NONE)
        return found;
    if (!reserve(naming, &profile->functions, &naming->function_room, profile->function_count,
                 sizeof *profile->functions))
        return HASH_NONE;
    char *readable = mangled ? elf_demangle(name) : NULL;
    struct profile_function function = {
        .module = module,
        .name = readable ? readable : strdup(name),
        .linkage_name = mangled ? strdup(name) : NULL,
        .start = start,
        .end = end,
    };
    if (!function.name || (mangled && !function.linkage_name) ||
        !hash_add(&naming->functions, value, (uint32_t)profile->function_count)) {
        free(function.name);
        free(function.linkage_name);
        naming->failed = true;
        return HASH_NONE;
    }
    profile->functions[profile->function_count] = function;
    return (uint32_t)profile->function_count++;
}

static uint32_t elf_function(struct naming *naming, uint32_t module, uint64_t address)
{
    struct elf_symbol symbol;
    char text[512];
    const char *short_name = naming->profile->modules[module].name;
    if (!naming->symbols || !elf_symbols_find(naming->symbols, address, &symbol))
        return function_of(naming, module, "[unknown]", false, 0, 0);
    if (symbol.kind == ELF_SYMBOL_RANGE || !symbol.name)
        snprintf(text, sizeof text, "%.400s+0x%lx", short_name, symbol.start);
    else if (symbol.kind == ELF_SYMBOL_FUNCTION)
        return function_of(naming, module, symbol.name, true, symbol.start, symbol.end);
    else
        snprintf(text, sizeof text, "%.500s", symbol.name);
    return function_of(naming, module, text, false, symbol.start, symbol.end);
}

static uint32_t jit_function(struct naming *naming, uint32_t module, uint64_t address)
{
    const char *name;
    uint64_t start, end;
    if (naming->jitmap && jitmap_find(naming->jitmap, address, &name, &start, &end))
        return function_of(naming, module, name, false, start, end);
    return function_of(naming, module, naming->profile->modules[module].path, false, 0, 0);
}

/* Adds what is known of LOCATION's place in the source. */
static void add_lines(struct naming *naming, struct profile_location *location)
{
    struct profile *profile = naming->profile;
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = naming->lines ? elf_lines_find(naming->lines, location->address, chain) : 0;
    for (size_t i = 0; i < count; i++) {
        struct profile_line line = {location->function, PROFILE_NONE, chain[i].line};
        if (chain[i].function)
            line.function = function_of(naming, location->module, chain[i].function, true, 0, 0);
        if (chain[i].file && (line.file = texts_add(&naming->files, chain[i].file)) == HASH_NONE)
            naming->failed = true;
        if (line.function == HASH_NONE ||
            !reserve(naming, &profile->lines, &naming->line_room, profile->line_count, sizeof *profile->lines))
            return;
        profile->lines[profile->line_count++] = line;
        location->line_count++;
    }
    if (naming->lines && elf_lines_gave_up(naming->lines))
        profile->modules[location->module].lines_cut = true;
}

struct location_key {
    uint32_t module;
    uint64_t address;
};

static bool location_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct profile_location *location = &((const struct profile *)owner)->locations[index];
    const struct location_key *wanted = key;
    return location->module == wanted->module && location->address == wanted->address;
}

static uint32_t location_of(struct naming *naming, uint32_t module, uint64_t offset)
{
    struct profile *profile = naming->profile;
    struct location_key key = {module, offset};
    if (naming->file)
        elf_file_vaddr_of_offset(naming->file, offset, &key.address);
    uint64_t parts[] = {key.module, key.address}, value = hash_bytes(parts, sizeof parts);
    uint32_t found = hash_find(&naming->locations, value, location_has_key, profile, &key);
    if (found != HASH_NONE)
        return found;
    uint32_t function = naming->file ? elf_function(naming, module, key.address)
                                     : jit_function(naming, module, key.address);
    if (function == HASH_NONE ||
        !reserve(naming, &profile->locations, &naming->location_room, profile->location_count,
                 sizeof *profile->locations) ||
        !hash_add(&naming->locations, value, (uint32_t)profile->location_count)) {
        naming->failed = true;
        return HASH_NONE;
    }
    struct profile_location *location = &profile->locations[profile->location_count];
    *location = (struct profile_location){module, function, key.address, (uint32_t)profile->line_count, 0};
    add_lines(naming, location);
    return (uint32_t)profile->location_count++;
}

static char *hex_of(const uint8_t *bytes, size_t size)
{
    struct buffer text = {0};
    for (size_t i = 0; i < size; i++)
        buffer_printf(&text, "%02x", bytes[i]);
    return text.bytes;
}

static const char *label_of(const struct object *object)
{
    switch (object->kind) {
    case OBJECT_FILE:
        return object->path ? object->path : "[unknown]";
    case OBJECT_VDSO:
        return "[vdso]";
    case OBJECT_JIT:
        return object->fd >= 0 ? "[jit]" : "[anon]";
    default:
        return "[unknown]";
    }
}

static void describe_elf(struct naming *naming, struct profile_module *module)
{
    size_t size;
    const uint8_t *build_id = elf_file_build_id(naming->file, &size);
    module->build_id = build_id ? hex_of(build_id, size) : NULL;
    elf_file_text_range(naming->file, &module->text_start, &module->text_end);
    elf_file_offset_of_vaddr(naming->file, module->text_start, &module->text_offset);
    module->executable = elf_file_is_program(naming->file);
    module->no_symbols = !naming->symbols || !elf_symbols_has_full_table(naming->symbols);
}

/* Opens what names can be found in. Where that fails there are no names: not an error of the run. */
static void open_object(struct naming *naming, const struct object *object)
{
    if (object->kind == OBJECT_FILE && object->fd >= 0)
        elf_file_open(object->fd, &naming->file, NULL);
    else if (object->kind == OBJECT_VDSO)
        elf_file_from_vdso(&naming->file, NULL);
    else if (object->kind == OBJECT_JIT && object->fd >= 0)
        jitmap_read(object->fd, JIT_MAP_LIMIT, &naming->jitmap, NULL);
    if (!naming->file)
        return;
    const char *slash = object->path ? strrchr(object->path, '/') : NULL;
    char *directory = slash ? strndup(object->path, (size_t)(slash - object->path)) : NULL;
    struct elf_debug_search search = {
        .directory = directory, .root = object->root, .ask_servers = object->kind == OBJECT_FILE};
    elf_symbols_new(naming->file, &search, &naming->symbols, NULL);
    elf_lines_new(naming->file, &search, &naming->lines, NULL);
    free(directory);
}

static void close_object(struct naming *naming)
{
    elf_lines_free(naming->lines);
    elf_symbols_free(naming->symbols);
    elf_file_close(naming->file);
    jitmap_free(naming->jitmap);
    naming->lines = NULL;
    naming->symbols = NULL;
    naming->file = NULL;
    naming->jitmap = NULL;
}

/* Adds the module of OBJECT and opens it. */
static uint32_t module_of(struct naming *naming, const struct object *object)
{
    struct profile *profile = naming->profile;
    if (!reserve(naming, &profile->modules, &naming->module_room, profile->module_count, sizeof *profile->modules))
        return HASH_NONE;
    struct profile_module *module = &profile->modules[profile->module_count];
    *module = (struct profile_module){.path = strdup(label_of(object)), .deleted = object->deleted};
    naming->failed |= !module->path;
    if (naming->failed)
        return HASH_NONE;
    module->name = profile_module_name(module->path);
    open_object(naming, object);
    if (naming->file)
        describe_elf(naming, module);
    return (uint32_t)profile->module_count++;
}

/* The stack of a sample, from its leaf up to the root, becomes frames. */
static void add_sample(struct naming *naming, const struct record_sample *sample)
{
    struct profile *profile = naming->profile;
    size_t first = profile->frame_count;
    for (uint32_t node = sample->leaf; node != HASH_NONE; node = naming->record->nodes.items[node].parent) {
        if (naming->locations_of_nodes[node] == HASH_NONE ||
            !reserve(naming, &profile->frames, &naming->frame_room, profile->frame_count, sizeof *profile->frames))
            return;
        profile->frames[profile->frame_count++] = naming->locations_of_nodes[node];
    }
    if (!reserve(naming, &profile->samples, &naming->sample_room, profile->sample_count, sizeof *profile->samples))
        return;
    profile->samples[profile->sample_count++] = (struct profile_sample){
        .thread = sample->thread,
        .frame_first = (uint32_t)first,
        .frame_count = (uint32_t)(profile->frame_count - first),
        .syscall = sample->syscall,
        .cut = (uint8_t)sample->cut,
        .count = sample->count,
        .cpu_ns = sample->cpu_ns,
    };
}

/* A node, to be sorted. */
struct placed {
    uint32_t node, object;
    uint64_t address;
};

static int by_object(const void *one, const void *other)
{
    const struct placed *a = one, *b = other;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* One object at a time, so that one symbol table at a time is in memory. */
static void name_nodes(struct naming *naming, struct placed *placed, size_t count)
{
    uint32_t module = HASH_NONE;
    for (size_t i = 0; i < count && !naming->failed; i++) {
        if (!i || placed[i].object != placed[i - 1].object) {
            close_object(naming);
            module = module_of(naming, &naming->record->objects.items[placed[i].object]);
            naming->modules[placed[i].object] = module;
        }
        if (module != HASH_NONE)
            naming->locations_of_nodes[placed[i].node] = location_of(naming, module, placed[i].address);
    }
    close_object(naming);
}

static void name_samples(struct naming *naming)
{
    struct record *record = naming->record;
    size_t count = record->nodes.count;
    struct placed *placed = malloc((count + 1) * sizeof *placed);
    naming->failed |= !placed;
    for (size_t i = 0; placed && i < count; i++)
        placed[i] = (struct placed){(uint32_t)i, record->nodes.items[i].object, record->nodes.items[i].address};
    if (placed && count)
        qsort(placed, count, sizeof *placed, by_object);
    if (placed)
        name_nodes(naming, placed, count);
    free(placed);
    for (size_t i = 0; i < record->samples.count && !naming->failed; i++)
        add_sample(naming, &record->samples.items[i]);
}

static void copy_processes(struct naming *naming)
{
    struct record *record = naming->record;
    struct profile *profile = naming->profile;
    profile->processes = calloc(record->images.count + 1, sizeof *profile->processes);
    naming->failed |= !profile->processes;
    for (size_t i = 0; i < record->images.count && !naming->failed; i++) {
        const struct record_image *image = &record->images.items[i];
        bool told = image->number == 0;
        if (!image->pid && !image->cpu_ns)
            continue; /* a place that is waiting to be used again */
        naming->processes[i] = (uint32_t)profile->process_count;
        profile->processes[profile->process_count++] = (struct profile_process){
            .pid = image->pid,
            .image = image->generation,
            .comm = strdup(image->comm),
            .cpu_ns = told ? image->cpu_ns : image->sampled_ns,
            .unsampled_ns = told ? image->unsampled_ns : 0,
            .module = image->program != HASH_NONE ? naming->modules[image->program] : PROFILE_NONE,
            .not_sampled = image->unsupported ? "32-bit program" : NULL,
        };
        naming->failed |= !profile->processes[profile->process_count - 1].comm;
    }
}

static void copy_threads(struct naming *naming)
{
    struct record *record = naming->record;
    struct profile *profile = naming->profile;
    profile->threads = calloc(record->threads.count + 1, sizeof *profile->threads);
    naming->failed |= !profile->threads;
    for (size_t i = 0; i < record->threads.count && !naming->failed; i++) {
        const struct record_thread *thread = &record->threads.items[i];
        profile->threads[profile->thread_count++] =
            (struct profile_thread){naming->processes[thread->image], thread->tid, strdup(thread->comm)};
        naming->failed |= !profile->threads[i].comm;
    }
}

struct profile *record_profile(struct record *record, struct error *error)
{
    struct naming naming = {.record = record, .profile = calloc(1, sizeof *naming.profile)};
    naming.modules = malloc((record->objects.count + 1) * sizeof *naming.modules);
    naming.processes = calloc(record->images.count + 1, sizeof *naming.processes);
    naming.locations_of_nodes = malloc((record->nodes.count + 1) * sizeof *naming.locations_of_nodes);
    naming.failed = !naming.profile || !naming.modules || !naming.processes || !naming.locations_of_nodes;
    if (!naming.failed) {
        memset(naming.locations_of_nodes, 0xff, record->nodes.count * sizeof *naming.locations_of_nodes);
        memset(naming.modules, 0xff, record->objects.count * sizeof *naming.modules);
        name_samples(&naming);
        copy_processes(&naming);
        copy_threads(&naming);
    }
    free(naming.modules);
    free(naming.processes);
    hash_free(&naming.functions);
    hash_free(&naming.locations);
    if (naming.profile)
        texts_hand_over(&naming.files, &naming.profile->files, &naming.profile->file_count);
    if (!naming.failed) {
        naming.profile->places = naming.locations_of_nodes;
        naming.profile->place_count = record->nodes.count;
        return naming.profile;
    }
    free(naming.locations_of_nodes);
    profile_free(naming.profile);
    error_set(error, ENOMEM, "out of memory while the profile was put together");
    return NULL;
}
