/* SPDX-License-Identifier: MIT */
#include "profile/report/spread.h"

#include "profile/report/report.h"
#include "test_profile.h"
#include "unit.h"

#include <errno.h>

static uint32_t make_rank(struct profile *profile, uint32_t number)
{
    uint32_t process = make_process(profile, 100 + (pid_t)number, 0, "app");
    profile->processes[process].rank = (struct profile_rank){true, number, 3, "node", NULL};
    return make_thread(profile, process, 100 + (pid_t)number, "app");
}

/* Three ranks that work for 1, 2 and 3 s, and wait in a barrier up to 3 s. The last one also writes. A process
 * without a rank is ignored. */
static struct profile *make_job(void)
{
    struct profile *profile = make_profile("mpirun app");
    uint32_t launcher = make_thread(profile, make_process(profile, 7, 0, "mpirun"), 7, "mpirun");
    uint32_t ranks[] = {make_rank(profile, 4), make_rank(profile, 5), make_rank(profile, 12)};
    uint32_t app = make_module(profile, "/bin/app", 0x1000, 0x9000),
             mpi = make_module(profile, "/lib/libmpi.so", 0x1000, 0x9000);
    uint32_t main = make_frame(profile, app, "main", 0x1000), work = make_frame(profile, app, "work", 0x1100);
    uint32_t barrier = make_frame(profile, mpi, "MPI_Barrier", 0x1000),
             spin = make_frame(profile, mpi, "progress", 0x1100);
    ADD_STACK(profile, launcher, -1, 100, 9000, main);
    for (uint32_t i = 0; i < 3; i++) {
        ADD_STACK(profile, ranks[i], -1, 10, 1000 * (i + 1), work, main);
        if (i < 2)
            ADD_STACK(profile, ranks[i], -1, 10, 1000 * (2 - i), spin, barrier, main);
    }
    ADD_STACK(profile, ranks[2], 1, 1, 60, main);
    add_unsampled(profile, 1, 40);
    return profile;
}

static const struct spread_row *row_called(const struct spread *spread, const char *name)
{
    for (size_t i = 0; i < spread->row_count; i++)
        if (!strcmp(spread->rows[i].name, name))
            return &spread->rows[i];
    ck_abort_msg("no row %s", name);
}

START_TEST(rows_have_what_each_rank_has)
{
    struct profile *profile = make_job();
    struct report_options options = REPORT_OPTIONS_FULL;
    struct spread spread;
    ck_assert_int_eq(spread_init(&spread, profile, &options), 0);
    ck_assert_uint_eq(spread.rank_count, 3);
    ck_assert_uint_eq(spread.ranks[2].number, 12);
    const struct spread_row *work = row_called(&spread, "work"), *progress = row_called(&spread, "progress");
    ck_assert_str_eq(spread.rows[0].name, "work");
    ck_assert_uint_eq(work->sum_ns, 6000);
    ck_assert_uint_eq(work->min_ns, 1000);
    ck_assert_uint_eq(work->median_ns, 2000);
    ck_assert_uint_eq(work->max_ns, 3000);
    ck_assert_uint_eq(spread.ranks[work->max].number, 12);
    ck_assert_uint_eq(work->imbalance_ns, 1000);
    ck_assert_uint_eq(progress->min_ns, 0);
    ck_assert_uint_eq(spread.ranks[progress->max].number, 4);
    uint64_t sum = 0, computing = 0, mpi = 0, io = 0, whole = 0;
    for (size_t i = 0; i < spread.row_count; i++)
        sum += spread.rows[i].sum_ns;
    for (size_t i = 0; i < 3; i++) {
        whole += spread.ranks[i].ns;
        computing += spread.ranks[i].computing_ns;
        mpi += spread.ranks[i].mpi_ns;
        io += spread.ranks[i].io_ns;
    }
    ck_assert_uint_eq(sum, profile_ns(profile) - 9000);
    ck_assert_uint_eq(whole, sum);
    ck_assert_uint_eq(computing, 6000);
    ck_assert_uint_eq(mpi, 3000);
    ck_assert_uint_eq(io, 60);
    ck_assert_uint_eq(spread.waiting_ns, 3000);
    spread_fini(&spread);
    profile_free(profile);
}
END_TEST

