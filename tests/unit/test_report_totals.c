/* SPDX-License-Identifier: MIT
 *
 * In each format, the times add up to the profile's, with the time that has no sample. */
#include "test_json.h"
#include "test_report.h"

/* In nanoseconds. LEFT_OUT: time that the format cannot have; OFF: the allowed rounding error of the sum. */
struct total {
    uint64_t ns, left_out, off;
};

typedef struct total total_of(const struct report_format *format, const struct profile *profile, char *text,
                              size_t size);

/* Reads the row "SAMPLES TIME ... total". */
static struct total flat_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    double seconds = 0;
    (void)format, (void)profile, (void)size;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strlen(line) > 6 && !strcmp(line + strlen(line) - 6, " total"))
            sscanf(line, "%*u %lf", &seconds);
    return (struct total){(uint64_t)(seconds * 1e9), 0, 1000000};
}

/* Reads "TOTAL% SELF% SECONDS  NAME": the rows of processes, which are not indented. */
static struct total tree_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    struct total total = {0};
    (void)format, (void)profile, (void)size;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        double seconds = 0;
        int name = 0;
        if (sscanf(line, " %*f%% %*f%% %lf%n", &seconds, &name) == 1 && strspn(line + name, " ") == 2) {
            total.ns += (uint64_t)(seconds * 1e9);
            total.off += 1000000;
        }
    }
    return total;
}

static struct total folded_total(const struct report_format *format, const struct profile *profile, char *text,
                                 size_t size)
{
    struct total total = {.off = 500};
    (void)format, (void)profile, (void)size;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        total.ns += strtoull(strrchr(line, ' '), NULL, 10) * 1000;
    return total;
}

static struct total html_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    (void)format, (void)profile, (void)size;
    return (struct total){.ns = json_sum(text, "rowNs") + json_sum(text, "rowWaitNs")};
}

/* Reads the time of the lowest box, which is the sum. */
static struct total svg_total(const struct report_format *format, const struct profile *profile, char *text,
                              size_t size)
{
    static const char box[] = "<g data-ns=\"", all[] = "\"><title>all: ";
    struct total total = {0};
    char *at = strstr(text, box), *end = NULL;
    (void)format, (void)profile, (void)size;
    ck_assert_ptr_nonnull(at);
    total.ns = strtoull(at + strlen(box), &end, 10);
    ck_assert(!strncmp(end, all, strlen(all)));
    return total;
}

static struct total speedscope_total(const struct report_format *format, const struct profile *profile, char *text,
                                     size_t size)
{
    (void)format, (void)profile, (void)size;
    ck_assert_uint_eq(json_sum(text, "weights"), json_sum_members(text, "endValue"));
    return (struct total){.ns = json_sum(text, "weights")};
}

/* Reads the weights, in milliseconds with six decimals, from compressed JSON. */
static struct total firefox_total(const struct report_format *format, const struct profile *profile, char *text,
                                  size_t size)
{
    static const char weights[] = "\"weight\":[";
    struct total total = {0};
    struct output plain = unpacked(&(struct output){text, size});
    (void)format, (void)profile;
    ck_assert_msg(is_json(plain.bytes), "not JSON: %s", plain.bytes);
    for (char *at = strstr(plain.bytes, weights); at; at = strstr(at, weights)) {
        at += strlen(weights);
        while (*at != ']') {
            total.ns += strtoull(at, &at, 10) * 1000000;
            ck_assert_int_eq(*at, '.');
            total.ns += strtoull(at + 1, &at, 10);
            at += *at == ',';
        }
    }
    free(plain.bytes);
    return total;
}

/* Reads the self costs, which do not follow a call; both totals; and the samples. */
static struct total callgrind_total(const struct report_format *format, const struct profile *profile, char *text,
                                    size_t size)
{
    unsigned long long cost, samples, summary = 0, totals = 0;
    struct total total = {0};
    uint64_t count = 0;
    bool call = false;
    (void)format, (void)size;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        sscanf(line, "summary: %llu", &summary);
        sscanf(line, "totals: %llu", &totals);
        if (sscanf(line, "0x%*x %*u %llu %llu", &cost, &samples) == 2 && !call) {
            total.ns += cost;
            count += samples;
        }
        call = !strncmp(line, "calls=", 6);
    }
    ck_assert_uint_eq(summary, total.ns);
    ck_assert_uint_eq(totals, total.ns);
    ck_assert_uint_eq(count, profile->quality.samples);
    return total;
}

static struct total pprof_total(const struct report_format *format, const struct profile *profile, char *text,
                                size_t size)
{
    (void)format, (void)profile;
    struct profile *read = stored_profile(&(struct output){text, size});
    struct total total = {.ns = profile_ns(read)};
    profile_free(read);
    return total;
}

