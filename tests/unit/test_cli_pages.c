/* SPDX-License-Identifier: MIT */
#include "front/cli/pages.h"

#include "common/semantics/semantics.h"
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEMS = 8, WIDTH = 80 }; /* includes pcsample */

static const struct semantics *system_at(size_t number)
{
    return number < semantics_system_count ? &semantics_systems[number] : &semantics_pcsample;
}

/* Returns the page. Free with free(). */
static char *page_of(const struct semantics *semantics)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert(out != NULL);
    pages_semantics(semantics, out);
    fclose(out);
    return text;
}

/* Joins continued lines, in place. */
static void unwrap(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (!strncmp(from, "\n    ", 5)) {
            *to++ = ' ';
            from += 5;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* Returns the line of TEXT that begins with START, up to its end; NULL unless exactly one does. */
static const char *only_line(const char *text, const char *start)
{
    const char *found = NULL;
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (!strncmp(line, start, strlen(start))) {
            if (found)
                return NULL;
            found = line;
        }
    return found;
}

static void expect_rule(const char *page, const struct semantics *semantics, const struct rule *rule, bool there)
{
    char name[64], line[1024];
    semantics_rule_name(semantics, rule, name, sizeof name);
    snprintf(line, sizeof line, "%s (%s): %s\n", name, semantics_source_name(rule->source), rule->text);
    ck_assert_msg((only_line(page, line) != NULL) == there, "%s: %s", there ? "missing" : "too much", line);
    strcat(name, " ");
    ck_assert_msg((only_line(page, name) != NULL) == there, "%s: %s", there ? "missing" : "too much", name);
}

/* _i is the index of the page's system; SYSTEMS is the page about all of them. */
START_TEST(each_rule_begins_a_line)
{
    char *page = page_of(_i < SYSTEMS ? system_at((size_t)_i) : NULL);
    ck_assert_uint_eq(semantics_system_count + 1, SYSTEMS);
    unwrap(page);
    for (size_t i = 0; i < SYSTEMS; i++)
        for (const struct rule *rule = NULL; (rule = semantics_next(system_at(i), rule));)
            expect_rule(page, system_at(i), rule, _i == SYSTEMS || (size_t)_i == i);
    free(page);
}
END_TEST

START_TEST(lines_fit_a_terminal)
{
    char *page = page_of(NULL), *rest = page;
    size_t longest = 0;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        size_t length = strlen(line);
        ck_assert_msg(length <= WIDTH, "%s", line);
        ck_assert_msg(!length || line[length - 1] != ' ', "'%s' ends with a space", line);
        longest = length > longest ? length : longest;
    }
    ck_assert_uint_gt(longest, WIDTH - 6); /* lines use the width */
    free(page);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/pages");
    tcase_add_loop_test(tests, each_rule_begins_a_line, 0, SYSTEMS + 1);
    tcase_add_test(tests, lines_fit_a_terminal);
    return unit_end();
}
