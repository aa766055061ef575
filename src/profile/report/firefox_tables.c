/* SPDX-License-Identifier: MIT */
#include "profile/report/firefox_tables.h"

#include "common/model/wait.h"
#include "common/text/json.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The category of a frame, which decides its colour. The profiler recognizes idle frames by the category's name, and
 * can hide them. */
enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_IDLE, CATEGORY_QUEUED };

static const struct {
    const char *name, *color;
} categories[] = {
    [CATEGORY_OTHER] = {"Other", "grey"},
    [CATEGORY_USER] = {"User", "blue"},
    [CATEGORY_KERNEL] = {"Kernel", "orange"},
    [CATEGORY_IDLE] = {"Idle", "transparent"},
    [CATEGORY_QUEUED] = {"Waiting for a CPU", "yellow"},
};

int firefox_tables_init(struct firefox_tables *tables, const struct profile *profile)
{
    *tables = (struct firefox_tables){.profile = profile};
    if (frames_init(&tables->functions, profile) < 0 || distinct_init(&tables->distinct, profile) < 0)
        return -ENOMEM;
    tables->running = hash_numbers(tables->distinct.count);
    tables->waiting = hash_numbers(tables->distinct.count);
    return tables->running && tables->waiting ? 0 : -ENOMEM;
}

void firefox_tables_fini(struct firefox_tables *tables)
{
    frames_fini(&tables->functions);
    distinct_fini(&tables->distinct);
    free(tables->stacks.items);
    hash_fini(&tables->stacks.index);
    free(tables->frames.items);
    hash_fini(&tables->frames.index);
    texts_fini(&tables->texts);
    texts_fini(&tables->objects);
    free(tables->running);
    free(tables->waiting);
    stack_fini(&tables->stack);
}

static bool is_pair(const void *owner, uint32_t number, const void *key)
{
    const struct firefox_pair *pair = &((const struct firefox_pairs *)owner)->items[number], *like = key;
    return pair->of == like->of && pair->with == like->with;
}

/* Returns the number of a pair. HASH_NONE if OF is that, or if memory runs out. */
static uint32_t number_of(struct firefox_pairs *pairs, uint32_t of, uint32_t with)
{
    struct firefox_pair pair = {of, with};
    return of == HASH_NONE ? HASH_NONE
                           : HASH_INTERN(pairs, hash_number((uint64_t)with << 32 | of), is_pair, pairs, &pair);
}

/* Returns the category of a leaf in which the thread waits. */
static enum category category_of_wait(const struct profile_sample *sample)
{
    return sample->syscall == WAIT_FOR_CPU ? CATEGORY_QUEUED : CATEGORY_IDLE;
}

/* A frame without a function is not user code. */
static enum category category_of(const struct stack_frame *frame)
{
    if (frame->function != PROFILE_NONE)
        return CATEGORY_USER;
    return strcmp(frame->module, LABEL_KERNEL) ? CATEGORY_OTHER : CATEGORY_KERNEL;
}

static uint32_t add_stack(struct firefox_tables *tables, const struct profile_sample *sample, bool waits)
{
    uint32_t node = HASH_NONE;
    if (!stack_of(&tables->stack, tables->profile, sample))
        return HASH_NONE;
    for (size_t i = tables->stack.count; i--;) {
        const struct stack_frame *frame = &tables->stack.items[i];
        uint32_t function = frames_number(&tables->functions, frame->function, frame->name, frame->module);
        enum category category = waits && !i ? category_of_wait(sample) : category_of(frame);
        node = number_of(&tables->stacks, number_of(&tables->frames, function, category), node);
        if (node == HASH_NONE)
            return HASH_NONE;
    }
    return node;
}

uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t number, const struct profile_sample *sample,
                              bool waits)
{
    uint32_t *known = (waits ? tables->waiting : tables->running) + tables->distinct.numbers[number];
    if (*known == HASH_NONE)
        *known = add_stack(tables, sample, waits);
    return *known;
}

uint32_t firefox_tables_unsampled(struct firefox_tables *tables)
{
    uint32_t function = frames_number(&tables->functions, PROFILE_NONE, profile_unsampled_name(tables->profile), "");
    return number_of(&tables->stacks, number_of(&tables->frames, function, CATEGORY_OTHER), HASH_NONE);
}

uint32_t firefox_tables_text(struct firefox_tables *tables, const char *text)
{
    return texts_add(&tables->texts, text);
}

void firefox_tables_categories(struct buffer *out)
{
    json_open(out, "categories", '[');
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        buffer_printf(json_next(out), "{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
                      categories[i].name, categories[i].color);
    buffer_puts(out, "]");
}

void firefox_tables_number(struct buffer *out, uint32_t number)
{
    if (number == HASH_NONE)
        json_plain(out, NULL, "null");
    else
        json_number(out, NULL, number);
}

/* Begins a table: its member NAME, with the member for its number of rows. */
static void begin_table(struct buffer *out, const char *name, size_t count)
{
    json_open(json_line(out), name, '{');
    json_number(out, "length", count);
}

/* Columns with an equal value in each of COUNT rows; the last item has no name. */
struct same {
    const char *name, *value;
};

static void put_same(struct buffer *out, const struct same *columns, size_t count)
{
    for (const struct same *column = columns; column->name; column++) {
        json_open(json_line(out), column->name, '[');
        for (size_t i = 0; i < count; i++)
            json_plain(out, NULL, column->value);
        buffer_puts(out, "]");
    }
}

