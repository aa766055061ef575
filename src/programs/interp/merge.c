/* SPDX-License-Identifier: MIT */
#include "programs/interp/merge.h"

struct output {
    struct unwind_frame *frames;
    size_t count, most;
};

static void put(struct output *output, struct unwind_frame frame)
{
    if (output->count < output->most)
        output->frames[output->count++] = frame;
}

static size_t count_evaluations(const struct merge_stacks *stacks)
{
    size_t count = 0;
    for (size_t i = 0; i < stacks->native_count; i++)
        count += stacks->natives[i].kind == MERGE_EVALUATION;
    return count;
}

/* The frames of the language, in groups. A group has the frames that one evaluation runs; its last frame is marked as
 * the entry. */
struct groups {
    const struct merge_script *scripts;
    size_t at, count; /* the next frame, and the number of all */
    bool first_alone; /* the first frame is a group, although it is not marked as an entry */
};

/* Returns the number of frames in the next group. */
static size_t group_size(const struct groups *groups)
{
    size_t size = 0;
    if (!groups->at && groups->first_alone)
        return 1;
    while (groups->at + size < groups->count)
        if (groups->scripts[groups->at + size++].is_entry)
            break;
    return size;
}

static size_t count_groups(struct groups groups)
{
    size_t count = 0;
    for (; groups.at < groups.count; groups.at += group_size(&groups))
        count++;
    return count;
}

/* Returns the number of the language's frames, without marks at the root. Such marks are not calls: each stack of Ruby
 * begins with one. */
static size_t count_frames(const struct merge_stacks *stacks)
{
    size_t count = stacks->script_count;
    while (count && !stacks->scripts[count - 1].frame.language && !stacks->scripts[count - 1].is_entry)
        count--;
    return count;
}

static void put_group(struct output *output, struct groups *groups)
{
    size_t end = groups->at + group_size(groups);
    for (; groups->at < end; groups->at++)
        if (groups->scripts[groups->at].frame.language)
            put(output, groups->scripts[groups->at].frame);
}

/* Returns true if all copied frames of the language were put, and others were not copied. */
static bool is_at_cut(const struct merge_stacks *stacks, const struct groups *groups)
{
    return stacks->script_cut && groups->count && groups->at == groups->count;
}

static void put_native(struct output *output, const struct merge_native *native, enum merge_mode mode)
{
    if (native->kind == MERGE_OTHER || mode == MERGE_BOTH)
        put(output, native->frame);
}

/* Returns true if the next group has a single frame. A mark after it, which is an entry but not a function (see struct
 * merge_script), does not count. */
static bool is_alone(const struct groups *groups)
{
    size_t size = group_size(groups);
    return size == 1 || (size == 2 && !groups->scripts[groups->at + 1].frame.language);
}

/* While an evaluation is beginning, the newest frame may be one that has ended. Skips the groups that may have ended.
 * Returns false if it skips any. */
static bool take_sure(const struct merge_stacks *stacks, struct groups *groups)
{
    size_t evaluations = count_evaluations(stacks), count = count_groups(*groups);
    bool is_fresh = groups->count && groups->scripts[0].is_fresh, is_before = count + 1 == evaluations;
    if (!stacks->script_whole || (is_fresh && is_before && is_alone(groups))) {
        groups->at = groups->count;
        return false;
    }
    groups->first_alone = is_fresh && is_before;
    if (is_before || (count == evaluations && (!count || is_fresh || groups->scripts[0].is_generator)))
        return true;
    for (; count && count >= evaluations; count--)
        groups->at += group_size(groups);
    return false;
}

/* Puts a stack whose newest frames may have ended: MARK replaces them. If no other frames of the language remain, the
 * interpreter's own frames stay. */
static size_t put_remnant(const struct merge_stacks *stacks, struct groups *groups, enum merge_mode mode,
                          struct unwind_frame mark, struct output *output)
{
    size_t without = count_evaluations(stacks) - count_groups(*groups);
    put(output, mark);
    if (groups->at == groups->count)
        mode = MERGE_BOTH;
    for (size_t i = 0; i < stacks->native_count; i++) {
        bool is_evaluation = stacks->natives[i].kind == MERGE_EVALUATION;
        if (is_evaluation && without)
            without--;
        else if (is_evaluation)
            put_group(output, groups);
        put_native(output, &stacks->natives[i], mode);
    }
    return output->count;
}

/* Returns the number of the native frame, from AT on, whose part of the stack contains ADDRESS; native_count if none
 * does. A signal handler may run on its own stack, at higher or lower addresses. */
static size_t native_at(const struct merge_stacks *stacks, size_t at, uint64_t address)
{
    for (; at < stacks->native_count; at++) {
        const struct merge_native *native = &stacks->natives[at];
        uint64_t start = native->frame.sp, end = start;
        if (at + 1 < stacks->native_count)
            end = native[1].frame.sp;
        else if (stacks->native_whole || native->kind == MERGE_EVALUATION)
            end = UINT64_MAX;
        if (address >= start && (address < end || end < start))
            break;
    }
    return at;
}

