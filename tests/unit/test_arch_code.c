/* SPDX-License-Identifier: MIT */
#include "common/arch/code.h"

#include "common/arch/decode.h"
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *bytes;
    size_t size;
    int kind;
    uint64_t value; /* at address 0x1000 */
} rows[] = {
    /* lazy: jmp *0x2fe2(%rip); push $0; jmp back */
    {"\xff\x25\xe2\x2f\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff", 16, ARCH_PLT_SLOT_JUMP, 0x3fe8},
    /* .plt.got: jmp; xchg %ax,%ax */
    {"\xff\x25\xe2\x2f\0\0\x66\x90", 8, ARCH_PLT_SLOT_JUMP, 0x3fe8},
    /* .plt.sec: endbr64; bnd jmp / jmp */
    {"\xf3\x0f\x1e\xfa\xf2\xff\x25\x10\0\0\0\x0f\x1f\x44\0\0", 16, ARCH_PLT_SLOT_JUMP, 0x101b},
    {"\xf3\x0f\x1e\xfa\xff\x25\x10\0\0\0", 10, ARCH_PLT_SLOT_JUMP, 0x101a},
    /* mold: endbr64; mov $1,%r11d; jmp */
    {"\xf3\x0f\x1e\xfa\x41\xbb\1\0\0\0\xff\x25\x10\0\0\0", 16, ARCH_PLT_SLOT_JUMP, 0x1020},
    {"\x41\xbb\1\0\0\0\xff\x25\x10\0\0\0", 12, ARCH_PLT_SLOT_JUMP, 0x101c},
    {"\x41\xbb\1\0\0", 5, ARCH_PLT_SLOT_OTHER, 0},
    {"\x41\xbb\1\0\0\0\x90\x90\x90\x90\x90\x90", 12, ARCH_PLT_SLOT_OTHER, 0},
    /* the table is before the code */
    {"\xff\x25\xfa\xff\xff\xff", 6, ARCH_PLT_SLOT_JUMP, 0x1000},
    {"\xff\x25\0\0\0\x80", 6, ARCH_PLT_SLOT_JUMP, 0x1006 - UINT64_C(0x80000000)},
    /* the pushing part of a lazy entry, with endbr64 */
    {"\xf3\x0f\x1e\xfa\x68\5\0\0\0\xf2\xe9\xe1\xff\xff\xff\x90", 16, ARCH_PLT_SLOT_LAZY, 5},
    {"\xf3\x0f\x1e\xfa\x68\xff\xff\xff\xff", 9, ARCH_PLT_SLOT_LAZY, UINT32_MAX},
    /* retpolines: mov, call, jmp; mov, jmp; and similar code */
    {"\x4c\x8b\x1d\x10\0\0\0\xe8\xe4\xff\xff\xff\xe9\xd1\xff\xff\xff", 17, ARCH_PLT_SLOT_JUMP, 0x1017},
    {"\x4c\x8b\x1d\x10\0\0\0\xe9\xe4\xff\xff\xff\xcc\xcc\xcc\xcc", 16, ARCH_PLT_SLOT_JUMP, 0x1017},
    {"\x4c\x89\x1c\x24\xc3\xcc", 6, ARCH_PLT_SLOT_RETPOLINE, 0},
    {"\xe8\x0b\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9", 12, ARCH_PLT_SLOT_RETPOLINE, 0},
    {"\x4c\x8b\x1d\x10\0\0\0\xe8\xe4\xff\xff\xff\x4c\x8b\x1d\x10", 16, ARCH_PLT_SLOT_OTHER, 0},
    /* the table's header; a truncated entry */
    {"\x4c\x8b\x1d\x10\0\0\0\xe9\xe4\xff\xff\xff\xcc", 13, ARCH_PLT_SLOT_OTHER, 0},
    {"\xff\x35\xe2\x2f\0\0\xff\x25\xe4\x2f\0\0\x0f\x1f\x40\0", 16, ARCH_PLT_SLOT_OTHER, 0},
    {"\xff\x25\xe2\x2f\0", 5, ARCH_PLT_SLOT_OTHER, 0},
    {"\xf3\x0f\x1e\xfa", 4, ARCH_PLT_SLOT_OTHER, 0},
    {"\x68\0\0\0", 4, ARCH_PLT_SLOT_OTHER, 0},
    {"", 0, ARCH_PLT_SLOT_OTHER, 0},
};

