/* SPDX-License-Identifier: MIT */
#include "common/semantics/impose.h"

#include "common/model/address_map.h"

enum { FULL_SCALE = 65536, LOWEST_SCALE = 3, SOME_ADDRESS = 1 << 16 };

unsigned impose_pointer_size(const struct histogram *arguments)
{
    return arguments->is_compat ? sizeof(uint32_t) : sizeof(uint64_t);
}

int64_t impose_call(struct call_state *state, const struct semantics *semantics, const struct impose *impose,
                    const struct histogram *arguments, uint64_t now_ticks)
{
    int64_t result;
    if (impose->kind == CALL_PROFIL)
        result = call_profil(state, semantics, arguments, false, now_ticks);
    else
        result =
            call_pcsample(state, arguments->buffer, (int64_t)impose->count, impose_pointer_size(arguments), now_ticks);
    state->imposed = result >= 0 && state->kind != CALL_NONE;
    return result;
}

enum impose_outcome impose_judge(const struct impose *impose, const struct semantics *semantics)
{
    struct call_state state = {0};
    struct histogram arguments = {.offset = impose->offset, .size = impose->size, .scale = impose->scale};
    if (impose->text)
        impose_cover(SOME_ADDRESS, 2 * SOME_ADDRESS, &arguments);
    arguments.buffer = SOME_ADDRESS;
    int64_t result = impose_call(&state, semantics, impose, &arguments, 0);
    bool counts = call_state_active(&state);
    call_state_fini(&state);
    return result < 0 ? IMPOSE_REFUSED : counts ? IMPOSE_COUNTS : IMPOSE_TURNS_OFF;
}

bool impose_text(const struct address_map *map, uint64_t *start, uint64_t *end)
{
    const struct address_range *first = NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct address_range *range = &map->items[i];
        if (!first && range->inode) {
            first = range;
            *start = range->start;
        }
        if (first && range->inode == first->inode && range->device_major == first->device_major &&
            range->device_minor == first->device_minor)
            *end = range->end;
    }
    return first != NULL;
}

void impose_cover(uint64_t start, uint64_t end, struct histogram *arguments)
{
    const uint64_t cell = 2, most_cells = IMPOSE_MOST_TEXT_BYTES / cell - 2;
    uint64_t pairs = (end - start + cell - 1) / cell; /* pairs of bytes are the finest resolution of profil */
    uint64_t scale = pairs > most_cells ? FULL_SCALE * most_cells / pairs : FULL_SCALE;
    if (scale < LOWEST_SCALE)
        scale = LOWEST_SCALE;
    uint64_t cells = pairs / FULL_SCALE * scale + pairs % FULL_SCALE * scale / FULL_SCALE + 1;
    arguments->offset = start;
    arguments->size = cells * cell;
    arguments->scale = scale;
}
