/* SPDX-License-Identifier: MIT */
#include "profile/stored/import.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/protobuf.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "profile/stored/pprof_format.h"
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A stored profile that is encoded as a whole: two samples, in main and in work, which is inlined into it. */
struct file {
    struct pprof_profile profile;
    struct pprof_value_type types[2], period_type;
    struct pprof_mapping mapping;
    struct pprof_function functions[2];
    struct pprof_line lines[3];
    struct pprof_location locations[2];
    struct pprof_label labels[2];
    struct pprof_sample samples[2];
    struct pprof_mark mark;
    size_t sample_count, same_samples; /* how often the first one is repeated */
    bool has_mark;
    uint64_t leaf_first[2], only_main[1];
    int64_t values[2][2];
    const char *instants; /* NULL: none */
    size_t instants_size; /* 0: encoded as a number */
};

enum {
    NOTHING,
    SAMPLES,
    COUNT,
    CPU,
    NANOSECONDS,
    PROG,
    MAIN,
    WORK,
    MAIN_C,
    WORK_C,
    COMM,
    HELPER,
    TID,
    BYTES,
    SECONDS,
    ID
};
static const char *const texts[] = {"",     "samples", "count",   "cpu",    "nanoseconds", "/bin/prog",
                                    "main", "work",    "main.c",  "work.c", "comm",        "helper",
                                    "tid",  "bytes",   "seconds", "abcd"};

static void make_types(struct file *file)
{
    file->types[0].type = SAMPLES;
    file->types[0].unit = COUNT;
    file->types[1].type = file->period_type.type = CPU;
    file->types[1].unit = file->period_type.unit = NANOSECONDS;
    file->profile.n_sample_type = 2;
    file->profile.sample_type = file->types;
    file->profile.period_type = &file->period_type;
    file->profile.period = 10000000;
    file->profile.duration_nanos = 1000000000;
}

static void make_code(struct file *file)
{
    static const struct {
        uint64_t function;
        int64_t line;
    } lines[] = {{2, 30}, {1, 12}, {1, 0}};
    file->mapping.id = 1;
    file->mapping.memory_start = 0x1000;
    file->mapping.memory_limit = 0x2000;
    file->mapping.filename = PROG;
    file->mapping.build_id = ID;
    for (size_t i = 0; i < 2; i++) {
        file->functions[i].id = file->locations[i].id = i + 1;
        file->functions[i].name = i ? WORK : MAIN;
        file->locations[i].mapping_id = 1;
        file->locations[i].address = 0x1234 + i;
    }
    file->functions[1].filename = WORK_C;
    for (size_t i = 0; i < 3; i++) {
        file->lines[i].function_id = lines[i].function;
        file->lines[i].line = lines[i].line;
    }
    file->locations[0].n_line = 2;
    file->locations[0].line = file->lines;
    file->locations[1].n_line = 1;
    file->locations[1].line = &file->lines[2];
}

static void make_samples(struct file *file)
{
    for (size_t i = 0; i < 2; i++) {
        file->samples[i].n_value = 2;
        file->samples[i].value = file->values[i];
        file->values[i][0] = i ? 1 : 3;
        file->values[i][1] = i ? 10000000 : 30000000;
    }
    file->labels[0].key = COMM;
    file->labels[0].str = HELPER;
    file->labels[1].key = TID;
    file->labels[1].num = 77;
    file->leaf_first[0] = file->only_main[0] = 2;
    file->leaf_first[1] = 1;
    file->samples[0].n_location_id = 2;
    file->samples[0].location_id = file->leaf_first;
    file->samples[1].n_location_id = 1;
    file->samples[1].location_id = file->only_main;
    file->samples[1].n_label = 2;
    file->samples[1].label = file->labels;
    file->sample_count = 2;
}

static void make_file(struct file *file)
{
    memset(file, 0, sizeof *file);
    make_types(file);
    make_code(file);
    make_samples(file);
}

