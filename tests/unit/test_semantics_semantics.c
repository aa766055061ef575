/* SPDX-License-Identifier: MIT */
#include "common/semantics/semantics.h"

#include "unit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum rule_system system;
} systems[] = {
    {"linux", SYSTEM_LINUX}, /* the default comes first */
    {"freebsd", SYSTEM_FREEBSD}, {"freebsd:built", SYSTEM_FREEBSD_BUILT},   {"irix", SYSTEM_IRIX},
    {"darwin", SYSTEM_DARWIN},   {"darwin:classic", SYSTEM_DARWIN_CLASSIC}, {"illumos", SYSTEM_ILLUMOS},
};

START_TEST(systems_are_found_by_name)
{
    ck_assert_uint_eq(semantics_system_count, UNIT_ROWS(systems));
    const struct semantics *semantics = &semantics_systems[_i];
    ck_assert_str_eq(semantics->name, systems[_i].name);
    ck_assert_int_eq((int)semantics->system, (int)systems[_i].system);
    ck_assert(*semantics->description != '\0');
    ck_assert_ptr_eq(semantics_find(systems[_i].name), semantics);
}
END_TEST

static const char *const unknown[] = {"",      "Linux",   "linux ",   " linux",           "freebsd:", "freebsd:page",
                                      "built", "solaris", "pcsample", "linux.profil.fork"};

START_TEST(other_names_are_not_found)
{
    ck_assert_ptr_null(semantics_find(unknown[_i]));
}
END_TEST

/* Each rule and its systems. */
enum {
    L = SYSTEM_LINUX,
    F = SYSTEM_FREEBSD,
    FB = SYSTEM_FREEBSD_BUILT,
    I = SYSTEM_IRIX,
    D = SYSTEM_DARWIN,
    DC = SYSTEM_DARWIN_CLASSIC,
    S = SYSTEM_ILLUMOS,
    E = SYSTEM_EVERY,
    ALL = L | F | FB | I | D | DC | S,
    SERVED = ALL & ~D,
};

static const struct {
    const char *id;
    unsigned systems;
} ids[] = {
    {"profil.return", ALL},
    {"profil.validation", ALL},
    {"profil.index", SERVED},
    {"profil.counted", ALL},
    {"profil.disable", SERVED},
    {"profil.bad-buffer", SERVED},
    {"profil.repeated", SERVED},
    {"profil.counter", SERVED},
    {"profil.fault", SERVED},
    {"profil.fork", SERVED},
    {"profil.vfork", SERVED},
    {"profil.exec", SERVED},
    {"profil.threads", SERVED},
    {"profil.clock", F | FB | I | L},
    {"sprofil.enosys", ALL & ~(L | I)},
    {"sprofil.header", L | I},
    {"sprofil.regions", L | I},
    {"sprofil.disable", L | I},
    {"sprofil.cells", L | I},
    {"sprofil.interval", L | I},
    {"sprofil.index", L | I},
    {"sprofil.overflow", L | I},
    {"sprofil.overlap", L | I},
    {"sprofil.counter", L | I},
    {"sprofil.repeated", L | I},
    {"sprofil.e2big", I},
    {"sprofil.enomem", L},
    {"sprofil.einval", I},
    {"sprofil.efault", L | I},
    {"sprofil.fault", L | I},
    {"sprofil.fork", L | I},
    {"sprofil.exec", L | I},
    {"sprofil.crashes", L},
    {"pcsample.einval", E},
    {"pcsample.first", E},
    {"pcsample.count", E},
    {"pcsample.store", E},
    {"pcsample.full", E},
    {"pcsample.stop", E},
    {"pcsample.restart", E},
    {"pcsample.fault", E},
    {"pcsample.fork", E},
    {"pcsample.exec", E},
    {"pcsample.vtime", E},
    {"pcsample.all", E},
    {"pcsample.profil", E},
    {"pcsample.signal", E},
    {"pcsample.range", E},
    {"pcsample.alone", E},
};

static size_t rules_of(const struct semantics *semantics, const char *id)
{
    size_t count = 0;
    for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
        count += !strcmp(rule->id, id);
    return count;
}

