/* SPDX-License-Identifier: MIT
 *
 * The front reads messages of the tracer. A message of the input is a byte of type, a byte of flags, two bytes of
 * size, and its content. Most messages get the size of their type and the number of one of a few images, since the
 * front would drop others at once. The flags allow any size, image or type. BREAK_RING damages the ring itself. */
#include "front/naming/naming.h"
#include "front/session/intake.h"
#include "profile/report/report.h"

#include "common/base/error.h"
#include "common/base/ring.h"
#include "common/wire/channel.h"
#include "fuzz_no_names.h"
#include "fuzz_unwinder.h"

enum { IMAGES = 6, MESSAGES = 200, CONTENT_MOST = 2048, RING = 16384, MOST_RUNS = 4 };
enum { ANY_SIZE = 1, ANY_IMAGE = 2, ANY_TYPE = 4, ANY_LENGTH = 8, BREAK_RING = 0xf0 };

/* Size of the fixed part of each message. */
static const size_t sizes[] = {
    [MESSAGE_IMAGE] = sizeof(struct message_image),     [MESSAGE_IMAGE_END] = sizeof(struct message_image_end),
    [MESSAGE_MAPS] = sizeof(struct message_maps),       [MESSAGE_THREAD] = sizeof(struct message_thread),
    [MESSAGE_CAPTURE] = sizeof(struct message_capture), [MESSAGE_WAITED] = sizeof(struct message_waited),
    [MESSAGE_ENTRIES] = sizeof(struct message_entries), [MESSAGE_TROUBLE] = sizeof(struct message_trouble),
    [MESSAGE_IMPOSED] = sizeof(struct message_imposed), [MESSAGE_INHERITED] = sizeof(struct message_inherited),
    [MESSAGE_UPDATE] = sizeof(struct message_update),
};

/* The channel has no socket: answers are discarded. */
static struct channel *fuzz_channel(void)
{
    static struct channel channel = {.front_socket = -1};
    struct error error = {0};
    if (!channel.ring.control)
        FUZZ_EXPECT(!ring_map(&channel.ring, RING, &error) && !ring_map(&channel.questions, RING, &error));
    return &channel;
}

/* Makes a capture consistent with the LENGTH bytes after it: a few runs, then the stack, divided equally among them. */
static void repair_capture(uint8_t *bytes, uint32_t length)
{
    struct message_capture capture;
    struct memory_run run;
    memcpy(&capture, bytes, sizeof capture);
    capture.run_count %= MOST_RUNS + 1;
    if (capture.run_count * sizeof run > length)
        capture.run_count = 0;
    capture.stack_size = length - capture.run_count * (uint32_t)sizeof run;
    memcpy(bytes, &capture, sizeof capture);
    for (uint32_t i = 0; i < capture.run_count; i++) {
        uint8_t *place = bytes + sizeof capture + i * sizeof run;
        memcpy(&run, place, sizeof run);
        run.size = capture.stack_size / capture.run_count;
        memcpy(place, &run, sizeof run);
    }
}

/* Repairs the image and the lengths in MESSAGE, so that the front does not reject it at once. */
static void repair_message(uint8_t *message, size_t type, size_t size, uint64_t how)
{
    uint32_t image, length = (uint32_t)(size - sizes[type]);
    pid_t pid = getpid();

    if (size < sizeof image)
        return;
    memcpy(&image, message, sizeof image);
    image = 1 + (image - 1) % IMAGES;
    if (!(how & ANY_IMAGE))
        memcpy(message, &image, sizeof image);
    if (type == MESSAGE_IMAGE && !(how & ANY_IMAGE))
        memcpy(message + offsetof(struct message_image, pid), &pid, sizeof pid);
    if (how & ANY_LENGTH)
        return;
    if (type == MESSAGE_MAPS)
        memcpy(message + offsetof(struct message_maps, length), &length, sizeof length);
    if (type == MESSAGE_ENTRIES)
        memcpy(message + offsetof(struct message_entries, length), &length, sizeof length);
    if (type == MESSAGE_CAPTURE)
        repair_capture(message, length);
}

/* Sends a question. The front must answer it before it reads any other message. */
static void ask(struct intake *intake, const uint8_t *message, size_t size)
{
    struct ring *questions = &intake->channel->questions;
    void *place = ring_reserve(questions, MESSAGE_ENTRIES, size, 0);
    FUZZ_EXPECT(place);
    memcpy(place, message, size);
    ring_publish(questions, size);
    intake_next(intake, &intake->channel->ring);
    FUZZ_EXPECT(ring_filled(questions) == 0);
}

