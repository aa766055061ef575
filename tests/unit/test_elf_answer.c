/* SPDX-License-Identifier: MIT */
#include "programs/elf/answer.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define START "\0\0\0\0\0\0\0\0"

/* The decoded answer: at most one frame, with "-" for a missing text. */
static const struct {
    const char *bytes;
    size_t size;
    size_t count;
    const char *function, *file; /* of the first frame */
    uint32_t line;
} rows[] = {
    {"", 0, 0, "-", "-", 0},
    {"\1\0\0\0" START "inner\0a.c\0", 22, 1, "-", "a.c", 1}, /* the outermost frame has no name */
    {"\1\0\0\0" START "inner\0a.c\0\2\0\0\0" START "\0b.c\0", 39, 2, "inner", "a.c", 1},
    {"\377\377\377\377" START "\0\0\0\0\0\0" START "\0\0", 28, 2, "", "-", UINT32_MAX},
    {"\1\0\0\0" START "inner\0a.c", 21, 0, "-", "-", 0}, /* the text has no end */
    {"\1\0\0\0" START "inner", 17, 0, "-", "-", 0},
    {"\1\0\0\0" START, 12, 0, "-", "-", 0},
    {"\1\0\0\0" START, 11, 0, "-", "-", 0},
    {"\1\0\0", 3, 0, "-", "-", 0},
    {"\1\0\0\0" START "inner\0a.c\0\2\0\0", 25, 1, "-", "a.c", 1}, /* the frame before it is valid */
    {"\1\0\0\0" START "inner\0a.c\0\2\0\0\0" START "outer\0b.c", 43, 1, "-", "a.c", 1},
};

static void expect_text(const char *got, const char *wanted)
{
    if (strcmp(wanted, "-") == 0)
        ck_assert_ptr_null(got);
    else
        ck_assert_str_eq(got, wanted);
}

START_TEST(whole_frames_are_read)
{
    struct elf_line chain[ELF_LINES_MAX];
    char *bytes = malloc(rows[_i].size ? rows[_i].size : 1); /* of the exact size, for the sanitizers */

    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, rows[_i].bytes, rows[_i].size);
    ck_assert_uint_eq(elf_answer_read(bytes, rows[_i].size, chain), rows[_i].count);
    if (rows[_i].count) {
        expect_text(chain[0].function, rows[_i].function);
        expect_text(chain[0].file, rows[_i].file);
        ck_assert_uint_eq(chain[0].line, rows[_i].line);
    }
    free(bytes);
}
END_TEST

START_TEST(no_bytes_are_no_frames)
{
    struct elf_line chain[ELF_LINES_MAX];

    ck_assert_uint_eq(elf_answer_read(NULL, 0, chain), 0);
}
END_TEST

START_TEST(more_frames_than_there_is_room_for_are_left_out)
{
    struct elf_line chain[ELF_LINES_MAX];
    char bytes[(ELF_LINES_MAX + 2) * 14] = {0};

    ck_assert_uint_eq(elf_answer_read(bytes, sizeof bytes, chain), ELF_LINES_MAX);
}
END_TEST

START_TEST(written_answers_are_read)
{
    static const struct elf_line written[] = {
        {"inner", 0, "a.c", 1}, {"", 0x1122334455667788, NULL, 0}, {NULL, 9, "b.c", UINT32_MAX}};
    struct elf_line read[ELF_LINES_MAX];
    struct buffer answer = {0};

    ck_assert(elf_answer_write(&answer, written, 3));
    ck_assert_uint_eq(elf_answer_read(answer.bytes, answer.length, read), 3);
    ck_assert_str_eq(read[0].function, "inner");
    ck_assert_str_eq(read[0].file, "a.c");
    ck_assert_uint_eq(read[0].line, 1);
    ck_assert_uint_eq(read[0].start, 0);
    ck_assert_str_eq(read[1].function, "");
    ck_assert_uint_eq(read[1].start, 0x1122334455667788);
    ck_assert_uint_eq(read[2].start, 0); /* the outermost frame is not a call */
    ck_assert_ptr_null(read[1].file);
    ck_assert_ptr_null(read[2].function);
    ck_assert_str_eq(read[2].file, "b.c");
    ck_assert_uint_eq(read[2].line, UINT32_MAX);
    buffer_fini(&answer);
}
END_TEST

static const struct {
    size_t name, path; /* lengths */
    bool has_name, has_path;
} lengths[] = {
    {ELF_ANSWER_NAME - 1, ELF_ANSWER_PATH - 1, true, true},
    {ELF_ANSWER_NAME, ELF_ANSWER_PATH - 1, false, true},
    {ELF_ANSWER_NAME - 1, ELF_ANSWER_PATH, true, false},
    {10 * ELF_ANSWER_NAME, 10 * ELF_ANSWER_PATH, false, false},
};

START_TEST(texts_that_are_too_long_are_left_out)
{
    char *name = calloc(1, lengths[_i].name + 1), *path = calloc(1, lengths[_i].path + 1);
    struct elf_line chain[ELF_LINES_MAX], written[ELF_LINES_MAX];
    struct buffer answer = {0};

    ck_assert(name && path);
    memset(name, 'n', lengths[_i].name);
    memset(path, 'p', lengths[_i].path);
    for (size_t i = 0; i < ELF_LINES_MAX; i++)
        written[i] = (struct elf_line){name, 0, path, 7};
    ck_assert(elf_answer_write(&answer, written, ELF_LINES_MAX));
    ck_assert_uint_le(answer.length, ELF_ANSWER_MAX);
    ck_assert_uint_eq(elf_answer_read(answer.bytes, answer.length, chain), ELF_LINES_MAX);
    ck_assert_str_eq(chain[0].function, lengths[_i].has_name ? name : "");
    if (lengths[_i].has_path)
        ck_assert_str_eq(chain[0].file, path);
    else
        ck_assert_ptr_null(chain[0].file);
    buffer_fini(&answer);
    free(name);
    free(path);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/answer");
    UNIT_ADD_TABLE(tests, whole_frames_are_read, rows);
    tcase_add_test(tests, no_bytes_are_no_frames);
    tcase_add_test(tests, more_frames_than_there_is_room_for_are_left_out);
    tcase_add_test(tests, written_answers_are_read);
    UNIT_ADD_TABLE(tests, texts_that_are_too_long_are_left_out, lengths);
    return unit_end();
}
