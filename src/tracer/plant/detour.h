/* SPDX-License-Identifier: MIT
 *
 * One detour (arch/detour.h) in the memory of a process, which may be running. FD: its memory, from
 * procfs_open_memory. Functions with an int result return 0 or -errno: -ESTALE if the memory has unexpected
 * contents, -EPERM if it cannot be written. */
#ifndef PLANT_DETOUR_H
#define PLANT_DETOUR_H

#include <stdbool.h>
#include <stdint.h>

struct detour;

/* Reads the bytes at DETOUR's address into DETOUR->original. The caller has set all other members, and the original
 * byte that a breakpoint replaces. NOW: the byte at the address, original or breakpoint. Returns -ENOTSUP if a jump and
 * a stub cannot be written there. */
int detour_look(int fd, struct detour *detour, uint8_t now);

/* Writes the stub over zeros. No thread enters it yet. */
int detour_prepare(int fd, const struct detour *detour);

/* detour_begin writes the jump, atomically, if its first byte is now NOW. detour_end removes it. */
int detour_begin(int fd, const struct detour *detour, uint8_t now);
int detour_end(int fd, const struct detour *detour);

/* Return true if the jump (or the stub) is there. */
bool detour_is_there(int fd, const struct detour *detour);
bool detour_has_stub(int fd, const struct detour *detour);

/* Overwrites the stub with zeros. No thread may be in it. Returns -EPERM, too, if the jump may still exist. */
int detour_wipe(int fd, const struct detour *detour);

/* Returns true if PC is in the stub. */
bool detour_has(const struct detour *detour, uint64_t pc);

#endif
