/* SPDX-License-Identifier: MIT
 *
 * Disassembles machine code with objdump. The code comes from a stranger's file, and objdump is not made for such
 * files. So it gets only the bytes of the code, in a process with limits on its memory and time. */
#ifndef CODE_DISASSEMBLY_H
#define CODE_DISASSEMBLY_H

#include "common/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define DISASSEMBLY_MOST_BYTES (1 << 20) /* of code */

struct disassembly_line {
    uint64_t address;
    size_t text; /* offset in texts: an instruction in AT&T syntax, as objdump prints it */
};

/* Zero it before the first use. */
struct disassembly {
    struct disassembly_line *items; /* by rising address */
    size_t count, room;
    struct buffer texts;
};

void disassembly_fini(struct disassembly *disassembly);

/* Adds the x86-64 instructions in the SIZE bytes at BYTES, which are loaded at ADDRESS. Returns 0, or -errno with
 * ERROR set: -ENOENT objdump is not in PATH, -E2BIG SIZE exceeds DISASSEMBLY_MOST_BYTES, -ETIMEDOUT, -EIO objdump
 * failed, -ENOMEM. */
int disassembly_make(struct disassembly *disassembly, const void *bytes, size_t size, uint64_t address,
                     struct error *error);

/* Adds the instructions from START to END in TEXT, objdump's output, which ends with a 0. Skips lines that are not
 * instructions. Returns false if memory runs out. */
bool disassembly_read(struct disassembly *disassembly, const char *text, uint64_t start, uint64_t end);

#endif
