/* SPDX-License-Identifier: MIT */
#include "front/session/stacks.h"

#include "common/arch/arch.h"
#include "common/base/array.h"
#include "common/base/error.h"
#include "common/base/memory_run.h"
#include "common/model/wait.h"
#include "common/wire/command.h"
#include "common/wire/message.h"
#include "front/naming/name_unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stacks_start(struct stacks *stacks, enum stacks_mode mode, uint32_t most, struct error *error)
{
    stacks->most = most;
    if (mode == STACKS_NONE)
        return 0;
    stacks->unwinder = unwind_new(mode == STACKS_DWARF ? UNWIND_DWARF : UNWIND_FRAME_POINTERS, name_unpack);
    return stacks->unwinder ? 0 : error_set(error, ENOMEM, "out of memory");
}

static bool has_number(const void *owner, uint32_t index, const void *key)
{
    return ((const struct stacks *)owner)->images.items[index].number == *(const uint32_t *)key;
}

static uint32_t index_of(const struct stacks *stacks, uint32_t number)
{
    return hash_find(&stacks->images.index, hash_number(number), has_number, stacks, &number);
}

/* Returns the image NUMBER, which is added if it is new. Returns NULL if memory runs out. */
static struct unwind_image *image_of(struct stacks *stacks, uint32_t number)
{
    uint32_t index = index_of(stacks, number);
    if (index != HASH_NONE)
        return stacks->images.items[index].image;
    struct stacks_image added = {number, unwind_image_new(stacks->unwinder)};
    if (added.image && HASH_APPEND(&stacks->images, hash_number(number), &added) != HASH_NONE)
        return added.image;
    unwind_image_free(added.image);
    return NULL;
}

static struct unwind_object *open_object(struct stacks *stacks, const struct object *object)
{
    if (object->kind == OBJECT_VDSO || object->kind == OBJECT_VDSO_COMPAT)
        return unwind_object_new_vdso(stacks->unwinder, object->kind == OBJECT_VDSO_COMPAT);
    return object->kind == OBJECT_FILE && object->fd >= 0 ? unwind_object_new(stacks->unwinder, object->fd) : NULL;
}

/* Returns the object NUMBER of RECORD, which is opened if it is new; NULL if there is none. */
static struct unwind_object *object_of(struct stacks *stacks, const struct record *record, uint32_t number)
{
    if (number >= record->objects.count)
        return NULL;
    while (stacks->objects.count <= number && ARRAY_RESERVE_ONE(&stacks->objects))
        stacks->objects.items[stacks->objects.count++] = (struct stacks_object){0};
    if (number >= stacks->objects.count)
        return NULL;
    struct stacks_object *object = &stacks->objects.items[number];
    if (!object->is_opened)
        object->object = open_object(stacks, &record->objects.items[number]);
    object->is_opened = true;
    return object->object;
}

void stacks_maps(struct stacks *stacks, const struct record *record, uint32_t number)
{
    const struct record_image *about = record_running_image(record, number);
    if (!stacks->unwinder || !about || !about->objects)
        return;
    struct unwind_image *image = image_of(stacks, number);
    struct unwind_mapping *mappings = calloc(about->map.count + 1, sizeof *mappings);
    for (size_t i = 0; mappings && i < about->map.count; i++) {
        const struct address_range *range = &about->map.items[i];
        uint32_t object = about->objects[i];
        mappings[i] = (struct unwind_mapping){
            .start = range->start,
            .end = range->end,
            .offset = range->offset - (object < record->objects.count ? record->objects.items[object].base : 0),
            .object = object_of(stacks, record, object),
        };
    }
    if (image && mappings)
        unwind_image_map(image, mappings, about->map.count);
    free(mappings);
}

uint64_t stacks_object_bytes(const struct stacks *stacks, uint32_t number)
{
    return number < stacks->objects.count ? unwind_object_memory(stacks->objects.items[number].object) : 0;
}

void stacks_forget_object(struct stacks *stacks, uint32_t number)
{
    struct stacks_object *object = number < stacks->objects.count ? &stacks->objects.items[number] : NULL;
    if (!object)
        return;
    for (size_t i = 0; object->object && i < stacks->images.count; i++)
        unwind_image_forget(stacks->images.items[i].image, object->object);
    if (object->object)
        unwind_forget(stacks->unwinder, object->object);
    unwind_object_free(object->object);
    *object = (struct stacks_object){0};
}

void stacks_image_ends(struct stacks *stacks, uint32_t number)
{
    uint32_t hole = index_of(stacks, number);
    if (hole == HASH_NONE)
        return;
    unwind_image_free(stacks->images.items[hole].image);
    hash_remove(&stacks->images.index, hash_number(number), hole);
    uint32_t last = (uint32_t)--stacks->images.count;
    if (hole != last) {
        stacks->images.items[hole] = stacks->images.items[last];
        hash_renumber(&stacks->images.index, hash_number(stacks->images.items[hole].number), last, hole);
    }
}

static void set_leaf(struct stacks *stacks, const struct message_capture *message, struct record_capture *capture)
{
    stacks->frames[0] = (struct unwind_frame){.pc = arch_pc(&message->registers)};
    capture->frames = stacks->frames;
    capture->frame_count = 1;
    capture->cut = PROFILE_WHOLE;
    stacks->missed = false;
    stacks->absent = 0;
    stacks->needed = 0;
    stacks->crossed = 0;
}

/* Returns how many bytes of MESSAGE's stack must be copied to include address OUTSIDE, if it is missing because only a
 * part was copied. Otherwise returns 0. */
