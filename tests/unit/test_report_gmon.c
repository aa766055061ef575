/* SPDX-License-Identifier: MIT */
#include "profile/report/gmon_file.h"

#include "test_report.h"

#include <errno.h>
#include <unistd.h>

enum { FILE_HEADER = 20, RECORD_HEADER = 41 };

static struct output gmon_of(const struct profile *profile, uint32_t module)
{
    return output_of(report_format_by_name("gmon"), profile, module);
}

static uint64_t number_at(const struct output *output, size_t offset, unsigned bytes)
{
    uint64_t value = 0;
    ck_assert_uint_le(offset + bytes, output->size);
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)output->bytes[offset + i] << (8 * i);
    return value;
}

static uint64_t sum_of_ticks(const struct output *output)
{
    uint64_t sum = 0;
    size_t at = FILE_HEADER;
    while (at < output->size) {
        uint64_t bins = number_at(output, at + 17, 4);
        at += RECORD_HEADER;
        ck_assert_uint_le(bins * 2, output->size - at);
        for (; bins; bins--, at += 2) /* without assertions: Check would record millions of them */
            sum += (uint64_t)(unsigned char)output->bytes[at] | (uint64_t)(unsigned char)output->bytes[at + 1] << 8;
    }
    return sum;
}

static struct profile *make_text(uint64_t start, uint64_t end)
{
    struct profile *profile = make_profile("prog");
    make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
    make_module(profile, "/bin/prog", start, end);
    profile->modules[0].executable = true;
    return profile;
}

