/* SPDX-License-Identifier: MIT */
#include "programs/interp/runtime.h"

#include "programs/interp/perl.h"
#include "programs/interp/php.h"
#include "programs/interp/python.h"
#include "programs/interp/ruby.h"

#include <stdio.h>
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

bool interp_may_be_in(const char *path)
{
    static const char *const beginnings[] = {"python", "libpython", "perl", "libperl",
                                             "ruby",   "libruby",   "php",  "libphp"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

void interp_add_evaluation(struct interp_runtime *runtime, const struct elf_lookup *symbol)
{
    if (symbol->is_found && symbol->size && runtime->eval_count < INTERP_EVALS_MOST)
        runtime->evals[runtime->eval_count++] = (struct interp_range){symbol->vaddr, symbol->vaddr + symbol->size};
}

bool interp_set_name(struct interp_function *function, const char *name, const char *class_name)
{
    snprintf(function->name, sizeof function->name, "%.500s%s%.500s", class_name ? class_name : "",
             class_name ? "::" : "", name);
    return true;
}

bool interp_runtime_find(const struct elf_file *file, const char *path, struct interp_runtime *runtime)
{
    memset(runtime, 0, sizeof *runtime);
    return !elf_file_is_compat(file) && (python_find(file, path, runtime) || php_find(file, runtime) ||
                                         perl_find(file, runtime) || ruby_find(file, runtime));
}

void interp_runtime_frame(const struct interp_runtime *runtime, const struct recipe_node *node,
                          const unsigned char *bytes, struct interp_frame *frame)
{
    *frame = (struct interp_frame){.serial = node->serial[0], .is_frame = true};
    if (runtime->language == INTERP_PYTHON)
        python_frame(runtime, bytes, frame);
    else if (runtime->language == INTERP_PHP)
        php_frame(runtime, node, bytes, frame);
    else if (runtime->language == INTERP_PERL)
        perl_frame(runtime, node, bytes, frame);
    else
        ruby_frame(runtime, bytes, frame);
}

bool interp_runtime_function(const struct interp_runtime *runtime, const struct interp_parts *parts,
                             struct interp_function *function)
{
    memset(function, 0, sizeof *function);
    function->language = runtime->language;
    switch (runtime->language) {
    case INTERP_PYTHON:
        return python_function(runtime, parts, function);
    case INTERP_PHP:
        return php_function(parts, function);
    case INTERP_PERL:
        return perl_function(parts, function);
    default:
        return ruby_function(parts, function);
    }
}

uint32_t interp_runtime_line(const struct interp_runtime *runtime, const struct interp_lines *lines,
                             uint64_t instruction)
{
    switch (runtime->language) {
    case INTERP_PYTHON:
        return python_line(runtime, lines, instruction);
    case INTERP_RUBY:
        return ruby_line(lines, instruction);
    default:
        return 0;
    }
}
