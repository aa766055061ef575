/* SPDX-License-Identifier: MIT */
#include "programs/unwind/instructions.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* The bytes before and at the PC. */
static const struct {
    const char *before, *here;
    size_t size;
    enum unwind_code_kind interrupted, returned;
} rows[] = {
#define ROW(before, here, interrupted, returned)                                                                       \
    {                                                                                                                  \
        before, here, sizeof here - 1, interrupted, returned                                                           \
    }
    /* push %rbp; after endbr64; mov %rsp,%rbp after it; that instruction after others */
    ROW("", "\x55\x48\x89\xe5", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xf3\x0f\x1e\xfa\x55", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xf3\x0f\x1e\xfa\x53", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\x55", "\x48\x89\xe5\x90", UNWIND_CODE_PUSHED_FRAME, UNWIND_CODE_UNCALLED),
    ROW("\x55", "\x48\x8b\xec\x90", UNWIND_CODE_PUSHED_FRAME, UNWIND_CODE_UNCALLED),
    ROW("\x53", "\x48\x89\xe5\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    /* ret, rep ret, ret $8 */
    ROW("\x5d", "\xc3", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x5d", "\xf3\xc3", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x5d", "\xc2\x08", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    /* PLT: an entry's jump, its push, its second jump; the common entry's push, its jump */
    ROW("", "\xff\x25\1\2\3\4", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xf3\x0f\x1e\xfa\xf2\xff\x25\1\2\3\4", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\xff\x25\1\2\3\4", "\x68\1\2\3\4", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x68\1\2\3\4", "\xe9\1\2\3\4", UNWIND_CODE_PUSHED, UNWIND_CODE_UNCALLED),
    ROW("\x68\1\2\3\4", "\xf2\xe9\1\2\3\4", UNWIND_CODE_PUSHED, UNWIND_CODE_UNCALLED),
    ROW("", "\xff\x35\1\2\3\4", UNWIND_CODE_PUSHED, UNWIND_CODE_UNCALLED),
    ROW("\xff\x35\1\2\3\4", "\xff\x25\1\2\3\4", UNWIND_CODE_PUSHED_TWICE, UNWIND_CODE_UNCALLED),
    ROW("\xff\x35\1\2\3\4", "\xf2\xff\x25\1\2\3\4", UNWIND_CODE_PUSHED_TWICE, UNWIND_CODE_UNCALLED),
    /* retpolines: the first call; mov %r11,(%rsp); mov %rax,(%rsp); the return after it; other stores and returns;
     * in a PLT, after the load */
    ROW("", "\xe8\x0b\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9", UNWIND_CODE_CAPTURING, UNWIND_CODE_UNCALLED),
    ROW("\xcc", "\x4c\x89\x1c\x24\xc3", UNWIND_CODE_REPLACED, UNWIND_CODE_UNCALLED),
    ROW("\xcc", "\x48\x89\x04\x24\xc3", UNWIND_CODE_REPLACED, UNWIND_CODE_UNCALLED),
    ROW("\x4c\x89\x1c\x24", "\xc3", UNWIND_CODE_REPLACED, UNWIND_CODE_UNCALLED),
    ROW("\xcc", "\x4c\x89\x1c\x24\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\x4c\x89\x5c\x24", "\xc3", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x4c\x8b\x1d\1\2\3\4", "\xe8\1\2\3\4\xe9", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x4c\x8b\x1d\1\2\3\4", "\xe9\1\2\3\4\xcc", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x4c\x8b\x1d\1\2\3\4", "\xe8\1\2\3\4\x4c", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    /* the return code of signal handlers, with a call before it or not */
    ROW("", "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", UNWIND_CODE_SIGNAL, UNWIND_CODE_SIGNAL),
    ROW("\xff\xd0", "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", UNWIND_CODE_SIGNAL, UNWIND_CODE_SIGNAL),
    ROW("", "\x48\xc7\xc0\x0e\0\0\0\x0f\x05", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    /* calls: direct; *%rax; *%r11; *(%rax); *8(%rax); *(%rax,%rbx,8); *8(%rsp); *1(%rip); *256(%rax);
     *256(%rsp); *table(,%rax,8); *table(%rax,%rbx); *table, all with absolute addresses */
    ROW("\xe8\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\xd0", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\x41\xff\xd3", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x10", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x50\x08", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x14\xd8", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x54\x24\x08", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x15\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x90\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x94\x24\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x14\xc5\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x94\x18\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    ROW("\xff\x14\x25\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
    /* jumps and pushes are not calls */
    ROW("\xe9\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\xff\xe0", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\xff\x70\x08", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\xff\x24\xc5\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
    ROW("\xff\x25\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED),
};

START_TEST(instructions_tell)
{
    uint8_t bytes[UNWIND_BYTES_BEFORE + UNWIND_BYTES_AFTER] = {0}, *here = bytes + UNWIND_BYTES_BEFORE;
    size_t before = strlen(rows[_i].before);

    memcpy(here - before, rows[_i].before, before);
    memcpy(here, rows[_i].here, rows[_i].size);
    ck_assert_int_eq(unwind_judge_instruction(here, false), rows[_i].interrupted);
    ck_assert_int_eq(unwind_judge_return(here, false), rows[_i].returned);
}
END_TEST

/* 32-bit programs. */
static const struct {
    const char *before, *here;
    size_t size;
    enum unwind_code_kind interrupted, returned;
} compat[] = {
    ROW("", "\x55\x89\xe5", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xf3\x0f\x1e\xfb\x55", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("\x55", "\x89\xe5\x90", UNWIND_CODE_PUSHED_FRAME, UNWIND_CODE_UNCALLED),
    ROW("\x5d", "\xc3", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xff\xa3\x0c\0\0\0", UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED),
    ROW("", "\xff\xb3\4\0\0\0", UNWIND_CODE_PUSHED, UNWIND_CODE_UNCALLED),
    ROW("\xff\xb3\4\1\1\1", "\xff\xa3\x08\0\0\0", UNWIND_CODE_PUSHED_TWICE, UNWIND_CODE_UNCALLED),
    ROW("", "\x68\1\2\3\4", UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED), /* an argument */
    ROW("\xcc", "\x89\x0c\x24\xc3", UNWIND_CODE_REPLACED, UNWIND_CODE_UNCALLED),
    ROW("\x89\x0c\x24", "\xc3", UNWIND_CODE_REPLACED, UNWIND_CODE_UNCALLED),
    ROW("", "\xb8\xad\0\0\0\xcd\x80", UNWIND_CODE_SIGNAL_COMPAT, UNWIND_CODE_SIGNAL_COMPAT),
    ROW("", "\x58\xb8\x77\0\0\0\xcd\x80", UNWIND_CODE_SIGNAL_OLD, UNWIND_CODE_SIGNAL_OLD),
    ROW("\xe8\1\2\3\4", "\x90", UNWIND_CODE_OTHER, UNWIND_CODE_OTHER),
};

START_TEST(compat_instructions_tell)
{
    uint8_t bytes[UNWIND_BYTES_BEFORE + UNWIND_BYTES_AFTER] = {0}, *here = bytes + UNWIND_BYTES_BEFORE;
    size_t before = strlen(compat[_i].before);

    memcpy(here - before, compat[_i].before, before);
    memcpy(here, compat[_i].here, compat[_i].size);
    ck_assert_int_eq(unwind_judge_instruction(here, true), compat[_i].interrupted);
    ck_assert_int_eq(unwind_judge_return(here, true), compat[_i].returned);
}
END_TEST

/* The instruction before the PC, and the distance of its call. */
static const struct {
    const char *before;
    enum unwind_call_kind kind;
    int32_t distance;
} called[] = {
    {"\xe8\x01\x02\x03\x04", UNWIND_CALL_DIRECT, 0x04030201},
    {"\xe8\xf0\xff\xff\xff", UNWIND_CALL_DIRECT, -16},
    {"\xff\xd0", UNWIND_CALL_INDIRECT, 0},
    {"\xff\x15\x01\x02\x03\x04", UNWIND_CALL_INDIRECT, 0},
    {"\xe9\x01\x02\x03\x04", UNWIND_CALL_NONE, 0},
    {"", UNWIND_CALL_NONE, 0},
};

START_TEST(kinds_of_calls_are_distinguished)
{
    uint8_t bytes[UNWIND_BYTES_BEFORE] = {0}, *end = bytes + sizeof bytes;
    size_t before = strlen(called[_i].before);
    int32_t distance;

    memcpy(end - before, called[_i].before, before);
    ck_assert_int_eq(unwind_judge_call(end, &distance), called[_i].kind);
    if (called[_i].kind == UNWIND_CALL_DIRECT)
        ck_assert_int_eq(distance, called[_i].distance);
}
END_TEST

static const struct {
    const char *code;
    bool switches;
} switches[] = {
    {"", false},
    /* mov %rbx,%rsp; mov %r11,%rsp; mov (%rsi),%rsp; mov 0x38(%r14),%rsp; mov %rsi,%rsp in its other form;
       lea -0x20(%rdi),%rsp; with other instructions around */
    {"\x48\x89\xdc", true},
    {"\x4c\x89\xdc", true},
    {"\x48\x8b\x26", true},
    {"\x49\x8b\x66\x38", true},
    {"\x48\x8b\xe6", true},
    {"\x48\x8d\x67\xe0", true},
    {"\x90\x48\x8b\x5a\x38\x48\x89\xdc\x48\x89\xfa", true},
    /* usual changes of a function's own stack pointer: mov %rbp,%rsp, in both forms; lea -0x28(%rbp),%rsp; lea
     * 8(%rsp),%rsp; add $8,%rsp; and $-16,%rsp */
    {"\x48\x89\xec", false},
    {"\x48\x8b\xe5", false},
    {"\x48\x8d\x65\xd8", false},
    {"\x48\x8d\x64\x24\x08", false},
    {"\x48\x83\xc4\x08", false},
    {"\x48\x83\xe4\xf0", false},
    /* mov %rsp,%rbp; mov %rbx,%r12; mov 8(%rsp),%r12; mov %rsp,8(%rax); truncated */
    {"\x48\x89\xe5", false},
    {"\x49\x89\xdc", false},
    {"\x4c\x8b\x64\x24\x08", false},
    {"\x48\x89\x60\x08", false},
    {"\x90\x48\x89", false},
};

START_TEST(another_stack_is_noticed)
{
    size_t size = strlen(switches[_i].code);
    uint8_t *exact = malloc(size + 1); /* of the exact size, for the sanitizers */

    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, switches[_i].code, size);
    ck_assert(unwind_code_switches_stack(exact + 1, size) == switches[_i].switches);
    free(exact);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("unwind/instructions");
    UNIT_ADD_TABLE(tests, instructions_tell, rows);
    UNIT_ADD_TABLE(tests, kinds_of_calls_are_distinguished, called);
    UNIT_ADD_TABLE(tests, another_stack_is_noticed, switches);
    UNIT_ADD_TABLE(tests, compat_instructions_tell, compat);
    return unit_end();
}
