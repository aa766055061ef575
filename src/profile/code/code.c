/* SPDX-License-Identifier: MIT */
#include "profile/code/code.h"

#include "common/base/array.h"
#include "common/base/search.h"
#include "common/names/short_name.h"
#include "profile/code/code_parts.h"
#include "profile/code/disassembly.h"
#include "profile/code/origin.h"
#include "programs/elf/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sources from which the code is read. */
struct reader {
    struct origin origin;
    const struct code_names *names;
    struct code_places places; /* of the instructions, and of the targets of their jumps and calls */
    struct calls_seen {
        struct texts names;
        bool *selected; /* for each name */
        size_t room;
    } seen; /* functions of inlined calls that were looked up */
};

static void close_reader(struct reader *reader)
{
    texts_fini(&reader->seen.names);
    free(reader->seen.selected);
    code_places_fini(&reader->places);
    origin_fini(&reader->origin);
}

/* Finds the number to add to the profile's addresses to get the file's. It is 0 in ptprofil's own profiles. Other
 * programs' profiles have addresses of the process. */
static int find_bias(struct code *code, const struct reader *reader, struct error *error)
{
    const struct profile_module *module = reader->origin.module;
    uint64_t start;
    if (module->text_start == module->text_end)
        return error_set(error, ENODATA, "the profile does not tell where '%s' was mapped", module->path);
    if (!elf_file_vaddr_of_offset(reader->origin.file, module->text_offset, &start))
        return error_set(error, ESTALE, "'%s' is not the file that was profiled: its code is elsewhere", module->path);
    code->bias = start - module->text_start;
    return 0;
}

static const char *own_copy(struct code *code, const char *text)
{
    uint32_t number = texts_add(&code->texts, text);
    return number == HASH_NONE ? NULL : code->texts.items[number];
}

/* Returns the name under which FUNCTION is shown. */
static const char *shown_name(struct code *code, const struct profile_function *function)
{
    struct buffer text = {0};
    bool readable = function->linkage_name && strcmp(function->name, function->linkage_name) != 0;
    if (readable)
        short_name_put(&text, function->name, SHORT_NAME_BARE);
    const char *kept = own_copy(code, readable && text.length ? text.bytes : function->name);
    buffer_fini(&text);
    return kept;
}

/* Returns TEXT. Adds the name of the target function to an instruction that leaves this function. */
static const char *instruction_text(struct code *code, const struct reader *reader, const char *text)
{
    struct buffer whole = {0};
    uint64_t target;
    const struct profile_function *symbol = NULL;
    if (target_of(text, &target) && (target < code->start || target >= code->end))
        symbol = code_places_symbol(&reader->places, target);
    if (!symbol)
        return own_copy(code, text);
    const char *name = shown_name(code, symbol);
    buffer_printf(&whole, "%s <%s", text, name ? name : "?");
    if (target != symbol->start)
        buffer_printf(&whole, "+0x%llx", (unsigned long long)(target - symbol->start));
    buffer_puts(&whole, ">");
    const char *kept = whole.failed ? NULL : own_copy(code, whole.bytes);
    buffer_fini(&whole);
    return kept;
}

static bool add_instruction(struct code *code, uint64_t address, const char *text)
{
    if (!ARRAY_RESERVE_ONE(code))
        return false;
    code->items[code->count++] =
        (struct code_instruction){.address = address, .text = text, .file = CODE_NONE, .inner_file = CODE_NONE};
    return true;
}

/* Finds the places of the instructions of DISASSEMBLY, and of their targets. */
static bool find_places(struct reader *reader, const struct disassembly *disassembly)
{
    uint64_t *addresses = malloc((disassembly->count * 2 + 1) * sizeof *addresses);
    size_t count = 0;
    for (size_t i = 0; addresses && i < disassembly->count; i++) {
        addresses[count++] = disassembly->items[i].address;
        count += target_of(disassembly->texts.bytes + disassembly->items[i].text, &addresses[count]);
    }
    bool whole = addresses && code_places_find(&reader->places, reader->names, &reader->origin, addresses, count);
    free(addresses);
    return whole;
}

