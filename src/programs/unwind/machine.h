/* SPDX-License-Identifier: MIT
 *
 * The architecture's part of unwinding, besides its instructions (decode.h, instructions.h). A folder beside this file
 * implements it for each architecture. */
#ifndef UNWIND_MACHINE_H
#define UNWIND_MACHINE_H

#if defined __x86_64__ && !defined __ILP32__
#include "programs/unwind/x86_64/registers.h"
#elif defined __aarch64__ && !defined __ILP32__ && !defined __AARCH64EB__
#include "programs/unwind/arm64/registers.h"
#else
#error ptprofil cannot unwind on this architecture: doc/HOWTO.md says what it needs
#endif

#include "programs/unwind/instructions.h"

#include <stdint.h>

/* The registers that a function preserves for its caller. The frame pointer is at UNWIND_KEPT_FP. */
extern const enum unwind_register unwind_kept[UNWIND_KEPT];

/* Returns the location of saved register NUMBER of code that a signal interrupted, in bytes above the stack pointer.
 * The handler has returned to code of KIND. Returns UNWIND_NO_PLACE if the kernel saves no such register. */
#define UNWIND_NO_PLACE UINT64_MAX
uint64_t unwind_signal_place(enum unwind_register number, enum unwind_code_kind kind);

/* Returns the register here for register NUMBER in the tables of a 32-bit program, or -1 if none exists. */
int unwind_compat_register(uint64_t number);

#endif
