/* SPDX-License-Identifier: MIT */
#include "profile/report/calltree.h"

#include "common/base/array.h"
#include "profile/profile/distinct.h"
#include "profile/profile/match.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"
#include "programs/interp/languages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* State while samples are added to the tree. */
struct filling {
    struct calltree *tree;
    const struct profile *profile;
    bool bottom_up, brief;
    struct matcher centre; /* without a pattern: everything is kept */
    unsigned char *known;  /* for each function, MATCHES or DIFFERS once it is known */
    struct stack stack;
};

enum { UNKNOWN, MATCHES, DIFFERS };

struct key {
    uint32_t parent;
    const char *name, *module;
    uint32_t function;
};

static bool is_node(const void *owner, uint32_t number, const void *key)
{
    const struct calltree_node *node = &((const struct calltree *)owner)->items[number];
    const struct key *wanted = key;
    return node->parent == wanted->parent && !strcmp(node->name, wanted->name) && !strcmp(node->module, wanted->module);
}

/* Keeps a copy of TEXT: a frame's name that the profile does not own lives only as long as the frame. */
static const char *own_copy(struct calltree *tree, const char *text)
{
    if (!array_reserve_((void **)&tree->texts, &tree->text_room, tree->text_count + 1, sizeof *tree->texts))
        return NULL;
    char *copy = strdup(text);
    if (copy)
        tree->texts[tree->text_count++] = copy;
    return copy;
}

static uint32_t append(struct calltree *tree, const struct key *key, bool owned, uint64_t value)
{
    const char *name = owned ? key->name : own_copy(tree, key->name);
    struct calltree_node node = {
        .name = name,
        .module = key->module,
        .function = key->function,
        .parent = key->parent,
        .first_child = HASH_NONE,
        .next = key->parent == HASH_NONE ? HASH_NONE : tree->items[key->parent].first_child,
    };
    uint32_t number = name ? HASH_APPEND(tree, value, &node) : HASH_NONE;
    if (number != HASH_NONE && key->parent != HASH_NONE)
        tree->items[key->parent].first_child = number;
    return number;
}

/* Returns the node with KEY, which is added if it is new. OWNED: its name is the profile's, or a literal. */
static uint32_t find_or_append(struct calltree *tree, const struct key *key, bool owned)
{
    uint64_t value = hash_number(hash_bytes(key->name, strlen(key->name)) ^ (uint64_t)key->parent << 32 ^
                                 hash_number(hash_bytes(key->module, strlen(key->module))));
    uint32_t found = hash_find(&tree->index, value, is_node, tree, key);
    return found != HASH_NONE ? found : append(tree, key, owned, value);
}

/* Returns the child of PARENT for something that is not a function. NAME is the profile's, or a literal. */
static uint32_t child_of(struct calltree *tree, uint32_t parent, const char *name)
{
    return find_or_append(tree, &(struct key){parent, name, "", PROFILE_NONE}, true);
}

/* Adds to the numbers of NODE. BASE: to its numbers in the base. */
static void charge(struct calltree_node *node, uint64_t count, uint64_t ns, bool base)
{
    *(base ? &node->base_ns : &node->self_ns) += ns;
    *(base ? &node->base_count : &node->self_count) += count;
}

/* Sums up the children of each node. A node's parent comes before the node. */
static void sum_up(struct calltree *tree)
{
    for (size_t i = tree->count; i--;) {
        struct calltree_node *node = &tree->items[i];
        node->total_ns += node->self_ns;
        node->total_count += node->self_count;
        if (node->parent == HASH_NONE)
            continue;
        tree->items[node->parent].total_ns += node->total_ns;
        tree->items[node->parent].total_count += node->total_count;
    }
}

static uint32_t descend(struct calltree *tree, uint32_t parent, const struct stack_frame *frame)
{
    struct key key = {parent, frame->name, frame->module, frame->function};
    return find_or_append(tree, &key, frame->function != PROFILE_NONE);
}

