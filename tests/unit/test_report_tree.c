/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include "profile/report/calltree.h"

/* In any order, the root has all of the CPU time, and each node's total includes its children. */
static void expect_sound(const struct calltree *tree, uint64_t whole_ns)
{
    ck_assert_uint_eq(tree->items[0].total_ns, whole_ns);
    for (size_t i = 0; i < tree->count; i++) {
        const struct calltree_node *node = &tree->items[i];
        uint64_t below = node->self_ns, last = UINT64_MAX;
        for (uint32_t child = node->first_child; child != HASH_NONE; child = tree->items[child].next) {
            ck_assert_uint_eq(tree->items[child].parent, i);
            ck_assert_uint_le(tree->items[child].total_ns, last);
            last = tree->items[child].total_ns;
            below += last;
        }
        ck_assert_uint_eq(below, node->total_ns);
    }
}

START_TEST(a_tree_holds_all_of_the_time)
{
    struct profile *profile = make_example();
    struct calltree tree;
    ck_assert_int_eq(calltree_init(&tree, profile, _i == 1, NULL), 0);
    expect_sound(&tree, profile_cpu_ns(profile));
    calltree_fini(&tree);
    profile_free(profile);
}
END_TEST

/* Lines of the example in the expected order. */
static const struct {
    bool bottom_up;
    const char *lines[8];
} shown[] = {
    {false,
     {"  99.8%    0.0%     3.601  cc1\n", "    main  cc1\n", "      walk_tree_1(", "        walk_tree_1(",
      "        ht_lookup_with_hash  cc1\n", "        [read]  [kernel]\n", "  sh\n", "      __wait3  libc.so.6\n"}},
    {true,
     {"  86.2%     3.110  walk_tree_1(", "    main  cc1\n", "      cc1\n", "    walk_tree_1(", "ht_lookup_with_hash",
      "__memmove_avx_unaligned_erms", "[read]  [kernel]\n", "[unsampled]\n"}},
};

START_TEST(lines_are_as_shown)
{
    struct profile *profile = make_example();
    struct report_options options = {.bottom_up = shown[_i].bottom_up};
    char *text = written(report_tree_write, profile, options), *at = text;
    for (size_t i = 0; i < UNIT_ROWS(shown[_i].lines); i++) {
        char *found = strstr(at, shown[_i].lines[i]);
        ck_assert_msg(found != NULL, "no \"%s\" in its place in:\n%s", shown[_i].lines[i], text);
        at = found + 1;
    }
    free(text);
    profile_free(profile);
}
END_TEST

/* main calls often and rarely. often leads, by a chain of calls, to a recursion: ping calls pong, which calls ping.
 * The recursion has two entries. */
static struct profile *make_recursive(void)
{
    struct profile *profile = make_profile("recursive");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "app"), 1, "app");
    uint32_t app = make_module(profile, "/bin/app", 1, 2);
    uint32_t main = make_frame(profile, app, "main", 1), often = make_frame(profile, app, "often", 2);
    uint32_t rarely = make_frame(profile, app, "rarely", 3), ping = make_frame(profile, app, "ping", 4);
    uint32_t pong = make_frame(profile, app, "pong", 5), leaf = make_frame(profile, app, "leaf", 6);
    ADD_STACK(profile, thread, -1, 60, 600000000, leaf, ping, pong, ping, often, main);
    ADD_STACK(profile, thread, -1, 20, 200000000, ping, pong, ping, pong, ping, often, main);
    ADD_STACK(profile, thread, -1, 12, 120000000, leaf, ping, rarely, main);
    ADD_STACK(profile, thread, 0, 5, 50000000, rarely, main);
    ADD_STACK(profile, thread, -1, 2, 20000000, main);
    ADD_STACK(profile, thread, -1, 1, 4000000, leaf, main);
    add_unsampled(profile, 0, 6000000);
    return profile;
}