START_TEST(each_rule_is_there_once)
{
    for (size_t i = 0; i <= semantics_system_count; i++) {
        const struct semantics *semantics = i < semantics_system_count ? &semantics_systems[i] : &semantics_pcsample;
        bool has = (ids[_i].systems & semantics->system) != 0;
        ck_assert_msg(rules_of(semantics, ids[_i].id) == has, "%s: %s", semantics->name, ids[_i].id);
    }
}
END_TEST

START_TEST(there_are_no_other_rules)
{
    size_t expected = 0, found = 0;
    for (size_t i = 0; i < UNIT_ROWS(ids); i++)
        expected += (size_t)__builtin_popcount(ids[i].systems);
    for (size_t i = 0; i <= semantics_system_count; i++) {
        const struct semantics *semantics = i < semantics_system_count ? &semantics_systems[i] : &semantics_pcsample;
        for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
            found++;
    }
    ck_assert_uint_eq(found, expected);
}
END_TEST

/* Returns true for a sentence in ASCII. */
static bool is_text(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)text[i]) || (text[i] == ' ' && text[i + 1] == ' '))
            return false;
    return length > 10 && !isspace((unsigned char)text[0]) && text[length - 1] == '.';
}

START_TEST(texts_can_be_printed)
{
    const struct semantics *semantics = _i < (int)UNIT_ROWS(systems) ? &semantics_systems[_i] : &semantics_pcsample;
    for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));) {
        ck_assert_msg(is_text(rule->text), "%s: %s", rule->id, rule->text);
        ck_assert_msg(*semantics_source_name(rule->source) != '\0', "%s", rule->id);
        ck_assert_msg(rule->place != RULE_ONLY_DESCRIBED || rule->value == 0, "%s", rule->id);
    }
}
END_TEST

START_TEST(sources_have_names)
{
    ck_assert_str_eq(semantics_source_name(RULE_PAGE), "page");
    ck_assert_str_eq(semantics_source_name(RULE_BUILT), "built");
    ck_assert_str_eq(semantics_source_name(RULE_CHOSEN), "chosen");
}
END_TEST

START_TEST(full_names)
{
    const struct semantics *built = semantics_find("freebsd:built");
    char name[64], cut[] = "xxxxx";
    ck_assert_int_eq(semantics_rule_name(built, semantics_next(built, NULL), name, sizeof name), 27);
    ck_assert_str_eq(name, "freebsd:built.profil.return");
    ck_assert_int_eq(semantics_rule_name(built, semantics_next(built, NULL), cut, 4), 27);
    ck_assert_str_eq(cut, "fre");
    semantics_rule_name(&semantics_pcsample, semantics_next(&semantics_pcsample, NULL), name, sizeof name);
    ck_assert_str_eq(name, "pcsample.einval");
}
END_TEST

