/* SPDX-License-Identifier: MIT
 *
 * Reads a stored profile: the tables of its strings, code, samples and times, one entry at a time. */
#include "profile/stored/import.h"

#include <errno.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "profile/stored/stored_code.h"
#include "profile/stored/stored_times.h"
#include "profile/stored/stored_values.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SAMPLES = 8 << 20, /* different frames in all files that are read into one profile */
    MOST_FRAMES = 64 << 20,
    MOST_PROCESSES = 1 << 20,
    /* A location represents all functions inlined there, and a stack may repeat it, so these are limited: */
    MOST_OF_STACK = 64 << 10, /* functions of one stack, inlined functions included */
    MOST_A_FRAME = 64,        /* average functions in a frame over all stacks (ELF_LINES_MAX, so that our own files can
                               * be read), */
    MOST_AT_FIRST = 1 << 20,  /* plus this number */
};

struct reader {
    struct stored_code code; /* first member, so that it can be passed to functions that take an entry */
    struct stored_values values;
    struct stored_times times;
    struct {
        uint32_t *items;
        size_t count, room;
    } frames;                           /* of the present sample */
    struct stored_location no_location; /* for samples without a stack */
    uint64_t ns, samples, periods_ns;   /* read until now */
    uint64_t functions_left;            /* functions that the stacks of the file may still contain */
};

/* Where a sample was taken, according to its labels. */
struct place {
    struct profile_process process;
    struct profile_thread thread;
};

static int64_t within(int64_t number, int64_t most)
{
    return number > 0 && number <= most ? number : 0;
}

static void read_rank(struct profile_rank *rank, const char *key, const char *text, int64_t number)
{
    if (!strcmp(key, "rank") && number >= 0 && number <= INT32_MAX) {
        rank->known = true;
        rank->number = (uint32_t)number;
    } else if (!strcmp(key, "ranks"))
        rank->count = (uint32_t)within(number, INT32_MAX);
    else if (!strcmp(key, "host") && *text)
        rank->host = text;
    else if (!strcmp(key, "job") && *text)
        rank->job = text;
}

/* Reads the labels of SAMPLE. The texts are not copied here: the builder copies them. Our own files omit empty names,
 * and other files omit unknown values. */
static struct place place_of(struct reader *reader, const struct pprof_sample *sample)
{
    char *unnamed = (char *)(uintptr_t)(reader->values.has_quality ? "" : stored_program(&reader->code));
    struct place place = {.process = {.module = PROFILE_NONE}};
    for (size_t i = 0; i < sample->n_label; i++) {
        const struct pprof_label *label = &sample->label[i];
        const char *key = stored_text(&reader->code, label->key);
        char *text = (char *)(uintptr_t)stored_text(&reader->code, label->str);
        if (!strcmp(key, "process"))
            place.process.comm = text;
        else if (!strcmp(key, "comm"))
            place.thread.comm = text;
        else if (!strcmp(key, "pid"))
            place.process.pid = (pid_t)within(label->num, INT32_MAX);
        else if (!strcmp(key, "tid"))
            place.thread.tid = (pid_t)within(label->num, INT32_MAX);
        else if (!strcmp(key, "estimated"))
            place.thread.estimated = true;
        else if (!strcmp(key, "image"))
            place.process.image = (uint32_t)within(label->num, UINT32_MAX - 1);
        else if (!strcmp(key, "command") && *text)
            place.process.command = text;
        else if (!strcmp(key, "not sampled") && *text)
            place.process.not_sampled = text;
        else
            read_rank(&place.process.rank, key, text, label->num);
    }
    if (!place.process.comm)
        place.process.comm = unnamed;
    if (!place.thread.comm)
        place.thread.comm = reader->values.has_quality ? unnamed : place.process.comm;
    return place;
}

/* Counts a stack of WEIGHT functions and COUNT frames, and fails if the limits are exceeded. */
static void weigh(struct reader *reader, uint64_t weight, size_t count)
{
    if (weight > MOST_OF_STACK)
        stored_broken(&reader->code, "a stack of more than %d functions", MOST_OF_STACK);
    reader->functions_left += (uint64_t)MOST_A_FRAME * count;
    if (weight > reader->functions_left)
        stored_broken(&reader->code, "its stacks have too many inlined functions");
    else
        reader->functions_left -= weight;
}

