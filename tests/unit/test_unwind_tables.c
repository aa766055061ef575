/* SPDX-License-Identifier: MIT
 *
 * All kinds of unwind rules, in functions and stacks made for them. There is no process: the stack is an array of
 * numbers that show their own positions. */
#include "programs/unwind/rules.h"

#include "common/base/buffer.h"
#include "common/base/memory_run.h"
#include "programs/elf/unwind_index.h"
#include "programs/elf/unwind_record.h"
#include "programs/unwind/frame.h"
#include "programs/unwind/unwind.h"
#include "unwind_synthetic.h"

/* Each function is one nop long, except those with a second part. Its table applies to all of it. */
static const char functions[] =
    "    .macro begin name\n"
    "    .globl \\name\n"
    "    .type \\name, @function\n"
    "\\name:\n"
    "    .cfi_startproc\n"
    "    .endm\n"
    "    .macro end name\n"
    "    nop\n"
    "    .cfi_endproc\n"
    "    .size \\name, . - \\name\n"
    "    nop\n" /* outside of any function */
    "    .endm\n"
    "    .text\n"
    "begin entry\n"
    "end entry\n"
    "begin pushed\n"
    "    .cfi_def_cfa_offset 40\n"
    "    .cfi_offset rbp, -16\n"
    "end pushed\n"
    "begin framed\n"
    "    .cfi_def_cfa rbp, 16\n"
    "    .cfi_offset rbp, -16\n"
    "end framed\n"
    "begin remembered\n"
    "    .cfi_def_cfa_offset 24\n"
    "    .cfi_remember_state\n"
    "    nop\n"
    "    .cfi_def_cfa_offset 40\n"
    "    nop\n"
    "    .cfi_restore_state\n"
    "end remembered\n"
    /* the CFA is r10's value (DRAP); rbp is saved where an expression says: rsp + 24 */
    "begin in_register\n"
    "    .cfi_def_cfa r10, 0\n"
    "    .cfi_escape 0x10, 6, 2, 0x77, 24\n"
    "end in_register\n"
    /* the CFA is rsp + 24, by an expression: breg7 8, lit16, plus */
    "begin expression\n"
    "    .cfi_escape 0x0f, 4, 0x77, 8, 0x40, 0x22\n"
    "end expression\n"
    /* as in a PLT: larger if the address ends in 11 or more */
    "    .balign 16\n"
    "begin by_address\n"
    "    .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
    "    .fill 12, 1, 0x90\n"
    "end by_address\n"
    /* the return address is in r12 */
    "begin returned\n"
    "    .cfi_register rip, r12\n"
    "end returned\n"
    /* and popped from the stack, as before the jump to an exception handler */
    "begin popped\n"
    "    .cfi_def_cfa_offset 0\n"
    "    .cfi_register rip, r12\n"
    "end popped\n"
    "begin first\n"
    "    .cfi_undefined rip\n"
    "end first\n"
    "begin handled\n"
    "    .cfi_personality 0x9b, indirect\n"
    "    .cfi_lsda 0x1b, table\n"
    "    .cfi_def_cfa_offset 24\n"
    "end handled\n"
    /* expressions for all registers, as in a C library */
    "    nop\n"
    "begin interrupted\n"
    "    .cfi_signal_frame\n"
    "    .cfi_escape 0x0f, 3, 0x77, 24, 0x06\n"
    "    .cfi_escape 0x10, 16, 2, 0x77, 32\n"
    "    .cfi_escape 0x10, 6, 2, 0x77, 40\n"
    "end interrupted\n"
    /* an endless loop: skip -3 */
    "begin endless\n"
    "    .cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\n"
    "end endless\n"
    /* rsp + 24 after a loop that counts down from 10,000 */
    "begin counts\n"
    "    .cfi_escape 0x0f, 14, 0x0a, 0x10, 0x27, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x13, 0x77, 8, 0x40, 0x22\n"
    "end counts\n"
    /* more operands than an expression has; register 40; a caller whose stack begins below its callee's */
    "begin too_much\n"
    "    .cfi_escape 0x0f, 1, 0x22\n"
    "end too_much\n"
    "begin no_register\n"
    "    .cfi_escape 0x05, 40, 1\n"
    "end no_register\n"
    "begin shrinking\n"
    "    .cfi_def_cfa_offset -8\n"
    "    .cfi_offset rip, 16\n"
    "end shrinking\n"
    /* switches to another stack, which its table does not describe */
    "begin switches\n"
    "    mov %rbx, %rsp\n"
    "end switches\n"
    "begin on_heap\n"
    "    .cfi_def_cfa rbx, 8\n"
    "end on_heap\n"
    "    .section .gcc_except_table, \"a\", @progbits\n"
    "table: .byte 0xff, 0xff, 1, 0\n"
    "    .section .data.rel.local, \"aw\", @progbits\n"
    "indirect: .quad entry\n";