START_TEST(slots_follow_the_table)
{
    uint8_t *exact = malloc(rows[_i].size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, rows[_i].bytes, rows[_i].size);
    struct arch_plt_slot slot = arch_plt_slot_decode(exact + 1, rows[_i].size, 0x1000);
    free(exact);
    ck_assert_int_eq((int)slot.kind, rows[_i].kind);
    ck_assert_uint_eq(slot.value, rows[_i].value);
}
END_TEST

/* Functions that only return, and the bytes behind them. */
static const struct {
    const char *bytes;
    size_t size, at;
    bool fits;
} returning[] = {
    {"\xc3\x66\x66\x2e\x0f", 5, 0, true},
    {"\xc3\x66\x2e\x0f\x1f", 5, 0, true},
    {"\xc3\x66\x66\x66\x66", 5, 0, true},
    {"\xc3\x8d\xb4\x26\0", 5, 0, true},
    {"\xc3\x0f\x1f\x40\0", 5, 0, true},
    {"\xc3\x90\x90\x90\x90", 5, 0, true},
    {"\xc3\xcc\xcc\xcc\xcc", 5, 0, true},
    {"\xc3\x90\x90\x90", 4, 0, false}, /* truncated */
    {"\xc3\x90\x90\x90\x53", 5, 0, false},
    {"\xc3\x66\x2e\x0f\x10", 5, 0, false},
    {"\xc3\x53\x5b\xc3\x90", 5, 0, false},
    {"\xc3\x66\x90\x53\x5b", 5, 0, false},
    {"\x90\xc3\x90\x90\x90", 5, 0, false}, /* it has another instruction */
    {"\xf3\x0f\x1e\xfa\xc3", 5, 0, true},
    {"\xf3\x0f\x1e\xfa\x53", 5, 0, false},
    {"\xf3\x0f\x1e\xfa\xc3\x90\x90\x90\x90", 9, 4, true},
    {"\xf3\x0f\x1e\xfa\xc3\x90\x90\x90\x53", 9, 4, false},
    {"", 0, 0, false},
};

START_TEST(jumps_fit_where_the_table_says)
{
    uint8_t *exact = malloc(returning[_i].size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, returning[_i].bytes, returning[_i].size);
    bool fits = arch_jump_fits(exact + 1, returning[_i].size, returning[_i].at);
    free(exact);
    ck_assert_int_eq(fits, returning[_i].fits);
}
END_TEST

/* PLT entries of 32-bit programs. */
static const struct {
    const char *bytes;
    size_t size;
    int kind;
    uint64_t value; /* with the table at 0x4000 */
} compat[] = {
    {"\xff\x25\x0c\xc0\x04\x08\x68\0\0\0\0\xe9\xe0\xff\xff\xff", 16, ARCH_PLT_SLOT_JUMP, 0x0804c00c},
    {"\xff\xa3\x0c\0\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff", 16, ARCH_PLT_SLOT_JUMP, 0x400c},
    {"\xff\xa3\xfc\xff\xff\xff\x66\x90", 8, ARCH_PLT_SLOT_JUMP, 0x3ffc},
    {"\xf3\x0f\x1e\xfb\xff\xa3\x10\0\0\0", 10, ARCH_PLT_SLOT_JUMP, 0x4010},
    {"\xf3\x0f\x1e\xfb\x68\x10\0\0\0\xe9\xe1\xff\xff\xff", 14, ARCH_PLT_SLOT_LAZY, 2},
    {"\xff\xb3\4\0\0\0\xff\xa3\x08\0\0\0", 12, ARCH_PLT_SLOT_OTHER, 0},
    {"\xff\xa3\x0c\0\0", 5, ARCH_PLT_SLOT_OTHER, 0},
    {"\xff", 1, ARCH_PLT_SLOT_OTHER, 0},
    {"\xf3\x0f\x1e\xfb", 4, ARCH_PLT_SLOT_OTHER, 0},
    {"", 0, ARCH_PLT_SLOT_OTHER, 0},
};

