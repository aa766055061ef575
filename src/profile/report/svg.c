/* SPDX-License-Identifier: MIT
 *
 * A flame graph as a picture, for a README: a box for each function of the tree of calls, as wide as its time, above
 * its caller. Nothing in it moves, and a given profile always gives an identical picture. Omits boxes narrower than
 * two pixels, and those too deep to read. data-ns has the time of a box in nanoseconds; the lowest box has the time
 * of the profile. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/report/branches.h"
#include "profile/report/calltree.h"

#include <string.h>

/* Lengths are in tenths of a pixel. */
enum {
    TENTHS = 10,
    WIDTH = 12000,
    MARGIN = 100,
    HEAD = 520, /* lines above the boxes */
    ROW = 180,
    LEAST_BOX = 20,
    CHARACTER = 67, /* width of a character in the font of names */
    LEAST_TEXT = 5, /* shorter pieces of a name, in characters, are useless */
    MOST_ROWS = 50
};

struct picture {
    const struct profile *profile;
    const struct calltree *tree;
    struct buffer out;
    FILE *stream;
    unsigned rows, height;
    bool cut; /* deeper boxes have been omitted */
    int result;
};

static void put_length(struct buffer *out, const char *name, uint64_t tenths)
{
    buffer_printf(out, " %s=\"%u", name, (unsigned)(tenths / TENTHS));
    if (tenths % TENTHS)
        buffer_printf(out, ".%u", (unsigned)(tenths % TENTHS));
    buffer_puts(out, "\"");
}

static void put_escaped(struct buffer *out, const char *clean)
{
    for (; *clean; clean++)
        switch (*clean) {
        case '&':
            buffer_puts(out, "&amp;");
            break;
        case '<':
            buffer_puts(out, "&lt;");
            break;
        case '>':
            buffer_puts(out, "&gt;");
            break;
        case '"':
            buffer_puts(out, "&quot;");
            break;
        default:
            buffer_append(out, clean, 1);
        }
}

/* Appends untrusted TEXT, cut to COLUMNS. */
static void put_text(struct buffer *out, const char *text, unsigned columns)
{
    struct buffer clean = {0}, cut = {0};
    text_clean(&clean, text, true);
    text_cut_name(&cut, clean.bytes ? clean.bytes : "", columns, 0, true);
    put_escaped(out, cut.bytes ? cut.bytes : "");
    out->failed |= clean.failed | cut.failed;
    buffer_fini(&clean);
    buffer_fini(&cut);
}

/* Functions with equal names always have equal colours: orange for the program's own, yellow for libraries, blue for
 * the kernel, grey for processes. */
