/* SPDX-License-Identifier: MIT
 *
 * A library that claims to be the dynamic linker, with code at addresses that are very far apart. */
__attribute__((visibility("default"))) void _dl_debug_state(void);
void _dl_debug_state(void)
{
    __asm__ volatile("");
}

__attribute__((section(".far"), visibility("default"))) void far_away(void);
void far_away(void)
{
    __asm__ volatile("");
}
