/* SPDX-License-Identifier: MIT */
#include "profile/report/page.h"

#include "test_json.h"
#include "test_report.h"

static char *page_of(const struct profile *profile)
{
    return written(report_html_write, profile, REPORT_OPTIONS_FULL);
}

START_TEST(the_data_are_the_tree_of_calls)
{
    struct profile *profile = make_profile("prog -x");
    uint32_t process = make_process(profile, 7, 0, "prog"), thread = make_thread(profile, process, 7, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2);
    add_line(profile, work, work, "work.c", 12);
    ADD_STACK(profile, thread, -1, 3, 300, work, main);
    ADD_STACK(profile, thread, 0, 2, 200, work, main);
    add_unsampled(profile, process, 5);
    profile->quality.wall_ns = 1000;
    char *page = page_of(profile), *data = page_data(page);
    ck_assert(is_json(data));
    ck_assert_str_eq(data, "{\"command\":\"prog -x\",\n\"wallNs\":1000,\"rate\":100,\"bottomUp\":false,\n"
                           "\"processName\":[\"prog\"],\n\"processId\":[\"7\"],\n"
                           "\"threadProcess\":[0],\n\"threadName\":[\"prog\"],\n\"threadId\":[7],\n"
                           "\"nodeUp\":[1,1,1,1,4],\n\"nodeFrame\":[0,1,2,3,4],\n"
                           "\"rowNode\":[3,4,5],\n\"rowThread\":[0,0,-1],\n"
                           "\"rowNs\":[300,200,5],\n\"rowSamples\":[3,2,0],\n"
                           "\"frameName\":[\"prog\",\"main\",\"work\",\"[read]\",\"[unsampled]\"],\n"
                           "\"frameFullName\":[\"\",\"\",\"\",\"\",\"\"],\n"
                           "\"frameObject\":[0,1,1,2,0],\n\"frameFile\":[0,0,3,0,0],\n\"frameLine\":[0,0,12,0,0],\n"
                           "\"paths\":[\"\",\"/bin/prog\",\"[kernel]\",\"work.c\"]}\n");
    free(data);
    free(page);
    profile_free(profile);
}
END_TEST

/* The number of rows depends on threads and nodes, not on samples. [unsampled] time belongs to processes. */
START_TEST(each_thread_has_rows_of_its_own)
{
    struct profile *profile = make_profile("prog");
    uint32_t first = make_process(profile, 7, 0, "prog"), again = make_process(profile, 7, 1, "other");
    uint32_t one = make_thread(profile, first, 7, "prog"), two = make_thread(profile, first, 8, "helper"),
             three = make_thread(profile, again, 0, "<b>");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2),
             place = make_frame(profile, module, "work", 3);
    ADD_STACK(profile, one, -1, 1, 100, work, main);
    ADD_STACK(profile, two, -1, 2, 20, work, main);
    ADD_STACK(profile, one, -1, 4, 7, place, main);
    ADD_STACK(profile, three, -1, 8, 3, main);
    profile->samples[1].wait_ns = 1000;
    add_unsampled(profile, again, 5);
    profile->processes[first].wait_ns = 1000;
    char *page = page_of(profile), *data = page_data(page);
    ck_assert(is_json(data));
    ck_assert_ptr_nonnull(strstr(data,
                                 "\"processName\":[\"prog\",\"other\"],\n\"processId\":[\"7\",\"7.1\"],\n"
                                 "\"threadProcess\":[0,0,1],\n\"threadName\":[\"prog\",\"helper\",\"\\u003cb>\"],\n"
                                 "\"threadId\":[7,8,0],\n\"nodeUp\":[1,1,1,4,1,2],"));
    ck_assert_ptr_nonnull(strstr(data, "\"rowNode\":[3,3,5,6],\n\"rowThread\":[0,1,2,-2],\n\"rowNs\":[107,20,3,5],\n"
                                       "\"rowWaitNs\":[0,1000,0,0],\n\"rowSamples\":[5,2,8,0],"));
    free(data);
    free(page);
    profile_free(profile);
}
END_TEST

