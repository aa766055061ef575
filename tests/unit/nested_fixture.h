/* SPDX-License-Identifier: MIT
 *
 * A C program whose lines and inlined calls tests look for. */
#ifndef NESTED_FIXTURE_H
#define NESTED_FIXTURE_H

#include "elf_fixtures.h"

/* Nested calls, all inlined into main(). */
static const char nested_c[] = "volatile int sink;\n"
                               "static inline __attribute__((always_inline)) int innermost(int x)\n"
                               "{\n"
                               "    for (int i = 0; i < x; i++)\n"
                               "        sink += i * x;\n"
                               "    return sink;\n"
                               "}\n"
                               "static inline __attribute__((always_inline)) int middle(int x)\n"
                               "{\n"
                               "    int y = innermost(x + 1);\n"
                               "    if (y > 3) {\n"
                               "        int z = y * 2;\n"
                               "        y += innermost(z);\n"
                               "    }\n"
                               "    return y;\n"
                               "}\n"
                               "#include \"other.h\"\n"
                               "__attribute__((noinline)) int alone(int x)\n"
                               "{\n"
                               "    return sink + x;\n"
                               "}\n"
                               "int main(int argc, char **argv)\n"
                               "{\n"
                               "    (void)argv;\n"
                               "    return middle(argc) + from_header(argc) + alone(argc);\n"
                               "}\n";

static const char other_h[] = "static inline __attribute__((always_inline)) int from_header(int x)\n"
                              "{\n"
                              "    sink = x;\n"
                              "    return middle(x) - 1;\n"
                              "}\n";

/* Writes the sources nested.c and other.h. */
static inline void nested_write(void)
{
    fixture_write("nested.c", nested_c, sizeof nested_c - 1);
    fixture_write("other.h", other_h, sizeof other_h - 1);
}

#endif