/* Fills the frames with all locations of SAMPLE. Returns the location of the leaf and sets *ROOT to the location of
 * the root. Returns NULL on failure. */
static const struct stored_location *find_frames(struct reader *reader, const struct pprof_sample *sample,
                                                 const struct stored_location **root)
{
    const struct stored_location *leaf = NULL;
    uint64_t weight = 0;
    reader->frames.count = 0;
    if (!array_reserve_((void **)&reader->frames.items, &reader->frames.room, sample->n_location_id + 1,
                        sizeof *reader->frames.items)) {
        reader->code.result = error_set(reader->code.error, ENOMEM, "out of memory");
        return NULL;
    }
    if (!sample->n_location_id) {
        reader->no_location = stored_no_location(&reader->code);
        reader->frames.items[reader->frames.count++] = reader->no_location.index;
        return *root = &reader->no_location;
    }
    for (size_t i = 0; i < sample->n_location_id; i++) {
        *root = stored_location(&reader->code, sample->location_id[i]);
        if (!*root)
            return NULL;
        leaf = i ? leaf : *root;
        weight += (*root)->weight;
        reader->frames.items[reader->frames.count++] = (*root)->index;
    }
    weigh(reader, weight, sample->n_location_id);
    return leaf;
}

/* Moves frames that are not code from the leaf and the root into SAMPLE. At least one frame must remain. */
static const uint32_t *trim(struct reader *reader, const struct stored_location *leaf,
                            const struct stored_location *root, struct profile_sample *sample)
{
    const uint32_t *frames = reader->frames.items;
    sample->frame_count = (uint32_t)reader->frames.count;
    sample->syscall = -1;
    if (leaf->kind == STORED_SYSCALL && sample->frame_count > 1) {
        sample->syscall = leaf->syscall;
        sample->frame_count--;
        frames++;
    }
    if (root->kind == STORED_CUT && sample->frame_count > 1) {
        sample->cut = (uint8_t)root->cut;
        sample->frame_count--;
    }
    return frames;
}

static void add_sample(struct reader *reader, const struct pprof_sample *stored, struct profile_sample *sample)
{
    struct builder *into = reader->code.into;
    const struct stored_location *root = NULL, *leaf = find_frames(reader, stored, &root);
    struct place place = place_of(reader, stored);
    if (reader->code.result)
        return;
    if (leaf->kind == STORED_UNSAMPLED && stored->n_location_id == 1) {
        place.process.module = leaf->module;
        place.process.unsampled_ns = sample->cpu_ns;
        place.process.unsampled_wait_ns = sample->wait_ns;
        builder_process(into, &place.process);
        stored_times_sample(&reader->times, &reader->code, PROFILE_NONE, sample);
        return;
    }
    place.thread.process = builder_process(into, &place.process);
    sample->thread = builder_thread(into, &place.thread);
    const uint32_t *frames = trim(reader, leaf, root, sample);
    uint32_t index = builder_sample(into, sample, frames);
    stored_times_sample(&reader->times, &reader->code, index, sample);
}

/* Adds SAMPLE to the sums, and fails if a sum would overflow. */
static void add_up(struct reader *reader, const struct profile_sample *sample)
{
    const struct profile *profile = reader->code.into->profile;
    if (profile_sample_ns(sample) > INT64_MAX - reader->ns || sample->count > INT64_MAX - reader->samples ||
        sample->period_ns > INT64_MAX - reader->periods_ns)
        stored_broken(&reader->code, "its values add up to more than can be true");
    reader->ns += profile_sample_ns(sample);
    reader->samples += sample->count;
    reader->periods_ns += sample->period_ns;
    if (profile->sample_count > MOST_SAMPLES || profile->frame_count > MOST_FRAMES ||
        profile->process_count > MOST_PROCESSES)
        reader->code.result =
            error_set(reader->code.error, E2BIG, "is too large: it has too many samples, frames or processes");
}

