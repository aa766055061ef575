/* SPDX-License-Identifier: MIT
 *
 * A page with a flame graph that can be searched and zoomed. It is whole in itself: a browser needs no
 * network to show it, and is told to use none. The page is data/page.html; here its data are written, the
 * tree of calls as JSON. Of a comparison there is one tree, each of whose nodes has the base's time, too. */
#include "report/report.h"

#include "record/merge.h"
#include "report/calltree.h"
#include "report/frames.h"
#include "report/json.h"
#include "report/page.h"
#include "report/text.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16 };

struct writer {
    const struct profile *profile; /* whose quality and command are told */
    struct calltree tree;
    struct frames frames;
    struct texts paths;      /* of objects and of sources */
    uint32_t *frame_numbers; /* of each node; the root has none */
    struct buffer out;
    FILE *stream;
    int result;
};

static void flush_full(struct writer *writer)
{
    if (writer->out.length >= CHUNK && !writer->result)
        writer->result = text_write(&writer->out, writer->stream);
}

static int number_nodes(struct writer *writer)
{
    const struct calltree *tree = &writer->tree;
    writer->frame_numbers = malloc(tree->count * sizeof *writer->frame_numbers);
    if (!writer->frame_numbers)
        return -ENOMEM;
    for (size_t i = 1; i < tree->count; i++) {
        const struct calltree_node *node = &tree->items[i];
        writer->frame_numbers[i] = frames_number(&writer->frames, node->function, node->name, node->module);
        if (writer->frame_numbers[i] == HASH_NONE)
            return -ENOMEM;
    }
    return 0;
}

/* A column is one property of all nodes, or of all frames; I is the number of one. */
typedef void put_cell(struct writer *writer, size_t i);

static void put_column(struct writer *writer, const char *name, size_t first, size_t count, put_cell *put)
{
    buffer_printf(&writer->out, ",\n\"%s\":[", name);
    for (size_t i = first; i < count; i++) {
        buffer_puts(&writer->out, i > first ? "," : "");
        put(writer, i);
        flush_full(writer);
    }
    buffer_puts(&writer->out, "]");
}

static void put_number(struct writer *writer, uint64_t number)
{
    buffer_number(&writer->out, number);
}

static void put_frame_name(struct writer *writer, size_t i)
{
    const char *name = writer->frames.items[i].name;
    json_put_text(&writer->out, *name ? name : "[unnamed]");
}

static void put_path(struct writer *writer, const char *path)
{
    uint32_t number = texts_add(&writer->paths, path ? path : "");
    if (number == HASH_NONE)
        writer->out.failed = true;
    put_number(writer, number);
}

static void put_frame_object(struct writer *writer, size_t i)
{
    put_path(writer, writer->frames.items[i].path);
}

static void put_frame_file(struct writer *writer, size_t i)
{
    put_path(writer, writer->frames.items[i].file);
}

static void put_frame_line(struct writer *writer, size_t i)
{
    put_number(writer, writer->frames.items[i].line);
}

static void put_node_parent(struct writer *writer, size_t i)
{
    put_number(writer, writer->tree.items[i].parent);
}

static void put_node_frame(struct writer *writer, size_t i)
{
    put_number(writer, writer->frame_numbers[i]);
}

static void put_node_cpu(struct writer *writer, size_t i)
{
    put_number(writer, writer->tree.items[i].self_ns);
}

static void put_node_samples(struct writer *writer, size_t i)
{
    put_number(writer, writer->tree.items[i].self_count);
}

static void put_node_base_cpu(struct writer *writer, size_t i)
{
    put_number(writer, writer->tree.items[i].base_ns);
}

static void put_node_base_samples(struct writer *writer, size_t i)
{
    put_number(writer, writer->tree.items[i].base_count);
}

static void put_command(struct writer *writer, const struct profile *profile)
{
    buffer_puts(&writer->out, "{\"command\":");
    json_put_text(&writer->out, profile->command ? profile->command : "");
}

static void put_facts(struct writer *writer, const struct report_options *options)
{
    const struct profile_quality *quality = &writer->profile->quality;
    put_command(writer, writer->profile);
    if (options->base) {
        buffer_puts(&writer->out, ",\n\"base\":");
        put_command(writer, options->base);
        buffer_puts(&writer->out, "}");
    }
    buffer_printf(&writer->out, ",\n\"wallNs\":%llu,\"rate\":%u,\"bottomUp\":%s",
                  (unsigned long long)quality->wall_ns, quality->rate, options->bottom_up ? "true" : "false");
    if (quality->wall)
        buffer_puts(&writer->out, ",\"waits\":true");
    if (options->filter_count) {
        buffer_printf(&writer->out, ",\"wholeNs\":%llu,\"filters\":", (unsigned long long)profile_whole_ns(writer->profile));
        json_put_texts(&writer->out, options->filters, options->filter_count);
    }
}

/* The columns of nodes begin with node 1: node 0 is the root, which has nothing of its own. A node's parent
 * comes before it. A path is a number in "paths". */
static void put_data(struct writer *writer, const struct report_options *options)
{
    put_facts(writer, options);
    put_column(writer, "nodeParent", 1, writer->tree.count, put_node_parent);
    put_column(writer, "nodeFrame", 1, writer->tree.count, put_node_frame);
    put_column(writer, "nodeNs", 1, writer->tree.count, put_node_cpu);
    put_column(writer, "nodeSamples", 1, writer->tree.count, put_node_samples);
    if (options->base) {
        put_column(writer, "nodeBaseNs", 1, writer->tree.count, put_node_base_cpu);
        put_column(writer, "nodeBaseSamples", 1, writer->tree.count, put_node_base_samples);
    }
    put_column(writer, "frameName", 0, writer->frames.count, put_frame_name);
    put_column(writer, "frameObject", 0, writer->frames.count, put_frame_object);
    put_column(writer, "frameFile", 0, writer->frames.count, put_frame_file);
    put_column(writer, "frameLine", 0, writer->frames.count, put_frame_line);
    buffer_puts(&writer->out, ",\n\"paths\":");
    json_put_texts(&writer->out, writer->paths.items, writer->paths.count);
    buffer_puts(&writer->out, "}\n");
}

static int put_page(struct writer *writer, const struct report_options *options)
{
    buffer_puts(&writer->out, page_head);
    put_data(writer, options);
    buffer_puts(&writer->out, page_tail);
    if (!writer->result)
        writer->result = text_write(&writer->out, writer->stream);
    return writer->result ? writer->result : text_flush(writer->stream);
}

/* The tree is of SHOWN, whose first BASE_COUNT processes are the base. */
static int put_tree(struct writer *writer, const struct profile *shown, size_t base_count,
                    const struct report_options *options)
{
    int result = calltree_init(&writer->tree, shown, base_count, false, NULL);
    if (result)
        return result;
    result = frames_init(&writer->frames, shown);
    if (!result)
        result = number_nodes(writer);
    if (!result)
        result = put_page(writer, options);
    calltree_fini(&writer->tree);
    frames_fini(&writer->frames);
    texts_free(&writer->paths);
    free(writer->frame_numbers);
    buffer_free(&writer->out);
    return result;
}

int report_html_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct writer writer = {.profile = profile, .stream = stream};
    if (!options->base)
        return put_tree(&writer, profile, 0, options);
    size_t base_count;
    struct profile *both = merge_with_base(options->base, profile, &base_count);
    int result = both ? put_tree(&writer, both, base_count, options) : -ENOMEM;
    profile_free(both);
    return result;
}
