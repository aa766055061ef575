/* SPDX-License-Identifier: MIT
 *
 * A program without a C library, of a kind that the kernel runs and ptprofil does not know: x32, or 32-bit on arm64. It
 * uses the CPU for a while and ends with status 7. It is compiled by the test. */
#ifdef __x86_64__
static void leave(long status)
{
    __asm__ volatile("syscall" : : "a"(0x40000000 + 231), "D"(status)); /* exit_group of x32 */
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call begin\n");
#else
static void leave(long status)
{
    register long number __asm__("r7") = 248, argument __asm__("r0") = status;
    __asm__ volatile("svc #0" : : "r"(number), "r"(argument));
}
__asm__(".globl _start\n_start: bl begin\n");
#endif

void begin(void);
void begin(void)
{
    static volatile unsigned sum;
    for (unsigned i = 0; i < 100000000; i++)
        sum += i;
    leave(7);
}
