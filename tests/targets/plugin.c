/* SPDX-License-Identifier: MIT
 *
 * A shared library that loader opens while it runs. */
#include "target.h"

#pragma GCC visibility push(default)
DEFINE_SPIN(plugin_work, 0xd01)
#pragma GCC visibility pop
