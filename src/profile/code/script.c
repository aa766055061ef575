/* SPDX-License-Identifier: MIT
 *
 * Reads a function of an interpreted language for annotations. Its items are its sampled lines. */
#include "profile/code/code_parts.h"

#include "common/base/array.h"
#include "common/base/error.h"
#include "profile/code/code.h"
#include "profile/code/source.h"
#include "profile/profile/profile.h"
#include "profile/profile/sources.h"

#include <errno.h>

bool script_is_module(const struct profile_module *module)
{
    return module->sources.kind != PROFILE_SOURCES_NONE;
}

static int check(const struct profile_module *module, const char *sysroot, struct error *error)
{
    if (module->sources.kind == PROFILE_SOURCES_SEVERAL)
        return error_set(
            error, EPERM,
            "processes of several users or containers ran it, so its source file is not trusted; record one of these "
            "processes alone (-p)");
    if (module->sources.kind == PROFILE_SOURCES_ELSEWHERE && !sysroot && !module->sources.root[0])
        return error_set(error, EXDEV,
                         "it ran in a container or below another root directory; --sysroot=DIR says where that is");
    return 0;
}

/* Returns true if the source was changed after profiling began. */
static bool is_changed(const struct profile *profile, const struct source *source)
{
    enum { SECOND_NS = 1000000000 };
    uint64_t began_ns = profile->quality.began_ns;
    return began_ns && source->changed.tv_sec >= 0 &&
           (uint64_t)source->changed.tv_sec * SECOND_NS + (uint64_t)source->changed.tv_nsec > began_ns;
}

static uint32_t file_of(struct code *code, const struct profile *profile, const struct profile_module *module,
                        const char *root, const char *path)
{
    uint32_t index;
    struct code_file *file = gather_file(code, path, &index);
    if (!file)
        return index;
    bool is_path = *path == '/' || module->sources.kind == PROFILE_SOURCES_HERE;
    file->failed = is_path ? -source_read(&file->source, &module->sources.viewer, root, path) : ENOENT;
    file->newer = !file->failed && is_changed(profile, &file->source);
    return index;
}

/* Adds each sampled line of FUNCTION once. An unknown line is line 0. */
static int add_lines(struct code *code, const struct profile *profile, uint32_t function, const char *root)
{
    for (size_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        if (location->function != function)
            continue;
        struct profile_line line = {.file = PROFILE_NONE};
        if (location->line_count)
            line = profile->lines[location->line_first];
        if (!ARRAY_RESERVE_ONE(code))
            return -ENOMEM;
        code->items[code->count++] = (struct code_instruction){
            .address = line.line, .line = line.line, .file = CODE_NONE, .inner_file = CODE_NONE};
        if (line.file != PROFILE_NONE)
            code->items[code->count - 1].file =
                file_of(code, profile, &profile->modules[location->module], root, profile->files[line.file]);
    }
    gather_once(code);
    return 0;
}

int script_read(struct code *code, const struct profile *profile, uint32_t function, const char *sysroot,
                struct error *error)
{
    const struct profile_module *module = &profile->modules[profile->functions[function].module];
    int result = check(module, sysroot, error);
    if (result < 0)
        return result;
    code->is_script = true;
    code->function = function;
    result = add_lines(code, profile, function, sysroot ? sysroot : module->sources.root);
    return result < 0 ? error_set(error, -result, "out of memory") : 0;
}
