/* SPDX-License-Identifier: MIT
 *
 * The tree of calls, for people. Each line is a function; below it are its callees or, bottom-up, its callers; or both
 * around selected functions. A chain of calls that passes all of its time on is folded into one line. Omits branches
 * below the least share, and branches too deep to read. If the omitted branches of a parent together are as large as a
 * branch, or if no least share is set, their sum is its last line. The end of the tree shows the sum of all that was
 * omitted. */
#include "profile/report/flat.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/profile/writer.h"
#include "profile/report/branches.h"
#include "profile/report/calltree.h"
#include "profile/report/chain.h"
#include "profile/report/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_INDENT = 60,
    MOST_PATH = 100, /* columns of a path, if the width is unknown */
    LEAST_NAME = 16,
    SEEN = 2000 /* smaller parts of the whole (1/N) are invisible in a column of percentages */
};

struct walk {
    const struct profile *profile;
    const struct calltree *tree;
    const struct report_options *options;
    struct buffer out;
    FILE *stream;
    uint64_t whole_ns; /* of the profile */
    uint64_t tree_ns;  /* of the tree */
    struct branches branches;
    bool up, centred;
    bool paths;        /* show only the heaviest ones, */
    size_t most_lines; /* in at most this many lines; 0: any number */
    struct text_unit unit;
    const char **names;    /* of the current chain; room for all nodes */
    unsigned char *values; /* and how informative each is */
    size_t left_out;       /* number of branches */
    uint64_t left_out_ns;
    int result;
};

static void put_numbers(struct walk *walk, uint64_t total_ns, uint64_t self_ns)
{
    struct buffer cell = {0};
    text_share(&walk->out, total_ns, walk->whole_ns);
    if (walk->centred)
        text_share(&walk->out, total_ns, walk->tree_ns);
    if (!walk->up)
        text_share(&walk->out, self_ns, walk->whole_ns);
    text_time(&cell, total_ns, walk->unit);
    buffer_printf(&walk->out, "%9s  ", cell.bytes ? cell.bytes : "");
    walk->out.failed |= cell.failed;
    buffer_fini(&cell);
}

static unsigned numbers_width(const struct walk *walk)
{
    const unsigned share = 8, time = 11;
    return time + (walk->up ? share : 2 * share) + (walk->centred ? share : 0);
}

static void put_titles(struct walk *walk, const char *clock)
{
    char unit[16], paths[80];
    unsigned width = walk->options->width, numbers = numbers_width(walk);
    snprintf(unit, sizeof unit, "%s %s", clock, walk->unit.name);
    buffer_printf(&walk->out, "%7s %s%s%9s  ", "total", walk->centred ? "  of it " : "", walk->up ? "" : "   self ",
                  unit);
    snprintf(paths, sizeof paths, "heaviest paths, from %g %% (all: --format=tree)", walk->branches.least_percent);
    text_cut(&walk->out,
             walk->paths ? paths
             : walk->up  ? "function, and below it its callers"
                         : "function, and below it its callees",
             !width            ? UINT_MAX
             : width > numbers ? width - numbers
                               : 0,
             0, false);
    buffer_puts(&walk->out, "\n");
}

/* Returns how many columns the line has left. */
static unsigned put_indent(struct walk *walk, unsigned depth)
{
    unsigned width = walk->options->width, numbers = numbers_width(walk), left = width > numbers ? width - numbers : 0;
    unsigned most = width && left / 4 * 2 < MOST_INDENT ? left / 4 * 2 : MOST_INDENT;
    unsigned columns = depth * 2 < most ? depth * 2 : most;
    size_t before = walk->out.length;
    text_spaces(&walk->out, columns);
    if (columns < depth * 2)
        buffer_printf(&walk->out, "+%u ", depth - columns / 2); /* levels that are deeper than the indentation */
    unsigned used = (unsigned)(walk->out.length - before);
    if (!width)
        return walk->paths ? MOST_PATH : UINT32_MAX;
    return left > used + LEAST_NAME ? left - used : LEAST_NAME;
}

/* Counts CHILD and its later siblings as omitted. Returns their time. */
static uint64_t leave_out(struct walk *walk, uint32_t child)
{
    uint64_t ns = 0;
    for (; child != HASH_NONE; child = walk->tree->items[child].next) {
        walk->left_out++;
        ns += walk->tree->items[child].total_ns;
    }
    walk->left_out_ns += ns;
    return ns;
}