static int disassemble(struct code *code, struct reader *reader, struct error *error)
{
    struct disassembly disassembly = {0};
    size_t size = (size_t)(code->end - code->start);
    uint8_t *bytes = size <= DISASSEMBLY_MOST_BYTES ? malloc(size + 1) : NULL;
    int result = bytes ? elf_file_read(reader->origin.file, code->start, bytes, size) : 0;
    if (result < 0)
        error_system(error, -result, "its instructions cannot be read");
    else
        result = disassembly_make(&disassembly, bytes, size, code->start, error);
    if (!result && !find_places(reader, &disassembly))
        result = error_set(error, ENOMEM, "out of memory");
    for (size_t i = 0; i < disassembly.count && !result; i++) {
        const char *text = disassembly.texts.bytes + disassembly.items[i].text;
        if (!add_instruction(code, disassembly.items[i].address, instruction_text(code, reader, text)))
            result = error_set(error, ENOMEM, "out of memory");
    }
    disassembly_fini(&disassembly);
    free(bytes);
    return result;
}

/* Takes the sampled instructions, if no disassembler is available. */
static int use_sampled(struct code *code, struct reader *reader, const struct profile *profile, uint32_t module)
{
    code->count = 0;
    for (size_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        uint64_t address = location->address + code->bias;
        if (location->module == module && address >= code->start && address < code->end &&
            !add_instruction(code, address, NULL))
            return -ENOMEM;
    }
    gather_once(code);
    uint64_t *addresses = malloc((code->count + 1) * sizeof *addresses);
    for (size_t i = 0; addresses && i < code->count; i++)
        addresses[i] = code->items[i].address;
    code_places_fini(&reader->places);
    bool whole = addresses && code_places_find(&reader->places, reader->names, &reader->origin, addresses, code->count);
    free(addresses);
    return whole ? 0 : -ENOMEM;
}

static bool is_later(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec != other->tv_sec ? one->tv_sec > other->tv_sec : one->tv_nsec > other->tv_nsec;
}

/* Returns the index of the file at PATH. Reads the file if it is new. Returns CODE_NONE if memory runs out. */
static uint32_t file_of(struct code *code, const struct reader *reader, const char *path)
{
    const struct origin *origin = &reader->origin;
    uint32_t index;
    struct code_file *file = gather_file(code, path, &index);
    if (!file)
        return index;
    file->failed = -source_read(&file->source, &origin->viewer, origin->root, path);
    if (file->failed && *origin->root)
        file->failed = -source_read(&file->source, &origin->viewer, "", path);
    file->newer = !file->failed && origin->fd >= 0 && is_later(&file->source.changed, &origin->about.st_mtim);
    return index;
}

static bool is_selected(const struct code_calls *calls, const char *name)
{
    enum match match;
    return match_function(&calls->matcher, name, &match) && match >= calls->least;
}

/* Returns true if CALLS selects calls of the function NAME. Also returns false if memory runs out. */
static bool selects(const struct code_calls *calls, struct calls_seen *seen, const char *name)
{
    size_t count = seen->names.count;
    if (!array_reserve_((void **)&seen->selected, &seen->room, count + 1, sizeof *seen->selected))
        return false;
    uint32_t number = texts_add(&seen->names, name);
    if (number == HASH_NONE)
        return false;
    if (number == count)
        seen->selected[number] = is_selected(calls, name);
    return seen->selected[number];
}

/* Keeps the frames of LINES (COUNT frames, innermost first) up to the outermost call that CALLS selects. Returns how
 * many these are. */
static size_t within_calls(struct reader *reader, const struct profile_line *lines, size_t count,
                           const struct code_calls *calls)
{
    for (size_t i = count - (count > 0); i--;)
        if (selects(calls, &reader->seen, reader->places.profile->functions[lines[i].function].name))
            return i + 1;
    return 0;
}

/* Sets *FILE to the file of LINE, which is in the profile of the places. */
static void note_file(struct code *code, const struct reader *reader, const struct profile_line *line, uint32_t *file)
{
    *file = line->file == PROFILE_NONE ? CODE_NONE : file_of(code, reader, reader->places.profile->files[line->file]);
}

