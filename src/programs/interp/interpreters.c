/* SPDX-License-Identifier: MIT */
#include "programs/interp/interpreters.h"

#include "common/arch/arch.h"
#include "common/base/array.h"
#include "common/model/address_map.h"
#include "common/wire/command.h"
#include "common/wire/message.h"
#include "programs/elf/file.h"

#include <stdlib.h>
#include <string.h>

void interpreters_fini(struct interpreters *interpreters)
{
    free(interpreters->runtimes.items);
    free(interpreters->objects.items);
    free(interpreters->images.items);
    hash_fini(&interpreters->images.index);
    functions_fini(&interpreters->functions);
    memset(interpreters, 0, sizeof *interpreters);
}

/* Returns the index of a free element of runtimes, or HASH_NONE if memory runs out. */
static uint32_t free_runtime(struct interpreters *interpreters)
{
    for (uint32_t i = 0; i < interpreters->runtimes.count; i++)
        if (interpreters->runtimes.items[i].is_free)
            return i;
    return ARRAY_RESERVE_ONE(&interpreters->runtimes) ? (uint32_t)interpreters->runtimes.count++ : HASH_NONE;
}

/* Examines a file for an interpreter. Returns its index in runtimes, or HASH_NONE. */
static uint32_t look_into(struct interpreters *interpreters, uint32_t object, int fd)
{
    struct interpreters_runtime found = {.object = object};
    struct elf_file *file;
    if (fd < 0 || elf_file_open(fd, &file, NULL) < 0)
        return HASH_NONE;
    bool is = interp_runtime_find(file, &found.about);
    elf_file_close(file);
    uint32_t number = is ? free_runtime(interpreters) : HASH_NONE;
    if (number == HASH_NONE)
        return HASH_NONE;
    found.is_known = found.about.layout != NULL;
    found.about.recipe.runtime = number + 1;
    interpreters->runtimes.items[number] = found;
    return number;
}

enum { NOT_LOOKED_AT = HASH_NONE - 1 };

static uint32_t runtime_of(struct interpreters *interpreters, uint32_t object, int fd)
{
    while (interpreters->objects.count <= object && ARRAY_RESERVE_ONE(&interpreters->objects))
        interpreters->objects.items[interpreters->objects.count++] = NOT_LOOKED_AT;
    if (object >= interpreters->objects.count)
        return HASH_NONE;
    uint32_t *runtime = &interpreters->objects.items[object];
    if (*runtime == (uint32_t)NOT_LOOKED_AT)
        *runtime = look_into(interpreters, object, fd);
    return *runtime;
}

static bool has_number(const void *owner, uint32_t index, const void *key)
{
    return ((const struct interpreters *)owner)->images.items[index].number == *(const uint32_t *)key;
}

static uint32_t index_of(const struct interpreters *interpreters, uint32_t number)
{
    return hash_find(&interpreters->images.index, hash_number(number), has_number, interpreters, &number);
}

static bool find_bias(int fd, const struct address_range *range, uint64_t *bias)
{
    struct elf_file *file;
    uint64_t vaddr;
    if (elf_file_open(fd, &file, NULL) < 0)
        return false;
    bool found = elf_file_vaddr_of_offset(file, range->offset, &vaddr);
    elf_file_close(file);
    *bias = found ? range->start - vaddr : 0;
    return found;
}

/* Returns RUNTIME of IMAGE, which is added if it is new; NULL if that cannot be. FD is open on its file, mapped at
 * RANGE. */
static struct interpreters_mapped *mapped_of(struct interpreters_image *image, uint32_t runtime, int fd,
                                             const struct address_range *range)
{
    struct interpreters_mapped added = {.runtime = runtime};
    for (size_t i = 0; i < image->count; i++)
        if (image->mapped[i].runtime == runtime)
            return &image->mapped[i];
    if (image->count == RECIPES_MOST || !find_bias(fd, range, &added.bias))
        return NULL;
    image->mapped[image->count] = added;
    return &image->mapped[image->count++];
}