/* Puts the module of a chain's names, if they share one. */
static void put_module(struct walk *walk, const char *module, unsigned columns)
{
    if (!module || !module[0] || columns <= LEAST_NAME)
        return;
    struct buffer clean = {0};
    text_clean(&clean, module, walk->options->utf8);
    buffer_puts(&walk->out, "  ");
    text_cut_end(&walk->out, clean.bytes ? clean.bytes : "", columns - 2, 0, walk->options->utf8);
    walk->out.failed |= clean.failed;
    buffer_fini(&clean);
}

/* Returns how informative NODE is in a chain; CALLED_FROM is the module of its caller. */
static enum chain_value value_of(const struct walk *walk, const struct calltree_node *node, const char *called_from)
{
    if (node->function == PROFILE_NONE && !strcmp(node->module, "")) /* a process, or [unsampled] */
        return CHAIN_LEAST;
    if (!strncmp(node->name, "__libc_start", 12))
        return CHAIN_USUAL;
    if (branches_is_own(walk->profile, node->function))
        return CHAIN_OWN;
    return called_from[0] && strcmp(node->module, called_from) ? CHAIN_ENTRY : CHAIN_USUAL;
}

/* Finds how informative each of the COUNT names of the chain is. LAST: the end of the chain. */
static void find_values(struct walk *walk, const struct calltree_node *last, size_t count)
{
    const struct calltree_node *node = last, *below = last;
    for (size_t i = count; i--; below = node, node = &walk->tree->items[node->parent])
        walk->values[i] =
            (unsigned char)value_of(walk, node, walk->up ? below->module : walk->tree->items[node->parent].module);
}

/* Drops start-up code common to all programs, and recursion, from the COUNT names of the current chain. Returns how
 * many are left. */
static size_t drop_plain(struct walk *walk, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (branches_is_start_up(walk->names[i]) || (left && !strcmp(walk->names[i], walk->names[left - 1])))
            continue;
        walk->names[left] = walk->names[i];
        walk->values[left++] = walk->values[i];
    }
    return left ? left : count;
}

/* Puts the line of the chain that begins with NUMBER. Returns the last node of the chain. */
static uint32_t put_chain(struct walk *walk, uint32_t number, unsigned depth)
{
    const struct calltree *tree = walk->tree;
    const struct calltree_node *first = &tree->items[number], *last = first;
    const char *module = first->module;
    size_t count = 0;
    walk->names[count++] = first->name;
    for (;;) {
        uint32_t next = branches_only(&walk->branches, (uint32_t)(last - tree->items), first->total_ns);
        if (next == HASH_NONE)
            break;
        last = &tree->items[next];
        leave_out(walk, last->next);
        walk->names[count++] = last->name;
        module = module && !strcmp(module, last->module) ? module : NULL;
    }
    find_values(walk, last, count);
    if (walk->paths)
        count = drop_plain(walk, count);
    put_numbers(walk, first->total_ns, last->self_ns);
    unsigned left = put_indent(walk, depth);
    unsigned taken = chain_put(&walk->out, walk->names, walk->values, count, left, walk->up, walk->options->utf8);
    put_module(walk, module, left > taken ? left - taken : 0);
    buffer_puts(&walk->out, "\n");
    if (walk->stream && !walk->result)
        walk->result = text_write_full(&walk->out, walk->stream);
    return (uint32_t)(last - tree->items);
}

/* Puts the branches below node NUMBER. Children are sorted, so all after the first omitted one are omitted, too. */
static void put_children(struct walk *walk, uint32_t number, unsigned depth)
{
    const struct calltree *tree = walk->tree;
    double least = branches_least_ns(&walk->branches);
    uint32_t child = branches_first(&walk->branches, number);
    for (; child != HASH_NONE && depth < BRANCHES_DEEPEST && (double)tree->items[child].total_ns >= least;
         child = tree->items[child].next)
        put_children(walk, put_chain(walk, child, depth), depth + 1);
    size_t before = walk->left_out;
    uint64_t others_ns = leave_out(walk, child);
    bool alone = child == tree->items[number].first_child;
    if (walk->left_out == before || (double)others_ns < least || (walk->paths && alone))
        return;
    put_numbers(walk, others_ns, 0);
    put_indent(walk, depth);
    size_t count = walk->left_out - before;
    buffer_printf(&walk->out, "(%zu %s)\n", count, text_plural(count, "other", "others"));
}