/* Returns true if there are entries, and the stack address of the evaluation of each is known. */
static bool have_places(struct groups groups)
{
    bool have = false;
    for (; groups.at < groups.count; groups.at++) {
        const struct merge_script *script = &groups.scripts[groups.at];
        if (script->is_entry && !script->stack)
            return false;
        have |= script->is_entry;
    }
    return have;
}

/* Returns the number of the native frame, from AT on, that is the evaluation of the next group; native_count if none
 * is. */
static size_t native_of_next(const struct merge_stacks *stacks, const struct groups *groups, size_t at)
{
    size_t size = group_size(groups);
    if (!size)
        return stacks->native_count;
    const struct merge_script *last = &groups->scripts[groups->at + size - 1];
    if (last->is_entry)
        return native_at(stacks, at, last->stack);
    while (at < stacks->native_count && stacks->natives[at].kind != MERGE_EVALUATION)
        at++;
    return at;
}

/* Puts all groups that native frame AT runs. Groups without a native frame are put, too, after MARK. Returns true if AT
 * runs any group. */
static bool put_groups_at(const struct merge_stacks *stacks, struct groups *groups, size_t at, struct unwind_frame mark,
                          struct output *output, bool *marked)
{
    bool have = false;
    while (groups->at < groups->count) {
        size_t place = native_of_next(stacks, groups, at);
        bool is_homeless = place == stacks->native_count && stacks->native_whole;
        if (place != at && !is_homeless)
            break;
        if (is_homeless)
            put(output, mark);
        *marked |= is_homeless;
        have |= !is_homeless;
        put_group(output, groups);
    }
    return have;
}

/* Merges stacks if the stack addresses of all groups are known. An evaluation without a group is normal at the leaf.
 * Elsewhere it means that a link between frames was missing when they were read. */
static size_t put_placed(const struct merge_stacks *stacks, struct groups *groups, enum merge_mode mode,
                         struct unwind_frame mark, struct output *output, bool *marked)
{
    bool is_first = true;
    *marked = false;
    for (size_t i = 0; i < stacks->native_count; i++) {
        bool have = put_groups_at(stacks, groups, i, mark, output, marked);
        bool is_evaluation = stacks->natives[i].kind == MERGE_EVALUATION;
        if (is_evaluation && !have && !is_first && stacks->script_whole && !*marked) {
            put(output, mark);
            *marked = true;
        }
        is_first &= !is_evaluation;
        put_native(output, &stacks->natives[i], mode);
        if (is_at_cut(stacks, groups))
            break;
    }
    while (groups->at < groups->count)
        put_group(output, groups);
    return output->count;
}

static bool has_frames(const struct merge_stacks *stacks)
{
    bool has = false;
    for (size_t i = 0; i < stacks->script_count; i++)
        has |= stacks->scripts[i].frame.language != 0;
    return has;
}

/* If both stacks are whole, they are aligned at their roots. At the leaf, an evaluation that has just begun, or is
 * about to end, has no frames, and a frame may have no evaluation yet. If a stack is not whole, they are aligned at
 * their leaves. If more than one evaluation has no frames, a link between frames was missing when they were read. */
size_t merge_stacks(const struct merge_stacks *stacks, enum merge_mode mode, struct unwind_frame mark,
                    struct unwind_frame *frames, size_t most, bool *marked)
{
    struct output output = {.frames = frames, .most = most};
    struct groups groups = {.scripts = stacks->scripts, .count = count_frames(stacks)};
    *marked = false;
    if (stacks->script_count && !has_frames(stacks)) { /* marks only: the thread runs none of the language's code */
        for (size_t i = 0; i < stacks->native_count; i++)
            put(&output, stacks->natives[i].frame);
        return output.count;
    }
    *marked = true;
    if (stacks->is_beginning && stacks->native_whole && !take_sure(stacks, &groups))
        return put_remnant(stacks, &groups, mode, mark, &output);
    if (have_places(groups))
        return put_placed(stacks, &groups, mode, mark, &output, marked);
    size_t count = count_groups(groups), evaluations = count_evaluations(stacks);
    bool are_whole = stacks->native_whole && stacks->script_whole;
    bool is_torn = are_whole && stacks->is_exact && evaluations > count + 1, from_root = are_whole && !is_torn;
    size_t empty = from_root && evaluations > count ? evaluations - count : 0;
    size_t homeless = count > evaluations ? count - evaluations : 0;
    bool is_homeless = homeless > 1 && stacks->native_whole;
    *marked = is_torn || is_homeless;
    if (is_homeless)
        put(&output, mark);
    for (size_t i = 0; from_root && i < homeless; i++)
        put_group(&output, &groups);
    for (size_t i = 0; i < stacks->native_count; i++) {
        bool is_evaluation = stacks->natives[i].kind == MERGE_EVALUATION;
        if (is_evaluation && is_torn && groups.at == groups.count) {
            put(&output, mark);
            is_torn = false;
        } else if (is_evaluation && empty) {
            empty--;
        } else if (is_evaluation) {
            put_group(&output, &groups);
        }
        put_native(&output, &stacks->natives[i], mode);
        if (is_at_cut(stacks, &groups))
            break;
    }
    while (groups.at < groups.count)
        put_group(&output, &groups);
    return output.count;
}
