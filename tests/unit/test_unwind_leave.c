/* SPDX-License-Identifier: MIT
 *
 * How a function returns, found by following its instructions from a PC. */
#include "programs/unwind/leave.h"

#include "unit.h"

#include <string.h>

enum { START = 0x1000, NO = UNWIND_STILL_THERE };

struct code {
    const char *bytes;
    size_t size;
};

static size_t read_code(void *owner, uint64_t address, uint8_t bytes[static UNWIND_INSTRUCTION_MOST])
{
    const struct code *code = owner;
    size_t at = (size_t)(address - START), left = address >= START && at < code->size ? code->size - at : 0;
    if (left > UNWIND_INSTRUCTION_MOST)
        left = UNWIND_INSTRUCTION_MOST;
    memcpy(bytes, code->bytes + (left ? at : 0), left);
    return left;
}

#define CODE(text) text, sizeof text - 1

/* push %rbp; sub $0x20,%rsp; mov $42,%ebp; call *%rcx; add $0x20,%rsp; pop %rbp; ret */
#define FRAME CODE("\x55\x48\x83\xec\x20\xbd\x2a\x00\x00\x00\xff\xd1\x48\x83\xc4\x20\x5d\xc3")
/* push %rbp; mov %rsp,%rbp; push %rbx; call *%rcx; lea -8(%rbp),%rsp; pop %rbx; pop %rbp; ret */
#define POINTER CODE("\x55\x48\x89\xe5\x53\xff\xd1\x48\x8d\x65\xf8\x5b\x5d\xc3")

static const struct {
    const char *bytes;
    size_t size, at;
    size_t count;
    bool by_frame;
    int32_t depth, arguments, rbx, rbp;
} rows[] = {
    {CODE("\xc3"), 0, 1, false, 0, 0, NO, NO},
    {CODE("\xc2\x10\x00"), 0, 1, false, 0, 16, NO, NO},
    {CODE("\x48\x83\xc4\x08\xc3"), 0, 1, false, 8, 0, NO, NO}, /* add $8,%rsp; ret */
    {FRAME, 0, 1, false, 0, 0, NO, NO},
    {FRAME, 1, 1, false, 8, 0, NO, 0},
    {FRAME, 5, 1, false, 40, 0, NO, 32},
    {FRAME, 12, 1, false, 40, 0, NO, 32},
    {FRAME, 16, 1, false, 8, 0, NO, 0},
    {FRAME, 17, 1, false, 0, 0, NO, NO},
    {POINTER, 0, 1, false, 0, 0, NO, NO},
    {POINTER, 1, 1, false, 8, 0, NO, 0},
    {POINTER, 4, 1, true, 8, 0, -8, 0},
    {POINTER, 7, 1, true, 8, 0, -8, 0},
    {POINTER, 11, 1, false, 16, 0, 0, 8},
    {CODE("\xc9\xc3"), 0, 1, true, 8, 0, NO, 0},                       /* leave; ret */
    {CODE("\xeb\x01\x55\x5d\xc3"), 0, 1, false, 8, 0, NO, 0},          /* jmp over a push */
    {CODE("\x74\x01\xf4\x58\xc3"), 0, 1, false, 8, 0, NO, NO},         /* je 1f; hlt; 1: pop %rax; ret */
    {CODE("\xeb\xfe"), 0, 0, false, 0, 0, NO, NO},                     /* 1: jmp 1b */
    {CODE("\x75\xfe\x58\xc3"), 0, 1, false, 8, 0, NO, NO},             /* 1: jne 1b; pop %rax; ret */
    {CODE("\x74\x02\x58\xc3\x58\x58\xc3"), 0, 2, false, 8, 0, NO, NO}, /* two different ways to return */
    {CODE("\x48\x89\xc4\xc3"), 0, 0, false, 0, 0, NO, NO},             /* mov %rax,%rsp: unknown */
    {CODE("\x5d\xc9\xc3"), 0, 0, false, 0, 0, NO, NO},                 /* pop %rbp; leave: unknown */
    {CODE("\xff\xe0"), 0, 0, false, 0, 0, NO, NO},                     /* jmp *%rax */
    {CODE("\x06\xc3"), 0, 0, false, 0, 0, NO, NO},                     /* invalid */
    {CODE("\x48\x83\xc4"), 0, 0, false, 0, 0, NO, NO},                 /* truncated */
    {CODE("\x50\xc3"), 0, 0, false, 0, 0, NO, NO},                     /* its return address is the pushed value */
    {CODE("\x48\x81\xc4\xff\xff\xff\x7f\xc3"), 0, 0, false, 0, 0, NO, NO},
};

