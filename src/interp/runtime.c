/* SPDX-License-Identifier: MIT */
#include "interp/runtime.h"

#include "interp/python.h"

#include <string.h>

static const char *const names[INTERP_LANGUAGES] = {"", "Python", "Perl", "Ruby", "PHP"};
static const char *const modules[INTERP_LANGUAGES] = {"", "[python]", "[perl]", "[ruby]", "[php]"};

const char *interp_language_name(enum interp_language language)
{
    return names[language];
}

const char *interp_module_name(enum interp_language language)
{
    return modules[language];
}

bool interp_runtime_find(const struct elf_file *file, const char *path, struct interp_runtime *runtime)
{
    memset(runtime, 0, sizeof *runtime);
    return !elf_file_is_narrow(file) && python_find(file, path, runtime);
}

void interp_runtime_frame(const struct interp_runtime *runtime, const struct recipe_node *node,
                          const unsigned char *bytes, struct interp_frame *frame)
{
    *frame = (struct interp_frame){.serial = node->serial[0], .is_frame = true};
    if (runtime->language == INTERP_PYTHON)
        python_frame(runtime, bytes, frame);
}

bool interp_runtime_function(const struct interp_runtime *runtime, const struct interp_parts *parts,
                             struct interp_function *function)
{
    memset(function, 0, sizeof *function);
    function->language = runtime->language;
    function->address = parts->address;
    return runtime->language == INTERP_PYTHON && python_function(runtime, parts, function);
}

uint32_t interp_runtime_line(const struct interp_runtime *runtime, uint32_t first_line, const unsigned char *lines,
                             size_t size, uint64_t instruction)
{
    return runtime->language == INTERP_PYTHON ? python_line(runtime, first_line, lines, size, instruction) : first_line;
}
