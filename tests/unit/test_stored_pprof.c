/* SPDX-License-Identifier: MIT
 *
 * Stored profiles are written and read again. tests/e2e/report.sh tests them with other programs. */
#include "common/model/quality.h"
#include "profile/profile/merge.h"
#include "profile/stored/import.h"
#include "profile/stored/writers.h"
#include "test_report.h"

#include <errno.h>
#include <unistd.h>

/* Writes PROFILE to a new file. Returns its descriptor, with the offset at the beginning. */
static int stored_file(const struct profile *profile)
{
    FILE *stream = tmpfile();
    struct report_options options = REPORT_OPTIONS_FULL;
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(stored_pprof_write(profile, &options, stream), 0);
    int fd = dup(fileno(stream));
    ck_assert_int_ge(fd, 0);
    fclose(stream);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static struct profile *read_back(const struct profile *profile)
{
    struct output output = output_of(report_format_by_name("pprof"), profile, 0);
    struct profile *back = stored_profile(&output);
    free(output.bytes);
    return back;
}

/* Checks that both profiles are stored as the same bytes. */
static void assert_same_file(const struct profile *one, const struct profile *other)
{
    char first[4096], second[4096];
    int fd = stored_file(one), other_fd = stored_file(other);
    ssize_t got;
    do {
        got = read(fd, first, sizeof first);
        ck_assert_int_eq(read(other_fd, second, sizeof second), got);
        ck_assert(got <= 0 || !memcmp(first, second, (size_t)got));
    } while (got > 0);
    ck_assert_int_eq(got, 0);
    close(fd);
    close(other_fd);
}

static void assert_same_text(report_writer *writer, const struct profile *one, const struct profile *other,
                             enum report_by by)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    options.by = by;
    char *first = written(writer, one, options), *second = written(writer, other, options);
    ck_assert_msg(!strcmp(first, second), "%.2000s---\n%.2000s", first, second);
    free(first);
    free(second);
}

static struct profile *empty(void)
{
    return make_profile(NULL);
}

/* A profile with every kind of data. */
static struct profile *full(void)
{
    struct profile *profile = make_example();
    static const struct profile_line lines[] = {{3, 0, 12}, {2, 1, 0}, {4, PROFILE_NONE, 7}, {4, 0, 9}};
    profile->files = made_room(NULL, 2, sizeof *profile->files);
    profile->files[0] = strdup("/src/tree.c");
    profile->files[1] = strdup("");
    profile->file_count = 2;
    profile->lines = made_room(NULL, 4, sizeof lines);
    memcpy(profile->lines, lines, sizeof lines);
    profile->line_count = 4;
    profile->locations[2].line_count = 2;
    profile->locations[4].line_first = 2;
    profile->locations[4].line_count = 2;
    profile->functions[3].linkage_name = strdup("_Z11walk_tree_1");
    profile->functions[3].start = 0x600000;
    profile->functions[3].end = 0x600100;
    profile->modules[1].build_id = strdup("0123456789abcdef");
    profile->modules[1].text_offset = 0x1000;
    profile->modules[1].no_symbols = profile->modules[1].is_compat = profile->modules[2].deleted = true;
    profile->processes[1].module = 1;
    profile->samples[2].cut = PROFILE_TRUNCATED;
    profile->samples[6].cut = PROFILE_UNKNOWN;
    profile->samples[0].cut = PROFILE_MERGED;
    profile->quality.lowest_rate = 40;
    profile->quality.last_rate = 50;
    profile->quality.changes[0] = (struct profile_rate_change){UINT64_C(300000000), 70};
    profile->quality.changes[1] = (struct profile_rate_change){UINT64_C(9000000001), 50};
    profile->quality.change_count = 2;
    profile->quality.began_ns = UINT64_C(1700000000) * 1000000000;
    profile->quality.counters[QUALITY_lost_full] = 5;
    profile->quality.counters[QUALITY_guessed] = 6;
    profile->quality.counters[QUALITY_lost_ambiguous] = 6;
    profile->quality.counters[QUALITY_lost_elsewhere] = 7;
    profile->quality.counters[QUALITY_lost_stop] = 8;
    profile->quality.counters[QUALITY_lost_rate] = 9;
    profile->quality.counters[QUALITY_lost_unsampled] = 10;
    profile->quality.counters[QUALITY_lost_crowd] = 11;
    profile->quality.signal = 11;
    profile->quality.ended_early = "the tracer was killed";
    instants_add(&profile->instants, &(struct instant){1000000, 1, 200, 2000000000, 0});
    instants_add(&profile->instants, &(struct instant){999000, 6, 1, 9000000, 0});
    instants_add(&profile->instants, &(struct instant){2000000000, 1, 9, 99999999, 0});
    instants_lack(&profile->instants, 2500000000);
    add_mark(profile, 1500000, "half\n<way>");
    add_mark(profile, 0, "");
    return profile;
}

