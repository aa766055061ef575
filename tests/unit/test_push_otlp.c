/* SPDX-License-Identifier: MIT
 *
 * Requests are decoded: each index is within its table, and the times add up to the profile's. tests/e2e/push.sh
 * checks the messages with protoc. */
#include "profile/push/message.h"

#include "common/base/protobuf.h"
#include "profile/push/otlp_format.h"
#include "test_profile.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 8 << 20 };

/* The sums of all requests. */
struct sums {
    size_t requests, resources, samples;
    uint64_t cpu_ns, wall_ns;
    size_t counts[OTLP_TABLES]; /* of the present request */
    bool merged;                /* a stack was collapsed */
    int result;                 /* the callback's result */
};

static struct cursor inside(const struct protobuf_entry *entry)
{
    ck_assert(entry->is_bytes);
    return (struct cursor){.at = entry->bytes, .end = entry->bytes + entry->size};
}

/* Counts the elements, and checks that the indices in stacks and locations exist. */
static void read_dictionary(struct sums *sums, const struct protobuf_entry *whole)
{
    struct protobuf_entry entry;
    struct cursor cursor = inside(whole);
    while (protobuf_next(&cursor, &entry)) {
        ck_assert_uint_lt(entry.number, OTLP_TABLES);
        if (entry.number != OTLP_LINK && !sums->counts[entry.number]) {
            ck_assert_uint_eq(entry.size, 0); /* the first element must be empty */
        } else if (entry.number == OTLP_STACK) {
            struct protobuf_memory memory = {.used = 0};
            struct otlp_stack stack;
            ck_assert(protobuf_take(&memory, &otlp_stack_layout, &entry, &stack));
            ck_assert_uint_gt(stack.n_locations, 0);
            for (size_t i = 0; i < stack.n_locations; i++) {
                ck_assert_uint_gt(stack.locations[i], 0);
                ck_assert_uint_lt(stack.locations[i], sums->counts[OTLP_LOCATION]);
            }
            protobuf_memory_free(&memory);
        }
        sums->merged |= entry.number == OTLP_TEXT && entry.size == 8 && !memcmp(entry.bytes, "[merged]", 8);
        sums->counts[entry.number]++;
    }
    ck_assert(!cursor.failed);
}

static void read_profile(struct sums *sums, const struct protobuf_entry *whole, size_t number)
{
    struct protobuf_entry entry;
    struct cursor cursor = inside(whole);
    struct protobuf_memory memory = {.used = 0};
    struct otlp_sample sample;
    while (protobuf_next(&cursor, &entry)) {
        if (entry.number != OTLP_SAMPLE)
            continue;
        ck_assert(protobuf_take(&memory, &otlp_sample_layout, &entry, &sample));
        ck_assert_uint_gt(sample.stack, 0);
        ck_assert_uint_lt(sample.stack, sums->counts[OTLP_STACK]);
        ck_assert_uint_eq(sample.n_values, 1);
        sums->samples++;
        *(number ? &sums->wall_ns : &sums->cpu_ns) += sample.values[0];
        protobuf_memory_free(&memory);
    }
    ck_assert(!cursor.failed);
}

static void read_resource(struct sums *sums, const struct protobuf_entry *whole)
{
    struct protobuf_entry entry, part;
    struct cursor cursor = inside(whole);
    sums->resources++;
    while (protobuf_next(&cursor, &entry)) {
        struct cursor scope = inside(&entry);
        size_t profiles = 0;
        while (entry.number == OTLP_SCOPE_PROFILES && protobuf_next(&scope, &part))
            if (part.number == OTLP_PROFILE)
                read_profile(sums, &part, profiles++);
    }
    ck_assert(!cursor.failed);
}

