/* SPDX-License-Identifier: MIT
 *
 * Debug files from servers. */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

/* Asks the servers in DEBUGINFOD_URLS for the debug file with the build-id of SIZE bytes at ID. Needs that variable
 * and libdebuginfod, the client library of elfutils. The library keeps downloads in its own cache. Returns the path
 * of the file there, which the caller frees, or NULL. If a server could not be reached, or the user did not wait for
 * it, all later calls in this run return NULL. */
char *elf_debuginfod_find(const uint8_t *id, size_t size);

/* Returns whether the client library can be loaded: "installed" or "not installed". Returns NULL if installing it would
 * not help: a statically linked ptprofil cannot load it. */
const char *elf_debuginfod_state(void);

#endif
