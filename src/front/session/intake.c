/* SPDX-License-Identifier: MIT */
#include "front/session/intake.h"

#include "common/base/ring.h"
#include "common/model/runs.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends the 0 that a name in a message may lack. */
static void end_name(char comm[16])
{
    comm[15] = 0;
}

static const struct waits no_more = {.for_maps = WAITS_FOR_MAPS, .for_code = WAITS_FOR_CODE};

/* Returns true if MESSAGE was queued to be unwound again, because its stack needs maps or code that the front does not
 * have yet. */
static bool waits_for_more(struct intake *intake, pid_t pid, const struct message_capture *message, size_t size,
                           struct waits waits)
{
    if (intake->stacks.missed && waits.for_maps < WAITS_FOR_MAPS) {
        waits.for_maps++;
        waits.now_for = MESSAGE_MAPS;
        if (!waiting_add(&intake->waiting, MESSAGE_CAPTURE, message, size, waits))
            return false;
        stacks_ask_maps(&intake->stacks, pid);
        return true;
    }
    if (waits.for_code >= WAITS_FOR_CODE)
        return false;
    bool can_ask = intake->stacks.code_count < STACKS_CODE;
    waits.for_code += stacks_ask_code(&intake->stacks, pid, message);
    if (!intake->stacks.absent) /* the known code may be out of date */
        return false;
    waits.now_for = MESSAGE_CODE;
    waits.page = can_ask ? intake->stacks.absent : 0;
    return waiting_add(&intake->waiting, MESSAGE_CAPTURE, message, size, waits);
}

static void record_stack(struct intake *intake, const struct message_capture *message, size_t size, struct waits waits)
{
    struct record_capture capture = {
        .image = message->image,
        .tid = message->tid,
        .time_ns = message->time_ns,
        .syscall = message->syscall,
        .weight_ns = message->weight_ns,
        .period_ns = message->period_ns,
        .fault_ns = message->fault_ns,
        .own_ns = message->own_ns,
        .wait_ns = message->wait_ns,
        .queued_ns = message->queued_ns,
        .waiting = message->waiting != 0,
    };
    const struct record_image *image = record_running_image(intake->record, message->image);
    if (!image)
        return;
    stacks_unwind(&intake->stacks, message, &capture);
    if (waits_for_more(intake, image->pid, message, size, waits))
        return;
    stacks_taken(&intake->stacks, image->pid, message);
    mixed_merge(&intake->mixed, intake->record, message, &capture);
    record_capture(intake->record, &capture);
}

static void record_one(struct intake *intake, uint32_t type, const void *message, size_t size, struct waits waits)
{
    const struct message_waited *waited = message;
    if (type == MESSAGE_CAPTURE)
        record_stack(intake, message, size, waits);
    else
        record_waited(intake->record, waited->image, waited->tid, waited->time_ns, waited->count, waited->wait_ns,
                      waited->queued_ns, waited->over != 0);
}

/* Answers the questions of the tracer. A thread is held until then, so this comes before any work that takes long. */
static void answer_questions(struct intake *intake)
{
    struct ring_header header;
    struct command answer;
    const void *bytes;
    bool damaged = false;
    while (intake->channel && (bytes = ring_peek(&intake->channel->questions, &header, &damaged))) {
        if (header.type == MESSAGE_ENTRIES &&
            entries_answer(&intake->entries, &intake->record->objects, bytes, header.size, &answer))
            channel_command(intake->channel, &answer);
        else
            intake->unknown++;
        ring_consume(&intake->channel->questions);
    }
    intake->unknown += damaged;
}

/* Records the queued messages that are due by these arguments (session/waiting.h). */
static void take_again(struct intake *intake, uint32_t image, uint32_t what)
{
    struct buffer buffer = intake->waiting;
    bool held = false;
    intake->waiting = (struct buffer){0};
    for (const struct waiting *waiting = NULL; (waiting = waiting_after(&buffer, waiting));) {
        size_t before = intake->waiting.length;
        answer_questions(intake);
        if (waiting_is_due(waiting, &intake->arrived, image, what, held) ||
            !waiting_add(&intake->waiting, waiting->type, waiting + 1, waiting->size, waiting->waits))
            record_one(intake, waiting->type, waiting + 1, waiting->size, what ? waiting->waits : no_more);
        held |= waiting_image(waiting) == image && intake->waiting.length > before;
    }
    buffer_fini(&buffer);
}

/* Records the queued messages of IMAGE, or all if IMAGE is 0. */
static void end_wait(struct intake *intake, uint32_t image)
{
    if (intake->waiting.length)
        take_again(intake, image, 0);
}

/* Records the queued messages that are due because WHAT has arrived for IMAGE. */
static void continue_wait(struct intake *intake, uint32_t image, uint32_t what)
{
    if (waiting_has_due(&intake->waiting, &intake->arrived, image, what))
        take_again(intake, image, what);
}

/* Records a message about a waiting thread. It refers to the thread's last capture, which may still be queued. Then it
 * is queued after that capture. */