static uint8_t *pack(const struct file *file, size_t *size)
{
    struct buffer out = {0};
    protobuf_put(&out, &pprof_profile_layout, &file->profile);
    protobuf_put_message(&out, PPROF_MAPPING, &pprof_mapping_layout, &file->mapping);
    for (size_t i = 0; i < 2; i++)
        protobuf_put_message(&out, PPROF_FUNCTION, &pprof_function_layout, &file->functions[i]);
    for (size_t i = 0; i < 2; i++)
        protobuf_put_message(&out, PPROF_LOCATION, &pprof_location_layout, &file->locations[i]);
    for (size_t i = 0; i < file->sample_count; i++)
        protobuf_put_message(&out, PPROF_SAMPLE, &pprof_sample_layout, &file->samples[i]);
    for (size_t i = 0; i < file->same_samples; i++)
        protobuf_put_message(&out, PPROF_SAMPLE, &pprof_sample_layout, &file->samples[0]);
    for (size_t i = 0; i < UNIT_ROWS(texts); i++)
        protobuf_put_bytes(&out, PPROF_TEXT, texts[i], strlen(texts[i]));
    if (file->instants && file->instants_size)
        protobuf_put_bytes(&out, PPROF_INSTANTS, file->instants, file->instants_size);
    else if (file->instants)
        buffer_append(&out, "\x88\xd3\x0e\x05", 4); /* this field, as a number */
    if (file->has_mark)
        protobuf_put_message(&out, PPROF_MARK, &pprof_mark_layout, &file->mark);
    ck_assert(!out.failed);
    *size = out.length;
    return (uint8_t *)out.bytes;
}

