/* SPDX-License-Identifier: MIT
 *
 * Decodes arm64 instructions. Runs on any machine, as the decoder does not need an arm64 CPU. */
#include "common/arch/code.h"
#include "common/arch/decode.h"
#include "programs/unwind/instructions.h"

#include "fuzz.h"

enum { KEPT = 12, FARTHEST = 1 << 27 };

static void decode(const uint8_t *code, size_t size)
{
    struct arch_instruction instruction;
    if (!arch_decode(code, size, false, &instruction))
        return;
    FUZZ_EXPECT(size >= 4 && instruction.length == 4);
    FUZZ_EXPECT(instruction.kept >= -1 && instruction.kept < KEPT && instruction.second >= -1 &&
                instruction.second < KEPT);
    FUZZ_EXPECT(instruction.amount >= -FARTHEST - 4 && instruction.amount <= FARTHEST);
}

static void judge(const uint8_t *here)
{
    int32_t distance;
    enum unwind_code_kind kind = unwind_judge_return(here, false);
    unwind_judge_instruction(here, false);
    unwind_judge_call(here, &distance);
    FUZZ_EXPECT(kind == UNWIND_CODE_OTHER || kind == UNWIND_CODE_SIGNAL || kind == UNWIND_CODE_UNCALLED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t tail = arch_call_tail(data, size);
    FUZZ_EXPECT(tail <= size);
    arch_landing_mark(data, size);
    arch_is_return(data, size);
    unwind_code_switches_stack(data, size);
    for (size_t at = 0; at < size; at++) {
        decode(data + at, size - at);
        arch_plt_slot_decode(data + at, size - at, at);
        if (at >= UNWIND_BYTES_BEFORE && size - at >= UNWIND_BYTES_AFTER)
            judge(data + at);
    }
    return 0;
}
