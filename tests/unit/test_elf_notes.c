/* SPDX-License-Identifier: MIT */
#include "programs/elf/notes.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *bytes;
    size_t size;
    uint64_t alignment;
    const char *id; /* NULL: none */
    size_t id_size;
} rows[] = {
    {"", 0, 4, NULL, 0},
    {"\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd", 20, 4, "abcd", 4},
    {"\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd", 20, 0, "abcd", 4},
    {"\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd", 20, 8, "abcd", 4},
    {"\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc", 19, 4, "abc", 3},
    {"\4\0\0\0\4\0\0\0\1\0\0\0GNU\0wxyz\4\0\0\0\2\0\0\0\3\0\0\0GNU\0ab\0\0", 40, 4, "ab", 2},
    /* with an alignment of 8, a note's text is padded, too */
    {"\4\0\0\0\4\0\0\0\5\0\0\0GNU\0wxyz\0\0\0\0\4\0\0\0\2\0\0\0\3\0\0\0GNU\0ab", 42, 8, "ab", 2},
    /* a note of another owner with the same number; an empty one; one that is too long */
    {"\3\0\0\0\4\0\0\0\3\0\0\0Go\0\0abcd", 20, 4, NULL, 0},
    {"\4\0\0\0\0\0\0\0\3\0\0\0GNU\0", 16, 4, NULL, 0},
    {"\4\0\0\0\7\0\0\0\3\0\0\0GNU\0abcdefg", 23, 4, NULL, 0},
    /* truncated; sizes beyond the end */
    {"\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abc", 19, 4, NULL, 0},
    {"\4\0\0\0\4\0\0\0\3\0\0\0GN", 14, 4, NULL, 0},
    {"\4\0\0\0\4\0\0", 7, 4, NULL, 0},
    {"\377\377\377\377\4\0\0\0\3\0\0\0GNU\0abcd", 20, 4, NULL, 0},
    {"\4\0\0\0\377\377\377\377\3\0\0\0GNU\0abcd", 20, 4, NULL, 0},
    {"\375\377\377\377\375\377\377\377\3\0\0\0GNU\0abcd", 20, 8, NULL, 0},
};

START_TEST(notes_follow_the_table)
{
    uint8_t id[6] = {0xee, 0xee, 0xee, 0xee, 0xee, 0xee};
    size_t id_size = 99;
    uint8_t *exact = malloc(rows[_i].size + 1); /* of the exact size, for the sanitizers */
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, rows[_i].bytes, rows[_i].size);
    bool found = elf_notes_build_id(exact + 1, rows[_i].size, rows[_i].alignment, id, sizeof id, &id_size);
    free(exact);
    ck_assert_int_eq(found, rows[_i].id != NULL);
    ck_assert_uint_eq(id_size, found ? rows[_i].id_size : 99);
    if (found)
        ck_assert_mem_eq(id, rows[_i].id, id_size);
    else
        ck_assert_uint_eq(id[0], 0xee);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/notes");
    UNIT_ADD_TABLE(tests, notes_follow_the_table, rows);
    return unit_end();
}
