/* SPDX-License-Identifier: MIT
 *
 * Replaces dwarf.c in a build without libunwind. */
#include "programs/unwind/walk.h"

bool unwind_has_dwarf(void)
{
    return false;
}

const char *unwind_version(void)
{
    return NULL;
}

struct unwind_dwarf *unwind_dwarf_new(void)
{
    return NULL;
}

void unwind_dwarf_free(struct unwind_dwarf *dwarf)
{
    (void)dwarf;
}

void unwind_dwarf_forget(struct unwind_dwarf *dwarf, const struct unwind_object *object)
{
    (void)dwarf;
    (void)object;
}

void unwind_dwarf_begin(struct unwind_dwarf *dwarf)
{
    (void)dwarf;
}

enum unwind_step unwind_dwarf_step(struct unwind_dwarf *dwarf, struct unwind_walk *walk)
{
    (void)dwarf;
    (void)walk;
    return UNWIND_STEP_NONE;
}