START_TEST(compat_slots_follow_the_table)
{
    uint8_t *exact = malloc(compat[_i].size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, compat[_i].bytes, compat[_i].size);
    struct arch_plt_slot slot = arch_plt_slot_decode_compat(exact + 1, compat[_i].size, 0x4000);
    free(exact);
    ck_assert_int_eq((int)slot.kind, compat[_i].kind);
    ck_assert_uint_eq(slot.value, compat[_i].value);
}
END_TEST

/* The offset at which a 32-bit function returns from a system call; 0: none. */
static const struct {
    const char *bytes;
    size_t size, tail;
} tails[] = {
    /* call *%gs:16; mov %edx,%ebx; cmp $-4095,%eax; jae; ret */
    {"\x65\xff\x15\x10\0\0\0\x89\xd3\x3d\x01\xf0\xff\xff\x0f\x83\1\2\3\4\xc3", 21, 9},
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x73\x01\xc3\xc3", 11, 2},
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x73\x01\xc3", 10, 2},
    /* truncated; a pop is left; another limit; not a call */
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x73\x01", 9, 0},
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x0f\x83\1\2\3\4", 13, 0},
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x73\x01\x5b\xc3", 11, 0},
    {"\xcd\x80\x3d\x01\xf0\xff\xff\x0f\x83\1\2\3\4\x5b\xc3", 15, 0},
    {"\xcd\x80\x3d\x00\xf0\xff\xff\x73\x01\xc3\xc3", 11, 0},
    {"\x90\x90\x3d\x01\xf0\xff\xff\x73\x01\xc3\xc3", 11, 0},
    {"\xcd\x80", 2, 0},
    {"", 0, 0},
};

START_TEST(compat_tails_follow_the_table)
{
    uint8_t *exact = malloc(tails[_i].size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, tails[_i].bytes, tails[_i].size);
    ck_assert_uint_eq(arch_call_tail_compat(exact + 1, tails[_i].size), tails[_i].tail);
    free(exact);
}
END_TEST

/* The byte that makes an invalid instruction when written over the first one of 32-bit code; 0: none. */
static const struct {
    const char *bytes;
    size_t size;
    uint8_t planted;
} planted[] = {
    {"\x55\x57\x56", 3, 0xfe}, /* push %ebp; push %edi: 0xfe has no operation for this byte */
    {"\xe8\x68\x76", 3, 0xfe}, /* call */
    {"\x55\x89\xe5", 3, 0xf0}, /* push %ebp; 0xfe: dec; lock mov is invalid */
    {"\xf3\x0f\x1e", 3, 0xf0}, /* endbr32 */
    {"\xc3\x8d\xb4", 3, 0xf0}, /* ret; lea */
    {"\xc3\x66\x90", 3, 0xfe}, /* ret; xchg %ax,%ax */
    {"\xe8\x31\x02", 3, 0xfe}, /* lock xor is valid */
    {"\xe8\x29\x02", 3, 0xfe}, /* lock sub */
    {"\xe8\x0c\x02", 3, 0xf0}, /* lock or to %al is invalid */
    {"\xe8\xf0\x02", 3, 0xfe}, /* lock again */
    {"\xe8\x01\x02", 3, 0},    /* lock add; 0xfe: inc */
    {"\xe8\x08\x02", 3, 0},    /* lock or; 0xfe: dec */
    {"\xe8\x83\x02", 3, 0},    /* lock add */
    {"\xe8\x87\x02", 3, 0},    /* lock xchg */
    {"\xe8\x0f\xb1", 3, 0},    /* lock cmpxchg */
    {"\xe8\x0f\xc7", 3, 0},    /* lock cmpxchg8b */
    {"\xe8\x0f\x1f", 3, 0xf0}, /* lock nop is invalid */
    {"\x55\x57", 2, 0xfe},     {"\xe8\x0f", 2, 0}, {"\xc3", 1, 0}, {"", 0, 0},
};

