/* SPDX-License-Identifier: MIT */
#include "profile/clickhouse/rows_take.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cursor.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/profile/label.h"
#include "profile/profile/merge.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct rows_column rows_columns[] = {
    {"process", "String"},        {"job", "String"},          {"rank", "Int32"},
    {"node", "String"},           {"clock", "String"},        {"functions", "Array(String)"},
    {"modules", "Array(String)"}, {"files", "Array(String)"}, {"lines", "Array(UInt32)"},
    {"sum_count", "UInt64"},      {"sum_period", "UInt64"},   {"sum_cpu", "UInt64"},
    {"sum_wait", "UInt64"},       {"began", "UInt64"},        {"ended", "UInt64"},
    {"lowest_hz", "UInt32"},      {"highest_hz", "UInt32"},   {NULL, NULL},
};

enum { MOST_TEXT = 64 << 10, MOST_FRAMES = 64 << 10, COLUMNS = 3 };

struct frame {
    size_t texts[COLUMNS]; /* offsets of its function, module and file in the row's texts */
    uint32_t line;
};

/* The present row. Texts are offsets into `texts`, which may move. */
struct row {
    size_t process, job, node, clock;
    int32_t rank;
    struct frame *items; /* frames, root first */
    size_t count, room;
    struct profile_sample sample;
    uint64_t began_ns, ended_ns;
    uint32_t lowest_hz, highest_hz;
};

struct reader {
    struct builder *into;
    struct cursor cursor;
    const uint8_t *begin;
    struct row row;
    struct buffer texts;
    struct {
        uint32_t *items;
        size_t room;
    } locations; /* for frames, leaf first */
    struct profile_quality quality;
    uint64_t ended_ns, ns, samples, periods_ns;
    size_t rows;
    bool of_cpu, of_wall;
    struct error *error;
    int result;
};

static void broken(struct reader *reader, const char *why)
{
    if (!reader->result)
        reader->result = error_set(reader->error, EBADMSG, "gave an answer that is damaged at byte %zu: %s",
                                   (size_t)(reader->cursor.at - reader->begin), why);
}

static void no_memory(struct reader *reader)
{
    if (!reader->result)
        reader->result = error_set(reader->error, ENOMEM, "gave an answer that is too large for the memory");
}

static const char *text_at(const struct reader *reader, size_t offset)
{
    return reader->texts.bytes + offset;
}

/* Copies a text, up to its first zero. */
static size_t take_text(struct reader *reader)
{
    uint64_t length = cursor_leb128(&reader->cursor);
    const uint8_t *bytes = cursor_take(&reader->cursor, length);
    size_t at = reader->texts.length;
    if (length > MOST_TEXT)
        broken(reader, "a text is too long");
    else if (!bytes)
        broken(reader, "a text does not end");
    else if (!buffer_append(&reader->texts, bytes, (size_t)length) || !buffer_append(&reader->texts, "", 1))
        no_memory(reader);
    return at;
}

/* Takes the number of frames, which all arrays of a row share. Each frame takes at least a byte. */
static bool take_count(struct reader *reader, bool first)
{
    uint64_t count = cursor_leb128(&reader->cursor);
    struct row *row = &reader->row;
    if (reader->cursor.failed || count > MOST_FRAMES || count > cursor_left(&reader->cursor))
        broken(reader, "a stack is too deep");
    else if (!first && count != row->count)
        broken(reader, "arrays of a stack have different lengths");
    else if (first && !array_reserve_((void **)&row->items, &row->room, count + 1, sizeof *row->items))
        no_memory(reader);
    else
        row->count = (size_t)count;
    return !reader->result;
}

static void take_frames(struct reader *reader)
{
    struct row *row = &reader->row;
    for (size_t column = 0; column < COLUMNS; column++) {
        if (!take_count(reader, column == 0))
            return;
        for (size_t i = 0; i < row->count && !reader->result; i++)
            row->items[i].texts[column] = take_text(reader);
    }
    if (reader->result || !take_count(reader, false))
        return;
    for (size_t i = 0; i < row->count; i++)
        row->items[i].line = (uint32_t)cursor_number(&reader->cursor, 4);
}

