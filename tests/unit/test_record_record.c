/* SPDX-License-Identifier: MIT */
#include "front/record/record.h"

#include "common/model/wait.h"
#include "test_record.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char maps[] = "1000-2000 r--p 00000000 08:01 7 /no/such/program\n"
                           "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n"
                           "8000-9000 r-xp 00000000 00:00 0 \n"
                           "a000-b000 r-xp 00003000 08:01 9 /no/such/library\n"
                           "c000-d000 r-xp 00008000 08:01 7 /no/such/program\n"
                           "f000-10000 r-xp 00000000 00:00 0 [vdso]\n"
                           "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0 [vdso]\n";

/* Where a test begins, it has image 1 of process 100, with the maps above. */
static struct record record;

/* Set by tests of waits and page faults: a part of a capture is then a sample that has time, and may have no count. */
static bool has_parts;

static struct record record_of_one(void)
{
    struct record one = {0};
    record_image_begins(&one, 1, 100, 0, "one");
    record_maps(&one, 1, maps);
    return one;
}

/* For the few tests that begin with nothing. */
static void begin_empty(void)
{
    record_fini(&record);
    record = (struct record){0};
}

static const struct unwind_frame leaf = {.pc = 0x2345};

/* A capture of image NUMBER with this LEAF. */
#define CAPTURE(number, leaf, ...)                                                                                     \
    ((struct record_capture){.image = (number), .frames = &(leaf), .frame_count = 1, __VA_ARGS__})

static const struct object *object_of(size_t sample)
{
    return &record.objects.items[leaf_of(&record, sample)->object];
}

