/* SPDX-License-Identifier: MIT */
#include "programs/interp/languages.h"

#include "programs/interp/runtime.h"

#include <string.h>

static const struct interp_rules none = {.name = "", .module = "", .frame_type = "", .symbol = ""};

#define ROW(NAME, name) [INTERP_##NAME] = &name##_rules,
static const struct interp_rules *const rules[INTERP_LANGUAGES] = {&none, INTERP_EACH_LANGUAGE(ROW)};
#undef ROW

const struct interp_rules *interp_rules_of(enum interp_language language)
{
    return rules[language];
}

const char *interp_language_name(enum interp_language language)
{
    return rules[language]->name;
}

const char *interp_module_name(enum interp_language language)
{
    return rules[language]->module;
}

const char *interp_frame_type(enum interp_language language)
{
    return rules[language]->frame_type;
}

bool interp_shows_entries(enum interp_language language)
{
    return rules[language]->shows_entries;
}

bool interp_is_compiled(enum interp_language language)
{
    return rules[language]->is_compiled;
}

enum interp_language interp_language_of(const char *module)
{
    enum interp_language language = INTERP_LANGUAGES - 1;
    while (language != INTERP_NONE && strcmp(rules[language]->module, module) != 0)
        language--;
    return language;
}

bool interp_is_program(const char *name)
{
    bool is = false;
    for (enum interp_language i = INTERP_NONE + 1; i < INTERP_LANGUAGES; i++)
        is |= !strncmp(name, rules[i]->program, strlen(rules[i]->program));
    return is;
}