static void put_colour(struct buffer *out, const struct picture *picture, const struct calltree_node *node)
{
    uint32_t hash = 2166136261u;
    for (const char *at = node->name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    unsigned some = hash % 40, other = hash / 64 % 40;
    if (!*node->module)
        buffer_puts(out, " fill=\"#d8d8d8\"");
    else if (node->function == PROFILE_NONE)
        buffer_printf(out, " fill=\"#%02x%02xf0\"", 120 + some, 170 + other);
    else if (branches_is_own(picture->profile, node->function))
        buffer_printf(out, " fill=\"#f0%02x%02x\"", 125 + some, 50 + other);
    else
        buffer_printf(out, " fill=\"#f0%02x%02x\"", 195 + some, 100 + other);
}

static void put_title(struct picture *picture, const struct calltree_node *node)
{
    struct buffer *out = &picture->out;
    buffer_puts(out, "<title>");
    put_text(out, *node->name ? node->name : "all", UINT32_MAX);
    if (*node->module) {
        buffer_puts(out, " (");
        put_text(out, node->module, UINT32_MAX);
        buffer_puts(out, ")");
    }
    buffer_puts(out, ": ");
    text_percent(out, node->total_ns, picture->tree->items[0].total_ns);
    buffer_puts(out, " %, ");
    text_duration(out, node->total_ns);
    buffer_puts(out, "</title>");
}

static void put_box(struct picture *picture, const struct calltree_node *node, unsigned row, uint64_t x, uint64_t width)
{
    struct buffer *out = &picture->out;
    uint64_t y = HEAD + (uint64_t)(picture->rows - 1 - row) * ROW, columns = width > 60 ? (width - 60) / CHARACTER : 0;
    buffer_printf(out, "<g data-ns=\"%llu\">", (unsigned long long)node->total_ns);
    put_title(picture, node);
    buffer_puts(out, "<rect");
    put_length(out, "x", x);
    put_length(out, "y", y);
    put_length(out, "width", width > 15 ? width - 5 : width); /* a gap to the next one */
    put_length(out, "height", ROW - 10);
    put_colour(out, picture, node);
    buffer_puts(out, "/>");
    if (columns >= LEAST_TEXT) {
        buffer_puts(out, "<text");
        put_length(out, "x", x + 30);
        put_length(out, "y", y + 123);
        buffer_puts(out, ">");
        put_text(out, *node->name ? node->name : "all", (unsigned)columns);
        buffer_puts(out, "</text>");
    }
    buffer_puts(out, "</g>\n");
    if (!picture->result)
        picture->result = text_write_full(out, picture->stream);
}

static uint64_t length_of(const struct picture *picture, uint64_t ns)
{
    uint64_t whole = picture->tree->items[0].total_ns;
    return whole ? text_scaled(ns, WIDTH - 2 * MARGIN, whole) : 0;
}

/* Visits node NUMBER, with its time from BEGIN_NS on, and the nodes above it. Puts boxes if DRAWS; otherwise counts
 * the rows. */
static void walk(struct picture *picture, uint32_t number, unsigned row, uint64_t begin_ns, bool draws)
{
    const struct calltree_node *node = &picture->tree->items[number];
    uint64_t x = MARGIN + length_of(picture, begin_ns), end = MARGIN + length_of(picture, begin_ns + node->total_ns);
    if (end - x < LEAST_BOX && number)
        return;
    if (row >= MOST_ROWS) {
        picture->cut = true;
        return;
    }
    if (draws)
        put_box(picture, node, row, x, end - x);
    else if (row >= picture->rows)
        picture->rows = row + 1;
    for (uint32_t child = node->first_child; child != HASH_NONE; child = picture->tree->items[child].next) {
        walk(picture, child, row + 1, begin_ns, draws);
        begin_ns += picture->tree->items[child].total_ns;
    }
}

static void put_head(struct picture *picture)
{
    const struct profile *profile = picture->profile;
    struct buffer *out = &picture->out;
    buffer_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                  "font-family=\"monospace\" font-size=\"11\">\n"
                  "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
                  WIDTH / TENTHS, picture->height / TENTHS, WIDTH / TENTHS, picture->height / TENTHS, WIDTH / TENTHS,
                  picture->height / TENTHS);
    buffer_puts(out, "<text x=\"10\" y=\"22\" font-size=\"15\">");
    put_text(out, profile->command ? profile->command : "flame graph", 120);
    buffer_puts(out, "</text>\n<text x=\"10\" y=\"40\" fill=\"#555555\">");
    text_duration(out, profile_ns(profile));
    buffer_puts(out, profile->quality.wall ? " running and waiting" : " of CPU time");
    buffer_printf(out, ", %llu samples", (unsigned long long)profile_samples(profile));
    buffer_puts(out, "; a box is as wide as the time of a function and of what it called, above it");
    if (picture->cut)
        buffer_printf(out, "; deeper than %d calls is left out", MOST_ROWS);
    buffer_puts(out, "</text>\n");
}

int report_svg_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct calltree tree;
    struct picture picture = {.profile = profile, .tree = &tree, .stream = stream};
    int result = calltree_init(&tree, profile, options->bottom_up, NULL);
    if (result)
        return result;
    walk(&picture, 0, 0, 0, false);
    picture.height = HEAD + picture.rows * ROW + MARGIN;
    put_head(&picture);
    walk(&picture, 0, 0, 0, true);
    buffer_puts(&picture.out, "</svg>\n");
    calltree_fini(&tree);
    return text_end(&picture.out, stream, picture.result);
}