enum { NONE = -1 };

/* The words with the caller's PC and the value found by its frame pointer. PC NONE: no caller. The PC is SKIP bytes
 * into the function. */
static const struct {
    const char *function;
    unsigned skip;
    int pc, next;
    enum unwind_end end; /* without a caller */
} rows[] = {
    {"entry", 0, 0, WORD_OF_FRAME + 1, 0},
    {"pushed", 0, 4, WORD_OF_NEXT_FRAME + 1, 0},
    {"framed", 0, WORD_OF_FRAME + 1, WORD_OF_NEXT_FRAME + 1, 0},
    {"remembered", 0, 2, WORD_OF_FRAME + 1, 0},
    {"remembered", 1, 4, WORD_OF_FRAME + 1, 0},
    {"remembered", 2, 2, WORD_OF_FRAME + 1, 0},
    {"in_register", 0, WORD_OF_R10 - 1, WORD_OF_NEXT_FRAME + 1, 0},
    {"expression", 0, 2, WORD_OF_FRAME + 1, 0},
    {"by_address", 0, 0, WORD_OF_FRAME + 1, 0},
    {"by_address", 10, 0, WORD_OF_FRAME + 1, 0},
    {"by_address", 11, 1, WORD_OF_FRAME + 1, 0},
    {"returned", 0, WORD_IN_R12, WORD_OF_FRAME + 1, 0},
    {"popped", 0, WORD_IN_R12, WORD_OF_FRAME + 1, 0},
    {"handled", 0, 2, WORD_OF_FRAME + 1, 0},
    {"interrupted", 0, 4, WORD_OF_NEXT_FRAME + 1, 0},
    {"switches", 3, 0, WORD_OF_FRAME + 1, 0},
    {"first", 0, NONE, NONE, UNWIND_WHOLE},
    {"endless", 0, NONE, NONE, UNWIND_UNKNOWN},
    {"counts", 0, NONE, NONE, UNWIND_UNKNOWN},
    {"too_much", 0, NONE, NONE, UNWIND_UNKNOWN},
    {"no_register", 0, NONE, NONE, UNWIND_UNKNOWN},
    {"shrinking", 0, NONE, NONE, UNWIND_UNKNOWN},
    {"on_heap", 0, NONE, NONE, UNWIND_TRUNCATED},
};

/* Ways to write these tables. */
static const struct {
    const char *name, *sections, *options, *needs;
} forms[] = {
    {"plain", ".eh_frame", "-shared", "gcc"},
    {"unindexed", ".eh_frame", "-shared -Wl,--no-eh-frame-hdr", "gcc"},
    {"debug", ".debug_frame", "-shared", "gcc"},
    {"program", ".eh_frame", "-no-pie -nostartfiles -Wl,-e,entry", "gcc"},
    {"lld", ".eh_frame", "-shared -fuse-ld=lld", "ld.lld"},
    {"compressed", ".debug_frame", "-shared -Wl,--compress-debug-sections=zlib", "gcc"},
};

/* The Go linker puts this into all programs. */
static const char go_program[] = ".section .go.buildinfo, \"a\", @progbits\n.quad 0\n.cfi_sections .debug_frame\n";