static uint64_t little_endian(const char *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

static struct total json_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    (void)format, (void)profile, (void)size;
    return (struct total){.ns = json_sum_members(text, "self_ns")};
}

static struct total rows_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    (void)format, (void)profile, (void)size;
    return (struct total){.ns = json_sum_members(text, "cpu_ns") + json_sum_members(text, "wait_ns")};
}

/* Reads self_ns, the fourth column of each line after the first. Names have no commas. */
static struct total csv_total(const struct report_format *format, const struct profile *profile, char *text,
                              size_t size)
{
    struct total total = {0};
    (void)format, (void)profile, (void)size;
    for (char *line = strstr(text, "\r\n"); line[2]; line = strstr(line + 2, "\r\n")) {
        char *at = line + 2, *quoted = *at == '"' ? strstr(at, "\",") + 1 : at;
        for (int i = 0; i < 3; i++)
            quoted = strchr(quoted, ',') + 1;
        total.ns += strtoull(quoted, NULL, 10);
    }
    return total;
}

/* Reads the periods of the events; a sample may have several. */
static struct total perf_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    struct total total = {0};
    uint64_t events = 0;
    (void)format, (void)size;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *time = strstr(line, ": ");
        if (*line == '\t' || !time)
            continue;
        total.ns += strtoull(time + 2, NULL, 10);
        events++;
    }
    ck_assert_uint_ge(events, profile->quality.samples);
    return total;
}

/* Reads one histogram of this object: a header of 20 bytes, 41 of the record's, then bins of 16 bits. */
static uint64_t ticks_of(const struct report_format *format, const struct profile *profile, uint32_t module)
{
    struct output output = output_of(format, profile, module);
    uint64_t ticks = 0, bins = little_endian(output.bytes + 37, 4);
    ck_assert_uint_eq(output.size, 61 + bins * 2);
    for (uint64_t i = 0; i < bins; i++)
        ticks += little_endian(output.bytes + 61 + 2 * i, 2);
    free(output.bytes);
    return ticks;
}

/* A histogram cannot have time without samples. Each object may be off by half a tick. */
static struct total gmon_total(const struct report_format *format, const struct profile *profile, char *text,
                               size_t size)
{
    struct total total = {0};
    uint64_t tick_ns = 1000000000 / profile->quality.rate;
    (void)text, (void)size;
    for (uint32_t i = 0; i < profile->module_count; i++) {
        total.ns += ticks_of(format, profile, i) * tick_ns;
        total.off += tick_ns / 2;
    }
    for (size_t i = 0; i < profile->process_count; i++)
        total.left_out += profile_unsampled_ns(&profile->processes[i]);
    return total;
}

/* Each format must be here, except for annotations of a single function: a new one fails until it is added. */
static const struct {
    const char *format;
    total_of *total;
} formats[] = {
    {"flat", flat_total},       {"tree", tree_total},
    {"folded", folded_total},   {"html", html_total},
    {"svg", svg_total},         {"speedscope", speedscope_total},
    {"firefox", firefox_total}, {"callgrind", callgrind_total},
    {"pprof", pprof_total},     {"json", json_total},
    {"csv", csv_total},         {"perf-script", perf_total},
    {"gmon", gmon_total},       {"rows", rows_total},
};

static void expect_all_of(struct profile *profile, int number)
{
    const struct report_format *format = report_format_by_name(formats[number].format);
    ck_assert_ptr_nonnull(format);
    struct output output = output_of(format, profile, 0);
    struct total total = formats[number].total(format, profile, output.bytes, output.size);
    uint64_t expected = profile_ns(profile) - total.left_out;
    uint64_t off = total.ns > expected ? total.ns - expected : expected - total.ns;
    ck_assert_msg(off <= total.off, "%s: %llu ns, not %llu", format->name, (unsigned long long)total.ns,
                  (unsigned long long)expected);
    free(output.bytes);
    profile_free(profile);
}

START_TEST(all_of_the_time_is_there)
{
    expect_all_of(make_example(), _i);
    expect_all_of(make_waiting_example(), _i);
}
END_TEST

START_TEST(all_formats_are_tested)
{
    for (const struct report_format *format = report_formats; format->name; format++) {
        bool tested = format->write == report_annotate_write;
        for (size_t i = 0; i < UNIT_ROWS(formats) && !tested; i++)
            tested = !strcmp(formats[i].format, format->name);
        ck_assert_msg(tested, "format %s has no row here", format->name);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/totals");
    UNIT_ADD_TABLE(tests, all_of_the_time_is_there, formats);
    tcase_add_test(tests, all_formats_are_tested);
    return unit_end();
}
