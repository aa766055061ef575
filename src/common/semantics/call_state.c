/* SPDX-License-Identifier: MIT */
#include "common/semantics/call_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>

enum { HIGHEST_SCALE = 65536, PROFIL_WIDTH = 2 };

void call_state_fini(struct call_state *state)
{
    free(state->regions);
    memset(state, 0, sizeof *state);
}

/* Ends sampling. The PCs that pcsample has stored must still be reported. */
static void turn_off(struct call_state *state)
{
    uint64_t stored = state->stored;
    call_state_fini(state);
    state->stored = stored;
}

/* Replaces the present request. COUNT may be 0: then nothing counts. */
static int replace(struct call_state *state, enum call_kind kind, const struct histogram *regions, size_t count,
                   unsigned width, uint64_t now_ticks)
{
    struct call_state next = {.kind = kind, .width = width, .region_count = count, .billed_ticks = now_ticks};
    if (count) {
        next.regions = malloc(count * sizeof *regions);
        if (!next.regions)
            return -ENOMEM;
        memcpy(next.regions, regions, count * sizeof *regions);
    }
    call_state_fini(state);
    *state = next;
    return 0;
}

static int replace_by_nothing(struct call_state *state, uint64_t now_ticks)
{
    return replace(state, CALL_NONE, NULL, 0, 0, now_ticks);
}

bool call_state_active(const struct call_state *state)
{
    return state->kind == CALL_PCSAMPLE ? state->stored < state->room : state->kind != CALL_NONE;
}

static bool profil_refused(const struct semantics *semantics, const struct histogram *wanted)
{
    int rule = semantics_value(semantics, RULE_PROFIL_VALIDATION);
    return rule == VALIDATE_REFUSE_ALL || (rule == VALIDATE_SCALE && wanted->scale > HIGHEST_SCALE);
}

static bool profil_disables(const struct semantics *semantics, const struct histogram *wanted)
{
    switch ((enum rule_disable)semantics_value(semantics, RULE_PROFIL_DISABLE)) {
    case DISABLE_SCALE_0:
        return wanted->scale == 0;
    case DISABLE_SCALE_0_OR_1:
        return wanted->scale <= 1;
    case DISABLE_NULL_BUFFER:
        break;
    }
    return wanted->buffer == 0;
}

bool call_profil_checks_buffer(const struct semantics *semantics, const struct histogram *wanted)
{
    return semantics_value(semantics, RULE_PROFIL_BAD_BUFFER) == BAD_BUFFER_REFUSED && wanted->size != 0 &&
           !profil_refused(semantics, wanted) && !profil_disables(semantics, wanted);
}

/* Returns true if a call cannot end the profiling that STATE has: in the C library, profil and sprofil do not know of
 * each other. */
static bool is_not_its_own(const struct call_state *state, const struct semantics *semantics, enum call_kind other)
{
    return state->kind == other &&
           (other == CALL_SPROFIL ? semantics_value(semantics, RULE_PROFIL_DISABLE) == DISABLE_NULL_BUFFER
                                  : semantics_value(semantics, RULE_SPROFIL_NO_REGION) == NO_REGION_KEEPS_PROFIL);
}

int call_profil(struct call_state *state, const struct semantics *semantics, const struct histogram *wanted,
                bool buffer_bad, uint64_t now_ticks)
{
    if (profil_refused(semantics, wanted))
        return -EINVAL;
    if (profil_disables(semantics, wanted))
        return is_not_its_own(state, semantics, CALL_SPROFIL) ? 0 : replace_by_nothing(state, now_ticks);
    if (buffer_bad && call_profil_checks_buffer(semantics, wanted)) {
        if (state->kind != CALL_PCSAMPLE) /* this call cannot end pcsample */
            turn_off(state);
        return -EFAULT;
    }
    return replace(state, CALL_PROFIL, wanted, 1, PROFIL_WIDTH, now_ticks);
}

/* Returns the result of sprofil if it does not depend on the regions, or 1 if it does. */
static int sprofil_without_regions(const struct call_state *state, const struct semantics *semantics, int count)
{
    if (semantics_value(semantics, RULE_SPROFIL) == SPROFIL_NONE)
        return -ENOSYS;
    if (state->kind == CALL_SPROFIL && semantics_value(semantics, RULE_SPROFIL_REPEATED) == REPEATED_DISABLES)
        return 0;
    if (semantics_value(semantics, RULE_SPROFIL_LIMIT) == LIMIT_100)
        return count < 0 || count > 100 ? -E2BIG : count > 0;
    return count > CALL_MOST_REGIONS ? -ENOMEM : count > 0;
}

bool call_sprofil_reads(const struct call_state *state, const struct semantics *semantics, int count)
{
    return sprofil_without_regions(state, semantics, count) == 1;
}

bool call_sprofil_writes_first(const struct semantics *semantics)
{
    return semantics_value(semantics, RULE_SPROFIL_INTERVAL) == INTERVAL_ALWAYS;
}

static int check_regions(const struct semantics *semantics, const struct histogram *regions, size_t count)
{
    if (!regions)
        return -EFAULT;
    if (semantics_value(semantics, RULE_SPROFIL_OVERFLOW_ELSEWHERE) == OVERFLOW_ELSEWHERE_REFUSED)
        for (size_t i = 0; i + 1 < count; i++)
            if (histogram_is_overflow(&regions[i]))
                return -EINVAL;
    return 1;
}

static bool any_counts(const struct histogram *regions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (histogram_counts(&regions[i]))
            return true;
    return false;
}