/* Checks that the parts of the record are consistent, however a test ends. */
static void expect_sound(void)
{
    uint64_t count = 0, sampled = 0, of_images = 0, threads = 0, wrong = 0;
    for (size_t i = 0; i < record.samples.count; i++) {
        const struct record_sample *sample = &record.samples.items[i];
        wrong += sample->thread >= record.threads.count || sample->leaf >= record.nodes.count;
        wrong += sample->count == 0 && !has_parts;
        count += sample->count;
        sampled += sample->cpu_ns;
    }
    for (size_t i = 0; i < record.threads.count; i++)
        wrong += record.threads.items[i].image >= record.images.count;
    for (size_t i = 0; i < record.images.count; i++) {
        of_images += record.images.items[i].sampled_ns;
        threads += record.images.items[i].threads;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(count, record.sample_count);
    ck_assert_uint_eq(sampled, of_images);
    ck_assert_uint_eq(threads, record.threads.count);
    ck_assert(!record.out_of_memory);
}

static void setup(void)
{
    record = record_of_one();
    has_parts = false;
}

static void teardown(void)
{
    expect_sound();
    record_fini(&record);
}

START_TEST(an_empty_record_takes_everything_that_has_no_image)
{
    begin_empty();
    record_image_ends(&record, 1, 100, 0, "x");
    record_maps(&record, 1, maps);
    record_thread_named(&record, 1, 100, "x");
    capture_leaf(&record, 1, 100, 0x2000, -1, 10);
    ck_assert_uint_eq(record.images.count, 0);
    ck_assert_uint_eq(record.threads.count, 0);
    ck_assert_uint_eq(record.samples.count, 0);
    ck_assert_uint_eq(record.objects.count, 0);
}
END_TEST

static const struct {
    uint32_t number, generation;
    pid_t pid;
    const char *comm, *kept;
} beginnings[] = {
    {1, 0, 100, "sh", "sh"},
    {2, 1, 100, "", ""},
    {77, 3, INT32_MAX, "fifteen bytes..", "fifteen bytes.."},
    {UINT32_MAX, 0, 5, "more than fifteen bytes", "more than fifte"},
    {8, 0, 5, "a) R %s\n", "a) R %s\n"},
};

START_TEST(an_image_begins_with_its_message)
{
    begin_empty();
    record_image_begins(&record, 4711, 1, 0, "other");
    record_image_begins(&record, beginnings[_i].number, beginnings[_i].pid, beginnings[_i].generation,
                        beginnings[_i].comm);
    ck_assert_uint_eq(record.images.count, 2);
    const struct record_image *image = &record.images.items[1];
    ck_assert_uint_eq(image->number, beginnings[_i].number);
    ck_assert_int_eq(image->pid, beginnings[_i].pid);
    ck_assert_uint_eq(image->generation, beginnings[_i].generation);
    ck_assert_str_eq(image->comm, beginnings[_i].kept);
    ck_assert_uint_eq(image->cpu_ns, 0);
    ck_assert_uint_eq(image->sampled_ns, 0);
    expect_sound();
    record_fini(&record);
    ck_assert_ptr_null(record.images.items);
    ck_assert_uint_eq(record.images.count, 0);
}
END_TEST

/* The end of an image with SAMPLED time in samples. */
static const struct {
    uint64_t sampled, cpu;
    const char *comm;
    uint64_t kept_cpu;
    const char *kept_comm;
} ends[] = {
    {0, 0, "new", 0, "new"},
    {0, 500, "new", 500, "new"},
    {400, 500, "new", 500, "new"},
    {500, 500, "new", 500, "new"},
    {500, 400, "new", 500, "new"}, /* never less than its samples */
    {100, 500, "?", 500, "one"},   /* its name could not be read at the end */
    {100, 500, "much longer than 15", 500, "much longer tha"},
};

START_TEST(the_end_of_an_image_follows_the_table)
{
    record_image_begins(&record, 2, 101, 0, "two");
    if (ends[_i].sampled)
        capture_leaf(&record, 1, 100, 0x2000, -1, ends[_i].sampled);
    record_image_ends(&record, 1, ends[_i].cpu, 0, ends[_i].comm);
    const struct record_image *image = &record.images.items[0];
    ck_assert_uint_eq(image->number, 0);
    ck_assert_uint_eq(image->cpu_ns, ends[_i].kept_cpu);
    ck_assert_uint_eq(image->sampled_ns + image->unsampled_ns, image->cpu_ns);
    ck_assert_str_eq(image->comm, ends[_i].kept_comm);
    ck_assert_uint_eq(image->map.count, 0);
    ck_assert_uint_eq(record.images.items[1].number, 2); /* the other image continues */
    ck_assert_str_eq(record.images.items[1].comm, "two");
}
END_TEST

/* CPU time of two captures, of the end of their image, and of another image without samples. */
static const struct {
    uint64_t one, other, cpu, second;
    uint64_t sampled, whole; /* the result: of the image's samples, and of both images */
} sums[] = {
    {100, 200, 400, 50, 300, 450},
    {INT64_MAX, 1, 0, 1, INT64_MAX, INT64_MAX},
    {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, INT64_MAX, INT64_MAX},
    {100, 200, UINT64_MAX, 50, 300, INT64_MAX},
    {100, 200, INT64_MAX - 10, 50, 300, INT64_MAX},
};

/* Writers compute sums over a profile, also with signed numbers. */
START_TEST(no_sum_overflows)
{
    uint64_t samples = 0, images = 0;
    record_image_begins(&record, 2, 101, 0, "two");
    capture_leaf(&record, 1, 100, 0x2000, -1, sums[_i].one);
    capture_leaf(&record, 1, 100, 0x2008, -1, sums[_i].other);
    record_image_ends(&record, 1, sums[_i].cpu, 0, "one");
    record_image_ends(&record, 2, sums[_i].second, 0, "two");
    for (size_t i = 0; i < record.samples.count; i++)
        samples += record.samples.items[i].cpu_ns;
    for (size_t i = 0; i < record.images.count; i++)
        images += record.images.items[i].cpu_ns;
    ck_assert_uint_eq(samples, sums[_i].sampled);
    ck_assert_uint_eq(images, sums[_i].whole);
}
END_TEST

START_TEST(nothing_comes_after_the_end)
{
    capture_leaf(&record, 1, 100, 0x2000, -1, 10);
    record_image_ends(&record, 1, 100, 0, "one");
    capture_leaf(&record, 1, 100, 0x2000, -1, 10);
    capture_leaf(&record, 1, 101, 0x2000, -1, 10);
    record_maps(&record, 1, maps);
    record_thread_named(&record, 1, 100, "late");
    record_image_ends(&record, 1, 5000, 0, "late");
    ck_assert_uint_eq(record.images.items[0].cpu_ns, 100);
    ck_assert_uint_eq(record.images.items[0].sampled_ns, 10);
    ck_assert_str_eq(record.images.items[0].comm, "one");
    ck_assert_str_eq(record.threads.items[0].comm, "one");
    ck_assert_uint_eq(record.sample_count, 1);
}
END_TEST

/* Invalid image numbers: 0, and the number of a running image. */
START_TEST(a_number_that_is_wrong_is_ignored)
{
    record_image_begins(&record, 0, 200, 0, "none");
    record_image_begins(&record, 1, 201, 0, "again");
    capture_leaf(&record, 0, 200, 0x2000, -1, 10);
    ck_assert_uint_eq(record.images.count, 1);
    ck_assert_int_eq(record.images.items[0].pid, 100);
    ck_assert_str_eq(record.images.items[0].comm, "one");
    ck_assert_uint_eq(record.samples.count, 0);
}
END_TEST

/* One process has two successive images. The second one inherits nothing of the first. */
START_TEST(an_image_follows_another)
{
    capture_leaf(&record, 1, 100, 0x2000, -1, 10);
    record_image_ends(&record, 1, 10, 0, "one");
    record_image_begins(&record, 2, 100, 1, "two");
    capture_leaf(&record, 2, 100, 0x2000, -1, 20);
    ck_assert_uint_eq(record.images.count, 2);
    ck_assert_uint_eq(record.threads.count, 2);
    ck_assert_str_eq(record.threads.items[1].comm, "two");
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_int_eq(object_of(1)->kind, OBJECT_UNKNOWN); /* it has no maps yet */
    ck_assert_uint_eq(record.images.items[0].sampled_ns, 10);
    ck_assert_uint_eq(record.images.items[1].sampled_ns, 20);
}
END_TEST

/* The difference between a second capture and the first, which is of thread 100 of image 1 at 0x2345 in user code. */
static const struct {
    uint32_t image;
    pid_t tid;
    uint64_t pc;
    int32_t syscall;
    bool merged;
} seconds[] = {
    {1, 100, 0x2345, -1, true},  {2, 100, 0x2345, -1, false}, {1, 101, 0x2345, -1, false},
    {1, 100, 0x2346, -1, false}, {1, 100, 0xa345, -1, false}, /* the same offset in another file */
    {1, 100, 0x2345, 0, false},  {1, 100, 0xd000, -1, false}, /* not mapped */
};

START_TEST(equal_captures_are_added_up)
{
    record_image_begins(&record, 2, 101, 0, "two");
    record_maps(&record, 2, maps);
    capture_leaf(&record, 1, 100, 0x2345, -1, 1000);
    capture_leaf(&record, seconds[_i].image, seconds[_i].tid, seconds[_i].pc, seconds[_i].syscall, 30);
    capture_leaf(&record, seconds[_i].image, seconds[_i].tid, seconds[_i].pc, seconds[_i].syscall, 0);
    ck_assert_uint_eq(record.sample_count, 3);
    ck_assert_uint_eq(record.samples.count, seconds[_i].merged ? 1 : 2);
    ck_assert_uint_eq(record.samples.items[0].count, seconds[_i].merged ? 3 : 1);
    ck_assert_uint_eq(record.samples.items[0].cpu_ns, seconds[_i].merged ? 1030 : 1000);
    if (!seconds[_i].merged) {
        ck_assert_uint_eq(record.samples.items[1].count, 2);
        ck_assert_uint_eq(record.samples.items[1].cpu_ns, 30);
        ck_assert_int_eq(record.samples.items[1].syscall, seconds[_i].syscall);
    }
}
END_TEST

/* Waiting time of a thread before its capture, and after it until the wait ends. */
START_TEST(a_wait_goes_on_where_it_was_seen)
{
    struct record_capture capture = CAPTURE(1, leaf, .tid = 100, .syscall = 7, .wait_ns = 50, .waiting = true);
    record_waited(&record, 1, 100, 0, 1, 1000, 0, true); /* no thread waits yet */
    record_capture(&record, &capture);
    capture.tid = 101;
    capture.syscall = 8;
    record_capture(&record, &capture);
    record_waited(&record, 1, 100, 0, 2, 20, 0, false);
    record_waited(&record, 1, 101, 0, 10, 1000, 0, true);
    record_waited(&record, 1, 100, 0, 3, 30, 0, true);
    record_waited(&record, 1, 100, 0, 1, 1000, 0, true);
    record_waited(&record, 1, 101, 0, 1, 1000, 0, false);
    record_waited(&record, 2, 100, 0, 1, 1000, 0, false);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(record.samples.items[0].count, 6);
    ck_assert_uint_eq(record.samples.items[0].wait_ns, 100);
    ck_assert_uint_eq(record.samples.items[0].cpu_ns, 0);
    ck_assert_uint_eq(record.samples.items[1].count, 11);
    ck_assert_uint_eq(record.samples.items[1].wait_ns, 1050);
    ck_assert_uint_eq(record.sample_count, 17);
    ck_assert_uint_eq(record.waits.count, 0);
    record_image_ends(&record, 1, 100, 1500, "one");
    ck_assert_uint_eq(record.images.items[0].sampled_wait_ns, 1150);
    ck_assert_uint_eq(record.images.items[0].unsampled_wait_ns, 350);
}
END_TEST

/* A sample keeps the time of each capture. */
START_TEST(samples_keep_their_instants)
{
    static const struct instant expected[] = {
        {5000, 0, 1, 90, 0}, {5000, 0, 0, 0, 50}, {5000, 1, 0, 10, 0}, {5000, 2, 0, 0, 5}, {9000, 0, 2, 0, 20}};
    struct instants_reader reader;
    struct instant instant;
    has_parts = true;
    record_capture(&record, &CAPTURE(1, leaf, .tid = 100, .time_ns = 5000, .syscall = 7, .weight_ns = 100,
                                     .fault_ns = 10, .wait_ns = 50, .queued_ns = 5, .waiting = true));
    record_waited(&record, 1, 100, 9000, 2, 20, 0, true);
    instants_read(&reader, &record.instants);
    for (size_t i = 0; i < UNIT_ROWS(expected); i++) {
        ck_assert(instants_next(&reader, &instant));
        ck_assert_mem_eq(&instant, &expected[i], sizeof instant);
    }
    ck_assert(!instants_next(&reader, &instant));
}
END_TEST

/* Three threads, one with a single sample. One sample carries eight periods. After levelling, threads and the image
 * have their CPU time, and no sample has most of it. */
START_TEST(neighbours_are_levelled)
{
    enum { PERIOD = 1000000, SAMPLES = 12 };
    uint64_t of_threads[3] = {0}, most = 0;
    record_image_begins(&record, 2, 200, 0, "other");
    for (uint64_t i = 0; i < 2 * SAMPLES + 1; i++) {
        const struct unwind_frame frame = {.pc = 0x2000 + i};
        pid_t tid = i < 2 * SAMPLES ? 100 + (pid_t)(i % 2) : 102;
        record_capture(&record,
                       &CAPTURE(1, frame, .tid = tid, .time_ns = (i + 1) * PERIOD, .syscall = -1,
                                .weight_ns = i == 10 || i == 2 * SAMPLES ? 8 * PERIOD : PERIOD, .period_ns = PERIOD));
    }
    record_image_ends(&record, 2, 0, 0, "other");
    record_image_ends(&record, 1, 40 * PERIOD, 0, "prog");
    ck_assert_uint_eq(record.levels.count, 0);
    for (size_t i = 0; i < record.samples.count; i++) {
        const struct record_sample *sample = &record.samples.items[i];
        of_threads[sample->thread] += sample->cpu_ns;
        if (sample->thread < 2 && sample->cpu_ns > most)
            most = sample->cpu_ns;
        ck_assert_uint_eq(sample->count, 1);
    }
    ck_assert_uint_eq(of_threads[0], (SAMPLES + 7) * PERIOD);
    ck_assert_uint_eq(of_threads[1], SAMPLES * PERIOD);
    ck_assert_uint_eq(of_threads[2], 8 * PERIOD);
    ck_assert_uint_lt(most, 3 * PERIOD);
    ck_assert_uint_eq(record.images.items[0].sampled_ns, (2 * SAMPLES + 15) * PERIOD);
    ck_assert_uint_eq(record.images.items[0].unsampled_ns, PERIOD);
}
END_TEST

/* The part of a capture that is page faults, and the sample that gets it. */
static const struct {
    uint64_t fault_ns, here_count, here_ns, there_count, there_ns;
    size_t samples;
} fault_parts[] = {
    {0, 1, 10, 0, 0, 1}, {4, 1, 6, 0, 4, 2},   {5, 1, 5, 0, 5, 2},
    {6, 0, 4, 1, 6, 2},  {10, 0, 0, 1, 10, 1}, {UINT64_MAX, 0, 0, 1, 10, 1},
};

START_TEST(time_in_faults_is_a_part_of_its_own)
{
    const struct record_capture capture =
        CAPTURE(1, leaf, .tid = 100, .syscall = -1, .weight_ns = 10, .fault_ns = fault_parts[_i].fault_ns);
    has_parts = true;
    record_capture(&record, &capture);
    ck_assert_uint_eq(record.samples.count, fault_parts[_i].samples);
    ck_assert_uint_eq(record.sample_count, 1);
    ck_assert_uint_eq(record.images.items[0].sampled_ns, 10);
    for (size_t i = 0; i < record.samples.count; i++) {
        const struct record_sample *sample = &record.samples.items[i];
        bool there = sample->syscall == WAIT_OUTSIDE;
        ck_assert(there || sample->syscall == -1);
        ck_assert_uint_eq(sample->count, there ? fault_parts[_i].there_count : fault_parts[_i].here_count);
        ck_assert_uint_eq(sample->cpu_ns, there ? fault_parts[_i].there_ns : fault_parts[_i].here_ns);
        ck_assert_uint_eq(sample->leaf, record.samples.items[0].leaf);
    }
}
END_TEST

START_TEST(no_wait_overflows)
{
    struct record_capture capture = CAPTURE(1, leaf, .tid = 100, .syscall = 7, .weight_ns = 3, .wait_ns = INT64_MAX / 2,
                                            .queued_ns = INT64_MAX / 2, .waiting = true);
    has_parts = true;
    record_capture(&record, &capture);
    record_waited(&record, 1, 100, 0, UINT64_MAX, UINT64_MAX, 0, false);
    record_waited(&record, 1, 100, 0, UINT64_MAX, UINT64_MAX, 0, true);
    record_image_ends(&record, 1, UINT64_MAX, UINT64_MAX, "one");
    uint64_t ns = 0, count = 0;
    for (size_t i = 0; i < record.samples.count; i++) {
        ns += record.samples.items[i].cpu_ns + record.samples.items[i].wait_ns;
        count += record.samples.items[i].count;
    }
    ck_assert_uint_eq(ns, INT64_MAX);
    ck_assert_uint_eq(count, INT64_MAX);
    ck_assert_uint_eq(record.images.items[0].cpu_ns + record.images.items[0].wait_ns, INT64_MAX);
}
END_TEST

START_TEST(very_many_waits_are_distinct)
{
    enum { THREADS = 3000 };
    for (int round = 0; round < 2; round++) {
        for (pid_t tid = 1; tid <= THREADS; tid++)
            record_capture(&record, &CAPTURE(1, leaf, .tid = tid, .syscall = tid % 2, .waiting = true));
        ck_assert_uint_eq(record.waits.count, THREADS);
        for (pid_t tid = 1; tid <= THREADS; tid++)
            record_waited(&record, 1, tid, 0, 1, tid % 2 ? 10 : 1, 0, true);
        ck_assert_uint_eq(record.waits.count, 0);
    }
    uint64_t waited[2] = {0, 0};
    for (size_t i = 0; i < record.samples.count; i++)
        waited[record.samples.items[i].syscall] += record.samples.items[i].wait_ns;
    ck_assert_uint_eq(waited[0], THREADS);
    ck_assert_uint_eq(waited[1], THREADS * 10);
}
END_TEST

static const struct {
    uint64_t pc;
    enum object_kind kind;
    const char *path;
    uint64_t address;
} places[] = {
    {0x2000, OBJECT_FILE, "/no/such/program", 0x1000},
    {0x4fff, OBJECT_FILE, "/no/such/program", 0x3fff},
    {0xc010, OBJECT_FILE, "/no/such/program", 0x8010},
    {0xa001, OBJECT_FILE, "/no/such/library", 0x3001},
    {0x8123, OBJECT_JIT, NULL, 0x8123},
    {0xf00d, OBJECT_VDSO_COMPAT, NULL, 0xd},
    {0x7ffff7fc100d, OBJECT_VDSO, NULL, 0xd},
    {0x1fff, OBJECT_UNKNOWN, NULL, 0x1fff},
    {0x5000, OBJECT_UNKNOWN, NULL, 0x5000},
    {0, OBJECT_UNKNOWN, NULL, 0},
    {UINT64_MAX - 1, OBJECT_UNKNOWN, NULL, UINT64_MAX - 1},
    {RECORD_IN_KERNEL, OBJECT_KERNEL, NULL, UINT64_MAX},
};

START_TEST(addresses_are_those_of_the_object)
{
    capture_leaf(&record, 1, 100, places[_i].pc, 5, 7);
    ck_assert_uint_eq(record.samples.count, 1);
    const struct object *object = object_of(0);
    ck_assert_int_eq(object->kind, places[_i].kind);
    ck_assert_pstr_eq(object->path, places[_i].path);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, places[_i].address);
    ck_assert_int_eq(record.samples.items[0].syscall, 5);
}
END_TEST

