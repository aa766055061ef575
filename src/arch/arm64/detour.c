/* SPDX-License-Identifier: MIT
 *
 * None are made: a byte is planted. */
#include "arch/detour.h"

bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to)
{
    (void)bytes;
    (void)from;
    (void)to;
    return false;
}

bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail)
{
    (void)bytes;
    (void)address;
    (void)call;
    (void)entry;
    (void)tail;
    return false;
}
