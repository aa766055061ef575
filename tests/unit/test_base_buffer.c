/* SPDX-License-Identifier: MIT */
#include "common/base/buffer.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

START_TEST(appends_follow_each_other)
{
    struct buffer buffer = {0};
    ck_assert(buffer_puts(&buffer, "one "));
    ck_assert(buffer_append(&buffer, "t\0wo", 4));
    ck_assert(buffer_printf(&buffer, " %s %d", "three", 4));
    ck_assert_uint_eq(buffer.length, 16);
    ck_assert_mem_eq(buffer.bytes, "one t\0wo three 4", 17);
    ck_assert(!buffer.failed);
    buffer_fini(&buffer);
    ck_assert_ptr_null(buffer.bytes);
    ck_assert_uint_eq(buffer.length, 0);
    ck_assert_uint_eq(buffer.room, 0);
}
END_TEST

START_TEST(numbers_are_decimal)
{
    struct buffer buffer = {0};
    ck_assert(buffer_number(&buffer, 0));
    ck_assert(buffer_puts(&buffer, " "));
    ck_assert(buffer_number(&buffer, 1234567890));
    ck_assert(buffer_puts(&buffer, " "));
    ck_assert(buffer_number(&buffer, UINT64_MAX));
    ck_assert_str_eq(buffer.bytes, "0 1234567890 18446744073709551615");
    ck_assert_uint_eq(buffer.length, strlen(buffer.bytes));
    buffer_fini(&buffer);
}
END_TEST

START_TEST(bytes_are_two_digits_each)
{
    static const uint8_t bytes[] = {0, 0x0a, 0xff};
    struct buffer buffer = {0};
    ck_assert(buffer_hex(&buffer, bytes, 0));
    ck_assert_uint_eq(buffer.length, 0);
    ck_assert(buffer_hex(&buffer, bytes, sizeof bytes));
    ck_assert_str_eq(buffer.bytes, "000aff");
    buffer_fini(&buffer);
}
END_TEST

/* The examples of RFC 4648, and bytes above 127. */
static const struct {
    const char *bytes, *text;
} encodings[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xfb\xff\xbf", "+/+/"},
};

START_TEST(base64_follows_the_rfc)
{
    struct buffer buffer = {0};
    ck_assert(buffer_puts(&buffer, "<"));
    ck_assert(buffer_base64(&buffer, encodings[_i].bytes, strlen(encodings[_i].bytes)));
    ck_assert_str_eq(buffer.bytes + 1, encodings[_i].text);
    buffer_fini(&buffer);
}
END_TEST

START_TEST(formatted_text_of_any_length)
{
    for (int length = 0; length < 300; length++) {
        struct buffer buffer = {0};
        ck_assert(buffer_puts(&buffer, "x"));
        ck_assert(buffer_printf(&buffer, "%0*d", length + 1, 7));
        ck_assert_uint_eq(buffer.length, (size_t)length + 2);
        ck_assert_int_eq(buffer.bytes[length + 1], '7');
        ck_assert_int_eq(buffer.bytes[length + 2], 0);
        buffer_fini(&buffer);
    }
}
END_TEST

START_TEST(nothing_appended_is_an_empty_string)
{
    struct buffer appended = {0}, put = {0}, printed = {0};
    ck_assert(buffer_append(&appended, NULL, 0));
    ck_assert(buffer_puts(&put, ""));
    ck_assert(buffer_printf(&printed, "%s", ""));
    ck_assert_str_eq(appended.bytes, "");
    ck_assert_str_eq(put.bytes, "");
    ck_assert_str_eq(printed.bytes, "");
    buffer_fini(&appended);
    buffer_fini(&put);
    buffer_fini(&printed);
}
END_TEST

START_TEST(a_0_always_follows)
{
    struct buffer buffer = {0};
    for (size_t i = 1; i <= 5000; i++) {
        ck_assert(buffer_append(&buffer, "x", 1));
        ck_assert_uint_eq(buffer.length, i);
        ck_assert_uint_gt(buffer.room, buffer.length);
        ck_assert_int_eq(buffer.bytes[i], 0);
    }
    ck_assert_uint_eq(strlen(buffer.bytes), 5000);
    buffer_fini(&buffer);
}
END_TEST

static const size_t refused[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4, SIZE_MAX / 2 + 2, SIZE_MAX / 4};

