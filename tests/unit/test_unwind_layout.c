/* SPDX-License-Identifier: MIT
 *
 * Effects of instructions on the stack pointer: their lengths, compared with objdump's for a whole C library, single
 * effects, and functions. */
#include "common/arch/decode.h"
#include "programs/unwind/layout.h"

#include "elf_fixtures.h"

/* Returns the length of the instruction in LINE of objdump's output, and its bytes in CODE; 0 if LINE has none. */
static size_t listed(const char *line, uint8_t *code, size_t room)
{
    const char *at = strstr(line, ":\t");
    size_t size = 0;
    unsigned byte;
    int used;

    if (*line != ' ' || !at || strstr(line, "(bad)"))
        return 0;
    for (at += 2; size < room && sscanf(at, "%2x%n", &byte, &used) == 1 && used == 2; at += 3)
        code[size++] = (uint8_t)byte;
    return strchr(at, '\t') ? size : 0;
}

START_TEST(lengths_are_those_that_objdump_finds)
{
    char line[512];
    size_t instructions = 0, wrong = 0;

    fixture_write("main.c", "int main(void) { return 0; }\n", 29);
    fixture_run("gcc -static -o whole main.c && objdump -dw --section=.text whole >listing");
    FILE *listing = fopen(fixture_path("listing"), "re");
    ck_assert_ptr_nonnull(listing);
    while (fgets(line, sizeof line, listing)) {
        struct arch_instruction instruction = {0};
        uint8_t code[32] = {0};
        size_t size = listed(line, code, 16);
        if (!size)
            continue;
        instructions++;
        if ((!arch_decode(code, sizeof code, false, &instruction) || instruction.length != size) && wrong++ < 20)
            fprintf(stderr, "%zu: %s", instruction.length, line);
    }
    fclose(listing);
    ck_assert_uint_gt(instructions, 50000);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

static const struct {
    const char *code;
    size_t size;
    enum arch_effect effect;
    int kept;
    int64_t amount;
} effects[] = {
#define ROW(code, ...)                                                                                                 \
    {                                                                                                                  \
        code, sizeof code - 1, __VA_ARGS__                                                                             \
    }
    ROW("\x53", ARCH_EFFECT_PUSH, 0, 8),                                       /* push %rbx */
    ROW("\x41\x57", ARCH_EFFECT_PUSH, 5, 8),                                   /* push %r15 */
    ROW("\x68\1\2\3\4", ARCH_EFFECT_PUSH, -1, 8),                              /* push $0x4030201 */
    ROW("\x6a\x01", ARCH_EFFECT_PUSH, -1, 8),                                  /* push $1 */
    ROW("\xff\x74\x24\x68", ARCH_EFFECT_PUSH, -1, 8),                          /* push 0x68(%rsp) */
    ROW("\x9c", ARCH_EFFECT_PUSH, -1, 8),                                      /* pushf */
    ROW("\x5d", ARCH_EFFECT_POP, 1, 8),                                        /* pop %rbp */
    ROW("\x41\x5c", ARCH_EFFECT_POP, 2, 8),                                    /* pop %r12 */
    ROW("\x8f\x04\x24", ARCH_EFFECT_POP, -1, 8),                               /* pop (%rsp) */
    ROW("\x5c", ARCH_EFFECT_SWITCH, -1, 0),                                    /* pop %rsp */
    ROW("\x48\x83\xec\x18", ARCH_EFFECT_GROW, -1, 24),                         /* sub $24,%rsp */
    ROW("\x48\x81\xec\x00\x10\x00\x00", ARCH_EFFECT_GROW, -1, 4096),           /* sub $4096,%rsp */
    ROW("\x48\x83\xc4\x80", ARCH_EFFECT_GROW, -1, 128),                        /* add $-128,%rsp */
    ROW("\x48\x83\xc4\x08", ARCH_EFFECT_GROW, -1, -8),                         /* add $8,%rsp */
    ROW("\x48\x8d\x64\x24\xf8", ARCH_EFFECT_GROW, -1, 8),                      /* lea -8(%rsp),%rsp */
    ROW("\x48\x83\xfc\x08", ARCH_EFFECT_PLAIN, -1, 0),                         /* cmp $8,%rsp */
    ROW("\x48\x83\xe4\xf0", ARCH_EFFECT_LOST, -1, 0),                          /* and $-16,%rsp */
    ROW("\x48\x29\xc4", ARCH_EFFECT_LOST, -1, 0),                              /* sub %rax,%rsp */
    ROW("\x48\x89\xdc", ARCH_EFFECT_LOST, -1, 0),                              /* mov %rbx,%rsp */
    ROW("\x49\x83\xec\x18", ARCH_EFFECT_PLAIN, -1, 0),                         /* sub $24,%r12 */
    ROW("\x48\x8b\x64\x24\x08", ARCH_EFFECT_SWITCH, -1, 8),                    /* mov 8(%rsp),%rsp */
    ROW("\x8b\x64\x24\x08", ARCH_EFFECT_LOST, -1, 0),                          /* mov 8(%rsp),%esp */
    ROW("\x48\x8b\x60\x08", ARCH_EFFECT_LOST, -1, 0),                          /* mov 8(%rax),%rsp */
    ROW("\x48\x89\xe5", ARCH_EFFECT_FRAME, -1, 0),                             /* mov %rsp,%rbp */
    ROW("\x48\x8b\xec", ARCH_EFFECT_FRAME, -1, 0),                             /* another encoding */
    ROW("\x48\x89\xec", ARCH_EFFECT_TO_FRAME, -1, 0),                          /* mov %rbp,%rsp */
    ROW("\x48\x8d\x65\xd8", ARCH_EFFECT_TO_FRAME, -1, -40),                    /* lea -40(%rbp),%rsp */
    ROW("\xc9", ARCH_EFFECT_LEAVE, -1, 0),                                     /* leave */
    ROW("\x48\x89\x5c\x24\x08", ARCH_EFFECT_STORE, 0, 8),                      /* mov %rbx,8(%rsp) */
    ROW("\x4c\x89\x24\x24", ARCH_EFFECT_STORE, 2, 0),                          /* mov %r12,(%rsp) */
    ROW("\x89\x5c\x24\x08", ARCH_EFFECT_SAVE, 0, 0),                           /* mov %ebx,8(%rsp) */
    ROW("\x4c\x8d\x9c\x24\x00\x00\xfd\xff", ARCH_EFFECT_ADDRESS, -1, -196608), /* lea -0x30000(%rsp),%r11 */
    ROW("\x48\x8d\x67\xe0", ARCH_EFFECT_LOST, -1, 0),                          /* lea -0x20(%rdi),%rsp */
    ROW("\x74\x10", ARCH_EFFECT_BRANCH, -1, 16),                               /* je */
    ROW("\x0f\x84\x00\xff\xff\xff", ARCH_EFFECT_BRANCH, -1, -256),             /* je */
    ROW("\xe3\x02", ARCH_EFFECT_BRANCH, -1, 2),                                /* jrcxz */
    ROW("\xeb\xfe", ARCH_EFFECT_JUMP, -1, -2),                                 /* jmp */
    ROW("\xe9\x00\x01\x00\x00", ARCH_EFFECT_JUMP, -1, 256),                    /* jmp */
    ROW("\xff\xe0", ARCH_EFFECT_JUMP_SOMEWHERE, -1, 0),                        /* jmp *%rax */
    ROW("\x3e\xff\x24\xc5\0\0\0\0", ARCH_EFFECT_JUMP_SOMEWHERE, -1, 0),        /* notrack jmp *0(,%rax,8) */
    ROW("\xc3", ARCH_EFFECT_RETURN, -1, 0),                                    /* ret */
    ROW("\xc2\x10\xff", ARCH_EFFECT_RETURN, -1, 0xff10),                       /* ret $0xff10 */
    ROW("\xf2\xc3", ARCH_EFFECT_RETURN, -1, 0),                                /* bnd ret */
    ROW("\x0f\x0b", ARCH_EFFECT_NO_MORE, -1, 0),                               /* ud2 */
    ROW("\xf4", ARCH_EFFECT_NO_MORE, -1, 0),                                   /* hlt */
    ROW("\xe8\1\2\3\4", ARCH_EFFECT_PLAIN, -1, 0),                             /* call */
    ROW("\xff\xd0", ARCH_EFFECT_PLAIN, -1, 0),                                 /* call *%rax */
};

/* 32-bit programs. */
static const struct {
    const char *code;
    size_t size;
    enum arch_effect effect;
    int kept;
    int64_t amount;
} compat[] = {
    ROW("\x53", ARCH_EFFECT_PUSH, 0, 4),                 /* push %ebx */
    ROW("\x56", ARCH_EFFECT_PUSH, 2, 4),                 /* push %esi */
    ROW("\x5f", ARCH_EFFECT_POP, 3, 4),                  /* pop %edi */
    ROW("\x5d", ARCH_EFFECT_POP, UNWIND_KEPT_FP, 4),     /* pop %ebp */
    ROW("\x52", ARCH_EFFECT_PUSH, -1, 4),                /* push %edx */
    ROW("\x68\1\2\3\4", ARCH_EFFECT_PUSH, -1, 4),        /* push */
    ROW("\x83\xec\x1c", ARCH_EFFECT_GROW, -1, 28),       /* sub $28,%esp */
    ROW("\x8d\x64\x24\x04", ARCH_EFFECT_GROW, -1, -4),   /* lea 4(%esp),%esp */
    ROW("\x8b\x64\x24\x0c", ARCH_EFFECT_SWITCH, -1, 12), /* mov 12(%esp),%esp */
    ROW("\x89\xe5", ARCH_EFFECT_FRAME, -1, 0),           /* mov %esp,%ebp */
    ROW("\x8d\x65\xf4", ARCH_EFFECT_TO_FRAME, -1, -12),  /* lea -12(%ebp),%esp */
    ROW("\x40", ARCH_EFFECT_PLAIN, -1, 0),               /* inc %eax */
    ROW("\x49", ARCH_EFFECT_PLAIN, -1, 0),               /* dec %ecx */
    ROW("\xa1\1\2\3\4", ARCH_EFFECT_PLAIN, -1, 0),       /* mov 0x4030201,%eax */
    ROW("\xc5\xf8\x77", ARCH_EFFECT_PLAIN, -1, 0),       /* vzeroupper */
    ROW("\x65\xa1\x14\0\0\0", ARCH_EFFECT_PLAIN, -1, 0), /* mov %gs:20,%eax */
    ROW("\xf3\xa5", ARCH_EFFECT_PLAIN, -1, 0),           /* rep movsl */
    ROW("\xc3", ARCH_EFFECT_RETURN, -1, 0),              /* ret */
    ROW("\xc2\x04\0", ARCH_EFFECT_RETURN, -1, 4),        /* ret $4 */
};

START_TEST(compat_effects_follow_the_table)
{
    struct arch_instruction instruction = {0};
    ck_assert(arch_decode((const uint8_t *)compat[_i].code, compat[_i].size, true, &instruction));
    ck_assert_uint_eq(instruction.length, compat[_i].size);
    ck_assert_int_eq(instruction.effect, compat[_i].effect);
    ck_assert_int_eq(instruction.kept, compat[_i].kept);
    ck_assert_int_eq(instruction.amount, compat[_i].amount);
}
END_TEST

START_TEST(effects_follow_the_table)
{
    struct arch_instruction instruction = {0};
    uint8_t *exact;

    for (size_t size = 0; size <= effects[_i].size;
         size++) { /* a truncated instruction is invalid; the size is exact, for the sanitizers */
        exact = malloc(size + 1);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact + 1, effects[_i].code, size);
        ck_assert_int_eq(arch_decode(exact + 1, size, false, &instruction), size == effects[_i].size);
        free(exact);
    }
    ck_assert_uint_eq(instruction.length, effects[_i].size);
    ck_assert_int_eq(instruction.effect, effects[_i].effect);
    ck_assert_int_eq(instruction.kept, effects[_i].kept);
    ck_assert_int_eq(instruction.amount, effects[_i].amount);
}
END_TEST