static void place(struct code *code, struct reader *reader, const struct code_calls *calls,
                  struct code_instruction *instruction)
{
    const struct profile_location *location = code_places_at(&reader->places, instruction->address);
    size_t count = location ? location->line_count : 0;
    const struct profile_line *inner = count ? &reader->places.profile->lines[location->line_first] : NULL;
    if (calls)
        count = within_calls(reader, inner, count, calls);
    instruction->outside = calls && !count;
    code->of_calls |= calls && count;
    if (!count)
        return;
    note_file(code, reader, &inner[count - 1], &instruction->file);
    instruction->line = inner[count - 1].line;
    if (count < 2)
        return;
    const struct profile_function *function = &reader->places.profile->functions[inner->function];
    instruction->inner = *function->name ? shown_name(code, function) : own_copy(code, "(inlined)");
    note_file(code, reader, inner, &instruction->inner_file);
    instruction->inner_line = inner->line;
}

static void place_all(struct code *code, struct reader *reader, const struct code_calls *calls)
{
    for (size_t i = 0; i < code->count; i++)
        place(code, reader, calls, &code->items[i]);
}

static int read_function(struct code *code, struct reader *reader, const struct profile *profile, uint32_t module,
                         const struct code_calls *calls, struct error *error)
{
    int result = disassemble(code, reader, &code->undone);
    if (result < 0 && use_sampled(code, reader, profile, module) < 0)
        return error_set(error, ENOMEM, "out of memory");
    code->no_lines = reader->places.profile ? reader->places.no_lines : ENOENT;
    place_all(code, reader, calls);
    if (calls && !code->of_calls)
        place_all(code, reader, NULL);
    return 0;
}

static int find_function(struct code *code, const struct reader *reader, uint64_t address, struct error *error)
{
    struct code_places places = {0};
    address += code->bias;
    bool whole = code_places_find(&places, reader->names, &reader->origin, &address, 1);
    const struct profile_location *location = whole ? code_places_at(&places, address) : NULL;
    const struct profile_function *function = location ? &places.profile->functions[location->function] : NULL;
    code->start = function ? function->start : 0;
    code->end = function ? function->end : 0;
    code_places_fini(&places);
    if (code->end > code->start)
        return 0;
    return error_set(error, ENODATA, "'%s' does not tell where the function begins and ends",
                     reader->origin.module->path);
}

/* Sets code->place if the code was found at another path than the profile's. */
static int note_place(struct code *code, const struct origin *origin, struct error *error)
{
    struct buffer place = {0};
    code->unproven = origin->unproven;
    if (!*origin->root && !strcmp(origin->path, origin->module->path))
        return 0;
    buffer_printf(&place, "%s%s", origin->root, origin->path);
    code->place = place.bytes;
    return place.failed ? error_set(error, ENOMEM, "out of memory") : 0;
}

int code_read(struct code *code, const struct profile *profile, uint32_t location, const char *sysroot,
              const struct code_names *names, const struct code_calls *calls, struct error *error)
{
    struct reader reader = {.names = names};
    uint32_t module = profile->locations[location].module;
    uint64_t address = profile->locations[location].address;
    code->module = module;
    if (script_is_module(&profile->modules[module]))
        return script_read(code, profile, profile->locations[location].function, sysroot, error);
    int result = origin_open(&reader.origin, &profile->modules[module], sysroot, error);
    if (!result)
        result = note_place(code, &reader.origin, error);
    if (!result)
        result = find_bias(code, &reader, error);
    if (!result)
        result = find_function(code, &reader, address, error);
    if (!result)
        result = read_function(code, &reader, profile, module, calls, error);
    close_reader(&reader);
    return result;
}

void code_fini(struct code *code)
{
    for (size_t i = 0; i < code->files.count; i++) {
        free(code->files.items[i].path);
        source_fini(&code->files.items[i].source);
    }
    free(code->files.items);
    free(code->items);
    free(code->place);
    texts_fini(&code->texts);
    memset(code, 0, sizeof *code);
}

uint32_t code_find(const struct code *code, const struct profile *profile, uint32_t location)
{
    const struct profile_location *at = &profile->locations[location];
    uint64_t address = at->address + code->bias;
    if (at->module != code->module || (code->is_script && at->function != code->function))
        return CODE_NONE;
    if (code->is_script)
        address = at->line_count ? profile->lines[at->line_first].line : 0;
    else if (address < code->start || address >= code->end)
        return CODE_NONE;
    size_t count = SEARCH_UP_TO(code->items, code->count, address, address);
    return count ? (uint32_t)(count - 1) : CODE_NONE;
}
