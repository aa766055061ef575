/* SPDX-License-Identifier: MIT */
#include "front/naming/name_answer.h"

#include "common/base/buffer.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "unit.h"

#include <string.h>

static uint32_t add_function(struct builder *builder, uint32_t module, const char *name, const char *linkage_name,
                             uint64_t start)
{
    return builder_function(builder, &(struct profile_function){.module = module,
                                                                .name = (char *)(uintptr_t)name,
                                                                .linkage_name = (char *)(uintptr_t)linkage_name,
                                                                .start = start,
                                                                .end = start ? start + 16 : 0});
}

/* Two locations of a module: one in an inlined call, one without lines. */
static void fill(struct builder *builder, uint32_t *module, uint32_t locations[2])
{
    builder_init(builder);
    *module = builder_module(builder, &(struct profile_module){.path = (char[]){"/bin/theirs"},
                                                               .build_id = (char[]){"0a1b"},
                                                               .text_start = 0x1000,
                                                               .text_end = 0x2000,
                                                               .text_offset = 0x100,
                                                               .executable = true,
                                                               .no_symbols = true});
    builder->profile->modules[*module].lines_cut = true;
    uint32_t outer = add_function(builder, *module, "outer()", "_Z5outerv", 0x1000);
    uint32_t inner = add_function(builder, *module, "inner", NULL, 0);
    uint32_t file = builder_file(builder, "/src/a.c");
    const struct profile_line lines[] = {{inner, PROFILE_NONE, 7}, {outer, file, 12}};
    locations[0] = builder_location(
        builder, &(struct profile_location){.module = *module, .function = outer, .address = 0x1004, .line_count = 2},
        lines);
    locations[1] = builder_location(
        builder, &(struct profile_location){.module = *module, .function = inner, .address = 0x1100}, NULL);
    ck_assert(!builder->failed);
}

static void write_answer(struct buffer *bytes)
{
    struct builder builder;
    uint32_t module, locations[2];
    fill(&builder, &module, locations);
    ck_assert(name_answer_write(bytes, &builder, module, 0, locations, 2));
    profile_free(builder_finish(&builder));
}

static char our_path[] = "/bin/ours";
static const struct profile_module ours = {.path = our_path, .deleted = true};

START_TEST(written_answers_are_read)
{
    struct buffer bytes = {0};
    struct builder builder;
    struct name_answer answer = {0};
    write_answer(&bytes);
    builder_init(&builder);
    builder_file(&builder, "/another"); /* so that numbers differ */
    ck_assert(name_answer_read(&answer, bytes.bytes, bytes.length, 2, &builder, &ours));
    uint32_t first = name_answer_next(&answer, &builder, _i ? 0 : UINT64_MAX);
    uint32_t second = name_answer_next(&answer, &builder, 0);
    const struct profile_location *place = &builder.profile->locations[first];
    const struct profile *profile = builder.profile;
    const struct profile_module *module = &profile->modules[place->module];
    ck_assert_str_eq(module->path, "/bin/ours");
    ck_assert_str_eq(module->build_id, "0a1b");
    ck_assert(module->deleted && module->executable && module->no_symbols && module->lines_cut && !module->is_compat);
    ck_assert(module->text_start == 0x1000 && module->text_end == 0x2000 && module->text_offset == 0x100);
    ck_assert_uint_eq(place->address, 0x1004);
    const struct profile_function *function = &profile->functions[place->function];
    ck_assert_str_eq(function->name, "outer()");
    ck_assert_str_eq(function->linkage_name, "_Z5outerv");
    ck_assert(function->start == 0x1000 && function->end == 0x1010);
    const struct profile_line *line = &profile->lines[place->line_first];
    ck_assert_uint_eq(place->line_count, _i ? 1 : 2);
    ck_assert_uint_eq(profile->without_inlined, (unsigned)_i);
    if (!_i) {
        ck_assert_str_eq(profile->functions[line->function].name, "inner");
        ck_assert(!profile->functions[line->function].linkage_name && line->file == PROFILE_NONE && line->line == 7);
        line++;
    }
    ck_assert(line->function == place->function && line->line == 12);
    ck_assert_str_eq(builder.files.items[line->file], "/src/a.c");
    place = &builder.profile->locations[second];
    ck_assert(place->address == 0x1100 && !place->line_count);
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    buffer_fini(&bytes);
}
END_TEST

