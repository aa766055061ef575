/* SPDX-License-Identifier: MIT */
#include "profile/code/code.h"

#include "common/base/array.h"
#include "common/base/search.h"
#include "common/names/demangle.h"
#include "common/names/languages.h"
#include "common/names/short_name.h"
#include "profile/code/code_parts.h"
#include "profile/code/disassembly.h"
#include "profile/code/origin.h"
#include "programs/elf/file.h"
#include "programs/elf/lines.h"
#include "programs/elf/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sources from which the code is read. */
struct reader {
    struct origin origin;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
    int no_lines; /* errno that explains why it has no lines; 0: it has them */
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
    elf_lines_free(reader->lines);
    elf_symbols_free(reader->symbols);
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

/* Opens the file's symbols and lines. A file without them is not an error. */
static void open_names(struct reader *reader)
{
    const struct origin *origin = &reader->origin;
    const char *slash = strrchr(origin->path, '/');
    char *directory = slash ? strndup(origin->path, (size_t)(slash - origin->path)) : NULL;
    struct elf_debug_search search = {
        .directory = directory, .root = origin->root, .viewer = &origin->viewer, .ask_servers = origin->fd >= 0};
    elf_symbols_new(origin->file, &search, &reader->symbols, NULL);
    reader->no_lines = -elf_lines_new(origin->file, &search, &reader->lines, NULL);
    free(directory);
}

static const char *own_copy(struct code *code, const char *text)
{
    uint32_t number = texts_add(&code->texts, text);
    return number == HASH_NONE ? NULL : code->texts.items[number];
}

/* Returns the name under which the function with symbol NAME is shown. */
static const char *shown_name(struct code *code, const struct elf_symbols *symbols, const char *name)
{
    struct buffer text = {0};
    char *readable = symbols ? languages_demangle(elf_symbols_languages(symbols), name) : NULL;
    if (readable) {
        const char *kept = own_copy(code, readable);
        free(readable);
        return kept;
    }
    char *demangled = demangle_name(name);
    if (demangled)
        short_name_put(&text, demangled, SHORT_NAME_BARE);
    const char *kept = own_copy(code, demangled && text.length ? text.bytes : name);
    free(demangled);
    buffer_fini(&text);
    return kept;
}

/* Returns TEXT. Adds the name of the target function to an instruction that leaves this function. */
static const char *instruction_text(struct code *code, const struct reader *reader, const char *text)
{
    struct elf_symbol symbol;
    struct buffer whole = {0};
    uint64_t target;
    if (!target_of(text, &target) || (target >= code->start && target < code->end) || !reader->symbols ||
        !elf_symbols_find(reader->symbols, target, &symbol) || !symbol.name)
        return own_copy(code, text);
    const char *name = shown_name(code, reader->symbols, symbol.name);
    buffer_printf(&whole, "%s <%s", text, name ? name : "?");
    if (target != symbol.start)
        buffer_printf(&whole, "+0x%llx", (unsigned long long)(target - symbol.start));
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

static int disassemble(struct code *code, const struct reader *reader, struct error *error)
{
    struct disassembly disassembly = {0};
    size_t size = (size_t)(code->end - code->start);
    uint8_t *bytes = size <= DISASSEMBLY_MOST_BYTES ? malloc(size + 1) : NULL;
    int result = bytes ? elf_file_read(reader->origin.file, code->start, bytes, size) : 0;
    if (result < 0)
        error_system(error, -result, "its instructions cannot be read");
    else
        result = disassembly_make(&disassembly, bytes, size, code->start, error);
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
static int use_sampled(struct code *code, const struct profile *profile, uint32_t module)
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
    return 0;
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
    char *demangled = demangle_name(name);
    bool selected = match_function(&calls->matcher, demangled ? demangled : name, &match) && match >= calls->least;
    free(demangled);
    return selected;
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

/* Keeps the frames of CHAIN (COUNT frames, innermost first) up to the outermost call that CALLS selects. Returns how
 * many these are. */
static size_t within_calls(struct calls_seen *seen, const struct elf_line *chain, size_t count,
                           const struct code_calls *calls)
{
    for (size_t i = count - (count > 0); i--;)
        if (chain[i].function && selects(calls, seen, chain[i].function))
            return i + 1;
    return 0;
}

static void place(struct code *code, struct reader *reader, const struct code_calls *calls,
                  struct code_instruction *instruction)
{
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = elf_lines_find(reader->lines, instruction->address, chain);
    if (calls)
        count = within_calls(&reader->seen, chain, count, calls);
    instruction->outside = calls && !count;
    code->of_calls |= calls && count;
    if (!count)
        return;
    const struct elf_line *own = &chain[count - 1], *inner = &chain[0];
    instruction->file = own->file ? file_of(code, reader, own->file) : CODE_NONE;
    instruction->line = own->line;
    if (count < 2)
        return;
    instruction->inner = inner->function && *inner->function ? shown_name(code, reader->symbols, inner->function)
                                                             : own_copy(code, "(inlined)");
    instruction->inner_file = inner->file ? file_of(code, reader, inner->file) : CODE_NONE;
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
    if (result < 0 && use_sampled(code, profile, module) < 0)
        return error_set(error, ENOMEM, "out of memory");
    code->no_lines = reader->no_lines;
    if (reader->lines)
        place_all(code, reader, calls);
    if (reader->lines && calls && !code->of_calls)
        place_all(code, reader, NULL);
    return 0;
}

static int find_function(struct code *code, const struct reader *reader, uint64_t address, struct error *error)
{
    struct elf_symbol symbol;
    if (!reader->symbols || !elf_symbols_find(reader->symbols, address + code->bias, &symbol))
        return error_set(error, ENODATA, "'%s' does not tell where the function begins and ends",
                         reader->origin.module->path);
    code->start = symbol.start;
    code->end = symbol.end;
    return 0;
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
              const struct code_calls *calls, struct error *error)
{
    struct reader reader = {0};
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
    if (!result) {
        open_names(&reader);
        result = find_function(code, &reader, address, error);
    }
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
