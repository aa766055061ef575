/* SPDX-License-Identifier: MIT */
#include "front/top/board.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "common/base/pattern.h"
#include "common/base/scale.h"
#include "common/model/wait.h"
#include "front/record/record.h"
#include "front/top/live.h"
#include "front/top/places.h"
#include "front/top/view.h"
#include "profile/profile/label.h"
#include "profile/profile/profile.h"
#include "profile/report/wait_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions whose names are not read yet share one row for each file. */
static const char being_read[] = "[names are being read]";

void board_free(struct board *board)
{
    for (size_t i = 0; i < BOARD_PARTS; i++)
        free(board->rows_of[i]);
    free(board->items);
    free(board->stack.items);
    free(board->nodes.items);
    free(board->threads.items);
    memset(board, 0, sizeof *board);
}

static bool push_function(struct board *board, uint32_t function)
{
    if (function == HASH_NONE || !ARRAY_RESERVE_ONE(&board->stack))
        return false;
    board->stack.items[board->stack.count++] = function;
    return true;
}

static bool push_node(struct board *board, const struct board_source *source, uint32_t node)
{
    struct places *places = source->places;
    const struct places_item *place = &places->places.items[places->nodes.items[node]];
    if (place->state != PLACES_KNOWN) {
        const char *path = source->record->objects.items[place->object].path;
        return push_function(board, places_function(places, being_read, path ? profile_module_name(path) : "", true));
    }
    for (uint32_t i = 0; i < place->count; i++)
        if (!push_function(board, places->frames.items[place->first + i]))
            return false;
    return true;
}

/* A frame of a waiting sample, whose nodes are on the board. */
static struct wait_frame wait_frame_of(const struct wait_stack *stack, uint32_t number)
{
    const struct board *board = stack->of;
    const struct board_source *source = stack->sample;
    const struct places *places = source->places;
    const struct places_item *place = &places->places.items[places->nodes.items[board->nodes.items[number]]];
    bool known = place->state == PLACES_KNOWN && place->count;
    return (struct wait_frame){known ? places_name(places, places->frames.items[place->first + place->count - 1])
                                     : being_read,
                               place->object, place->object == board->program};
}

/* Pushes what SAMPLE waits for, with its caller. */
static bool push_wait(struct board *board, const struct board_source *source, const struct record_sample *sample)
{
    const struct record *record = source->record;
    struct buffer text = {0};
    bool pushed = true;
    board->nodes.count = 0;
    for (uint32_t node = sample->leaf; node != HASH_NONE && pushed; node = record->nodes.items[node].parent) {
        pushed = ARRAY_RESERVE_ONE(&board->nodes);
        if (pushed)
            board->nodes.items[board->nodes.count++] = node;
    }
    board->program = record->images.items[record->threads.items[sample->thread].image].program;
    struct wait_stack stack = {wait_frame_of, board, source, (uint32_t)board->nodes.count};
    wait_text_put(&text, &stack, sample->syscall);
    pushed =
        pushed && !text.failed && push_function(board, places_function(source->places, text.bytes, LABEL_KERNEL, true));
    buffer_fini(&text);
    return pushed;
}

/* Sets the stack of SAMPLE, as in every format. WAITS: what it waits for has its caller's name, too. */
static bool unfold_stack(struct board *board, const struct board_source *source, const struct record_sample *sample,
                         bool waits)
{
    const struct record *record = source->record;
    bool pushed = true;
    board->stack.count = 0;
    if (sample->syscall != -1)
        pushed = waits ? push_wait(board, source, sample)
                       : push_function(board, places_function(source->places, label_syscall(sample->syscall).text,
                                                              LABEL_KERNEL, true));
    for (uint32_t node = sample->leaf; node != HASH_NONE && pushed; node = record->nodes.items[node].parent)
        pushed = push_node(board, source, node);
    if (pushed && sample->cut != PROFILE_WHOLE)
        pushed = push_function(board, places_function(source->places, profile_cut_name(sample->cut), "", true));
    return pushed;
}

/* Grows the indices to the current number of functions, threads or images. */
static bool make_indices(struct board *board, size_t ids)
{
    if (ids <= board->ids)
        return true;
    size_t more = ids + ids / 2 + 64;
    for (size_t i = 0; i < BOARD_PARTS; i++) {
        uint32_t *grown = realloc(board->rows_of[i], more * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + board->ids, 0xff, (more - board->ids) * sizeof *grown);
        board->rows_of[i] = grown;
    }
    board->ids = more;
    return true;
}

static struct board_row *row_of(struct board *board, enum board_part part, uint32_t id)
{
    if (!make_indices(board, (size_t)id + 1))
        return NULL;
    uint32_t *place = &board->rows_of[part][id];
    if (*place != HASH_NONE)
        return &board->items[*place];
    if (!ARRAY_RESERVE_ONE(board))
        return NULL;
    *place = (uint32_t)board->count;
    board->items[board->count] = (struct board_row){.id = id, .part = part};
    return &board->items[board->count++];
}

/* The times of a sample. NUMBER: counted from 1. */
struct more {
    uint64_t recent_ns, all_ns, number;
};