static const struct {
    const char *callers, *callees;
    bool bottom_up, fold;
    double min_branch;
    unsigned width;
    const char *text;
} trees[] = {
    {NULL, NULL, false, true, 1, 80,
     "  total    self     CPU s  function, and below it its callees\n"
     " 100.0%    0.0%     1.000  app\n"
     "  99.4%    2.0%     0.994    main  app\n"
     "  80.0%    0.0%     0.800      often -> ping -> pong -> ping  app\n"
     "  60.0%   60.0%     0.600        leaf  app\n"
     "  20.0%   20.0%     0.200        pong -> ping  app\n"
     "  17.0%    0.0%     0.170      rarely  app\n"
     "  12.0%   12.0%     0.120        ping -> leaf  app\n"
     "   5.0%    5.0%     0.050        [read]  [kernel]\n"
     "\n2 branches below 1 % each are left out, 1.0 % in all; --min=0 shows them\n"},
    /* omitted branches are added up if their sum is as large as a branch */
    {NULL, NULL, false, true, 18, 80,
     "  total    self     CPU s  function, and below it its callees\n"
     " 100.0%    0.0%     1.000  app\n"
     "  99.4%    2.0%     0.994    main  app\n"
     "  80.0%    0.0%     0.800      often -> ping -> pong -> ping  app\n"
     "  60.0%   60.0%     0.600        leaf  app\n"
     "  20.0%   20.0%     0.200        pong -> ping  app\n"
     "\n3 branches below 18 % each are left out, 18.0 % in all; --min=0 shows them\n"},
    {NULL, NULL, true, true, 10, 80,
     "  total     CPU s  function, and below it its callers\n"
     "  72.4%     0.724  leaf  app\n"
     "  72.0%     0.720    ping  app\n"
     "  60.0%     0.600      pong <- ping <- often <- main <- app\n"
     "  12.0%     0.120      rarely <- main <- app\n"
     "  20.0%     0.200  ping <- pong <- ping <- pong <- ping <- often <- main <- app\n"
     "\n4 branches below 10 % each are left out, 8.0 % in all; --min=0 shows them\n"},
    /* a sample counts once, even if the function is on its stack several times */
    {"^ping$", NULL, false, true, 1, 80,
     "callers of '^ping$': 920 ms, 92.0 % of the CPU time\n\n"
     "  total   of it     CPU s  function, and below it its callers\n"
     "  92.0%  100.0%     0.920  ping  app\n"
     "  80.0%   87.0%     0.800    often <- main <- app\n"
     "  12.0%   13.0%     0.120    rarely <- main <- app\n"},
    {NULL, "^ping$", false, true, 1, 80,
     "callees of '^ping$': 920 ms, 92.0 % of the CPU time\n\n"
     "  total   of it    self     CPU s  function, and below it its callees\n"
     "  92.0%  100.0%    0.0%     0.920  ping  app\n"
     "  80.0%   87.0%    0.0%     0.800    pong -> ping  app\n"
     "  60.0%   65.2%   60.0%     0.600      leaf  app\n"
     "  20.0%   21.7%   20.0%     0.200      pong -> ping  app\n"
     "  12.0%   13.0%   12.0%     0.120    leaf  app\n"},
    /* several functions: each sample belongs to the outermost one */
    {"^(ping|rarely)$", NULL, false, true, 1, 80,
     "callers of '^(ping|rarely)$': 970 ms, 97.0 % of the CPU time\n\n"
     "  total   of it     CPU s  function, and below it its callers\n"
     "  80.0%   82.5%     0.800  ping <- often <- main <- app\n"
     "  17.0%   17.5%     0.170  rarely <- main <- app\n"},
    {"read", "unsampled", false, true, 1, 80,
     "callers of 'read': 50.0 ms, 5.0 % of the CPU time\n\n"
     "  total   of it     CPU s  function, and below it its callers\n"
     "   5.0%  100.0%     0.050  [read] <- rarely <- main <- app\n"
     "\ncallees of 'unsampled': 6.00 ms, 0.6 % of the CPU time\n\n"
     "  total   of it    self     CPU s  function, and below it its callees\n"
     "   0.6%  100.0%    0.6%     0.006  [unsampled]\n"},
    {"nothing\n", NULL, false, true, 1, 80, "callers of 'nothing\\n': no function matches\n"},
    /* without folding, and truncated */
    {NULL, NULL, false, false, 25, 48,
     "  total    self     CPU s  function,...s callees\n"
     " 100.0%    0.0%     1.000  app\n"
     "  99.4%    2.0%     0.994    main\n"
     "  80.0%    0.0%     0.800      often\n"
     "  80.0%    0.0%     0.800        ping\n"
     "  80.0%    0.0%     0.800          pong\n"
     "  80.0%    0.0%     0.800            ping\n"
     "  60.0%   60.0%     0.600            +1 leaf\n"
     "\n4 branches below 25 % each are left out, 38.0 % in all; --min=0 shows them\n"},
};