/* By total time, main has all of it. */
START_TEST(totals_are_spread_too)
{
    struct profile *profile = make_job();
    struct report_options options = REPORT_OPTIONS_FULL;
    struct spread spread;
    options.sort = REPORT_SORT_TOTAL;
    ck_assert_int_eq(spread_init(&spread, profile, &options), 0);
    ck_assert_str_eq(spread.rows[0].name, "main");
    ck_assert_uint_eq(spread.rows[0].sum_ns, 9060);
    spread_fini(&spread);
    profile_free(profile);
}
END_TEST

/* work: maximum 3000, average 2000; progress: 2000 and 1000. Equal rows are sorted by their sums. */
START_TEST(the_least_even_rows_come_first)
{
    struct profile *profile = make_job();
    struct report_options options = REPORT_OPTIONS_FULL;
    struct spread spread;
    options.sort = REPORT_SORT_IMBALANCE;
    ck_assert_int_eq(spread_init(&spread, profile, &options), 0);
    ck_assert_uint_ge(spread.row_count, 3);
    ck_assert_str_eq(spread.rows[0].name, "work");
    ck_assert_uint_eq(spread.rows[1].imbalance_ns, 1000);
    ck_assert_str_eq(spread.rows[1].name, "progress");
    for (size_t i = 1; i < spread.row_count; i++)
        ck_assert_uint_ge(spread.rows[i - 1].imbalance_ns, spread.rows[i].imbalance_ns);
    spread_fini(&spread);
    profile_free(profile);
}
END_TEST

START_TEST(without_ranks_there_is_no_spread)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_FULL;
    struct spread spread;
    ck_assert_int_eq(spread_init(&spread, profile, &options), -ENODATA);
    spread_fini(&spread);
    profile_free(profile);
}
END_TEST

static char *text_of(report_writer *write, const struct report_options *options)
{
    char *text = NULL;
    size_t size;
    struct profile *profile = make_job();
    FILE *stream = open_memstream(&text, &size);
    ck_assert_int_eq(write(profile, options, stream), 0);
    fclose(stream);
    profile_free(profile);
    return text;
}

START_TEST(the_first_line_names_the_slow_rank)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    options.by = REPORT_BY_MPI;
    char *text = text_of(spread_write_text, &options);
    ck_assert_msg(!strncmp(text,
                           "3 ranks: computing 65.9 %, MPI 33.0 % (waiting for others about 33.0 %), I/O 0.7 %; "
                           "slowest rank 12, +50.0 %\n",
                           strlen("3 ranks: computing 65.9 %, MPI 33.0 % (waiting for others about 33.0 %), I/O 0.7 %; "
                                  "slowest rank 12, +50.0 %\n")),
                  "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "MPI_Barrier"));
    free(text);
    text = text_of(spread_write_csv, &options);
    ck_assert_ptr_nonnull(strstr(text, "\r\nMPI_Barrier,,1000,0,12,1000,2000,4,1000,3000\r\n"));
    free(text);
}
END_TEST

START_TEST(json_has_each_rank)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    options.by = REPORT_BY_MPI;
    options.spread = true;
    char *text = text_of(report_json_write, &options);
    ck_assert_ptr_nonnull(strstr(text, "\"spread\":{\"waiting_ns\":3000,\n\"ranks\":["));
    ck_assert_ptr_nonnull(strstr(text, "{\"rank\":12,\"ns\":3060,\"computing_ns\":3000,\"mpi_ns\":0,\"io_ns\":60}]}"));
    ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"MPI_Barrier\",\"mean_ns\":1000,\"min_ns\":0,\"min_rank\":12,"));
    ck_assert_ptr_nonnull(strstr(text, "\"imbalance_ns\":1000,\"sum_ns\":3000,\"ns\":[2000,1000,0]}"));
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/spread");
    tcase_add_test(tests, rows_have_what_each_rank_has);
    tcase_add_test(tests, totals_are_spread_too);
    tcase_add_test(tests, the_least_even_rows_come_first);
    tcase_add_test(tests, without_ranks_there_is_no_spread);
    tcase_add_test(tests, the_first_line_names_the_slow_rank);
    tcase_add_test(tests, json_has_each_rank);
    return unit_end();
}
