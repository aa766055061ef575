/* SPDX-License-Identifier: MIT */
#include "profile/stored/perf_script.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/profile/instants.h"
#include "profile/profile/merge.h"
#include "profile/profile/profile.h"
#include "profile/stored/perf_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LOOK = 4096,       /* bytes examined to recognise a text */
    MOST_FRAMES = 4096,     /* of a stack */
    MOST_SAMPLES = 8 << 20, /* different frames in all files that are read into one profile */
    MOST_ALL_FRAMES = 64 << 20,
    SECOND = 1000000000,
};

struct script {
    struct builder *into;
    struct perf_survey survey;
    uint64_t whole_ns; /* time of all its samples, if the event has no clock */
    uint64_t lines, malformed, first_malformed, samples;
    enum { OUTSIDE, TAKEN, PASSED_OVER } place; /* in an event that is taken, or skipped */
    struct perf_head head;                      /* of the present event */
    bool cut_here;                              /* its stack is longer than the limit */
    struct {
        struct perf_frame *items;
        size_t count, room;
    } frames; /* of it */
    struct profile_line *lines_of_location;
    uint32_t *locations;
    size_t line_room, location_room;
    struct buffer text;         /* the present one, with its 0 */
    uint64_t periods, given_ns; /* of the samples read so far, if the event has no clock */
    uint64_t ns;                /* sum of times in the builder */
    struct error *error;
    int result;
};

bool perf_script_is_text(const struct buffer *bytes)
{
    size_t length = bytes->length < TEXT_LOOK ? bytes->length : TEXT_LOOK;
    for (size_t i = 0; i < length; i++) {
        unsigned char letter = (unsigned char)bytes->bytes[i];
        if ((letter < ' ' && letter != '\n' && letter != '\t' && letter != '\r') || letter == 0x7f)
            return false;
    }
    return length && memchr(bytes->bytes, '\n', bytes->length);
}

static void out_of_memory(struct script *script)
{
    if (!script->result)
        script->result = error_set(script->error, ENOMEM, "out of memory");
}

/* Returns TEXT with a 0 at its end, until the next call. */
static char *text_of(struct script *script, struct perf_text text)
{
    static char none[1];
    script->text.length = 0;
    if (buffer_append(&script->text, text.at, text.length))
        return script->text.bytes;
    out_of_memory(script);
    return none;
}

static uint32_t module_of(struct script *script, struct perf_text object)
{
    static const char deleted[] = " (deleted)";
    char *path = text_of(script, object), *end = path + strlen(path);
    size_t length = strlen(deleted);
    bool is_deleted = (size_t)(end - path) > length && !strcmp(end - length, deleted);
    if (is_deleted)
        end[-(ptrdiff_t)length] = 0;
    struct profile_module module = {.path = *path ? path : (char *)(uintptr_t)PROFILE_NAME_UNKNOWN,
                                    .deleted = is_deleted};
    return builder_module(script->into, &module);
}

static uint32_t function_of(struct script *script, uint32_t module, struct perf_text name)
{
    struct profile_function function = {.module = module, .name = text_of(script, name)};
    return builder_function(script->into, &function);
}

/* Returns how many frames from frames[FIRST] on belong to one place: inlined functions come before the function that
 * contains them. */
static size_t frames_of_place(const struct script *script, size_t first)
{
    const struct perf_frame *frames = script->frames.items;
    size_t end = first;
    while (end + 1 < script->frames.count && perf_text_is(frames[end].object, PERF_INLINED) &&
           frames[end + 1].address == frames[first].address)
        end++;
    return end + 1 - first;
}

/* Returns the location of COUNT frames from frames[FIRST] on. */
static uint32_t location_of(struct script *script, size_t first, size_t count)
{
    const struct perf_frame *own = &script->frames.items[first + count - 1];
    bool lost = perf_text_is(own->object, PERF_INLINED); /* the stack ends here */
    struct profile_location location = {.address = own->address, .line_count = count > 1 ? (uint32_t)count : 0};
    location.module =
        module_of(script, lost ? (struct perf_text){PROFILE_NAME_UNKNOWN, strlen(PROFILE_NAME_UNKNOWN)} : own->object);
    if (!array_reserve_((void **)&script->lines_of_location, &script->line_room, count,
                        sizeof *script->lines_of_location)) {
        out_of_memory(script);
        return PROFILE_NONE;
    }
    for (size_t i = 0; i < count; i++) {
        location.function = function_of(script, location.module, script->frames.items[first + i].name);
        script->lines_of_location[i] = (struct profile_line){.function = location.function, .file = PROFILE_NONE};
    }
    return builder_location(script->into, &location, script->lines_of_location);
}

/* Returns the system call of FRAME: in our own text, a name in brackets without an address. */
static int32_t syscall_of(struct script *script, const struct perf_frame *frame)
{
    if (frame->address || !perf_text_is(frame->object, PERF_KERNEL) || frame->name.length < 3 || *frame->name.at != '[')
        return -1;
    return profile_syscall_number(text_of(script, (struct perf_text){frame->name.at + 1, frame->name.length - 2}));
}