/* Descends from frame FIRST of the stack, towards its root or its leaf. Returns the last node; HASH_NONE if memory
 * runs out. */
static uint32_t descend_stack(struct filling *filling, size_t first, const char *comm)
{
    struct calltree *tree = filling->tree;
    const struct stack *stack = &filling->stack;
    uint32_t at = filling->bottom_up || filling->centre.count ? 0 : child_of(tree, 0, comm);
    for (size_t i = first; i < stack->count && at != HASH_NONE; i += filling->bottom_up ? 1 : (size_t)-1)
        at = descend(tree, at, &stack->items[i]);
    return at != HASH_NONE && filling->bottom_up ? child_of(tree, at, comm) : at;
}

static bool frame_matches(struct filling *filling, const struct stack_frame *frame)
{
    if (frame->function == PROFILE_NONE)
        return match_name(&filling->centre, frame->name);
    unsigned char *known = &filling->known[frame->function];
    const char *full = filling->profile->functions[frame->function].full_name;
    if (*known == UNKNOWN)
        *known = match_name(&filling->centre, frame->name) || (full && match_name(&filling->centre, full)) ? MATCHES
                                                                                                           : DIFFERS;
    return *known == MATCHES;
}

/* Sets *INDEX to the outermost frame of the stack that the centre matches. Returns false if it matches none. */
static bool find_centre(struct filling *filling, size_t *index)
{
    for (size_t i = filling->stack.count; i--;)
        if (frame_matches(filling, &filling->stack.items[i])) {
            *index = i;
            return true;
        }
    return false;
}

/* Returns true for Python's own code that loads modules or starts programs. */
static bool is_loader(const struct stack_frame *frame)
{
    static const char *const files[] = {"<frozen importlib.", "<frozen runpy>"};
    for (size_t i = 0; frame->file && i < sizeof files / sizeof *files; i++)
        if (!strncmp(frame->file, files[i], strlen(files[i])))
            return true;
    return false;
}

/* Drops the loader's frames that called code of a script. */
static void drop_loader(struct stack *stack)
{
    size_t left = 0;
    bool called = false;
    for (size_t i = 0; i < stack->count; i++) {
        const struct stack_frame frame = stack->items[i];
        bool loads = is_loader(&frame);
        called |= !loads && interp_language_of(frame.module) != INTERP_NONE;
        if (!loads || !called)
            stack->items[left++] = frame;
    }
    stack->count = left;
}

/* Sets *PLACE to the node of SAMPLE, if it has one. */
static int add_sample(struct filling *filling, const struct profile_sample *sample, uint32_t *place)
{
    const struct profile *profile = filling->profile;
    if (!stack_of(&filling->stack, profile, sample))
        return -ENOMEM;
    if (filling->brief)
        drop_loader(&filling->stack);
    size_t first = filling->bottom_up ? 0 : filling->stack.count - 1;
    if (filling->centre.count && !find_centre(filling, &first))
        return 0;
    uint32_t at = descend_stack(filling, first, label_process_of(profile, sample)->comm);
    if (at == HASH_NONE)
        return -ENOMEM;
    charge(&filling->tree->items[at], sample->count, profile_sample_ns(sample),
           profile->threads[sample->thread].process < profile->base_count);
    *place = at;
    return 0;
}

static int add_unsampled(struct filling *filling, const struct profile_process *process, bool base, uint32_t *place)
{
    struct calltree *tree = filling->tree;
    uint64_t ns = profile_unsampled_ns(process);
    const char *name = profile_unsampled_name(filling->profile);
    bool whole = !filling->centre.count, bottom_up = filling->bottom_up;
    if (!ns || (!whole && !match_name(&filling->centre, name)))
        return 0;
    uint32_t at = whole && !bottom_up ? child_of(tree, 0, process->comm) : 0;
    if (at != HASH_NONE)
        at = child_of(tree, at, name);
    if (at != HASH_NONE && bottom_up)
        at = child_of(tree, at, process->comm);
    if (at == HASH_NONE)
        return -ENOMEM;
    charge(&tree->items[at], 0, ns, base);
    *place = at;
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct calltree_node *a = *(const struct calltree_node *const *)left;
    const struct calltree_node *b = *(const struct calltree_node *const *)right;
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->module, b->module);
}

