/* SPDX-License-Identifier: MIT */
#include "profile/push/pieces.h"

#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/stored/import.h"
#include "test_profile.h"
#include "unit.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The sums of all parts. */
struct sums {
    size_t parts, others;
    uint64_t ns, samples;
    char names[512][16];
    size_t name_count;
    int result; /* the callback's result */
};

static void add_name(struct sums *sums, const char *name)
{
    for (size_t i = 0; i < sums->name_count; i++)
        if (!strcmp(sums->names[i], name))
            return;
    snprintf(sums->names[sums->name_count++], sizeof sums->names[0], "%s", name);
}

/* Reads a part like a server. Checks that it is within the limits, and has no data that must not be sent. */
static int take(void *of, const struct profile_process *like, const void *bytes, size_t size)
{
    struct sums *sums = of;
    struct builder builder;
    struct error error = {0};
    uint32_t unpacked = UINT32_MAX; /* from the gzip trailer */
    memcpy(&unpacked, (const char *)bytes + size - sizeof unpacked, sizeof unpacked);
    ck_assert_uint_le(le32toh(unpacked), 4 << 20);
    FILE *stream = tmpfile();
    ck_assert(fwrite(bytes, 1, size, stream) == size && fflush(stream) == 0);
    rewind(stream);
    builder_init(&builder);
    ck_assert_int_eq(import_read(&builder, fileno(stream), NULL, &error), 0);
    fclose(stream);
    struct profile *profile = builder_finish(&builder);
    ck_assert_ptr_nonnull(profile);
    ck_assert_uint_le(profile->sample_count, 16000);
    ck_assert_ptr_null(profile->command);
    for (size_t i = 0; i < profile->process_count; i++) {
        ck_assert_int_eq(profile->processes[i].pid, 0);
        ck_assert_ptr_null(profile->processes[i].command);
    }
    sums->ns += profile_ns(profile);
    sums->samples += profile_samples(profile);
    sums->parts++;
    sums->others += !strcmp(like->comm, "other");
    add_name(sums, like->comm);
    profile_free(profile);
    return sums->result;
}

static struct sums cut(struct profile *profile)
{
    struct sums sums = {0};
    ck_assert_int_eq(pieces_cut(profile, take, &sums), 0);
    ck_assert_uint_eq(sums.ns, profile_ns(profile));
    ck_assert_uint_eq(sums.samples, profile_samples(profile));
    profile_free(profile);
    return sums;
}

START_TEST(each_name_is_a_series)
{
    struct sums sums = cut(make_example());
    ck_assert_uint_eq(sums.parts, sums.name_count);
    ck_assert_uint_eq(sums.name_count, 2);
}
END_TEST

/* COUNT different stacks of one process, each of a function with a name of LENGTH letters. */
static struct profile *many_stacks(size_t count, size_t length)
{
    struct profile *profile = make_profile("x --password=y");
    uint32_t process = make_process(profile, 7, 0, "many"), thread = make_thread(profile, process, 7, "many");
    uint32_t module = make_module(profile, "/bin/many", 0x1000, 0x100000);
    char *name = calloc(1, length + 20);
    memset(name, 'f', length);
    for (size_t i = 0; i < count; i++) {
        sprintf(name + length, "%zu", i);
        uint32_t frame = make_frame(profile, module, name, 0x1000 + i);
        ADD_STACK(profile, thread, -1, 1, 1000 + i, frame);
    }
    free(name);
    add_unsampled(profile, process, 12345);
    return profile;
}

START_TEST(many_samples_are_split)
{
    struct sums sums = cut(many_stacks(40000, 3));
    ck_assert_uint_ge(sums.parts, 3);
    ck_assert_uint_le(sums.parts, 4);
    ck_assert_uint_eq(sums.name_count, 1);
}
END_TEST

START_TEST(large_names_are_split)
{
    struct sums sums = cut(many_stacks(3000, 4000));
    ck_assert_uint_ge(sums.parts, 4);
    ck_assert_uint_le(sums.parts, 8);
}
END_TEST

/* A stack that is too large by itself keeps the frames near its leaf. */
START_TEST(a_large_stack_is_cut)
{
    struct profile *profile = make_profile("x");
    uint32_t process = make_process(profile, 7, 0, "deep"), thread = make_thread(profile, process, 7, "deep");
    uint32_t module = make_module(profile, "/bin/deep", 0x1000, 0x100000), stack[200];
    char *name = calloc(1, 60020);
    memset(name, 'f', 60000);
    for (uint32_t i = 0; i < 200; i++) {
        sprintf(name + 60000, "%u", (unsigned)i);
        stack[i] = make_frame(profile, module, name, 0x1000 + i);
    }
    free(name);
    add_stack(profile, thread, -1, 5, 5000, stack, 200);
    struct sums sums = cut(profile);
    ck_assert_uint_eq(sums.parts, 1);
}
END_TEST

/* A fork bomb of processes with different names must not create more series than a server accepts. */
START_TEST(very_many_names_share_a_series)
{
    struct profile *profile = make_profile("x");
    uint32_t module = make_module(profile, "/bin/x", 0x1000, 0x100000);
    uint32_t frame = make_frame(profile, module, "f", 0x1000);
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        uint32_t process = make_process(profile, 100 + i, 0, name),
                 thread = make_thread(profile, process, 100 + i, name);
        ADD_STACK(profile, thread, -1, 1, (uint64_t)(i + 1) * 1000, frame);
        add_unsampled(profile, process, 7);
    }
    struct sums sums = cut(profile);
    ck_assert_uint_eq(sums.name_count, PIECES_SERIES);
    ck_assert_uint_eq(sums.others, 1);
    ck_assert_str_eq(sums.names[0], "p299");
}
END_TEST

START_TEST(a_failure_ends_it)
{
    struct profile *profile = make_example();
    struct sums sums = {.result = -ENOSPC};
    ck_assert_int_eq(pieces_cut(profile, take, &sums), -ENOSPC);
    ck_assert_uint_eq(sums.parts, 1);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_gives_nothing)
{
    struct sums sums = cut(make_profile("x"));
    ck_assert_uint_eq(sums.parts, 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/pieces");
    tcase_add_test(tests, each_name_is_a_series);
    tcase_add_test(tests, many_samples_are_split);
    tcase_add_test(tests, large_names_are_split);
    tcase_add_test(tests, a_large_stack_is_cut);
    tcase_add_test(tests, very_many_names_share_a_series);
    tcase_add_test(tests, a_failure_ends_it);
    tcase_add_test(tests, nothing_gives_nothing);
    return unit_end();
}