static void give(struct cursor *input, struct intake *intake)
{
    size_t meant = fuzz_below(input, 1, sizeof sizes / sizeof *sizes);
    uint64_t how = cursor_number(input, 1);
    size_t extra = fuzz_below(input, 2, CONTENT_MOST), size = sizes[meant];
    uint32_t type = (uint32_t)(how & ANY_TYPE ? extra : meant);
    bool longer = type == MESSAGE_MAPS || type == MESSAGE_CAPTURE || type == MESSAGE_ENTRIES;

    if (how & ANY_SIZE)
        size = extra;
    else if (longer)
        size += extra;
    uint8_t *message = calloc(1, size ? size : 1);
    FUZZ_EXPECT(message);
    size_t there = size;
    uint8_t *content = fuzz_copy(input, &there);
    memcpy(message, content, there);
    free(content);
    if (longer && !(how & ANY_SIZE)) /* use a short input as is, without padding */
        size = there < sizes[meant] ? sizes[meant] : there;
    if (size >= sizes[meant])
        repair_message(message, meant, size, how);
    uint8_t *exact = malloc(size ? size : 1);
    FUZZ_EXPECT(exact);
    memcpy(exact, message, size);
    free(message);
    if (type == MESSAGE_ENTRIES)
        ask(intake, exact, size);
    else
        intake_message(intake, type, exact, size);
    free(exact);
}

/* Fills a ring with arbitrary bytes. */
static void give_ring(struct cursor *input, struct intake *intake)
{
    struct error error = {0};
    struct ring ring;
    size_t size = fuzz_below(input, 2, CONTENT_MOST);
    uint8_t *bytes = fuzz_copy(input, &size);

    FUZZ_EXPECT(ring_map(&ring, RING, &error) == 0);
    memcpy(ring.bytes, bytes, size);
    atomic_store(&ring.control->written, size - size % 16 + fuzz_below(input, 1, 3) * 8);
    while (intake_next(intake, &ring))
        ;
    FUZZ_EXPECT(ring_filled(&ring) == 0);
    ring_unmap(&ring);
    free(bytes);
}

/* The record must be consistent, and every report format must write it. */
static void finish(struct record *record, struct intake *intake)
{
    struct error error = {0};
    struct profile *profile = naming_profile(record, NULL, NULL, &error);
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    FUZZ_EXPECT(profile && stream && !record->out_of_memory);
    for (size_t i = 0; i < profile->sample_count; i++)
        FUZZ_EXPECT(profile->samples[i].thread < profile->thread_count);
    for (const struct report_format *format = report_formats; format->name; format++)
        if (format->write && format->write != report_annotate_write) /* needs a chosen function */
            FUZZ_EXPECT(format->write(profile, &options, stream) == 0);
    fclose(stream);
    free(text);
    profile_free(profile);
    FUZZ_EXPECT(!intake->shadows.refused || *shadow_refusal(&intake->shadows.refusal));
    shadows_sort(&intake->shadows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    struct record *record = calloc(1, sizeof *record);
    struct intake *intake = calloc(1, sizeof *intake);
    uint64_t mode = cursor_number(&input, 1) % (STACKS_DWARF + 1);

    FUZZ_EXPECT(record && intake);
    intake->record = record;
    intake->channel = fuzz_channel();
    intake->entries.mode = mode ? CALLS_ON : CALLS_AUTO;
    if (mode != STACKS_NONE)
        intake->stacks.unwinder = fuzz_unwinder(mode == STACKS_DWARF ? UNWIND_DWARF : UNWIND_FRAME_POINTERS);
    for (int i = 0; i < MESSAGES && cursor_left(&input); i++)
        if (*input.at == BREAK_RING)
            give_ring(&input, intake);
        else
            give(&input, intake);
    intake_end(intake);
    finish(record, intake);
    intake->stacks.unwinder = NULL; /* fuzz_unwinder() owns it */
    stacks_fini(&intake->stacks);
    entries_fini(&intake->entries);
    shadows_fini(&intake->shadows);
    record_fini(record);
    free(record);
    free(intake);
    return 0;
}
