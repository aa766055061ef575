/* SPDX-License-Identifier: MIT
 *
 * The functions of a profile that a pattern means, found in stacks. */
#ifndef REPORT_CENTRE_H
#define REPORT_CENTRE_H

#include "profile/stack.h"

#include <regex.h>

struct centre {
    const regex_t *pattern; /* NULL: none is looked for */
    const struct profile *profile;
    unsigned char *known; /* of each function, whether it matches, as far as that was asked */
};

/* Fills CENTRE, which need not be initialised. Returns 0, or -ENOMEM with CENTRE empty. */
int centre_init(struct centre *centre, const struct profile *profile, const regex_t *pattern);
void centre_fini(struct centre *centre);

/* True if NAME matches. */
bool centre_matches(const struct centre *centre, const char *name);

/* Sets *INDEX to the outermost frame of STACK that matches. False if none does. */
bool centre_find(struct centre *centre, const struct stack *stack, size_t *index);

#endif