static uint32_t bytes_to(const struct message_capture *message, uint64_t outside)
{
    const struct memory_run *runs = message_runs(message);
    uint64_t sp = arch_sp(&message->registers), end = sp;
    for (size_t i = 0; i < message->run_count; i++)
        if (runs[i].size)
            end = runs[i].start + runs[i].size;
    bool is_above = outside >= end && outside - sp < STACKS_LARGEST;
    return message->stack_depth && is_above ? message->stack_size + (uint32_t)(outside - end + sizeof outside) : 0;
}

static struct unwind_stack stack_of(const struct message_capture *message)
{
    return (struct unwind_stack){message_runs(message), message->run_count, message_stack(message)};
}

void stacks_unwind(struct stacks *stacks, const struct message_capture *message, struct record_capture *capture)
{
    static const enum profile_cut cuts[] = {
        [UNWIND_WHOLE] = PROFILE_WHOLE, [UNWIND_TRUNCATED] = PROFILE_TRUNCATED, [UNWIND_UNKNOWN] = PROFILE_UNKNOWN};
    struct unwind_registers registers;
    struct unwind_stack stack = stack_of(message);
    enum unwind_end end = UNWIND_UNKNOWN;
    struct unwind_image *image = stacks->unwinder ? image_of(stacks, message->image) : NULL;

    set_leaf(stacks, message, capture);
    if (message->bare) {
        stacks->frames[0].pc = RECORD_IN_KERNEL;
        return;
    }
    if (!image)
        return;
    unwind_registers_set(&registers, &message->registers.user, message->registers.is_compat);
    if (message->waiting)
        unwind_registers_of_waiting(&registers);
    unwind_image_time(image, message->time_ns);
    capture->frame_count = unwind_capture(image, &registers, &stack, stacks->frames, STACKS_DEEPEST, &end);
    capture->cut = cuts[end];
    stacks->missed = unwind_image_missed(image) != 0; /* a library has been loaded since the maps were read */
    stacks->absent = unwind_image_absent(image);
    stacks->crossed = unwind_image_crossed(image);
    stacks->needed = end == UNWIND_TRUNCATED ? bytes_to(message, unwind_image_outside(image)) : 0;
}

static void add_wish(struct stacks *stacks, struct stacks_wish wish)
{
    for (size_t i = 0; i < stacks->asked_count; i++) {
        struct stacks_wish *other = &stacks->asked[i];
        if (other->pid != wish.pid || other->tid != wish.tid)
            continue;
        if (other->stack_bytes < wish.stack_bytes)
            other->stack_bytes = wish.stack_bytes;
        if (wish.crossed)
            other->crossed = wish.crossed;
        return;
    }
    if (stacks->asked_count < STACKS_ASKED)
        stacks->asked[stacks->asked_count++] = wish;
}

void stacks_ask_maps(struct stacks *stacks, pid_t pid)
{
    add_wish(stacks, (struct stacks_wish){.pid = pid});
}

void stacks_taken(struct stacks *stacks, pid_t pid, const struct message_capture *message)
{
    uint32_t depth = stacks->needed > message->stack_depth ? stacks->needed : message->stack_depth;
    stacks->unwound++;
    if (stacks->crossed)
        add_wish(stacks, (struct stacks_wish){.pid = pid, .tid = message->tid, .crossed = stacks->crossed});
    if (!stacks->needed)
        return;
    stacks->limited++;
    if (depth > stacks->deepest)
        stacks->deepest = depth;
    if (stacks->needed <= stacks->most)
        add_wish(stacks, (struct stacks_wish){.pid = pid, .tid = message->tid, .stack_bytes = stacks->needed});
}

bool stacks_ask_code(struct stacks *stacks, pid_t pid, const struct message_capture *message)
{
    uint32_t index = stacks->unwinder ? index_of(stacks, message->image) : HASH_NONE;
    if (index == HASH_NONE || stacks->code_count == STACKS_CODE)
        return false;
    struct stacks_code *code = &stacks->code[stacks->code_count];
    struct unwind_stack stack = stack_of(message);
    *code = (struct stacks_code){.pid = pid, .image = message->image};
    code->count = (uint32_t)unwind_image_lacking(stacks->images.items[index].image, &stack, code->pages);
    stacks->code_count += code->count > 0;
    return code->count > 0;
}

bool stacks_next_command(struct stacks *stacks, struct command *command)
{
    *command = (struct command){0};
    if (stacks->asked_count) {
        const struct stacks_wish *wish = &stacks->asked[--stacks->asked_count];
        command->type = wish->tid ? COMMAND_DEEPER : COMMAND_MAPS;
        command->pid = wish->pid;
        command->tid = wish->tid;
        command->stack_bytes = wish->stack_bytes;
        command->crossed = wish->crossed;
    } else if (stacks->code_count) {
        const struct stacks_code *code = &stacks->code[--stacks->code_count];
        _Static_assert(sizeof command->pages == sizeof code->pages, "as many as are asked for");
        command->type = COMMAND_CODE;
        command->pid = code->pid;
        command->image = code->image;
        command->page_count = code->count;
        memcpy(command->pages, code->pages, sizeof command->pages);
    }
    return command->type;
}

void stacks_code(struct stacks *stacks, const struct message_code *message)
{
    uint32_t index = stacks->unwinder ? index_of(stacks, message->image) : HASH_NONE;
    if (index != HASH_NONE)
        unwind_image_code(stacks->images.items[index].image, message->address, message + 1, message->length);
}

void stacks_fini(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->images.count; i++)
        unwind_image_free(stacks->images.items[i].image);
    for (size_t i = 0; i < stacks->objects.count; i++)
        unwind_object_free(stacks->objects.items[i].object);
    free(stacks->images.items);
    hash_fini(&stacks->images.index);
    free(stacks->objects.items);
    unwind_free(stacks->unwinder);
    memset(stacks, 0, sizeof *stacks);
}