static void record_in_order(struct intake *intake, uint32_t type, const void *message, size_t size, uint32_t image)
{
    const struct waits behind = {.now_for = MESSAGE_WAITED}; /* wait for the queued messages before it */
    if (waiting_has(&intake->waiting, image)) {
        if (waiting_add(&intake->waiting, type, message, size, behind))
            return;
        end_wait(intake, image);
    }
    record_one(intake, type, message, size, (struct waits){0});
}

/* Joins TEXT, words that each end with a 0, by spaces. Returns NULL if it has no words. */
static char *command_line(const char *text, size_t size)
{
    while (size && !text[size - 1])
        size--;
    char *line = size ? malloc(size + 1) : NULL;
    for (size_t i = 0; line && i <= size; i++)
        line[i] = i == size ? 0 : text[i] ? text[i] : ' ';
    return line;
}

static void take_image(struct intake *intake, const void *bytes, size_t size)
{
    struct message_image message = *(const struct message_image *)bytes;
    end_name(message.comm);
    senders_note(&intake->recent, message.pid);
    record_image_begins(intake->record, message.image, message.pid, message.generation, message.comm);
    record_image_executable(intake->record, message.image, message.program);
    message.job[sizeof message.job - 1] = 0;
    if (message.has_rank)
        record_image_rank(intake->record, message.image, message.rank, message.ranks, message.job);
    message.names.unit[sizeof message.names.unit - 1] = 0;
    message.names.container[sizeof message.names.container - 1] = 0;
    record_image_names(intake->record, message.image, &message.names);
    char *command = command_line((const char *)bytes + sizeof message, size - sizeof message);
    if (command)
        record_image_command(intake->record, message.image, command);
    if (command && !intake->begun)
        snprintf(intake->first_command, sizeof intake->first_command, "%s", command);
    intake->begun = true;
    free(command);
}

static void take_image_end(struct intake *intake, const void *bytes, size_t size)
{
    struct message_image_end message = *(const struct message_image_end *)bytes;
    (void)size;
    end_name(message.comm);
    intake->running += message.alive != 0;
    end_wait(intake, message.image);
    record_image_ends(intake->record, message.image, message.cpu_ns, message.wait_ns, message.comm);
    shadows_end(&intake->shadows, message.image);
    stacks_image_ends(&intake->stacks, message.image);
    interpreters_image_ends(&intake->mixed.interpreters, message.image);
}

static void take_maps(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_maps *message = bytes;
    if (message->length > size - sizeof *message) {
        intake->unknown++;
        return;
    }
    char *text = message->length ? strndup((const char *)(message + 1), message->length) : NULL;
    if (text) {
        record_image_entry(intake->record, message->image, message->entry);
        record_maps(intake->record, message->image, text);
    } else {
        record_maps_again(intake->record, message->image);
    }
    free(text);
    stacks_maps(&intake->stacks, intake->record, message->image);
    mixed_maps(&intake->mixed, intake->record, message->image);
    const struct record_image *image = record_running_image(intake->record, message->image);
    if (image && record_maps_doubted(intake->record, message->image))
        stacks_ask_maps(&intake->stacks, image->pid);
    continue_wait(intake, message->image, MESSAGE_MAPS);
}

static void take_thread(struct intake *intake, const void *bytes, size_t size)
{
    struct message_thread message = *(const struct message_thread *)bytes;
    (void)size;
    end_name(message.comm);
    record_thread_named(intake->record, message.image, message.tid, message.comm);
}

static void take_capture(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_capture *message = bytes;
    size_t more = size - sizeof *message;
    if (message->run_count > more / sizeof(struct memory_run) ||
        message->stack_size > more - message->run_count * sizeof(struct memory_run) ||
        message->interp_size > more - message->run_count * sizeof(struct memory_run) - message->stack_size ||
        !interpreters_is_sound(message) || !runs_fit(message_runs(message), message->run_count, message->stack_size)) {
        intake->unknown++;
        return;
    }
    if (message->time_ns > intake->latest_ns)
        intake->latest_ns = message->time_ns;
    if (message->waiting)
        record_in_order(intake, MESSAGE_CAPTURE, message, size, message->image);
    else
        record_stack(intake, message, size, (struct waits){0});
}

static void take_code(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_code *message = bytes;
    if (message->length > size - sizeof *message || message->address % UNWIND_PAGE ||
        (message->length && message->length != UNWIND_PAGE)) {
        intake->unknown++;
        return;
    }
    stacks_code(&intake->stacks, message);
    if (intake->arrived.image != message->image)
        intake->arrived.count = 0;
    intake->arrived.image = message->image;
    if (intake->arrived.count < UNWIND_LACKING_MOST)
        intake->arrived.pages[intake->arrived.count++] = message->address;
    if (!message->last)
        return;
    continue_wait(intake, message->image, MESSAGE_CODE);
    intake->arrived.count = 0;
}

static void take_object(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_object *message = bytes;
    if (!interpreters_object(&intake->mixed.interpreters, message, size - sizeof *message))
        intake->unknown++;
}

