/* SPDX-License-Identifier: MIT */
#include "programs/interp/runtime.h"

#include "programs/elf/file.h"
#include "programs/elf/lookup.h"

#include <stdio.h>
#include <string.h>

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

bool interp_runtime_find(const struct elf_file *file, struct interp_runtime *runtime)
{
    enum { SYMBOLS_MOST = 1 << 17 }; /* a larger table would take too long */
    struct elf_lookup symbols[INTERP_LANGUAGES];
    memset(runtime, 0, sizeof *runtime);
    for (enum interp_language i = INTERP_NONE; i < INTERP_LANGUAGES; i++)
        symbols[i] = (struct elf_lookup){.name = interp_rules_of(i)->symbol};
    if (elf_file_is_compat(file) || !elf_lookup_within(file, symbols, INTERP_LANGUAGES, SYMBOLS_MOST))
        return false;
    for (enum interp_language i = INTERP_NONE + 1; i < INTERP_LANGUAGES && !runtime->language; i++)
        if (symbols[i].is_found && interp_rules_of(i)->find(file, runtime))
            runtime->language = i;
    return runtime->language;
}

void interp_runtime_frame(const struct interp_runtime *runtime, const struct recipe_node *node,
                          const unsigned char *bytes, struct interp_frame *frame)
{
    const struct interp_node copied = {node->serial, bytes, recipe_stored(&runtime->recipe)};
    *frame = (struct interp_frame){.serial = node->serial[0], .is_frame = true};
    interp_rules_of(runtime->language)->read_frame(runtime, &copied, frame);
}

bool interp_runtime_function(const struct interp_parts *parts, struct interp_function *function)
{
    memset(function, 0, sizeof *function);
    return interp_rules_of(parts->runtime->language)->read_function(parts, function);
}

uint32_t interp_runtime_line(const struct interp_runtime *runtime, const struct interp_lines *lines,
                             uint64_t instruction)
{
    const struct interp_rules *rules = interp_rules_of(runtime->language);
    return rules->find_line ? rules->find_line(runtime, lines, instruction) : 0;
}