/* Functions, and the state before byte AT. DEPTH -1: unknown. SAVED is for rbx, then rbp. */
static const struct {
    const char *code;
    size_t size, at;
    int32_t depth, saved[2];
} functions[] = {
#define FUNCTION(code, ...)                                                                                            \
    {                                                                                                                  \
        code, sizeof code - 1, __VA_ARGS__                                                                             \
    }
/* push %rbp; push %rbx; sub $8,%rsp; nop; add $8,%rsp; pop %rbx; pop %rbp; ret */
#define USUAL "\x55\x53\x48\x83\xec\x08\x90\x48\x83\xc4\x08\x5b\x5d\xc3"
    FUNCTION(USUAL, 0, 0, {0, 0}),
    FUNCTION(USUAL, 1, 8, {0, 8}),
    FUNCTION(USUAL, 2, 16, {16, 8}),
    FUNCTION(USUAL, 4, 16, {16, 8}), /* inside of an instruction: the state before it */
    FUNCTION(USUAL, 6, 24, {16, 8}),
    FUNCTION(USUAL, 11, 16, {16, 8}),
    FUNCTION(USUAL, 12, 8, {0, 8}),
    FUNCTION(USUAL, 13, 0, {0, 0}),
    FUNCTION(USUAL, 14, -1, {0, 0}),
    /* push %rbx; je 1f; pop %rbx; ret; 1: nop: the state comes from the branch, not from the code before */
    FUNCTION("\x53\x74\x02\x5b\xc3\x90", 5, 8, {8, 0}),
    /* push %rbx; jmp *%rax; nop: the target of a jump table */
    FUNCTION("\x53\xff\xe0\x90", 3, 8, {8, 0}),
    /* push %rbx; je 1f; pop %rbx; jmp *%rax; nop; 1: a tail call, and then the target of a jump table */
    FUNCTION("\x53\x74\x04\x5b\xff\xe0\x90\x90", 6, 8, {8, 0}),
    /* mov 8(%rsp),%rsp: the loaded value is unknown */
    FUNCTION("\x48\x8b\x64\x24\x08\x90", 5, -1, {0, 0}),
    /* push %rbx; 1: je 1b; push $1; push $2; pop %rax; pop %rax; pop %rbx; ret; nop: a branch of the body leads here */
    FUNCTION("\x53\x74\xfe\x6a\x01\x6a\x02\x58\x58\x5b\xc3\x90", 11, 8, {8, 0}),
    /* push %rbp; mov %rsp,%rbp; nop; leave; ret: the frame pointer is needed until leave */
    FUNCTION("\x55\x48\x89\xe5\x90\xc9\xc3", 4, -1, {0, 0}),
    FUNCTION("\x55\x48\x89\xe5\x90\xc9\xc3", 6, 0, {0, 0}),
    /* push %rbp; mov %rsp,%rbp; push %rbx; and $-16,%rsp; lea -8(%rbp),%rsp; pop %rbx; pop %rbp; ret */
    FUNCTION("\x55\x48\x89\xe5\x53\x48\x83\xe4\xf0\x48\x8d\x65\xf8\x5b\x5d\xc3", 15, 0, {0, 0}),
    /* mov %rbx,8(%rsp): saved above the return address, where it may be overwritten */
    FUNCTION("\x48\x89\x5c\x24\x08\x90", 5, 0, {-1, 0}),
    /* sub $24,%rsp; mov %rbx,8(%rsp); mov %rbp,16(%rsp); nop */
    FUNCTION("\x48\x83\xec\x18\x48\x89\x5c\x24\x08\x48\x89\x6c\x24\x10\x90", 14, 24, {16, 8}),
/* lea -0x3000(%rsp),%r11; 1: sub $0x1000,%rsp; orq $0,(%rsp); cmp %r11,%rsp; jne 1b; sub $8,%rsp; nop */
#define PROBES "\x48\x81\xec\0\x10\0\0\x48\x83\x0c\x24\0\x4c\x39\xdc\x75\xef\x48\x83\xec\x08\x90"
    FUNCTION("\x4c\x8d\x9c\x24\0\xd0\xff\xff" PROBES, 29, 12296, {0, 0}),
    /* a bound of lea -0x20(%rsp),%r11, and a push before the loop: not that kind of loop */
    FUNCTION("\x4c\x8d\x9c\x24\xe0\xff\xff\xff" PROBES, 29, 4104, {0, 0}),
    FUNCTION("\x4c\x8d\x9c\x24\0\xd0\xff\xff\x50" PROBES, 30, 4112, {0, 0}),
    /* sub %rax,%rsp; more pops than pushes; an invalid instruction; a branch out of the function */
    FUNCTION("\x48\x29\xc4\x90", 3, -1, {0, 0}),
    FUNCTION("\x5b\x90", 1, -1, {0, 0}),
    FUNCTION("\x06\x90", 1, -1, {0, 0}),
    FUNCTION("\x0f\x84\xff\xff\xff\x7f\x53\x90", 7, 8, {8, 0}),
    FUNCTION("\x0f\x84\x00\x00\x00\x80\x53\x90", 7, 8, {8, 0}),
};

