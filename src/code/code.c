/* SPDX-License-Identifier: MIT */
#include "code/code.h"

#include "base/array.h"
#include "code/disassembly.h"
#include "code/target.h"
#include "elf/lines.h"
#include "elf/symbols.h"
#include "files/regular.h"
#include "names/demangle.h"
#include "names/short_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the code is read from. */
struct origin {
    const struct profile_module *module;
    int fd;
    struct stat about;
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_lines *lines;
};

static void close_origin(struct origin *origin)
{
    elf_lines_free(origin->lines);
    elf_symbols_free(origin->symbols);
    elf_file_close(origin->file);
    if (origin->fd >= 0)
        close(origin->fd);
}

static int open_file(struct origin *origin, struct error *error)
{
    const char *path = origin->module->path;
    struct error why = {0};
    origin->fd = regular_open(NULL, path, NULL);
    if (origin->fd == -EINVAL)
        return error_set(error, EINVAL, "'%s' is not a regular file", path);
    if (origin->fd < 0)
        return error_system(error, -origin->fd, "cannot read '%s'", path);
    int result = fstat(origin->fd, &origin->about) < 0 ? -errno : elf_file_open(origin->fd, &origin->file, &why);
    return result < 0 ? error_set(error, -result, "cannot read '%s': %s", path, why.text) : 0;
}

static int open_origin(struct origin *origin, struct error *error)
{
    const char *path = origin->module->path;
    if (!strcmp(path, "[vdso]"))
        return elf_file_from_vdso(&origin->file, error);
    if (!strcmp(path, "[jit]") || !strcmp(path, "[anon]"))
        return error_set(error, ENOTSUP, "the process made this code itself while it ran (JIT): no file has it");
    if (*path != '/')
        return error_set(error, ENOTSUP, "its code is not in a file (%s)", path);
    return open_file(origin, error);
}

static void hex_of(char text[2 * ELF_BUILD_ID_MAX + 1], const struct elf_file *file)
{
    size_t size;
    const uint8_t *bytes = elf_file_build_id(file, &size);
    *text = 0;
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Whether the file is the one that was profiled: by its build-id, or where there is none by the place of its code. */
static int check_file(struct code *code, const struct origin *origin, struct error *error)
{
    const struct profile_module *module = origin->module;
    const char *recorded = module->build_id ? module->build_id : "";
    char id[2 * ELF_BUILD_ID_MAX + 1];
    uint64_t start, end;
    hex_of(id, origin->file);
    elf_file_text_range(origin->file, &start, &end);
    code->unproven = !*id && !*recorded;
    if (strcmp(id, recorded) != 0 || (code->unproven && module->text_end - module->text_start != end - start))
        return error_set(error, ESTALE,
                         "'%s' is not the file that was profiled, but another one by now (build-id %s, was %s)",
                         module->path, *id ? id : "none", *recorded ? recorded : "none");
    return 0;
}

/* Profiles of other programs have addresses of the process. Ours have those of the file: then this is 0. */
static int find_bias(struct code *code, const struct origin *origin, struct error *error)
{
    const struct profile_module *module = origin->module;
    uint64_t start;
    if (module->text_start == module->text_end)
        return error_set(error, ENODATA, "the profile does not tell where '%s' was mapped", module->path);
    if (!elf_file_vaddr_of_offset(origin->file, module->text_offset, &start))
        return error_set(error, ESTALE, "'%s' is not the file that was profiled: its code is elsewhere", module->path);
    code->bias = start - module->text_start;
    return 0;
}

/* Opens what tells of its names and lines. There may be none: that is no error. */
static void open_names(struct origin *origin)
{
    const char *path = origin->module->path, *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    struct elf_debug_search search = {.directory = directory, .root = "", .ask_servers = origin->fd >= 0};
    elf_symbols_new(origin->file, &search, &origin->symbols, NULL);
    elf_lines_new(origin->file, &search, &origin->lines, NULL);
    free(directory);
}

static const char *keep(struct code *code, const char *text)
{
    uint32_t number = texts_add(&code->texts, text);
    return number == HASH_NONE ? NULL : code->texts.items[number];
}

/* The name that a function of the symbol NAME is shown by. */
static const char *shown_name(struct code *code, const char *name)
{
    struct buffer text = {0};
    char *demangled = demangle_name(name);
    if (demangled)
        short_name_put(&text, demangled, SHORT_NAME_BARE);
    const char *kept = keep(code, demangled && text.length ? text.bytes : name);
    free(demangled);
    buffer_fini(&text);
    return kept;
}

/* TEXT, and what the function is called that it goes to, if it leaves this one. */
static const char *instruction_text(struct code *code, const struct origin *origin, const char *text)
{
    struct elf_symbol symbol;
    struct buffer whole = {0};
    uint64_t target;
    if (!target_of(text, &target) || (target >= code->start && target < code->end) || !origin->symbols ||
        !elf_symbols_find(origin->symbols, target, &symbol) || !symbol.name)
        return keep(code, text);
    const char *name = shown_name(code, symbol.name);
    buffer_printf(&whole, "%s <%s", text, name ? name : "?");
    if (target != symbol.start)
        buffer_printf(&whole, "+0x%llx", (unsigned long long)(target - symbol.start));
    buffer_puts(&whole, ">");
    const char *kept = whole.failed ? NULL : keep(code, whole.bytes);
    buffer_fini(&whole);
    return kept;
}

static bool add(struct code *code, uint64_t address, const char *text)
{
    if (!ARRAY_RESERVE_ONE(code))
        return false;
    code->items[code->count++] =
        (struct code_instruction){.address = address, .text = text, .file = CODE_NONE, .inner_file = CODE_NONE};
    return true;
}

static int disassemble(struct code *code, const struct origin *origin, struct error *error)
{
    struct disassembly disassembly = {0};
    size_t size = (size_t)(code->end - code->start);
    uint8_t *bytes = size <= DISASSEMBLY_MOST_BYTES ? malloc(size + 1) : NULL;
    int result = bytes ? elf_file_read(origin->file, code->start, bytes, size) : 0;
    if (result < 0)
        error_system(error, -result, "its instructions cannot be read");
    else
        result = disassembly_make(&disassembly, bytes, size, code->start, error);
    for (size_t i = 0; i < disassembly.count && !result; i++) {
        const char *text = disassembly.texts.bytes + disassembly.items[i].text;
        if (!add(code, disassembly.items[i].address, instruction_text(code, origin, text)))
            result = error_set(error, ENOMEM, "out of memory");
    }
    disassembly_fini(&disassembly);
    free(bytes);
    return result;
}

static int by_address(const void *one, const void *other)
{
    uint64_t a = ((const struct code_instruction *)one)->address, b = ((const struct code_instruction *)other)->address;
    return a < b ? -1 : a > b;
}

/* Where there is no disassembler: what was sampled of the function. */
static int take_sampled(struct code *code, const struct profile *profile, uint32_t module)
{
    size_t kept = 0;
    code->count = 0;
    for (size_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        uint64_t address = location->address + code->bias;
        if (location->module == module && address >= code->start && address < code->end && !add(code, address, NULL))
            return -ENOMEM;
    }
    if (code->count)
        qsort(code->items, code->count, sizeof *code->items, by_address);
    for (size_t i = 0; i < code->count; i++)
        if (!i || code->items[i].address != code->items[i - 1].address)
            code->items[kept++] = code->items[i];
    code->count = kept;
    return 0;
}

static bool is_later(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec != other->tv_sec ? one->tv_sec > other->tv_sec : one->tv_nsec > other->tv_nsec;
}

/* The index of the file at PATH, which is added and read if it is new. CODE_NONE: there is no memory. */
static uint32_t file_of(struct code *code, const struct origin *origin, const char *path)
{
    struct code_files *files = &code->files;
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->items[i].path, path))
            return (uint32_t)i;
    struct code_file file = {.path = strdup(path)};
    if (!file.path || !ARRAY_RESERVE_ONE(files)) {
        free(file.path);
        return CODE_NONE;
    }
    file.failed = -source_read(&file.source, path);
    file.newer = !file.failed && origin->fd >= 0 && is_later(&file.source.changed, &origin->about.st_mtim);
    files->items[files->count] = file;
    return (uint32_t)files->count++;
}

