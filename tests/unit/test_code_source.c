/* SPDX-License-Identifier: MIT */
#include "profile/code/source.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *text;
    size_t length; /* 0: the text's length */
    const char *lines;
} texts[] = {
    {"", 0, ""},    {"one", 0, "one|"},  {"one\n", 0, "one|"},     {"one\n\nthree\r\n\tfour", 0, "one||three|\tfour|"},
    {"\n", 0, "|"}, {"\r\n\r", 0, "||"}, {"a\0b\nc", 5, "a b|c|"},
};

START_TEST(lines_follow_the_table)
{
    struct source source = {0};
    struct buffer lines = {0};
    size_t length = texts[_i].length ? texts[_i].length : strlen(texts[_i].text);
    char *text = malloc(length + 1);
    memcpy(text, texts[_i].text, length);
    ck_assert_int_eq(source_split(&source, text, length), 0);
    buffer_puts(&lines, "");
    for (uint32_t i = 1; i <= source.line_count; i++)
        buffer_printf(&lines, "%s|", source_line(&source, i));
    ck_assert_str_eq(lines.bytes, texts[_i].lines);
    ck_assert_ptr_null(source_line(&source, 0));
    ck_assert_ptr_null(source_line(&source, (uint32_t)source.line_count + 1));
    buffer_fini(&lines);
    source_fini(&source);
}
END_TEST

/* A name from an untrusted profile is opened only if it is a regular file. */
START_TEST(only_regular_files_are_read)
{
    static const struct {
        const char *path;
        int result;
    } files[] = {
        {"fifo", -EINVAL}, {".", -EINVAL}, {"/dev/zero", -EINVAL},          {"/proc/self/status", -EINVAL},
        {"none", -ENOENT}, {"", -EINVAL},  {"/proc/self/fd/0/x", -ENOTDIR}, {"link", -EINVAL},
    };
    char folder[] = "/tmp/ptprofil-source-XXXXXX";
    struct source source = {0};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    ck_assert_int_eq(symlink("/proc/self/status", "link"), 0);
    FILE *stream = fopen("file.c", "w");
    fputs("a\nb\n", stream);
    fclose(stream);
    for (size_t i = 0; i < UNIT_ROWS(files); i++) {
        int result = source_read(&source, NULL, "", files[i].path);
        ck_assert_msg(result < 0 && (result == files[i].result || files[i].result == -ENOTDIR), "%s: %d", files[i].path,
                      result);
        ck_assert_uint_eq(source.line_count, 0);
    }
    ck_assert_int_eq(source_read(&source, NULL, "", "file.c"), 0);
    ck_assert_str_eq(source_line(&source, 2), "b");
    source_fini(&source);
    ck_assert(!unlink("fifo") && !unlink("link") && !unlink("file.c") && !rmdir(folder));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("code/source");
    UNIT_ADD_TABLE(tests, lines_follow_the_table, texts);
    tcase_add_test(tests, only_regular_files_are_read);
    return unit_end();
}
