/* SPDX-License-Identifier: MIT */
#include "profile/report/chain.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "unit.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_NAMES = 8 };

static const struct {
    const char *names[MOST_NAMES + 1];
    unsigned columns;
    bool up, utf8;
    const char *line;
} chains[] = {
    {{"main"}, 80, false, false, "main"},
    {{"main"}, UINT_MAX, true, true, "main"},
    {{"a_function_of_a_long_name"}, 15, false, false, "a_func...g_name"},
    {{"main", "run", "work"}, 80, false, false, "main -> run -> work"},
    {{"main", "run", "work"}, 80, true, false, "main <- run <- work"},
    {{"main", "run", "work"}, UINT_MAX, false, true, "main → run → work"},
    {{"main", "run", "work"}, 17, true, true, "main ← run ← work"},
    /* the names next to the branches stay: the last ones top-down, the first ones bottom-up */
    {{"start", "main", "one", "two", "three", "four"}, 37, false, false, "start -> (3 more) -> three -> four"},
    {{"start", "main", "one", "two", "three", "four"}, 36, true, false, "start <- main <- (3 more) <- four"},
    {{"start", "main", "one", "two", "three", "four"}, 43, true, false, "start <- main <- one <- (2 more) <- four"},
    /* both ends share the width */
    {{"a_function_of_a_long_name", "another_one_of_a_longer_name"},
     40,
     false,
     true,
     "a_functio…ong_name → another_o…ger_name"},
    {{"f", "another_one_of_a_longer_name_than_is_usual"}, 40, false, true, "f → another_one_of_a_…ame_than_is_usual"},
    {{"another_one_of_a_longer_name_than_is_usual", "g"}, 40, false, true, "another_one_of_a_…ame_than_is_usual → g"},
    /* the end without branches is left out if it would be unreadable */
    {{"start_of_a_long_name", "one", "two", "three", "the_end_of_all"}, 30, false, true, "(4 more) → the_end_of_all"},
    {{"start_of_a_long_name", "one", "two", "three", "the_end_of_all"},
     44,
     false,
     true,
     "start_of…ng_name → (3 more) → the_end_of_all"},
    /* untrusted names */
    {{"a\n", "\033[1m"}, 80, false, false, "a\\n -> \\x1b[1m"},
    {{"", "b"}, 80, false, false, " -> b"},
};

START_TEST(chains_follow_the_table)
{
    struct buffer out = {0};
    size_t count = 0;
    while (chains[_i].names[count])
        count++;
    unsigned taken = chain_put(&out, chains[_i].names, NULL, count, chains[_i].columns, chains[_i].up, chains[_i].utf8);
    ck_assert_str_eq(out.bytes, chains[_i].line);
    ck_assert_uint_eq(taken, text_columns(out.bytes));
    buffer_fini(&out);
}
END_TEST

#define CALLERS                                                                                                        \
    {                                                                                                                  \
        "malloc", "new", "push_back", "add", "worker", "main", "start", "app"                                          \
    }

static const struct {
    const char *names[MOST_NAMES];
    unsigned char values[MOST_NAMES];
    unsigned columns;
    const char *line;
} callers[] = {
    {CALLERS,
     {CHAIN_USUAL, CHAIN_USUAL, CHAIN_USUAL, CHAIN_OWN, CHAIN_OWN, CHAIN_OWN, CHAIN_USUAL, CHAIN_USUAL},
     41,
     "malloc ← (2 more) ← add ← (3 more) ← app"},
    /* a long name next to the branches does not displace others */
    {CALLERS,
     {CHAIN_USUAL, CHAIN_USUAL, CHAIN_OWN, CHAIN_USUAL, CHAIN_USUAL, CHAIN_OWN, CHAIN_USUAL, CHAIN_USUAL},
     42,
     "malloc ← (4 more) ← main ← (1 more) ← app"},
    {CALLERS,
     {CHAIN_USUAL, CHAIN_USUAL, CHAIN_ENTRY, CHAIN_USUAL, CHAIN_USUAL, CHAIN_OWN, CHAIN_USUAL, CHAIN_USUAL},
     59,
     "malloc ← new ← push_back ← (2 more) ← main ← (1 more) ← app"},
    {CALLERS,
     {CHAIN_USUAL, CHAIN_USUAL, CHAIN_USUAL, CHAIN_OWN, CHAIN_OWN, CHAIN_OWN, CHAIN_USUAL, CHAIN_LEAST},
     43,
     "malloc ← (2 more) ← add ← worker ← (3 more)"},
};

START_TEST(important_names_stay)
{
    struct buffer out = {0};
    chain_put(&out, callers[_i].names, callers[_i].values, MOST_NAMES, callers[_i].columns, true, true);
    ck_assert_str_eq(out.bytes, callers[_i].line);
    buffer_fini(&out);
}
END_TEST

/* The width is never exceeded. */
START_TEST(no_line_is_too_long)
{
    static const char *const names[] = {"_start", "__libc_start_main_impl", "main",
                                        "ns::a<int>::run(std::string const&)", "ns::work(int, int)"};
    for (size_t count = 1; count <= UNIT_ROWS(names); count++)
        for (unsigned columns = 4; columns < 140; columns++)
            for (unsigned kind = 0; kind < 4; kind++) {
                struct buffer out = {0};
                unsigned taken = chain_put(&out, names, NULL, count, columns, kind & 1, kind & 2);
                ck_assert_msg(taken <= columns, "%u columns, not %u: %s", taken, columns, out.bytes);
                ck_assert_uint_eq(taken, text_columns(out.bytes));
                buffer_fini(&out);
            }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/chain");
    UNIT_ADD_TABLE(tests, chains_follow_the_table, chains);
    UNIT_ADD_TABLE(tests, important_names_stay, callers);
    tcase_add_test(tests, no_line_is_too_long);
    return unit_end();
}
