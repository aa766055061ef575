/* SPDX-License-Identifier: MIT
 *
 * Finds the functions that match a pattern in stacks. */
#ifndef REPORT_CENTRE_H
#define REPORT_CENTRE_H

#include "profile/profile/stack.h"

#include <regex.h>

struct centre {
    const regex_t *pattern; /* NULL: matches nothing */
    const struct profile *profile;
    unsigned char *known; /* for each function, whether it matches; computed when needed */
};

/* Fills CENTRE, which may be uninitialised. Returns 0, or -ENOMEM with CENTRE empty. */
int centre_init(struct centre *centre, const struct profile *profile, const regex_t *pattern);
void centre_fini(struct centre *centre);

/* Returns true if NAME matches. */
bool centre_matches(const struct centre *centre, const char *name);

/* Sets *INDEX to the outermost matching frame of STACK. Returns false if no frame matches. */
bool centre_find(struct centre *centre, const struct stack *stack, size_t *index);

#endif