START_TEST(a_capture_may_come_before_the_maps)
{
    begin_empty();
    record_image_begins(&record, 1, 100, 0, "one");
    capture_leaf(&record, 1, 100, 0x2345, -1, 10);
    ck_assert_int_eq(object_of(0)->kind, OBJECT_UNKNOWN);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x2345);
    record_maps(&record, 1, maps);
    capture_leaf(&record, 1, 100, 0x2345, -1, 10);
    ck_assert_int_eq(object_of(1)->kind, OBJECT_FILE);
    record_maps(&record, 1, ""); /* an empty text */
    capture_leaf(&record, 1, 100, 0x2345, -1, 10);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(record.samples.items[0].count, 2);
    ck_assert_uint_eq(record.images.items[0].sampled_ns, 30);
}
END_TEST

/* A library at another address is the same library. */
START_TEST(new_maps_replace_the_old)
{
    capture_leaf(&record, 1, 100, 0xa010, -1, 1);
    record_maps(&record, 1, "70000-71000 r-xp 00003000 08:01 9 /no/such/library\n");
    capture_leaf(&record, 1, 100, 0x70010, -1, 2);
    ck_assert_uint_eq(record.samples.count, 1);
    ck_assert_uint_eq(record.samples.items[0].cpu_ns, 3);
    capture_leaf(&record, 1, 100, 0xa010, -1, 4);
    ck_assert_int_eq(object_of(1)->kind, OBJECT_UNKNOWN);
}
END_TEST