void interpreters_map(struct interpreters *interpreters, uint32_t number, pid_t pid, uint32_t object, int fd,
                      const struct address_range *range)
{
    if (interpreters->mode == MERGE_OFF)
        return;
    uint32_t runtime = runtime_of(interpreters, object, fd), index = index_of(interpreters, number);
    const struct interpreters_image added = {.number = number, .pid = pid};
    if (runtime == HASH_NONE || !interpreters->runtimes.items[runtime].is_known)
        return;
    if (index == HASH_NONE)
        index = HASH_APPEND(&interpreters->images, hash_number(number), &added);
    struct interpreters_mapped *mapped =
        index == HASH_NONE ? NULL : mapped_of(&interpreters->images.items[index], runtime, fd, range);
    if (mapped && mapped->range_count < INTERPRETERS_RANGES)
        mapped->ranges[mapped->range_count++] = (struct interp_range){range->start, range->end};
}

void interpreters_unmap(struct interpreters *interpreters, uint32_t number)
{
    uint32_t index = index_of(interpreters, number);
    for (size_t i = 0; index != HASH_NONE && i < interpreters->images.items[index].count; i++)
        interpreters->images.items[index].mapped[i].range_count = 0;
}

void interpreters_image_ends(struct interpreters *interpreters, uint32_t number)
{
    uint32_t hole = index_of(interpreters, number), last = (uint32_t)interpreters->images.count - 1;
    if (hole == HASH_NONE)
        return;
    struct interpreters_image *images = interpreters->images.items;
    hash_remove(&interpreters->images.index, hash_number(number), hole);
    interpreters->images.count--;
    if (hole == last)
        return;
    images[hole] = images[last];
    hash_renumber(&interpreters->images.index, hash_number(images[hole].number), last, hole);
}

void interpreters_forget_object(struct interpreters *interpreters, uint32_t object)
{
    uint32_t *runtime = object < interpreters->objects.count ? &interpreters->objects.items[object] : NULL;
    if (runtime && *runtime < interpreters->runtimes.count)
        interpreters->runtimes.items[*runtime].object = HASH_NONE;
    if (runtime)
        *runtime = (uint32_t)NOT_LOOKED_AT;
}

void interpreters_renew(struct interpreters *interpreters, uint64_t now_ns)
{
    struct interpreters_runtime *runtimes = interpreters->runtimes.items;
    bool all_known = true;
    for (size_t i = 0; i < interpreters->runtimes.count; i++)
        all_known &= runtimes[i].object != HASH_NONE;
    functions_renew(&interpreters->functions, now_ns, all_known);
    for (size_t i = 0; i < interpreters->runtimes.count; i++)
        runtimes[i].is_free = runtimes[i].object == HASH_NONE;
    for (size_t i = 0; i < interpreters->images.count; i++)
        for (size_t k = 0; k < interpreters->images.items[i].count; k++)
            runtimes[interpreters->images.items[i].mapped[k].runtime].is_free = false;
    for (size_t i = 0; i < interpreters->functions.count; i++)
        runtimes[interpreters->functions.items[i].runtime - 1].is_free = false;
}

/* Returns the recipe for the interpreter in MAPPED, with addresses as in its process. */
static struct recipe recipe_of(const struct interpreters *interpreters, const struct interpreters_mapped *mapped)
{
    struct recipe recipe = interpreters->runtimes.items[mapped->runtime].about.recipe;
    recipe.begin += mapped->bias;
    if (recipe.lock_kind == RECIPE_LOCK_AT)
        recipe.lock += mapped->bias;
    for (size_t i = 0; i < recipe.place_count; i++) {
        recipe.places[i].start += mapped->bias;
        recipe.places[i].end += mapped->bias;
    }
    for (size_t i = 0; i < RECIPE_SHAPES; i++)
        recipe.shapes[i].type_word += mapped->bias;
    return recipe;
}

bool interpreters_next_command(struct interpreters *interpreters, struct command *command)
{
    for (size_t i = 0; i < interpreters->images.count; i++) {
        struct interpreters_image *image = &interpreters->images.items[i];
        for (size_t k = 0; k < image->count; k++) {
            if (image->mapped[k].is_told)
                continue;
            image->mapped[k].is_told = true;
            *command = (struct command){.type = COMMAND_RECIPE, .pid = image->pid, .image = image->number};
            command->recipe = recipe_of(interpreters, &image->mapped[k]);
            return true;
        }
    }
    return false;
}