START_TEST(ways_out_follow_the_table)
{
    struct code code = {rows[_i].bytes, rows[_i].size};
    struct unwind_leave leaves[UNWIND_LEAVES];
    bool all;
    size_t count = unwind_leave_find(read_code, &code, START + rows[_i].at, false, leaves, &all);
    ck_assert_uint_eq(count, rows[_i].count);
    if (!count)
        return;
    ck_assert(!leaves[0].by_saved);
    ck_assert_int_eq(leaves[0].by_frame, rows[_i].by_frame);
    ck_assert_int_eq(leaves[0].depth, rows[_i].depth);
    ck_assert_int_eq(leaves[0].arguments, rows[_i].arguments);
    ck_assert_int_eq(leaves[0].saved[0], rows[_i].rbx);
    ck_assert_int_eq(leaves[0].saved[1], rows[_i].rbp);
}
END_TEST

/* A function that aligned its stack has saved the old stack pointer. */
START_TEST(a_saved_stack_pointer_is_found)
{
    static const struct {
        const char *bytes;
        size_t size, count;
        int32_t saved_at, depth, rbx;
    } stored[] = {
        {CODE("\x48\x8b\x64\x24\x08\xc3"), 1, 8, 0, NO},      /* mov 8(%rsp),%rsp; ret */
        {CODE("\x48\x8b\x64\x24\x10\x5b\xc3"), 1, 16, 8, 0},  /* mov 16(%rsp),%rsp; pop %rbx; ret */
        {CODE("\x48\x83\xc4\x20\x5c\x58\xc3"), 1, 32, 8, NO}, /* add $32,%rsp; pop %rsp; pop %rax; ret */
        {CODE("\x5c\xc9\xc3"), 0, 0, 0, 0},                   /* pop %rsp; leave: the frame pointer is unknown */
        {CODE("\x5c\x5c\xc3"), 0, 0, 0, 0},                   /* twice */
        {CODE("\x5b\x5c\xc3"), 0, 0, 0, 0},                   /* a register was restored before, at an unknown place */
        {CODE("\x48\x8b\x64\x24\xf0\xc3"), 0, 0, 0, 0},       /* mov -16(%rsp),%rsp */
        {CODE("\x48\x8b\xa4\x24\0\0\0\x70\xc3"), 0, 0, 0, 0}, /* too far */
    };
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        struct code code = {stored[i].bytes, stored[i].size};
        struct unwind_leave leaves[UNWIND_LEAVES];
        bool all;
        ck_assert_uint_eq(unwind_leave_find(read_code, &code, START, false, leaves, &all), stored[i].count);
        if (!stored[i].count)
            continue;
        ck_assert(leaves[0].by_saved && !leaves[0].by_frame);
        ck_assert_int_eq(leaves[0].saved_at, stored[i].saved_at);
        ck_assert_int_eq(leaves[0].depth, stored[i].depth);
        ck_assert_int_eq(leaves[0].saved[0], stored[i].rbx);
    }
}
END_TEST

/* Code that never returns, because of a trap or loop; and code for which this is uncertain. */
START_TEST(code_without_a_return_is_known)
{
    static const char *const endless[] = {"\xf4", "\xeb\xfe", "\x74\x02\xeb\xfc\x0f\x0b", "\xff\xd0\xf4\xc3"};
    static const char *const unclear[] = {"\xff\xe0", "\x06\xc3", "\x48\x83\xc4", "\x50\xc3", "\x75\x10\xf4"};
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct code code = {endless[i], strlen(endless[i])};
        struct unwind_leave leaves[UNWIND_LEAVES];
        bool all;
        ck_assert_uint_eq(unwind_leave_find(read_code, &code, START, false, leaves, &all), 0);
        ck_assert(all);
    }
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++) {
        struct code code = {unclear[i], strlen(unclear[i])};
        struct unwind_leave leaves[UNWIND_LEAVES];
        bool all;
        ck_assert_uint_eq(unwind_leave_find(read_code, &code, START, false, leaves, &all), 0);
        ck_assert(!all);
    }
}
END_TEST

/* With any bytes, the search ends. */
START_TEST(any_bytes_come_to_an_end)
{
    static char bytes[65536];
    struct code code = {bytes, sizeof bytes};
    struct unwind_leave leaves[UNWIND_LEAVES];
    bool all;
    unsigned random = (unsigned)_i;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * 1103515245 + 12345;
        bytes[i] = _i % 2 ? "\x74\x75\xeb\x0f\x84\x90\x10\x80"[(random >> 16) % 8] : (char)(random >> 16);
    }
    for (uint64_t at = 0; at < sizeof bytes; at += 977)
        ck_assert_uint_le(unwind_leave_find(read_code, &code, START + at, false, leaves, &all), UNWIND_LEAVES);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("unwind/leave");
    UNIT_ADD_TABLE(tests, ways_out_follow_the_table, rows);
    tcase_add_test(tests, a_saved_stack_pointer_is_found);
    tcase_add_loop_test(tests, any_bytes_come_to_an_end, 0, 10);
    tcase_add_test(tests, code_without_a_return_is_known);
    return unit_end();
}