/* Functions with the names of special frames. */
static struct profile *misleading(void)
{
    static const char *const names[] = {"[unsampled]", "[truncated]", "[unknown]", "[read]", "[syscall_7]", "[]"};
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 0, 0, ""), 0, "");
    uint32_t unknown = make_module(profile, "[unknown]", 0, 0), kernel = make_module(profile, "[kernel]", 0, 0);
    for (size_t i = 0; i < UNIT_ROWS(names); i++) {
        uint32_t one = make_frame(profile, unknown, names[i], 0x10), other = make_frame(profile, kernel, names[i], 1);
        ADD_STACK(profile, thread, -1, 1, 1000, one);
        ADD_STACK(profile, thread, -1, 1, 1001, one, other, one);
        ADD_STACK(profile, thread, 12345, 1, 1002, other);
    }
    return profile;
}

static struct profile *hostile(void)
{
    static const char *const names[] = {"a\"b\\c",      "a;b",          "new\nline\r\t", "\xff\xfe",
                                        "\xc3(",        "\xed\xa0\x80", "\x1b[31m",      "\xe2\x80\xae",
                                        "na\xc3\xafve", "%s%n",         "<b>&amp;",      "\x7f"};
    struct profile *profile = make_profile("sh -c 'a\nb\xff'");
    char *large = made_room(NULL, 60001, 1);
    memset(large, 'x', 60000);
    large[60000] = 0;
    large[30000] = '\xff';
    for (size_t i = 0; i <= UNIT_ROWS(names); i++) {
        const char *name = i < UNIT_ROWS(names) ? names[i] : large;
        uint32_t thread = make_thread(profile, make_process(profile, (pid_t)i + 1, 0, name), 1, name);
        ADD_STACK(profile, thread, -1, 1, 1000 * (i + 1),
                  make_frame(profile, make_module(profile, name, 0, 100), name, i));
    }
    free(large);
    return profile;
}

/* Two objects with one name, as for generated code of two processes. */
static struct profile *twice_the_same(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
    for (unsigned i = 0; i < 2; i++)
        ADD_STACK(profile, thread, -1, 1, 5000, make_frame(profile, make_module(profile, "[jit]", 0, 0), "f", 8));
    return profile;
}

static struct profile *(*const makers[])(void) = {empty,          make_example,        full, misleading, hostile,
                                                  twice_the_same, make_waiting_example};

START_TEST(stored_profiles_are_read)
{
    struct profile *profile = makers[_i](), *back = read_back(profile);
    ck_assert_uint_eq(profile_cpu_ns(back), profile_cpu_ns(profile));
    ck_assert_uint_eq(profile_wait_ns(back), profile_wait_ns(profile));
    ck_assert_uint_eq(back->process_count, profile->process_count);
    assert_same_file(profile, back);
    ck_assert_uint_eq(back->instants.count, profile->instants.count);
    ck_assert_uint_eq(back->mark_count, profile->mark_count);
    for (enum report_by by = REPORT_BY_FUNCTION; by <= REPORT_BY_SYSCALL; by++)
        assert_same_text(report_flat_write, profile, back, by);
    assert_same_text(report_folded_write, profile, back, REPORT_BY_FUNCTION);
    profile_free(back);
    profile_free(profile);
}
END_TEST

/* Viewers would remove the parameters from a name that occurs twice. */
START_TEST(plain_names_stand_once)
{
    static const char name[] = "(anonymous namespace)::walk<int>::operator()";
    struct profile *profile = full();
    struct profile_function *function = &profile->functions[3];
    free(function->name);
    free(function->linkage_name);
    function->name = strdup(name);
    function->linkage_name = strdup(name);
    struct profile *back = read_back(profile);
    const struct profile_location *walk = &back->locations[back->frames[back->samples[2].frame_first + 1]];
    ck_assert_str_eq(back->functions[walk->function].name, name);
    ck_assert_str_eq(back->functions[walk->function].linkage_name, name);
    profile_free(back);
    profile_free(profile);
}
END_TEST