static void put_left_out(struct walk *walk)
{
    if (!walk->left_out || walk->options->min_branch <= 0)
        return;
    buffer_printf(&walk->out, "\n%zu %s below %g %% %s left out, ", walk->left_out,
                  text_plural(walk->left_out, "branch", "branches"), walk->options->min_branch,
                  text_plural(walk->left_out, "is", "each are"));
    text_percent(&walk->out, walk->left_out_ns, walk->tree_ns);
    buffer_puts(&walk->out, " % in all; --min=0 shows them\n");
}

static void put_centre(struct walk *walk, const char *text, bool wall)
{
    buffer_printf(&walk->out, "%s of '", walk->up ? "callers" : "callees");
    text_clean(&walk->out, text, walk->options->utf8);
    if (walk->tree->count < 2) {
        buffer_puts(&walk->out, "': no function matches\n");
        return;
    }
    buffer_puts(&walk->out, "': ");
    text_duration(&walk->out, walk->tree_ns);
    buffer_puts(&walk->out, ", ");
    text_percent(&walk->out, walk->tree_ns, walk->whole_ns);
    buffer_printf(&walk->out, " %% of %s\n\n", wall ? "the time" : "the CPU time");
}

/* Chooses what is shown. Returns 0 or -ENOMEM. */
static int choose(struct walk *walk)
{
    double least = walk->options->min_branch;
    walk->branches = (struct branches){.tree = walk->tree, .fold = walk->options->fold, .least_percent = least};
    if (walk->paths)
        return branches_fit(&walk->branches, walk->profile, walk->most_lines);
    walk->branches.unseen_ns = least > 0 ? walk->whole_ns / SEEN : 0;
    return 0;
}

static int put_tree(struct walk *walk, const struct profile *profile, const struct report_pattern *centre)
{
    struct calltree tree;
    int result = walk->paths ? calltree_init_brief(&tree, profile)
                             : calltree_init(&tree, profile, walk->up, centre ? &centre->compiled : NULL);
    if (result)
        return result;
    walk->tree = &tree;
    walk->left_out = walk->left_out_ns = 0;
    walk->tree_ns = tree.items[0].total_ns;
    walk->centred = centre != NULL;
    walk->names = malloc(tree.count * sizeof *walk->names);
    walk->values = malloc(tree.count);
    if (centre)
        put_centre(walk, centre->text, profile->quality.wall);
    result = walk->names && walk->values ? choose(walk) : -ENOMEM;
    if (!result && (!centre || tree.count > 1)) {
        put_titles(walk, profile->quality.wall ? "wall" : "CPU");
        put_children(walk, 0, 0);
        if (!walk->paths)
            put_left_out(walk);
    }
    branches_fini(&walk->branches);
    free(walk->names);
    free(walk->values);
    calltree_fini(&tree);
    return result ? result : walk->result;
}

int report_tree_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct walk walk = {
        .profile = profile, .options = options, .stream = stream, .whole_ns = profile_whole_ns(profile), .up = true};
    int result = 0;
    walk.unit = text_unit_for(walk.whole_ns);
    if (options->callers)
        result = put_tree(&walk, profile, options->callers);
    if (options->callers && options->callees)
        buffer_puts(&walk.out, "\n");
    walk.up = options->bottom_up && !options->callees;
    if (!result && (options->callees || !options->callers))
        result = put_tree(&walk, profile, options->callees);
    return text_end(&walk.out, stream, result);
}

int tree_put_paths(struct buffer *out, const struct profile *profile, const struct report_options *options,
                   size_t most_lines)
{
    struct walk walk = {.profile = profile,
                        .options = options,
                        .whole_ns = profile_whole_ns(profile),
                        .paths = true,
                        .most_lines = most_lines};
    walk.unit = text_unit_for(walk.whole_ns);
    int result = put_tree(&walk, profile, NULL);
    buffer_append(out, walk.out.bytes ? walk.out.bytes : "", walk.out.length);
    out->failed |= walk.out.failed;
    buffer_fini(&walk.out);
    return result;
}