bool interpreters_object(struct interpreters *interpreters, const struct message_object *message, size_t size)
{
    struct interp_function function;
    size_t used = 0;
    if (!message->runtime || message->runtime > interpreters->runtimes.count || message->shape >= RECIPE_SHAPES ||
        message->part_count > RECIPE_PARTS_MOST + 1)
        return false;
    for (size_t i = 0; i < message->part_count; i++) {
        if (message->sizes[i] > size - used)
            return false;
        used += message->sizes[i];
    }
    const struct interp_parts parts = {.runtime = &interpreters->runtimes.items[message->runtime - 1].about,
                                       .shape = message->shape,
                                       .address = message->address,
                                       .bytes = (const unsigned char *)(message + 1),
                                       .sizes = message->sizes,
                                       .count = message->part_count};
    bool is = interp_runtime_function(&parts, &function);
    functions_set(&interpreters->functions, message->serial, message->runtime, is ? &function : NULL);
    return true;
}

/* Reads the struct recipe_stack at byte AT of the interpreters' part of MESSAGE. Returns its size with its nodes; 0 if
 * it is not there. */
static size_t read_stack(const struct message_capture *message, size_t at, struct recipe_stack *about)
{
    size_t room = message->interp_size - at;
    if (room < sizeof *about)
        return 0;
    memcpy(about, message_interp(message) + at, sizeof *about);
    if (about->count > RECIPE_NODES_MOST || about->node_size > RECIPE_NODE_MOST)
        return 0;
    size_t size = sizeof *about + about->count * (sizeof(struct recipe_node) + about->node_size);
    return size <= room ? size : 0;
}

bool interpreters_is_sound(const struct message_capture *message)
{
    struct recipe_stack about;
    size_t size = 1;
    for (size_t at = 0; size && at < message->interp_size; at += size)
        size = read_stack(message, at, &about);
    return size != 0;
}

/* Returns the number of FUNCTION among the known functions. */
static uint32_t number_in(const struct interpreters *interpreters, const struct functions_item *function)
{
    return function ? (uint32_t)(function - interpreters->functions.items) : HASH_NONE;
}

/* Returns the line stored in the object SERIAL, and its file in *FILE unless FILE is NULL; 0 if it has none. */
static uint32_t line_of_place(const struct interpreters *interpreters, uint32_t serial, uint32_t *file)
{
    struct interp_range code;
    const struct functions_item *place = functions_get(&interpreters->functions, serial, &code);
    if (place && file)
        *file = place->file;
    return place ? place->lines.first_line : 0;
}

static bool is_in(const struct interp_range *ranges, size_t count, uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (address >= ranges[i].start && address < ranges[i].end)
            return true;
    return false;
}

static struct interpreters_frame frame_of(struct interpreters *interpreters, const struct interp_runtime *runtime,
                                          const struct interp_frame *about)
{
    struct interpreters_frame frame = {.function = HASH_NONE,
                                       .is_frame = about->is_frame,
                                       .is_entry = about->is_entry,
                                       .is_fresh = about->is_fresh,
                                       .is_generator = about->is_generator};
    struct interp_range code = {0};
    struct functions_item *function =
        about->is_frame ? functions_get(&interpreters->functions, about->serial, &code) : NULL;
    if (runtime->has_places || is_in(&code, 1, about->instruction))
        frame.line = line_of_place(interpreters, about->place, NULL);
    else if (function)
        frame.line = interp_runtime_line(runtime, &function->lines, about->instruction - code.start);
    frame.function = number_in(interpreters, function);
    return frame;
}

/* Returns the frame of a file, or of evaluated text, at the location in object SERIAL. */
static struct interpreters_frame file_frame(struct interpreters *interpreters, uint32_t runtime, uint32_t serial,
                                            bool is_entry)
{
    struct interpreters_frame frame = {.function = HASH_NONE, .is_frame = true, .is_entry = is_entry};
    uint32_t file = HASH_NONE;
    frame.line = line_of_place(interpreters, serial, &file);
    char *path = file == HASH_NONE ? NULL : strdup(interpreters->functions.texts.items[file]);
    frame.function =
        number_in(interpreters, functions_add(&interpreters->functions, runtime, "<main>", path ? path : ""));
    free(path);
    return frame;
}

/* For languages in which each frame has its caller's location, and the state has the leaf's. */
static void add_placed(struct interpreters *interpreters, struct interpreters_stack *stack, uint32_t runtime,
                       struct interp_frame *about, uint32_t *place)
{
    about->place = *place;
    stack->frames[stack->count++] = about->has_no_function ? file_frame(interpreters, runtime, *place, about->is_entry)
                                                           : frame_of(interpreters, stack->runtime, about);
    if (about->caller)
        *place = about->caller;
}