START_TEST(functions_are_followed)
{
    struct unwind_layout layout = {0};
    bool found =
        unwind_layout_find((const uint8_t *)functions[_i].code, functions[_i].size, functions[_i].at, false, &layout);

    ck_assert_int_eq(found, functions[_i].depth >= 0);
    if (!found)
        return;
    ck_assert_int_eq(layout.depth, functions[_i].depth);
    ck_assert_int_eq(layout.saved[0], functions[_i].saved[0]);
    ck_assert_int_eq(layout.saved[1], functions[_i].saved[1]);
}
END_TEST

/* The beginning of a function is followed up to the first branch. */
START_TEST(beginnings_are_followed)
{
    /* push %rbp; push %rbx; mov %rsp,%rax; and $-64,%rsp; push %r12 */
    static const uint8_t aligned[] = "\x55\x53\x48\x89\xe0\x48\x83\xe4\xc0\x41\x54";
    /* push %rbx; je 1f; 1: push %rbp */
    static const uint8_t branching[] = "\x53\x74\x00\x55";
    struct unwind_layout layout;
    unwind_layout_begin(aligned, sizeof aligned - 1, false, &layout);
    ck_assert_int_eq(layout.saved[0], 16);
    ck_assert_int_eq(layout.saved[1], 8);
    ck_assert_int_eq(layout.saved[2], 0);
    unwind_layout_begin(branching, sizeof branching - 1, false, &layout);
    ck_assert_int_eq(layout.saved[0], 8);
    ck_assert_int_eq(layout.saved[1], 0);
    unwind_layout_begin(branching, 0, false, &layout);
    ck_assert_int_eq(layout.saved[0], 0);
}
END_TEST

/* Random bytes. */
START_TEST(random_bytes_are_harmless)
{
    uint32_t random = 1;

    for (int i = 0; i < 20000; i++) {
        size_t size = 1 + random % 300;
        struct unwind_layout layout;
        uint8_t *code = malloc(size);
        ck_assert_ptr_nonnull(code);
        for (size_t j = 0; j < size; j++)
            code[j] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        if (unwind_layout_find(code, size, random % (2 * size), false, &layout))
            ck_assert_int_ge(layout.depth, 0);
        free(code);
    }
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("unwind/layout");

    if (!tests)
        return 77;
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, lengths_are_those_that_objdump_finds);
    UNIT_ADD_TABLE(tests, effects_follow_the_table, effects);
    UNIT_ADD_TABLE(tests, compat_effects_follow_the_table, compat);
    UNIT_ADD_TABLE(tests, functions_are_followed, functions);
    tcase_add_test(tests, beginnings_are_followed);
    tcase_add_test(tests, random_bytes_are_harmless);
    return fixture_end();
}