static void take_waited(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_waited *message = bytes;
    record_in_order(intake, MESSAGE_WAITED, message, size, message->image);
}

static void take_call(struct intake *intake, const void *bytes, size_t size)
{
    (void)size;
    intake->unknown += !looks_call(&intake->looks, bytes);
}

static void take_looked(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_looked *message = bytes;
    (void)size;
    intake->looks.done = message->number;
    intake->looks.missed = message->missed;
}

static void take_trouble(struct intake *intake, const void *bytes, size_t size)
{
    struct message_trouble message = *(const struct message_trouble *)bytes;
    (void)size;
    end_name(message.comm);
    if (message.what >= TROUBLES) {
        intake->unknown++;
        return;
    }
    intake->troubles[message.what].count++;
    intake->troubles[message.what].of_one = message;
}

static void take_imposed(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_imposed *message = bytes;
    (void)size;
    shadows_imposed(&intake->shadows, message, record_bias(intake->record, message->image, message->offset));
}

static void take_update(struct intake *intake, const void *bytes, size_t size)
{
    const struct message_update *message = bytes;
    (void)size;
    uint32_t place = HASH_NONE;
    if (!message->cell)
        place = record_place(intake->record, message->image, message->number);
    shadows_update(&intake->shadows, message, place);
}

static void take_inherited(struct intake *intake, const void *bytes, size_t size)
{
    (void)size;
    shadows_inherited(&intake->shadows, bytes);
}

/* Kinds of messages: the size of the struct, how many bytes may follow it, and the function that takes both. */
static const struct {
    size_t size, more;
    void (*take)(struct intake *intake, const void *bytes, size_t size);
} messages[] = {
    [MESSAGE_IMAGE] = {sizeof(struct message_image), COMMAND_LINE_MOST, take_image},
    [MESSAGE_IMAGE_END] = {sizeof(struct message_image_end), 0, take_image_end},
    [MESSAGE_MAPS] = {sizeof(struct message_maps), SIZE_MAX, take_maps},
    [MESSAGE_THREAD] = {sizeof(struct message_thread), 0, take_thread},
    [MESSAGE_CAPTURE] = {sizeof(struct message_capture), SIZE_MAX, take_capture},
    [MESSAGE_WAITED] = {sizeof(struct message_waited), 0, take_waited},
    [MESSAGE_TROUBLE] = {sizeof(struct message_trouble), 0, take_trouble},
    [MESSAGE_IMPOSED] = {sizeof(struct message_imposed), 0, take_imposed},
    [MESSAGE_INHERITED] = {sizeof(struct message_inherited), 0, take_inherited},
    [MESSAGE_UPDATE] = {sizeof(struct message_update), 0, take_update},
    [MESSAGE_CODE] = {sizeof(struct message_code), SIZE_MAX, take_code},
    [MESSAGE_OBJECT] = {sizeof(struct message_object), SIZE_MAX, take_object},
    [MESSAGE_CALL] = {sizeof(struct message_call), 0, take_call},
    [MESSAGE_LOOKED] = {sizeof(struct message_looked), 0, take_looked},
};

void intake_message(struct intake *intake, uint32_t type, const void *bytes, size_t size)
{
    bool known = type < sizeof messages / sizeof *messages && messages[type].take;
    if (known && size >= messages[type].size && size - messages[type].size <= messages[type].more)
        messages[type].take(intake, bytes, size);
    else
        intake->unknown++;
}

bool intake_next(struct intake *intake, struct ring *ring)
{
    struct ring_header header;
    bool damaged = false;
    answer_questions(intake);
    const void *bytes = ring_peek(ring, &header, &damaged);
    intake->unknown += damaged;
    if (!bytes)
        return false;
    intake_message(intake, header.type, bytes, header.size);
    ring_consume(ring);
    return true;
}

void intake_end(struct intake *intake)
{
    end_wait(intake, 0);
    buffer_fini(&intake->waiting);
}

static void forget_object(struct intake *intake, uint32_t number)
{
    stacks_forget_object(&intake->stacks, number);
    entries_forget_object(&intake->entries, number);
    interpreters_forget_object(&intake->mixed.interpreters, number);
}

static void forget_objects(struct intake *intake)
{
    struct objects *objects = &intake->record->objects;
    uint64_t *bytes = calloc(objects->count + 1, sizeof *bytes);
    uint32_t *numbers = hash_numbers(objects->count + 1);
    size_t count = 0;
    for (uint32_t i = 0; bytes && i < objects->count; i++)
        bytes[i] = stacks_object_bytes(&intake->stacks, i);
    if (bytes && numbers)
        count = objects_unneeded(objects, bytes, numbers);
    for (size_t i = 0; i < count; i++)
        forget_object(intake, numbers[i]);
    objects_forget(objects, numbers, count);
    free(bytes);
    free(numbers);
}

void intake_renew(struct intake *intake)
{
    record_renew(intake->record);
    forget_objects(intake);
    mixed_renew(&intake->mixed, intake->latest_ns);
}
