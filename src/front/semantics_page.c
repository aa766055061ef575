/* SPDX-License-Identifier: MIT */
#include "front/semantics_page.h"

#include <string.h>

enum { WIDTH = 80, INDENT = 4, LONGEST_NAME = 64 };

/* Goes on with TEXT in column COLUMN, word by word. */
static void write_wrapped(const char *text, size_t column, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column + 1 + length > WIDTH)
            column = (size_t)fprintf(out, "\n%*s", INDENT - 1, "") - 1;
        column += (size_t)fprintf(out, " %.*s", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static void write_rule(const struct semantics *semantics, const struct rule *rule, FILE *out)
{
    char name[LONGEST_NAME];
    semantics_rule_name(semantics, rule, name, sizeof name);
    int column = fprintf(out, "%s (%s):", name, semantics_source_name(rule->source));
    write_wrapped(rule->text, (size_t)column, out);
}

static void write_system(const struct semantics *semantics, FILE *out)
{
    fprintf(out, "\n%s - %s\n\n", semantics->name, semantics->description);
    for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
        write_rule(semantics, rule, out);
}

void semantics_page_write(const struct semantics *semantics, FILE *out)
{
    fputs("Where a rule is from: the system's manual page (page), its openly licensed\n"
          "source where the page is silent or not exact (built), or decided here (chosen).\n",
          out);
    if (semantics) {
        write_system(semantics, out);
        return;
    }
    for (size_t i = 0; i < semantics_system_count; i++)
        write_system(&semantics_systems[i], out);
    write_system(&semantics_pcsample, out);
}
