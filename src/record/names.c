/* SPDX-License-Identifier: MIT
 *
 * From the record to the profile: names are put on each distinct address, once, at the end. */
#include "record/record.h"

#include "base/array.h"
#include "base/buffer.h"
#include "elf/file.h"
#include "elf/jitmap.h"
#include "elf/lines.h"
#include "elf/symbols.h"
#include "record/builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_MAP_LIMIT = 64 << 20 };

struct naming {
    struct record *record;
    struct builder builder;
    uint32_t *modules;            /* of each object; PROFILE_NONE while it has none */
    uint32_t *locations_of_nodes; /* PROFILE_NONE as long as it has no name */
    uint32_t *processes;          /* of each image */
    uint32_t *threads;            /* of each thread of the record */
    /* of the object in hand */
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
    struct jitmap *jitmap;
};

/* Finds or adds the function NAME of MODULE. MANGLED: NAME is from a symbol table. */
static uint32_t function_of(struct naming *naming, uint32_t module, const char *name, bool mangled,
                            uint64_t start, uint64_t end)
{
    char *text = (char *)(uintptr_t)name; /* it is copied */
    struct profile_function function = {.module = module, .start = start, .end = end};
    *(mangled ? &function.linkage_name : &function.name) = text;
    return builder_function(&naming->builder, &function);
}

static uint32_t elf_function(struct naming *naming, uint32_t module, uint64_t address)
{
    struct elf_symbol symbol;
    char text[512];
    const char *short_name = naming->builder.profile->modules[module].name;
    if (!naming->symbols || !elf_symbols_find(naming->symbols, address, &symbol))
        return function_of(naming, module, "[unknown]", false, 0, 0);
    if (symbol.kind != ELF_SYMBOL_RANGE && symbol.name)
        return function_of(naming, module, symbol.name, true, symbol.start, symbol.end);
    snprintf(text, sizeof text, "%.400s+0x%lx", short_name, symbol.start);
    return function_of(naming, module, text, false, symbol.start, symbol.end);
}

static uint32_t jit_function(struct naming *naming, uint32_t module, uint64_t address)
{
    const char *name;
    uint64_t start, end;
    if (naming->jitmap && jitmap_find(naming->jitmap, address, &name, &start, &end))
        return function_of(naming, module, name, false, start, end);
    return function_of(naming, module, naming->builder.profile->modules[module].path, false, 0, 0);
}

/* The function of an inlined CALL of MODULE. One that is private to its file has the name that the source has, and where it
 * has code of its own, a symbol with another one: both are one function. */
static uint32_t inlined_function(struct naming *naming, uint32_t module, const struct elf_line *call)
{
    struct elf_symbol symbol;
    bool found = call->start && naming->symbols && elf_symbols_find(naming->symbols, call->start, &symbol) &&
                 symbol.kind == ELF_SYMBOL_FUNCTION && symbol.start == call->start && !strncmp(symbol.name, "_Z", 2);
    return function_of(naming, module, found ? symbol.name : call->function, true, 0, 0);
}

/* Puts what is known of LOCATION's place in the source into LINES, which has room for ELF_LINES_MAX. Returns
 * how many there are. */
static uint32_t lines_of(struct naming *naming, const struct profile_location *location,
                         struct profile_line *lines)
{
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = naming->lines ? elf_lines_find(naming->lines, location->address, chain) : 0;
    for (size_t i = 0; i < count; i++) {
        lines[i] = (struct profile_line){location->function, PROFILE_NONE, chain[i].line};
        if (chain[i].function)
            lines[i].function = inlined_function(naming, location->module, &chain[i]);
        if (chain[i].file)
            lines[i].file = builder_file(&naming->builder, chain[i].file);
    }
    if (naming->lines && elf_lines_gave_up(naming->lines))
        naming->builder.profile->modules[location->module].lines_cut = true;
    return (uint32_t)count;
}

