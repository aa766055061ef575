/* SPDX-License-Identifier: MIT */
#include "profile/profile/match.h"

#include "test_profile.h"
#include "unit.h"

/* The functions of a profile: "parse(int)" and "ns::parse(char)" have names of a symbol table, "load(x)" is in the
 * script /srv/shop.py. */
static const struct {
    const char *patterns[2], *text;
    enum match parse, parse_in_namespace, script;
} cases[] = {
    {{"parse"}, NULL, MATCH_PATTERN, MATCH_PATTERN, MATCH_NONE},
    {{"^parse$"}, NULL, MATCH_PATTERN, MATCH_NONE, MATCH_NONE}, /* the short name */
    {{"^parse$"}, "parse", MATCH_TEXT, MATCH_NONE, MATCH_NONE},
    {{"parse"}, "parse", MATCH_TEXT, MATCH_PATTERN, MATCH_NONE},
    {{"int"}, "parse(int)", MATCH_TEXT, MATCH_NONE, MATCH_NONE},
    {{"^ns::parse$"}, "ns::parse", MATCH_NONE, MATCH_TEXT, MATCH_NONE},
    {{"^load$"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_NONE},
    {{"^load[(]"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_PATTERN},
    {{"^ns", "load"}, NULL, MATCH_NONE, MATCH_PATTERN, MATCH_PATTERN},
    {{"shop.py"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_PATTERN}, /* a script's whole name or path */
    {{"/srv/.*"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_PATTERN},
    {{"shop"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_NONE},
    {{"parse[.]c"}, NULL, MATCH_NONE, MATCH_NONE, MATCH_NONE}, /* it is no script */
    {{NULL}, NULL, MATCH_NONE, MATCH_NONE, MATCH_NONE},
};

static uint32_t add_function(struct profile *profile, uint32_t module, const char *name, bool of_symbols)
{
    uint32_t location = make_frame(profile, module, name, 0x1000);
    uint32_t function = profile->locations[location].function;
    profile->functions[function].linkage_name = of_symbols ? strdup(name) : NULL;
    return function;
}

START_TEST(functions_match_by_full_and_short_names)
{
    struct profile *profile = make_profile(NULL);
    uint32_t module = make_module(profile, "/bin/app", 0x1000, 0x2000);
    uint32_t python = make_module(profile, "[python]", 0, 0);
    uint32_t parse = add_function(profile, module, "parse(int)", true);
    uint32_t other = add_function(profile, module, "ns::parse(char)", true);
    uint32_t script = add_function(profile, python, "load(x)", false);
    add_line(profile, (uint32_t)profile->location_count - 1, (uint32_t)profile->location_count - 1, "/srv/shop.py", 3);
    add_line(profile, 0, 0, "parse.c", 3);
    regex_t patterns[2];
    struct matcher matcher = {.patterns = patterns, .text = cases[_i].text};
    while (matcher.count < 2 && cases[_i].patterns[matcher.count]) {
        ck_assert_int_eq(regcomp(&patterns[matcher.count], cases[_i].patterns[matcher.count], REG_EXTENDED), 0);
        matcher.count++;
    }
    unsigned char *matches = match_functions(&matcher, profile);
    ck_assert_ptr_nonnull(matches);
    ck_assert_int_eq(matches[parse], cases[_i].parse);
    ck_assert_int_eq(matches[other], cases[_i].parse_in_namespace);
    ck_assert_int_eq(matches[script], cases[_i].script);
    free(matches);
    while (matcher.count)
        regfree(&patterns[--matcher.count]);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/match");
    UNIT_ADD_TABLE(tests, functions_match_by_full_and_short_names, cases);
    return unit_end();
}
