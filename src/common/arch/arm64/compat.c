/* SPDX-License-Identifier: MIT
 *
 * 32-bit programs, which some of these processors run, are not supported. */
#include "common/arch/arch.h"
#include "common/arch/code.h"

void arch_registers_put(struct user_regs_struct *whole, const struct arch_registers *registers)
{
    (void)whole;
    (void)registers;
}

size_t arch_landing_mark_compat(const uint8_t *code, size_t size)
{
    (void)code;
    (void)size;
    return 0;
}

size_t arch_call_tail_compat(const uint8_t *code, size_t size)
{
    (void)code;
    (void)size;
    return 0;
}

bool arch_breakpoint_compat(const uint8_t *code, size_t size, uint8_t *byte)
{
    (void)code;
    (void)size;
    (void)byte;
    return false;
}

bool arch_arguments_stacked(const struct arch_registers *registers, uint64_t *address)
{
    (void)registers;
    (void)address;
    return false;
}

bool arch_find_site_compat(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site)
{
    (void)code;
    (void)size;
    (void)address;
    (void)site;
    return false;
}
