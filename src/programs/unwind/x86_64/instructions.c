/* SPDX-License-Identifier: MIT
 *
 * Finds the return address from x86 instructions. */
#include "programs/unwind/instructions.h"

#include "common/arch/code.h"

#include <string.h>

static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};                          /* endbr64 */
static const uint8_t signal_return[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}; /* mov $15,%rax; syscall */
static const uint8_t set_frame[] = {0x48, 0x89, 0xe5};                              /* mov %rsp,%rbp */
static const uint8_t set_frame_too[] = {0x48, 0x8b, 0xec};                          /* the same */
static const uint8_t repeated_return[] = {0xf3, 0xc3};                              /* rep ret */
static const uint8_t push_memory[] = {0xff, 0x35};                                  /* push displacement(%rip) */
static const uint8_t bound_jump[] = {0xf2, 0xe9};                                   /* bnd jmp */

enum {
    PUSH_FRAME = 0x55,
    PUSH_NUMBER = 0x68,
    PUSH_NUMBER_LENGTH = 5,
    PUSH_MEMORY_LENGTH = 6,
    RETURN = 0xc3,
    RETURN_SOME = 0xc2,
    JUMP = 0xe9,
    CALL = 0xe8,
    CALL_LENGTH = 5,
    LOAD_LENGTH = 7,
    INDIRECT = 0xff,
    BREAKPOINT = 0xcc,
};
static const uint8_t capture[] = {0xf3, 0x90, 0x0f, 0xae, 0xe8, 0xeb}; /* pause; lfence; jmp */
static const uint8_t load_target[] = {0x4c, 0x8b, 0x1d};               /* mov displacement(%rip),%r11 */

#define STANDS(at, pattern) (memcmp(at, pattern, sizeof(pattern)) == 0)

static const uint8_t landing_compat[] = {0xf3, 0x0f, 0x1e, 0xfb};                   /* endbr32 */
static const uint8_t signal_return_compat[] = {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80};    /* mov $173,%eax; int $0x80 */
static const uint8_t signal_return_old[] = {0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}; /* pop %eax; mov $119; int */
static const uint8_t set_frame_compat[] = {0x89, 0xe5};                             /* mov %esp,%ebp */
static const uint8_t set_frame_compat_too[] = {0x8b, 0xec};                         /* the same */
static const uint8_t push_memory_by_ebx[] = {0xff, 0xb3};                           /* push displacement(%ebx) */

/* Judges an entry of the procedure linkage table for the dynamic linker: its second half, or the common entry. */
static enum unwind_code_kind judge_lazy(const uint8_t *here, bool is_jump)
{
    const uint8_t *before = here - PUSH_MEMORY_LENGTH;
    if (STANDS(here, push_memory) || STANDS(here, push_memory_by_ebx))
        return UNWIND_CODE_PUSHED;
    if ((STANDS(before, push_memory) || STANDS(before, push_memory_by_ebx)) && is_jump)
        return UNWIND_CODE_PUSHED_TWICE;
    if (here[-PUSH_NUMBER_LENGTH] == PUSH_NUMBER && (*here == JUMP || STANDS(here, bound_jump)))
        return UNWIND_CODE_PUSHED;
    return UNWIND_CODE_OTHER;
}

/* Returns the length of the instruction at CODE if it replaces the return address (mov %REGISTER,(%rsp)). Otherwise
 * returns 0. */
static int replacement_length(const uint8_t *code, bool compat)
{
    int prefix = !compat && (*code == 0x48 || *code == 0x4c);
    return (compat || prefix) && code[prefix] == 0x89 && (code[prefix + 1] & 0xc7) == 4 && code[prefix + 2] == 0x24
               ? prefix + 3
               : 0;
}

/* A retpoline jumps to the address in a register by a return instruction. It calls its second part, which replaces that
 * call's return address. The caller's return address lies above it. */
static enum unwind_code_kind judge_retpoline(const uint8_t *here, bool compat)
{
    const int length = compat ? 3 : 4, replacing = replacement_length(here, compat);
    if (replacing ? here[replacing] == RETURN : *here == RETURN && replacement_length(here - length, compat))
        return UNWIND_CODE_REPLACED;
    if (*here == CALL && STANDS(here + CALL_LENGTH, capture))
        return UNWIND_CODE_CAPTURING;
    return UNWIND_CODE_OTHER;
}

/* Returns true if HERE is after the first instruction of an entry of the PLT that uses a retpoline. */
static bool is_in_retpoline_slot(const uint8_t *here)
{
    return STANDS(here - LOAD_LENGTH, load_target) &&
           ((*here == CALL && here[CALL_LENGTH] == JUMP) || (*here == JUMP && here[CALL_LENGTH] == BREAKPOINT));
}

static enum unwind_code_kind judge_signal_return(const uint8_t *here, bool compat)
{
    if (!compat)
        return STANDS(here, signal_return) ? UNWIND_CODE_SIGNAL : UNWIND_CODE_OTHER;
    if (STANDS(here, signal_return_old))
        return UNWIND_CODE_SIGNAL_OLD;
    return STANDS(here, signal_return_compat) ? UNWIND_CODE_SIGNAL_COMPAT : UNWIND_CODE_OTHER;
}