static void read_sample(struct stored_code *code, const struct protobuf_entry *field)
{
    struct reader *reader = (struct reader *)code;
    struct pprof_sample stored;
    struct profile_sample sample = {.cut = PROFILE_WHOLE};
    if (!stored_unpack(code, &pprof_sample_layout, field, "a sample", &stored))
        return;
    stored_values_of(&reader->values, code, &stored, &sample);
    if (!code->result)
        add_up(reader, &sample);
    if (!code->result)
        add_sample(reader, &stored, &sample);
    if (code->into->failed && !code->result)
        code->result = error_set(code->error, ENOMEM, "out of memory");
}

static void read_instants(struct stored_code *code, const struct protobuf_entry *field)
{
    stored_times_read(&((struct reader *)code)->times, code, field);
}

static void read_mark(struct stored_code *code, const struct protobuf_entry *field)
{
    stored_times_read_mark(&((struct reader *)code)->times, code, field);
}

/* Calls a function for each entry of one table. */
static void walk(struct reader *reader, const struct buffer *bytes, uint32_t number,
                 void (*take)(struct stored_code *, const struct protobuf_entry *))
{
    const uint8_t *begin = (const uint8_t *)bytes->bytes;
    struct cursor cursor = {.at = begin, .end = begin + bytes->length};
    struct protobuf_entry field;
    while (!reader->code.result && protobuf_next(&cursor, &field))
        if (field.number == number)
            take(&reader->code, &field);
    if (cursor.failed)
        stored_broken(&reader->code, "it is damaged at byte %zu", (size_t)(cursor.at - begin));
}

static void read_fields(struct reader *reader, const struct buffer *bytes)
{
    const uint8_t *begin = (const uint8_t *)bytes->bytes;
    struct cursor cursor = {.at = begin, .end = begin + bytes->length};
    struct protobuf_entry field;
    while (!reader->code.result && protobuf_next(&cursor, &field))
        stored_values_read(&reader->values, &reader->code, &field);
    if (!reader->code.result)
        stored_values_choose(&reader->values, &reader->code);
}

static void read_all(struct reader *reader, const struct buffer *bytes)
{
    walk(reader, bytes, PPROF_TEXT, stored_read_text);
    read_fields(reader, bytes);
    walk(reader, bytes, PPROF_MAPPING, stored_read_mapping);
    walk(reader, bytes, PPROF_FUNCTION, stored_read_function);
    walk(reader, bytes, PPROF_LOCATION, stored_read_location);
    walk(reader, bytes, PPROF_SAMPLE, read_sample);
    if (reader->code.result)
        return;
    stored_times_begin(&reader->times, &reader->code, &reader->values);
    walk(reader, bytes, PPROF_INSTANTS, read_instants);
    walk(reader, bytes, PPROF_MARK, read_mark);
}

/* Initialises the reader. Continues with the counts of earlier files. */
static void init_reader(struct reader *reader, struct builder *into, struct error *error)
{
    memset(reader, 0, sizeof *reader);
    stored_code_init(&reader->code, into, error);
    reader->functions_left = MOST_AT_FIRST;
    reader->ns = profile_ns(into->profile);
    reader->samples = profile_samples(into->profile);
    for (size_t i = 0; i < into->profile->sample_count; i++)
        reader->periods_ns += into->profile->samples[i].period_ns;
}

int stored_read(struct builder *into, const struct buffer *bytes, struct error *error)
{
    struct reader reader;
    if (!bytes->length)
        return error_set(error, EBADMSG,
                         "is empty: a recording that is killed before its first checkpoint leaves such a file");
    init_reader(&reader, into, error);
    uint64_t before = reader.samples;
    read_all(&reader, bytes);
    if (!reader.code.result)
        stored_values_finish(&reader.values, &reader.code, reader.samples - before);
    stored_code_fini(&reader.code);
    stored_times_fini(&reader.times);
    free(reader.frames.items);
    return reader.code.result;
}