static uint32_t location_of(struct naming *naming, uint32_t module, uint64_t offset)
{
    struct profile_line lines[ELF_LINES_MAX];
    struct profile_location location = {.module = module, .address = offset};
    if (naming->file)
        elf_file_vaddr_of_offset(naming->file, offset, &location.address);
    location.function = naming->file ? elf_function(naming, module, location.address)
                                     : jit_function(naming, module, location.address);
    location.line_count = lines_of(naming, &location, lines);
    return builder_location(&naming->builder, &location, lines);
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
    case OBJECT_VSYSCALL:
        return "[vsyscall]";
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
    struct profile_module module = {.path = (char *)(uintptr_t)label_of(object), .deleted = object->deleted};
    open_object(naming, object);
    if (naming->file)
        describe_elf(naming, &module);
    uint32_t index = builder_module(&naming->builder, &module);
    free(module.build_id);
    return index;
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

/* Reads what the map of OBJECT says of the COUNT places, which are all of that object. */
static void read_jit_map(struct naming *naming, const struct object *object, const struct placed *placed, size_t count)
{
    uint64_t *addresses = object->kind == OBJECT_JIT && object->fd >= 0 ? malloc(count * sizeof *addresses) : NULL;
    for (size_t i = 0; addresses && i < count; i++)
        addresses[i] = placed[i].address;
    if (addresses)
        jitmap_read(object->fd, JIT_MAP_LIMIT, addresses, count, &naming->jitmap, NULL);
    free(addresses);
}

static size_t count_of_object(const struct placed *placed, size_t count)
{
    size_t of_one = 1;
    while (of_one < count && placed[of_one].object == placed->object)
        of_one++;
    return of_one;
}

/* One object at a time, so that one symbol table at a time is in memory. */
static void name_nodes(struct naming *naming, const struct placed *placed, size_t count)
{
    uint32_t module = PROFILE_NONE, location = PROFILE_NONE;
    for (size_t i = 0; i < count && !naming->builder.failed; i++) {
        bool new_object = !i || placed[i].object != placed[i - 1].object;
        if (new_object) {
            const struct object *object = &naming->record->objects.items[placed[i].object];
            close_object(naming);
            read_jit_map(naming, object, &placed[i], count_of_object(&placed[i], count - i));
            module = module_of(naming, object);
            naming->modules[placed[i].object] = module;
        }
        if (module != PROFILE_NONE && (new_object || placed[i].address != placed[i - 1].address))
            location = location_of(naming, module, placed[i].address);
        naming->locations_of_nodes[placed[i].node] = location;
    }
    close_object(naming);
}

static void add_locations(struct naming *naming)
{
    struct record *record = naming->record;
    size_t count = record->nodes.count;
    struct placed *placed = malloc((count + 1) * sizeof *placed);
    naming->builder.failed |= !placed;
    for (size_t i = 0; placed && i < count; i++)
        placed[i] =
            (struct placed){(uint32_t)i, record->nodes.items[i].object, record->nodes.items[i].address};
    if (placed && count)
        qsort(placed, count, sizeof *placed, by_object);
    if (placed)
        name_nodes(naming, placed, count);
    free(placed);
}

static void add_processes(struct naming *naming)
{
    struct record *record = naming->record;
    for (size_t i = 0; i < record->images.count; i++) {
        const struct record_image *image = &record->images.items[i];
        if (!image->pid && !image->cpu_ns && !image->wait_ns && !image->threads)
            continue; /* a place that is waiting to be used again */
        bool told = image->number == 0; /* when it has ended */
        naming->processes[i] = builder_process(
            &naming->builder,
            &(struct profile_process){
                .pid = image->pid,
                .image = image->generation,
                .comm = (char *)(uintptr_t)image->comm,
                .command = image->command != HASH_NONE ? record->commands.items[image->command] : NULL,
                .unsampled_ns = told ? image->unsampled_ns : 0,
                .unsampled_wait_ns = told ? image->unsampled_wait_ns : 0,
                .module = image->program != HASH_NONE ? naming->modules[image->program] : PROFILE_NONE,
                .not_sampled = image->unsupported ? "32-bit program" : NULL,
            });
    }
}

static void add_threads(struct naming *naming)
{
    struct record *record = naming->record;
    for (size_t i = 0; i < record->threads.count; i++) {
        const struct record_thread *thread = &record->threads.items[i];
        naming->threads[i] = builder_thread(
            &naming->builder, &(struct profile_thread){naming->processes[thread->image], thread->tid,
                                                       (char *)(uintptr_t)thread->comm});
    }
}

/* The stacks of the samples, from the leaf up to the root, become frames. */
static void add_samples(struct naming *naming)
{
    const struct record *record = naming->record;
    struct {
        uint32_t *items;
        size_t count, room;
    } frames = {0};
    for (size_t i = 0; i < record->samples.count && !naming->builder.failed; i++) {
        const struct record_sample *sample = &record->samples.items[i];
        frames.count = 0;
        for (uint32_t node = sample->leaf; node != HASH_NONE; node = record->nodes.items[node].parent) {
            if (!ARRAY_RESERVE_ONE(&frames)) {
                naming->builder.failed = true;
                break;
            }
            frames.items[frames.count++] = naming->locations_of_nodes[node];
        }
        builder_sample(&naming->builder,
                       &(struct profile_sample){
                           .thread = naming->threads[sample->thread],
                           .frame_count = (uint32_t)frames.count,
                           .syscall = sample->syscall,
                           .cut = (uint8_t)sample->cut,
                           .count = sample->count,
                           .cpu_ns = sample->cpu_ns,
                           .wait_ns = sample->wait_ns,
                       },
                       frames.items);
    }
    free(frames.items);
}

/* Returns COUNT numbers that are all PROFILE_NONE, to be freed. */
static uint32_t *numbers(struct naming *naming, size_t count)
{
    uint32_t *items = malloc((count + 1) * sizeof *items);
    if (items)
        memset(items, 0xff, (count + 1) * sizeof *items);
    naming->builder.failed |= !items;
    return items;
}

struct profile *record_profile(struct record *record, struct error *error)
{
    struct naming naming = {.record = record};
    builder_init(&naming.builder);
    naming.modules = numbers(&naming, record->objects.count);
    naming.locations_of_nodes = numbers(&naming, record->nodes.count);
    naming.processes = numbers(&naming, record->images.count);
    naming.threads = numbers(&naming, record->threads.count);
    objects_map_at_last(&record->objects);
    if (!naming.builder.failed) {
        add_locations(&naming);
        add_processes(&naming);
        add_threads(&naming);
        add_samples(&naming);
    }
    free(naming.modules);
    free(naming.processes);
    free(naming.threads);
    struct profile *profile = builder_finish(&naming.builder);
    if (profile) {
        profile->places = naming.locations_of_nodes;
        profile->place_count = record->nodes.count;
        return profile;
    }
    free(naming.locations_of_nodes);
    error_set(error, ENOMEM, "out of memory while the profile was put together");
    return NULL;
}