static void take_row(struct reader *reader)
{
    struct cursor *cursor = &reader->cursor;
    struct row *row = &reader->row;
    reader->texts.length = 0;
    row->sample = (struct profile_sample){.syscall = -1, .cut = PROFILE_WHOLE};
    row->process = take_text(reader);
    row->job = take_text(reader);
    row->rank = (int32_t)cursor_number(cursor, 4);
    row->node = take_text(reader);
    row->clock = take_text(reader);
    if (!reader->result)
        take_frames(reader);
    row->sample.count = cursor_number(cursor, 8);
    row->sample.period_ns = cursor_number(cursor, 8);
    row->sample.cpu_ns = cursor_number(cursor, 8);
    row->sample.wait_ns = cursor_number(cursor, 8);
    row->began_ns = cursor_number(cursor, 8);
    row->ended_ns = cursor_number(cursor, 8);
    row->lowest_hz = (uint32_t)cursor_number(cursor, 4);
    row->highest_hz = (uint32_t)cursor_number(cursor, 4);
    if (cursor->failed)
        broken(reader, "it ends within a row");
}

/* Adds NUMBER to *SUM, which must stay below 2^63. */
static bool add_number(uint64_t *sum, uint64_t number)
{
    if (number > INT64_MAX - *sum)
        return false;
    *sum += number;
    return true;
}

static void add_up(struct reader *reader)
{
    const struct row *row = &reader->row;
    struct profile_quality *quality = &reader->quality;
    bool wall = !strcmp(text_at(reader, row->clock), "wall");
    if (!add_number(&reader->ns, row->sample.cpu_ns) || !add_number(&reader->ns, row->sample.wait_ns) ||
        !add_number(&reader->samples, row->sample.count) || !add_number(&reader->periods_ns, row->sample.period_ns) ||
        !add_number(&quality->samples, row->sample.count))
        broken(reader, "its values add up to more than can be true");
    if (row->ended_ns < row->began_ns || row->ended_ns > INT64_MAX)
        broken(reader, "an interval ends before it begins");
    if (!reader->rows || row->began_ns < quality->began_ns)
        quality->began_ns = row->began_ns;
    if (row->ended_ns > reader->ended_ns)
        reader->ended_ns = row->ended_ns;
    if (row->highest_hz > quality->rate)
        quality->rate = row->highest_hz;
    if (!reader->rows || row->lowest_hz < quality->last_rate)
        quality->last_rate = row->lowest_hz;
    reader->of_wall |= wall;
    reader->of_cpu |= !wall;
    reader->rows++;
}

static char *text_of(const struct reader *reader, const struct frame *frame, size_t column)
{
    return (char *)(uintptr_t)text_at(reader, frame->texts[column]); /* the builder copies the text */
}

static uint32_t module_of(struct reader *reader, char *path)
{
    static char unknown[] = PROFILE_NAME_UNKNOWN;
    return builder_module(reader->into, &(struct profile_module){.path = *path ? path : unknown});
}

static uint32_t location_of(struct reader *reader, const struct frame *frame)
{
    static char unknown[] = PROFILE_NAME_UNKNOWN;
    char *name = text_of(reader, frame, 0), *file = text_of(reader, frame, 2);
    struct profile_location location = {.module = module_of(reader, text_of(reader, frame, 1))};
    struct profile_line line = {.file = PROFILE_NONE, .line = frame->line < UINT32_MAX ? frame->line : 0};
    location.function = line.function = builder_function(
        reader->into, &(struct profile_function){.module = location.module, .name = *name ? name : unknown});
    if (*file)
        line.file = builder_file(reader->into, file);
    location.line_count = *file || line.line;
    return builder_location(reader->into, &location, &line);
}

/* Moves frames that are not code from the ends of the stack into the sample. At least one frame remains. */
static void trim(struct reader *reader, size_t *first, size_t *end)
{
    struct row *row = &reader->row;
    const struct frame *root = row->items, *leaf = row->items + row->count - 1;
    if (row->count > 1 && !strcmp(text_of(reader, leaf, 1), LABEL_KERNEL) && !leaf->line)
        row->sample.syscall = label_syscall_number(text_of(reader, leaf, 0));
    *end = row->count - (row->sample.syscall >= 0);
    if (*end > 1 && !*text_of(reader, root, 1))
        row->sample.cut = (uint8_t)profile_cut_of(text_of(reader, root, 0));
    *first = row->sample.cut != PROFILE_WHOLE;
}