/* With several ranks: the rank of each process, and the kind of work of each function. */
START_TEST(ranks_have_kinds_of_work)
{
    struct profile *profile = make_profile("mpirun");
    uint32_t launcher = make_process(profile, 7, 0, "mpirun"), one = make_process(profile, 8, 0, "app");
    make_thread(profile, launcher, 7, "mpirun");
    uint32_t thread = make_thread(profile, one, 8, "app"), module = make_module(profile, "/bin/app", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), barrier = make_frame(profile, module, "PMPI_Barrier", 2),
             file = make_frame(profile, module, "MPI_File_open", 3);
    profile->processes[one].rank = (struct profile_rank){true, 4, 9, NULL, NULL};
    ADD_STACK(profile, thread, -1, 3, 300, barrier, main);
    ADD_STACK(profile, thread, 1, 2, 200, main); /* write */
    ADD_STACK(profile, thread, 7, 2, 200, main); /* poll */
    ADD_STACK(profile, thread, -1, 1, 100, file, main);
    char *page = page_of(profile);
    ck_assert_ptr_null(strstr(page, "\"processRank\":"));
    free(page);
    uint32_t two = make_process(profile, 9, 0, "app");
    profile->processes[two].rank = (struct profile_rank){true, 0, 9, NULL, NULL};
    page = page_of(profile);
    ck_assert_ptr_nonnull(strstr(page, "\n\"processRank\":[-1,4,0],\n"));
    ck_assert_msg(strstr(page, "\n\"frameName\":[\"app\",\"main\",\"PMPI_Barrier\",\"[write]\",\"[poll]\","
                               "\"MPI_File_open\"],\n") != NULL,
                  "%s", strstr(page, "\"frameName\""));
    ck_assert_ptr_nonnull(strstr(page, "\n\"frameKind\":[0,0,1,2,0,2],\n"));
    free(page);
    profile_free(profile);
}
END_TEST

START_TEST(short_names_have_full_ones)
{
    struct profile *profile = make_profile("prog");
    uint32_t thread = make_thread(profile, make_process(profile, 7, 0, "prog"), 7, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work<...>", 2);
    profile->functions[0].full_name = "main";
    profile->functions[1].full_name = "work<int>(a<b>)";
    ADD_STACK(profile, thread, -1, 3, 300, work, main);
    char *page = page_of(profile);
    ck_assert_ptr_nonnull(strstr(page, "\"frameName\":[\"prog\",\"main\",\"work\\u003c...>\"],\n"
                                       "\"frameFullName\":[\"\",\"\",\"work\\u003cint>(a\\u003cb>)\"],"));
    free(page);
    profile_free(profile);
}
END_TEST

/* Two addresses in one function, and a wait in it, are timestamps in the rows of its two threads. */
static struct profile *timed(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 0, "prog");
    uint32_t one = make_thread(profile, process, 7, "prog"), two = make_thread(profile, process, 8, "helper");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t work = make_frame(profile, module, "work", 2), place = make_frame(profile, module, "work", 3);
    ADD_STACK(profile, one, -1, 1, 300, work);
    ADD_STACK(profile, one, -1, 2, 200, place);
    ADD_STACK(profile, two, -1, 1, 0, work);
    profile->samples[2].wait_ns = profile->processes[process].wait_ns = 5;
    instants_add(&profile->instants, &(struct instant){.time_ns = 1000000, .sample = 0, .count = 1, .cpu_ns = 300});
    instants_add(&profile->instants, &(struct instant){.time_ns = 1001000, .sample = 2, .count = 1, .wait_ns = 5});
    instants_add(&profile->instants, &(struct instant){.time_ns = 1000000, .sample = 1, .count = 2, .cpu_ns = 200});
    return profile;
}

START_TEST(instants_are_of_the_rows)
{
    struct profile *profile = timed();
    add_mark(profile, 1500, "be</script>gin");
    char *page = page_of(profile), *data = page_data(page);
    ck_assert(is_json(data));
    /* 0 2000 300, 4 + 1 2 5, 0 + 2 -1 200 2: each with seven bits in a byte */
    ck_assert_ptr_nonnull(strstr(data, ",\n\"times\":{\"instants\":\"ANAPrAIFAgUCAcgBAg==\",\"untilNs\":0,\n"
                                       "\"markNs\":[1500],\n\"markText\":[\"be\\u003c/script>gin\"]}}"));
    free(data);
    free(page);
    profile_free(profile);
}
END_TEST

