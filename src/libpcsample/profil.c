/* SPDX-License-Identifier: MIT
 *
 * profil and sprofil for C libraries without them. */
#include <pcsample.h>

#include "libpcsample/gate.h"

int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
    return (int)pcsample_gate(GATE_PROFIL, (uintptr_t)buffer, size, offset, scale);
}

int sprofil(struct prof *regions, int count, struct timeval *interval, unsigned flags)
{
    return (int)pcsample_gate(GATE_SPROFIL, (uintptr_t)regions, (uint64_t)count, (uintptr_t)interval, flags);
}