static void build_sample(struct reader *reader, uint32_t process, char *comm)
{
    struct row *row = &reader->row;
    size_t first, end;
    trim(reader, &first, &end);
    if (!array_reserve_((void **)&reader->locations.items, &reader->locations.room, end,
                        sizeof *reader->locations.items)) {
        no_memory(reader);
        return;
    }
    for (size_t i = end; i-- > first;)
        reader->locations.items[row->sample.frame_count++] = location_of(reader, &row->items[i]);
    row->sample.thread = builder_thread(reader->into, &(struct profile_thread){.process = process, .comm = comm});
    builder_sample(reader->into, &row->sample, reader->locations.items);
}

/* Uses an unknown stack if the server has lost it. */
static void put_unknown(struct reader *reader)
{
    struct row *row = &reader->row;
    size_t empty = reader->texts.length;
    if (!buffer_append(&reader->texts, "", 1))
        no_memory(reader);
    row->items[0] = (struct frame){.texts = {empty, empty, empty}};
    row->count = 1;
}

static void build_row(struct reader *reader)
{
    struct row *row = &reader->row;
    if (!row->count)
        put_unknown(reader);
    if (reader->result)
        return;
    char *comm = (char *)(uintptr_t)text_at(reader, row->process);
    const char *job = text_at(reader, row->job), *host = text_at(reader, row->node),
               *path = text_of(reader, row->items, 1);
    struct profile_process process = {.comm = comm, .module = PROFILE_NONE};
    process.rank = (struct profile_rank){.known = row->rank >= 0,
                                         .number = row->rank >= 0 ? (uint32_t)row->rank : 0,
                                         .host = *host ? host : NULL,
                                         .job = *job ? job : NULL};
    bool unsampled = row->count == 1 && !strcmp(text_of(reader, row->items, 0), PROFILE_NAME_UNSAMPLED);
    if (unsampled) {
        process.module = *path ? module_of(reader, text_of(reader, row->items, 1)) : PROFILE_NONE;
        process.unsampled_ns = row->sample.cpu_ns;
        process.unsampled_wait_ns = row->sample.wait_ns;
    }
    uint32_t index = builder_process(reader->into, &process);
    if (!unsampled)
        build_sample(reader, index, comm);
    if (reader->into->failed)
        no_memory(reader);
}

static void finish(struct reader *reader, struct buffer *note)
{
    struct profile_quality *quality = &reader->quality;
    if (!reader->rows) {
        reader->result = error_set(reader->error, ENODATA, "has no profile that fits");
        return;
    }
    quality->wall = reader->of_wall;
    quality->wall_ns = reader->ended_ns - quality->began_ns;
    quality->lowest_rate = quality->rate;
    quality->due = quality->samples;
    merge_quality(reader->into, quality, NULL);
    if (reader->of_wall && reader->of_cpu)
        buffer_puts(note, "has profiles of CPU time and of wall time, which are added up; choose with clock=cpu or "
                          "clock=wall");
}

int rows_take(struct builder *into, const void *bytes, size_t size, struct buffer *note, struct error *error)
{
    struct reader reader = {.into = into, .begin = bytes, .error = error};
    reader.cursor = (struct cursor){.at = reader.begin, .end = reader.begin + size};
    reader.ns = profile_ns(into->profile);
    reader.samples = profile_samples(into->profile);
    for (size_t i = 0; i < into->profile->sample_count; i++)
        reader.periods_ns += into->profile->samples[i].period_ns;
    while (!reader.result && cursor_left(&reader.cursor)) {
        take_row(&reader);
        if (!reader.result)
            add_up(&reader);
        if (!reader.result)
            build_row(&reader);
        if (!reader.result && reader.rows > ROWS_MOST)
            reader.result =
                error_set(error, E2BIG, "has more than %d different stacks; choose a shorter time", ROWS_MOST);
    }
    if (!reader.result)
        finish(&reader, note);
    free(reader.row.items);
    free(reader.locations.items);
    buffer_fini(&reader.texts);
    return reader.result;
}
