/* SPDX-License-Identifier: MIT */
#include "profile/stored/import.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static int read_bytes(struct buffer *into, const void *bytes, size_t size, size_t limit, struct error *error)
{
    int fd = memfd_create("gunzip", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    int result = gunzip_read(into, fd, limit, error);
    close(fd);
    return result;
}

/* SIZE bytes that differ from their neighbours. */
static char *pattern(size_t size)
{
    char *bytes = malloc(size + 1);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    return bytes;
}

static const size_t sizes[] = {0, 1, 2, 65535, 65536, 65537, 300000};

START_TEST(uncompressed_data_is_copied)
{
    struct buffer bytes = {0};
    struct error error = {0};
    char *text = pattern(sizes[_i]);
    ck_assert_int_eq(read_bytes(&bytes, text, sizes[_i], sizes[_i], &error), 0);
    ck_assert_uint_eq(bytes.length, sizes[_i]);
    if (bytes.length)
        ck_assert_mem_eq(bytes.bytes, text, sizes[_i]);
    if (sizes[_i])
        ck_assert_int_eq(read_bytes(&bytes, text, sizes[_i], sizes[_i] - 1, &error), -E2BIG);
    buffer_fini(&bytes);
    free(text);
}
END_TEST

/* Appends a gzip member with SIZE bytes. */
static void compress_into(struct buffer *out, const char *bytes, size_t size)
{
    z_stream zlib = {0};
    static unsigned char chunk[1 << 20];
    ck_assert_int_eq(deflateInit2(&zlib, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_in = (z_const Bytef *)bytes;
    zlib.avail_in = (uInt)size;
    zlib.next_out = chunk;
    zlib.avail_out = sizeof chunk;
    ck_assert_int_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    ck_assert(buffer_append(out, chunk, sizeof chunk - zlib.avail_out));
    deflateEnd(&zlib);
}

START_TEST(compressed_data_is_unpacked)
{
    struct buffer packed = {0}, bytes = {0};
    struct error error = {0};
    char *text = pattern(sizes[_i]);
    compress_into(&packed, text, sizes[_i]);
    ck_assert_int_eq(read_bytes(&bytes, packed.bytes, packed.length, sizes[_i], &error), 0);
    ck_assert_uint_eq(bytes.length, sizes[_i]);
    if (bytes.length)
        ck_assert_mem_eq(bytes.bytes, text, sizes[_i]);
    if (sizes[_i])
        ck_assert_int_eq(read_bytes(&bytes, packed.bytes, packed.length, sizes[_i] - 1, &error), -E2BIG);
    buffer_fini(&bytes);
    buffer_fini(&packed);
    free(text);
}
END_TEST

START_TEST(several_members_are_one_text)
{
    struct buffer packed = {0}, bytes = {0};
    struct error error = {0};
    char *text = pattern(70000);
    compress_into(&packed, "one ", 4);
    compress_into(&packed, text, 70000);
    compress_into(&packed, "", 0);
    compress_into(&packed, " end", 4);
    ck_assert_int_eq(read_bytes(&bytes, packed.bytes, packed.length, 1 << 20, &error), 0);
    ck_assert_uint_eq(bytes.length, 70008);
    ck_assert_str_eq(bytes.bytes + 70004, " end");
    buffer_fini(&bytes);
    buffer_fini(&packed);
    free(text);
}
END_TEST

/* A megabyte claims to be a gigabyte. The limit bounds its memory. */
START_TEST(a_bomb_is_refused)
{
    struct buffer packed = {0}, bytes = {0};
    struct error error = {0}, of_plain = {0};
    char *zeros = calloc(1, 1 << 20);
    for (unsigned i = 0; i < 64; i++)
        compress_into(&packed, zeros, 1 << 20);
    ck_assert_int_eq(read_bytes(&bytes, packed.bytes, packed.length, 8 << 20, &error), -E2BIG);
    ck_assert_uint_le(bytes.length, 8 << 20);
    ck_assert_ptr_nonnull(strstr(error.text, "larger than 8 MiB"));
    char *plain = calloc(16, 1 << 20);
    ck_assert_int_eq(read_bytes(&bytes, plain, 16 << 20, 8 << 20, &of_plain), -E2BIG);
    ck_assert_ptr_nonnull(strstr(of_plain.text, "larger than 8 MiB"));
    free(plain);
    buffer_fini(&bytes);
    buffer_fini(&packed);
    free(zeros);
}
END_TEST

START_TEST(damage_is_reported)
{
    struct buffer packed = {0}, bytes = {0};
    char *text = pattern(3000);
    compress_into(&packed, text, 3000);
    for (size_t i = 2; i < packed.length; i++) {
        struct error cut = {0}, changed = {0};
        ck_assert_int_eq(read_bytes(&bytes, packed.bytes, i, 1 << 20, &cut), -EBADMSG);
        packed.bytes[i] ^= 0x55;
        int result = read_bytes(&bytes, packed.bytes, packed.length, 1 << 20, &changed);
        ck_assert(result == 0 || result == -EBADMSG); /* some bytes of the header are unused */
        packed.bytes[i] ^= 0x55;
    }
    struct error trailing = {0};
    buffer_puts(&packed, "something else");
    ck_assert_int_eq(read_bytes(&bytes, packed.bytes, packed.length, 1 << 20, &trailing), -EBADMSG);
    buffer_fini(&bytes);
    buffer_fini(&packed);
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored/gunzip");
    UNIT_ADD_TABLE(tests, uncompressed_data_is_copied, sizes);
    UNIT_ADD_TABLE(tests, compressed_data_is_unpacked, sizes);
    tcase_add_test(tests, several_members_are_one_text);
    tcase_add_test(tests, a_bomb_is_refused);
    tcase_add_test(tests, damage_is_reported);
    return unit_end();
}
