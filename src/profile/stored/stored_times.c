/* SPDX-License-Identifier: MIT */
#include "profile/stored/stored_times.h"

#include "common/base/array.h"
#include "common/base/cursor.h"
#include "common/base/error.h"
#include "common/base/protobuf.h"
#include "profile/profile/builder.h"
#include "profile/profile/instants.h"
#include "profile/profile/merge.h"
#include "profile/profile/profile.h"
#include "profile/stored/pprof_format.h"
#include "profile/stored/stored_code.h"
#include "profile/stored/stored_values.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_MARKS = 1 << 20 };

void stored_times_fini(struct stored_times *times)
{
    free(times->items);
}

void stored_times_sample(struct stored_times *times, struct stored_code *code, uint32_t index,
                         const struct profile_sample *sample)
{
    if (!ARRAY_RESERVE_ONE(times)) {
        code->result = error_set(code->error, ENOMEM, "out of memory");
        return;
    }
    times->items[times->count++] = (struct stored_times_sample){index, sample->count, sample->cpu_ns, sample->wait_ns};
}

void stored_times_begin(struct stored_times *times, struct stored_code *code, const struct stored_values *values)
{
    times->delay_ns = merge_align(code->into, values->began_ns > 0 ? (uint64_t)values->began_ns : 0);
    if (values->instants_until_ns)
        instants_lack(&code->into->profile->instants, values->instants_until_ns % INT64_MAX + times->delay_ns);
}

/* Subtracts the values of INSTANT from the remaining values of its sample, LEFT. Returns false if they are too large.
 */
static bool subtract(struct stored_times_sample *left, const struct instant *instant)
{
    if (left->index == PROFILE_NONE || instant->count > left->count || instant->cpu_ns > left->cpu_ns ||
        instant->wait_ns > left->wait_ns)
        return false;
    left->count -= instant->count;
    left->cpu_ns -= instant->cpu_ns;
    left->wait_ns -= instant->wait_ns;
    return true;
}

static void add_instant(struct stored_times *times, struct stored_code *code, struct instant instant)
{
    struct stored_times_sample *left = instant.sample < times->count ? &times->items[instant.sample] : NULL;
    if (!left || instant.time_ns > INT64_MAX || !subtract(left, &instant)) {
        stored_broken(code, "the times of its samples do not fit the samples");
        return;
    }
    instant.sample = left->index;
    instant.time_ns += times->delay_ns;
    instants_add(&code->into->profile->instants, &instant);
}

void stored_times_read(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field)
{
    struct instant instant;
    if (!field->is_bytes || code->into->failed)
        return;
    struct cursor cursor = {.at = field->bytes, .end = field->bytes + field->size};
    while (!code->result && instants_decode(&cursor, &instant, &times->last_us))
        add_instant(times, code, instant);
    if (cursor.failed)
        stored_broken(code, "the times of its samples are damaged");
}

void stored_times_read_mark(struct stored_times *times, struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_mark mark;
    if (!stored_unpack(code, &pprof_mark_layout, field, "a mark", &mark))
        return;
    if (mark.time_ns > INT64_MAX || code->into->profile->mark_count > MOST_MARKS) {
        stored_broken(code, "a mark is damaged");
        return;
    }
    builder_mark(code->into, mark.time_ns + times->delay_ns, stored_text(code, mark.text));
    if (code->into->failed)
        code->result = error_set(code->error, ENOMEM, "out of memory");
}