int call_sprofil(struct call_state *state, const struct semantics *semantics, const struct histogram *regions,
                 int count, unsigned flags, bool interval_writable, uint64_t now_ticks)
{
    if (call_sprofil_writes_first(semantics) && !interval_writable)
        return -EFAULT;
    int result = sprofil_without_regions(state, semantics, count);
    if (result > 0)
        result = check_regions(semantics, regions, (size_t)count);
    if (result >= 0 && !interval_writable)
        return -EFAULT;
    if (result < 0)
        return result;
    if (result == 0 || !any_counts(regions, (size_t)count))
        return is_not_its_own(state, semantics, CALL_PROFIL) ? 0 : replace_by_nothing(state, now_ticks);
    unsigned width = flags & PROF_UINT ? sizeof(unsigned) : sizeof(unsigned short);
    return replace(state, CALL_SPROFIL, regions, (size_t)count, width, now_ticks);
}

int64_t call_pcsample(struct call_state *state, uint64_t array, int64_t count, unsigned pointer_size,
                      uint64_t now_ticks)
{
    if (count < 0 || (pointer_size == 4 && count > INT32_MAX))
        return -EINVAL;
    uint64_t stored = state->stored;
    replace(state, count ? CALL_PCSAMPLE : CALL_NONE, NULL, 0, pointer_size, now_ticks);
    state->array = array;
    state->room = (uint64_t)count;
    return (int64_t)stored;
}

/* Returns the address of element NUMBER of an array. A buffer may claim to extend beyond the last address. */
static uint64_t element(uint64_t start, uint64_t number, unsigned width)
{
    uint64_t offset, address;
    if (__builtin_mul_overflow(number, width, &offset) || __builtin_add_overflow(start, offset, &address) ||
        address > -(uint64_t)width)
        return -(uint64_t)width;
    return address;
}

static struct call_update bill_array(const struct call_state *state, uint64_t ticks)
{
    uint64_t left = state->room - state->stored, elements = ticks < left ? ticks : left;
    if (!elements)
        return (struct call_update){.what = UPDATE_NOTHING};
    return (struct call_update){.what = UPDATE_ARRAY,
                                .address = element(state->array, state->stored, state->width),
                                .width = state->width,
                                .elements = elements};
}

static struct call_update bill_cell(const struct call_state *state, const struct semantics *semantics, uint64_t pc)
{
    struct call_update update = {.what = UPDATE_CELL, .width = state->width};
    uint64_t cell = 0;
    if (state->kind == CALL_PROFIL) {
        enum bin_formula index = (enum bin_formula)semantics_value(semantics, RULE_PROFIL_INDEX);
        update.region = histogram_cell(state->regions, index, state->width, pc, &cell) ? 0 : -1;
        update.counter = (enum rule_counter)semantics_value(semantics, RULE_PROFIL_COUNTER);
    } else {
        enum bin_formula index = (enum bin_formula)semantics_value(semantics, RULE_SPROFIL_INDEX);
        update.region = histogram_region(state->regions, state->region_count, index, state->width, pc, &cell);
        update.counter = (enum rule_counter)semantics_value(semantics, RULE_SPROFIL_COUNTER);
    }
    if (update.region < 0)
        return (struct call_update){.what = UPDATE_NOTHING};
    update.address = element(state->regions[update.region].buffer, cell, state->width);
    return update;
}

struct call_update call_state_bill(const struct call_state *state, const struct semantics *semantics, uint64_t pc,
                                   uint64_t ticks)
{
    if (!ticks || !call_state_active(state))
        return (struct call_update){.what = UPDATE_NOTHING};
    return state->kind == CALL_PCSAMPLE ? bill_array(state, ticks) : bill_cell(state, semantics, pc);
}

void call_state_written(struct call_state *state, const struct call_update *update, uint64_t stored)
{
    if (update->what != UPDATE_ARRAY || state->kind != CALL_PCSAMPLE)
        return;
    uint64_t left = state->room - state->stored;
    state->stored += stored < left ? stored : left;
}

void call_state_fault(struct call_state *state, const struct semantics *semantics, const struct call_update *update)
{
    if (state->kind == CALL_SPROFIL && semantics_value(semantics, RULE_SPROFIL_FAULT) == FAULT_REGION_OFF) {
        state->regions[update->region].scale = 0;
        if (any_counts(state->regions, state->region_count))
            return;
    }
    turn_off(state);
}

void call_state_stop(struct call_state *state)
{
    turn_off(state);
}

static bool inherited(const struct call_state *parent, const struct semantics *semantics)
{
    switch (parent->kind) {
    case CALL_PROFIL:
        return semantics_value(semantics, RULE_PROFIL_FORK) == FORK_COPIED;
    case CALL_SPROFIL:
        return semantics_value(semantics, RULE_SPROFIL_FORK) == FORK_COPIED;
    case CALL_PCSAMPLE:
        return true;
    case CALL_NONE:
        break;
    }
    return false;
}

int call_state_fork(struct call_state *child, const struct call_state *parent, const struct semantics *semantics)
{
    if (!inherited(parent, semantics))
        return 0;
    int result = replace(child, parent->kind, parent->regions, parent->region_count, parent->width, 0);
    if (result < 0)
        return result;
    child->array = parent->array;
    child->room = parent->room;
    child->stored = parent->stored;
    child->imposed = parent->imposed;
    return 0;
}

void call_state_exec(struct call_state *state)
{
    call_state_fini(state);
}