START_TEST(details_come_back)
{
    struct profile *profile = full(), *back = read_back(profile);
    const struct profile_sample *sample = &back->samples[2];
    const struct profile_location *leaf = &back->locations[back->frames[sample->frame_first]],
                                  *walk = &back->locations[back->frames[sample->frame_first + 1]];
    ck_assert_uint_eq(sample->cut, PROFILE_TRUNCATED);
    ck_assert_uint_eq(back->samples[0].cut, PROFILE_MERGED);
    ck_assert_str_eq(back->functions[walk->function].name, profile->functions[3].name);
    ck_assert_str_eq(back->functions[walk->function].linkage_name, "_Z11walk_tree_1");
    ck_assert_uint_eq(back->functions[walk->function].start, 0x600000);
    ck_assert_uint_eq(back->functions[walk->function].end, 0x600100);
    ck_assert_uint_eq(leaf->line_count, 2);
    ck_assert_uint_eq(back->lines[leaf->line_first].line, 7);
    ck_assert_uint_eq(back->lines[leaf->line_first].file, PROFILE_NONE);
    ck_assert_str_eq(back->files[back->lines[leaf->line_first + 1].file], "/src/tree.c");
    ck_assert_str_eq(back->modules[leaf->module].build_id, "0123456789abcdef");
    ck_assert_uint_eq(back->modules[leaf->module].text_offset, 0x1000);
    for (uint32_t i = 0; i < back->module_count; i++)
        ck_assert(back->modules[i].is_compat == (i == leaf->module));
    ck_assert(back->modules[leaf->module].no_symbols && back->modules[leaf->module].executable);
    ck_assert_uint_eq(back->processes[1].module, leaf->module);
    ck_assert_str_eq(back->processes[3].not_sampled, "32-bit program");
    ck_assert_ptr_null(back->processes[0].command);
    ck_assert_str_eq(back->processes[2].command, profile->processes[2].command);
    ck_assert_str_eq(back->quality.ended_early, "the tracer was killed");
    ck_assert_str_eq(back->command, profile->command);
    const char *early = back->quality.ended_early;
    back->quality.ended_early = profile->quality.ended_early;
    ck_assert_mem_eq(&back->quality, &profile->quality, sizeof back->quality);
    back->quality.ended_early = early;
    profile_free(back);
    profile_free(profile);
}
END_TEST

/* Reads a stored profile with sources named by user 1000. The file's owner is OWNER. */
static struct profile_sources sources_in_file_of(struct viewer owner)
{
    struct profile *profile = make_example();
    struct builder builder;
    profile->modules[1].sources = (struct profile_sources){.kind = PROFILE_SOURCES_ELSEWHERE, .viewer = {1000, 100}};
    int fd = stored_file(profile);
    builder_init(&builder);
    builder.viewer = owner;
    ck_assert_int_eq(import_read(&builder, fd, NULL, NULL), 0);
    close(fd);
    struct profile *back = builder_finish(&builder);
    ck_assert_ptr_nonnull(back);
    struct profile_sources sources = {.kind = PROFILE_SOURCES_NONE};
    for (size_t i = 0; i < back->module_count; i++)
        if (!strcmp(back->modules[i].path, profile->modules[1].path))
            sources = back->modules[i].sources;
    profile_free(back);
    profile_free(profile);
    return sources;
}

/* A file of another user must not make its reader open files that only a third user may read. */
START_TEST(sources_come_back)
{
    struct profile_sources own = sources_in_file_of((struct viewer){0});
    struct profile_sources others = sources_in_file_of((struct viewer){7, 8});
    ck_assert_int_eq(own.kind, PROFILE_SOURCES_ELSEWHERE);
    ck_assert_uint_eq(own.viewer.user, 1000);
    ck_assert_uint_eq(own.viewer.group, 100);
    ck_assert_int_eq(others.kind, PROFILE_SOURCES_ELSEWHERE);
    ck_assert_uint_eq(others.viewer.user, 7);
    ck_assert_uint_eq(others.viewer.group, 8);
}
END_TEST