static bool add_time(struct board *board, enum board_part part, uint32_t id, bool self, const struct more *more)
{
    struct board_row *row = row_of(board, part, id);
    if (!row)
        return false;
    if (row->touched != more->number) {
        row->recent.total_ns += more->recent_ns;
        row->all.total_ns += more->all_ns;
    }
    row->touched = more->number;
    if (self) {
        row->recent.self_ns += more->recent_ns;
        row->all.self_ns += more->all_ns;
    }
    return true;
}

static bool add_stack(struct board *board, const struct more *more)
{
    bool added = true;
    for (size_t i = 0; i < board->stack.count && added; i++)
        added = add_time(board, BOARD_PLAIN, board->stack.items[i], !i, more);
    return added;
}

static bool stack_has(const struct board *board, uint32_t function)
{
    for (size_t i = 0; i < board->stack.count; i++)
        if (board->stack.items[i] == function)
            return true;
    return false;
}

/* Adds the callers of CENTRE on the stack, and its callees. */
static bool add_around(struct board *board, uint32_t centre, const struct more *more)
{
    const uint32_t *stack = board->stack.items;
    bool added = true;
    for (size_t i = 0; i < board->stack.count && added; i++) {
        if (stack[i] != centre)
            continue;
        added = add_time(board, BOARD_CENTRE, centre, !i, more);
        if (added && i && stack[i - 1] != centre)
            added = add_time(board, BOARD_CALLEE, stack[i - 1], i == 1, more);
        if (added && i + 1 < board->stack.count && stack[i + 1] != centre)
            added = add_time(board, BOARD_CALLER, stack[i + 1], false, more);
    }
    return added;
}

/* Adds all callers of CENTRE, to the root, and all that it called. */
static bool add_chain(struct board *board, uint32_t centre, const struct more *more)
{
    enum board_part part = BOARD_CALLEE;
    bool added = true;
    for (size_t i = 0; i < board->stack.count && added; i++) {
        uint32_t function = board->stack.items[i];
        bool is_centre = function == centre;
        struct board_row *row = row_of(board, is_centre ? BOARD_CENTRE : part, function);
        added = row && add_time(board, row->part, function, !i, more);
        if (added && row->distance < i)
            row->distance = i;
        part = is_centre ? BOARD_CALLER : part;
    }
    return added;
}

/* Returns the function that was selected last, in any view. */
static uint32_t function_of(const struct view *view)
{
    uint32_t function = view_scope(view, VIEW_FUNCTIONS);
    return function != UINT32_MAX ? function : view_scope(view, VIEW_WAITING);
}

static bool add_sample(struct board *board, const struct board_source *source, const struct view *view,
                       const struct record_sample *sample, const struct more *more)
{
    uint32_t image = source->record->threads.items[sample->thread].image;
    uint32_t thread = view_scope(view, VIEW_THREADS), process = view_scope(view, VIEW_PROCESSES);
    uint32_t centre = function_of(view);
    if ((thread != UINT32_MAX && thread != sample->thread) || (process != UINT32_MAX && process != image))
        return true;
    bool stack = view_is_of_functions(view) || centre != UINT32_MAX;
    bool waits = view->by == VIEW_WAITING || (centre != UINT32_MAX && view_scope(view, VIEW_WAITING) == centre);
    if (stack && !unfold_stack(board, source, sample, waits))
        return false;
    if (centre != UINT32_MAX && !stack_has(board, centre))
        return true;
    board->recent_ns += more->recent_ns;
    board->all_ns += more->all_ns;
    if (view_is_of_functions(view))
        return centre == UINT32_MAX       ? add_stack(board, more)
               : view->by == VIEW_WAITING ? add_chain(board, centre, more)
                                          : add_around(board, centre, more);
    return add_time(board, BOARD_PLAIN, view->by == VIEW_THREADS ? sample->thread : image, true, more);
}

/* Adds up only the threads in the picture, because the record grows while a picture is paused. */
static bool add_up_threads(struct board *board, const struct board_source *source)
{
    size_t count = source->record->threads.count;
    if (!array_reserve_((void **)&board->threads.items, &board->threads.room, count + 1, sizeof *board->threads.items))
        return false;
    board->threads.count = count;
    memset(board->threads.items, 0, (count + 1) * sizeof *board->threads.items);
    for (size_t i = 0; i < source->picture->count; i++) {
        struct board_thread *thread = &board->threads.items[source->record->samples.items[i].thread];
        thread->cpu_ns += source->picture->all[i].cpu_ns;
        thread->period_ns += source->picture->all[i].period_ns;
    }
    return true;
}

/* Returns the time that samples of THREAD represent, in any functions. */
static uint64_t stand_for(const struct board_thread *thread, const struct live_counts *counts)
{
    if (!thread->period_ns || thread->cpu_ns <= thread->period_ns)
        return thread->period_ns ? counts->period_ns : counts->cpu_ns;
    return scale_share(counts->period_ns, thread->cpu_ns, thread->period_ns);
}

