/* SPDX-License-Identifier: MIT
 *
 * The samples of a profile as one tree of calls, by name: a node is a function with the callers above it. */
#ifndef REPORT_CALLTREE_H
#define REPORT_CALLTREE_H

#include "common/base/hash.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

struct calltree_node {
    const char *name, *module; /* owned by the profile, or by the tree */
    uint32_t function; /* the first function found with this name; PROFILE_NONE: not a function of the profile */
    uint32_t parent, first_child, next; /* node numbers; HASH_NONE: none */
    uint64_t self_ns, total_ns;
    uint64_t self_count, total_count;
    uint64_t base_ns, base_count; /* self time and count in the base of a comparison */
};

struct calltree {
    struct calltree_node *items; /* the first is the root, which represents the whole profile */
    size_t count, room;
    uint32_t *sample_nodes;    /* for each sample of the profile, its node; HASH_NONE: omitted */
    uint32_t *unsampled_nodes; /* for each process, the node of its [unsampled] time, or HASH_NONE */
    struct hash index;
    char **texts; /* names that the profile does not own */
    size_t text_count, text_room;
};

/* Fills TREE, which may be uninitialised. Top-down, the root's children are processes, by name, and below them are the
 * first functions of their threads. BOTTOM_UP, they are the functions where the time was spent, and below them are
 * their callers. Unsampled time is [unsampled], so that the root has all of the time, running and waiting. Children are
 * sorted by falling time. Times and samples of the base of a comparison are separate.
 *
 * CENTRE, if not NULL, keeps of each stack only the part around the outermost function that it matches. That
 * function comes first; below it are its callees or, BOTTOM_UP, its callers. Stacks without such a function are
 * omitted. So each sample counts once, and the callers of a recursive function are those outside of the recursion.
 * Returns 0 or -ENOMEM with TREE empty. */
int calltree_init(struct calltree *tree, const struct profile *profile, bool bottom_up, const regex_t *centre);

/* The same, top-down, for a screen: without the frames by which an interpreter loads modules, if they led to the code
 * of a module. Python leaves them out of its tracebacks, too. */
int calltree_init_brief(struct calltree *tree, const struct profile *profile);

void calltree_fini(struct calltree *tree);

#endif
