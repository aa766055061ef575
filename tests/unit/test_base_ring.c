/* SPDX-License-Identifier: MIT */
#include "common/base/ring.h"

#include "common/base/error.h"
#include "unit.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 4096, HEADER = sizeof(struct ring_header) };

static struct ring mapped(void)
{
    struct ring ring;
    struct error error = {0};
    ck_assert_int_eq(ring_map(&ring, ROOM, &error), 0);
    ck_assert_int_eq(error.errnum, 0);
    ck_assert_uint_eq(ring.room, ROOM);
    return ring;
}

/* The byte at offset AT of message NUMBER. */
static unsigned char byte_of(uint64_t number, size_t at)
{
    return (unsigned char)(number * 31 + at);
}

static bool put(struct ring *ring, uint32_t number, size_t size, size_t spare)
{
    unsigned char *bytes = ring_reserve(ring, number, size, spare);
    if (!bytes)
        return false;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_of(number, i);
    ring_publish(ring, size);
    return true;
}

static void expect(struct ring *ring, uint32_t number, size_t size)
{
    struct ring_header header;
    bool damaged = false;
    const unsigned char *bytes = ring_peek(ring, &header, &damaged);
    ck_assert(!damaged);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq((uintptr_t)bytes % 8, 0);
    ck_assert_uint_eq(header.type, number);
    ck_assert_uint_eq(header.size, size);
    size_t same = 0; /* one assertion for all bytes, because each one sends a message to Check's parent process */
    while (same < size && bytes[same] == byte_of(number, same))
        same++;
    ck_assert_uint_eq(same, size);
    ring_consume(ring);
}

static void expect_nothing(struct ring *ring)
{
    struct ring_header header;
    bool damaged = false;
    ck_assert_ptr_null(ring_peek(ring, &header, &damaged));
    ck_assert(!damaged);
    ck_assert_uint_eq(ring_filled(ring), 0);
}

static const size_t sizes[] = {0, 1, 7, 8, 9, 100, 1000, ROOM / 2 - 1, ROOM / 2};

/* Enough messages that each size begins at every possible offset, including the end of the ring. */
START_TEST(messages_come_out_as_they_went_in)
{
    struct ring ring = mapped();
    expect_nothing(&ring);
    for (uint32_t number = 0; number < 600; number++) {
        ck_assert(put(&ring, number, sizes[_i], 0));
        ck_assert_uint_gt(ring_filled(&ring), sizes[_i]);
        expect(&ring, number, sizes[_i]);
        expect_nothing(&ring);
        ck_assert(put(&ring, 7, number % 64, 0));
        expect(&ring, 7, number % 64);
    }
    ring_unmap(&ring);
}
END_TEST

static const struct {
    size_t first, second, spare;
    bool fits;
} fits[] = {
    {0, ROOM / 2, 0, true},    {0, ROOM / 2 + 1, 0, false}, /* a message has at most half of the ring */
    {0, SIZE_MAX, 0, false},   {0, SIZE_MAX - 7, 0, false}, {2040, 2032, 0, true}, /* full to the last byte: 2040 + 8
                                                                                    * and 2032 + 8 are 4088 */
    {2040, 2040, 0, true},     {2040, 2041, 0, false},      {2040, 2040, 1, false}, {2040, 1040, 1000, true},
    {2040, 1040, 1001, false}, {0, 0, ROOM, false},
};

START_TEST(too_large_messages_are_refused)
{
    struct ring ring = mapped();
    ck_assert(put(&ring, 1, fits[_i].first, 0));
    size_t filled = ring_filled(&ring);

    ck_assert(put(&ring, 2, fits[_i].second, fits[_i].spare) == fits[_i].fits);
    if (!fits[_i].fits)
        ck_assert_uint_eq(ring_filled(&ring), filled);
    expect(&ring, 1, fits[_i].first);
    if (fits[_i].fits)
        expect(&ring, 2, fits[_i].second);
    expect_nothing(&ring);
    ring_unmap(&ring);
}
END_TEST

START_TEST(only_what_is_published_is_there)
{
    struct ring ring = mapped();
    unsigned char *bytes = ring_reserve(&ring, 1, 100, 0);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0xff, 100);
    expect_nothing(&ring);

    bytes = ring_reserve(&ring, 2, 1000, 0); /* replaces the first reservation */
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < 30; i++)
        bytes[i] = byte_of(2, i);
    ring_publish(&ring, 30); /* shortened */
    ck_assert_uint_eq(ring_filled(&ring), HEADER + 32);
    expect(&ring, 2, 30);
    expect_nothing(&ring);
    ring_unmap(&ring);
}
END_TEST

/* A damaged writer's values: the claimed amount of data, and the size in the header. */
static const struct {
    uint64_t written;
    uint32_t size;
} damages[] = {
    {HEADER + 8, 9}, {HEADER + 8, UINT32_MAX},  {HEADER, 1}, {HEADER - 1, 0}, {ROOM + 8, 8},
    {UINT64_MAX, 8}, {ROOM, ROOM - HEADER + 1},
};

START_TEST(damage_empties_the_ring)
{
    struct ring ring = mapped();
    ck_assert_ptr_nonnull(ring_reserve(&ring, 1, 8, 0));
    memcpy(ring.bytes, &damages[_i].size, sizeof damages[_i].size);
    atomic_store(&ring.control->written, damages[_i].written);

    struct ring_header header;
    bool damaged = false;
    ck_assert_ptr_null(ring_peek(&ring, &header, &damaged));
    ck_assert(damaged);
    expect_nothing(&ring);
    ring_unmap(&ring);
}
END_TEST

START_TEST(a_ring_of_no_page_is_refused)
{
    struct ring ring;
    struct error error = {0};
    ck_assert_int_lt(ring_map(&ring, 0, &error), 0);
    ck_assert_int_ne(error.errnum, 0);
    ck_assert_ptr_null(ring.control);
    ring_unmap(&ring); /* nothing is mapped */
}
END_TEST

static void write_all(struct ring *ring, uint32_t count)
{
    for (uint32_t number = 0; number < count;)
        if (put(ring, number, number % 700, 0))
            number++;
        else
            usleep(100);
}

START_TEST(two_processes_can_share_it)
{
    enum { COUNT = 5000 };
    struct ring ring = mapped();
    pid_t writer = fork();
    ck_assert_int_ge(writer, 0);
    if (!writer) {
        write_all(&ring, COUNT);
        _exit(0);
    }
    for (uint32_t number = 0; number < COUNT;)
        if (ring_filled(&ring)) {
            expect(&ring, number, number % 700);
            number++;
        } else
            usleep(100);
    int status;
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert_int_eq(status, 0);
    expect_nothing(&ring);
    ring_unmap(&ring);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/ring");
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, messages_come_out_as_they_went_in, sizes);
    UNIT_ADD_TABLE(tests, too_large_messages_are_refused, fits);
    tcase_add_test(tests, only_what_is_published_is_there);
    UNIT_ADD_TABLE(tests, damage_empties_the_ring, damages);
    tcase_add_test(tests, a_ring_of_no_page_is_refused);
    tcase_add_test(tests, two_processes_can_share_it);
    return unit_end();
}