/* Like syscall_of, for the root of an incomplete stack. */
static enum profile_cut cut_of(struct script *script, const struct perf_frame *frame)
{
    return frame->address || !perf_text_is(frame->object, PROFILE_NAME_UNKNOWN)
               ? PROFILE_WHOLE
               : profile_cut_of(text_of(script, frame->name));
}

/* Moves frames that are not code from both ends of the stack into SAMPLE. At least one frame remains. */
static size_t trim(struct script *script, struct profile_sample *sample)
{
    size_t first = 0;
    sample->syscall = script->frames.count > 1 ? syscall_of(script, script->frames.items) : -1;
    first += sample->syscall >= 0;
    if (script->cut_here)
        sample->cut = PROFILE_TRUNCATED;
    else if (script->frames.count > first + 1) {
        sample->cut = (uint8_t)cut_of(script, &script->frames.items[script->frames.count - 1]);
        script->frames.count -= sample->cut != PROFILE_WHOLE;
    }
    return first;
}

static void add_stack(struct script *script, struct profile_sample *sample)
{
    size_t first = trim(script, sample);
    if (!array_reserve_((void **)&script->locations, &script->location_room, script->frames.count,
                        sizeof *script->locations)) {
        out_of_memory(script);
        return;
    }
    for (size_t count; first < script->frames.count && !script->result; first += count) {
        count = frames_of_place(script, first);
        script->locations[sample->frame_count++] = location_of(script, first, count);
    }
    if (script->result)
        return;
    struct instant instant = {.count = sample->count, .cpu_ns = sample->cpu_ns, .wait_ns = sample->wait_ns};
    instant.sample = builder_sample(script->into, sample, script->locations);
    instant.time_ns =
        script->head.time_ns > script->survey.first_ns ? script->head.time_ns - script->survey.first_ns : 0;
    if (instant.sample != PROFILE_NONE)
        instants_add(&script->into->profile->instants, &instant);
}

/* Returns the time that the present sample represents. */
static uint64_t time_of(struct script *script)
{
    const struct perf_survey *survey = &script->survey;
    if (survey->clock)
        return script->head.period;
    uint64_t period = script->head.period ? script->head.period : 1;
    script->periods = period > survey->periods - script->periods ? survey->periods : script->periods + period;
    uint64_t until =
        (uint64_t)((long double)script->whole_ns * (long double)script->periods / (long double)survey->periods);
    uint64_t ns = until > script->given_ns ? until - script->given_ns : 0;
    script->given_ns += ns;
    return ns;
}

/* Returns false if a sum would overflow, or if the profile would become too large to be shown. */
static bool has_room(struct script *script, uint64_t ns)
{
    const struct profile *profile = script->into->profile;
    if (ns > INT64_MAX - script->ns)
        script->result = error_set(script->error, EBADMSG, "is damaged: its periods add up to more than can be true");
    else if (profile->sample_count > MOST_SAMPLES || profile->frame_count > MOST_ALL_FRAMES)
        script->result = error_set(script->error, E2BIG, "is too large: it has too many samples or frames");
    script->ns += ns;
    return !script->result;
}

static uint32_t process_of(struct script *script, uint64_t unsampled_ns)
{
    const struct perf_survey *survey = &script->survey;
    struct profile_process process = {
        .pid = script->head.pid,
        .comm = text_of(script, perf_survey_comm(survey, script->head.pid)),
        .unsampled_ns = survey->wall ? 0 : unsampled_ns,
        .unsampled_wait_ns = survey->wall ? unsampled_ns : 0,
        .module = PROFILE_NONE,
    };
    return builder_process(script->into, &process);
}

static bool is_unsampled(const struct script *script)
{
    const struct perf_frame *frame = script->frames.items;
    return script->frames.count == 1 && !frame->address &&
           (perf_text_is(frame->name, PROFILE_NAME_UNSAMPLED) || perf_text_is(frame->name, PROFILE_NAME_NO_SAMPLES)) &&
           perf_text_is(frame->object, PROFILE_NAME_UNKNOWN);
}

static bool push(struct script *script, struct perf_frame frame)
{
    if (script->frames.count >= MOST_FRAMES) {
        script->cut_here = true;
        return true;
    }
    if (!ARRAY_RESERVE_ONE(&script->frames)) {
        out_of_memory(script);
        return false;
    }
    script->frames.items[script->frames.count++] = frame;
    return true;
}

/* Finishes the present event. */
static void finish_event(struct script *script)
{
    static const struct perf_text unknown = {PROFILE_NAME_UNKNOWN, sizeof PROFILE_NAME_UNKNOWN - 1};
    bool taken = script->place == TAKEN;
    script->place = OUTSIDE;
    if (!taken || script->result || (!script->frames.count && !push(script, (struct perf_frame){0, unknown, unknown})))
        return;
    uint64_t ns = time_of(script);
    if (!has_room(script, ns))
        return;
    if (is_unsampled(script)) {
        process_of(script, ns);
        return;
    }
    struct profile_sample sample = {.count = 1};
    struct profile_thread thread = {.process = process_of(script, 0), .tid = script->head.tid};
    thread.comm = text_of(script, script->head.comm);
    sample.thread = builder_thread(script->into, &thread);
    bool waits = script->survey.wall && script->frames.count > 1 && syscall_of(script, script->frames.items) >= 0;
    *(waits ? &sample.wait_ns : &sample.cpu_ns) = ns;
    script->samples++;
    add_stack(script, &sample);
    if (script->into->failed)
        out_of_memory(script);
}

