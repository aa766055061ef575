/* SPDX-License-Identifier: MIT
 *
 * The samples of a profile as one tree of calls, by name: a node is a function with the callers above it. */
#ifndef REPORT_CALLTREE_H
#define REPORT_CALLTREE_H

#include "base/hash.h"
#include "profile/profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calltree_node {
    const char *name, *module; /* owned by the profile, or by the tree */
    uint32_t function;         /* the first of this name that was met, or PROFILE_NONE: not one of the profile's */
    uint32_t parent, first_child, next; /* node numbers; HASH_NONE: none */
    uint64_t self_ns, total_ns;
    uint64_t self_count, total_count;
    uint64_t base_ns, base_count; /* its own ones in the base of a comparison */
};

struct calltree {
    struct calltree_node *items; /* the root, all of the profile, is the first */
    size_t count, room;
    uint32_t *sample_nodes;    /* of each sample of the profile, the node that has it; HASH_NONE: left out */
    uint32_t *unsampled_nodes; /* of each process, the node that has its [unsampled] time, or HASH_NONE */
    struct hash index;
    char **texts; /* names that are not the profile's */
    size_t text_count, text_room;
};

/* Fills TREE, which need not be initialised. Top-down: processes below the root, by name, then what their threads
 * began with; BOTTOM_UP: where the time was spent, then who called that. Time that no sample stands for is
 * [unsampled], so that the root has all of the time, running and waiting. Children are sorted by falling time. Time
 * and samples of the base of a comparison are apart. CENTRE, if it is not NULL, leaves of each stack what is around the
 * outermost function that it matches, which comes first: top-down that and what it called, BOTTOM_UP that and its
 * callers; stacks without such a function are left out. So a sample counts once, and what calls a recursive function is
 * what called it from outside. Returns 0 or -ENOMEM with TREE empty. */
int calltree_init(struct calltree *tree, const struct profile *profile, bool bottom_up, const regex_t *centre);
void calltree_fini(struct calltree *tree);

#endif