/* The executable is the mapping with the entry point; otherwise the lowest one, if it is a file. It does not change
 * with later mappings. */
static const struct {
    const char *first, *then;
    const char *program; /* NULL: unknown */
    uint64_t entry;
} programs[] = {
    {"2000-3000 r-xp 0 08:01 7 /no/such/p\n7000-8000 r-xp 0 08:01 8 /no/such/l\n", NULL, "/no/such/p", 0},
    {"2000-3000 r-xp 0 08:01 7 /no/such/p (deleted)\n", NULL, "/no/such/p", 0},
    {"2000-3000 r-xp 0 08:01 7 /no/such/p\n", "1000-2000 r-xp 0 08:01 8 /no/such/l\n", "/no/such/p", 0},
    {"2000-3000 r-xp 0 08:01 7 /no/such/p\n", "", "/no/such/p", 0},
    {"", "2000-3000 r-xp 0 08:01 7 /no/such/p\n", "/no/such/p", 0},
    {"", NULL, NULL, 0},
    {"2000-3000 r-xp 0 00:00 0 \n", NULL, NULL, 0},
    {"2000-3000 r-xp 0 00:00 0 [vdso]\n", NULL, NULL, 0},
    {"2000-3000 r-xp 0 08:01 7 /no/such/l\n7000-8000 r-xp 0 08:01 8 /no/such/p\n", NULL, "/no/such/p", 0x7ff0},
    {"2000-3000 r-xp 0 08:01 7 /no/such/p\n7000-8000 r-xp 0 00:00 0 [vdso]\n", NULL, "/no/such/p", 0x7000},
    {"2000-3000 r-xp 0 08:01 7 /no/such/p\n7000-8000 r-xp 0 08:01 8 /no/such/l\n", NULL, "/no/such/p", 0x6fff},
};

