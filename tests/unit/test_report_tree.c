/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include "report/calltree.h"

/* Whatever the order, all of the CPU time is below the root, and each node has what is below it. */
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
    ck_assert_int_eq(calltree_init(&tree, profile, 0, _i == 1), 0);
    expect_sound(&tree, profile_cpu_ns(profile));
    calltree_fini(&tree);
    profile_free(profile);
}
END_TEST

/* Lines of the example that must be there, in this order. */
static const struct {
    bool bottom_up;
    const char *lines[8];
} shown[] = {
    {false,
     {"  99.8%    0.0%     3.601  cc1\n", "    main  cc1\n", "      walk_tree_1(", "        walk_tree_1(",
      "        ht_lookup_with_hash  cc1\n", "        [read]  [kernel]\n", "  sh\n",
      "      __wait3  libc.so.6\n"}},
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

START_TEST(small_branches_are_added_up)
{
    struct profile *profile = make_example();
    struct report_options options = {.min_percent = 5};
    char *text = written(report_tree_write, profile, options);
    ck_assert_ptr_null(strstr(text, "__memmove"));
    ck_assert_ptr_nonnull(strstr(text, "      (2 others)\n"));
    free(text);
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

/* A recursion deeper than anybody reads is cut, with its time. */
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
    ck_assert_ptr_nonnull(strstr(text, "(1 others)\n"));
    ck_assert_uint_lt(strlen(text), 100000);
    free(text);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/tree");
    tcase_add_loop_test(tests, a_tree_holds_all_of_the_time, 0, 2);
    UNIT_ADD_TABLE(tests, lines_are_as_shown, shown);
    tcase_add_test(tests, small_branches_are_added_up);
    tcase_add_test(tests, an_empty_profile_is_an_empty_tree);
    tcase_add_test(tests, a_deep_stack_is_cut);
    return unit_end();
}
