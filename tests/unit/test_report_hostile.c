/* SPDX-License-Identifier: MIT
 *
 * Names are untrusted. With any name, a file of each format has the same structure as with a harmless name. */
#include "profile/report/annotation.h"
#include "profile/stored/perf_line.h"
#include "test_json.h"
#include "test_report.h"

#include <errno.h>

enum { LONG = 100000 };

static char long_name[LONG + 1];

static const char *const names[] = {
    "say \"hi\" it's `so`",
    "a;b;c 1;2",
    "  spaces  everywhere  ",
    " ",
    "",
    "two\nlines\r\nthree",
    "\ttab\v\f\b\a\x7f",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&amp;&lt;",
    "\xff\xfe\x80 \xc3( \xed\xa0\x80 \xf8\x88\x80\x80\x80",
    "\xe2\x80\xae"
    "reversed\xe2\x80\xa8 separated\xc2\x85 next",
    "\033]0;title\a\033[31m",
    "back\\slash\\\\\\n\\u0041\\",
    "(12) fn=(3)",
    "fn=(1) x\ncalls=5 0",
    "%s%n%d",
    "12",
    "f 12 34",
    "{\"a\":[1,2]}",
    "nodeNs\":[1,2,3],\"weights\":[1],\"endValue\":4",
    "@DATA@",
    "../../etc/passwd",
    "-o",
    "\xef\xbb\xbf"
    "byte order mark",
    "na\xc3\xafve::\xe5\x87\xbd\xe6\x95\xb0(\xf0\x9f\x94\xa5)",
    long_name,
};

/* A profile with NAME as each of its texts. */
static struct profile *make_hostile(const char *name)
{
    struct profile *profile = make_profile(name);
    uint32_t process = make_process(profile, 7, 0, name), thread = make_thread(profile, process, 7, name);
    uint32_t module = make_module(profile, name, 0x1000, 0x2000), leaf = make_frame(profile, module, name, 0x1100);
    uint32_t caller = make_frame(profile, module, "caller", 0x1200);
    add_line(profile, leaf, leaf, name, 12);
    add_line(profile, caller, caller, "caller.c", 30);
    ADD_STACK(profile, thread, -1, 3, 30000000, leaf, caller);
    ADD_STACK(profile, thread, -1, 2, 20000000, caller);
    ADD_STACK(profile, thread, 0, 1, 10000000, leaf, leaf, caller);
    add_unsampled(profile, process, 5000000);
    profile->functions[profile->locations[leaf].function].linkage_name = strdup(name);
    profile->modules[module].executable = true;
    profile->processes[process].module = module;
    profile->processes[process].not_sampled = profile->processes[process].comm;
    profile->quality.ended_early = profile->processes[process].comm;
    add_mark(profile, 5, profile->processes[process].comm);
    return profile;
}

/* Expects as many lines as with a harmless name, without control characters. Lines may begin with INDENT. */
static void expect_lines(const struct output *output, const struct output *harmless, char indent)
{
    size_t lines = 0, harmless_lines = 0;
    for (size_t i = 0; i < harmless->size; i++)
        harmless_lines += harmless->bytes[i] == '\n';
    ck_assert_uint_eq(strlen(output->bytes), output->size);
    for (const char *at = output->bytes; *at;) {
        size_t length = utf8_length(at);
        bool indents = *at == indent && at > output->bytes && at[-1] == '\n';
        if (!length || (*at != '\n' && !indents && ((unsigned char)*at < ' ' || *at == 0x7f)))
            ck_abort_msg("byte %d at %zu: %.60s", *at, (size_t)(at - output->bytes), at);
        lines += *at == '\n';
        at += length;
    }
    ck_assert_uint_eq(lines, harmless_lines);
}

