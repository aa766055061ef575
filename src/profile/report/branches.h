/* SPDX-License-Identifier: MIT
 *
 * Decides which branches of a tree of calls are shown, and which share a line. */
#ifndef REPORT_BRANCHES_H
#define REPORT_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calltree;
struct profile;

enum { BRANCHES_DEEPEST = 200 };

struct branches {
    const struct calltree *tree;
    bool fold;             /* show a chain of calls as one line */
    double least_percent;  /* share of the tree below which branches are left out */
    uint64_t unseen_ns;    /* time that a chain may lose between its ends, */
    unsigned kept_percent; /* or it keeps at least this share of its time; 0: no such limit */
    bool *hidden;          /* for each node, whether its children are omitted; NULL: none are */
};

void branches_fini(struct branches *branches);

/* Returns the least time of a shown branch. */
double branches_least_ns(const struct branches *branches);

/* Returns the heaviest branch below node NUMBER; HASH_NONE if it has none, or they are hidden. */
uint32_t branches_first(const struct branches *branches, uint32_t number);

/* Returns the only branch of node NUMBER if that branch has all of TOTAL_NS, the time of the chain that leads to the
 * node, or its largest if that has nearly all. Otherwise returns HASH_NONE. */
uint32_t branches_only(const struct branches *branches, uint32_t number, uint64_t total_ns);

/* Sets up BRANCHES, with its tree set, for the heaviest paths of PROFILE in at most MOST_LINES lines (0: any
 * number). Shows branches of at least 5 %. If they are too many, shows functions that pass on at least 90 % of their
 * time in one line with the heaviest callee, and hides what libraries do below functions of the program's own. Then
 * raises the least share. Returns 0 or -ENOMEM. */
int branches_fit(struct branches *branches, const struct profile *profile, size_t most_lines);

/* Returns true if FUNCTION was written by the program's owner: it is in the program and not from a language's
 * library, in a script, or in a program that a runtime compiles. */
bool branches_is_own(const struct profile *profile, uint32_t function);

/* Returns true if NAME is start-up code: it runs before a program's main, or before a thread's first function. */
bool branches_is_start_up(const char *name);

#endif
