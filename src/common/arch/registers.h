/* SPDX-License-Identifier: MIT
 *
 * The registers of a thread. A folder beside this file defines them for each architecture; arch/arch.h interprets
 * them. */
#ifndef ARCH_REGISTERS_H
#define ARCH_REGISTERS_H

#if defined __x86_64__ && !defined __ILP32__
#include "common/arch/x86_64/registers.h"
#elif defined __aarch64__ && !defined __ILP32__ && !defined __AARCH64EB__
#include "common/arch/arm64/registers.h"
#else
#error ptprofil does not know this architecture: doc/HOWTO.md says what it needs
#endif

#endif
