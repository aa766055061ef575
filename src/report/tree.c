/* SPDX-License-Identifier: MIT
 *
 * The tree of calls, for people: each line a function, below it what it called, or bottom-up who called it. Branches
 * below the least share, and what is deeper than anybody reads, are added up in a last line of their parent. */
#include "report/report.h"

#include "report/calltree.h"
#include "report/text.h"

#include <errno.h>
#include <stdio.h>

enum { DEEPEST = 200, CHUNK = 1 << 16, MOST_INDENT = 60 };

struct walk {
    const struct calltree *tree;
    const struct report_options *options;
    struct buffer out, clean;
    FILE *stream;
    uint64_t whole_ns;
    struct text_unit unit;
    int result;
};

static void put_numbers(struct walk *walk, uint64_t total_ns, uint64_t self_ns)
{
    struct buffer cell = {0};
    text_percent(&cell, total_ns, walk->whole_ns);
    buffer_printf(&walk->out, "%6s%%", cell.bytes ? cell.bytes : "");
    cell.length = 0;
    text_percent(&cell, self_ns, walk->whole_ns);
    if (!walk->options->bottom_up)
        buffer_printf(&walk->out, " %6s%%", cell.bytes ? cell.bytes : "");
    cell.length = 0;
    text_time(&cell, total_ns, walk->unit);
    buffer_printf(&walk->out, " %9s  ", cell.bytes ? cell.bytes : "");
    walk->out.failed |= cell.failed;
    buffer_free(&cell);
}

static unsigned put_indent(struct walk *walk, unsigned depth)
{
    unsigned columns = depth * 2 < MOST_INDENT ? depth * 2 : MOST_INDENT;
    text_spaces(&walk->out, columns);
    return columns;
}

static void put_name(struct walk *walk, const char *text, unsigned columns)
{
    walk->clean.length = 0;
    text_clean(&walk->clean, text, walk->options->utf8);
    text_cut(&walk->out, walk->clean.bytes ? walk->clean.bytes : "", columns, 0, walk->options->utf8);
}

static void put_node(struct walk *walk, const struct calltree_node *node, unsigned depth)
{
    enum { NUMBERS = 27, LEAST = 16 };
    put_numbers(walk, node->total_ns, node->self_ns);
    unsigned used = NUMBERS + put_indent(walk, depth), width = walk->options->width;
    unsigned left = !width ? UINT32_MAX : width > used + LEAST ? width - used : LEAST;
    put_name(walk, node->name, left);
    if (node->module[0] && left > text_columns(walk->clean.bytes ? walk->clean.bytes : "") + LEAST) {
        buffer_puts(&walk->out, "  ");
        put_name(walk, node->module, LEAST);
    }
    buffer_puts(&walk->out, "\n");
    if (walk->out.length >= CHUNK && !walk->result)
        walk->result = text_write(&walk->out, walk->stream);
}

static void put_others(struct walk *walk, uint64_t total_ns, size_t count, unsigned depth)
{
    put_numbers(walk, total_ns, 0);
    put_indent(walk, depth);
    buffer_printf(&walk->out, "(%zu others)\n", count);
}

static void put_children(struct walk *walk, uint32_t number, unsigned depth)
{
    const struct calltree *tree = walk->tree;
    double least = walk->options->min_percent / 100 * (double)walk->whole_ns;
    uint64_t others_ns = 0;
    size_t others = 0;
    for (uint32_t child = tree->items[number].first_child; child != HASH_NONE; child = tree->items[child].next) {
        const struct calltree_node *node = &tree->items[child];
        if (depth < DEEPEST && (double)node->total_ns >= least) {
            put_node(walk, node, depth);
            put_children(walk, child, depth + 1);
        } else {
            others_ns += node->total_ns;
            others++;
        }
    }
    if (others)
        put_others(walk, others_ns, others, depth);
}

int report_tree_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct calltree tree;
    int result = calltree_init(&tree, profile, 0, options->bottom_up);
    if (result)
        return result;
    struct walk walk = {.tree = &tree, .options = options, .stream = stream, .whole_ns = tree.items[0].total_ns};
    walk.unit = text_unit_for(walk.whole_ns);
    char unit[16];
    snprintf(unit, sizeof unit, "%s %s", profile->quality.wall ? "wall" : "CPU", walk.unit.name);
    if (options->bottom_up)
        buffer_printf(&walk.out, "%7s %9s  %s\n", "total", unit, "function, and below it its callers");
    else
        buffer_printf(&walk.out, "%7s %7s %9s  %s\n", "total", "self", unit, "function, and below it what it called");
    put_children(&walk, 0, 0);
    result = walk.result ? walk.result : text_write(&walk.out, stream);
    buffer_free(&walk.out);
    buffer_free(&walk.clean);
    calltree_fini(&tree);
    return result ? result : text_flush(stream);
}
