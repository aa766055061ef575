/* SPDX-License-Identifier: MIT */
#include "common/base/reader.h"

#include "common/base/time.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT = 1 << 20 };

static char folder[] = "/tmp/ptprofil-test.XXXXXX", fifo[64], plain[64], large[64];

static void make(const char *path, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < size; i += 4)
        ck_assert_int_eq(write(fd, "text", 4), 4);
    close(fd);
}

static void setup(void)
{
    strcpy(folder + sizeof folder - 1 - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    snprintf(large, sizeof large, "%s/large", folder);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    make(plain, 4);
    make(large, 200000);
}

static void teardown(void)
{
    unlink(fifo);
    unlink(plain);
    unlink(large);
    rmdir(folder);
}

START_TEST(texts_are_read)
{
    struct reader reader = {0};
    struct buffer text = {0};
    ck_assert_int_eq(reader_read(&reader, plain, LIMIT, &text), 0);
    ck_assert_str_eq(text.bytes, "text");
    pid_t child = reader.child.pid;
    ck_assert_int_eq(reader_read(&reader, large, LIMIT, &text), 0);
    ck_assert_uint_eq(text.length, 200000);
    ck_assert_int_eq(reader_read(&reader, large, 5, &text), -E2BIG);
    ck_assert_str_eq(text.bytes, "textt");
    ck_assert_int_eq(reader_read(&reader, "/nowhere", LIMIT, &text), -ENOENT);
    ck_assert_uint_eq(text.length, 0);
    ck_assert_int_eq(reader.child.pid, child); /* one child for all */
    reader_end(&reader);
    ck_assert_int_lt(kill(child, 0), 0);
    ck_assert_int_eq(reader_read(&reader, plain, LIMIT, &text), 0); /* it can begin again */
    reader_end(&reader);
    buffer_fini(&text);
}
END_TEST

/* A FIFO without a writer makes its reader wait without end. */
START_TEST(a_read_that_never_ends_is_given_up)
{
    struct reader reader = {0};
    struct buffer text = {0};
    ck_assert_int_eq(reader_read(&reader, plain, LIMIT, &text), 0);
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t began_ns = time_now_ns();
        ck_assert_int_eq(reader_read(&reader, fifo, LIMIT, &text), -ETIMEDOUT);
        ck_assert_uint_ge(time_now_ns() - began_ns, 900000000);
        ck_assert_uint_eq(text.length, 0);
        ck_assert_uint_eq(reader.in_vain, i);
        if (i < 3) /* others are read */
            ck_assert_int_eq(reader_read(&reader, plain, LIMIT, &text), 0);
    }
    ck_assert_int_eq(reader_read(&reader, plain, LIMIT, &text), -ETIMEDOUT);
    reader_end(&reader);
    buffer_fini(&text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/reader");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, texts_are_read);
    tcase_add_test(tests, a_read_that_never_ends_is_given_up);
    return unit_end();
}