static bool reads(const void *bytes, size_t size, size_t count)
{
    struct builder builder;
    struct name_answer answer = {0};
    builder_init(&builder);
    bool read = name_answer_read(&answer, bytes, size, count, &builder, &ours);
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    return read;
}

START_TEST(cut_answers_are_refused)
{
    struct buffer bytes = {0};
    write_answer(&bytes);
    for (size_t size = 0; size < bytes.length; size++)
        ck_assert_msg(!reads(bytes.bytes, size, 2), "%zu bytes", size);
    ck_assert(reads(bytes.bytes, bytes.length, 2));
    ck_assert(!reads(bytes.bytes, bytes.length, 1));
    ck_assert(!reads(bytes.bytes, bytes.length, 3));
    buffer_fini(&bytes);
}
END_TEST

#define MODULE "\0\0" NUMBER NUMBER NUMBER "\0\0\0\0\0"
#define NUMBER "\0\0\0\0\0\0\0\0"
#define FUNCTION(name)                                                                                                 \
    "\1\0" NUMBER NUMBER name "\0"                                                                                     \
    "\0"
#define PLACE(function, lines) "\3" NUMBER function "\0\0\0" lines "\0\0\0"
#define LINE(function, file) function "\0\0\0" file "\1\0\0\0"
#define NO_FILE "\377\377\377\377"
#define ROW(name, bytes, sense)                                                                                        \
    {                                                                                                                  \
        name, bytes, sizeof(bytes) - 1, sense                                                                          \
    }

static const struct {
    const char *name, *bytes;
    size_t size;
    bool sense;
} answers[] = {
    ROW("a place", MODULE FUNCTION("f") PLACE("\0", "\0"), true),
    ROW("a line", MODULE FUNCTION("f") PLACE("\0", "\1") LINE("\0", NO_FILE), true),
    ROW("no module", FUNCTION("f") PLACE("\0", "\0"), false),
    ROW("two modules", MODULE MODULE FUNCTION("f") PLACE("\0", "\0"), false),
    ROW("another type", MODULE FUNCTION("f") PLACE("\0", "\0") "\4", false),
    ROW("no such function", MODULE FUNCTION("f") PLACE("\1", "\0"), false),
    ROW("no such function of a line", MODULE FUNCTION("f") PLACE("\0", "\1") LINE("\1", NO_FILE), false),
    ROW("no such file", MODULE FUNCTION("f") PLACE("\0", "\1") LINE("\0", "\0\0\0\0"), false),
    ROW("a function without a name", MODULE FUNCTION("") PLACE("\0", "\0"), true),
    ROW("a last line of another function", MODULE FUNCTION("f") FUNCTION("g") PLACE("\0", "\1") LINE("\1", NO_FILE),
        false),
    ROW("too many lines", MODULE FUNCTION("f") PLACE("\0", "\101"), false),
    ROW("a build-id that is none", "\0\0" NUMBER NUMBER NUMBER "\0\0\0\0x\0" FUNCTION("f") PLACE("\0", "\0"), false),
};

START_TEST(answers_are_checked)
{
    ck_assert_msg(reads(answers[_i].bytes, answers[_i].size, 1) == answers[_i].sense, "%s", answers[_i].name);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("naming/name_answer");
    tcase_add_loop_test(tests, written_answers_are_read, 0, 2);
    tcase_add_test(tests, cut_answers_are_refused);
    UNIT_ADD_TABLE(tests, answers_are_checked, answers);
    return unit_end();
}
