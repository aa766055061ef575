/* SPDX-License-Identifier: MIT
 *
 * For test_arch_detour.c: arm64's instructions and registers. */
#ifndef DETOUR_ARM64_H
#define DETOUR_ARM64_H

enum { REACH_BEHIND = 0 };
#define REACH INT64_C(0x7fffffc)
#define REACH_BACK INT64_C(0x8000000)
enum { REACH_STEP = 4 };

/* add x0, x0, x1; add x0, x0, x2; add x0, x0, w3, uxtw; ret */
static const uint32_t function[] = {0x8b010000, 0x8b020000, 0x8b234000, 0xd65f03c0};
static const uint32_t tail[] = {0xd65f03c0};

/* The first instructions of functions, and the result of a copy at another address; 0: they cannot be moved. */
static const struct {
    uint32_t code[8];
    long result;
} heads[] = {
    {{0xaa0103e0, 0xd65f03c0}, 20},                          /* mov x0, x1 */
    {{0xd503233f, 0xd50323bf, 0xaa0203e0, 0xd65f03c0}, 300}, /* paciasp; autiasp; mov x0, x2 */
    {{0xd65f03c0}, 1},                                       /* ret */
    {{0x14000001, 0xd65f03c0}, 0},                           /* b */
    {{0x94000001, 0xd65f03c0}, 0},                           /* bl */
    {{0x54000020, 0xd65f03c0}, 0},                           /* b.eq */
    {{0xb4000020, 0xd65f03c0}, 0},                           /* cbz */
    {{0x36000020, 0xd65f03c0}, 0},                           /* tbz */
    {{0x10000000, 0xd65f03c0}, 0},                           /* adr */
    {{0x90000000, 0xd65f03c0}, 0},                           /* adrp */
    {{0x58000040, 0xd65f03c0}, 0},                           /* ldr, PC-relative */
};

/* See detour_x86_64.h. */
long call_marked(const void *at, uint64_t kept[4]);
__asm__(
    "call_marked:\n"
    "    stp x29, x30, [sp, #-64]!\n    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n    str x1, [sp, #48]\n"
    "    mov x9, x0\n"
    "    mov x0, #1\n    mov x1, #20\n    mov x2, #300\n    mov x3, #4000\n"
    "    mov x19, #11\n    mov x20, #12\n    mov x21, #13\n    mov x22, #14\n"
    "    blr x9\n"
    "    ldr x9, [sp, #48]\n    stp x19, x20, [x9]\n    stp x21, x22, [x9, #16]\n"
    "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n    ldp x29, x30, [sp], #64\n    ret\n");

#endif
