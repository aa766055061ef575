/* SPDX-License-Identifier: MIT
 *
 * A 32-bit program without a library: it works, writes a line, and ends with status 43 when it gets an answer. Built
 * by the test that uses it, with -m32 -nostdlib -static. */
static long call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
    return result;
}

void _start(void)
{
    static const char text[] = "from 32 bits\n";
    for (volatile long i = 0; i < 100000000; i++)
        ;
    call(4, 1, (long)text, sizeof text - 1);
    call(3, 0, (long)&(char){0}, 1);
    call(1, 43, 0, 0);
    __builtin_unreachable();
}
