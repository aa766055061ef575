/* SPDX-License-Identifier: MIT
 *
 * The record over several intervals. */
#include "front/record/record.h"

#include "test_record.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char maps[] = "1000-2000 r-xp 00000000 08:01 7 /no/such/program\n"
                           "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n";

/* A record with image 1 of process 100, with the maps above. */
static struct record record_of_one(void)
{
    struct record record = {0};
    record_image_begins(&record, 1, 100, 0, "one");
    record_image_command(&record, 1, "one --secret");
    record_maps(&record, 1, maps);
    return record;
}

static uint64_t sampled_ns(const struct record *record)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < record->samples.count; i++)
        sum += record->samples.items[i].cpu_ns;
    return sum;
}

/* Adds a capture of thread TID at PC, called from CALLER. */
static void capture_two(struct record *record, pid_t tid, uint64_t pc, uint64_t caller, bool waiting)
{
    const struct unwind_frame frames[] = {{.pc = pc}, {.pc = caller, .call = true}};
    record_capture(record, &(struct record_capture){.image = 1,
                                                    .tid = tid,
                                                    .syscall = waiting ? 7 : -1,
                                                    .weight_ns = waiting ? 0 : 10,
                                                    .wait_ns = waiting ? 5 : 0,
                                                    .waiting = waiting,
                                                    .frames = frames,
                                                    .frame_count = 2});
}

START_TEST(nothing_sampled_remains)
{
    struct record record = record_of_one();
    record_mark(&record, 5, "mark");
    for (uint64_t pc = 0x1000; pc < 0x1800; pc++)
        capture_two(&record, 100, pc, 0x2000, false);
    record_renew(&record);
    ck_assert_uint_eq(record.samples.count, 0);
    ck_assert_uint_eq(record.nodes.count, 0);
    ck_assert_uint_eq(record.marks.count, 0);
    ck_assert_uint_eq(record.instants.count, 0);
    ck_assert_uint_eq(record.sample_count, 0);
    ck_assert_uint_eq(record.ns, 0);
    record_fini(&record);
}
END_TEST

START_TEST(a_running_image_is_known_as_before)
{
    struct record record = record_of_one();
    record_image_begins(&record, 2, 200, 3, "two");
    record_image_executable(&record, 1, 77);
    record_image_rank(&record, 1, 4, 8, "job7");
    capture_leaf(&record, 1, 101, 0x1234, -1, 10);
    record_thread_named(&record, 1, 101, "worker");
    record_image_ends(&record, 2, 0, 0, "two");
    record_renew(&record);
    ck_assert_uint_eq(record.images.count, 1);
    const struct record_image *image = record_running_image(&record, 1);
    ck_assert_ptr_nonnull(image);
    ck_assert_int_eq(image->pid, 100);
    ck_assert_uint_eq(image->map.count, 2);
    ck_assert_uint_eq(image->executable, 77);
    ck_assert(image->has_rank && image->rank == 4 && image->ranks == 8);
    ck_assert_str_eq(record.commands.items[image->command], "one --secret");
    ck_assert_str_eq(record.commands.items[image->job], "job7");
    capture_leaf(&record, 1, 101, 0x1234, -1, 10);
    ck_assert_uint_eq(record.samples.count, 1);
    ck_assert_str_eq(record.threads.items[record.samples.items[0].thread].comm, "worker");
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x234);
    record_fini(&record);
}
END_TEST

/* An image's CPU time is reported only at its end. The part in earlier intervals is not counted again. */
START_TEST(times_add_up_over_intervals)
{
    struct record record = record_of_one();
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        capture_leaf(&record, 1, 100, 0x1000, -1, 100);
        sum += sampled_ns(&record);
        record_renew(&record);
    }
    capture_leaf(&record, 1, 100, 0x1000, -1, 100);
    record_image_ends(&record, 1, 450, 0, "one");
    sum += sampled_ns(&record) + record.images.items[0].unsampled_ns;
    ck_assert_uint_eq(sum, 450);
    ck_assert_uint_eq(record.images.items[0].cpu_ns, 150);
    ck_assert_uint_eq(record.images.items[0].unsampled_ns, 50);
    record_fini(&record);
}
END_TEST

