/* SPDX-License-Identifier: MIT */
#include "front/top/live.h"

#include "common/base/array.h"
#include "front/record/record.h"

#include <stdlib.h>
#include <string.h>

void live_begin(struct live *live, uint64_t now_ns)
{
    live->began_ns = live->last_ns = now_ns;
}

void live_free(struct live *live)
{
    for (size_t i = 0; i < LIVE_SLOTS; i++)
        free(live->slots[i].items);
    free(live->seen);
    free(live->before);
    memset(live, 0, sizeof *live);
}

static void add_counts(struct live_counts *sum, const struct live_counts *more)
{
    sum->count += more->count;
    sum->cpu_ns += more->cpu_ns;
    sum->wait_ns += more->wait_ns;
    sum->period_ns += more->period_ns;
}

static struct live_counts difference(const struct live_counts *counts, const struct live_counts *before)
{
    return (struct live_counts){counts->count - before->count, counts->cpu_ns - before->cpu_ns,
                                counts->wait_ns - before->wait_ns, counts->period_ns - before->period_ns};
}

static bool is_any(const struct live_counts *counts)
{
    return counts->count || counts->cpu_ns || counts->wait_ns;
}

/* Makes room for COUNT samples, with zero counts. */
static bool make_room(struct live *live, size_t count)
{
    if (count > live->seen_room && !array_reserve_((void **)&live->seen, &live->seen_room, count, sizeof *live->seen))
        return false;
    if (count > live->seen_count)
        memset(live->seen + live->seen_count, 0, (count - live->seen_count) * sizeof *live->seen);
    live->seen_count = count;
    return true;
}

bool live_take(struct live *live, const struct record *record, uint64_t now_ns)
{
    struct live_slot *slot = &live->slots[live->slot_count % LIVE_SLOTS];
    if (!make_room(live, record->samples.count))
        return false;
    slot->count = 0;
    slot->ns = now_ns - live->last_ns;
    live->last_ns = now_ns;
    live->slot_count++;
    for (size_t i = 0; i < live->seen_count; i++) {
        const struct record_sample *sample = &record->samples.items[i];
        struct live_counts now = {sample->count, sample->cpu_ns, sample->wait_ns, sample->period_ns},
                           more = difference(&now, &live->seen[i]);
        if (!is_any(&more))
            continue;
        if (!ARRAY_RESERVE_ONE(slot))
            return false;
        slot->items[slot->count++] = (struct live_change){(uint32_t)i, more};
        live->seen[i] = now;
    }
    return true;
}

bool live_reset(struct live *live, uint64_t now_ns)
{
    struct live_counts *before = malloc((live->seen_count + 1) * sizeof *before);
    if (!before)
        return false;
    if (live->seen_count)
        memcpy(before, live->seen, live->seen_count * sizeof *before);
    free(live->before);
    live->before = before;
    live->before_count = live->seen_count;
    live->began_ns = now_ns;
    live->slot_count = 0;
    return true;
}

static bool make_room_in(struct live_picture *picture, size_t count)
{
    size_t of_recent = picture->room, of_all = picture->room;
    if (!array_reserve_((void **)&picture->recent, &of_recent, count, sizeof *picture->recent) ||
        !array_reserve_((void **)&picture->all, &of_all, count, sizeof *picture->all))
        return false;
    picture->room = of_recent < of_all ? of_recent : of_all;
    return true;
}

/* Adds the slots backwards from the last one, until their time reaches RECENT_NS. */
static void look_at_slots(const struct live *live, uint64_t recent_ns, struct live_picture *picture)
{
    for (uint64_t i = 0; i < live->slot_count && i < LIVE_SLOTS && picture->recent_ns < recent_ns; i++) {
        const struct live_slot *slot = &live->slots[(live->slot_count - 1 - i) % LIVE_SLOTS];
        /* Omits a slot if the sum is closer to RECENT_NS without it. */
        if (picture->recent_ns && picture->recent_ns + slot->ns / 2 > recent_ns)
            break;
        picture->recent_ns += slot->ns;
        for (size_t j = 0; j < slot->count; j++) {
            add_counts(&picture->recent[slot->items[j].sample], &slot->items[j].more);
            add_counts(&picture->recent_sum, &slot->items[j].more);
        }
    }
}

bool live_look(const struct live *live, uint64_t recent_ns, struct live_picture *picture)
{
    const struct live_counts none = {0};
    if (!make_room_in(picture, live->seen_count))
        return false;
    picture->count = live->seen_count;
    picture->recent_sum = picture->all_sum = none;
    picture->recent_ns = 0;
    picture->all_ns = live->last_ns > live->began_ns ? live->last_ns - live->began_ns : 0;
    if (picture->count)
        memset(picture->recent, 0, picture->count * sizeof *picture->recent);
    for (size_t i = 0; i < picture->count; i++) {
        picture->all[i] = difference(&live->seen[i], i < live->before_count ? &live->before[i] : &none);
        add_counts(&picture->all_sum, &picture->all[i]);
    }
    look_at_slots(live, recent_ns, picture);
    return true;
}

void live_picture_free(struct live_picture *picture)
{
    free(picture->recent);
    free(picture->all);
    memset(picture, 0, sizeof *picture);
}
