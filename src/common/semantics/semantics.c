/* SPDX-License-Identifier: MIT */
#include "common/semantics/semantics.h"

#include "common/semantics/semantics_table.h"

#include <stdio.h>
#include <string.h>

const struct semantics semantics_systems[] = {
    {"linux", "Linux with the GNU C library, without its crashes", SYSTEM_LINUX},
    {"freebsd", "FreeBSD, as its manual page says", SYSTEM_FREEBSD},
    {"freebsd:built", "FreeBSD, as its kernel does", SYSTEM_FREEBSD_BUILT},
    {"irix", "IRIX", SYSTEM_IRIX},
    {"darwin", "Darwin and macOS, where profil is deprecated", SYSTEM_DARWIN},
    {"darwin:classic", "Darwin, as its profil was", SYSTEM_DARWIN_CLASSIC},
    {"illumos", "illumos and Solaris", SYSTEM_ILLUMOS},
};
const size_t semantics_system_count = sizeof semantics_systems / sizeof *semantics_systems;

const struct semantics semantics_pcsample = {"pcsample", "The same under every system", SYSTEM_EVERY};

const struct semantics *semantics_find(const char *name)
{
    for (size_t i = 0; i < semantics_system_count; i++)
        if (!strcmp(semantics_systems[i].name, name))
            return &semantics_systems[i];
    return NULL;
}

const struct rule *semantics_next(const struct semantics *semantics, const struct rule *rule)
{
    const struct rule *end = semantics_rules + semantics_rule_count;
    for (rule = rule ? rule + 1 : semantics_rules; rule < end; rule++)
        if (rule->systems & semantics->system)
            return rule;
    return NULL;
}

int semantics_rule_name(const struct semantics *semantics, const struct rule *rule, char *name, size_t size)
{
    if (semantics->system == SYSTEM_EVERY)
        return snprintf(name, size, "%s", rule->id);
    return snprintf(name, size, "%s.%s", semantics->name, rule->id);
}

int semantics_value(const struct semantics *semantics, enum rule_key place)
{
    for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
        if (rule->place == place)
            return rule->value;
    return 0;
}

const char *semantics_source_name(enum rule_source source)
{
    static const char *const names[] = {[RULE_PAGE] = "page", [RULE_BUILT] = "built", [RULE_CHOSEN] = "chosen"};
    return names[source];
}
