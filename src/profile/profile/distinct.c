/* SPDX-License-Identifier: MIT */
#include "profile/profile/distinct.h"

#include "common/base/buffer.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t kind_of(const struct distinct *distinct, const struct profile_sample *sample)
{
    return distinct->kinds[distinct->profile->threads[sample->thread].process];
}

static bool is_same(const void *owner, uint32_t number, const void *key)
{
    const struct distinct *distinct = owner;
    const struct profile_sample *sample = &distinct->items[number], *wanted = key;
    return sample->frame_first == wanted->frame_first && sample->frame_count == wanted->frame_count &&
           sample->syscall == wanted->syscall && sample->cut == wanted->cut &&
           kind_of(distinct, sample) == kind_of(distinct, wanted);
}

static int add_sample(struct distinct *distinct, const struct profile_sample *sample, uint32_t *place)
{
    uint64_t value = hash_number((uint64_t)sample->frame_first << 32 ^ (uint64_t)kind_of(distinct, sample) << 12 ^
                                 (uint64_t)(uint32_t)sample->syscall << 2 ^ sample->cut);
    size_t before = distinct->count;
    *place = HASH_INTERN(distinct, value, is_same, distinct, sample);
    if (*place < before)
        profile_sample_add(&distinct->items[*place], sample);
    return *place == HASH_NONE ? -ENOMEM : 0;
}

/* Returns the number of the name of PROCESS, or of all its labels. */
static uint32_t number_of(struct distinct *distinct, const struct profile_process *process, bool labelled)
{
    struct buffer text = {0};
    if (!labelled)
        return texts_add(&distinct->comms, process->comm);
    buffer_printf(&text, "%s\n%s\n%s\n", process->comm, process->unit ? process->unit : "",
                  process->container ? process->container : "");
    if (process->rank.known)
        buffer_printf(&text, "%u", process->rank.number);
    uint32_t number = text.failed ? HASH_NONE : texts_add(&distinct->comms, text.bytes);
    buffer_fini(&text);
    return number;
}

static int find_kinds(struct distinct *distinct, bool labelled)
{
    const struct profile *profile = distinct->profile;
    distinct->kinds = malloc((profile->process_count + 1) * sizeof *distinct->kinds);
    if (!distinct->kinds)
        return -ENOMEM;
    for (size_t i = 0; i < profile->process_count; i++) {
        uint32_t number = number_of(distinct, &profile->processes[i], labelled);
        if (number == HASH_NONE)
            return -ENOMEM;
        distinct->kinds[i] = number * 2 + (i < profile->base_count);
    }
    return 0;
}

static int fill(struct distinct *distinct, const struct profile *profile, bool labelled)
{
    *distinct = (struct distinct){.profile = profile};
    distinct->numbers = malloc((profile->sample_count + 1) * sizeof *distinct->numbers);
    int result = distinct->numbers ? find_kinds(distinct, labelled) : -ENOMEM;
    for (size_t i = 0; i < profile->sample_count && !result; i++)
        result = add_sample(distinct, &profile->samples[i], &distinct->numbers[i]);
    if (result)
        distinct_fini(distinct);
    return result;
}

int distinct_init(struct distinct *distinct, const struct profile *profile)
{
    return fill(distinct, profile, false);
}

int distinct_init_labelled(struct distinct *distinct, const struct profile *profile)
{
    return fill(distinct, profile, true);
}

void distinct_fini(struct distinct *distinct)
{
    free(distinct->items);
    free(distinct->numbers);
    free(distinct->kinds);
    hash_fini(&distinct->index);
    texts_fini(&distinct->comms);
    memset(distinct, 0, sizeof *distinct);
}
