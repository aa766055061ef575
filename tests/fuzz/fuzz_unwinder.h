/* SPDX-License-Identifier: MIT
 *
 * One unwinder serves many inputs, because creating one takes longer than most inputs. Inputs stay independent: an
 * unwinder caches data by object, and each input makes its own objects. */
#ifndef FUZZ_UNWINDER_H
#define FUZZ_UNWINDER_H

#include "programs/unwind/unwind.h"

#include "fuzz.h"
#include "programs/elf/inflate.h"

/* Returns an unwinder for MODE. Without libunwind, it uses frame pointers. The next call may free
 * it. */
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
        kept[mode].unwinder = unwind_new(mode, elf_inflate_debug_frame);
        FUZZ_EXPECT(kept[mode].unwinder);
    }
    return kept[mode].unwinder;
}

#endif
