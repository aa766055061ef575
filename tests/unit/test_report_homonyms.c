/* SPDX-License-Identifier: MIT */
#include "profile/report/homonyms.h"

#include "test_report.h"
#include "unit.h"

#include <stdio.h>

enum { MOST = 6, PROGRAM = 0, LIBRARY, JIT };

/* A function, and how it is shown beside the others. FILES: of its lines. START 0: it is inlined. */
struct function {
    const char *name, *linkage; /* LINKAGE NULL: NAME */
    uint64_t start;
    const char *files[2];
    const char *shown[2]; /* of the code in each file; [1] NULL: as [0] */
    int module;
};

static const struct {
    struct function functions[MOST];
} rows[] = {
    /* private to two files */
    {{{"f", NULL, 16, {"/s/a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {"/s/b.c"}, {"f (b.c)"}, PROGRAM}}},
    {{{"f", NULL, 16, {"/s/x/a.c"}, {"f (x/a.c)"}, PROGRAM}, {"f", NULL, 32, {"/s/y/a.c"}, {"f (y/a.c)"}, PROGRAM}}},
    {{{"f", NULL, 16, {"a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {"/s/a.c"}, {"f (s/a.c)"}, PROGRAM}}},
    {{{"f", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM}, {"f", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {{{"f", NULL, 16, {"/s/a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {{{"f(int)", "_ZN12_GLOBAL__N_11fEi", 16, {"a.cc"}, {"f (a.cc)"}, PROGRAM},
      {"f(int)", "_ZN12_GLOBAL__N_11fEi", 32, {"b.cc"}, {"f (b.cc)"}, PROGRAM}}},
    {{{"f.lto_priv.0", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM},
      {"f.lto_priv.1", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {{{"f", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM}, {"f.__uniq.7.llvm.9", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {{{"f.lto_priv.0.constprop.0", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM},
      {"f.lto_priv.1.constprop.0", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM},
      {"f.lto_priv.1.cold", NULL, 48, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {{{"f.__uniq.7", NULL, 16, {NULL}, {"f"}, PROGRAM}, {"f.__uniq.7.cold", NULL, 32, {NULL}, {"f"}, PROGRAM}}},
    /* in several modules */
    {{{"f", NULL, 16, {"a.c"}, {"f"}, PROGRAM}, {"f", NULL, 32, {"b.c"}, {"f"}, LIBRARY}}},
    /* copies of a header's function, and code that is included into a function */
    {{{"f", NULL, 16, {"/s/f.h"}, {"f"}, PROGRAM},
      {"f", NULL, 32, {"/s/f.h"}, {"f"}, PROGRAM},
      {"f", NULL, 0, {"/s/f.h"}, {"f"}, PROGRAM}}},
    {{{"f", NULL, 16, {"list.def", "a.c"}, {"f"}, PROGRAM}, {"f", NULL, 0, {"a.c", "list.def"}, {"f"}, PROGRAM}}},
    {{{"f", NULL, 16, {"list.def", "a.c"}, {"f (a.c)"}, PROGRAM},
      {"f", NULL, 32, {"b.c", "list.def"}, {"f (b.c)"}, PROGRAM}}},
    /* inlined everywhere, or somewhere */
    {{{"f", NULL, 0, {"a.c", "b.c"}, {"f (a.c)", "f (b.c)"}, PROGRAM}}},
    {{{"f", NULL, 16, {"b.c"}, {"f (b.c)"}, PROGRAM}, {"f", NULL, 0, {"a.c", "b.c"}, {"f (a.c)", "f (b.c)"}, PROGRAM}}},
    {{{"f", NULL, 16, {"a.c"}, {"f"}, PROGRAM}, {"f", NULL, 0, {"a.c"}, {"f"}, PROGRAM}}},
    /* parts */
    {{{"f", NULL, 16, {"a.c"}, {"f"}, PROGRAM},
      {"f.cold", NULL, 32, {"a.c"}, {"f"}, PROGRAM},
      {"f.part.0", NULL, 48, {NULL}, {"f"}, PROGRAM}}},
    {{{"f", NULL, 16, {NULL}, {"f"}, PROGRAM},
      {"f.cold", NULL, 32, {NULL}, {"f"}, PROGRAM},
      {"f.part.0", NULL, 48, {NULL}, {"f"}, PROGRAM}}},
    {{{"f.constprop.0", NULL, 16, {NULL}, {"f"}, PROGRAM}, {"f.constprop.1", NULL, 32, {NULL}, {"f"}, PROGRAM}}},
    {{{"f.constprop.0", NULL, 16, {"a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {"b.c"}, {"f (b.c)"}, PROGRAM}}},
    /* a constructor's two symbols */
    {{{"A::A()", "_ZN1AC1Ev", 16, {NULL}, {"A::A"}, PROGRAM}, {"A::A()", "_ZN1AC2Ev", 32, {NULL}, {"A::A"}, PROGRAM}}},
    {{{"A::A()", "_ZN1AC1Ev", 16, {"a.cc"}, {"A::A"}, PROGRAM},
      {"A::A()", "_ZN1AC2Ev", 32, {"a.cc"}, {"A::A"}, PROGRAM}}},
    /* entries of two tables, and code that is compiled again */
    {{{"f@plt", NULL, 16, {NULL}, {"f@plt"}, PROGRAM}, {"f@plt", NULL, 32, {NULL}, {"f@plt"}, PROGRAM}}},
    {{{"f", NULL, 16, {NULL}, {"f"}, JIT}, {"f", NULL, 32, {NULL}, {"f"}, JIT}}},
};

static struct profile *make(const struct function *functions, const char *build_id)
{
    struct profile *profile = make_profile("x");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "x"), 1, "x");
    make_module(profile, "/bin/x", 0, 100);
    make_module(profile, "/lib/y.so", 0, 100);
    make_module(profile, "[jit]", 0, 0);
    profile->modules[PROGRAM].build_id = build_id ? strdup(build_id) : NULL;
    for (uint32_t i = 0; i < MOST && functions[i].name; i++) {
        const struct function *from = &functions[i];
        uint32_t module = (uint32_t)from->module, frame = make_frame(profile, module, from->name, from->start);
        struct profile_function *function = &profile->functions[profile->locations[frame].function];
        function->start = from->start;
        function->linkage_name = strdup(from->linkage ? from->linkage : from->name);
        for (int k = 0; k < 2 && from->files[k]; k++) {
            uint32_t at = k ? make_frame(profile, module, "unused", from->start) : frame;
            add_line(profile, at, frame, from->files[k], 1);
            ADD_STACK(profile, thread, -1, 1, 1, at);
        }
        if (!from->files[0])
            ADD_STACK(profile, thread, -1, 1, 1, frame);
    }
    return profile;
}

/* Lists the names of the samples' leaves. */
static int list_leaves(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_location *leaf = &profile->locations[profile->frames[profile->samples[i].frame_first]];
        uint32_t function = leaf->line_count ? profile->lines[leaf->line_first].function : leaf->function;
        fprintf(stream, "%s\n", profile->functions[function].name);
    }
    return fflush(stream);
}

static int list_base(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)profile;
    return list_leaves(options->base, options, stream);
}

static void check(const struct profile *profile, const struct profile *base, const struct function *functions)
{
    const struct report_format format = {.write = base ? list_base : list_leaves, .short_names = true};
    struct report_options options = REPORT_OPTIONS_FULL;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    options.base = base;
    ck_assert_int_eq(report_write(&format, profile, &options, stream), 0);
    fclose(stream);
    char *at = text;
    for (int i = 0; i < MOST && functions[i].name; i++)
        for (int k = 0; k < 2 && (!k || functions[i].files[k]); k++) {
            const char *shown = functions[i].shown[k] ? functions[i].shown[k] : functions[i].shown[0];
            ck_assert_msg(!strncmp(at, shown, strlen(shown)) && at[strlen(shown)] == '\n', "no '%s' at: %s", shown, at);
            at = strchr(at, '\n') + 1;
        }
    free(text);
}

START_TEST(names_follow_the_table)
{
    struct profile *profile = make(rows[_i].functions, NULL);
    check(profile, NULL, rows[_i].functions);
    profile_free(profile);
}
END_TEST

/* Two builds. */
static const struct {
    const char *build_id;
    struct function profile[MOST], base[MOST];
} builds[] = {
    /* files, in other folders; also if one side has only one of the functions */
    {NULL,
     {{"f", NULL, 16, {"/new/a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {"/new/b.c"}, {"f (b.c)"}, PROGRAM}},
     {{"f", NULL, 20, {"/old/a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 40, {"/old/b.c"}, {"f (b.c)"}, PROGRAM}}},
    {NULL,
     {{"f", NULL, 16, {"/new/a.c"}, {"f (a.c)"}, PROGRAM}, {"f", NULL, 32, {"/new/b.c"}, {"f (b.c)"}, PROGRAM}},
     {{"f", NULL, 40, {"/old/b.c"}, {"f (b.c)"}, PROGRAM}}},
    /* moved to another file */
    {NULL, {{"f", NULL, 16, {"/new/a.c"}, {"f"}, PROGRAM}}, {{"f", NULL, 40, {"/old/b.c"}, {"f"}, PROGRAM}}},
    /* addresses differ: the order tells which functions correspond */
    {NULL,
     {{"f", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM}, {"f", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}},
     {{"f", NULL, 20, {NULL}, {"f (0x10)"}, PROGRAM}, {"f", NULL, 40, {NULL}, {"f (0x20)"}, PROGRAM}}},
    {NULL,
     {{"f", NULL, 16, {NULL}, {"f"}, PROGRAM}, {"f", NULL, 32, {NULL}, {"f"}, PROGRAM}},
     {{"f", NULL, 40, {NULL}, {"f"}, PROGRAM}}},
    {NULL, {{"f", NULL, 16, {NULL}, {"f"}, PROGRAM}}, {{"f", NULL, 40, {NULL}, {"f"}, PROGRAM}}},
    /* one build */
    {"1234",
     {{"f", NULL, 16, {NULL}, {"f (0x10)"}, PROGRAM}, {"f", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}},
     {{"f", NULL, 32, {NULL}, {"f (0x20)"}, PROGRAM}}},
    /* one without debug information */
    {NULL,
     {{"f", NULL, 16, {"/new/a.c"}, {"f"}, PROGRAM}, {"f", NULL, 32, {"/new/b.c"}, {"f"}, PROGRAM}},
     {{"f", NULL, 20, {NULL}, {"f"}, PROGRAM}, {"f", NULL, 40, {NULL}, {"f"}, PROGRAM}}},
};

START_TEST(builds_correspond)
{
    struct profile *profile = make(builds[_i].profile, builds[_i].build_id);
    struct profile *base = make(builds[_i].base, builds[_i].build_id);
    struct report_options options = REPORT_OPTIONS_FULL;
    options.base = base;
    check(profile, base, builds[_i].base);
    const struct report_format format = {.write = list_leaves, .short_names = true};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_int_eq(report_write(&format, profile, &options, stream), 0);
    fclose(stream);
    ck_assert_msg(!strncmp(text, builds[_i].profile[0].shown[0], strlen(builds[_i].profile[0].shown[0])), "%s", text);
    free(text);
    profile_free(profile);
    profile_free(base);
}
END_TEST

/* Thousands of functions of one name, with and without files. */
START_TEST(many_homonyms_end)
{
    enum { MANY = 20000 };
    struct profile *profile = make_profile("x");
    uint32_t module = make_module(profile, "/bin/x", 0, 100);
    char file[32];
    struct homonyms view;
    profile->files = made_room(NULL, MANY, sizeof *profile->files);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t frame = make_frame(profile, module, "f", i + 1);
        profile->functions[i].linkage_name = strdup("f");
        profile->functions[i].start = i + 1;
        if (i % 2)
            continue;
        snprintf(file, sizeof file, "/s/%u/a.c", i);
        profile->files[profile->file_count++] = strdup(file);
        add_line(profile, frame, frame, NULL, 1);
        profile->lines[profile->line_count - 1].file = (uint32_t)profile->file_count - 1;
    }
    ck_assert_int_eq(homonyms_init(&view, profile), 0);
    ck_assert_int_eq(homonyms_label(&view, 1), 0);
    ck_assert_str_eq(view.labels[0], "/s/0/a.c");
    ck_assert_str_eq(view.labels[MANY - 1], "0x4e20");
    homonyms_fini(&view);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/homonyms");
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, names_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, builds_correspond, builds);
    tcase_add_test(tests, many_homonyms_end);
    return unit_end();
}
