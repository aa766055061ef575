/* SPDX-License-Identifier: MIT
 *
 * Names and lines for code_read, from a name server. */
#ifndef NAMING_CODE_NAMES_H
#define NAMING_CODE_NAMES_H

#include "profile/code/code.h"

struct name_server;

/* Returns what code_read needs. It uses SERVER, and starts it at the first question if
 * it does not run. */
struct code_names code_names_of(struct name_server *server);

#endif