static void make_go(void)
{
    fixture_write("go_program.s", go_program, sizeof go_program - 1);
    fixture_run("cat go_program.s functions.s >go.s && gcc -nostdlib -shared -o go.so go.s");
}

static void make_forms(void)
{
    fixture_write("functions.s", functions, sizeof functions - 1);
    for (size_t i = 0; i < UNIT_ROWS(forms); i++)
        if (!fixture_lacks(forms[i].needs))
            fixture_run("(echo '.cfi_sections %s'; cat functions.s) >%s.s && gcc -nostdlib %s -o %s.so %s.s",
                        forms[i].sections, forms[i].name, forms[i].options, forms[i].name, forms[i].name);
    make_go();
}

/* A Go program, before and after a switch to another stack. */
START_TEST(switched_stacks_are_truncated)
{
    struct synthetic *synthetic = synthetic_new("go.so");

    synthetic_enter(synthetic, "switches", 0);
    synthetic_unwind(synthetic);
    ck_assert_uint_ge(synthetic->count, 2);
    ck_assert_uint_eq(synthetic->frames[1].pc, synthetic_word(0));
    synthetic_enter(synthetic, "switches", 3);
    synthetic_unwind(synthetic);
    ck_assert_msg(synthetic->count == 1 && synthetic->end == UNWIND_TRUNCATED, "%s", synthetic_text(synthetic));
    synthetic->words[0] = 0; /* the words of the other stack do not matter */
    synthetic_unwind(synthetic);
    ck_assert_msg(synthetic->count == 1 && synthetic->end == UNWIND_TRUNCATED, "%s", synthetic_text(synthetic));
    synthetic_free(synthetic);
}
END_TEST

START_TEST(tables_are_followed)
{
    size_t form = (size_t)_i / UNIT_ROWS(rows), row = (size_t)_i % UNIT_ROWS(rows);
    char name[64];

    snprintf(name, sizeof name, "%s.so", forms[form].name);
    if (access(fixture_path(name), R_OK) != 0)
        return;
    struct synthetic *synthetic = synthetic_new(name);
    synthetic_enter(synthetic, rows[row].function, rows[row].skip);
    synthetic_unwind(synthetic);
    if (rows[row].pc == NONE) {
        ck_assert_msg(synthetic->count == 1 && synthetic->end == rows[row].end, "%s, %s: %s", name, rows[row].function,
                      synthetic_text(synthetic));
    } else {
        bool is_signal = strcmp(rows[row].function, "interrupted") == 0;
        ck_assert_msg(synthetic->count >= 3 && synthetic->frames[1].pc == synthetic_word(rows[row].pc) &&
                          synthetic->frames[2].pc == synthetic_word(rows[row].next) &&
                          synthetic->frames[1].call == !is_signal && synthetic->frames[2].call,
                      "%s, %s: %s", name, rows[row].function, synthetic_text(synthetic));
    }
    synthetic_free(synthetic);
}
END_TEST

/* Instructions of a record, and whether they are passed to libunwind. */
static const struct {
    const char *code;
    size_t size;
    bool written;
} instructions[] = {
#define CODE(code, written)                                                                                            \
    {                                                                                                                  \
        code, sizeof code - 1, written                                                                                 \
    }
    CODE("", true),
    CODE("\0\0\0", true),
    CODE("\x0c\x07\x08\x90\x01\x44\x0e\x10\x86\x02\xc6", true), /* usual instructions of a compiler */
    CODE("\x0f\x02\x77\x08\x10\x06\x01\x30", true),             /* expressions */
    CODE("\x0f\x03\x77\x08", false),                            /* longer than the record */
    CODE("\x02\x09\x03\x09\x00\x04\x09\x09\x09\x09", true),     /* advances of 9 */
    CODE("\x09\x06\x0c", true),                                 /* rbp is in r12, */
    CODE("\x09\x06\x10", true),                                 /* in the last existing register, */
    CODE("\x09\x06\x11", false),                                /* in a register that does not exist */
    CODE("\x09\x06\xff\xff\xff\xff\xff\xff\xff\x0f", false),
    CODE("\x09\x06", false),
    CODE("\x01\0\0\0\0\0\0\0\0", false), /* an address */
    CODE("\x1c", false),                 /* not an instruction */
    CODE("\x3f", false),
};