static void begin_event(struct script *script, const struct perf_head *head)
{
    struct perf_frame frame;
    finish_event(script);
    script->head = *head;
    script->frames.count = 0;
    script->cut_here = false;
    script->place = perf_survey_has(&script->survey, head) ? TAKEN : PASSED_OVER;
    if (script->place == TAKEN && perf_line_frame(head->rest, &frame)) /* without stacks, the frame is on the same
                                                                        * line */
        push(script, frame);
}

static void read_line(struct script *script, struct perf_text line)
{
    struct perf_head head;
    struct perf_frame frame;
    script->lines++;
    if (!line.length)
        finish_event(script);
    else if (*line.at == '#')
        return;
    else if (perf_line_head(line, &head))
        begin_event(script, &head);
    else if (script->place != OUTSIDE && perf_line_frame(line, &frame)) {
        if (script->place == TAKEN)
            push(script, frame);
    } else if (!script->malformed++)
        script->first_malformed = script->lines;
}

/* Sets the total time of the samples if the event has no time. */
static void set_whole(struct script *script)
{
    const struct perf_survey *survey = &script->survey;
    uint64_t between = quantile_read(&survey->between, 500);
    if (survey->clock || script->result)
        return;
    if (!between)
        script->result = error_set(script->error, EBADMSG,
                                   "counts '%.*s', no time, and has too few samples to tell what one represents",
                                   (int)(survey->event.length < 100 ? survey->event.length : 100), survey->event.at);
    else if (survey->samples > INT64_MAX / between)
        script->result = error_set(script->error, EBADMSG, "is damaged: its samples are too far from each other");
    else
        script->whole_ns = between * survey->samples;
}

static void put_event_name(struct buffer *note, const struct perf_survey *survey)
{
    buffer_append(note, survey->event.at, survey->event.length);
}

static void put_note(struct script *script, struct buffer *note)
{
    const struct perf_survey *survey = &script->survey;
    if (script->malformed)
        buffer_printf(
            note,
            "has %llu lines that are not as 'perf script' prints them, the first is line %llu: they are ignored; ",
            (unsigned long long)script->malformed, (unsigned long long)script->first_malformed);
    if (survey->others) {
        buffer_printf(note, "has %llu samples of other events than ", (unsigned long long)survey->others);
        put_event_name(note, survey);
        buffer_puts(note, ": they are ignored; ");
    }
    if (!survey->clock) {
        buffer_puts(note, "counts ");
        put_event_name(note, survey);
        buffer_printf(note,
                      ", no time: each sample counts as %llu us, the usual distance between two samples of a thread; ",
                      (unsigned long long)(script->whole_ns / survey->samples / 1000));
    }
    if (note->length)
        note->length -= 2;
    if (note->bytes)
        note->bytes[note->length] = 0;
    if (note->failed)
        out_of_memory(script);
}

static void put_quality(struct script *script)
{
    const struct perf_survey *survey = &script->survey;
    uint64_t each = survey->clock ? survey->periods / survey->samples : script->whole_ns / survey->samples;
    uint64_t rate = each && each <= SECOND ? (SECOND + each / 2) / each : 0;
    struct profile_quality quality = {
        .wall = survey->wall,
        .rate = (uint32_t)rate,
        .lowest_rate = (uint32_t)rate,
        .samples = script->samples,
        .due = script->samples,
        .wall_ns = survey->last_ns - survey->first_ns,
    };
    merge_quality(script->into, &quality, survey->command.length ? text_of(script, survey->command) : NULL);
}

static void read_lines(struct script *script, struct perf_text text, struct buffer *note)
{
    struct perf_text line;
    if (!perf_survey_make(&script->survey, text))
        out_of_memory(script);
    else if (!script->survey.samples)
        script->result = error_set(script->error, EBADMSG, "is not a stored profile, nor what 'perf script' prints");
    set_whole(script);
    while (!script->result && perf_line_next(&text, &line))
        read_line(script, line);
    if (!script->result)
        finish_event(script);
    if (!script->result)
        put_note(script, note);
    if (!script->result)
        put_quality(script);
}

int perf_script_read(struct builder *into, const struct buffer *bytes, struct buffer *note, struct error *error)
{
    struct script script = {.into = into, .ns = profile_ns(into->profile), .error = error};
    note->length = 0;
    read_lines(&script, (struct perf_text){bytes->bytes, bytes->length}, note);
    perf_survey_fini(&script.survey);
    free(script.frames.items);
    free(script.lines_of_location);
    free(script.locations);
    buffer_fini(&script.text);
    return script.result;
}
