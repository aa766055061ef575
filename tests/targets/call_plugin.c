/* SPDX-License-Identifier: MIT
 *
 * A shared library that calls the C library's profil, or with OWN_PROFIL defined its own. */
#include <errno.h>
#include <stddef.h>
#include <sys/profil.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

#ifdef OWN_PROFIL
enum { RETURNED_BY_OWN = 4711 };

EXPORTED int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
    (void)buffer, (void)size, (void)offset, (void)scale;
    errno = ENOTTY;
    return RETURNED_BY_OWN;
}
#endif

/* Calls profil with a scale that FreeBSD refuses and the C library does not. Returns the result. */
EXPORTED int plugin_profil(unsigned short *cells, size_t size, unsigned scale);
EXPORTED int plugin_profil(unsigned short *cells, size_t size, unsigned scale)
{
    return profil(cells, size, (size_t)plugin_profil, scale);
}