START_TEST(the_program_of_an_image_is_known)
{
    begin_empty();
    record_image_begins(&record, 1, 100, 0, "one");
    ck_assert_uint_eq(record.images.items[0].program, HASH_NONE);
    record_image_entry(&record, 1, programs[_i].entry);
    record_maps(&record, 1, programs[_i].first);
    if (programs[_i].then)
        record_maps(&record, 1, programs[_i].then);
    uint32_t program = record.images.items[0].program;
    ck_assert((program != HASH_NONE) == (programs[_i].program != NULL));
    if (programs[_i].program)
        ck_assert_str_eq(record.objects.items[program].path, programs[_i].program);
    record_image_ends(&record, 1, 0, 0, "one");
    ck_assert_uint_eq(record.images.items[0].program, program);
}
END_TEST

START_TEST(threads_have_names)
{
    record_thread_named(&record, 1, 100, "main");
    capture_leaf(&record, 1, 101, 0x2000, -1, 1); /* before its name was known */
    ck_assert_str_eq(record.threads.items[1].comm, "one");
    record_thread_named(&record, 1, 101, "a worker with a long name");
    ck_assert_uint_eq(record.threads.count, 2);
    ck_assert_int_eq(record.threads.items[0].tid, 100);
    ck_assert_str_eq(record.threads.items[0].comm, "main");
    ck_assert_int_eq(record.threads.items[1].tid, 101);
    ck_assert_str_eq(record.threads.items[1].comm, "a worker with a");
    record_thread_named(&record, 1, 100, "renamed");
    ck_assert_uint_eq(record.threads.count, 2);
    ck_assert_str_eq(record.threads.items[0].comm, "renamed");
    ck_assert_str_eq(record.images.items[0].comm, "one");
}
END_TEST

