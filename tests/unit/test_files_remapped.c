/* SPDX-License-Identifier: MIT */
#include "programs/files/remapped.h"

#include "unit.h"

#define HEAD "400000-410000 r--p 00000000 08:01 7 /bin/program\n"
#define TAIL "430000-440000 r--p 00030000 08:01 7 /bin/program\n"
#define COPY "410000-430000 r-xp 00000000 00:00 0\n"

/* For the range 410000-430000. */
static const struct {
    const char *text;
    uint64_t offsets[REMAPPED_GUESSES + 1]; /* 0 is the end */
} cases[] = {
    {"", {0}},
    {COPY, {0}},
    {HEAD COPY TAIL, {0x10000, 0xf000, 0x10000, 0x11000}},
    {HEAD COPY, {0x10000, 0xf000}},
    {COPY TAIL, {0x10000, 0x11000}},
    {"400000-40f000 r--p 00000000 08:01 7 /bin/program\n" COPY, {0}},       /* it is not adjacent */
    {COPY "431000-440000 r--p 00030000 08:01 7 /bin/program\n", {0}},       /* nor is this one */
    {COPY "430000-440000 r--p 00000000 08:01 7 /bin/program\n", {0}},       /* the file's mapping would begin behind
                                                                             * the range */
    {"400000-410000 rw-p 00000000 00:00 0 [heap]\n" COPY, {0}},             /* not a file */
    {"400000-410000 rw-s 00000000 00:01 9 /memfd:x (deleted)\n" COPY, {0}}, /* not a file, either */
    {HEAD "410000-430000 rwxs 00000000 00:0e 9 /anon_hugepage (deleted)\n", {0x10000, 0xf000}},
    {HEAD "410000-420000 r-xp 00000000 00:00 0\n420000-430000 rwxp 00000000 00:00 0\n" TAIL,
     {0x10000, 0xf000, 0x10000, 0x11000}}, /* two mappings: guesses for both together, and for each one */
};

START_TEST(guesses_follow_the_table)
{
    const struct address_range range = {.start = 0x410000, .end = 0x430000};
    struct address_range guesses[REMAPPED_GUESSES];
    size_t count = remapped_guess(cases[_i].text, &range, guesses), wanted = 0;
    while (cases[_i].offsets[wanted])
        wanted++;
    ck_assert_uint_eq(count, wanted);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(guesses[i].offset, cases[_i].offsets[i]);
        ck_assert_uint_eq(guesses[i].start, range.start);
        ck_assert_uint_eq(guesses[i].end, range.end);
        ck_assert_uint_eq(guesses[i].inode, 7);
        ck_assert_str_eq(guesses[i].path, "/bin/program");
        free(guesses[i].path);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("files/remapped");
    UNIT_ADD_TABLE(tests, guesses_follow_the_table, cases);
    return unit_end();
}
