/* SPDX-License-Identifier: MIT
 *
 * The end of code without a sized symbol. */
#include "common/arch/decode.h"

#include "unit.h"

#if defined __x86_64__
#define CODE(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

static const struct {
    uint8_t code[24];
    size_t size, end;
    uint64_t reach, reaches;
} rows[] = {
    {CODE(0xc3, 0x90, 0x90, 0x55, 0xc3), 1, 0, 0},                               /* ret, padding, another function */
    {CODE(0xf3, 0xc3, 0x55, 0xc3), 2, 0, 0},                                     /* rep ret, no padding */
    {CODE(0x74, 0x01, 0xc3, 0x90, 0xc3, 0x55, 0xc3), 5, 0, 3},                   /* je over a ret */
    {CODE(0x75, 0x03, 0xc3, 0x66, 0x90, 0x31, 0xc0, 0xc3, 0x55), 8, 0, 5},       /* jne to an aligned part behind a
                                                                                  * ret */
    {CODE(0x0f, 0x84, 0x01, 0, 0, 0, 0xc3, 0x90, 0xc3, 0x55), 9, 0, 7},          /* the long form of je */
    {CODE(0xeb, 0x02, 0x55, 0xc3, 0xff, 0xc8, 0x75, 0xfa, 0xc3, 0x55), 9, 0, 4}, /* into a loop */
    {CODE(0xe9, 0xf0, 0xff, 0xff, 0xff, 0x55, 0xc3), 5, 0, 0},                   /* jmp to a function before it */
    {CODE(0xe9, 0x00, 0x10, 0, 0, 0x55, 0xc3), 5, 0, 0},                         /* jmp to a function far behind it */
    {CODE(0x74, 0x40, 0xc3, 0x55, 0xc3), 5, 0, 0x42},                            /* the jump leads beyond the given
                                                                                  * bytes */
    {CODE(0x55, 0x5d, 0xc3, 0x90, 0x55, 0xc3), 6, 5, 5},                         /* the part before it falls through */
    {CODE(0xff, 0xe0, 0xc3, 0x90, 0x55, 0xc3), 6, 0, 0},                         /* jmp by a table */
    {CODE(0x0f, 0x0b, 0xcc, 0xcc, 0x55, 0xc3), 2, 0, 0},                         /* ud2, padding */
    {CODE(0xcc, 0x55, 0xc3, 0x55), 3, 0, 0},                                     /* code behind int3 may continue */
    {CODE(0xe8, 0, 0, 0, 0, 0x5b, 0xc3, 0x55), 7, 0, 0},                         /* calls return */
    {CODE(0xc2, 0x08, 0x00, 0x55), 3, 0, 0},                                     /* ret 8 */
    {CODE(0x55, 0x06, 0xc3, 0x90), 4, 0, 0},                                     /* not an instruction */
    {CODE(0x48, 0x8b), 2, 0, 0},                                                 /* truncated */
};
#else
#define CODE(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define RET 0xc0, 0x03, 0x5f, 0xd6
#define NOP 0x1f, 0x20, 0x03, 0xd5

static const struct {
    uint8_t code[24];
    size_t size, end;
    uint64_t reach, reaches;
} rows[] = {
    {CODE(RET, NOP, RET), 4, 0, 0},
    {CODE(0x40, 0, 0, 0xb4, RET, RET, NOP), 12, 0, 8}, /* cbz over a ret */
    {CODE(0x00, 0x00, 0x1f, 0xd6, RET), 8, 0, 0},      /* br x0 */
    {CODE(RET, RET, NOP), 8, 4, 4},
};
#endif

START_TEST(ends_follow_the_table)
{
    uint64_t reach = rows[_i].reach;
    ck_assert_uint_eq(arch_code_end(rows[_i].code, rows[_i].size, false, &reach), rows[_i].end);
    ck_assert_uint_eq(reach, rows[_i].reaches);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/code_end");
    UNIT_ADD_TABLE(tests, ends_follow_the_table, rows);
    return unit_end();
}
