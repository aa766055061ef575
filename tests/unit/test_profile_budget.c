/* SPDX-License-Identifier: MIT */
#include "profile/profile/budget.h"

#include "common/base/error.h"
#include "test_profile.h"
#include "unit.h"

#include <errno.h>

/* 100 ms: main has 10 of self time; parse<int> has 60, with 20 in read and 5 in a recursion; 10 have no sample; 20
 * are in work, called by helper. */
static struct profile *run(uint64_t more)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 1, 0, "prog"), thread = make_thread(profile, process, 1, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), parse = make_frame(profile, module, "parse<int>", 2);
    uint32_t helper = make_frame(profile, module, "helper", 3), work = make_frame(profile, module, "work", 4);
    add_line(profile, work, work, NULL, 0);
    add_line(profile, work, helper, NULL, 0);
    ADD_STACK(profile, thread, -1, 1, 10000000, main);
    ADD_STACK(profile, thread, -1, 3, 35000000, parse, main);
    ADD_STACK(profile, thread, -1, 1, 5000000, parse, parse, main);
    ADD_STACK(profile, thread, 0, 2, 20000000, parse, main);
    ADD_STACK(profile, thread, -1, 2, 20000000 + more, work, main);
    add_unsampled(profile, process, 10000000);
    return profile;
}

static const struct {
    const char *text;
    enum budget_verdict verdict;
    const char *why;
} shares[] = {
    {"parse > 50%", BUDGET_EXCEEDED, "--fail-if: 'parse' has 60.0 % of the time (60.0 ms); the limit is 50 %"},
    {"parse>50", BUDGET_EXCEEDED, "--fail-if: 'parse' has 60.0 % of the time (60.0 ms); the limit is 50 %"},
    {"self:nobody > 0", BUDGET_UNUSED, "--fail-if: no function matches 'nobody'"},
    {"parse > 60%", BUDGET_KEPT, "--fail-if: 'parse' has 60.0 % of the time (60.0 ms); the limit is 60 %"},
    {"parse > 59.9%", BUDGET_EXCEEDED, "--fail-if: 'parse' has 60.0 % of the time (60.0 ms); the limit is 59.9 %"},
    {"total:parse>50%", BUDGET_EXCEEDED, "--fail-if: 'parse' has 60.0 % of the time (60.0 ms); the limit is 50 %"},
    {" self:parse >39 % ", BUDGET_EXCEEDED,
     "--fail-if: 'parse' itself has 40.0 % of the time (40.0 ms); the limit is 39 %"},
    {"self:parse > 40%", BUDGET_KEPT, "--fail-if: 'parse' itself has 40.0 % of the time (40.0 ms); the limit is 40 %"},
    {"parse<int> > 50%", BUDGET_EXCEEDED,
     "--fail-if: 'parse<int>' has 60.0 % of the time (60.0 ms); the limit is 50 %"},
    {"^parse<int>$>61%", BUDGET_KEPT, "--fail-if: '^parse<int>$' has 60.0 % of the time (60.0 ms); the limit is 61 %"},
    {"main|work > 50%", BUDGET_EXCEEDED, "--fail-if: 'main|work' has 90.0 % of the time (90.0 ms); the limit is 50 %"},
    {"helper > 10%", BUDGET_EXCEEDED, "--fail-if: 'helper' has 20.0 % of the time (20.0 ms); the limit is 10 %"},
    {"self:helper > 0%", BUDGET_KEPT, "--fail-if: 'helper' itself has 0.0 % of the time (0 s); the limit is 0 %"},
    {"self:work > 10%", BUDGET_EXCEEDED,
     "--fail-if: 'work' itself has 20.0 % of the time (20.0 ms); the limit is 10 %"},
    {"\\[read] > 10%", BUDGET_EXCEEDED, "--fail-if: '\\[read]' has 20.0 % of the time (20.0 ms); the limit is 10 %"},
    {"unsampled > 5%", BUDGET_EXCEEDED, "--fail-if: 'unsampled' has 10.0 % of the time (10.0 ms); the limit is 5 %"},
    {"work < 30%", BUDGET_EXCEEDED, "--fail-if: 'work' has 20.0 % of the time (20.0 ms); the limit is 30 %"},
    {"work < 20%", BUDGET_KEPT, "--fail-if: 'work' has 20.0 % of the time (20.0 ms); the limit is 20 %"},
    {"nobody > 0%", BUDGET_UNUSED, "--fail-if: no function matches 'nobody'"},
    {"operator>> > 5%", BUDGET_UNUSED, "--fail-if: no function matches 'operator>>'"},
    {"nobody < 1%", BUDGET_EXCEEDED, "--fail-if: 'nobody' has 0.0 % of the time (0 s); the limit is 1 %"},
};

static const struct {
    const char *text;
    int64_t more; /* in work, compared with the base */
    enum budget_verdict verdict;
    const char *why;
} changes[] = {
    {"work > +10%", 3000000, BUDGET_EXCEEDED,
     "--fail-if: 'work' has 23.0 ms, in the base 20.0 ms: +15.0 %; the limit is +10 %"},
    {"work > 10%", 3000000, BUDGET_EXCEEDED,
     "--fail-if: 'work' has 23.0 ms, in the base 20.0 ms: +15.0 %; the limit is +10 %"},
    {"work > +15%", 3000000, BUDGET_KEPT,
     "--fail-if: 'work' has 23.0 ms, in the base 20.0 ms: +15.0 %; the limit is +15 %"},
    {"work > +10%", -3000000, BUDGET_KEPT,
     "--fail-if: 'work' has 17.0 ms, in the base 20.0 ms: -15.0 %; the limit is +10 %"},
    {"work < -10%", -3000000, BUDGET_EXCEEDED,
     "--fail-if: 'work' has 17.0 ms, in the base 20.0 ms: -15.0 %; the limit is -10 %"},
    {"work > -20%", -3000000, BUDGET_EXCEEDED,
     "--fail-if: 'work' has 17.0 ms, in the base 20.0 ms: -15.0 %; the limit is -20 %"},
    {"main > +1%", 9000000, BUDGET_EXCEEDED,
     "--fail-if: 'main' has 99.0 ms, in the base 90.0 ms: +10.0 %; the limit is +1 %"},
    {"self:main > +1%", 9000000, BUDGET_KEPT,
     "--fail-if: 'main' itself has 10.0 ms, in the base 10.0 ms: +0.0 %; the limit is +1 %"},
    {"nobody > +0%", 0, BUDGET_UNUSED, "--fail-if: no function matches 'nobody'"},
};

