/* SPDX-License-Identifier: MIT
 *
 * The bytes are written by the format's public description. */
#include "common/base/protobuf.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct inner {
    int64_t number;
};

struct outer {
    uint64_t one, fixed;
    int64_t other;
    uint64_t *list;
    struct inner *inner, *only;
    size_t n_list, n_inner;
};

static const struct protobuf_field inner_fields[] = {{1, PROTOBUF_NUMBER, offsetof(struct inner, number), 0, NULL}};
static const struct protobuf_layout inner_layout = {sizeof(struct inner), inner_fields, 1};
static const struct protobuf_field outer_fields[] = {
    {1, PROTOBUF_NUMBER, offsetof(struct outer, one), 0, NULL},
    {2, PROTOBUF_NUMBER, offsetof(struct outer, other), 0, NULL},
    {3, PROTOBUF_NUMBERS, offsetof(struct outer, list), offsetof(struct outer, n_list), NULL},
    {4, PROTOBUF_MESSAGES, offsetof(struct outer, inner), offsetof(struct outer, n_inner), &inner_layout},
    {5, PROTOBUF_FIXED64, offsetof(struct outer, fixed), 0, NULL},
    {30000, PROTOBUF_MESSAGE, offsetof(struct outer, only), 0, &inner_layout},
};
static const struct protobuf_layout outer_layout = {sizeof(struct outer), outer_fields, UNIT_ROWS(outer_fields)};

static const struct {
    struct outer message;
    const char *bytes;
    size_t size;
} written[] = {
#define ROW(bytes, ...)                                                                                                \
    {                                                                                                                  \
        {__VA_ARGS__}, bytes, sizeof bytes - 1                                                                         \
    }
    ROW("", 0),
    ROW("\x08\x96\x01", .one = 150),
    ROW("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", .one = UINT64_MAX),
    ROW("\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", .other = -2),
    ROW("\x1a\x04\x00\x7f\x80\x01", .list = (uint64_t[]){0, 127, 128}, .n_list = 3),
    ROW("\x22\x02\x08\x05\x22\x00", .inner = (struct inner[]){{5}, {0}}, .n_inner = 2),
    ROW("\x29\x08\x07\x06\x05\x04\x03\x02\x01", .fixed = 0x0102030405060708),
    ROW("\x82\xd3\x0e\x02\x08\x01", .only = &(struct inner){1}),
    ROW("\x08\x01\x1a\x01\x02\x22\x02\x08\x03", .one = 1, .list = (uint64_t[]){2}, .n_list = 1,
        .inner = (struct inner[]){{3}}, .n_inner = 1),
};

START_TEST(messages_are_written)
{
    struct buffer out = {0};

    protobuf_put_message(&out, 1, &outer_layout, &written[_i].message);
    ck_assert(!out.failed);
    ck_assert_uint_eq((unsigned char)out.bytes[1], written[_i].size); /* the predicted size */
    out.length = 0;
    protobuf_put(&out, &outer_layout, &written[_i].message);
    ck_assert(!out.failed);
    ck_assert_uint_eq(out.length, written[_i].size);
    if (out.length)
        ck_assert_mem_eq(out.bytes, written[_i].bytes, out.length);
    buffer_fini(&out);
}
END_TEST

static struct protobuf_entry whole(const char *bytes, size_t size)
{
    return (struct protobuf_entry){.is_bytes = true, .bytes = (const uint8_t *)bytes, .size = size};
}

START_TEST(written_messages_are_read)
{
    struct protobuf_memory memory = {.used = 0};
    struct outer message;
    const struct outer *expected = &written[_i].message;
    struct protobuf_entry entry = whole(written[_i].bytes, written[_i].size);

    ck_assert(protobuf_take(&memory, &outer_layout, &entry, &message));
    ck_assert_uint_eq(message.one, expected->one);
    ck_assert_uint_eq(message.fixed, expected->fixed);
    ck_assert_int_eq(message.other, expected->other);
    ck_assert_uint_eq(message.n_list, expected->n_list);
    for (size_t i = 0; i < message.n_list; i++)
        ck_assert_uint_eq(message.list[i], expected->list[i]);
    ck_assert_uint_eq(message.n_inner, expected->n_inner);
    for (size_t i = 0; i < message.n_inner; i++)
        ck_assert_int_eq(message.inner[i].number, expected->inner[i].number);
    protobuf_memory_free(&memory);
}
END_TEST

