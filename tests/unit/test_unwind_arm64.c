/* SPDX-License-Identifier: MIT
 *
 * Decoding of arm64's instructions, on any machine: their effects on the stack pointer, calls, beginnings and ends
 * of functions, and PLT entries. */
#include "common/arch/code.h"
#include "common/arch/decode.h"
#include "programs/unwind/instructions.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

/* Registers by number: x19 is the first callee-saved one, 0; x29 is 10, x30 is 11. */
static const struct {
    uint32_t word;
    enum arch_effect effect;
    int kept, second;
    int64_t amount;
} effects[] = {
    {0xa9be7bfd, ARCH_EFFECT_PUSH, 10, 11, 32},          /* stp x29, x30, [sp, #-32]! */
    {0xa90153f3, ARCH_EFFECT_STORE, 0, 1, 16},           /* stp x19, x20, [sp, #16] */
    {0xa9a07bfd, ARCH_EFFECT_PUSH, 10, 11, 512},         /* stp x29, x30, [sp, #-512]! */
    {0xf81f0ffe, ARCH_EFFECT_PUSH, 11, -1, 16},          /* str x30, [sp, #-16]! */
    {0xf9000ff3, ARCH_EFFECT_STORE, 0, -1, 24},          /* str x19, [sp, #24] */
    {0xb9001bf3, ARCH_EFFECT_STORE, -1, -1, 24},         /* str w19, [sp, #24] */
    {0x290153f3, ARCH_EFFECT_STORE, -1, -1, 8},          /* stp w19, w20, [sp, #8] */
    {0x6d0227e8, ARCH_EFFECT_STORE, -1, -1, 32},         /* stp d8, d9, [sp, #32] */
    {0x6dbc27e8, ARCH_EFFECT_PUSH, -1, -1, 64},          /* stp d8, d9, [sp, #-64]! */
    {0x3c9f0fe8, ARCH_EFFECT_PUSH, -1, -1, 16},          /* str q8, [sp, #-16]! */
    {0xf81f83f5, ARCH_EFFECT_STORE, 2, -1, -8},          /* stur x21, [sp, #-8] */
    {0xa8c27bfd, ARCH_EFFECT_POP, 10, 11, 32},           /* ldp x29, x30, [sp], #32 */
    {0xa94153f3, ARCH_EFFECT_LOAD, 0, 1, 16},            /* ldp x19, x20, [sp, #16] */
    {0xf84107fe, ARCH_EFFECT_POP, 11, -1, 16},           /* ldr x30, [sp], #16 */
    {0xf9400ff3, ARCH_EFFECT_LOAD, 0, -1, 24},           /* ldr x19, [sp, #24] */
    {0xb9801bf3, ARCH_EFFECT_LOAD, -1, -1, 24},          /* ldrsw x19, [sp, #24] */
    {0xfc4107e8, ARCH_EFFECT_POP, -1, -1, 16},           /* ldr d8, [sp], #16 */
    {0xa9bf0861, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* stp x1, x2, [x3, #-16]! */
    {0xd10103ff, ARCH_EFFECT_GROW, -1, -1, 64},          /* sub sp, sp, #0x40 */
    {0x910103ff, ARCH_EFFECT_GROW, -1, -1, -64},         /* add sp, sp, #0x40 */
    {0xd1400bff, ARCH_EFFECT_GROW, -1, -1, 8192},        /* sub sp, sp, #0x2, lsl #12 */
    {0x910003fd, ARCH_EFFECT_FRAME, -1, -1, 0},          /* mov x29, sp */
    {0x910043fd, ARCH_EFFECT_FRAME, -1, -1, 16},         /* add x29, sp, #0x10 */
    {0x910003bf, ARCH_EFFECT_TO_FRAME, -1, -1, 0},       /* mov sp, x29 */
    {0xd10043bf, ARCH_EFFECT_TO_FRAME, -1, -1, -16},     /* sub sp, x29, #0x10 */
    {0x9100013f, ARCH_EFFECT_LOST, -1, -1, 0},           /* mov sp, x9 */
    {0xcb2c63ff, ARCH_EFFECT_LOST, -1, -1, 0},           /* sub sp, sp, x12 */
    {0x927ced3f, ARCH_EFFECT_LOST, -1, -1, 0},           /* and sp, x9, #0xfffffffffffffff0 */
    {0xf27ced3f, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* tst x9, #0xfffffffffffffff0 */
    {0x910023e0, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* add x0, sp, #0x8 */
    {0xcb2163e0, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* sub x0, sp, x1 */
    {0x14000002, ARCH_EFFECT_JUMP, -1, -1, 4},           /* b 84 */
    {0x17fffffc, ARCH_EFFECT_JUMP, -1, -1, -20},         /* b 70 */
    {0x540000a0, ARCH_EFFECT_BRANCH, -1, -1, 16},        /* b.eq 98 */
    {0xb4000060, ARCH_EFFECT_BRANCH, -1, -1, 8},         /* cbz x0, 94 */
    {0x35ffffe0, ARCH_EFFECT_BRANCH, -1, -1, -8},        /* cbnz w0, 88 */
    {0x36180080, ARCH_EFFECT_BRANCH, -1, -1, 12},        /* tbz w0, #3, a0 */
    {0xb70fffc1, ARCH_EFFECT_BRANCH, -1, -1, -12},       /* tbnz x1, #33, 8c */
    {0x94000002, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* bl a0 */
    {0xd63f0100, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* blr x8 */
    {0xd61f0200, ARCH_EFFECT_JUMP_SOMEWHERE, -1, -1, 0}, /* br x16 */
    {0xd65f03c0, ARCH_EFFECT_RETURN, -1, -1, 0},         /* ret */
    {0xd65f0bff, ARCH_EFFECT_RETURN, -1, -1, 0},         /* retaa */
    {0xd73f0822, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* blraa x1, x2 */
    {0xd71f0822, ARCH_EFFECT_JUMP_SOMEWHERE, -1, -1, 0}, /* braa x1, x2 */
    {0xd4200020, ARCH_EFFECT_NO_MORE, -1, -1, 0},        /* brk #0x1 */
    {0xd4000001, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* svc #0x0 */
    {0xd503233f, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* paciasp */
    {0xd503201f, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* nop */
    {0xaa0103e0, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* mov x0, x1 */
    {0xf8616be0, ARCH_EFFECT_PLAIN, -1, -1, 0},          /* ldr x0, [sp, x1] */
};

START_TEST(effects_follow_the_table)
{
    struct arch_instruction instruction;
    ck_assert(arch_decode((const uint8_t *)&effects[_i].word, 4, false, &instruction));
    ck_assert_uint_eq(instruction.length, 4);
    ck_assert_int_eq(instruction.effect, effects[_i].effect);
    ck_assert_int_eq(instruction.kept, effects[_i].kept);
    ck_assert_int_eq(instruction.second, effects[_i].second);
    ck_assert_int_eq(instruction.amount, effects[_i].amount);
}
END_TEST

START_TEST(no_instruction_is_none)
{
    static const uint32_t data = 0x1234;
    struct arch_instruction instruction;
    ck_assert(!arch_decode((const uint8_t *)&data, 4, false, &instruction));
    ck_assert(!arch_decode((const uint8_t *)&effects[0].word, 3, false, &instruction));
}
END_TEST

enum { WORDS = 5 };
#define NOP 0xd503201fu

/* The previous instruction, the one at the PC, and the following ones. */
static const struct {
    uint32_t words[WORDS];
    enum unwind_code_kind interrupted, returned;
} kinds[] = {
    {{NOP, 0xa9be7bfd, 0x910003fd}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},       /* stp x29, x30, [sp, #-32]! */
    {{NOP, 0xf81f0ffe, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},              /* str x30, [sp, #-16]! */
    {{NOP, 0xd503233f, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},              /* paciasp */
    {{NOP, 0xd503245f, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},              /* bti c */
    {{NOP, 0xd65f03c0, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},              /* ret */
    {{NOP, 0xd65f0bff, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},              /* retaa */
    {{0xa9bf7bfd, 0x910003fd, NOP}, UNWIND_CODE_PUSHED_FRAME, UNWIND_CODE_UNCALLED},  /* mov x29, sp */
    {{0xa9be7bfd, 0x910003fd, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED},         /* of a larger frame */
    {{0xa9bf7bf0, 0xf0000110, 0xf947fe11}, UNWIND_CODE_PUSHED, UNWIND_CODE_UNCALLED}, /* .plt, behind its push */
    {{NOP, 0x90000130, 0xf9400211, 0x91000210, 0xd61f0220}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED}, /* name@plt */
    {{0x90000130, 0xf9400211, 0x91000210, 0xd61f0220}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},
    {{0xf9400211, 0x91000210, 0xd61f0220, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},
    {{0x91000210, 0xd61f0220, NOP}, UNWIND_CODE_ENTERED, UNWIND_CODE_UNCALLED},
    {{NOP, 0xd2801168, 0xd4000001}, UNWIND_CODE_SIGNAL, UNWIND_CODE_SIGNAL}, /* mov x8, #139; svc #0 */
    {{NOP, 0xaa0103e0, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED},
    {{0x94000002, NOP, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_OTHER},    /* bl */
    {{0xd63f0100, NOP, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_OTHER},    /* blr x8 */
    {{0xd73f0822, NOP, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_OTHER},    /* blraa x1, x2 */
    {{0xd63f083f, NOP, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_OTHER},    /* blraaz x1 */
    {{0xd61f0200, NOP, NOP}, UNWIND_CODE_OTHER, UNWIND_CODE_UNCALLED}, /* br x16 */
};

START_TEST(kinds_follow_the_table)
{
    uint8_t bytes[4 + sizeof kinds->words] = {0};
    memcpy(bytes + 4, kinds[_i].words, sizeof kinds->words);
    ck_assert_int_eq(unwind_judge_instruction(bytes + 8, false), kinds[_i].interrupted);
    ck_assert_int_eq(unwind_judge_return(bytes + 8, false), kinds[_i].returned);
}
END_TEST

START_TEST(direct_calls_tell_how_far)
{
    static const struct {
        uint32_t word;
        int32_t distance;
    } calls[] = {{0x94000002, 4}, {0x97ffffff, -8}, {0x94000000, -4}, {0x95ffffff, 0x7fffff8}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint32_t words[2] = {0, calls[i].word};
        int32_t distance;
        ck_assert_int_eq(unwind_judge_call((const uint8_t *)(words + 2), &distance), UNWIND_CALL_DIRECT);
        ck_assert_int_eq(distance, calls[i].distance);
    }
}
END_TEST

START_TEST(only_setting_the_stack_pointer_switches)
{
    static const uint32_t plain[] = {0xd10103ff, 0x910003bf, 0xd10043bf}, switching[] = {0xd10103ff, 0x9100013f};
    ck_assert(!unwind_code_switches_stack((const uint8_t *)plain, sizeof plain));
    ck_assert(unwind_code_switches_stack((const uint8_t *)switching, sizeof switching));
}
END_TEST

START_TEST(large_frames_are_no_other_stack)
{
    static const uint32_t large[] = {0xd10503f4, 0xa93ffa9d, 0x9100029f}, /* sub x20, sp, #320; stp; mov sp, x20 */
        huge[] = {0xd29c401b, 0xcb3b63f4, 0xa93ffa9d, 0x9100029f},        /* sub x20, sp, x27 */
        another[] = {0xd10503f4, 0xa93ffa9d, 0x9100009f};                 /* mov sp, x4 */
    ck_assert(!unwind_code_switches_stack((const uint8_t *)large, sizeof large));
    ck_assert(!unwind_code_switches_stack((const uint8_t *)huge, sizeof huge));
    ck_assert(unwind_code_switches_stack((const uint8_t *)another, sizeof another));
}
END_TEST

START_TEST(entries_of_the_plt_are_read)
{
    static const uint32_t slot[] = {0x90000130, 0xf9400611, 0x91002210, 0xd61f0220},
                          marked[] = {0xd503245f, 0xf0ffffd0, 0xf947fe11, 0x913fe210, 0xd61f0220}, other[4] = {NOP};
    struct arch_plt_slot decoded = arch_plt_slot_decode((const uint8_t *)slot, sizeof slot, 0x2450);
    ck_assert_int_eq(decoded.kind, ARCH_PLT_SLOT_JUMP);
    ck_assert_uint_eq(decoded.value, 0x26008);
    decoded = arch_plt_slot_decode((const uint8_t *)marked, sizeof marked, 0x12450);
    ck_assert_int_eq(decoded.kind, ARCH_PLT_SLOT_JUMP);
    ck_assert_uint_eq(decoded.value, 0xdff8);
    for (size_t size = 0; size < sizeof slot; size++)
        ck_assert_int_eq(arch_plt_slot_decode((const uint8_t *)slot, size, 0).kind, ARCH_PLT_SLOT_OTHER);
    ck_assert_int_eq(arch_plt_slot_decode((const uint8_t *)other, sizeof other, 0).kind, ARCH_PLT_SLOT_OTHER);
}
END_TEST

/* glibc's setitimer */
START_TEST(ends_of_functions_are_found)
{
    static const uint32_t code[] = {0x2a0003e0, 0xd2800ce8, 0xd4000001, 0xb140041f, 0x54000048, 0xd65f03c0};
    const uint8_t *bytes = (const uint8_t *)code;
    ck_assert_uint_eq(arch_call_tail(bytes, sizeof code), 12);
    ck_assert_uint_eq(arch_call_tail(bytes, 15), 0);
    ck_assert(arch_is_return(bytes + 20, 4));
    ck_assert(!arch_is_return(bytes + 20, 3));
    ck_assert(!arch_is_return(bytes, 4));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("unwind/arm64");
    UNIT_ADD_TABLE(tests, effects_follow_the_table, effects);
    tcase_add_test(tests, no_instruction_is_none);
    UNIT_ADD_TABLE(tests, kinds_follow_the_table, kinds);
    tcase_add_test(tests, direct_calls_tell_how_far);
    tcase_add_test(tests, only_setting_the_stack_pointer_switches);
    tcase_add_test(tests, large_frames_are_no_other_stack);
    tcase_add_test(tests, entries_of_the_plt_are_read);
    tcase_add_test(tests, ends_of_functions_are_found);
    return unit_end();
}
