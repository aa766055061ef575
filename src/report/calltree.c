/* SPDX-License-Identifier: MIT */
#include "report/calltree.h"

#include "base/array.h"
#include "report/distinct.h"
#include "report/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct key {
    uint32_t parent;
    const char *name, *module;
    uint32_t function;
};

static bool is_node(const void *owner, uint32_t number, const void *key)
{
    const struct calltree_node *node = &((const struct calltree *)owner)->items[number];
    const struct key *wanted = key;
    return node->parent == wanted->parent && !strcmp(node->name, wanted->name) &&
           !strcmp(node->module, wanted->module);
}

/* A name of a frame that the profile does not own lives only as long as the frame. */
static const char *keep(struct calltree *tree, const char *text)
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
    const char *name = owned ? key->name : keep(tree, key->name);
    if (!name || tree->count >= HASH_NONE || !ARRAY_RESERVE_ONE(tree) ||
        !hash_add(&tree->index, value, (uint32_t)tree->count))
        return HASH_NONE;
    struct calltree_node *node = &tree->items[tree->count];
    *node = (struct calltree_node){
        .name = name,
        .module = key->module,
        .function = key->function,
        .parent = key->parent,
        .first_child = HASH_NONE,
        .next = HASH_NONE,
    };
    if (key->parent != HASH_NONE) {
        node->next = tree->items[key->parent].first_child;
        tree->items[key->parent].first_child = (uint32_t)tree->count;
    }
    return (uint32_t)tree->count++;
}

/* The node with KEY, which is added if it is new; OWNED: its name is the profile's, or a literal. */
static uint32_t find_or_append(struct calltree *tree, const struct key *key, bool owned)
{
    uint64_t value = hash_number(hash_bytes(key->name, strlen(key->name)) ^ (uint64_t)key->parent << 32 ^
                                 hash_number(hash_bytes(key->module, strlen(key->module))));
    uint32_t found = hash_find(&tree->index, value, is_node, tree, key);
    return found != HASH_NONE ? found : append(tree, key, owned, value);
}

/* The child of PARENT for what is no function: NAME is the profile's, or a literal. */
static uint32_t child_of(struct calltree *tree, uint32_t parent, const char *name)
{
    return find_or_append(tree, &(struct key){parent, name, "", PROFILE_NONE}, true);
}

/* BASE: what is added is the base's. */
static void charge(struct calltree_node *node, uint64_t count, uint64_t ns, bool base)
{
    *(base ? &node->base_ns : &node->self_ns) += ns;
    *(base ? &node->base_count : &node->self_count) += count;
}

/* A node's parent comes before it. */
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

static int add_sample(struct calltree *tree, struct stack *stack, const struct profile *profile,
                      const struct profile_sample *sample, size_t base_count, bool bottom_up)
{
    if (!stack_of(stack, profile, sample))
        return -ENOMEM;
    uint32_t at = bottom_up ? 0 : child_of(tree, 0, label_process_of(profile, sample)->comm);
    for (size_t i = 0; i < stack->count && at != HASH_NONE; i++)
        at = descend(tree, at, &stack->items[bottom_up ? i : stack->count - 1 - i]);
    if (at != HASH_NONE && bottom_up)
        at = child_of(tree, at, label_process_of(profile, sample)->comm);
    if (at == HASH_NONE)
        return -ENOMEM;
    charge(&tree->items[at], sample->count, profile_sample_ns(sample),
           profile->threads[sample->thread].process < base_count);
    return 0;
}

static int add_unsampled(struct calltree *tree, const struct profile_process *process, bool base,
                         bool bottom_up)
{
    uint64_t ns = profile_unsampled_ns(process);
    if (!ns)
        return 0;
    uint32_t at = child_of(tree, 0, bottom_up ? LABEL_UNSAMPLED : process->comm);
    if (at != HASH_NONE)
        at = child_of(tree, at, bottom_up ? process->comm : LABEL_UNSAMPLED);
    if (at == HASH_NONE)
        return -ENOMEM;
    charge(&tree->items[at], 0, ns, base);
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

/* Links the children of each node anew. ORDER has room for all nodes. */
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

static int fill(struct calltree *tree, const struct profile *profile, size_t base_count, bool bottom_up)
{
    struct stack stack = {0};
    struct distinct distinct;
    int result = distinct_init(&distinct, profile, base_count);
    if (!result && child_of(tree, HASH_NONE, "") == HASH_NONE)
        result = -ENOMEM;
    for (size_t i = 0; i < distinct.count && !result; i++)
        result = add_sample(tree, &stack, profile, &distinct.items[i], base_count, bottom_up);
    for (size_t i = 0; i < profile->process_count && !result; i++)
        result = add_unsampled(tree, &profile->processes[i], i < base_count, bottom_up);
    stack_fini(&stack);
    distinct_fini(&distinct);
    sum_up(tree);
    return result;
}

int calltree_init(struct calltree *tree, const struct profile *profile, size_t base_count, bool bottom_up)
{
    *tree = (struct calltree){0};
    int result = fill(tree, profile, base_count, bottom_up);
    struct calltree_node **order = result ? NULL : malloc(tree->count * sizeof *order);
    if (!order) {
        calltree_fini(tree);
        return -ENOMEM;
    }
    sort_children(tree, order);
    free(order);
    return 0;
}

void calltree_fini(struct calltree *tree)
{
    for (size_t i = 0; i < tree->text_count; i++)
        free(tree->texts[i]);
    free(tree->texts);
    free(tree->items);
    hash_free(&tree->index);
    memset(tree, 0, sizeof *tree);
}
