/* SPDX-License-Identifier: MIT */
#include "programs/interp/merge.h"

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
    struct merge_script *scripts;
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

/* Where the groups belong among the native frames, which have their numbers. */
struct plan {
    const struct merge_stacks *stacks;
    struct groups groups;
    bool begins_with_mark;
    bool has_all_natives; /* the interpreter's own frames stay, because nothing shows what it runs */
};

/* Returns true if the next group has a single frame. A mark after it, which is an entry but not a function (see struct
 * merge_script), does not count. */
static bool is_alone(const struct groups *groups)
{
    size_t size = group_size(groups);
    return size == 1 || (size == 2 && !groups->scripts[groups->at + 1].frame.language);
}

/* While an evaluation is beginning, the newest frame may be one that has ended. Skips the groups that may have ended.
 * Returns false if it skips any. */
static bool skip_unsure(const struct merge_stacks *stacks, struct groups *groups)
{
    size_t evaluations = count_evaluations(stacks), count = count_groups(*groups);
    bool is_fresh = groups->count && groups->scripts[0].is_fresh, is_before = count + 1 == evaluations;
    if (!stacks->script_whole || (is_fresh && is_before && is_alone(groups))) {
        groups->count = 0;
        return false;
    }
    groups->first_alone = is_fresh && is_before;
    if (is_before || (count == evaluations && (!count || is_fresh || groups->scripts[0].is_generator)))
        return true;
    for (; count && count >= evaluations; count--)
        groups->at += group_size(groups);
    return false;
}

/* Plans one group for each evaluation, but none for the first EMPTY evaluations. */
static void plan_in_order(struct plan *plan, size_t empty)
{
    const struct merge_stacks *stacks = plan->stacks;
    for (size_t i = 0; i < stacks->native_count; i++) {
        if (stacks->natives[i].kind != MERGE_EVALUATION)
            continue;
        if (empty)
            empty--;
        else
            stacks->natives[i].groups++;
    }
}

/* Plans a stack whose newest frames may have ended: a mark replaces them. If no other frames of the language remain,
 * the interpreter's own frames stay. */
static void plan_remnant(struct plan *plan)
{
    plan->begins_with_mark = true;
    plan->has_all_natives = plan->groups.at == plan->groups.count;
    plan_in_order(plan, count_evaluations(plan->stacks) - count_groups(plan->groups));
}

/* If both stacks are whole, they are aligned at their roots. At the leaf, an evaluation that has just begun, or is
 * about to end, has no frames, and a frame may have no evaluation yet. If a stack is not whole, they are aligned at
 * their leaves. */
static void plan_aligned(struct plan *plan)
{
    const struct merge_stacks *stacks = plan->stacks;
    size_t count = count_groups(plan->groups), evaluations = count_evaluations(stacks);
    size_t homeless = count > evaluations ? count - evaluations : 0;
    bool from_root = stacks->native_whole && stacks->script_whole;
    plan->begins_with_mark = homeless > 1 && stacks->native_whole;
    if (from_root && stacks->native_count)
        stacks->natives[0].groups = homeless;
    plan_in_order(plan, from_root && evaluations > count ? evaluations - count : 0);
}

/* Plans a stack with more than one evaluation without frames: a link between frames was missing when they were read.
 * A mark replaces the frames behind it. */
static void plan_torn(struct plan *plan)
{
    const struct merge_stacks *stacks = plan->stacks;
    size_t left = count_groups(plan->groups), i = 0;
    plan_in_order(plan, 0);
    while (i < stacks->native_count && (stacks->natives[i].kind != MERGE_EVALUATION || left--))
        i++;
    if (i < stacks->native_count)
        stacks->natives[i].is_marked = true;
}