static struct more more_of(const struct board *board, const struct board_source *source, const struct view *view,
                           size_t index)
{
    const struct live_counts *recent = &source->picture->recent[index], *all = &source->picture->all[index];
    const struct board_thread *thread = &board->threads.items[source->record->samples.items[index].thread];
    if (view->by == VIEW_WAITING)
        return (struct more){recent->wait_ns, all->wait_ns, index + 1};
    if (!view_is_of_functions(view))
        return (struct more){recent->cpu_ns, all->cpu_ns, index + 1};
    return (struct more){stand_for(thread, recent), stand_for(thread, all), index + 1};
}

static bool add_all(struct board *board, const struct board_source *source, const struct view *view)
{
    for (size_t i = 0; i < source->picture->count; i++) {
        struct more more = more_of(board, source, view, i);
        if (more.all_ns && !add_sample(board, source, view, &source->record->samples.items[i], &more))
            return false;
    }
    return true;
}

static bool text_matches(const char *text, const char *filter, const regex_t *pattern)
{
    return pattern ? regexec(pattern, text, 0, NULL, 0) == 0 : strcasestr(text, filter) != NULL;
}

/* Drops the rows whose texts do not match the filter: a regular expression, or else a part of the text. */
static void apply_filter(struct board *board, const struct board_source *source, const struct view *view)
{
    regex_t pattern;
    size_t kept = 0;
    if (!view->filter[0])
        return;
    bool compiled = !pattern_compile(&pattern, "", view->filter, true, NULL);
    for (size_t i = 0; i < board->count; i++) {
        struct board_texts texts;
        board_texts(source, view, &board->items[i], &texts);
        if (board->items[i].part == BOARD_CENTRE ||
            text_matches(texts.name, view->filter, compiled ? &pattern : NULL) ||
            text_matches(texts.detail, view->filter, compiled ? &pattern : NULL))
            board->items[kept++] = board->items[i];
    }
    board->hidden = board->count - kept;
    board->count = kept;
    if (compiled)
        regfree(&pattern);
}

static int compare_falling(uint64_t left, uint64_t right)
{
    return left == right ? 0 : left < right ? 1 : -1;
}

static int compare_times(const struct board_time *a, const struct board_time *b, bool by_total)
{
    int order = by_total ? compare_falling(a->total_ns, b->total_ns) : compare_falling(a->self_ns, b->self_ns);
    return order      ? order
           : by_total ? compare_falling(a->self_ns, b->self_ns)
                      : compare_falling(a->total_ns, b->total_ns);
}

/* Callers are above the selected function and callees below it, sorted by total time. */
static int compare_rows(const void *left, const void *right, void *of)
{
    const struct board_row *a = left, *b = right;
    const struct view *view = of;
    bool by_total = view->by_total || a->part != BOARD_PLAIN;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    int recent = compare_times(&a->recent, &b->recent, by_total), all = compare_times(&a->all, &b->all, by_total);
    int order = view->by_all ? all : recent;
    if (!order)
        order = view->by_all ? recent : all;
    if (!order && a->distance != b->distance)
        return a->distance > b->distance ? -1 : 1;
    return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

bool board_make(struct board *board, const struct board_source *source, const struct view *view)
{
    board->count = board->hidden = 0;
    board->recent_ns = board->all_ns = 0;
    for (size_t i = 0; i < BOARD_PARTS && board->ids; i++)
        memset(board->rows_of[i], 0xff, board->ids * sizeof *board->rows_of[i]);
    bool made = places_settle(source->places) && add_up_threads(board, source) && add_all(board, source, view) &&
                places_settle(source->places);
    if (!made)
        board->count = 0;
    apply_filter(board, source, view);
    if (board->count)
        qsort_r(board->items, board->count, sizeof *board->items, compare_rows, (void *)(uintptr_t)view);
    return made;
}

struct view_rows board_view_rows(const struct board *board, const struct view *view, size_t fit)
{
    struct view_rows rows = {.count = board->count, .fit = fit};
    if (view->selected < board->count) {
        rows.has_zoom = true;
        rows.zoom = (struct view_zoom){view->by, board->items[view->selected].id};
    }
    return rows;
}

void board_texts(const struct board_source *source, const struct view *view, const struct board_row *row,
                 struct board_texts *texts)
{
    const struct record *record = source->record;
    texts->detail = texts->number;
    if (view_is_of_functions(view)) {
        texts->name = places_name(source->places, row->id);
        texts->detail = places_module(source->places, row->id);
        return;
    }
    bool thread = view->by == VIEW_THREADS;
    const struct record_image *image = &record->images.items[thread ? record->threads.items[row->id].image : row->id];
    snprintf(texts->number, sizeof texts->number, "%s", label_pid(image->pid, image->generation).text);
    texts->name = thread ? record->threads.items[row->id].comm : image->comm;
    if (!thread)
        return;
    size_t length = strlen(texts->number);
    pid_t tid = record->threads.items[row->id].tid;
    if (tid)
        snprintf(texts->number + length, sizeof texts->number - length, "/%d", (int)tid);
    else
        snprintf(texts->number + length, sizeof texts->number - length, "/-");
}