/* Emulated processors may execute invalid locks; then no such byte is planted. */
static bool processor_refuses_locks(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        __asm__ volatile(".byte 0xf0, 0x8d, 0x00" ::: "rax"); /* lock lea (%rax), %eax */
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
}

START_TEST(compat_breakpoints_follow_the_table)
{
    uint8_t *exact = malloc(planted[_i].size + 1), byte = 0;
    uint8_t wanted = planted[_i].planted == 0xf0 && !processor_refuses_locks() ? 0 : planted[_i].planted;
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, planted[_i].bytes, planted[_i].size);
    bool found = arch_breakpoint_compat(exact + 1, planted[_i].size, &byte);
    ck_assert_uint_eq(found ? byte : 0, wanted);
    free(exact);
}
END_TEST

/* The offsets of a range of code: from behind "mov %rcx,0x38(%rdi)", which stores the address that "lea" loaded, to
 * the instruction that fills in the word 8 bytes behind that address. */
#define LOADED "\x48\x8d\x8c\x24\xb0\0\0\0"
#define STORED "\x48\x89\x4f\x38"
#define FILLED "\x0f\x11\x84\x24\xb8\0\0\0"

static const struct {
    const char *bytes;
    size_t size, start, end;
} linking[] = {
    {LOADED STORED FILLED "\x90", 21, 12, 20},
    {LOADED "\x90" STORED "\x90\x90" FILLED, 23, 13, 23},
    {LOADED STORED "\x0f\x29\x84\x24\xb8\0\0\0", 20, 12, 20},        /* aligned */
    {LOADED STORED "\x48\x89\xb4\x24\xb8\0\0\0", 20, 12, 20},        /* mov %rsi,0xb8(%rsp) */
    {LOADED STORED "\x48\x89\xb4\x24\xb0\0\0\0" FILLED, 28, 12, 28}, /* another variable before that */
    {LOADED STORED "\x0f\x11\x84\x24\xb0\0\0\0", 20, 12, 20},        /* both at once */
    {LOADED STORED FILLED, 19, 0, 0},
    {LOADED STORED, 12, 0, 0},
    {LOADED "\x48\x89\x57\x38" FILLED, 20, 0, 0},     /* another register, */
    {LOADED "\x48\x89\x4f\x40" FILLED, 20, 0, 0},     /* offset, */
    {LOADED "\x48\x89\x4c\x24\x38" FILLED, 21, 0, 0}, /* or on the stack */
    {STORED FILLED, 12, 0, 0},
    {"", 0, 0, 0},
};

START_TEST(linking_follows_the_table)
{
    struct arch_linking found;
    uint8_t *exact = malloc(linking[_i].size + 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, linking[_i].bytes, linking[_i].size);
    ck_assert_int_eq(arch_find_linking(exact + 1, linking[_i].size, 56, 8, &found), linking[_i].end != 0);
    free(exact);
    if (linking[_i].end) {
        ck_assert_uint_eq(found.part.start, linking[_i].start);
        ck_assert_uint_eq(found.part.end, linking[_i].end);
        ck_assert_int_eq(found.variable, 0xb0);
    }
}
END_TEST

/* Where the previous link is at each instruction between the two stores. A letter is a register (a, c, d, b; s is
 * the stack pointer); '@' means that its address is there; '-' that it is uncertain. The thread state is in rdi; the
 * previous variable was loaded into rdx. */
#define PREVIOUS "\x48\x8b\x57\x38" LOADED STORED
#define NODE_TO_AX "\x48\x8b\x42\x08"
#define CLEAR_DX "\x31\xd2"
#define CALL "\xe8\0\0\0\0"