static void put_text_number(struct firefox_tables *tables, struct buffer *out, const char *text)
{
    uint32_t number = texts_add(&tables->texts, text);
    out->failed |= number == HASH_NONE;
    firefox_tables_number(out, number);
}

/* Puts the columns OF and WITH of PAIRS. */
static void put_pairs(struct buffer *out, const struct firefox_pairs *pairs, const char *of, const char *with)
{
    json_open(json_line(out), of, '[');
    for (size_t i = 0; i < pairs->count; i++)
        firefox_tables_number(out, pairs->items[i].of);
    buffer_puts(out, "]");
    json_open(json_line(out), with, '[');
    for (size_t i = 0; i < pairs->count; i++)
        firefox_tables_number(out, pairs->items[i].with);
    buffer_puts(out, "]");
}

static void put_stacks(const struct firefox_tables *tables, struct buffer *out)
{
    begin_table(out, "stackTable", tables->stacks.count);
    put_pairs(out, &tables->stacks, "frame", "prefix");
    buffer_puts(out, "}");
}

static void put_frames(const struct firefox_tables *tables, struct buffer *out)
{
    static const struct same others[] = {
        {"address", "-1"},      {"inlineDepth", "0"}, {"subcategory", "0"}, {"nativeSymbol", "null"},
        {"innerWindowID", "0"}, {"line", "null"},     {"column", "null"},   {NULL, NULL}};
    begin_table(out, "frameTable", tables->frames.count);
    put_pairs(out, &tables->frames, "func", "category");
    put_same(out, others, tables->frames.count);
    buffer_puts(out, "}");
}

static void put_functions(struct firefox_tables *tables, struct buffer *out)
{
    static const struct same others[] = {{"isJS", "false"},      {"relevantForJS", "false"}, {"source", "null"},
                                         {"lineNumber", "null"}, {"columnNumber", "null"},   {NULL, NULL}};
    const struct frames *functions = &tables->functions;
    begin_table(out, "funcTable", functions->count);
    json_open(json_line(out), "name", '[');
    for (size_t i = 0; i < functions->count; i++)
        put_text_number(tables, out, *functions->items[i].name ? functions->items[i].name : "[unnamed]");
    buffer_puts(out, "]");
    json_open(json_line(out), "resource", '[');
    for (size_t i = 0; i < functions->count; i++) {
        const char *path = functions->items[i].path;
        if (*path)
            firefox_tables_number(out, texts_add(&tables->objects, path));
        else
            json_plain(out, NULL, "-1");
    }
    buffer_puts(out, "]");
    put_same(out, others, functions->count);
    buffer_puts(out, "}");
}

static void put_resources(struct firefox_tables *tables, struct buffer *out)
{
    static const struct same others[] = {{"host", "null"}, {"type", "1" /* a library */}, {NULL, NULL}};
    size_t count = tables->objects.count;
    begin_table(out, "resourceTable", count);
    json_open(json_line(out), "lib", '[');
    for (size_t i = 0; i < count; i++)
        json_number(out, NULL, i);
    buffer_puts(out, "]");
    json_open(json_line(out), "name", '[');
    for (size_t i = 0; i < count; i++)
        put_text_number(tables, out, profile_module_name(tables->objects.items[i]));
    buffer_puts(out, "]");
    put_same(out, others, count);
    buffer_puts(out, "}");
}

static const char *build_id_of(const struct profile *profile, const char *path)
{
    for (size_t i = 0; i < profile->module_count; i++)
        if (!strcmp(profile->modules[i].path, path))
            return profile->modules[i].build_id;
    return NULL;
}

static void put_objects(const struct firefox_tables *tables, struct buffer *out)
{
    json_open(out, "libs", '[');
    for (size_t i = 0; i < tables->objects.count; i++) {
        const char *path = tables->objects.items[i], *name = profile_module_name(path);
        const struct {
            const char *name, *text;
        } members[] = {{"name", name}, {"path", path}, {"debugName", name}, {"debugPath", path}, {"breakpadId", ""}};
        json_plain(json_line(out), NULL, "{\"arch\":null");
        json_text(out, "codeId", build_id_of(tables->profile, path));
        for (size_t member = 0; member < sizeof members / sizeof *members; member++)
            json_text(out, members[member].name, members[member].text);
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]");
}

/* Texts come last, because the other tables add texts; objects come first, because functions refer to them. */
void firefox_tables_put(struct firefox_tables *tables, struct buffer *out)
{
    struct buffer shared = {0};
    buffer_puts(&shared, "\"shared\":{");
    put_stacks(tables, &shared);
    put_frames(tables, &shared);
    put_functions(tables, &shared);
    put_resources(tables, &shared);
    buffer_puts(&shared,
                ",\n\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]},\n"
                "\"sources\":{\"length\":0,\"filename\":[],\"id\":[],\"sourceMapURL\":[],\"startColumn\":[],"
                "\"startLine\":[]},\n\"stringArray\":[");
    for (size_t i = 0; i < tables->texts.count; i++)
        json_text(json_line(&shared), NULL, tables->texts.items[i]);
    put_objects(tables, out);
    buffer_append(json_line(out), shared.bytes, shared.length);
    buffer_puts(out, "]}");
    out->failed |= shared.failed;
    buffer_fini(&shared);
}