static void place(struct code *code, const struct origin *origin, struct code_instruction *instruction)
{
    struct elf_line chain[ELF_LINES_MAX];
    size_t count = elf_lines_find(origin->lines, instruction->address, chain);
    if (!count)
        return;
    const struct elf_line *own = &chain[count - 1], *inner = &chain[0];
    instruction->file = own->file ? file_of(code, origin, own->file) : CODE_NONE;
    instruction->line = own->line;
    if (count < 2)
        return;
    instruction->inner =
        inner->function && *inner->function ? shown_name(code, inner->function) : keep(code, "(inlined)");
    instruction->inner_file = inner->file ? file_of(code, origin, inner->file) : CODE_NONE;
    instruction->inner_line = inner->line;
}

static int read_function(struct code *code, const struct origin *origin, const struct profile *profile, uint32_t module,
                         struct error *error)
{
    int result = disassemble(code, origin, &code->undone);
    if (result < 0 && take_sampled(code, profile, module) < 0)
        return error_set(error, ENOMEM, "out of memory");
    code->no_lines = !origin->lines;
    for (size_t i = 0; i < code->count && origin->lines; i++)
        place(code, origin, &code->items[i]);
    return 0;
}

static int find_function(struct code *code, const struct origin *origin, uint64_t address, struct error *error)
{
    struct elf_symbol symbol;
    if (!origin->symbols || !elf_symbols_find(origin->symbols, address + code->bias, &symbol))
        return error_set(error, ENODATA, "'%s' does not tell where the function begins and ends", origin->module->path);
    code->start = symbol.start;
    code->end = symbol.end;
    return 0;
}

int code_read(struct code *code, const struct profile *profile, uint32_t module, uint64_t address, struct error *error)
{
    struct origin origin = {.module = &profile->modules[module], .fd = -1};
    int result = open_origin(&origin, error);
    if (!result)
        result = check_file(code, &origin, error);
    if (!result)
        result = find_bias(code, &origin, error);
    if (!result) {
        open_names(&origin);
        result = find_function(code, &origin, address, error);
    }
    if (!result)
        result = read_function(code, &origin, profile, module, error);
    close_origin(&origin);
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
    texts_fini(&code->texts);
    memset(code, 0, sizeof *code);
}

uint32_t code_find(const struct code *code, uint64_t address)
{
    size_t low = 0, high = code->count;
    address += code->bias;
    if (address < code->start || address >= code->end)
        return CODE_NONE;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (uint32_t)(low - 1) : CODE_NONE;
}
