/* SPDX-License-Identifier: MIT */
#include "profile/profile/stack.h"

#include "common/base/array.h"
#include "profile/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static bool push(struct stack *stack, struct stack_frame frame)
{
    if (!ARRAY_RESERVE_ONE(stack))
        return false;
    stack->items[stack->count++] = frame;
    return true;
}

static bool push_made_up(struct stack *stack, const char *name, const char *module)
{
    return push(stack, (struct stack_frame){
                           .name = name, .module = module, .function = PROFILE_NONE, .location = PROFILE_NONE});
}

static struct stack_frame frame_of(const struct profile *profile, uint32_t location, uint32_t function)
{
    return (struct stack_frame){
        .name = profile->functions[function].name,
        .module = label_module(profile, location),
        .function = function,
        .location = location,
    };
}

static bool push_location(struct stack *stack, const struct profile *profile, uint32_t number)
{
    const struct profile_location *location = &profile->locations[number];
    if (!location->line_count)
        return push(stack, frame_of(profile, number, location->function));
    for (uint32_t i = 0; i < location->line_count; i++) {
        const struct profile_line *line = &profile->lines[location->line_first + i];
        struct stack_frame frame = frame_of(profile, number, line->function);
        frame.file = line->file == PROFILE_NONE ? NULL : profile->files[line->file];
        frame.line = line->line;
        if (!push(stack, frame))
            return false;
    }
    return true;
}

static bool push_cut(struct stack *stack, enum profile_cut cut)
{
    return cut == PROFILE_WHOLE || push_made_up(stack, profile_cut_name(cut), "");
}

bool stack_of(struct stack *stack, const struct profile *profile, const struct profile_sample *sample)
{
    bool pushed = true;
    stack->count = 0;
    if (label_in_syscall(sample)) {
        stack->syscall = label_syscall(sample->syscall);
        pushed = push_made_up(stack, stack->syscall.text, LABEL_KERNEL);
    }
    for (uint32_t i = 0; i < sample->frame_count && pushed; i++)
        pushed = push_location(stack, profile, profile->frames[sample->frame_first + i]);
    return pushed && push_cut(stack, (enum profile_cut)sample->cut);
}

void stack_fini(struct stack *stack)
{
    free(stack->items);
    memset(stack, 0, sizeof *stack);
}