/* The record must not grow with each thread: later ones share an entry. */
START_TEST(very_many_threads_share_a_place)
{
    enum { OWN = 1000, COUNT = 5000 };
    record_image_begins(&record, 2, 200, 0, "two");
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        record_thread_named(&record, 1, 1000 + i, name);
        capture_leaf(&record, 1, 1000 + i, 0x2000, -1, 1);
    }
    ck_assert_uint_eq(record.threads.count, OWN + 1);
    ck_assert_int_eq(record.threads.items[OWN - 1].tid, 1000 + OWN - 1);
    ck_assert_str_eq(record.threads.items[OWN - 1].comm, "t999");
    ck_assert_int_eq(record.threads.items[OWN].tid, 0);
    ck_assert_str_eq(record.threads.items[OWN].comm, "one"); /* the shared entry has the name of the process */
    ck_assert_uint_eq(record.samples.count, OWN + 1);
    ck_assert_uint_eq(record.samples.items[OWN].count, COUNT - OWN);
    ck_assert_uint_eq(record.images.items[0].sampled_ns, COUNT);

    capture_leaf(&record, 1, 1000, 0x2000, -1, 1); /* threads with an entry keep it */
    ck_assert_uint_eq(record.samples.items[0].count, 2);
    capture_leaf(&record, 2, 9000, 0x2000, -1, 1); /* another image has entries of its own */
    ck_assert_int_eq(record.threads.items[OWN + 1].tid, 9000);
}
END_TEST

/* It must not grow with each process: those that end without a sample share an entry with others of their name. No
 * CPU time is lost. */
START_TEST(very_many_images_share_places)
{
    enum { COUNT = 20000, MOST = 6000 };
    uint64_t cpu = 0, sampled = 0;
    begin_empty();
    for (uint32_t i = 1; i <= COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "name%u", i % 10);
        record_image_begins(&record, i, (pid_t)i, 0, name);
        if (i % 100 == 0) {
            capture_leaf(&record, i, (pid_t)i, 0x2000, -1, 5);
            sampled += 5;
        }
        if (i > 10) /* ten at a time */
            record_image_ends(&record, i - 10, i, 0, "?");
        cpu += i > 10 ? i : 0;
    }
    uint64_t of_images = 0, unsampled = 0, running = 0;
    for (size_t i = 0; i < record.images.count; i++) {
        of_images += record.images.items[i].cpu_ns;
        unsampled += record.images.items[i].unsampled_ns;
        running += record.images.items[i].number != 0;
    }
    ck_assert_uint_lt(record.images.count, MOST);
    ck_assert_uint_eq(running, 10);
    ck_assert_uint_eq(of_images, cpu);
    ck_assert_uint_eq(unsampled + sampled, cpu + 5); /* the last one was sampled, and still runs */
    ck_assert_uint_eq(record.sample_count, COUNT / 100);
}
END_TEST

/* When memory is exhausted, new processes with samples share an entry with others of their name, too. */
START_TEST(memory_that_becomes_scarce_is_shared)
{
    enum { COUNT = 20000, AT_ONCE = 8, NAMES = 3, MOST = 64 << 10 };
    uint64_t cpu = 0, unsampled = 0;
    record.most_bytes = MOST;
    capture_leaf(&record, 1, 100, 0x2345, -1, 7);
    for (uint32_t i = 2; i <= COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "name%u", i % NAMES);
        record_image_begins(&record, i, (pid_t)i, 0, name);
        record_image_command(&record, i, i % NAMES == 1 ? "one and the same" : i % 2 ? "one" : "another");
        record_maps(&record, i, maps);
        record_thread_named(&record, i, (pid_t)i, "main");
        capture_leaf(&record, i, (pid_t)i, 0x2345, -1, 5);
        capture_leaf(&record, i, (pid_t)i + COUNT, 0x2346, -1, 6);
        record_capture(&record, &CAPTURE(i, leaf, .tid = (pid_t)i, .syscall = 7, .wait_ns = 1, .waiting = true));
        if (i > AT_ONCE + 1)
            record_image_ends(&record, i - AT_ONCE, 100, 10, "renamed");
    }
    for (uint32_t i = COUNT - AT_ONCE + 1; i <= COUNT; i++)
        record_image_ends(&record, i, 100, 10, "?");
    record_image_ends(&record, 1, 7, 0, "one");
    ck_assert_uint_lt(record_bytes(&record), MOST);
    ck_assert_uint_eq(record.waits.count, 0);
    uint64_t shared = 0;
    for (size_t i = 0; i < record.images.count; i++) {
        const struct record_image *image = &record.images.items[i];
        cpu += image->cpu_ns;
        unsampled += image->unsampled_ns;
        ck_assert(image->number == 0);
        if (image->pid || !image->threads)
            continue;
        shared++;
        ck_assert_uint_eq(image->threads, 1);
        ck_assert_uint_ne(image->program, HASH_NONE);
        ck_assert((image->command != HASH_NONE) == !strcmp(image->comm, "name1"));
        ck_assert_uint_eq(image->cpu_ns, image->sampled_ns + image->unsampled_ns);
        ck_assert_uint_eq(image->wait_ns, 10 * (image->cpu_ns / 100));
    }
    ck_assert_uint_eq(shared, NAMES);
    ck_assert_uint_eq(cpu, 7 + 100 * (COUNT - 1));
    ck_assert_uint_eq(unsampled, (100 - 11) * (COUNT - 1));
}
END_TEST