static const struct {
    const char *bytes;
    size_t size;
    const char *places;
} places[] = {
#define ROW(bytes, places)                                                                                             \
    {                                                                                                                  \
        bytes, sizeof(bytes) - 1, places                                                                               \
    }
    ROW(PREVIOUS FILLED, "d@"),
    ROW(PREVIOUS NODE_TO_AX CLEAR_DX "\x90" FILLED, "d@ a a a"),
    ROW(PREVIOUS CLEAR_DX FILLED, "d@ -"),
    ROW(PREVIOUS "\x48\x8b\x42\x10" CLEAR_DX FILLED, "d@ d@ -"),         /* another field */
    ROW(PREVIOUS "\x48\x89\xd0" CLEAR_DX FILLED, "d@ a@ a@"),            /* mov %rdx,%rax */
    ROW(PREVIOUS "\x89\xd0" CLEAR_DX FILLED, "d@ d@ -"),                 /* only its lower half */
    ROW(PREVIOUS NODE_TO_AX CLEAR_DX "\x83\xe8\x01" FILLED, "d@ a a -"), /* sub */
    ROW(PREVIOUS NODE_TO_AX CLEAR_DX "\x83\xf8\x01" FILLED, "d@ a a a"), /* cmp */
    ROW(PREVIOUS NODE_TO_AX CLEAR_DX CALL FILLED, "d@ a a -"),
    ROW(PREVIOUS NODE_TO_AX CLEAR_DX "\xc5\xf9\x6f\xc1" FILLED, "d@ a a -"),               /* AVX */
    ROW(PREVIOUS "\x0f\x16\x02\x0f\x29\x44\x24\x20" CLEAR_DX FILLED, "d@ d@ d@ -"),        /* movhps (%rdx), */
    ROW(PREVIOUS "\x0f\x16\x42\x08\x0f\x29\x44\x24\x20" CLEAR_DX FILLED, "d@ d@ d@ s@40"), /* 8(%rdx),%xmm0 */
    ROW(PREVIOUS NODE_TO_AX "\x66\x48\x0f\x6e\xc0\x66\x0f\xd6\x44\x24\x20" CLEAR_DX "\x31\xc0" FILLED,
        "d@ a a a a s@32"), /* movq %rax,%xmm0; movq %xmm0,0x20(%rsp) */
    ROW(PREVIOUS NODE_TO_AX "\x48\x89\x44\x24\x20" CLEAR_DX "\x31\xc0\x89\x4c\x24\x24" FILLED,
        "d@ a a a s@32 -"), /* partly overwritten */
    /* no end, no distance, or a branch */
    ROW(PREVIOUS "\x50" FILLED, ""),
    ROW(PREVIOUS "\xeb\x00" FILLED, ""),
    ROW(PREVIOUS "\xc3" FILLED, ""),
#undef ROW
};

/* Writes the location of the link at PC AT to TEXT. */
static void describe(const struct arch_linking *found, size_t at, char text[16])
{
    strcpy(text, "-");
    for (size_t i = 0; i < found->count; i++) {
        const struct arch_place *place = &found->places[i];
        if (at < place->part.start || at >= place->part.end)
            continue;
        ck_assert_str_eq(text, "-");
        snprintf(text, 16, place->offset != 8 && place->is_stored ? "%c%s%d" : "%c%s", "acdbs"[place->number],
                 place -> is_stored ? "@" : "", (int)place->offset);
    }
}

START_TEST(places_follow_the_table)
{
    struct arch_linking found;
    struct arch_instruction instruction;
    const uint8_t *code = (const uint8_t *)places[_i].bytes;
    char text[128] = "", one[16];
    bool is = arch_find_linking(code, places[_i].size, 56, 8, &found);
    ck_assert_int_eq(is, *places[_i].places != 0);
    for (size_t at = found.part.start; is && at < found.part.end; at += instruction.length) {
        ck_assert(arch_decode(code + at, places[_i].size - at, false, &instruction));
        describe(&found, at, one);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "", one);
    }
    ck_assert_str_eq(text, places[_i].places);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/code");
    UNIT_ADD_TABLE(tests, jumps_fit_where_the_table_says, returning);
    UNIT_ADD_TABLE(tests, slots_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, compat_slots_follow_the_table, compat);
    UNIT_ADD_TABLE(tests, compat_tails_follow_the_table, tails);
    UNIT_ADD_TABLE(tests, compat_breakpoints_follow_the_table, planted);
    UNIT_ADD_TABLE(tests, linking_follows_the_table, linking);
    UNIT_ADD_TABLE(tests, places_follow_the_table, places);
    return unit_end();
}