/* The values that the code uses, in the order of systems[]. */
static const struct {
    enum rule_key place;
    const char *id; /* the rule with this value */
    int values[UNIT_ROWS(systems)];
} values[] = {
    {RULE_PROFIL_VALIDATION,
     "profil.validation",
     {VALIDATE_NOTHING, VALIDATE_SCALE, VALIDATE_SCALE, VALIDATE_NOTHING, VALIDATE_REFUSE_ALL, VALIDATE_NOTHING,
      VALIDATE_NOTHING}},
    {RULE_PROFIL_INDEX,
     "profil.index",
     {INDEX_LINUX, INDEX_BSD, INDEX_BSD_BUILT, INDEX_IRIX, INDEX_NEVER, INDEX_BSD, INDEX_ILLUMOS}},
    {RULE_PROFIL_COUNTED,
     "profil.counted", /* the index is the enum's value */
     {INDEX_LINUX, INDEX_BSD, INDEX_BSD_BUILT, INDEX_IRIX, INDEX_NEVER, INDEX_BSD, INDEX_ILLUMOS}},
    {RULE_PROFIL_DISABLE,
     "profil.disable",
     {DISABLE_NULL_BUFFER, DISABLE_SCALE_0, DISABLE_SCALE_0, DISABLE_SCALE_0_OR_1, 0, DISABLE_SCALE_0,
      DISABLE_SCALE_0_OR_1}},
    {RULE_PROFIL_BAD_BUFFER,
     "profil.bad-buffer",
     {BAD_BUFFER_AT_TICK, BAD_BUFFER_REFUSED, BAD_BUFFER_AT_TICK, BAD_BUFFER_AT_TICK, 0, BAD_BUFFER_REFUSED,
      BAD_BUFFER_AT_TICK}},
    {RULE_PROFIL_COUNTER,
     "profil.counter",
     {COUNTER_WRAPS, COUNTER_WRAPS, COUNTER_WRAPS, COUNTER_WRAPS, 0, COUNTER_WRAPS, COUNTER_STOPS_AT_32767}},
    {RULE_PROFIL_FORK, "profil.fork", {FORK_OFF, FORK_COPIED, FORK_COPIED, FORK_COPIED, 0, FORK_OFF, FORK_COPIED}},
    {RULE_SPROFIL, NULL, {SPROFIL_SERVED, 0, 0, SPROFIL_SERVED, 0, 0, 0}},
    {RULE_SPROFIL_REPEATED, "sprofil.repeated", {REPEATED_DISABLES, 0, 0, REPEATED_REPLACES, 0, 0, 0}},
    {RULE_SPROFIL_NO_REGION, "sprofil.disable", {NO_REGION_KEEPS_PROFIL, 0, 0, NO_REGION_ALL_OFF, 0, 0, 0}},
    {RULE_SPROFIL_INTERVAL, "sprofil.interval", {INTERVAL_ALWAYS, 0, 0, INTERVAL_IF_TAKEN, 0, 0, 0}},
    {RULE_SPROFIL_LIMIT, NULL, {LIMIT_65536, 0, 0, LIMIT_100, 0, 0, 0}},
    {RULE_SPROFIL_OVERFLOW_ELSEWHERE, "sprofil.einval", {0, 0, 0, OVERFLOW_ELSEWHERE_REFUSED, 0, 0, 0}},
    {RULE_SPROFIL_INDEX, "sprofil.index", {INDEX_LINUX, 0, 0, INDEX_IRIX, 0, 0, 0}},
    {RULE_SPROFIL_COUNTER, "sprofil.counter", {COUNTER_SATURATES, 0, 0, COUNTER_WRAPS, 0, 0, 0}},
    {RULE_SPROFIL_FAULT, "sprofil.fault", {FAULT_ALL_OFF, 0, 0, FAULT_REGION_OFF, 0, 0, 0}},
    {RULE_SPROFIL_FORK, "sprofil.fork", {FORK_OFF, 0, 0, FORK_COPIED, 0, 0, 0}},
};

START_TEST(values_follow_the_table)
{
    ck_assert_uint_eq(UNIT_ROWS(values), RULES_READ_BY_CODE);
    for (size_t i = 0; i < semantics_system_count; i++) {
        const struct semantics *semantics = &semantics_systems[i];
        ck_assert_msg(semantics_value(semantics, values[_i].place) == values[_i].values[i], "%s: %s: %d",
                      semantics->name, values[_i].id, semantics_value(semantics, values[_i].place));
        for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));)
            ck_assert_msg(!values[_i].id || (rule->place == values[_i].place) == !strcmp(rule->id, values[_i].id),
                          "%s: %s", semantics->name, rule->id);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/semantics");
    UNIT_ADD_TABLE(tests, systems_are_found_by_name, systems);
    UNIT_ADD_TABLE(tests, other_names_are_not_found, unknown);
    UNIT_ADD_TABLE(tests, each_rule_is_there_once, ids);
    tcase_add_test(tests, there_are_no_other_rules);
    tcase_add_loop_test(tests, texts_can_be_printed, 0, (int)UNIT_ROWS(systems) + 1);
    tcase_add_test(tests, sources_have_names);
    tcase_add_test(tests, full_names);
    UNIT_ADD_TABLE(tests, values_follow_the_table, values);
    return unit_end();
}
