/* SPDX-License-Identifier: MIT */
#include "interp/merge.h"

struct output {
    struct unwind_frame *frames;
    size_t count, most;
};

static void put(struct output *output, struct unwind_frame frame)
{
    if (output->count < output->most)
        output->frames[output->count++] = frame;
}

/* How many frames of the language, from AT on, one evaluation runs. */
static size_t group_size(const struct merge_stacks *stacks, size_t at)
{
    size_t size = 0;
    while (at + size < stacks->script_count)
        if (stacks->scripts[at + size++].is_entry)
            break;
    return size;
}

static size_t count_groups(const struct merge_stacks *stacks)
{
    size_t count = 0;
    for (size_t at = 0; at < stacks->script_count; at += group_size(stacks, at))
        count++;
    return count;
}

static size_t count_evaluations(const struct merge_stacks *stacks)
{
    size_t count = 0;
    for (size_t i = 0; i < stacks->native_count; i++)
        count += stacks->natives[i].kind == MERGE_EVALUATION;
    return count;
}

/* Puts the group at *AT, and sets *AT to the next one. */
static void put_group(struct output *output, const struct merge_stacks *stacks, size_t *at)
{
    size_t size = group_size(stacks, *at);
    for (size_t i = 0; i < size; i++)
        if (stacks->scripts[*at + i].frame.language)
            put(output, stacks->scripts[*at + i].frame);
    *at += size;
}

static void put_native(struct output *output, const struct merge_native *native, enum merge_mode mode)
{
    if (native->kind == MERGE_OTHER || mode == MERGE_BOTH)
        put(output, native->frame);
}

/* Where both stacks are whole, they have their roots in common: an evaluation that has only begun, or is about to end,
 * has no frames yet, or any more, and is at the leaf; so is a frame whose evaluation is about to begin. Else they have
 * their leaves in common. Where more than one evaluation has no frames, a link between frames was not there at that
 * moment. */
size_t merge_stacks(const struct merge_stacks *stacks, enum merge_mode mode, struct unwind_frame mark,
                    struct unwind_frame *frames, size_t most, bool *marked)
{
    struct output output = {.frames = frames, .most = most};
    size_t at = 0, groups = count_groups(stacks), evaluations = count_evaluations(stacks);
    bool are_whole = stacks->native_whole && stacks->script_whole;
    bool is_torn = are_whole && stacks->is_exact && evaluations > groups + 1, from_root = are_whole && !is_torn;
    size_t empty = from_root && evaluations > groups ? evaluations - groups : 0;
    size_t homeless = groups > evaluations ? groups - evaluations : 0;
    bool is_homeless = homeless > 1 && stacks->native_whole;
    *marked = is_torn || is_homeless;
    if (is_homeless)
        put(&output, mark);
    for (size_t i = 0; from_root && i < homeless; i++)
        put_group(&output, stacks, &at);
    for (size_t i = 0; i < stacks->native_count; i++) {
        bool is_evaluation = stacks->natives[i].kind == MERGE_EVALUATION;
        if (is_evaluation && is_torn && at == stacks->script_count) {
            put(&output, mark);
            is_torn = false;
        } else if (is_evaluation && empty) {
            empty--;
        } else if (is_evaluation) {
            put_group(&output, stacks, &at);
        }
        put_native(&output, &stacks->natives[i], mode);
    }
    while (at < stacks->script_count)
        put_group(&output, stacks, &at);
    return output.count;
}