START_TEST(dropped_timestamps_are_reported)
{
    static const struct {
        size_t most;
        uint64_t lack_ns;
        const char *text;
    } table[] = {
        {3, 0, "\"ANAPrAIFAgUCAcgBAg==\",\"untilNs\":0,"},     {2, 0, "\"ANAPrAIFAgU=\",\"untilNs\":1000000,"},
        {1, 0, "\"ANAPrAI=\",\"untilNs\":1001000,"},           {0, 0, "\"\",\"untilNs\":1000000,"},
        {9, 900, "\"ANAPrAIFAgUCAcgBAg==\",\"untilNs\":900,"},
    };
    struct profile *profile = timed();
    struct calltree tree;
    struct page_rows rows;
    ck_assert_int_eq(calltree_init(&tree, profile, false, NULL), 0);
    ck_assert_int_eq(page_rows_init(&rows, profile, &tree), 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct buffer out = {0};
        profile->instants.until_ns = table[i].lack_ns;
        page_times_put(&out, profile, &rows, table[i].most);
        ck_assert_msg(strstr(out.bytes, table[i].text) != NULL, "%s", out.bytes);
        buffer_fini(&out);
    }
    page_rows_fini(&rows);
    calltree_fini(&tree);
    profile_free(profile);
}
END_TEST

/* Times of two runs cannot be compared. */
START_TEST(a_comparison_has_no_instants)
{
    struct profile *profile = timed(), *base = timed();
    struct report_options options = {.base = base};
    char *page = written(report_html_write, profile, options), *data = page_data(page);
    ck_assert_ptr_null(strstr(data, "\"times\""));
    free(data);
    free(page);
    profile_free(base);
    profile_free(profile);
}
END_TEST

START_TEST(the_page_is_whole_in_itself)
{
    struct profile *profile = make_example();
    char *page = page_of(profile);
    ck_assert(!strncmp(page, "<!DOCTYPE html>\n", 16));
    ck_assert_ptr_nonnull(strstr(page, "default-src 'none'"));
    ck_assert_ptr_nonnull(strstr(page, "class CallTree"));
    ck_assert_ptr_nonnull(strstr(page, "prefers-color-scheme"));
    ck_assert_ptr_null(strstr(page, "://"));
    ck_assert_ptr_null(strstr(page, "src="));
    ck_assert_ptr_null(strstr(page, "@FILE"));
    ck_assert_str_eq(page + strlen(page) - 8, "</html>\n");
    free(page);
    profile_free(profile);
}
END_TEST

START_TEST(trees_begin_where_they_are_asked_to)
{
    struct profile *profile = make_example();
    struct report_options options = {.bottom_up = true};
    char *page = written(report_html_write, profile, options);
    ck_assert_ptr_nonnull(strstr(page, "\"bottomUp\":true"));
    free(page);
    profile_free(profile);
}
END_TEST

START_TEST(an_empty_profile_is_a_page)
{
    struct profile *profile = make_profile(NULL);
    char *page = page_of(profile), *data = page_data(page);
    ck_assert(is_json(data));
    ck_assert_ptr_nonnull(strstr(data, "\"nodeUp\":[],"));
    free(data);
    free(page);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/html");
    tcase_add_test(tests, the_data_are_the_tree_of_calls);
    tcase_add_test(tests, each_thread_has_rows_of_its_own);
    tcase_add_test(tests, ranks_have_kinds_of_work);
    tcase_add_test(tests, short_names_have_full_ones);
    tcase_add_test(tests, instants_are_of_the_rows);
    tcase_add_test(tests, dropped_timestamps_are_reported);
    tcase_add_test(tests, a_comparison_has_no_instants);
    tcase_add_test(tests, the_page_is_whole_in_itself);
    tcase_add_test(tests, trees_begin_where_they_are_asked_to);
    tcase_add_test(tests, an_empty_profile_is_a_page);
    return unit_end();
}