/* Time that was not levelled yet belongs to the interval in which it was spent. */
START_TEST(no_time_is_left_in_the_pool)
{
    struct record record = record_of_one();
    const struct unwind_frame leaf = {.pc = 0x1000};
    uint64_t sum = 0, given = 0;
    for (uint64_t i = 1; i <= 40; i++) {
        record_capture(&record, &(struct record_capture){.image = 1,
                                                         .tid = 100,
                                                         .syscall = -1,
                                                         .time_ns = i * 1000000,
                                                         .weight_ns = i % 7 ? 1000000 : 9000000,
                                                         .period_ns = 1000000,
                                                         .frames = &leaf,
                                                         .frame_count = 1});
        given += i % 7 ? 1000000 : 9000000;
        if (i % 10)
            continue;
        record_levels_end(&record, HASH_NONE);
        sum += sampled_ns(&record);
        ck_assert_uint_eq(sum, given);
        record_renew(&record);
    }
    record_fini(&record);
}
END_TEST

START_TEST(a_wait_goes_on)
{
    struct record record = record_of_one();
    capture_two(&record, 100, 0x1100, 0x2000, false);
    capture_two(&record, 101, 0x1200, 0x2100, true);
    record_renew(&record);
    ck_assert_uint_eq(record.waits.count, 1);
    ck_assert_uint_eq(record.samples.count, 1);
    ck_assert_uint_eq(record.samples.items[0].count + record.samples.items[0].wait_ns, 0);
    record_renew(&record);
    record_waited(&record, 1, 101, 9, 3, 30, 0, true);
    ck_assert_uint_eq(record.waits.count, 0);
    ck_assert_uint_eq(record.samples.count, 1);
    ck_assert_uint_eq(record.samples.items[0].wait_ns, 30);
    ck_assert_int_eq(record.samples.items[0].syscall, 7);
    ck_assert_int_eq(record.threads.items[record.samples.items[0].thread].tid, 101);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x200);
    ck_assert_uint_eq(record.nodes.items[leaf_of(&record, 0)->parent].address, 0x10ff);
    /* all of its time: 5 before, 30 now, and 15 without samples */
    record_image_ends(&record, 1, 10, 50, "one");
    ck_assert_uint_eq(record.images.items[0].unsampled_wait_ns, 15);
    record_fini(&record);
}
END_TEST

/* An image does not keep its ended threads. */
START_TEST(memory_does_not_grow_with_intervals)
{
    struct record record = record_of_one();
    pid_t tid = 1000;
    uint64_t bytes = 0;
    for (int i = 0; i < 1000; i++) {
        for (int thread = 0; thread < 300; thread++)
            capture_leaf(&record, 1, tid++, 0x1000 + (uint64_t)i % 0x1000, -1, 1);
        record_image_begins(&record, 10 + (uint32_t)i, 5000 + i, 0, "short");
        record_image_command(&record, 10 + (uint32_t)i, "short");
        record_image_ends(&record, 10 + (uint32_t)i, 5, 0, "short");
        if (i == 10)
            bytes = record_bytes(&record);
        ck_assert(i <= 10 || record_bytes(&record) <= bytes);
        record_renew(&record);
        ck_assert_uint_eq(record.images.count, 1);
    }
    ck_assert_uint_le(record.threads.room, 2048);
    ck_assert(!record.out_of_memory);
    record_fini(&record);
}
END_TEST

/* Ends an interval like a session. BYTES is the size of each object. */
static void renew_and_forget(struct record *record, uint64_t bytes)
{
    uint64_t sizes[1000];
    uint32_t numbers[1000];
    record_renew(record);
    ck_assert_uint_lt(record->objects.count, UNIT_ROWS(sizes));
    for (size_t i = 0; i < UNIT_ROWS(sizes); i++)
        sizes[i] = bytes;
    objects_forget(&record->objects, numbers, objects_unneeded(&record->objects, sizes, numbers));
}

/* Process IMAGE runs the file INODE, has a sample there, and ends. Returns the file's number. */
static uint32_t run_file(struct record *record, uint32_t image, unsigned inode)
{
    char text[100];
    snprintf(text, sizeof text, "7000-8000 r-xp 00000000 08:01 %u /no/such/file-%u\n", inode, inode);
    record_image_begins(record, image, (pid_t)(1000 + image), 0, "short");
    record_maps(record, image, text);
    capture_leaf(record, image, 1, 0x7000, -1, 10);
    uint32_t number = leaf_of(record, record->samples.count - 1)->object;
    ck_assert_uint_eq(record->objects.items[number].inode, inode);
    record_image_ends(record, image, 10, 0, "short");
    return number;
}

enum { OFTEN = 5, NEW_IN_AN_INTERVAL = 10 };