static size_t unpack(const void *bytes, size_t size, unsigned char *out)
{
    z_stream stream = {
        .next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (unsigned)size, .next_out = out, .avail_out = MOST};
    ck_assert_int_eq(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    return stream.total_out;
}

static int take(void *of, const void *bytes, size_t size)
{
    struct sums *sums = of;
    unsigned char *body = malloc(MOST);
    struct protobuf_entry entry;
    size_t length = unpack(bytes, size, body);
    ck_assert_uint_lt(length, 4 << 20);
    ck_assert_ptr_null(memmem(body, length, "password", strlen("password")));
    memset(sums->counts, 0, sizeof sums->counts);
    for (int round = 0; round < 2; round++) { /* the dictionary first */
        struct cursor cursor = {.at = body, .end = body + length};
        while (protobuf_next(&cursor, &entry))
            if (entry.number == OTLP_DICTIONARY && !round)
                read_dictionary(sums, &entry);
            else if (entry.number == OTLP_RESOURCE_PROFILES && round)
                read_resource(sums, &entry);
        ck_assert(!cursor.failed);
    }
    sums->requests++;
    free(body);
    return sums->result;
}

static struct sums send(struct profile *profile)
{
    struct push_options options = {.target_count = 0};
    struct push_about about = {.options = &options, .host = "here"};
    struct sums sums = {.requests = 0};
    ck_assert_int_eq(otlp_write(profile, &about, take, &sums), 0);
    ck_assert_uint_eq(sums.cpu_ns, profile_cpu_ns(profile));
    ck_assert_uint_eq(sums.wall_ns, profile->quality.wall ? profile_ns(profile) : 0);
    profile_free(profile);
    return sums;
}

START_TEST(each_name_is_a_resource)
{
    struct sums sums = send(make_example());
    ck_assert_uint_eq(sums.requests, 1);
    ck_assert_uint_eq(sums.resources, 2);
}
END_TEST

START_TEST(waiting_is_a_profile_of_its_own)
{
    struct profile *profile = make_profile("x");
    uint32_t process = make_process(profile, 7, 0, "w"), thread = make_thread(profile, process, 7, "w");
    uint32_t module = make_module(profile, "/bin/w", 0x1000, 0x2000), frame = make_frame(profile, module, "f", 0x1000);
    profile->quality.wall = true;
    ADD_STACK(profile, thread, -1, 3, 5000, frame);
    profile->samples[0].wait_ns = profile->processes[process].wait_ns = 70000;
    struct sums sums = send(profile);
    ck_assert_uint_eq(sums.samples, 2);
    ck_assert_uint_eq(sums.wall_ns, 75000);
}
END_TEST

/* COUNT stacks of one process, each of a function with a name of LENGTH letters. With SAME, all names are equal. */
static struct profile *many_stacks(size_t count, size_t length, bool same)
{
    struct profile *profile = make_profile("x --password=y");
    uint32_t process = make_process(profile, 7, 0, "many"), thread = make_thread(profile, process, 7, "many");
    uint32_t module = make_module(profile, "[jit]", 0, 0);
    char *name = calloc(1, length + 20);
    memset(name, 'f', length);
    for (size_t i = 0; i < count; i++) {
        sprintf(name + length, "%zu", same ? 0 : i);
        uint32_t frame = make_frame(profile, module, name, same ? 0 : 0x1000 + i);
        profile->functions[profile->function_count - 1].start = i;
        ADD_STACK(profile, thread, -1, 1, 1000 + i, frame);
    }
    free(name);
    add_unsampled(profile, process, 12345);
    return profile;
}

START_TEST(many_samples_are_split)
{
    struct sums sums = send(many_stacks(40000, 3, false));
    ck_assert_uint_ge(sums.requests, 3);
    ck_assert_uint_le(sums.requests, 4);
    ck_assert_uint_eq(sums.resources, sums.requests);
}
END_TEST

START_TEST(large_names_are_split)
{
    struct sums sums = send(many_stacks(3000, 4000, false));
    ck_assert_uint_ge(sums.requests, 4);
    ck_assert_uint_le(sums.requests, 8);
}
END_TEST

/* Stacks that differ only in data that is not sent become one. */
START_TEST(equal_stacks_are_one_sample)
{
    struct sums sums = send(many_stacks(50, 3, true));
    ck_assert_uint_eq(sums.samples, 2);
    ck_assert_uint_eq(sums.counts[OTLP_FUNCTION], 3);
}
END_TEST

START_TEST(a_large_stack_is_cut)
{
    struct profile *profile = make_profile("x");
    uint32_t process = make_process(profile, 7, 0, "deep"), thread = make_thread(profile, process, 7, "deep");
    uint32_t module = make_module(profile, "/bin/deep", 0x1000, 0x100000), stack[2000];
    char *name = calloc(1, 3020);
    memset(name, 'f', 3000);
    for (uint32_t i = 0; i < 2000; i++) {
        sprintf(name + 3000, "%u", (unsigned)i);
        stack[i] = make_frame(profile, module, name, 0x1000 + i);
    }
    free(name);
    add_stack(profile, thread, -1, 5, 5000, stack, 2000);
    struct sums sums = send(profile);
    ck_assert_uint_eq(sums.requests, 1);
    ck_assert(sums.merged);
}
END_TEST

START_TEST(a_failure_ends_it)
{
    struct push_options options = {.target_count = 0};
    struct push_about about = {.options = &options, .host = "here"};
    struct sums sums = {.result = -ENOSPC};
    struct profile *profile = many_stacks(40000, 3, false);
    ck_assert_int_eq(otlp_write(profile, &about, take, &sums), -ENOSPC);
    ck_assert_uint_eq(sums.requests, 1);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_gives_nothing)
{
    struct sums sums = send(make_profile("x"));
    ck_assert_uint_eq(sums.requests, 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/otlp");
    tcase_add_test(tests, each_name_is_a_resource);
    tcase_add_test(tests, waiting_is_a_profile_of_its_own);
    tcase_add_test(tests, many_samples_are_split);
    tcase_add_test(tests, large_names_are_split);
    tcase_add_test(tests, equal_stacks_are_one_sample);
    tcase_add_test(tests, a_large_stack_is_cut);
    tcase_add_test(tests, a_failure_ends_it);
    tcase_add_test(tests, nothing_gives_nothing);
    return unit_end();
}