static void expect_text(const struct output *output, const struct output *harmless)
{
    expect_lines(output, harmless, ' ');
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static void expect_folded(const struct output *output, const struct output *harmless)
{
    expect_text(output, harmless);
    ck_assert_uint_eq(count_of(output->bytes, ";"), count_of(harmless->bytes, ";"));
    for (char *at = output->bytes; *at; at = strchr(at, '\n') + 1) {
        char *end = strchr(at, '\n'), *weight = memrchr(at, ' ', (size_t)(end - at));
        ck_assert_ptr_eq(weight + 1 + strspn(weight + 1, "0123456789"), end);
        ck_assert(weight > at && weight[-1] != ';');
    }
}

/* Each line must begin like one of the format. */
static void expect_callgrind(const struct output *output, const struct output *harmless)
{
    static const char *const begins[] = {"ob=(",  "fl=(",   "fi=(", "fe=(", "fn=(",      "cob=(",   "cfi=(",
                                         "cfn=(", "calls=", "0x",   "\n",   "summary: ", "totals: "};
    expect_text(output, harmless);
    for (const char *at = strstr(output->bytes, "\nsummary: ") + 1; *at; at = strchr(at, '\n') + 1) {
        bool known = false;
        for (size_t i = 0; i < UNIT_ROWS(begins); i++)
            known |= !strncmp(at, begins[i], strlen(begins[i]));
        ck_assert_msg(known, "a line that is none: %.80s", at);
        const char *name = strstr(at, "=(");
        if (name && name < strchr(at, '\n')) { /* a name of spaces would be empty */
            name = strchr(name, ')') + 1;
            ck_assert(*name == '\n' || name[1 + strspn(name + 1, " ")] != '\n');
        }
    }
}

static void expect_json(const struct output *output, const struct output *harmless)
{
    expect_text(output, harmless);
    ck_assert(is_json(output->bytes));
}

/* Checks compressed JSON. A name that occurs twice is one line. */
static void expect_packed_json(const struct output *output, const struct output *harmless)
{
    struct output plain = unpacked(output);
    (void)harmless;
    ck_assert(is_json(plain.bytes));
    for (const char *at = plain.bytes; *at; at += utf8_length(at))
        ck_assert(utf8_length(at) && (*at == '\n' || (unsigned char)*at >= ' ') && *at != 0x7f);
    free(plain.bytes);
}

/* Returns the number of fields of the record at *AT, and moves *AT to the next one. Quoted fields may have any text. */
static size_t csv_fields(const char **at)
{
    size_t fields = 1;
    bool quoted = false;
    for (; quoted || strncmp(*at, "\r\n", 2) != 0; (*at)++) {
        ck_assert(**at == '\t' || (unsigned char)**at >= ' ');
        if (**at == '"')
            quoted = !quoted;
        else if (**at == ',' && !quoted)
            fields++;
    }
    *at += 2;
    return fields;
}

static void expect_csv(const struct output *output, const struct output *harmless)
{
    const char *at = output->bytes, *other = harmless->bytes;
    for (const char *byte = at; *byte; byte += utf8_length(byte))
        ck_assert(utf8_length(byte));
    while (*at && *other)
        ck_assert_uint_eq(csv_fields(&at), csv_fields(&other));
    ck_assert(!*at && !*other);
}

/* The reader of this text must find the same samples, and each line must have its form. */
static void expect_perf(const struct output *output, const struct output *harmless)
{
    expect_lines(output, harmless, '\t');
    for (const char *at = output->bytes; *at; at = strchr(at, '\n') + 1) {
        struct perf_text line = {at, strcspn(at, "\n")};
        struct perf_head head;
        struct perf_frame frame;
        if (*at == '\t')
            ck_assert_msg(perf_line_frame(line, &frame), "%.80s", at);
        else if (line.length)
            ck_assert_msg(perf_line_head(line, &head) && head.pid == 7 && (head.tid == 7 || !head.tid) && head.period,
                          "%.80s", at);
    }
    struct profile *profile = stored_profile(output);
    ck_assert_uint_eq(profile->sample_count, 3);
    ck_assert_uint_eq(profile_ns(profile), 65000000);
    profile_free(profile);
}

/* Each line must be an object with harmless text. */
static void expect_rows(const struct output *output, const struct output *harmless)
{
    expect_lines(output, harmless, 0);
    for (char *line = strtok(output->bytes, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(*line == '{' && is_json(line), "%s", line);
}

static void expect_html(const struct output *output, const struct output *harmless)
{
    char *data = page_data(output->bytes);
    expect_text(output, harmless);
    ck_assert_ptr_null(strchr(data, '<'));
    ck_assert(is_json(data));
    free(data);
}

static void expect_gmon(const struct output *output, const struct output *harmless)
{
    ck_assert_uint_eq(output->size, harmless->size);
    ck_assert_mem_eq(output->bytes, harmless->bytes, output->size);
}

/* The file must be readable, and its texts must be safe for a terminal. */
static void expect_pprof(const struct output *output, const struct output *harmless)
{
    (void)harmless;
    struct profile *profile = stored_profile(output);
    ck_assert_uint_eq(profile->sample_count, 3);
    for (size_t i = 0; i < profile->function_count; i++)
        for (const char *at = profile->functions[i].name; *at; at += utf8_length(at))
            if (!utf8_length(at) || (unsigned char)*at < ' ')
                ck_abort_msg("byte %d: %.60s", *at, at);
    profile_free(profile);
}

/* Annotates the leaf of PROFILE. NAME is also the text of its file and its source. */
static struct output annotated(const struct profile *profile, const char *name)
{
    struct code_instruction instruction = {.address = 0x1100, .text = name, .line = 1, .inner = name, .inner_line = 1};
    struct code_file file = {.path = (char *)(uintptr_t)name};
    struct annotation_choice choice = {.name = (char *)(uintptr_t)name, .count = 1};
    struct annotation_part part = {.code = {.start = 0x1100, .end = 0x1110, .items = &instruction, .count = 1},
                                   .shown = true};
    part.code.files = (struct code_files){&file, 1, 1};
    struct annotation annotation = {.items = &choice, .count = 1, .parts = &part, .part_count = 1, .shown = 1};
    struct report_options options = {.utf8 = true, .annotation = &annotation};
    char *text = strdup(name);
    ck_assert_int_eq(source_split(&file.source, text, strcspn(text, "\n")), 0);
    error_set(&part.code.undone, ENOENT, "why: %.300s", name);
    struct output output = {.bytes = written(report_annotate_write, profile, options)};
    output.size = strlen(output.bytes);
    source_fini(&file.source);
    return output;
}

static struct output hostile_output(const struct report_format *format, const struct profile *profile, const char *name)
{
    return format->write == report_annotate_write ? annotated(profile, name) : output_of(format, profile, 0);
}

/* Each format must be here: a new one fails until it is added. */
static const struct {
    const char *format;
    void (*expect)(const struct output *output, const struct output *harmless);
} formats[] = {
    {"flat", expect_text},
    {"tree", expect_text},
    {"folded", expect_folded},
    {"html", expect_html},
    {"svg", expect_text},
    {"speedscope", expect_json},
    {"firefox", expect_packed_json},
    {"callgrind", expect_callgrind},
    {"pprof", expect_pprof},
    {"json", expect_json},
    {"csv", expect_csv},
    {"rows", expect_rows},
    {"perf-script", expect_perf},
    {"annotate", expect_text},
    {"gmon", expect_gmon},
};

START_TEST(names_do_no_harm)
{
    struct profile *profile = make_hostile(names[_i]), *harmless = make_hostile("harmless");
    size_t known = 0;
    for (const struct report_format *format = report_formats; format->name; format++, known++) {
        struct output output = hostile_output(format, profile, names[_i]);
        struct output expected = hostile_output(format, harmless, "harmless");
        ck_assert_uint_lt(known, UNIT_ROWS(formats));
        ck_assert_str_eq(format->name, formats[known].format);
        formats[known].expect(&output, &expected);
        free(output.bytes);
        free(expected.bytes);
    }
    ck_assert_uint_eq(known, UNIT_ROWS(formats));
    profile_free(profile);
    profile_free(harmless);
}
END_TEST

/* Names of the base of a comparison. */
START_TEST(names_of_a_base_do_no_harm)
{
    struct profile *base = make_hostile(names[_i]), *harmless = make_hostile("harmless");
    for (size_t i = 0; i < UNIT_ROWS(formats); i++) {
        const struct report_format *format = report_format_by_name(formats[i].format);
        if (!format->compares || format->binary)
            continue;
        struct report_options options = {.utf8 = true, .base = base},
                              harmless_options = {.utf8 = true, .base = harmless};
        struct output output = {.bytes = written(format->write, base, options)};
        struct output expected = {.bytes = written(format->write, harmless, harmless_options)};
        output.size = strlen(output.bytes);
        expected.size = strlen(expected.bytes);
        formats[i].expect(&output, &expected);
        free(output.bytes);
        free(expected.bytes);
    }
    profile_free(base);
    profile_free(harmless);
}
END_TEST

/* Names of files derive from names of objects. */
START_TEST(parts_have_names_of_files)
{
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "p");
    uint32_t module = make_module(profile, names[_i], 0x1000, 0x2000);
    ADD_STACK(profile, thread, -1, 1, 1000, make_frame(profile, module, "f", 0x1100));
    struct report_parts parts;
    ck_assert_int_eq(report_parts_init(&parts, profile), 0);
    ck_assert_uint_eq(parts.count, 1);
    ck_assert_uint_lt(strlen(parts.items[0].suffix), 200);
    for (const char *at = parts.items[0].suffix; *at; at++)
        ck_assert(*at != '/' && (unsigned char)*at >= ' ' && *at != 0x7f);
    report_parts_fini(&parts);
    profile_free(profile);
}
END_TEST

int main(void)
{
    memset(long_name, 'n', LONG);
    memcpy(long_name, "std::map<int, \"", 15);
    TCase *tests = unit_begin("report/hostile");
    UNIT_ADD_TABLE(tests, names_do_no_harm, names);
    UNIT_ADD_TABLE(tests, names_of_a_base_do_no_harm, names);
    UNIT_ADD_TABLE(tests, parts_have_names_of_files, names);
    return unit_end();
}
