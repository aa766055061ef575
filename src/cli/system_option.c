/* SPDX-License-Identifier: MIT */
#include "cli/system_option.h"

#include "base/buffer.h"
#include "text/nearest.h"

#include <errno.h>
#include <string.h>

enum { MOST_SYSTEMS = 32 };

static int unknown_system(const char *what, const char *text, bool pcsample, struct error *error)
{
    const char *names[MOST_SYSTEMS];
    struct buffer list = {0};
    size_t count = 0;
    for (; count < semantics_system_count && count + 1 < MOST_SYSTEMS; count++)
        names[count] = semantics_systems[count].name;
    for (size_t i = 0; i < count; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (pcsample) {
        buffer_puts(&list, "; or pcsample");
        names[count++] = semantics_pcsample.name;
    }
    const char *near = nearest_name(text, names, count);
    error_set(error, EINVAL, "%s: there is no system '%s'; %s%s%systems are %s", what, text,
              near ? "did you mean " : "", near ? near : "", near ? "? S" : "s", list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return -EINVAL;
}

int system_option_parse(const struct semantics **found, const char *what, const char *text, bool pcsample,
                        struct error *error)
{
    bool own = pcsample && !strcmp(text, semantics_pcsample.name);
    *found = own ? &semantics_pcsample : semantics_find(text);
    return *found ? 0 : unknown_system(what, text, pcsample, error);
}
