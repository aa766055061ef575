/* SPDX-License-Identifier: MIT
 *
 * A page with a flame graph that can be searched and zoomed. It is self-contained: a browser needs no network to
 * show it, and the page forbids any access. The page is data/page.html. Its data, written here, are the tree of
 * calls as JSON, and rows with the time of each thread at each node. A comparison has one tree, with rows of both
 * sides; the base's processes come first. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/profile/frames.h"
#include "profile/profile/label.h"
#include "profile/profile/merge.h"
#include "profile/profile/mpi.h"
#include "profile/profile/profile.h"
#include "profile/report/calltree.h"
#include "profile/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct profile *profile; /* its quality and command are shown */
    const struct profile *shown;   /* these samples are shown; in a comparison, the base's are included */
    struct calltree tree;
    struct page_rows rows;
    struct frames frames;
    struct texts paths;      /* of objects and of sources */
    uint32_t *frame_numbers; /* of each node; the root has none */
    struct buffer out;
    FILE *stream;
    int result;
};

static void flush_full(struct writer *writer)
{
    if (!writer->result)
        writer->result = text_write_full(&writer->out, writer->stream);
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

/* A column is one property of all nodes, frames, rows, processes or threads. I is the index of one. */
typedef void put_cell(struct writer *writer, size_t i);

static void put_column(struct writer *writer, const char *name, size_t first, size_t count, put_cell *put)
{
    json_open(json_line(&writer->out), name, '[');
    for (size_t i = first; i < count; i++) {
        put(writer, i);
        flush_full(writer);
    }
    buffer_puts(&writer->out, "]");
}

static void put_number(struct writer *writer, uint64_t number)
{
    json_number(&writer->out, NULL, number);
}

static void put_text(struct writer *writer, const char *text)
{
    json_text(&writer->out, NULL, text);
}

static void put_frame_name(struct writer *writer, size_t i)
{
    const char *name = writer->frames.items[i].name;
    json_text(&writer->out, NULL, *name ? name : "[unnamed]");
}

static void put_path(struct writer *writer, const char *path)
{
    uint32_t number = texts_add(&writer->paths, path ? path : "");
    if (number == HASH_NONE)
        writer->out.failed = true;
    put_number(writer, number);
}

/* Columns whose cells are a number, a text, or the number of a path. */
#define CELL(NAME, PUT, VALUE)                                                                                         \
    static void NAME(struct writer *writer, size_t i)                                                                  \
    {                                                                                                                  \
        PUT(writer, VALUE);                                                                                            \
    }

CELL(put_frame_object, put_path, writer->frames.items[i].path)
CELL(put_frame_file, put_path, writer->frames.items[i].file)
CELL(put_frame_line, put_number, writer->frames.items[i].line)
CELL(put_node_up, put_number, i - writer->tree.items[i].parent) /* back to the parent: mostly 1, which is short */
CELL(put_node_frame, put_number, writer->frame_numbers[i])
CELL(put_row_node, put_number, writer->rows.items[i].node)
CELL(put_row_ns, put_number, writer->rows.items[i].cpu_ns)
CELL(put_row_wait_ns, put_number, writer->rows.items[i].wait_ns)
CELL(put_row_samples, put_number, writer->rows.items[i].samples)
CELL(put_process_name, put_text, writer->shown->processes[i].comm)
CELL(put_thread_process, put_number, writer->shown->threads[i].process)
CELL(put_thread_name, put_text, writer->shown->threads[i].comm)
CELL(put_thread_id, put_number, (uint64_t)writer->shown->threads[i].tid) /* 0: several ended threads */

/* Writes the kind of a frame: MPI, input and output, or computing, for the function and its callees. */
static void put_frame_kind(struct writer *writer, size_t i)
{
    enum { COMPUTING, MPI, IO }; /* KINDS of data/ranks.js */
    const struct frames_item *item = &writer->frames.items[i];
    char text[MPI_NAME_SIZE];
    size_t length = strlen(item->name);
    enum mpi_kind kind = mpi_kind_of(item->full_name ? item->full_name : item->name, text);
    int number = kind == MPI_NOT ? COMPUTING : kind == MPI_IO ? IO : MPI;
    if (!strcmp(item->module, PROFILE_NAME_KERNEL) && length > 2 && length < sizeof text) {
        snprintf(text, sizeof text, "%.*s", (int)length - 2, item->name + 1); /* "[read]" */
        number = mpi_is_io_call(text) ? IO : number;
    }
    put_number(writer, (uint64_t)number);
}

/* Writes the full name, or nothing if the short name is the full one. */
static void put_frame_full_name(struct writer *writer, size_t i)
{
    const struct frames_item *item = &writer->frames.items[i];
    json_text(&writer->out, NULL, item->full_name && strcmp(item->full_name, item->name) != 0 ? item->full_name : "");
}

/* [unsampled] time has no thread: -1 for the first process, and so on. */
static void put_row_thread(struct writer *writer, size_t i)
{
    const struct page_row *row = &writer->rows.items[i];
    if (row->thread == PROFILE_NONE)
        buffer_printf(json_next(&writer->out), "-%llu", 1 + (unsigned long long)row->process);
    else
        put_number(writer, row->thread);
}

static void put_process_label(struct writer *writer, size_t i)
{
    buffer_printf(json_next(&writer->out), "\"%s\"", label_process(&writer->shown->processes[i]).text);
}

static void put_process_rank(struct writer *writer, size_t i)
{
    const struct profile_rank *rank = &writer->shown->processes[i].rank;
    if (rank->known)
        put_number(writer, rank->number);
    else
        json_plain(&writer->out, NULL, "-1");
}

/* Returns true if the processes belong to several ranks. A comparison has two of each rank, so it does not show
 * ranks. */
static bool has_ranks(const struct writer *writer)
{
    const struct profile_process *first = NULL;
    for (size_t i = 0; i < writer->shown->process_count && !writer->shown->base_count; i++) {
        const struct profile_process *process = &writer->shown->processes[i];
        if (process->rank.known && first && process->rank.number != first->rank.number)
            return true;
        first = process->rank.known ? process : first;
    }
    return false;
}

static void put_command(struct writer *writer, const struct profile *profile)
{
    buffer_puts(&writer->out, "{");
    json_text(&writer->out, "command", profile->command ? profile->command : "");
}

static void put_facts(struct writer *writer, const struct report_options *options)
{
    const struct profile_quality *quality = &writer->profile->quality;
    put_command(writer, writer->profile);
    if (options->base) {
        json_key(json_line(&writer->out), "base");
        put_command(writer, options->base);
        buffer_puts(&writer->out, "}");
    }
    buffer_printf(&writer->out, ",\n\"wallNs\":%llu,\"rate\":%u,\"bottomUp\":%s", (unsigned long long)quality->wall_ns,
                  quality->rate, options->bottom_up ? "true" : "false");
    if (quality->wall)
        buffer_puts(&writer->out, ",\"waits\":true");
    if (options->filter_count) {
        json_number(&writer->out, "wholeNs", profile_whole_ns(writer->profile));
        json_texts(&writer->out, "filters", options->filters, options->filter_count);
    }
}

/* The columns of nodes begin with node 1: node 0 is the root. A node's parent comes before it. */
static void put_nodes(struct writer *writer)
{
    put_column(writer, "nodeUp", 1, writer->tree.count, put_node_up);
    put_column(writer, "nodeFrame", 1, writer->tree.count, put_node_frame);
}

/* Paths are written as numbers in "paths". */
static void put_frames(struct writer *writer)
{
    size_t count = writer->frames.count;
    put_column(writer, "frameName", 0, count, put_frame_name);
    put_column(writer, "frameFullName", 0, count, put_frame_full_name);
    put_column(writer, "frameObject", 0, count, put_frame_object);
    put_column(writer, "frameFile", 0, count, put_frame_file);
    put_column(writer, "frameLine", 0, count, put_frame_line);
    if (has_ranks(writer))
        put_column(writer, "frameKind", 0, count, put_frame_kind);
    json_texts(json_line(&writer->out), "paths", writer->paths.items, writer->paths.count);
}

static void put_threads(struct writer *writer)
{
    const struct profile *shown = writer->shown;
    put_column(writer, "processName", 0, shown->process_count, put_process_name);
    put_column(writer, "processId", 0, shown->process_count, put_process_label);
    if (has_ranks(writer))
        put_column(writer, "processRank", 0, shown->process_count, put_process_rank);
    put_column(writer, "threadProcess", 0, shown->thread_count, put_thread_process);
    put_column(writer, "threadName", 0, shown->thread_count, put_thread_name);
    put_column(writer, "threadId", 0, shown->thread_count, put_thread_id);
}

static void put_rows(struct writer *writer)
{
    size_t count = writer->rows.count;
    put_column(writer, "rowNode", 0, count, put_row_node);
    put_column(writer, "rowThread", 0, count, put_row_thread);
    put_column(writer, "rowNs", 0, count, put_row_ns);
    if (profile_wait_ns(writer->shown))
        put_column(writer, "rowWaitNs", 0, count, put_row_wait_ns);
    put_column(writer, "rowSamples", 0, count, put_row_samples);
}

static void put_data(struct writer *writer, const struct report_options *options)
{
    put_facts(writer, options);
    if (options->base)
        json_number(&writer->out, "baseProcesses", writer->shown->base_count);
    put_threads(writer);
    put_nodes(writer);
    put_rows(writer);
    put_frames(writer);
    if (!options->base) /* not for a comparison: two runs have no common time */
        page_times_put(&writer->out, writer->shown, &writer->rows, PAGE_MOST_INSTANTS);
    buffer_puts(&writer->out, "}\n");
}

static int put_page(struct writer *writer, const struct report_options *options)
{
    buffer_puts(&writer->out, page_head);
    put_data(writer, options);
    buffer_puts(&writer->out, page_tail);
    return text_end(&writer->out, writer->stream, writer->result);
}

static void writer_fini(struct writer *writer)
{
    calltree_fini(&writer->tree);
    page_rows_fini(&writer->rows);
    frames_fini(&writer->frames);
    texts_fini(&writer->paths);
    free(writer->frame_numbers);
    buffer_fini(&writer->out);
}

static int put_tree(struct writer *writer, const struct report_options *options)
{
    int result = calltree_init(&writer->tree, writer->shown, false, NULL);
    if (!result)
        result = page_rows_init(&writer->rows, writer->shown, &writer->tree);
    if (!result)
        result = frames_init(&writer->frames, writer->shown);
    if (!result)
        result = number_nodes(writer);
    if (!result)
        result = put_page(writer, options);
    writer_fini(writer);
    return result;
}

int report_html_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct writer writer = {.profile = profile, .shown = profile, .stream = stream};
    if (!options->base)
        return put_tree(&writer, options);
    struct profile *both = merge_with_base(options->base, profile);
    writer.shown = both;
    int result = both ? put_tree(&writer, options) : -ENOMEM;
    profile_free(both);
    return result;
}