static void assert_rank(const struct profile_rank *rank, bool known, uint32_t number, const char *host, const char *job)
{
    ck_assert_int_eq(rank->known, known);
    ck_assert_uint_eq(rank->number, number);
    ck_assert_pstr_eq(rank->host, host);
    ck_assert_pstr_eq(rank->job, job);
}

/* Ranks distinguish processes that are otherwise equal, and rank 0 is a rank. */
START_TEST(ranks_come_back)
{
    struct profile *profile = make_example();
    for (uint32_t i = 1; i <= 2; i++) {
        profile->processes[i].pid = 7;
        profile->processes[i].command = "app";
        profile->processes[i].rank = (struct profile_rank){true, i - 1, 2, "node", i == 2 ? "4711.pbs" : NULL};
    }
    struct profile *back = read_back(profile);
    ck_assert_uint_eq(back->process_count, profile->process_count);
    assert_rank(&back->processes[0].rank, false, 0, NULL, NULL);
    assert_rank(&back->processes[1].rank, true, 0, "node", NULL);
    assert_rank(&back->processes[2].rank, true, 1, "node", "4711.pbs");
    ck_assert_uint_eq(back->processes[1].rank.count, 2);
    profile_free(back);
    profile_free(profile);
}
END_TEST

static void assert_same_times(const struct profile *one, const struct profile *other)
{
    ck_assert_uint_eq(one->instants.count, other->instants.count);
    ck_assert_uint_eq(one->instants.until_ns, other->instants.until_ns);
    ck_assert_uint_eq(one->instants.bytes.length, other->instants.bytes.length);
    if (one->instants.bytes.length)
        ck_assert_mem_eq(one->instants.bytes.bytes, other->instants.bytes.bytes, one->instants.bytes.length);
    ck_assert_uint_eq(one->mark_count, other->mark_count);
    for (size_t i = 0; i < one->mark_count; i++)
        ck_assert_uint_eq(one->marks[i].time_ns, other->marks[i].time_ns);
}

/* Reading two files is the same operation as merging their profiles. */
START_TEST(files_merge_as_profiles_do)
{
    struct profile *one = make_example(), *other = makers[_i]();
    struct builder files, profiles;
    struct error error = {0};
    int first = stored_file(one), second = stored_file(other);
    builder_init(&files);
    builder_init(&profiles);
    merge_profile(&profiles, one);
    merge_profile(&profiles, other);
    ck_assert_int_eq(import_read(&files, first, NULL, &error), 0);
    ck_assert_int_eq(import_read(&files, second, NULL, &error), 0);
    struct profile *read = builder_finish(&files), *merged = builder_finish(&profiles);
    ck_assert_uint_eq(profile_ns(read), profile_ns(one) + profile_ns(other));
    assert_same_times(read, merged);
    assert_same_text(report_flat_write, merged, read, REPORT_BY_FUNCTION);
    assert_same_text(report_flat_write, merged, read, REPORT_BY_PROCESS);
    assert_same_text(report_flat_write, merged, read, REPORT_BY_COMMAND);
    assert_same_text(report_folded_write, merged, read, REPORT_BY_FUNCTION);
    close(first);
    close(second);
    profile_free(read);
    profile_free(merged);
    profile_free(one);
    profile_free(other);
}
END_TEST

START_TEST(a_base_is_negative)
{
    struct profile *example = make_example();
    struct report_options options = REPORT_OPTIONS_FULL;
    struct builder builder;
    struct error error = {0};
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    options.base = example;
    ck_assert_int_eq(stored_pprof_write(example, &options, stream), 0);
    rewind(stream);
    builder_init(&builder);
    ck_assert_int_eq(import_read(&builder, fileno(stream), NULL, &error), -EBADMSG);
    ck_assert_ptr_nonnull(strstr(error.text, "negative"));
    profile_free(builder_finish(&builder));
    fclose(stream);
    profile_free(example);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    expect_full_disk_told(stored_pprof_write);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored/pprof");
    UNIT_ADD_TABLE(tests, stored_profiles_are_read, makers);
    tcase_add_test(tests, plain_names_stand_once);
    tcase_add_test(tests, ranks_come_back);
    tcase_add_test(tests, details_come_back);
    tcase_add_test(tests, sources_come_back);
    UNIT_ADD_TABLE(tests, files_merge_as_profiles_do, makers);
    tcase_add_test(tests, a_base_is_negative);
    tcase_add_test(tests, a_full_disk_is_reported);
    return unit_end();
}
