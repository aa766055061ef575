/* SPDX-License-Identifier: MIT
 *
 * Deep stacks, all different, of mostly inlined calls. For 300 milliseconds of CPU time, a function calls itself at
 * random from addresses that are ten inlined calls deep. */
#include "target.h"

enum { DEPTH = 200, ROUNDS = 20000 };

DEFINE_SPIN(spin, 0x3d)

static uint64_t fall(unsigned depth);

#define LAYER(name, below)                                                                                             \
    static inline __attribute__((always_inline)) uint64_t name(unsigned depth)                                         \
    {                                                                                                                  \
        uint64_t result = below(depth);                                                                                \
        __asm__ volatile("" ::: "memory"); /* so that the call is not a jump */                                        \
        return result + 1;                                                                                             \
    }
LAYER(layer_0, fall)
LAYER(layer_1, layer_0)
LAYER(layer_2, layer_1)
LAYER(layer_3, layer_2)
LAYER(layer_4, layer_3)
LAYER(layer_5, layer_4)
LAYER(layer_6, layer_5)
LAYER(layer_7, layer_6)
LAYER(layer_8, layer_7)
LAYER(layer_9, layer_8)

__attribute__((noinline, noclone)) static uint64_t fall(unsigned depth)
{
    if (!depth)
        return spin(ROUNDS);
    return random_bit() ? layer_9(depth - 1) : layer_8(depth - 1) + 1;
}

int main(void)
{
    while (thread_cpu_ns() < 300 * MILLISECOND_NS)
        fall(DEPTH);
    return 0;
}