START_TEST(instructions_follow_the_table)
{
    const struct elf_cie common = {.code_alignment = 1,
                                   .data_alignment = -8,
                                   .return_register = UNWIND_PC,
                                   .code = (const uint8_t *)"",
                                   .code_size = 0};
    struct elf_unwind_found found = {
        .common = &common,
        .record = {0x1000, 0x2000, (const uint8_t *)instructions[_i].code, instructions[_i].size},
    };
    struct buffer bytes = {0};
    ck_assert(unwind_rules_write(&bytes, &found, 8) == instructions[_i].written);
    ck_assert((bytes.length > 0) == instructions[_i].written);
    buffer_fini(&bytes);
}
END_TEST

/* Records of 32-bit programs, and their conversion. */
static const struct {
    const char *code;
    size_t size;
    const char *written; /* NULL: refused */
} compat[] = {
#define COMPAT(code, written)                                                                                          \
    {                                                                                                                  \
        code, sizeof code - 1, written                                                                                 \
    }
    COMPAT("\x0c\x04\x04\x88\x01\x41\x0e\x08\x85\x02\xc5", "\x0c\x07\x04\x90\x01\x41\x0e\x08\x86\x02\xc6"),
    COMPAT("\x86\x03\x87\x04\x83\x05", "\x8c\x03\x8d\x04\x83\x05"), /* esi, edi, ebx */
    COMPAT("\x0f\x04\x74\xbc\x01\x06\x10\x06\x02\x74\x18", "\x0f\x04\x77\xbc\x01\x06\x10\x0c\x02\x77\x18"),
    COMPAT("\x0f\x0b\x74\x04\x78\x00\x3f\x1a\x3b\x2a\x32\x24\x22", /* of the PLT */
           "\x0f\x0b\x77\x04\x80\x00\x3f\x1a\x3b\x2a\x32\x24\x22"),
    COMPAT("\x09\x01\x02", "\x09\x02\x01"),
    COMPAT("\x07\x08\x2e\x10", "\x07\x10\x2e\x10"),
    COMPAT("\x89\x01", NULL),             /* an unknown register */
    COMPAT("\x0d\x84\x00", NULL),         /* a longer encoding than necessary */
    COMPAT("\x0f\x02\x74\x88\x01", NULL), /* longer than its expression, */
    COMPAT("\x0f\x05\x74\x08", NULL),     /* or than its record */
    COMPAT("\x0f\x05\x03\0\0\0\0", NULL), /* an address */
};

START_TEST(compat_instructions_follow_the_table)
{
    const struct elf_cie common = {.is_compat = true,
                                   .code_alignment = 1,
                                   .data_alignment = -4,
                                   .return_register = 8,
                                   .code = (const uint8_t *)""};
    struct elf_unwind_found found = {
        .common = &common,
        .record = {0x1000, 0x2000, (const uint8_t *)compat[_i].code, compat[_i].size},
    };
    struct buffer bytes = {0};
    ck_assert(unwind_rules_write(&bytes, &found, 8) == (compat[_i].written != NULL));
    ck_assert(!compat[_i].written || memmem(bytes.bytes, bytes.length, compat[_i].written, compat[_i].size));
    ck_assert((bytes.length > 0) == (compat[_i].written != NULL));
    buffer_fini(&bytes);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("unwind, tables");

    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, make_forms, NULL);
    tcase_add_loop_test(tests, tables_are_followed, 0, (int)(UNIT_ROWS(forms) * UNIT_ROWS(rows)));
    tcase_add_test(tests, switched_stacks_are_truncated);
    UNIT_ADD_TABLE(tests, instructions_follow_the_table, instructions);
    UNIT_ADD_TABLE(tests, compat_instructions_follow_the_table, compat);
    return fixture_end();
}