/* Returns true if all evaluations are known to have frames, but more than one has none. */
static bool is_torn(const struct merge_stacks *stacks, const struct groups *groups)
{
    return stacks->is_exact && stacks->native_whole && stacks->script_whole &&
           count_evaluations(stacks) > count_groups(*groups) + 1;
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

/* Plans all groups that native frame AT runs. Groups without a native frame are there, too, after a mark. Returns true
 * if AT runs any group. */
static bool plan_native(const struct merge_stacks *stacks, struct groups *groups, size_t at, bool *is_marked)
{
    bool runs_any = false;
    while (groups->at < groups->count) {
        size_t place = native_of_next(stacks, groups, at);
        bool is_homeless = place == stacks->native_count && stacks->native_whole;
        if (place != at && !is_homeless)
            break;
        groups->scripts[groups->at].is_marked = is_homeless;
        *is_marked |= is_homeless;
        runs_any |= !is_homeless;
        stacks->natives[at].groups++;
        groups->at += group_size(groups);
    }
    return runs_any;
}

/* Plans a stack in which the stack addresses of all groups are known. An evaluation without a group is normal at the
 * leaf. Elsewhere it means that a link between frames was missing when they were read; but if the last frame is an
 * entry, the evaluations behind it belong to another stack, which is above this one in memory: that of another
 * greenlet. */
static void plan_placed(struct plan *plan)
{
    const struct merge_stacks *stacks = plan->stacks;
    struct groups groups = plan->groups;
    bool is_first = true, is_marked = false, is_complete = groups.count && groups.scripts[groups.count - 1].is_entry;
    for (size_t i = 0; i < stacks->native_count; i++) {
        is_marked |= is_complete && groups.at == groups.count;
        bool is_evaluation = stacks->natives[i].kind == MERGE_EVALUATION;
        bool is_empty = !plan_native(stacks, &groups, i, &is_marked) && is_evaluation;
        stacks->natives[i].is_marked = is_empty && !is_first && stacks->script_whole && !is_marked;
        is_marked |= stacks->natives[i].is_marked;
        is_first &= !is_evaluation;
    }
}

static bool has_frames(const struct merge_stacks *stacks)
{
    bool has = false;
    for (size_t i = 0; i < stacks->script_count; i++)
        has |= stacks->scripts[i].frame.language != 0;
    return has;
}

static struct plan plan_of(const struct merge_stacks *stacks)
{
    struct plan plan = {.stacks = stacks, .groups = {.scripts = stacks->scripts, .count = count_frames(stacks)}};
    for (size_t i = 0; i < stacks->native_count; i++) {
        stacks->natives[i].groups = 0;
        stacks->natives[i].is_marked = false;
    }
    for (size_t i = 0; i < stacks->script_count; i++)
        stacks->scripts[i].is_marked = false;
    if (stacks->script_count && !has_frames(stacks)) { /* marks only: the thread runs none of the language's code */
        plan.groups.count = 0;
        plan.has_all_natives = true;
    } else if (stacks->is_beginning && stacks->native_whole && !skip_unsure(stacks, &plan.groups)) {
        plan_remnant(&plan);
    } else if (have_places(plan.groups)) {
        plan_placed(&plan);
    } else if (is_torn(stacks, &plan.groups)) {
        plan_torn(&plan);
    } else {
        plan_aligned(&plan);
    }
    return plan;
}

struct output {
    struct unwind_frame *frames, mark;
    size_t count, most;
    bool is_marked;
};

static void put(struct output *output, struct unwind_frame frame)
{
    if (output->count < output->most)
        output->frames[output->count++] = frame;
}

static void put_mark(struct output *output)
{
    put(output, output->mark);
    output->is_marked = true;
}

static void put_group(struct output *output, struct groups *groups)
{
    size_t end = groups->at + group_size(groups);
    for (; groups->at < end; groups->at++) {
        if (groups->scripts[groups->at].is_marked)
            put_mark(output);
        if (groups->scripts[groups->at].frame.language)
            put(output, groups->scripts[groups->at].frame);
    }
}

/* Puts the native frame, and the groups before it. */
static void put_native(struct output *output, struct groups *groups, const struct merge_native *native, bool has_all)
{
    for (size_t i = 0; i < native->groups; i++)
        put_group(output, groups);
    if (native->is_marked)
        put_mark(output);
    if (native->kind == MERGE_OTHER || has_all)
        put(output, native->frame);
}

/* Returns true if all copied frames of the language were put, and others were not copied. */
static bool is_at_cut(const struct merge_stacks *stacks, const struct groups *groups)
{
    return stacks->script_cut && groups->count && groups->at == groups->count;
}

size_t merge_stacks(const struct merge_stacks *stacks, enum merge_mode mode, struct unwind_frame mark,
                    struct unwind_frame *frames, size_t most, bool *marked)
{
    struct plan plan = plan_of(stacks);
    struct output output = {.frames = frames, .mark = mark, .most = most};
    if (plan.begins_with_mark)
        put_mark(&output);
    for (size_t i = 0; i < stacks->native_count && !is_at_cut(stacks, &plan.groups); i++)
        put_native(&output, &plan.groups, &stacks->natives[i], plan.has_all_natives || mode == MERGE_BOTH);
    while (plan.groups.at < plan.groups.count)
        put_group(&output, &plan.groups);
    *marked = output.is_marked;
    return output.count;
}
