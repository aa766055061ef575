/* SPDX-License-Identifier: MIT */
#include "programs/elf/functions.h"

#include "programs/elf/alias.h"
#include "programs/elf/ranges.h"
#include "programs/elf/table.h"
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct given {
    const char *name;
    uint64_t start, size;
};

struct wanted {
    const char *name;
    uint64_t start, end;
};

/* The section ends at 100, the next one at 200. Unwind ranges begin at 30 and 60. A name with a dot inside is a
 * local label. */
static const struct {
    struct given given[6];
    struct wanted wanted[6];
} rows[] = {
    {{{0}}, {{0}}},
    /* symbols with a size keep it, within their section */
    {{{"b", 20, 5}, {"a", 10, 5}}, {{"a", 10, 15}, {"b", 20, 25}}},
    {{{"a", 90, 20}}, {{"a", 90, 100}}},
    {{{"a", 10, UINT64_MAX}}, {{"a", 10, 100}}},
    {{{"a", 0, UINT64_MAX}}, {{"a", 0, 100}}},
    /* aliases */
    {{{"__a", 10, 5}, {"a", 10, 5}, {"_a", 10, 5}}, {{"a", 10, 15}}},
    {{{"a", 10, 0}, {"b", 10, 5}}, {{"b", 10, 15}}},
    {{{"a", 10, 5}, {"b", 10, 8}}, {{"b", 10, 18}, {"a", 10, 15}}},
    /* symbols without a size end at the next symbol, the next range, or the section's end */
    {{{"a", 10, 0}, {"b", 20, 5}}, {{"a", 10, 20}, {"b", 20, 25}}},
    {{{"a", 10, 0}, {"b", 20, 0}}, {{"a", 10, 20}, {"b", 20, 30}}},
    {{{"a", 30, 0}}, {{"a", 30, 60}}},
    {{{"a", 31, 0}}, {{"a", 31, 60}}},
    {{{"a", 70, 0}}, {{"a", 70, 100}}},
    /* labels in a function with a size belong to it */
    {{{"a", 10, 30}, {"b", 15, 0}, {"c", 40, 0}}, {{"a", 10, 40}, {"c", 40, 60}}},
    {{{"a", 10, 30}, {"b", 15, 5}, {"c", 25, 0}}, {{"a", 10, 40}, {"b", 15, 20}}},
    /* labels in a function without a size belong to it if they begin with its name; other symbols do not */
    {{{"a", 10, 0}, {"a.l", 15, 0}, {"a.m", 18, 0}, {"b", 20, 5}}, {{"a", 10, 20}, {"b", 20, 25}}},
    {{{"a", 10, 0}, {"b.l", 15, 0}, {"a.", 18, 0}}, {{"a", 10, 15}, {"b.l", 15, 18}, {"a.", 18, 30}}},
    {{{"a", 10, 5}, {"a.l", 15, 0}}, {{"a", 10, 15}, {"a.l", 15, 30}}},
    {{{"a", 95, 0}, {"a.l", 105, 0}}, {{"a", 95, 100}, {"a.l", 105, 200}}},
};

START_TEST(functions_follow_the_table)
{
    struct elf_range parts[] = {{30, 35}, {60, 65}};
    struct elf_ranges ranges = {.items = parts, .count = 2};
    struct elf_candidate items[6];
    struct elf_candidates candidates = {.items = items};

    for (const struct given *given = rows[_i].given; given->name; given++) {
        struct elf_candidate *candidate = &items[candidates.count++];
        const char *dot = strchr(given->name, '.');
        bool is_label = dot && dot[1];
        *candidate = (struct elf_candidate){
            .start = given->start,
            .size = given->size,
            .limit = given->start < 100 ? 100 : 200,
            .alias = {.type = is_label ? STT_NOTYPE : STT_FUNC, .binding = is_label ? STB_LOCAL : STB_GLOBAL}};
        elf_alias_set_name(&candidate->alias, given->name, strlen(given->name));
    }
    elf_functions_settle(&candidates, &ranges, NULL);
    for (size_t i = 0; i < candidates.count; i++) {
        ck_assert_ptr_nonnull(rows[_i].wanted[i].name);
        ck_assert_str_eq(items[i].alias.name, rows[_i].wanted[i].name);
        ck_assert_uint_eq(items[i].start, rows[_i].wanted[i].start);
        ck_assert_uint_eq(items[i].start + items[i].size, rows[_i].wanted[i].end);
    }
    ck_assert_ptr_null(rows[_i].wanted[candidates.count].name);
}
END_TEST

/* Functions of 5 bytes, and where the function begins that the last one is a part of. */
static const struct {
    struct given given[6];
    uint64_t whole; /* 0: none */
} parts[] = {
    {{{"a", 10, 5}, {"a.cold", 40, 5}}, 10},
    {{{"a", 10, 5}, {"__GI_a", 10, 5}, {"__GI_a.part.0", 40, 5}}, 10},
    {{{"a", 10, 5}, {"inner_a", 10, 5}, {"inner_a.isra.0.cold", 40, 5}}, 10},
    {{{"a.lto_priv.0", 10, 5}, {"a.lto_priv.1", 20, 5}, {"a.lto_priv.1.cold", 40, 5}}, 20},
    {{{"a", 10, 5}, {"a.lto_priv.0", 40, 5}}, 0},
    {{{"a", 10, 5}, {"a", 20, 5}, {"a.cold", 40, 5}}, 0}, /* of either one */
    {{{"b", 10, 5}, {"a.cold", 40, 5}}, 0},
    {{{"a", 10, 5}, {"a.old", 40, 5}}, 0},
};

START_TEST(parts_belong_to_a_function)
{
    struct elf_ranges ranges = {0};
    struct elf_candidate items[6];
    struct elf_candidates candidates = {.items = items};
    for (const struct given *given = parts[_i].given; given->name; given++) {
        struct elf_candidate *candidate = &items[candidates.count++];
        *candidate =
            (struct elf_candidate){.start = given->start, .size = given->size, .limit = 100, .alias.type = STT_FUNC};
        elf_alias_set_name(&candidate->alias, given->name, strlen(given->name));
    }
    elf_functions_settle(&candidates, &ranges, NULL);
    ck_assert_uint_eq(items[candidates.count - 1].start, 40);
    ck_assert_uint_eq(items[candidates.count - 1].whole, parts[_i].whole);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/functions");
    UNIT_ADD_TABLE(tests, functions_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, parts_belong_to_a_function, parts);
    return unit_end();
}
