/* SPDX-License-Identifier: MIT */
#include "profile/reduce/inputs.h"
#include "profile/reduce/parcel.h"

#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/profile/merge.h"
#include "profile/stored/writers.h"
#include "test_profile.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4 };

/* Properties of files; the order of adding must not matter. */
static const struct {
    const char *command, *early;
    uint64_t began_ns, time_ns;
    uint32_t rate, lowest_rate;
    bool wall;
    const char *own; /* a function that only this file has */
} made[FILES] = {
    {"app 0", NULL, 1000000000000001999, 5000, 100, 100, false, "zero"},
    {"app 1", "reason", 1000000000000000700, 9000, 200, 200, false, "one"},
    {"app 0", NULL, 1000000000000003001, 1000, 300, 250, true, "two"},
    {NULL, "other", 1000000000000003900, 7000, 100, 80, false, "zero"},
};

static struct profile *make(size_t i)
{
    struct profile *profile = make_profile(made[i].command);
    struct profile_quality *quality = &profile->quality;
    quality->began_ns = made[i].began_ns;
    quality->rate = quality->last_rate = made[i].rate;
    quality->lowest_rate = made[i].lowest_rate;
    quality->wall = made[i].wall;
    quality->ended_early = made[i].early;
    uint32_t module = make_module(profile, "/bin/app", 0x1000, 0x9000);
    uint32_t process = make_process(profile, 7, 0, "app"); /* on two hosts */
    profile->processes[process].rank = (struct profile_rank){true, (uint32_t)i / 2, 2, i < 2 ? "a" : "b", NULL};
    uint32_t thread = make_thread(profile, process, 7, "app");
    uint32_t main = make_frame(profile, module, "main", 0x1000), own = make_frame(profile, module, made[i].own, 0x1100);
    ADD_STACK(profile, thread, -1, 3, 3000, own, main);
    ADD_STACK(profile, thread, 1, 2, 100 * (i + 1), main);
    add_unsampled(profile, process, 40);
    instants_add(&profile->instants,
                 &(struct instant){.time_ns = made[i].time_ns, .sample = 0, .count = 1, .cpu_ns = 10});
    return profile;
}

static char folder[] = "/tmp/reduce.XXXXXX", paths[FILES][64];

static void make_files(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (size_t i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu.pb.gz", folder, i);
        FILE *stream = fopen(paths[i], "w");
        struct profile *profile = make(i);
        ck_assert_ptr_nonnull(stream);
        ck_assert_int_eq(stored_pprof_write(profile, &REPORT_OPTIONS_FULL, stream), 0);
        fclose(stream);
        profile_free(profile);
    }
}

static void remove_files(void)
{
    for (size_t i = 0; i < FILES; i++)
        unlink(paths[i]);
    rmdir(folder);
}

struct packed {
    char *bytes;
    size_t size;
};

/* Adds the files from FIRST to END - 1. With SPLIT, those from SPLIT on are first packed together. */
static struct packed add(size_t first, size_t split, size_t end)
{
    struct builder sum;
    struct packed packed, later;
    struct error error = {0};
    builder_init(&sum);
    for (size_t i = first; i < (split ? split : end); i++)
        ck_assert_msg(!parcel_read(&sum, paths[i], &error), "%s", error.text);
    if (split) {
        later = add(split, 0, end);
        ck_assert_msg(!parcel_unpack(&sum, later.bytes, later.size, &error), "%s", error.text);
        free(later.bytes);
    }
    ck_assert_int_eq(parcel_pack(&sum, &packed.bytes, &packed.size, &error), 0);
    return packed;
}

START_TEST(the_grouping_does_not_matter)
{
    for (size_t end = 1; end <= FILES; end++) {
        struct packed whole = add(0, 0, end);
        for (size_t split = 1; split <= end; split++) {
            struct packed grouped = add(0, split, end);
            ck_assert_uint_eq(grouped.size, whole.size);
            ck_assert_mem_eq(grouped.bytes, whole.bytes, whole.size);
            free(grouped.bytes);
        }
        free(whole.bytes);
    }
}
END_TEST

START_TEST(a_damaged_file_changes_nothing)
{
    struct builder sum;
    struct packed packed, alone = add(0, 0, 1);
    struct error error = {0};
    ck_assert_int_eq(truncate(paths[1], 60), 0);
    builder_init(&sum);
    ck_assert_int_eq(parcel_read(&sum, paths[0], &error), 0);
    ck_assert_int_lt(parcel_read(&sum, paths[1], &error), 0);
    ck_assert_ptr_nonnull(strstr(error.text, paths[1]));
    ck_assert_int_eq(parcel_read(&sum, "/nonexistent", &error), -ENOENT);
    ck_assert_int_eq(parcel_pack(&sum, &packed.bytes, &packed.size, &error), 0);
    ck_assert_uint_eq(packed.size, alone.size);
    ck_assert_mem_eq(packed.bytes, alone.bytes, alone.size);
    free(packed.bytes);
    free(alone.bytes);
}
END_TEST

static int append(const char *path, void *text)
{
    buffer_printf(text, "%s ", strrchr(path, '/') + 1);
    return 0;
}

START_TEST(shares_are_all_files_in_order)
{
    struct inputs inputs = {0};
    struct error error = {0};
    ck_assert_int_eq(inputs_add(&inputs, "/x/9", &error), 0);
    ck_assert_int_eq(inputs_add(&inputs, folder, &error), 0);
    ck_assert_uint_eq(inputs.count, FILES + 1);
    for (size_t shares = 1; shares < 9; shares++) {
        struct buffer all = {0};
        for (size_t share = 0; share < shares; share++)
            ck_assert_int_eq(inputs_each(&inputs, share, shares, append, &all), 0);
        ck_assert_str_eq(all.bytes, "9 0.pb.gz 1.pb.gz 2.pb.gz 3.pb.gz ");
        buffer_fini(&all);
    }
    ck_assert_int_eq(inputs_add(&inputs, "/proc/self/fdinfo", &error), -ENOENT);
    inputs_fini(&inputs);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("reduce/parcel");
    tcase_add_checked_fixture(tests, make_files, remove_files);
    tcase_add_test(tests, the_grouping_does_not_matter);
    tcase_add_test(tests, a_damaged_file_changes_nothing);
    tcase_add_test(tests, shares_are_all_files_in_order);
    return unit_end();
}