/* Reads BYTES as a file. Sets *PROFILE, which the caller frees, or NULL if that fails. */
static int read_bytes(const void *bytes, size_t size, struct profile **profile, struct error *error)
{
    struct builder builder;
    int fd = memfd_create("stored", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    builder_init(&builder);
    int result = import_read(&builder, fd, NULL, error);
    close(fd);
    *profile = builder_finish(&builder);
    if (result < 0) {
        profile_free(*profile);
        *profile = NULL;
    }
    return result;
}

static int read_file(const struct file *file, struct profile **profile, struct error *error)
{
    size_t size;
    uint8_t *bytes = pack(file, &size);
    int result = read_bytes(bytes, size, profile, error);
    free(bytes);
    return result;
}

START_TEST(other_programs_files_are_read)
{
    struct file file;
    struct profile *profile;
    struct error error = {0};
    make_file(&file);
    ck_assert_int_eq(read_file(&file, &profile, &error), 0);
    ck_assert_uint_eq(profile_cpu_ns(profile), 40000000);
    ck_assert_uint_eq(profile->sample_count, 2);
    ck_assert_uint_eq(profile->process_count, 1);
    ck_assert_str_eq(profile->processes[0].comm, "prog");
    ck_assert_uint_eq(profile->thread_count, 2);
    ck_assert_str_eq(profile->threads[0].comm, "prog");
    ck_assert_str_eq(profile->threads[1].comm, "helper");
    ck_assert_int_eq(profile->threads[1].tid, 77);
    const struct profile_sample *sample = &profile->samples[0];
    ck_assert_uint_eq(sample->count, 3);
    ck_assert_int_eq(sample->syscall, -1);
    ck_assert_uint_eq(sample->cut, PROFILE_WHOLE);
    ck_assert_uint_eq(sample->frame_count, 2);
    const struct profile_location *leaf = &profile->locations[profile->frames[sample->frame_first]],
                                  *caller = &profile->locations[profile->frames[sample->frame_first + 1]];
    ck_assert_str_eq(profile->functions[leaf->function].name, "main");
    ck_assert_uint_eq(leaf->line_count, 0);
    ck_assert_uint_eq(caller->line_count, 2);
    const struct profile_line *lines = profile->lines + caller->line_first;
    ck_assert_str_eq(profile->functions[lines[0].function].name, "work");
    ck_assert_str_eq(profile->files[lines[0].file], "work.c");
    ck_assert_uint_eq(lines[1].line, 12);
    ck_assert_uint_eq(lines[1].file, PROFILE_NONE);
    ck_assert_uint_eq(lines[1].function, caller->function);
    ck_assert_str_eq(profile->modules[leaf->module].name, "prog");
    ck_assert_str_eq(profile->modules[leaf->module].build_id, "abcd");
    ck_assert_uint_eq(profile->quality.rate, 100);
    ck_assert_uint_eq(profile->quality.samples, 4);
    ck_assert_uint_eq(profile->quality.wall_ns, 1000000000);
    profile_free(profile);
}
END_TEST

/* Changes of the file, and the result: its CPU time, or why it is refused. */
static void no_change(struct file *file)
{
    (void)file;
}
static void text_too_far(struct file *file)
{
    file->functions[0].name = UNIT_ROWS(texts);
}
static void text_negative(struct file *file)
{
    file->functions[0].name = -1;
}
static void label_too_far(struct file *file)
{
    file->labels[0].str = INT64_MAX;
}
static void unit_too_far(struct file *file)
{
    file->types[1].unit = 99;
}
static void location_missing(struct file *file)
{
    file->leaf_first[0] = 9;
}
static void location_zero(struct file *file)
{
    file->leaf_first[0] = 0;
}
static void location_twice(struct file *file)
{
    file->locations[1].id = 1;
}
static void location_id_zero(struct file *file)
{
    file->locations[1].id = 0;
}
static void location_id_large(struct file *file)
{
    file->locations[1].id = file->leaf_first[0] = file->only_main[0] = UINT64_MAX;
}
static void mapping_missing(struct file *file)
{
    file->locations[0].mapping_id = 7;
}
static void mapping_none(struct file *file)
{
    file->locations[0].mapping_id = 0;
}
static void function_missing(struct file *file)
{
    file->lines[0].function_id = 3;
}
static void value_missing(struct file *file)
{
    file->samples[0].n_value = 1;
}
static void value_negative(struct file *file)
{
    file->values[1][1] = -1;
}
static void count_negative(struct file *file)
{
    file->values[1][0] = INT64_MIN;
}
static void value_huge(struct file *file)
{
    file->types[1].unit = SECONDS, file->values[0][1] = INT64_MAX / 2;
}
static void sum_huge(struct file *file)
{
    file->values[0][1] = file->values[1][1] = INT64_MAX;
}
static void count_huge(struct file *file)
{
    file->values[0][0] = file->values[1][0] = INT64_MAX;
}
static void period_huge(struct file *file)
{
    file->types[1].unit = BYTES, file->profile.period = INT64_MAX;
}
static void no_types(struct file *file)
{
    file->profile.n_sample_type = 0;
}
static void no_times(struct file *file)
{
    file->types[1].unit = BYTES, file->profile.period = 0;
}
static void only_counts(struct file *file)
{
    file->types[1].unit = BYTES;
}
static void in_seconds(struct file *file)
{
    file->types[1].unit = SECONDS;
}
static void no_counts(struct file *file)
{
    file->types[0].unit = BYTES;
}
static void no_stack(struct file *file)
{
    file->samples[1].n_location_id = 0;
}
static void no_samples(struct file *file)
{
    file->sample_count = 0;
}
static void no_lines(struct file *file)
{
    file->locations[0].n_line = file->locations[1].n_line = 0;
}
static void line_negative(struct file *file)
{
    file->lines[0].line = -5;
}
static void tid_huge(struct file *file)
{
    file->labels[1].num = INT64_MAX;
}

/* A stack beyond the limit: many frames with a location of many lines, or with a long name. */
static uint64_t many_frames[1000];
static struct pprof_line many_lines[100];
static void fill_stack(struct file *file, size_t frames, size_t lines)
{
    for (size_t i = 0; i < frames; i++)
        many_frames[i] = 1;
    for (size_t i = 0; i < lines; i++)
        many_lines[i] = file->lines[0];
    file->samples[0].n_location_id = frames;
    file->samples[0].location_id = many_frames;
    file->locations[0].n_line = lines;
    file->locations[0].line = many_lines;
}
static void stack_large(struct file *file)
{
    fill_stack(file, 600, 100);
}
static void stack_too_large(struct file *file)
{
    fill_stack(file, 1000, 100);
}
static void stacks_too_large(struct file *file)
{
    fill_stack(file, 600, 100);
    file->same_samples = 100;
}
static void stacks_many(struct file *file)
{
    fill_stack(file, 512, 64); /* the limits */
    file->same_samples = 1000;
}

/* Entries of sample 0, which has three samples and 30 ms, and of sample 1, which has one and 10 ms. */
static void set_instants(struct file *file, const char *bytes, size_t size)
{
    file->instants = bytes;
    file->instants_size = size;
}
static void instants_fit(struct file *file)
{
    set_instants(file, "\2\2\x80\x87\xa7\x0e\3\4\0\1", 10);
}
static void instants_number(struct file *file)
{
    set_instants(file, "", 0);
}
static void instants_cut(struct file *file)
{
    set_instants(file, "\2\2\x80\x87\xa7", 5);
}
static void instants_of_nothing(struct file *file)
{
    set_instants(file, "\x08\2\1", 3); /* sample 2 */
}
static void instants_too_many(struct file *file)
{
    set_instants(file, "\2\2\1\4", 4);
}
static void instants_too_long(struct file *file)
{
    set_instants(file, "\2\2\x81\x87\xa7\x0e\1", 7);
}
static void instants_waiting(struct file *file)
{
    set_instants(file, "\1\2\1", 3);
}
static void instants_late(struct file *file)
{
    set_instants(file, "\0\x80\x80\x88\xfc\xcd\xbc\xc3\x23\1", 10);
}
static void mark_of_no_text(struct file *file)
{
    file->mark.text = 77;
    file->has_mark = true;
}

static const struct {
    void (*change)(struct file *file);
    int result;
    const char *text; /* a part of the error */
    uint64_t cpu_ns;
} changes[] = {
    {no_change, 0, NULL, 40000000},
    {text_too_far, -EBADMSG, "refers to text 16 of 16", 0},
    {text_negative, -EBADMSG, "refers to text -1", 0},
    {label_too_far, -EBADMSG, "refers to text", 0},
    {unit_too_far, -EBADMSG, "refers to text 99", 0},
    {location_missing, -EBADMSG, "location 9", 0},
    {location_zero, -EBADMSG, "location 0", 0},
    {location_twice, -EBADMSG, "two locations", 0},
    {location_id_zero, -EBADMSG, "the id 0", 0},
    {location_id_large, 0, NULL, 40000000},
    {mapping_missing, -EBADMSG, "mapping 7", 0},
    {mapping_none, 0, NULL, 40000000},
    {function_missing, -EBADMSG, "function 3", 0},
    {value_missing, -EBADMSG, "1 values, not 2", 0},
    {value_negative, -EBADMSG, "negative", 0},
    {count_negative, -EBADMSG, "negative", 0},
    {value_huge, -EBADMSG, "more than can be true", 0},
    {sum_huge, -EBADMSG, "more than can be true", 0},
    {count_huge, -EBADMSG, "more than can be true", 0},
    {period_huge, -EBADMSG, "more than can be true", 0},
    {no_types, -EBADMSG, "no sample types", 0},
    {no_times, -EBADMSG, "its values are samples (count), cpu (bytes)", 0},
    {only_counts, 0, NULL, 40000000},
    {in_seconds, 0, NULL, UINT64_C(40000000) * 1000000000},
    {no_counts, 0, NULL, 40000000},
    {no_stack, 0, NULL, 40000000},
    {no_samples, 0, NULL, 0},
    {no_lines, 0, NULL, 40000000},
    {line_negative, 0, NULL, 40000000},
    {tid_huge, 0, NULL, 40000000},
    {stack_large, 0, NULL, 40000000},
    {stack_too_large, -EBADMSG, "a stack of more than 65536 functions", 0},
    {stacks_too_large, -EBADMSG, "too many inlined functions", 0},
    {stacks_many, 0, NULL, 30040000000},
    {instants_fit, 0, NULL, 40000000},
    {instants_number, 0, NULL, 40000000},
    {instants_cut, -EBADMSG, "times of its samples are damaged", 0},
    {instants_of_nothing, -EBADMSG, "do not fit", 0},
    {instants_too_many, -EBADMSG, "do not fit", 0},
    {instants_too_long, -EBADMSG, "do not fit", 0},
    {instants_waiting, -EBADMSG, "do not fit", 0},
    {instants_late, -EBADMSG, "do not fit", 0},
    {mark_of_no_text, -EBADMSG, "refers to text 77", 0},
};

START_TEST(broken_references_are_reported)
{
    struct file file;
    struct profile *profile;
    struct error error = {0};
    make_file(&file);
    changes[_i].change(&file);
    ck_assert_msg(read_file(&file, &profile, &error) == changes[_i].result, "%s", error.text);
    if (changes[_i].text)
        ck_assert_msg(strstr(error.text, changes[_i].text) != NULL, "%s", error.text);
    else
        ck_assert_uint_eq(profile_cpu_ns(profile), changes[_i].cpu_ns);
    profile_free(profile);
}
END_TEST

START_TEST(a_sample_without_a_stack_is_unknown)
{
    struct file file;
    struct profile *profile;
    struct error error = {0};
    make_file(&file);
    no_stack(&file);
    ck_assert_int_eq(read_file(&file, &profile, &error), 0);
    ck_assert_uint_eq(profile->samples[1].frame_count, 1);
    const struct profile_location *leaf = &profile->locations[profile->frames[profile->samples[1].frame_first]];
    ck_assert_str_eq(profile->functions[leaf->function].name, "[unknown]");
    ck_assert_str_eq(profile->modules[leaf->module].path, "[unknown]");
    profile_free(profile);
}
END_TEST

START_TEST(samples_without_a_count_have_that_of_their_periods)
{
    struct file file;
    struct profile *profile;
    struct error error = {0};
    make_file(&file);
    no_counts(&file);
    ck_assert_int_eq(read_file(&file, &profile, &error), 0);
    ck_assert_uint_eq(profile->samples[0].count, 3);
    profile_free(profile);
}
END_TEST

/* With any bytes missing or changed, the file is read or refused. */
START_TEST(damage_is_harmless)
{
    struct file file;
    size_t size, refused = 0;
    make_file(&file);
    uint8_t *bytes = pack(&file, &size);
    for (size_t i = 0; i < size; i++) {
        struct profile *profile;
        struct error error = {0};
        refused += read_bytes(bytes, i, &profile, &error) < 0;
        profile_free(profile);
        for (unsigned bit = 0; bit < 8; bit++) {
            struct error again = {0};
            bytes[i] ^= (uint8_t)(1 << bit);
            int result = read_bytes(bytes, size, &profile, &again);
            ck_assert(result == 0 || (again.errnum == -result && again.text[0]));
            bytes[i] ^= (uint8_t)(1 << bit);
            profile_free(profile);
        }
    }
    ck_assert_uint_gt(refused, size / 2);
    free(bytes);
}
END_TEST

static const struct {
    const char *what, *bytes;
    size_t size;
    const char *text;
} garbage[] = {
    {"nothing", "", 0, "is empty"},
    {"text", "hello, world\n", 13, "not a stored profile"},
    {"field 0", "\0\0\0\0", 4, "at byte"},
    {"a group", "\x0b\x0c", 2, "at byte"},
    {"a length that ends nowhere", "\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "at byte"},
    {"a number that ends nowhere", "\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 13, "at byte"},
    {"a number for a table", "\x30\x05", 2, "a text of"},
    {"a number for a type", "\x08\x05", 2, "a type of values is damaged"},
    {"an unknown field", "\xfa\xff\x7f\x02hi", 6, "no sample types"},
};

START_TEST(garbage_is_refused)
{
    struct profile *profile;
    struct error error = {0};
    ck_assert_int_eq(read_bytes(garbage[_i].bytes, garbage[_i].size, &profile, &error), -EBADMSG);
    ck_assert_msg(strstr(error.text, garbage[_i].text) != NULL, "%s: %s", garbage[_i].what, error.text);
}
END_TEST

/* Correctly encoded entries with unreasonable values. */
static const struct {
    uint8_t tag;
    size_t size;
    const char *text;
} large[] = {{0x32, 3 << 20, "a text of"}, {0x0a, 3 << 20, "type of values"}};

START_TEST(large_entries_are_refused)
{
    uint8_t *bytes = calloc(1, large[_i].size + 5);
    struct profile *profile;
    struct error error = {0};
    bytes[0] = large[_i].tag;
    for (size_t i = 0, left = large[_i].size; i < 4; i++, left >>= 7)
        bytes[1 + i] = (uint8_t)((left & 0x7f) | (i < 3 ? 0x80 : 0));
    memset(bytes + 5, 'x', large[_i].size);
    ck_assert_int_eq(read_bytes(bytes, large[_i].size + 5, &profile, &error), -EBADMSG);
    ck_assert_msg(strstr(error.text, large[_i].text) != NULL, "%s", error.text);
    free(bytes);
}
END_TEST

START_TEST(a_directory_cannot_be_read)
{
    struct builder builder;
    struct error error = {0};
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    builder_init(&builder);
    ck_assert_int_eq(import_read(&builder, pipes[1], NULL, &error), -EBADF);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be read"));
    profile_free(builder_finish(&builder));
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

/* If two counters had one field number, one would be read as the other. */
START_TEST(numbers_of_fields_differ)
{
    const struct protobuf_layout *layout = &pprof_quality_layout;

    for (size_t i = 0; i < layout->count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_ne(layout->fields[i].number, layout->fields[j].number);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored/stored");
    tcase_add_test(tests, numbers_of_fields_differ);
    tcase_add_test(tests, other_programs_files_are_read);
    UNIT_ADD_TABLE(tests, broken_references_are_reported, changes);
    tcase_add_test(tests, a_sample_without_a_stack_is_unknown);
    tcase_add_test(tests, samples_without_a_count_have_that_of_their_periods);
    tcase_add_test(tests, damage_is_harmless);
    UNIT_ADD_TABLE(tests, garbage_is_refused, garbage);
    UNIT_ADD_TABLE(tests, large_entries_are_refused, large);
    tcase_add_test(tests, a_directory_cannot_be_read);
    return unit_end();
}
