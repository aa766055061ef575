/* SPDX-License-Identifier: MIT */
#include "programs/elf/unwind_table.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { VADDR = 0x10000 };

struct seen {
    uint64_t start[8], end[8], offset[8];
    size_t count, limit;
};

static bool note(void *owner, uint64_t start, uint64_t end, uint64_t offset)
{
    struct seen *seen = owner;
    ck_assert_uint_gt(end, start);
    if (seen->count < 8) {
        seen->start[seen->count] = start;
        seen->end[seen->count] = end;
        seen->offset[seen->count] = offset;
    }
    return ++seen->count != seen->limit;
}

static bool walk_format(const void *bytes, size_t size, enum elf_unwind_format format, struct seen *seen)
{
    uint8_t *exact = malloc(size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, bytes, size);
    uint64_t vaddr = format == ELF_UNWIND_DEBUG_FRAME ? 0 : VADDR;
    bool done = elf_unwind_table_walk(exact + 1, size, vaddr, format, false, note, seen);
    free(exact);
    return done;
}

static bool walk(const void *bytes, size_t size, struct seen *seen)
{
    return walk_format(bytes, size, ELF_UNWIND_EH_FRAME, seen);
}

/* A common record of 20 bytes: length, 0, version 1, "zR", alignments 1 and -8, register 16, 1 byte:
 * ENCODING. */
#define COMMON(encoding) "\x10\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1" encoding "\0\0\0"
/* A record at offset 20: its pointer to the common one is at 24. */
#define RECORD(addresses) "\x10\0\0\0\x18\0\0\0" addresses

static const struct {
    const char *bytes;
    size_t size, count;
    uint64_t start, end; /* of the first record */
} rows[] = {
    /* relative to its own address, 4 bytes signed, as compilers write it. The address is at offset 28. */
    {COMMON("\x1b") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 1, VADDR + 28 + 16, VADDR + 28 + 16 + 32},
    {COMMON("\x1b") RECORD("\xf0\xff\xff\xff\x20\0\0\0\0\0\0\0"), 40, 1, VADDR + 28 - 16, VADDR + 28 + 16},
    /* absolute, of 4, 2 and 8 bytes */
    {COMMON("\x03") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 1, 0x10, 0x30},
    {COMMON("\x02") RECORD("\x10\0\x20\0\0\0\0\0\0\0\0\0"), 40, 1, 0x10, 0x30},
    {COMMON("\x00") "\x15\0\0\0\x18\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0", 45, 1, 0x10, 0x30},
    /* a size is never negative: 0xfff0 bytes */
    {COMMON("\x0a") RECORD("\x10\0\xf0\xff\0\0\0\0\0\0\0\0"), 40, 1, 0x10, 0x10000},
    /* only the terminator ends the table */
    {COMMON("\x1b") "\0\0\0\0" RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 44, 0, 0, 0},
    /* unsupported encodings: relative to data, indirect, omitted, LEB128 */
    {COMMON("\x3b") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 0, 0, 0},
    {COMMON("\x9b") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 0, 0, 0},
    {COMMON("\xff") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 0, 0, 0},
    {COMMON("\x01") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0"), 40, 0, 0, 0},
    /* a size of 0; an overflow */
    {COMMON("\x1b") RECORD("\x10\0\0\0\0\0\0\0\0\0\0\0"), 40, 0, 0, 0},
    {COMMON("\x00") "\x15\0\0\0\x18\0\0\0\x10\0\0\0\0\0\0\0\xf0\xff\xff\xff\xff\xff\xff\xff\0", 45, 0, 0, 0},
    /* no space for the size of its augmentation data; data beyond its end */
    {COMMON("\x03") "\x0c\0\0\0\x18\0\0\0\x10\0\0\0\x20\0\0\0", 36, 0, 0, 0},
    {COMMON("\x03") "\x10\0\0\0\x18\0\0\0\x10\0\0\0\x20\0\0\0\4\0\0\0", 40, 0, 0, 0},
    /* a pointer before the table, to the record itself, into another record */
    {COMMON("\x1b") "\x10\0\0\0\xff\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0", 40, 0, 0, 0},
    {COMMON("\x1b") "\x10\0\0\0\4\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0", 40, 0, 0, 0},
    {COMMON("\x1b") "\x10\0\0\0\x14\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0", 40, 0, 0, 0},
    /* lengths beyond the end, in 32 and in 64 bits */
    {COMMON("\x1b") "\x11\0\0\0\x18\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0", 40, 0, 0, 0},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, 0, 0, 0},
    {"\xff\xff\xff\xff\xff\xff", 6, 0, 0, 0},
    {"\xfe\xff\xff\xff", 4, 0, 0, 0},
    {"", 0, 0, 0, 0},
};