/* Each interval has new files. Image 1 runs all the time without a sample. File 99 runs in every fifth interval. */
START_TEST(files_that_are_unused_for_long_are_forgotten)
{
    static const uint64_t bytes[] = {0, OBJECTS_UNUSED_BYTES / 50 + 1};
    static const size_t most[] = {OBJECTS_UNUSED, 50};
    struct record record = record_of_one();
    uint32_t image = 2, often = HASH_NONE;
    for (uint32_t interval = 0; interval < 100; interval++) {
        if (interval % OFTEN == 0) {
            uint32_t number = run_file(&record, image++, 99);
            ck_assert(often == HASH_NONE || _i || number == often);
            often = number;
        }
        for (uint32_t i = 0; i < NEW_IN_AN_INTERVAL; i++, image++)
            run_file(&record, image, 1000 + image);
        renew_and_forget(&record, bytes[_i]);
    }
    ck_assert_uint_le(record.objects.count, 2 + most[_i] + 2 * NEW_IN_AN_INTERVAL + 1);
    const struct record_image *kept = record_running_image(&record, 1);
    ck_assert_str_eq(record.objects.items[kept->objects[0]].path, "/no/such/program");
    for (int i = 0; i <= OBJECTS_UNUSED_INTERVALS + 1; i++)
        renew_and_forget(&record, 0);
    ck_assert_uint_eq(record.objects.vacant.count, record.objects.count - 1); /* all except image 1's */
    record_fini(&record);
}
END_TEST

/* Each interval has new interpreted functions, and a thread waits in an old one. */
START_TEST(functions_of_waiting_threads_are_kept)
{
    struct record record = record_of_one();
    for (uint32_t interval = 0; interval < 50; interval++) {
        char name[32];
        snprintf(name, sizeof name, "new_%u", interval);
        for (uint32_t i = 0; i < 20; i++)
            record_script(&record, 1, "[python]", name, "/new.py", 1000 + i);
        if (!interval) {
            uint32_t number = record_script(&record, 1, "[python]", "waits", "/old.py", 7);
            struct unwind_frame frame = {.pc = scripts_address(number, 9), .call = true, .language = 1};
            record_capture(&record, &(struct record_capture){.image = 1,
                                                             .tid = 101,
                                                             .syscall = 7,
                                                             .wait_ns = 5,
                                                             .waiting = true,
                                                             .frames = &frame,
                                                             .frame_count = 1});
        }
        record_waited(&record, 1, 101, 100 + interval, 1, 30, 0, false);
        const struct record_node *leaf = leaf_of(&record, 0);
        const struct script *script = &record.scripts.items[scripts_number_of(leaf->address)];
        ck_assert_uint_eq(scripts_line_of(leaf->address), 9);
        ck_assert_str_eq(record.scripts.texts.items[script->name], "waits");
        ck_assert_str_eq(scripts_file(&record.scripts, scripts_number_of(leaf->address)), "/old.py");
        ck_assert_uint_eq(script->first_line, 7);
        record_renew(&record);
        ck_assert_uint_eq(record.scripts.count, 1);
    }
    record_fini(&record);
}
END_TEST

/* Each process generates code. Some of these processes still exist in the next interval. */
START_TEST(generated_code_of_ended_processes_is_forgotten)
{
    static const char made[] = "7000-8000 r-xp 00000000 00:00 0 \n";
    struct record record = {0};
    uint32_t kept = HASH_NONE;
    record_image_begins(&record, 1, 100, 0, "one");
    record_maps(&record, 1, made);
    for (uint32_t interval = 0; interval < 50; interval++) {
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t image = 2 + interval * 20 + i;
            record_image_begins(&record, image, (pid_t)(1000 + image), 0, "short");
            record_maps(&record, image, made);
            capture_leaf(&record, image, 1, 0x7000, -1, 10);
            if (interval)
                record_image_ends(&record, image - 20, 10, 0, "short");
        }
        capture_leaf(&record, 1, 100, 0x7000, -1, 10);
        const struct record_node *leaf = leaf_of(&record, record.samples.count - 1);
        ck_assert(kept == HASH_NONE || leaf->object == kept);
        kept = leaf->object;
        ck_assert_int_eq(record.objects.items[kept].pid, 100);
        renew_and_forget(&record, 0);
    }
    ck_assert_uint_le(record.objects.count, 2 * 20 + 2);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("record/renew");
    tcase_add_test(tests, nothing_sampled_remains);
    tcase_add_test(tests, a_running_image_is_known_as_before);
    tcase_add_test(tests, times_add_up_over_intervals);
    tcase_add_test(tests, no_time_is_left_in_the_pool);
    tcase_add_test(tests, a_wait_goes_on);
    tcase_add_test(tests, memory_does_not_grow_with_intervals);
    tcase_add_loop_test(tests, files_that_are_unused_for_long_are_forgotten, 0, 2);
    tcase_add_test(tests, functions_of_waiting_threads_are_kept);
    tcase_add_test(tests, generated_code_of_ended_processes_is_forgotten);
    return unit_end();
}
