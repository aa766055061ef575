/* SPDX-License-Identifier: MIT
 *
 * For harnesses that make profiles: starts no process for names, which would take most of the time. */
#ifndef FUZZ_NO_NAMES_H
#define FUZZ_NO_NAMES_H

#include "front/naming/name_server.h"

#include <errno.h>

int __wrap_name_server_start(struct name_server *server, uint64_t most_bytes, bool in_background);
int __wrap_name_server_start(struct name_server *server, uint64_t most_bytes, bool in_background)
{
    (void)most_bytes;
    (void)in_background;
    *server = (struct name_server)NAME_SERVER_NONE;
    return -ENOSYS;
}

#endif
