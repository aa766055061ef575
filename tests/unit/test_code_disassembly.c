/* SPDX-License-Identifier: MIT */
#include "profile/code/disassembly.h"

#include "common/base/error.h"
#include "profile/code/code_parts.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lines of objdump's output that are used for the addresses 0x1000 to 0x1010. */
static const struct {
    const char *text, *lines;
} texts[] = {
    {"", ""},
    {"\n/proc/self/fd/0:     file format binary\n\n\nDisassembly of section .data:\n\n0000000000001000 <.data>:\n"
     "    1000:\tendbr64\n    1004:\txor    %rax,%rax \n    1007:\tret\n",
     "1000 endbr64|1004 xor    %rax,%rax|1007 ret|"},
    {"1000:\tret", "1000 ret|"},
    {"    1000:\t\n", "1000 |"},
    {"    fff:\tnop\n    1000:\tnop\n    1010:\tnop\n", "1000 nop|"}, /* lines before and behind the range */
    {"    1004:\tnop\n    1002:\tnop\n    1004:\tnop\n    1005:\tret\n", "1004 nop|1005 ret|"},
    {"    1000 \tnop\n    1001:nop\n    \tnop\n xyz:\tnop\n", ""},
    {"    ffffffffffffffffffff:\tnop\n", ""},
    {"    1000:\tnop\n\t...\n    1008:\tnop\n", "1000 nop|1008 nop|"},
};

START_TEST(instructions_are_read)
{
    struct disassembly disassembly = {0};
    struct buffer lines = {0};
    ck_assert(disassembly_read(&disassembly, texts[_i].text, 0x1000, 0x1010));
    buffer_puts(&lines, "");
    for (size_t i = 0; i < disassembly.count; i++)
        buffer_printf(&lines, "%llx %s|", (unsigned long long)disassembly.items[i].address,
                      disassembly.texts.bytes + disassembly.items[i].text);
    ck_assert_str_eq(lines.bytes, texts[_i].lines);
    buffer_fini(&lines);
    disassembly_fini(&disassembly);
}
END_TEST

static const struct {
    const char *text;
    uint64_t target; /* 0: none */
} targets[] = {
    {"call   0x1030", 0x1030},
    {"callq  0x1030", 0x1030},
    {"jmp    0x1030", 0x1030},
    {"bnd jmp 0x1030", 0x1030},
    {"notrack jmp 0xffffffff81000000", 0xffffffff81000000},
    {"jne    0x7", 7},
    {"jne,pn 0x7", 7},
    {"call   *0x2fe2(%rip)        # 0x3fd8", 0},
    {"jmp    *%rax", 0},
    {"jmp", 0},
    {"jmp    0x10 <f>", 0},
    {"mov    $0x1030,%rax", 0},
    {"lea    0x1030", 0},
    {"", 0},
};

START_TEST(targets_follow_the_table)
{
    uint64_t target = 0;
    ck_assert_int_eq(target_of(targets[_i].text, &target), targets[_i].target != 0);
    ck_assert_uint_eq(target, targets[_i].target);
}
END_TEST

START_TEST(objdump_is_asked)
{
    static const unsigned char code[] = {0x48, 0x31, 0xc0, 0xe8, 0x28, 0x00, 0x00, 0x00, 0xc3};
    static const char *const expected[] = {"xor    %rax,%rax", "call   0x1030", "ret"};
    struct disassembly disassembly = {0};
    struct error error = {0};
    int result = disassembly_make(&disassembly, code, sizeof code, 0x1000, &error);
    if (result != -ENOENT) { /* this machine has objdump */
        ck_assert_msg(result == 0, "%s", error.text);
        ck_assert_uint_eq(disassembly.count, 3);
        for (size_t i = 0; i < 3; i++)
            ck_assert_str_eq(disassembly.texts.bytes + disassembly.items[i].text, expected[i]);
        ck_assert_uint_eq(disassembly.items[1].address, 0x1003);
    }
    disassembly_fini(&disassembly);
}
END_TEST

START_TEST(failures_are_reported)
{
    struct disassembly disassembly = {0};
    struct error error = {0}, other = {0};
    setenv("PATH", "/nonexistent", 1);
    ck_assert_int_eq(disassembly_make(&disassembly, "\xc3", 1, 0, &error), -ENOENT);
    ck_assert_ptr_nonnull(strstr(error.text, "objdump is not in PATH"));
    ck_assert_int_eq(disassembly_make(&disassembly, NULL, DISASSEMBLY_MOST_BYTES + 1, 0, &other), -E2BIG);
    ck_assert_uint_eq(disassembly.count, 0);
    disassembly_fini(&disassembly);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("code/disassembly");
    UNIT_ADD_TABLE(tests, instructions_are_read, texts);
    UNIT_ADD_TABLE(tests, targets_follow_the_table, targets);
    tcase_add_test(tests, objdump_is_asked);
    tcase_add_test(tests, failures_are_reported);
    return unit_end();
}
