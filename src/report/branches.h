/* SPDX-License-Identifier: MIT
 *
 * Which branches of a tree of calls are shown, and which of them share a line. */
#ifndef REPORT_BRANCHES_H
#define REPORT_BRANCHES_H

#include "report/calltree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BRANCHES_DEEPEST = 200 };

struct branches {
    const struct calltree *tree;
    bool fold;            /* a chain of calls is one line */
    double least_percent; /* of the tree: smaller branches are left out */
    uint64_t unseen_ns;   /* time that a chain may lose on its way */
    bool *hidden;         /* of each node, whether what is below it is left out; NULL: of none */
};

void branches_fini(struct branches *branches);

/* The least time of a branch. */
double branches_least_ns(const struct branches *branches);

/* The heaviest branch below node NUMBER; HASH_NONE if none exists, or it is left out as hidden. */
uint32_t branches_first(const struct branches *branches, uint32_t number);

/* The only branch below node NUMBER that is worth a word, if it has all of TOTAL_NS, what the chain has that leads to
 * it; HASH_NONE else. */
uint32_t branches_only(const struct branches *branches, uint32_t number, uint64_t total_ns);

/* Sets BRANCHES up, whose tree is set, for the heaviest paths of PROFILE in at most MOST_LINES lines (0: any number).
 * Branches from 5 % on are shown. If these are too many, first what libraries do below functions of the program's own
 * is left out, then the least share rises. Returns 0 or -ENOMEM. */
int branches_fit(struct branches *branches, const struct profile *profile, size_t most_lines);

/* True if FUNCTION is one that the program's owner has written: it is in the program itself and not of a language's
 * library, or it is of a script, or of a program that a runtime compiles. */
bool branches_is_own(const struct profile *profile, uint32_t function);

/* True if NAME is of what runs before a program's main, or a thread's first function. */
bool branches_is_start_up(const char *name);

#endif
