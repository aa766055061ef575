/* SPDX-License-Identifier: MIT
 *
 * Debug files from servers. */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

/* Asks the servers that DEBUGINFOD_URLS names, if it is set and the client library of elfutils
 * (libdebuginfod) is there, for the debug file whose build-id are the SIZE bytes at ID. The library keeps
 * what it downloads in a cache of its own. Returns the path of the file there, which the caller frees, or
 * NULL. After a server that could not be reached, or was not waited for, nothing is asked any more in this
 * run. */
char *elf_debuginfod_find(const uint8_t *id, size_t size);

/* Whether the client library can be loaded: "installed", "not installed", or NULL, which no installing changes: it
 * cannot be loaded by a ptprofil that is linked statically. */
const char *elf_debuginfod_state(void);

#endif
