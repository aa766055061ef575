/* SPDX-License-Identifier: MIT */
#include "common/text/nearest.h"

#include "unit.h"

#define LONG "a-name-of-more-than-thirty-two-letters"

static const char *const names[] = {"report", "record", "rate", "semantics", "by", LONG};

static const struct {
    const char *word, *meant;
} rows[] = {
    {"report", "report"},  {"repot", "report"}, /* a letter is missing */
    {"repport", "report"},                      /* an additional letter */
    {"rebort", "report"},                       /* another letter */
    {"reprot", "report"},                       /* transposed */
    {"rpeotr", "report"},                       /* two changes */
    {"reocrd", "record"},  {"erport", "report"}, {"Record", "record"}, {"smeantisc", "semantics"},
    {"semant", NULL}, /* three changes */
    {"rp", NULL},          {"b", "by"},          {"yb", "by"},         {"bya", "by"},
    {"cx", NULL},          {"rat", "rate"},      {"ret", NULL}, /* a short word may have one change */
    {"top", NULL},         {"", NULL},           {LONG, NULL},         {"a-name-of-more-than-thirty-two-letter", NULL},
};

START_TEST(words_follow_the_table)
{
    ck_assert_pstr_eq(nearest_name(rows[_i].word, names, UNIT_ROWS(names)), rows[_i].meant);
}
END_TEST

static const struct {
    const char *names[3], *meant;
} ties[] = {
    {{"abcd", "abce", "abcf"}, "abcd"}, /* the first of equally near words */
    {{"xxxx", "abcx", "abyy"}, "abcx"},
    {{"abyy", "abcx", "abcc"}, "abcx"},
};

START_TEST(the_nearest_is_meant)
{
    ck_assert_pstr_eq(nearest_name("abcg", ties[_i].names, 3), ties[_i].meant);
    ck_assert_ptr_null(nearest_name("abcg", ties[_i].names, 0));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/nearest");
    UNIT_ADD_TABLE(tests, words_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, the_nearest_is_meant, ties);
    return unit_end();
}