START_TEST(records_follow_the_table)
{
    struct seen seen = {0};
    ck_assert(walk(rows[_i].bytes, rows[_i].size, &seen));
    ck_assert_uint_eq(seen.count, rows[_i].count);
    ck_assert_uint_eq(seen.start[0], rows[_i].start);
    ck_assert_uint_eq(seen.end[0], rows[_i].end);
}
END_TEST

/* .debug_frame: kind all ones, the common record's offset, plain addresses. Versions 1, 3 and 4. */
#define DEBUG_COMMON(version) "\x0c\0\0\0\xff\xff\xff\xff" version
#define DEBUG_RECORD "\x14\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"

static const struct {
    const char *bytes;
    size_t size, count;
} debug_rows[] = {
    {DEBUG_COMMON("\1\0\1\x78\x10\0\0\0") DEBUG_RECORD, 40, 1},
    {DEBUG_COMMON("\3\0\1\x78\x10\0\0\0") DEBUG_RECORD, 40, 1},
    {DEBUG_COMMON("\4\0\x08\0\1\x78\x10\0") DEBUG_RECORD, 40, 1},
    {DEBUG_COMMON("\4\0\x04\0\1\x78\x10\0") DEBUG_RECORD, 40, 0},
    {DEBUG_COMMON("\5\0\x08\0\1\x78\x10\0") DEBUG_RECORD, 40, 0},
    /* a common record of .eh_frame is invalid here */
    {COMMON("\x00") DEBUG_RECORD, 44, 0},
};

START_TEST(records_of_the_other_table_too)
{
    struct seen seen = {0};
    ck_assert(walk_format(debug_rows[_i].bytes, debug_rows[_i].size, ELF_UNWIND_DEBUG_FRAME, &seen));
    ck_assert_uint_eq(seen.count, debug_rows[_i].count);
    ck_assert_uint_eq(seen.start[0], seen.count ? 0x10 : 0);
    ck_assert_uint_eq(seen.end[0], seen.count ? 0x30 : 0);
    ck_assert_uint_eq(seen.offset[0], seen.count ? 16 : 0);
}
END_TEST

/* "zPLR" with a personality routine, as in C++, and "zRS" of a signal frame. */
START_TEST(augmentations_are_gone_through)
{
    static const char bytes[] = "\x18\0\0\0\0\0\0\0\1zPLR\0\1\x78\x10\7\x9b\1\2\3\4\x1b\x1b\0\0\0"
                                "\x10\0\0\0\x20\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0"
                                "\x10\0\0\0\0\0\0\0\1zRS\0\1\x78\x10\1\x1b\0\0"
                                "\x10\0\0\0\x18\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0";
    struct seen seen = {0};
    ck_assert(walk(bytes, sizeof bytes - 1, &seen));
    ck_assert_uint_eq(seen.count, 2);
    ck_assert_uint_eq(seen.start[0], VADDR + 36 + 16);
    ck_assert_uint_eq(seen.start[1], VADDR + 76 + 16);
}
END_TEST

