/* SPDX-License-Identifier: MIT
 *
 * Unwinders are large, and making one takes longer than most inputs. What they keep is of objects, and each
 * input has its own: so one serves many inputs. */
#ifndef FUZZ_UNWINDER_H
#define FUZZ_UNWINDER_H

#include "unwind/unwind.h"

#include "fuzz.h"

/* The one for MODE, or without libunwind for the only one that there is; the next call may free it. */
static inline struct unwinder *fuzz_unwinder(enum unwind_mode mode)
{
    static struct {
        struct unwinder *unwinder;
        unsigned uses;
    } kept[UNWIND_FRAME_POINTERS + 1];

    if (!unwind_has_dwarf())
        mode = UNWIND_FRAME_POINTERS;
    if (kept[mode].uses++ % 1000 == 0) {
        unwind_free(kept[mode].unwinder);
        kept[mode].unwinder = unwind_new(mode);
        FUZZ_EXPECT(kept[mode].unwinder);
    }
    return kept[mode].unwinder;
}

#endif