/* When memory is exhausted, new threads also share an entry, except for the first one of an image. */
START_TEST(threads_share_when_memory_is_scarce)
{
    record_image_begins(&record, 2, 200, 0, "two");
    capture_leaf(&record, 1, 100, 0x2345, -1, 5);
    record.most_bytes = 1;
    for (pid_t tid = 100; tid < 110; tid++)
        capture_leaf(&record, 1, tid, 0x2345, -1, 5);
    for (pid_t tid = 200; tid < 210; tid++)
        capture_leaf(&record, 2, tid, 0x2345, -1, 5);
    ck_assert_uint_eq(record.threads.count, 4);
    ck_assert_uint_eq(record.samples.items[0].count, 2);
    ck_assert_uint_eq(record.samples.items[1].count, 9);
    ck_assert_uint_eq(record.samples.items[2].count, 1);
    ck_assert_uint_eq(record.samples.items[3].count, 9);
}
END_TEST

/* Adds many different addresses, and each of them again. */
START_TEST(many_samples_are_found_again)
{
    enum { COUNT = 20000 };
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < COUNT; i++)
            capture_leaf(&record, 1, 100, 0x100000 + i * 16, (int32_t)(i % 3) - 1, i);
    ck_assert_uint_eq(record.samples.count, COUNT);
    size_t wrong = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const struct record_sample *sample = &record.samples.items[i];
        wrong += sample->count != 2 || sample->cpu_ns != 2 * i || leaf_of(&record, i)->address != 0x100000 + i * 16;
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

static const char *const hostile_maps[] = {
    "",
    "\n",
    "garbage",
    "2000-5000 r-xp 00001000 08:01 7 /no/such",              /* truncated */
    "5000-2000 r-xp 00001000 08:01 7 /no/such\n",            /* the end is below the start */
    "3000-5000 r--p 00001000 08:01 7 /no/such\n",            /* not code */
    "ffffffffffffffffff-1 r-xp 00001000 08:01 7 /no/such\n", /* overflow */
};

START_TEST(hostile_maps_give_nothing)
{
    record_maps(&record, 1, hostile_maps[_i]);
    capture_leaf(&record, 1, 100, 0x2345, -1, 1);
    ck_assert_int_eq(object_of(0)->kind, OBJECT_UNKNOWN);
}
END_TEST

/* Stacks, leaf first. The address of a call is before its return address. */
START_TEST(stacks_share_their_callers)
{
    const struct unwind_frame one[] = {{.pc = 0x2100}, {.pc = 0x2200, .call = true}, {.pc = 0x2300, .call = true}};
    const struct unwind_frame other[] = {{.pc = 0x2101}, {.pc = 0x2200, .call = true}, {.pc = 0x2300, .call = true}};
    struct record_capture capture = {.image = 1, .tid = 100, .syscall = -1, .weight_ns = 5};
    for (int i = 0; i < 3; i++) {
        capture.frames = i == 1 ? other : one;
        capture.frame_count = 3;
        record_capture(&record, &capture);
    }
    ck_assert_uint_eq(record.nodes.count, 4);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(record.samples.items[0].count, 2);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x1100);
    const struct record_node *caller = &record.nodes.items[leaf_of(&record, 0)->parent];
    ck_assert_uint_eq(caller->address, 0x11ff);
    ck_assert_uint_eq(record.nodes.items[caller->parent].address, 0x12ff);
    ck_assert_uint_eq(record.nodes.items[caller->parent].parent, HASH_NONE);
    capture.cut = PROFILE_TRUNCATED;
    record_capture(&record, &capture);
    ck_assert_uint_eq(record.samples.count, 3);
    ck_assert_uint_eq(record.nodes.count, 4);
}
END_TEST

enum { DEPTH = 300, STACKS = 4000, LEAVES = 20, LITTLE = 1 << 20 };

static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state % limit);
}

/* A stack of DEPTH frames, hardly ever repeated, above one of few leaves. */
static void fill_stack(struct unwind_frame *frames)
{
    frames[0] = (struct unwind_frame){.pc = 0x2000 + random_below(LEAVES) * 16};
    for (size_t i = 1; i < DEPTH; i++)
        frames[i] = (struct unwind_frame){.pc = 0x3000 + random_below(2) * 16, .call = true};
}