/* If BASE is given, the budget limits the change. */
static void expect(const char *text, struct profile *profile, struct profile *base, enum budget_verdict verdict,
                   const char *why)
{
    struct budgets budgets = {0};
    struct buffer told = {0};
    struct error error = {0};
    enum budget_verdict found = BUDGET_KEPT;
    ck_assert_msg(budgets_add(&budgets, "--fail-if", text, base != NULL, &error) == 0, "%s", error.text);
    ck_assert(budgets_need_base(&budgets) == (base != NULL));
    ck_assert_int_eq(budget_check(&budgets.items[0], profile, base, &found, &told), 0);
    ck_assert_str_eq(told.bytes, why);
    ck_assert_int_eq(found, verdict);
    buffer_fini(&told);
    budgets_fini(&budgets);
    profile_free(profile);
    profile_free(base);
}

START_TEST(functions_keep_their_share)
{
    expect(shares[_i].text, run(0), NULL, shares[_i].verdict, shares[_i].why);
}
END_TEST

START_TEST(functions_keep_their_time)
{
    expect(changes[_i].text, run((uint64_t)changes[_i].more), run(0), changes[_i].verdict, changes[_i].why);
}
END_TEST

/* Names are matched in full and in the short form of tables. */
START_TEST(functions_have_two_names)
{
    for (int i = 0; i < 2; i++) {
        struct profile *profile = run(0);
        for (size_t at = 0; at < profile->function_count; at++)
            profile->functions[at].linkage_name = strdup("_Z");
        free(profile->functions[1].name);
        profile->functions[1].name = strdup("parser::parse<std::string, double>(char)");
        if (i)
            expect("parse\\(char\\) > 50%", profile, NULL, BUDGET_UNUSED,
                   "--fail-if: no function matches 'parse\\(char\\)'");
        else
            expect("^parser::parse<\\.\\.\\.>$ > 50%", profile, NULL, BUDGET_EXCEEDED,
                   "--fail-if: '^parser::parse<\\.\\.\\.>$' has 60.0 % of the time (60.0 ms); the limit is 50 %");
    }
}
END_TEST

/* An increase from zero exceeds any percentage. */
START_TEST(new_functions_have_grown)
{
    struct profile *base = make_profile("prog");
    make_process(base, 1, 0, "prog");
    expect("work > +100000%", run(0), base, BUDGET_EXCEEDED,
           "--fail-if: 'work' has 20.0 ms, in the base nothing; the limit is +100000 %");
}
END_TEST

static const struct {
    const char *text;
    bool change;
    const char *why;
} malformed[] = {
    {"", false, "--fail-if: '' is not of the form '[self:|total:]REGEX > PERCENT%', for example 'parse > 5%'"},
    {"f", false, "--fail-if: 'f' is not of the form '[self:|total:]REGEX > PERCENT%', for example 'parse > 5%'"},
    {"f > 5 6", false,
     "--fail-if: 'f > 5 6' is not of the form '[self:|total:]REGEX > PERCENT%', for example 'parse > 5%'"},
    {"f > %", false, NULL},
    {"f > 5 ms", false, NULL},
    {"f > 5%%", false, NULL},
    {"f > 5% of it", false, NULL},
    {"> 5%", false, NULL},
    {"self: > 5%", false, NULL},
    {"f = 5%", false, NULL},
    {"f > 101%", false, NULL},
    {"f > -5%", false, NULL},
    {"f > +5%", false, NULL},
    {"f > 0x5%", false, NULL},
    {"f > inf%", false, NULL},
    {"f > nan%", true, NULL},
    {"f > 1e3%", true, NULL},
    {"f > .%", false, NULL},
    {"f > 5.5.5%", false, NULL},
    {"f > -101%", true,
     "--fail-if: 'f > -101%' is not of the form '[self:|total:]REGEX > +PERCENT%', for example 'parse > +10%'"},
    {"f > +-5%", true, NULL},
    {"f( > 5%", false, "--fail-if: 'f(' is not a regular expression: Unmatched ( or \\("},
};

START_TEST(malformed_budgets_are_refused)
{
    struct budgets budgets = {0};
    struct error error = {0};
    ck_assert_int_eq(budgets_add(&budgets, "--fail-if", malformed[_i].text, malformed[_i].change, &error), -EINVAL);
    ck_assert_uint_eq(budgets.count, 0);
    if (malformed[_i].why)
        ck_assert_str_eq(error.text, malformed[_i].why);
    budgets_fini(&budgets);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/budget");
    UNIT_ADD_TABLE(tests, functions_keep_their_share, shares);
    UNIT_ADD_TABLE(tests, functions_keep_their_time, changes);
    tcase_add_test(tests, functions_have_two_names);
    tcase_add_test(tests, new_functions_have_grown);
    UNIT_ADD_TABLE(tests, malformed_budgets_are_refused, malformed);
    return unit_end();
}
