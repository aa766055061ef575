/* SPDX-License-Identifier: MIT */
#include "front/session/shadow.h"

#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>

static void shadow_free(struct shadow *shadow)
{
    free(shadow->cells.items);
    hash_fini(&shadow->cells.index);
    free(shadow->runs.items);
}

void shadows_fini(struct shadows *shadows)
{
    for (size_t i = 0; i < shadows->count; i++)
        shadow_free(&shadows->items[i]);
    free(shadows->items);
    hash_fini(&shadows->index);
    memset(shadows, 0, sizeof *shadows);
}

static bool shadow_has_image(const void *owner, uint32_t index, const void *key)
{
    return ((const struct shadows *)owner)->items[index].image == *(const uint32_t *)key;
}

static struct shadow *find_shadow(const struct shadows *shadows, uint32_t image)
{
    uint32_t found = hash_find(&shadows->index, hash_number(image), shadow_has_image, shadows, &image);
    return found == HASH_NONE ? NULL : &shadows->items[found];
}

const struct shadow *shadows_find(const struct shadows *shadows, uint32_t image)
{
    return find_shadow(shadows, image);
}

/* Adds an empty shadow. Returns NULL if memory runs out, or if the tracer never assigns this number. */
static struct shadow *add_shadow(struct shadows *shadows, uint32_t image, pid_t pid, uint32_t generation)
{
    if (!image || find_shadow(shadows, image))
        return NULL;
    const struct shadow added = {.image = image, .pid = pid, .generation = generation};
    uint32_t number = HASH_APPEND(shadows, hash_number(image), &added);
    shadows->out_of_memory |= number == HASH_NONE;
    return number == HASH_NONE ? NULL : &shadows->items[number];
}

void shadows_imposed(struct shadows *shadows, const struct message_imposed *message, uint64_t bias)
{
    if (message->refusal != CALLS_IMPOSED) {
        shadows->refused++;
        if (shadows->refusal.image != FIRST_IMAGE)
            shadows->refusal = *message;
        shadows->refusal.comm[sizeof shadows->refusal.comm - 1] = 0;
        return;
    }
    struct shadow *added = add_shadow(shadows, message->image, message->pid, message->generation);
    if (!added)
        return;
    added->offset = message->offset;
    added->size = message->size;
    added->scale = message->scale;
    added->bias = bias;
    added->is_compat = message->compat;
}

static bool cell_has_number(const void *owner, uint32_t index, const void *key)
{
    return ((const struct shadow *)owner)->cells.items[index].number == *(const uint64_t *)key;
}

static bool set_cell(struct shadow *shadow, uint64_t number, uint64_t value)
{
    const struct shadow_cell cell = {number, value};
    uint32_t found = HASH_INTERN(&shadow->cells, hash_number(number), cell_has_number, shadow, &cell);
    if (found != HASH_NONE)
        shadow->cells.items[found] = cell;
    return found != HASH_NONE;
}

static bool add_run(struct shadow *shadow, const struct shadow_run *run)
{
    struct shadow_run *last = shadow->runs.count ? &shadow->runs.items[shadow->runs.count - 1] : NULL;
    if (last && last->pc == run->pc && last->place == run->place) {
        last->count += run->count;
        return true;
    }
    if (!ARRAY_RESERVE_ONE(&shadow->runs))
        return false;
    shadow->runs.items[shadow->runs.count++] = *run;
    return true;
}

void shadows_inherited(struct shadows *shadows, const struct message_inherited *message)
{
    struct shadow *child = add_shadow(shadows, message->image, message->pid, message->generation);
    const struct shadow *parent = find_shadow(shadows, message->origin);
    bool copied = child && parent;
    if (!copied)
        return;
    child->offset = parent->offset;
    child->size = parent->size;
    child->scale = parent->scale;
    child->bias = parent->bias;
    child->is_compat = parent->is_compat;
    for (size_t i = 0; copied && i < parent->cells.count; i++)
        copied = set_cell(child, parent->cells.items[i].number, parent->cells.items[i].value);
    for (size_t i = 0; copied && i < parent->runs.count; i++)
        copied = add_run(child, &parent->runs.items[i]);
    shadows->out_of_memory |= !copied;
}

void shadows_update(struct shadows *shadows, const struct message_update *message, uint32_t place)
{
    struct shadow *shadow = find_shadow(shadows, message->image);
    const struct shadow_run run = {message->number, message->value, place};
    if (!shadow)
        return;
    bool taken = message->cell ? set_cell(shadow, message->number, message->value) : add_run(shadow, &run);
    shadow->own = true;
    shadows->out_of_memory |= !taken;
}

void shadows_end(struct shadows *shadows, uint32_t image)
{
    struct shadow *shadow = find_shadow(shadows, image);
    if (!shadow || shadow->own || image == FIRST_IMAGE)
        return;
    uint32_t hole = (uint32_t)(shadow - shadows->items), last = (uint32_t)--shadows->count;
    shadow_free(shadow);
    hash_remove(&shadows->index, hash_number(image), hole);
    if (hole == last)
        return;
    *shadow = shadows->items[last];
    hash_renumber(&shadows->index, hash_number(shadow->image), last, hole);
}

static int by_number(const void *one, const void *other)
{
    const struct shadow_cell *a = one, *b = other;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_process(const void *one, const void *other)
{
    const struct shadow *a = one, *b = other;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->generation != b->generation)
        return a->generation < b->generation ? -1 : 1;
    return a->image < b->image ? -1 : a->image > b->image;
}

void shadows_sort(struct shadows *shadows)
{
    for (size_t i = 0; i < shadows->count; i++) {
        struct shadow *shadow = &shadows->items[i];
        hash_fini(&shadow->cells.index);
        if (shadow->cells.count)
            qsort(shadow->cells.items, shadow->cells.count, sizeof *shadow->cells.items, by_number);
    }
    hash_fini(&shadows->index);
    if (shadows->count)
        qsort(shadows->items, shadows->count, sizeof *shadows->items, by_process);
}

const char *shadow_refusal(const struct message_imposed *message)
{
    switch ((enum calls_refusal)message->refusal) {
    case CALLS_REFUSED_FILTER:
        return "it has a seccomp filter, which may forbid what is needed";
    case CALLS_REFUSED_TEXT:
        return "its executable could not be found in its memory";
    case CALLS_REFUSED_WAY:
        return "no system call could be made in it";
    case CALLS_REFUSED_MEMORY:
        return "it could not allocate the buffer";
    case CALLS_REFUSED_CALL:
        return "the call failed";
    case CALLS_IMPOSED:
        break;
    }
    return "for a reason that is not known";
}
