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

static size_t count_evaluations(const struct merge_stacks *stacks)
{
    size_t count = 0;
    for (size_t i = 0; i < stacks->native_count; i++)
        count += stacks->natives[i].kind == MERGE_EVALUATION;
    return count;
}

/* The frames of the language, in groups. */
struct groups {
    const struct merge_script *scripts;
    size_t at, count; /* the next frame, and the number of all */
    bool first_alone; /* the first frame is a group, although it is not marked as an entry */
};

/* How many frames of the language one evaluation runs. */
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

/* How many frames the language has without marks at the root, which run nothing: Ruby's stacks begin with one. */
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

/* True if the next frame of the language was not copied. */
static bool is_at_cut(const struct merge_stacks *stacks, const struct groups *groups)
{
    return stacks->script_cut && groups->count && groups->at == groups->count;
}

static void put_native(struct output *output, const struct merge_native *native, enum merge_mode mode)
{
    if (native->kind == MERGE_OTHER || mode == MERGE_BOTH)
        put(output, native->frame);
}

/* True if the next group has one frame, behind which can be a mark. */
static bool is_alone(const struct groups *groups)
{
    size_t size = group_size(groups);
    return size == 1 || (size == 2 && !groups->scripts[groups->at + 1].frame.language);
}

/* In an evaluation that is beginning, the newest frame can be one that has ended: takes only frames that cannot.
 * Returns false if it takes not all. */
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

/* Puts what is sure of a stack that begins with a frame that has ended: MARK is in its place. Without any frames of the
 * language, the interpreter's own stay. */
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

/* Returns the number of the native frame with ADDRESS in its part of the stack, from native AT on; native_count: none.
 * A signal handler may have a stack of its own, at higher or lower addresses. */
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

/* True if all groups but an incomplete last one say where on the stack their evaluations are. */
static bool have_places(struct groups groups)
{
    bool have = groups.at < groups.count;
    for (; groups.at < groups.count; groups.at++)
        have &= !groups.scripts[groups.at].is_entry || groups.scripts[groups.at].stack;
    return have;
}

/* Returns the native frame, from AT on, of the next group; native_count: there is none. */
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

/* Puts all groups of native AT, and those that have no native, behind MARK. Returns true if there are some of the
 * former. */
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

/* Where the groups say where they belong. An evaluation without a group is at the leaf; else a link between frames was
 * not there at that moment. */
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

/* Where both stacks are whole, they have their roots in common: an evaluation that has only begun, or is about to end,
 * has no frames yet, or any more, and is at the leaf; so is a frame whose evaluation is about to begin. Else they have
 * their leaves in common. Where more than one evaluation has no frames, a link between frames was not there at that
 * moment. */
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
