/* SPDX-License-Identifier: MIT */
#include "front/cli/pages.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/cli/help.h"
#include "profile/clickhouse/clickhouse.h"

#include <string.h>

enum { INDENT = 4, LONGEST_NAME = 64 };

static void put_rule(struct buffer *out, const struct semantics *semantics, const struct rule *rule)
{
    char name[LONGEST_NAME];
    semantics_rule_name(semantics, rule, name, sizeof name);
    size_t before = out->length;
    buffer_printf(out, "%s (%s):", name, semantics_source_name(rule->source));
    buffer_puts(out, " ");
    help_wrap(out, rule->text, out->length - before, INDENT);
}

static void put_system(struct buffer *out, const struct semantics *semantics)
{
    buffer_printf(out, "\n%s - %s\n\n", semantics->name, semantics->description);
    for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
        put_rule(out, semantics, rule);
}

void pages_semantics(const struct semantics *semantics, FILE *out)
{
    struct buffer page = {0};
    buffer_puts(&page, "Where a rule is from: the system's manual page (page), its openly licensed\n"
                       "source where the page is silent or not exact (built), or decided here (chosen).\n");
    for (size_t i = 0; !semantics && i < semantics_system_count; i++)
        put_system(&page, &semantics_systems[i]);
    put_system(&page, semantics ? semantics : &semantics_pcsample);
    say_own(out, page.failed ? "" : page.bytes);
    buffer_fini(&page);
}

void pages_schema(const char *cluster, FILE *out)
{
    struct buffer page = {0};
    clickhouse_schema(&page, cluster);
    say_own(out, page.failed ? "" : page.bytes);
    buffer_fini(&page);
}
