/* SPDX-License-Identifier: MIT
 *
 * A shared library that loader opens while it runs. */
#include "target.h"

#pragma GCC visibility push(default)
DEFINE_SPIN(plugin_work, 0xd01)

void plugin_call(void (*function)(void));
void plugin_call(void (*function)(void))
{
    function();
    __asm__ volatile(""); /* a call, not a jump */
}
#pragma GCC visibility pop