/* Links the children of each node again, sorted. ORDER has room for all nodes. */
static void sort_children(struct calltree *tree, struct calltree_node **order)
{
    for (size_t i = 0; i < tree->count; i++) {
        size_t count = 0;
        for (uint32_t child = tree->items[i].first_child; child != HASH_NONE; child = tree->items[child].next)
            order[count++] = &tree->items[child];
        if (count)
            qsort(order, count, sizeof *order, by_time);
        tree->items[i].first_child = count ? (uint32_t)(order[0] - tree->items) : HASH_NONE;
        for (size_t k = 0; k < count; k++)
            order[k]->next = k + 1 < count ? (uint32_t)(order[k + 1] - tree->items) : HASH_NONE;
    }
}

/* Adds each distinct stack once; its node is valid for all samples with that stack. */
static int add_samples(struct filling *filling, const struct distinct *distinct)
{
    uint32_t *nodes = hash_numbers(distinct->count);
    int result = nodes ? 0 : -ENOMEM;
    for (size_t i = 0; i < distinct->count && !result; i++)
        result = add_sample(filling, &distinct->items[i], &nodes[i]);
    for (size_t i = 0; i < filling->profile->sample_count && !result; i++)
        filling->tree->sample_nodes[i] = nodes[distinct->numbers[i]];
    free(nodes);
    return result;
}

static int fill(struct filling *filling)
{
    const struct profile *profile = filling->profile;
    struct calltree *tree = filling->tree;
    struct distinct distinct;
    int result = distinct_init(&distinct, profile);
    tree->sample_nodes = hash_numbers(profile->sample_count);
    tree->unsampled_nodes = hash_numbers(profile->process_count);
    if (!tree->sample_nodes || !tree->unsampled_nodes || (!result && child_of(tree, HASH_NONE, "") == HASH_NONE))
        result = -ENOMEM;
    if (!result)
        result = add_samples(filling, &distinct);
    for (size_t i = 0; i < profile->process_count && !result; i++)
        result = add_unsampled(filling, &profile->processes[i], i < profile->base_count, &tree->unsampled_nodes[i]);
    distinct_fini(&distinct);
    sum_up(tree);
    return result;
}

static int begin(struct filling *filling)
{
    struct calltree *tree = filling->tree;
    *tree = (struct calltree){0};
    filling->known = calloc(filling->profile->function_count + 1, sizeof *filling->known);
    int result = filling->known ? fill(filling) : -ENOMEM;
    stack_fini(&filling->stack);
    free(filling->known);
    struct calltree_node **order = result ? NULL : malloc(tree->count * sizeof *order);
    if (!order) {
        calltree_fini(tree);
        return -ENOMEM;
    }
    sort_children(tree, order);
    free(order);
    return 0;
}

int calltree_init(struct calltree *tree, const struct profile *profile, bool bottom_up, const regex_t *centre)
{
    struct filling filling = {.tree = tree,
                              .profile = profile,
                              .bottom_up = bottom_up,
                              .centre = {.patterns = centre, .count = centre != NULL}};
    return begin(&filling);
}

int calltree_init_brief(struct calltree *tree, const struct profile *profile)
{
    struct filling filling = {.tree = tree, .profile = profile, .brief = true};
    return begin(&filling);
}

void calltree_fini(struct calltree *tree)
{
    for (size_t i = 0; i < tree->text_count; i++)
        free(tree->texts[i]);
    free(tree->texts);
    free(tree->items);
    free(tree->sample_nodes);
    free(tree->unsampled_nodes);
    hash_fini(&tree->index);
    memset(tree, 0, sizeof *tree);
}