static void compile(struct report_pattern *pattern, const char *text)
{
    pattern->text = text;
    ck_assert_int_eq(regcomp(&pattern->compiled, text ? text : "", REG_EXTENDED | REG_NOSUB), 0);
}

START_TEST(trees_follow_the_table)
{
    struct profile *profile = make_recursive();
    struct report_pattern callers, callees;
    struct report_options options = {
        .bottom_up = trees[_i].bottom_up, .fold = trees[_i].fold, .width = trees[_i].width};
    compile(&callers, trees[_i].callers);
    compile(&callees, trees[_i].callees);
    options.callers = callers.text ? &callers : NULL;
    options.callees = callees.text ? &callees : NULL;
    options.min_branch = trees[_i].min_branch;
    char *text = written(report_tree_write, profile, options);
    ck_assert_str_eq(text, trees[_i].text);
    free(text);
    regfree(&callers.compiled);
    regfree(&callees.compiled);
    profile_free(profile);
}
END_TEST

START_TEST(an_empty_profile_is_an_empty_tree)
{
    struct profile *profile = make_profile(NULL);
    struct report_options options = {0};
    char *text = written(report_tree_write, profile, options);
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
    profile_free(profile);
}
END_TEST

/* A recursion too deep to read is truncated, but its time is kept. */
START_TEST(a_deep_stack_is_cut)
{
    enum { DEPTH = 5000 };
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "deep"), 1, "deep");
    uint32_t frame = make_frame(profile, make_module(profile, "/bin/deep", 1, 2), "down", 1);
    static uint32_t stack[DEPTH];
    for (size_t i = 0; i < DEPTH; i++)
        stack[i] = frame;
    add_stack(profile, thread, -1, 1, 1000000, stack, DEPTH);
    struct report_options options = {.width = 80};
    char *text = written(report_tree_write, profile, options);
    ck_assert_ptr_nonnull(strstr(text, "(1 other)\n"));
    ck_assert_uint_lt(strlen(text), 100000);
    free(text);
    profile_free(profile);
}
END_TEST

/* A chain that is too long keeps the program's own functions, also between those of a runtime, and the functions
 * that they call in other modules. */
START_TEST(own_functions_stay_in_a_chain)
{
    struct profile *profile = make_profile("app");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "app"), 1, "app");
    uint32_t app = make_module(profile, "/bin/app", 1, 2), c = make_module(profile, "/lib/libc.so.6", 1, 2);
    uint32_t jit = make_module(profile, "[jit]", 0, 0);
    profile->modules[app].executable = true;
    ADD_STACK(profile, thread, -1, 1, 1000000, make_frame(profile, c, "_int_malloc", 1),
              make_frame(profile, c, "malloc", 2), make_frame(profile, app, "std::vector<...>::grow", 3),
              make_frame(profile, app, "std::vector<...>::push_back", 4), make_frame(profile, app, "add_order", 5),
              make_frame(profile, jit, "py::orders", 6), make_frame(profile, app, "_start", 7));
    static const struct {
        bool up;
        const char *line;
    } lines[] = {
        {true, " 100.0%     1.000  _int_malloc ← malloc ← (2 more) ← add_order ← py::orders ← (2 more)\n"},
        {false, " 100.0%  100.0%     1.000  (2 more) → py::orders → add_order → (3 more) → _int_malloc\n"},
    };
    for (size_t i = 0; i < UNIT_ROWS(lines); i++) {
        struct report_options options = {.bottom_up = lines[i].up, .fold = true, .width = 90, .utf8 = true};
        char *text = written(report_tree_write, profile, options);
        ck_assert_msg(strstr(text, lines[i].line) != NULL, "%s", text);
        free(text);
    }
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/tree");
    tcase_add_loop_test(tests, a_tree_holds_all_of_the_time, 0, 2);
    UNIT_ADD_TABLE(tests, lines_are_as_shown, shown);
    UNIT_ADD_TABLE(tests, trees_follow_the_table, trees);
    tcase_add_test(tests, an_empty_profile_is_an_empty_tree);
    tcase_add_test(tests, a_deep_stack_is_cut);
    tcase_add_test(tests, own_functions_stay_in_a_chain);
    return unit_end();
}