START_TEST(too_large_additions_are_refused)
{
    struct buffer buffer = {0};
    ck_assert(buffer_puts(&buffer, "kept"));
    ck_assert(!buffer_append(&buffer, "", refused[_i]));
    ck_assert(buffer.failed);
    ck_assert_uint_eq(buffer.length, 4);
    ck_assert_str_eq(buffer.bytes, "kept");
    buffer_fini(&buffer);
}
END_TEST

static int file_of(size_t size)
{
    int fd = memfd_create("test", 0);
    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < size; i++)
        if (dprintf(fd, "%c", (char)('a' + i % 26)) != 1)
            ck_abort_msg("cannot write: %s", strerror(errno));
    return fd;
}

static const struct {
    size_t size, limit;
    int result;
    size_t kept;
} reads[] = {
    {0, 100, 0, 0},
    {1, 100, 0, 1},
    {99, 100, 0, 99},
    {4096, 1 << 20, 0, 4096},
    {20000, 1 << 20, 0, 20000},
    {101, 100, -E2BIG, 100},
    {20000, 5000, -E2BIG, 5000},
    {20000, 8192, -E2BIG, 8192},
};

START_TEST(read_file_follows_the_table)
{
    struct buffer buffer = {0};
    int fd = file_of(reads[_i].size);
    /* twice: the content is replaced, and the descriptor's offset is ignored */
    ck_assert(buffer_puts(&buffer, "gone"));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(buffer_read_file(&buffer, fd, reads[_i].limit), reads[_i].result);
        ck_assert_uint_eq(buffer.length, reads[_i].kept);
        ck_assert_uint_eq(strlen(buffer.bytes), reads[_i].kept);
        size_t same = 0;
        while (same < buffer.length && buffer.bytes[same] == (char)('a' + same % 26))
            same++;
        ck_assert_uint_eq(same, buffer.length);
    }
    close(fd);
    buffer_fini(&buffer);
}
END_TEST

START_TEST(read_file_reads_texts_of_proc)
{
    struct buffer buffer = {0};
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(buffer_read_file(&buffer, fd, 1 << 20), 0);
    ck_assert_ptr_nonnull(strstr(buffer.bytes, "\nPid:\t"));
    close(fd);
    buffer_fini(&buffer);
}
END_TEST

START_TEST(read_file_says_why_it_failed)
{
    struct buffer buffer = {0};
    ck_assert_int_eq(buffer_read_file(&buffer, -1, 100), -EBADF);
    ck_assert_uint_eq(buffer.length, 0);

    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(buffer_read_file(&buffer, ends[0], 100), -ESPIPE);
    close(ends[0]);
    close(ends[1]);
    buffer_fini(&buffer);
}
END_TEST

START_TEST(a_path_is_read)
{
    struct buffer buffer = {0};
    ck_assert_int_eq(buffer_read_path(&buffer, "/proc/self/comm", 4096), 0);
    ck_assert_uint_gt(buffer.length, 1);
    ck_assert_int_eq(buffer.bytes[buffer.length - 1], '\n');
    ck_assert_int_eq(buffer_read_path(&buffer, "/proc/self/status", 100), -E2BIG);
    ck_assert_uint_eq(buffer.length, 100);
    ck_assert_int_eq(buffer_read_path(&buffer, "/proc/self/no such file", 4096), -ENOENT);
    ck_assert_uint_eq(buffer.length, 0);
    buffer_fini(&buffer);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/buffer");
    tcase_add_test(tests, appends_follow_each_other);
    tcase_add_test(tests, numbers_are_decimal);
    tcase_add_test(tests, bytes_are_two_digits_each);
    UNIT_ADD_TABLE(tests, base64_follows_the_rfc, encodings);
    tcase_add_test(tests, formatted_text_of_any_length);
    tcase_add_test(tests, nothing_appended_is_an_empty_string);
    tcase_add_test(tests, a_0_always_follows);
    UNIT_ADD_TABLE(tests, too_large_additions_are_refused, refused);
    UNIT_ADD_TABLE(tests, read_file_follows_the_table, reads);
    tcase_add_test(tests, read_file_reads_texts_of_proc);
    tcase_add_test(tests, read_file_says_why_it_failed);
    tcase_add_test(tests, a_path_is_read);
    return unit_end();
}
