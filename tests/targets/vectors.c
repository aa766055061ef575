/* SPDX-License-Identifier: MIT
 *
 * Vector registers: all of arm64's SVE, or NEON if the processor has no SVE, and SME's matrix. They are filled, and
 * compared after a loop that only changes a counter: a stop must not change them. Prints which were checked. Status
 * 77 on other processors. */
#include "target.h"

#ifdef __aarch64__
#include <asm/hwcap.h>
#include <sys/auxv.h>

enum { REGISTERS = 32, PREDICATES = 16, LARGEST = 256 /* bytes */, TURNS = 3000000 };

#ifndef HWCAP2_SME
#define HWCAP2_SME (1 << 23)
#endif

#define ALL(one)                                                                                                       \
    one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) one(8) one(9) one(10) one(11) one(12) one(13) one(14)      \
        one(15) one(16) one(17) one(18) one(19) one(20) one(21) one(22) one(23) one(24) one(25) one(26) one(27)        \
            one(28) one(29) one(30) one(31)
#define FIRST(one)                                                                                                     \
    one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) one(8) one(9) one(10) one(11) one(12) one(13) one(14)      \
        one(15)
#define CLOBBERED(n) "v" #n,
#define WAIT "1: subs %[turns], %[turns], #1\n b.ne 1b\n"

static unsigned char registers[REGISTERS * LARGEST], predicates[PREDICATES * LARGEST / 8];

/* Byte I of vector N is N + 3 I. Predicate N has only the first element of that size set. */
static void keep_sve(unsigned long turns)
{
#define FILL_LOW(n) "mov w9, #" #n "\n mov w10, #3\n index z" #n ".b, w9, w10\n"
#define STORE(n) "str z" #n ", [%[registers], #" #n ", mul vl]\n"
#define STORE_PREDICATE(n) "str p" #n ", [%[predicates], #" #n ", mul vl]\n"
    __asm__ volatile(
        ".arch armv8.2-a+sve\n" ALL(FILL_LOW) "ptrue p0.b\n ptrue p1.b, vl1\n ptrue p2.b, vl2\n"
                                              "ptrue p3.b, vl3\n ptrue p4.b, vl4\n ptrue p15.b, vl5\n" WAIT ALL(STORE)
                                                  FIRST(STORE_PREDICATE)
        : [turns] "+r"(turns)
        : [registers] "r"(registers), [predicates] "r"(predicates)
        : ALL(CLOBBERED) "w9", "w10", "memory", "cc");
}

static void keep_neon(unsigned long turns)
{
#define LOAD_Q(n) "ldr q" #n ", [%[registers], #16 * " #n "]\n"
#define STORE_Q(n) "str q" #n ", [%[registers], #16 * " #n "]\n"
    __asm__ volatile(ALL(LOAD_Q) WAIT "mov x9, #0\n 2: strb wzr, [%[registers], x9]\n add x9, x9, #1\n cmp x9, #512\n"
                                      "b.ne 2b\n" ALL(STORE_Q)
                     : [turns] "+r"(turns)
                     : [registers] "r"(registers)
                     : ALL(CLOBBERED) "x9", "memory", "cc");
}

static void look(size_t length)
{
    for (size_t n = 0; n < REGISTERS; n++)
        for (size_t i = 0; i < length; i++)
            if (registers[n * length + i] != (unsigned char)(n + 3 * i))
                die("byte %zu of vector %zu has changed: %u", i, n, registers[n * length + i]);
}

static size_t sve_length(void)
{
    size_t length;
    __asm__ volatile(".arch armv8.2-a+sve\n cntb %0\n" : "=r"(length));
    return length;
}

static void look_at_predicates(size_t length)
{
    static const unsigned set[PREDICATES] = {[1] = 1, [2] = 2, [3] = 3, [4] = 4, [15] = 5};
    for (size_t n = 1; n < PREDICATES; n++)
        if (set[n] && predicates[n * length / 8] != (1u << set[n]) - 1)
            die("predicate %zu has changed: %u", n, predicates[n * length / 8]);
}

/* One row of the matrix. */
static void keep_matrix(unsigned long turns)
{
    __asm__ volatile(".arch armv9-a+sme\n smstart za\n mov w12, #0\n ldr za[w12, 0], [%[registers]]\n" WAIT
                     "add x9, %[registers], #256\n str za[w12, 0], [x9]\n smstop za\n"
                     : [turns] "+r"(turns)
                     : [registers] "r"(registers)
                     : "x9", "x12", "memory", "cc");
}

static size_t matrix_length(void)
{
    size_t length;
    __asm__ volatile(".arch armv9-a+sme\n rdsvl %0, #1\n" : "=r"(length));
    return length;
}

int main(void)
{
    bool sve = getauxval(AT_HWCAP) & HWCAP_SVE, matrix = getauxval(AT_HWCAP2) & HWCAP2_SME;
    size_t length = sve ? sve_length() : 16;
    CHECK(length <= LARGEST);
    for (int round = 0; round < 10; round++) {
        for (size_t at = 0; at < REGISTERS * length; at++)
            registers[at] = sve ? 0 : (unsigned char)(at / length + 3 * (at % length));
        sve ? keep_sve(TURNS) : keep_neon(TURNS);
        look(length);
        if (sve)
            look_at_predicates(length);
        if (!matrix)
            continue;
        size_t row = matrix_length();
        CHECK(row <= LARGEST);
        for (size_t i = 0; i < row; i++)
            registers[i] = (unsigned char)(7 * i + 1);
        keep_matrix(TURNS);
        for (size_t i = 0; i < row; i++)
            if (registers[LARGEST + i] != registers[i])
                die("byte %zu of the matrix has changed", i);
    }
    printf("vectors of %zu bytes%s\n", length, matrix ? ", and a matrix" : "");
    return 0;
}
#else
int main(void)
{
    return 77;
}
#endif