/* Returns true if the evaluation at the leaf may have linked its variable, but not yet its frame: without the part of
 * it that find_linking finds, it is near its beginning. */
static bool is_shifted(const struct interpreters_stack *stack, uint64_t pc)
{
    enum { BEGINNING = 256 };
    const struct interp_runtime *runtime = stack->runtime;
    return runtime->recipe.link_next != RECIPE_NONE && !runtime->linking.end && runtime->eval_count &&
           pc - stack->mapped->bias - runtime->evals[0].start < BEGINNING;
}

static void add_frames(struct interpreters *interpreters, struct interpreters_stack *stack,
                       const struct recipe_stack *about, const unsigned char *at, bool are_placed)
{
    uint32_t place = about->state_serial;
    for (uint32_t i = 0; i < about->count; i++, at += sizeof(struct recipe_node) + about->node_size) {
        struct recipe_node node;
        struct interp_frame frame;
        memcpy(&node, at, sizeof node);
        interp_runtime_frame(stack->runtime, &node, at + sizeof node, &frame);
        if (stack->runtime->has_places)
            add_placed(interpreters, stack, about->runtime, &frame, &place);
        else
            stack->frames[stack->count++] = frame_of(interpreters, stack->runtime, &frame);
        if (frame.is_on_stack)
            stack->frames[stack->count - 1].stack = node.address;
        else if (frame.is_entry && are_placed)
            stack->frames[stack->count - 1].stack = node.stack;
    }
    if (stack->runtime->has_places && place && about->end == RECIPE_WHOLE)
        stack->frames[stack->count++] = file_frame(interpreters, about->runtime, place, true);
}

/* Returns the interpreter of IMAGE whose runtime has NUMBER, or NULL. */
static struct interpreters_mapped *mapped_with(struct interpreters_image *image, uint32_t number)
{
    for (size_t i = 0; i < image->count; i++)
        if (image->mapped[i].runtime + 1 == number)
            return &image->mapped[i];
    return NULL;
}

/* Counts the stack, which ends with END. */
static void count_stack(struct interpreters *interpreters, const struct interpreters_stack *stack, uint32_t end)
{
    interpreters->counts.stacks++;
    interpreters->counts.broken += end == RECIPE_BROKEN;
    interpreters->counts.cut += end == RECIPE_CUT;
    for (size_t i = 0; i < stack->count; i++)
        interpreters->counts.unknown += stack->frames[i].is_frame && stack->frames[i].function == HASH_NONE;
}

bool interpreters_stack(struct interpreters *interpreters, const struct message_capture *message, size_t *at,
                        struct interpreters_stack *stack)
{
    struct recipe_stack about;
    uint32_t index = index_of(interpreters, message->image);
    if (index == HASH_NONE || interpreters->mode == MERGE_OFF)
        return false;
    for (size_t size; *at < message->interp_size && (size = read_stack(message, *at, &about)) != 0;) {
        const unsigned char *nodes = message_interp(message) + *at + sizeof about;
        *at += size;
        stack->mapped = mapped_with(&interpreters->images.items[index], about.runtime);
        if ((!about.count && !about.state_serial) || !stack->mapped)
            continue;
        stack->runtime = &interpreters->runtimes.items[stack->mapped->runtime].about;
        stack->count = 0;
        if (about.node_size != recipe_stored(&stack->runtime->recipe))
            continue;
        add_frames(interpreters, stack, &about, nodes, !is_shifted(stack, arch_pc(&message->registers)));
        stack->is_whole = about.end == RECIPE_WHOLE;
        stack->is_cut = about.end == RECIPE_CUT;
        stack->is_linking = about.is_linking;
        count_stack(interpreters, stack, about.end);
        return true;
    }
    return false;
}

enum merge_kind interpreters_kind(const struct interpreters_stack *stack, uint64_t pc, bool call)
{
    const struct interpreters_mapped *mapped = stack->mapped;
    uint64_t address = call ? pc - 1 : pc;
    if (!is_in(mapped->ranges, mapped->range_count, address))
        return MERGE_OTHER;
    return is_in(stack->runtime->evals, stack->runtime->eval_count, address - mapped->bias) ? MERGE_EVALUATION
                                                                                            : MERGE_OWN;
}

bool interpreters_is_beginning(const struct interpreters_stack *stack, uint64_t pc)
{
    return !stack->is_linking && is_in(&stack->runtime->linking, 1, pc - stack->mapped->bias);
}