/* gprof expects addresses of the program's size. */
START_TEST(addresses_of_32_bit_programs_have_4_bytes)
{
    struct gmon_bin bin = {1, 7};
    struct gmon_histogram histogram = {
        .low = 0x1000, .high = 0xf7001000, .bins = 2, .rate = 100, .is_compat = true, .items = &bin, .count = 1};
    char bytes[FILE_HEADER + RECORD_HEADER + 4] = {0};
    FILE *stream = fmemopen(bytes, sizeof bytes, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(gmon_write(&histogram, stream), 0);
    ck_assert_int_eq(ftell(stream), FILE_HEADER + RECORD_HEADER - 8 + 4);
    fclose(stream);
    const struct output output = {.bytes = bytes, .size = sizeof bytes};
    ck_assert_uint_eq(number_at(&output, FILE_HEADER + 1, 4), 0x1000);
    ck_assert_uint_eq(number_at(&output, FILE_HEADER + 5, 4), 0xf7001000);
    ck_assert_uint_eq(number_at(&output, FILE_HEADER + 9, 4), 2);
    ck_assert_uint_eq(number_at(&output, FILE_HEADER + RECORD_HEADER - 8, 4), 7 << 16);
}
END_TEST

START_TEST(the_bytes_are_those_of_the_format)
{
    static const char header[FILE_HEADER] = "gmon\1";
    struct profile *profile = make_text(0x1001, 0x1009);
    uint32_t in = make_frame(profile, 0, "in", 0x1005);
    uint32_t before = make_frame(profile, 0, "before", 0xfff);
    uint32_t after = make_frame(profile, 0, "after", 0x100a);
    uint32_t other = make_frame(profile, make_module(profile, "/lib/x", 0, 0x2000), "other", 0x1005);
    ADD_STACK(profile, 0, -1, 2, 20000000, in, other);
    ADD_STACK(profile, 0, 0, 1, 10000000, in);
    ADD_STACK(profile, 0, -1, 1, 10000000, before);
    ADD_STACK(profile, 0, -1, 1, 10000000, after);
    ADD_STACK(profile, 0, -1, 1, 10000000, other, in);
    struct output output = gmon_of(profile, 0);

    ck_assert_uint_eq(output.size, FILE_HEADER + RECORD_HEADER + 10);
    ck_assert_mem_eq(output.bytes, header, FILE_HEADER);
    ck_assert_uint_eq(number_at(&output, 20, 1), 0);
    ck_assert_uint_eq(number_at(&output, 21, 8), 0x1000);
    ck_assert_uint_eq(number_at(&output, 29, 8), 0x100a);
    ck_assert_uint_eq(number_at(&output, 37, 4), 5);
    ck_assert_uint_eq(number_at(&output, 41, 4), 100);
    ck_assert_mem_eq(output.bytes + 45, "seconds\0\0\0\0\0\0\0\0s", 16);
    ck_assert_uint_eq(number_at(&output, 61, 2), 0);
    ck_assert_uint_eq(number_at(&output, 65, 2), 3);
    ck_assert_uint_eq(sum_of_ticks(&output), 3);
    free(output.bytes);
    profile_free(profile);
}
END_TEST

START_TEST(ticks_are_rounded_over_the_text)
{
    struct profile *profile = make_text(0, 0x1000);
    uint64_t sum_ns = 0;
    for (unsigned i = 0; i < 500; i++) {
        uint64_t ns = 9500000 + i * 1013;
        ADD_STACK(profile, 0, -1, 1, ns, make_frame(profile, 0, "f", 7 * i));
        sum_ns += ns;
    }
    struct output output = gmon_of(profile, 0);
    ck_assert_uint_eq(sum_of_ticks(&output), (sum_ns + 5000000) / 10000000);
    free(output.bytes);
    profile_free(profile);
}
END_TEST

static const struct {
    uint64_t start, end;
    uint32_t rate;
    uint64_t cpu_ns;
    size_t records;
    uint32_t written_rate;
    uint64_t bins;
} shapes[] = {
    {0x1000, 0x1001, 100, 0, 1, 100, 1},
    {0x1000, 0x1100, 0, 10000000, 1, 100, 128},
    {0x1000, 0x1100, 100, 655350000000, 1, 100, 128},
    {0x1000, 0x1100, 100, 655360000000, 2, 100, 128},
    {0x1000, 0x1100, 20000, 32 * 65535 * UINT64_C(50000), 32, 20000, 128},
    {0x1000, 0x1100, 20000, 32 * 65535 * UINT64_C(50000) + 50000, 17, 10000, 128},
    {0, 16 << 20, 100, 10000000, 1, 100, 8 << 20},
    {0x1000, 0x10001000, 100, 10000000, 1, 100, 8 << 20}, /* 256 MiB of text */
    {0x7ffffffffffff000, INT64_MAX, 100, 0, 1, 100, 2048},
    {0, INT64_MAX, 100, 10000000, 1, 100, 4 << 20},
};

START_TEST(shapes_follow_the_table)
{
    struct profile *profile = make_text(shapes[_i].start, shapes[_i].end);
    uint32_t last = make_frame(profile, 0, "last", shapes[_i].end - 1);
    profile->quality.rate = shapes[_i].rate;
    ADD_STACK(profile, 0, -1, 1, shapes[_i].cpu_ns, last);
    struct output output = gmon_of(profile, 0);

    uint64_t bins = number_at(&output, 37, 4);
    ck_assert_uint_le(bins, 8 << 20);
    if (shapes[_i].end != INT64_MAX)
        ck_assert_uint_eq(bins, shapes[_i].bins);
    ck_assert_uint_eq((number_at(&output, 29, 8) - number_at(&output, 21, 8)) % bins, 0);
    ck_assert_uint_ge(number_at(&output, 29, 8), shapes[_i].end);
    ck_assert_uint_eq(output.size, FILE_HEADER + shapes[_i].records * (RECORD_HEADER + 2 * bins));
    ck_assert_uint_eq(number_at(&output, 41, 4), shapes[_i].written_rate);
    uint64_t tick_ns = 1000000000 / shapes[_i].written_rate;
    ck_assert_uint_eq(sum_of_ticks(&output), (shapes[_i].cpu_ns + tick_ns / 2) / tick_ns);
    free(output.bytes);
    profile_free(profile);
}
END_TEST

static const struct {
    uint64_t start, end;
} no_texts[] = {{0, 0}, {5, 5}, {6, 5}, {0, UINT64_MAX}};

START_TEST(without_text_there_is_no_histogram)
{
    struct profile *profile = make_text(no_texts[_i].start, no_texts[_i].end);
    ck_assert_int_eq(report_gmon_write(profile, 0, stdout), -EINVAL);
    profile_free(profile);
}
END_TEST

/* The test uses gprof, the reader that matters. */
static const char program[] = "volatile int v;\n"
                              "#define BODY for (int i = 0; i < 100; i++) v += i * v\n"
                              "__attribute__((noinline)) void hot(void) { BODY; BODY; BODY; }\n"
                              "__attribute__((noinline)) void warm(void) { BODY; BODY; }\n"
                              "__attribute__((noinline)) void cool(void) { BODY; }\n"
                              "int main(void) { hot(); warm(); cool(); return 0; }\n";

/* Returns the value of symbol NAME of the program in FOLDER, 0 if it does not exist. */
static uint64_t symbol(const char *folder, const char *name)
{
    char command[256], found[128];
    unsigned long value, result = 0;
    snprintf(command, sizeof command, "nm %s/prog", folder);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    for (char line[256]; fgets(line, sizeof line, pipe);)
        if (sscanf(line, "%lx %*c %127s", &value, found) == 2 && !strcmp(found, name))
            result = value;
    pclose(pipe);
    return result;
}

/* Returns gprof's seconds for function NAME, -1 if it is missing. */
static double gprof_seconds(const char *folder, const char *name)
{
    char command[256], found[128];
    double percent, cumulative, self, result = -1;
    snprintf(command, sizeof command, "gprof -b -p %s/prog %s/gmon 2>&1", folder, folder);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    for (char line[256]; fgets(line, sizeof line, pipe);)
        if (sscanf(line, "%lf %lf %lf %127s", &percent, &cumulative, &self, found) == 4 && !strcmp(found, name))
            result = self;
    ck_assert_int_eq(pclose(pipe), 0);
    return result;
}

static bool compile(const char *folder, const char *how)
{
    char command[256];
    snprintf(command, sizeof command, "gcc -O1 %s -x c -o %s/prog - 2>/dev/null", how, folder);
    FILE *pipe = popen(command, "w");
    ck_assert_ptr_nonnull(pipe);
    fputs(program, pipe);
    return pclose(pipe) == 0;
}

static const char *const ways[] = {"-no-pie", "-pie -fPIE"};

START_TEST(gprof_reads_it)
{
    char folder[] = "/tmp/test_report_gmon.XXXXXX", path[64];
    if (system("command -v gprof nm gcc >/dev/null 2>&1") != 0)
        return;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert(compile(folder, ways[_i]));
    struct profile *profile = make_text(symbol(folder, "_init"), symbol(folder, "_fini"));
    /* hot needs three records; warm has many addresses; cool is in a system call */
    ADD_STACK(profile, 0, -1, 150000, 1500000000000, make_frame(profile, 0, "hot", symbol(folder, "hot") + 5));
    uint64_t warm = symbol(folder, "warm"), size = symbol(folder, "cool") - warm;
    ck_assert_uint_ge(size, 20);
    for (unsigned i = 0; i < 20; i++)
        ADD_STACK(profile, 0, -1, 1500, 15000000000, make_frame(profile, 0, "warm", warm + i));
    ADD_STACK(profile, 0, 1, 25, 250000000, make_frame(profile, 0, "cool", symbol(folder, "cool")));

    snprintf(path, sizeof path, "%s/gmon", folder);
    FILE *stream = fopen(path, "wb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(report_gmon_write(profile, 0, stream), 0);
    fclose(stream);
    ck_assert_double_eq_tol(gprof_seconds(folder, "hot"), 1500, 0.001);
    ck_assert_double_eq_tol(gprof_seconds(folder, "warm"), 300, 0.001);
    ck_assert_double_eq_tol(gprof_seconds(folder, "cool"), 0.25, 0.001);
    ck_assert_double_eq(gprof_seconds(folder, "nothing"), -1);

    unlink(path);
    snprintf(path, sizeof path, "%s/prog", folder);
    unlink(path);
    rmdir(folder);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/gmon");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_bytes_are_those_of_the_format);
    tcase_add_test(tests, addresses_of_32_bit_programs_have_4_bytes);
    tcase_add_test(tests, ticks_are_rounded_over_the_text);
    UNIT_ADD_TABLE(tests, shapes_follow_the_table, shapes);
    UNIT_ADD_TABLE(tests, without_text_there_is_no_histogram, no_texts);
    UNIT_ADD_TABLE(tests, gprof_reads_it, ways);
    return unit_end();
}