/* Random recursion, with a memory limit and without. */
START_TEST(stacks_are_merged_where_memory_is_scarce)
{
    static struct unwind_frame first[DEPTH], frames[DEPTH];
    struct record free_of_it = record_of_one();
    uint64_t leaves[2][LEAVES] = {{0}}, merged = 0, whole = 0;
    struct record *const records[] = {&record, &free_of_it};
    struct record_capture capture = {.image = 1, .tid = 100, .syscall = -1, .frame_count = DEPTH};
    record_maps(&record, 1, "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n");
    record_maps(&free_of_it, 1, "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n");
    record.most_bytes = LITTLE;
    fill_stack(first);
    for (int i = 0; i <= STACKS; i++) {
        fill_stack(frames);
        capture.frames = i % STACKS ? frames : first; /* the last one repeats the first */
        capture.weight_ns = 1000 + (uint64_t)i;
        for (size_t k = 0; k < 2; k++)
            record_capture(records[k], &capture);
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < records[k]->samples.count; i++)
            leaves[k][(leaf_of(records[k], i)->address - 0x1000) / 16] += records[k]->samples.items[i].cpu_ns;
    ck_assert_mem_eq(leaves[0], leaves[1], sizeof leaves[0]);
    ck_assert_uint_eq(record.ns, free_of_it.ns);
    ck_assert_uint_eq(record.sample_count, STACKS + 1);
    ck_assert_uint_gt(record_bytes(&free_of_it), 10 * LITTLE);
    ck_assert_uint_lt(record_bytes(&record), LITTLE + LITTLE / 8);
    for (size_t i = 0; i < record.samples.count; i++)
        *(record.samples.items[i].cut == PROFILE_MERGED ? &merged : &whole) += record.samples.items[i].count;
    ck_assert_uint_gt(merged, STACKS / 2);
    ck_assert_uint_gt(whole, 10);
    ck_assert_uint_eq(record.samples.items[0].count, 2); /* known stacks stay complete */
    ck_assert_int_eq(record.samples.items[0].cut, PROFILE_WHOLE);
    for (size_t i = 0; i < free_of_it.samples.count; i++)
        ck_assert_int_eq(free_of_it.samples.items[i].cut, PROFILE_WHOLE);
    record_fini(&free_of_it);
}
END_TEST

/* The fuller the record, the fewer frames of a stack are kept. Short stacks are never collapsed. */
static const struct {
    unsigned percent; /* of the allowed memory, before */
    size_t depth, kept;
    enum profile_cut cut;
} scarcities[] = {
    {50, 100, 100, PROFILE_UNKNOWN}, {80, 100, 8, PROFILE_MERGED},  {80, 9, 8, PROFILE_MERGED},
    {80, 8, 8, PROFILE_UNKNOWN},     {120, 100, 1, PROFILE_MERGED}, {120, 2, 1, PROFILE_MERGED},
    {120, 1, 1, PROFILE_UNKNOWN},
};

START_TEST(kept_frames_follow_the_table)
{
    static struct unwind_frame frames[DEPTH];
    struct record_capture capture = {
        .image = 1, .tid = 100, .syscall = -1, .weight_ns = 5, .frames = frames, .cut = PROFILE_UNKNOWN};
    size_t kept = 0;
    for (size_t i = 0; i < DEPTH; i++)
        frames[i] = (struct unwind_frame){.pc = 0x2000 + i, .call = i > 0};
    capture.frame_count = 1;
    frames[0].pc = 0x4000;
    record_capture(&record, &capture);
    frames[0].pc = 0x2000;
    record.most_bytes = record_bytes(&record) * 100 / scarcities[_i].percent;
    capture.frame_count = scarcities[_i].depth;
    record_capture(&record, &capture);
    ck_assert_uint_eq(record.samples.count, 2);
    for (uint32_t node = record.samples.items[1].leaf; node != HASH_NONE; node = record.nodes.items[node].parent)
        kept++;
    ck_assert_uint_eq(kept, scarcities[_i].kept);
    ck_assert_int_eq(record.samples.items[1].cut, scarcities[_i].cut);
    ck_assert_uint_eq(leaf_of(&record, 1)->address, 0x1000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("record/record");
    tcase_set_timeout(tests, 30);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_empty_record_takes_everything_that_has_no_image);
    UNIT_ADD_TABLE(tests, an_image_begins_with_its_message, beginnings);
    UNIT_ADD_TABLE(tests, the_end_of_an_image_follows_the_table, ends);
    UNIT_ADD_TABLE(tests, no_sum_overflows, sums);
    tcase_add_test(tests, nothing_comes_after_the_end);
    tcase_add_test(tests, a_number_that_is_wrong_is_ignored);
    tcase_add_test(tests, an_image_follows_another);
    UNIT_ADD_TABLE(tests, equal_captures_are_added_up, seconds);
    tcase_add_test(tests, a_wait_goes_on_where_it_was_seen);
    tcase_add_test(tests, samples_keep_their_instants);
    UNIT_ADD_TABLE(tests, time_in_faults_is_a_part_of_its_own, fault_parts);
    tcase_add_test(tests, neighbours_are_levelled);
    tcase_add_test(tests, no_wait_overflows);
    tcase_add_test(tests, very_many_waits_are_distinct);
    UNIT_ADD_TABLE(tests, addresses_are_those_of_the_object, places);
    tcase_add_test(tests, a_capture_may_come_before_the_maps);
    tcase_add_test(tests, new_maps_replace_the_old);
    UNIT_ADD_TABLE(tests, the_program_of_an_image_is_known, programs);
    tcase_add_test(tests, threads_have_names);
    tcase_add_test(tests, very_many_threads_share_a_place);
    tcase_add_test(tests, very_many_images_share_places);
    tcase_add_test(tests, memory_that_becomes_scarce_is_shared);
    tcase_add_test(tests, threads_share_when_memory_is_scarce);
    tcase_add_test(tests, many_samples_are_found_again);
    UNIT_ADD_TABLE(tests, hostile_maps_give_nothing, hostile_maps);
    tcase_add_test(tests, stacks_share_their_callers);
    tcase_add_test(tests, stacks_are_merged_where_memory_is_scarce);
    UNIT_ADD_TABLE(tests, kept_frames_follow_the_table, scarcities);
    return unit_end();
}
