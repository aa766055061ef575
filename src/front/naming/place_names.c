/* SPDX-License-Identifier: MIT */
#include "front/naming/place_names.h"

#include "common/base/buffer.h"
#include "front/record/object.h"
#include "front/record/scripts.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/file.h"

#include <stdlib.h>
#include <string.h>

/* Finds or adds the function NAME of the module. */
static uint32_t function_of(struct place_names *names, const char *name)
{
    return builder_function(names->builder, &(struct profile_function){.module = names->module,
                                                                       .name = (char *)(uintptr_t)name /* copied */});
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
    location.function = line.function = function_of(names, name);
    if (path)
        line.file = script_file(names, path);
    return builder_location(names->builder, &location, &line);
}

uint32_t place_names_location(struct place_names *names, uint64_t offset, uint64_t most_inlined)
{
    struct profile_location location = {.module = names->module, .address = offset};
    if (names->answer.places.count)
        return name_answer_next(&names->answer, names->builder, most_inlined);
    if (names->scripts)
        return script_location(names, offset);
    if (names->file)
        elf_file_vaddr_of_offset(names->file, offset, &location.address);
    location.function =
        function_of(names, names->file ? PROFILE_NAME_UNKNOWN : names->builder->profile->modules[names->module].path);
    return builder_location(names->builder, &location, NULL);
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

/* Describes FILE as far as its headers do. */
static void describe_elf(const struct elf_file *file, struct profile_module *module)
{
    size_t size;
    const uint8_t *build_id = elf_file_build_id(file, &size);
    module->build_id = build_id ? hex_of(build_id, size) : NULL;
    elf_file_text_range(file, &module->text_start, &module->text_end);
    elf_file_offset_of_vaddr(file, module->text_start, &module->text_offset);
    module->executable = elf_file_is_program(file);
    module->is_compat = elf_file_is_compat(file);
}

static struct profile_module module_of_object(const struct object *object)
{
    return (struct profile_module){.path = (char *)(uintptr_t)label_of(object), /* it is copied */
                                   .deleted = object->deleted,
                                   .viewer = object->viewer,
                                   .sources = object->sources};
}

struct elf_file *place_names_file(const struct object *object)
{
    struct elf_file *file = NULL;
    if (object->kind != OBJECT_JIT && object->fd >= 0)
        elf_file_open(object->fd, &file, NULL);
    return file;
}

uint32_t place_names_module(struct builder *builder, const struct object *object, const struct elf_file *file,
                            bool has_symbols, bool has_lines)
{
    struct profile_module module = module_of_object(object);
    if (file) {
        describe_elf(file, &module);
        module.no_symbols = !has_symbols;
        module.lines_cut = !has_lines;
    }
    uint32_t number = builder_module(builder, &module);
    free(module.build_id);
    return number;
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

void place_names_lack(struct place_names *names, struct builder *builder, const struct object *object)
{
    *names = (struct place_names){.builder = builder, .folder = object->folder, .file = place_names_file(object)};
    names->module = place_names_module(builder, object, names->file, false, false);
}

void place_names_close(struct place_names *names)
{
    elf_file_close(names->file);
    name_answer_free(&names->answer);
    *names = (struct place_names){0};
}