static enum unwind_code_kind judge_compat(const uint8_t *here)
{
    enum unwind_code_kind retpoline = judge_retpoline(here, true);
    if (retpoline != UNWIND_CODE_OTHER)
        return retpoline;
    struct arch_plt_slot slot = arch_plt_slot_decode_compat(here, UNWIND_BYTES_AFTER, 0);
    enum unwind_code_kind lazy = judge_lazy(here, slot.kind == ARCH_PLT_SLOT_JUMP),
                          signal = judge_signal_return(here, true);
    if (lazy != UNWIND_CODE_OTHER || signal != UNWIND_CODE_OTHER)
        return signal != UNWIND_CODE_OTHER ? signal : lazy;
    if (here[STANDS(here, landing_compat) ? sizeof landing_compat : 0] == PUSH_FRAME || *here == RETURN ||
        *here == RETURN_SOME || STANDS(here, repeated_return) || slot.kind == ARCH_PLT_SLOT_JUMP)
        return UNWIND_CODE_ENTERED;
    if (here[-1] == PUSH_FRAME && (STANDS(here, set_frame_compat) || STANDS(here, set_frame_compat_too)))
        return UNWIND_CODE_PUSHED_FRAME;
    return UNWIND_CODE_OTHER;
}

enum unwind_code_kind unwind_judge_instruction(const uint8_t *here, bool compat)
{
    if (compat)
        return judge_compat(here);
    struct arch_plt_slot slot = arch_plt_slot_decode(here, UNWIND_BYTES_AFTER, 0);
    enum unwind_code_kind lazy = judge_lazy(here, slot.kind == ARCH_PLT_SLOT_JUMP),
                          retpoline = judge_retpoline(here, false);
    if (judge_signal_return(here, false) != UNWIND_CODE_OTHER)
        return UNWIND_CODE_SIGNAL;
    if (retpoline != UNWIND_CODE_OTHER)
        return retpoline;
    if (lazy != UNWIND_CODE_OTHER)
        return lazy;
    if (here[STANDS(here, landing) ? sizeof landing : 0] == PUSH_FRAME || *here == RETURN || *here == RETURN_SOME ||
        STANDS(here, repeated_return) || slot.kind != ARCH_PLT_SLOT_OTHER || is_in_retpoline_slot(here))
        return UNWIND_CODE_ENTERED;
    if (here[-1] == PUSH_FRAME && (STANDS(here, set_frame) || STANDS(here, set_frame_too)))
        return UNWIND_CODE_PUSHED_FRAME;
    return UNWIND_CODE_OTHER;
}

/* Returns true if the LENGTH bytes at CODE, at least 2, are one call through a register or through memory. */
static bool is_indirect_call(const uint8_t *code, int length)
{
    enum { CALL_NUMBER = 2, REGISTER = 3, WITH_INDEX = 4, NO_BASE = 5 };
    int mode = code[1] >> 6, base = code[1] & 7, needed = 2;
    if (*code != INDIRECT || (code[1] >> 3 & 7) != CALL_NUMBER)
        return false;
    if (mode != REGISTER && base == WITH_INDEX) {
        base = length > needed ? code[needed] & 7 : 0;
        needed++;
    }
    if (mode == 1)
        needed++;
    else if (mode == 2 || (mode == 0 && base == NO_BASE))
        needed += 4;
    return needed == length;
}

enum unwind_call_kind unwind_judge_call(const uint8_t *end, int32_t *distance)
{
    memcpy(distance, end - sizeof *distance, sizeof *distance);
    if (end[-CALL_LENGTH] == CALL)
        return UNWIND_CALL_DIRECT;
    for (int length = 2; length <= UNWIND_BYTES_BEFORE; length++)
        if (is_indirect_call(end - length, length))
            return UNWIND_CALL_INDIRECT;
    return UNWIND_CALL_NONE;
}

enum unwind_code_kind unwind_judge_return(const uint8_t *here, bool compat)
{
    int32_t distance;
    enum unwind_code_kind signal = judge_signal_return(here, compat);
    if (signal != UNWIND_CODE_OTHER)
        return signal;
    return unwind_judge_call(here, &distance) == UNWIND_CALL_NONE ? UNWIND_CODE_UNCALLED : UNWIND_CODE_OTHER;
}

bool unwind_code_switches_stack(const uint8_t *code, size_t size)
{
    enum { SP = 4, FRAME = 5, STORE = 0x89, LOAD = 0x8b, ADDRESS_OF = 0x8d };

    for (size_t i = 0; i + 3 <= size; i++) {
        /* REX.W, with the fourth bits of the two registers that follow */
        bool high_first = code[i] & 4, high_second = code[i] & 1;
        int first = code[i + 2] >> 3 & 7, second = code[i + 2] & 7;
        bool is_register = code[i + 2] >> 6 == 3;
        bool from_frame = second == FRAME && !high_second;

        if ((code[i] & 0xf8) != 0x48)
            continue;
        if (code[i + 1] == STORE && is_register && second == SP && !high_second && (first != FRAME || high_first))
            return true;
        if (first != SP || high_first)
            continue;
        if (code[i + 1] == LOAD && !(is_register && from_frame))
            return true;
        if (code[i + 1] == ADDRESS_OF && second != SP && !from_frame)
            return true;
    }
    return false;
}