static const struct {
    const char *bytes;
    size_t size;
    bool good;
    uint64_t one;
    size_t count; /* of the list */
} reads[] = {
#define READ(bytes, ...)                                                                                               \
    {                                                                                                                  \
        bytes, sizeof bytes - 1, __VA_ARGS__                                                                           \
    }
    READ("\x08\x01\x08\x02", true, 2, 0),                     /* the last value is used */
    READ("\x18\x05\x1a\x02\x06\x07\x18\x08", true, 0, 4),     /* packed and not */
    READ("\x0a\x01\x41\x1a\x00", true, 0, 0),                 /* a text instead of a number */
    READ("\x09\x03\x00\x00\x00\x00\x00\x00\x00", true, 3, 0), /* 64 bits */
    READ("\x0d\x04\x00\x00\x00", true, 4, 0),                 /* 32 bits */
    READ("\xfa\x01\x03\x61\x62\x63\x08\x07", true, 7, 0),     /* an unknown field */
    READ("\x22\x02\x10\x01", true, 0, 0),                     /* a number in a nested message */
    READ("\x08", false, 0, 0),                                /* truncated */
    READ("\x08\x80", false, 0, 0),
    READ("\x1a\x02\x01", false, 0, 0),
    READ("\x1a\x01\x80", false, 0, 0), /* an incomplete number */
    READ("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false, 0, 0),
    READ("\x22\x01\x08", false, 0, 0), /* a broken nested message */
    READ("\x0b\x0c", false, 0, 0),     /* a group */
    READ("\x00\x01", false, 0, 0),     /* field 0 */
    READ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false, 0, 0),
};

START_TEST(strangers_messages_are_read_or_refused)
{
    struct protobuf_memory memory = {.used = 0};
    struct outer message;
    char *exact = malloc(reads[_i].size + 1); /* of the exact size, for the sanitizers */
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, reads[_i].bytes, reads[_i].size);
    struct protobuf_entry entry = whole(exact + 1, reads[_i].size);

    bool good = protobuf_take(&memory, &outer_layout, &entry, &message);
    ck_assert_int_eq(good, reads[_i].good);
    if (good) {
        ck_assert_uint_eq(message.one, reads[_i].one);
        ck_assert_uint_eq(message.n_list, reads[_i].count);
    }
    protobuf_memory_free(&memory);
    free(exact);
}
END_TEST

/* The list is larger than the memory that a message has for short ones. */
START_TEST(long_lists_have_room)
{
    enum { COUNT = 100000 };
    static uint64_t numbers[COUNT];
    struct protobuf_memory memory = {.used = 0};
    struct outer message = {.list = numbers, .n_list = COUNT}, back;
    struct buffer out = {0};

    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = i * i;
    protobuf_put(&out, &outer_layout, &message);
    ck_assert(!out.failed);
    struct protobuf_entry entry = whole(out.bytes, out.length);
    for (int again = 0; again < 3; again++) {
        ck_assert(protobuf_take(&memory, &outer_layout, &entry, &back));
        ck_assert_uint_eq(back.n_list, COUNT);
        ck_assert_mem_eq(back.list, numbers, sizeof numbers);
        protobuf_memory_free(&memory);
    }
    buffer_fini(&out);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/protobuf");

    UNIT_ADD_TABLE(tests, messages_are_written, written);
    UNIT_ADD_TABLE(tests, written_messages_are_read, written);
    UNIT_ADD_TABLE(tests, strangers_messages_are_read_or_refused, reads);
    tcase_add_test(tests, long_lists_have_room);
    return unit_end();
}
