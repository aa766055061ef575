/* SPDX-License-Identifier: MIT
 *
 * One detour (arch/detour.h) in the memory of a process, which may run meanwhile. FD: that memory, as
 * procfs_open_memory gives it. All that return int return 0 or -errno: -ESTALE if something else is there than is
 * expected, -EPERM if it cannot be written. */
#ifndef PLANT_DETOUR_H
#define PLANT_DETOUR_H

#include "wire/rescue_notes.h"

#include <stdbool.h>

/* Sets the rest of DETOUR->original, the only thing of it that is not set, but for the byte in whose place a breakpoint
 * comes. NOW: what is there, that byte or the breakpoint. -ENOTSUP if a jump and a stub cannot be written there. */
int detour_look(int fd, struct detour *detour, uint8_t now);

/* Writes the stub, where nothing but zeros may be: nobody comes to it yet. */
int detour_prepare(int fd, const struct detour *detour);

/* Writes the jump, at once, where that byte is NOW; takes it back. */
int detour_begin(int fd, const struct detour *detour, uint8_t now);
int detour_end(int fd, const struct detour *detour);

/* True if the jump is there; the stub. */
bool detour_is_there(int fd, const struct detour *detour);
bool detour_has_stub(int fd, const struct detour *detour);

/* Puts zeros where the stub is, in which nobody may be. -EPERM, too, if the jump is not known to be gone. */
int detour_wipe(int fd, const struct detour *detour);

/* True if PC is in the stub. */
bool detour_has(const struct detour *detour, uint64_t pc);

#endif