START_TEST(the_visitor_may_end_it)
{
    static const char bytes[] = COMMON("\x1b") RECORD("\x10\0\0\0\x20\0\0\0\0\0\0\0") "\x10\0\0\0\x2c\0\0\0"
                                                                                      "\x10\0\0\0\x20\0\0\0\0\0\0\0";
    struct seen all = {0}, first = {.limit = 1};
    ck_assert(walk(bytes, sizeof bytes - 1, &all));
    ck_assert_uint_eq(all.count, 2);
    ck_assert(!walk(bytes, sizeof bytes - 1, &first));
    ck_assert_uint_eq(first.count, 1);
}
END_TEST

START_TEST(truncated_and_changed_tables_are_harmless)
{
    static const char whole[] = "\x18\0\0\0\0\0\0\0\1zPLR\0\1\x78\x10\7\x9b\1\2\3\4\x1b\x1b\0\0\0"
                                "\x10\0\0\0\x20\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0";
    struct seen seen = {0};
    for (size_t size = 0; size < sizeof whole; size++) {
        walk(whole, size, &seen);
        walk_format(whole, size, ELF_UNWIND_DEBUG_FRAME, &seen);
    }
    for (size_t at = 0; at < sizeof whole - 1; at++)
        for (int value = 0; value < 256; value++) {
            char changed[sizeof whole];
            memcpy(changed, whole, sizeof whole);
            changed[at] = (char)value;
            walk(changed, sizeof whole - 1, &seen);
        }
}
END_TEST

static const struct {
    const char *bytes;
    size_t size;
    uint64_t start; /* 0: none */
} headers[] = {
    {"\1\x1b\3\x3b\x10\0\0\0", 8, VADDR + 4 + 16},
    {"\1\x03\3\x3b\x10\0\0\0", 8, 16},
    {"\2\x1b\3\x3b\x10\0\0\0", 8, 0},
    {"\1\xff\3\x3b\x10\0\0\0", 8, 0},
    {"\1\x1b\3\x3b\x10\0\0", 7, 0},
    {"", 0, 0},
};

START_TEST(headers_follow_the_table)
{
    uint64_t start = 0;
    bool found = elf_unwind_table_start((const uint8_t *)headers[_i].bytes, headers[_i].size, VADDR, &start);
    ck_assert_int_eq(found, headers[_i].start != 0);
    ck_assert_uint_eq(start, headers[_i].start);
}
END_TEST

/* Table of 2 lines with 8 bytes each. */
static const struct {
    const char *bytes;
    size_t size, offset;
} searches[] = {
    {"\1\x1b\3\x3b\0\0\0\0\2\0\0\0ABCDabcdEFGHefgh", 28, 12},
    {"\1\x1c\3\x3b\0\0\0\0\0\0\0\0\2\0\0\0ABCDabcdEFGHefgh", 32, 16},
    {"\1\x1b\3\x3b\0\0\0\0\2\0\0\0ABCDabcdEFGHefg", 27, 0},
    {"\1\x1b\3\x3b\0\0\0\0\0\0\0\0ABCDabcdEFGHefgh", 28, 0},
    {"\1\x1b\3\x1b\0\0\0\0\2\0\0\0ABCDabcdEFGHefgh", 28, 0},
    {"\1\x1b\xff\xff\0\0\0\0", 8, 0},
    {"\2\x1b\3\x3b\0\0\0\0\2\0\0\0ABCDabcdEFGHefgh", 28, 0},
};

START_TEST(the_search_table_is_found)
{
    size_t count = 7, offset = elf_unwind_table_lines((const uint8_t *)searches[_i].bytes, searches[_i].size, &count);
    ck_assert_uint_eq(offset, searches[_i].offset);
    ck_assert_uint_eq(count, offset ? 2 : 7);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/unwind_table");
    UNIT_ADD_TABLE(tests, records_of_the_other_table_too, debug_rows);
    UNIT_ADD_TABLE(tests, the_search_table_is_found, searches);
    UNIT_ADD_TABLE(tests, records_follow_the_table, rows);
    tcase_add_test(tests, augmentations_are_gone_through);
    tcase_add_test(tests, the_visitor_may_end_it);
    tcase_add_test(tests, truncated_and_changed_tables_are_harmless);
    UNIT_ADD_TABLE(tests, headers_follow_the_table, headers);
    return unit_end();
}
