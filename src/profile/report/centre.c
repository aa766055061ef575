/* SPDX-License-Identifier: MIT */
#include "profile/report/centre.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, MATCHES, DIFFERS };

int centre_init(struct centre *centre, const struct profile *profile, const regex_t *pattern)
{
    *centre = (struct centre){.profile = profile};
    if (!pattern)
        return 0;
    centre->known = calloc(profile->function_count + 1, sizeof *centre->known);
    centre->pattern = centre->known ? pattern : NULL;
    return centre->known ? 0 : -ENOMEM;
}

void centre_fini(struct centre *centre)
{
    free(centre->known);
    memset(centre, 0, sizeof *centre);
}

bool centre_matches(const struct centre *centre, const char *name)
{
    return !regexec(centre->pattern, name, 0, NULL, 0);
}

static bool frame_matches(struct centre *centre, const struct stack_frame *frame)
{
    if (frame->function == PROFILE_NONE)
        return centre_matches(centre, frame->name);
    unsigned char *known = &centre->known[frame->function];
    const char *full = centre->profile->functions[frame->function].full_name;
    if (*known == UNKNOWN)
        *known = centre_matches(centre, frame->name) || (full && centre_matches(centre, full)) ? MATCHES : DIFFERS;
    return *known == MATCHES;
}

bool centre_find(struct centre *centre, const struct stack *stack, size_t *index)
{
    for (size_t i = stack->count; i--;)
        if (frame_matches(centre, &stack->items[i])) {
            *index = i;
            return true;
        }
    return false;
}
