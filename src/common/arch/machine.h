/* SPDX-License-Identifier: MIT
 *
 * Numbers and instructions of the processor that ptprofil is built for. Each processor has a folder beside this
 * file. */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#if defined __x86_64__ && !defined __ILP32__
#include "common/arch/x86_64/machine.h"
#elif defined __aarch64__ && !defined __ILP32__ && !defined __AARCH64EB__
#include "common/arch/arm64/machine.h"
#else
#error ptprofil does not know this architecture: doc/HOWTO.md says what it needs
#endif

#endif
