/* SPDX-License-Identifier: MIT
 *
 * The argument SYSTEM of --semantics and of `ptprofil semantics`. */
#include "front/cli/options.h"

#include "common/base/buffer.h"
#include "common/text/nearest.h"

#include <errno.h>
#include <string.h>

enum { MOST_SYSTEMS = 32 };

static int unknown_system(const char *what, const char *text, bool pcsample, struct error *error)
{
    const char *names[MOST_SYSTEMS];
    struct buffer list = {0}, complaint = {0};
    size_t count = 0;
    for (; count < semantics_system_count && count + 1 < MOST_SYSTEMS; count++) {
        names[count] = semantics_systems[count].name;
        buffer_printf(&list, "%s%s", count ? ", " : "systems are ", names[count]);
    }
    if (pcsample) {
        buffer_puts(&list, "; or pcsample");
        names[count++] = semantics_pcsample.name;
    }
    buffer_printf(&complaint, "%s: there is no system", what);
    int result = nearest_refuse(error, complaint.bytes ? complaint.bytes : "?", text, "",
                                nearest_name(text, names, count), &list);
    buffer_fini(&complaint);
    buffer_fini(&list);
    return result;
}

int system_option_parse(const struct semantics **found, const char *what, const char *text, bool pcsample,
                        struct error *error)
{
    bool own = pcsample && !strcmp(text, semantics_pcsample.name);
    *found = own ? &semantics_pcsample : semantics_find(text);
    return *found ? 0 : unknown_system(what, text, pcsample, error);
}
