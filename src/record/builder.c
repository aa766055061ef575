/* SPDX-License-Identifier: MIT */
#include "record/builder.h"

#include "base/array.h"
#include "names/demangle.h"

#include <stdlib.h>
#include <string.h>

void builder_init(struct builder *builder)
{
    *builder = (struct builder){.profile = calloc(1, sizeof *builder->profile)};
    builder->failed = !builder->profile;
}

struct profile *builder_finish(struct builder *builder)
{
    struct profile *profile = builder->profile;
    struct hash *indices[] = {&builder->modules, &builder->functions, &builder->locations, &builder->processes,
                              &builder->threads, &builder->stacks,    &builder->samples};
    if (profile) {
        texts_hand_over(&builder->files, &profile->files, &profile->file_count);
        texts_hand_over(&builder->reasons, &profile->reasons, &profile->reason_count);
    }
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        hash_fini(indices[i]);
    free(builder->stack_spans);
    if (builder->failed) {
        profile_free(profile);
        profile = NULL;
    }
    *builder = (struct builder){.failed = true};
    return profile;
}

/* Makes room for one more of COUNT items, which INDEX is to find under VALUE. */
static bool make_room(struct builder *builder, struct hash *index, uint64_t value, void *items, size_t *room,
                      size_t count, size_t size)
{
    if (count >= PROFILE_NONE || !array_reserve_(items, room, count + 1, size) ||
        !hash_add(index, value, (uint32_t)count))
        builder->failed = true;
    return !builder->failed;
}

static uint64_t hash_of_text(const char *text)
{
    return text ? hash_bytes(text, strlen(text)) : 1;
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? !strcmp(one, other) : one == other;
}

/* A copy of TEXT, NULL of NULL. */
static char *copy_of(struct builder *builder, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    builder->failed |= text && !copy;
    return copy;
}

static bool is_module(const void *owner, uint32_t number, const void *key)
{
    const struct profile_module *module = &((const struct profile *)owner)->modules[number], *like = key;
    return module->text_start == like->text_start && module->text_end == like->text_end &&
           module->text_offset == like->text_offset && module->deleted == like->deleted &&
           !strcmp(module->path, like->path) && same_text(module->build_id, like->build_id);
}

uint32_t builder_module(struct builder *builder, const struct profile_module *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {like->text_start, like->text_end, hash_of_text(like->path), hash_of_text(like->build_id)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t found = hash_find(&builder->modules, value, is_module, profile, like);
    if (found != HASH_NONE) {
        profile->modules[found].executable |= like->executable;
        profile->modules[found].no_symbols |= like->no_symbols;
        return found;
    }
    if (!make_room(builder, &builder->modules, value, &profile->modules, &builder->room.modules, profile->module_count,
                   sizeof *profile->modules))
        return PROFILE_NONE;
    struct profile_module *module = &profile->modules[profile->module_count];
    *module = *like;
    module->path = copy_of(builder, like->path);
    module->build_id = copy_of(builder, like->build_id);
    module->name = module->path ? profile_module_name(module->path) : NULL;
    profile->module_count++;
    return builder->failed ? PROFILE_NONE : (uint32_t)profile->module_count - 1;
}

static bool is_function(const void *owner, uint32_t number, const void *key)
{
    const struct profile_function *function = &((const struct profile *)owner)->functions[number], *like = key;
    return function->module == like->module && function->start == like->start &&
           (!like->name || !strcmp(function->name, like->name)) &&
           same_text(function->linkage_name, like->linkage_name);
}

uint32_t builder_function(struct builder *builder, const struct profile_function *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {like->module, like->start, hash_of_text(like->linkage_name ? like->linkage_name : like->name)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t found = hash_find(&builder->functions, value, is_function, profile, like);
    if (found != HASH_NONE)
        return found;
    if (!make_room(builder, &builder->functions, value, &profile->functions, &builder->room.functions,
                   profile->function_count, sizeof *profile->functions))
        return PROFILE_NONE;
    struct profile_function *function = &profile->functions[profile->function_count++];
    *function = *like;
    char *readable = like->name ? NULL : demangle_name(like->linkage_name);
    function->name = readable ? readable : copy_of(builder, like->name ? like->name : like->linkage_name);
    function->linkage_name = copy_of(builder, like->linkage_name);
    return builder->failed ? PROFILE_NONE : (uint32_t)profile->function_count - 1;
}

uint32_t builder_file(struct builder *builder, const char *path)
{
    uint32_t number = builder->failed ? HASH_NONE : texts_add(&builder->files, path);
    builder->failed |= number == HASH_NONE;
    return number;
}

const char *builder_reason(struct builder *builder, const char *text)
{
    uint32_t number = builder->failed ? HASH_NONE : texts_add(&builder->reasons, text);
    builder->failed |= number == HASH_NONE;
    return number == HASH_NONE ? NULL : builder->reasons.items[number];
}

struct location_key {
    const struct profile_location *like;
    const struct profile_line *lines;
};

static bool is_location(const void *owner, uint32_t number, const void *key)
{
    const struct profile *profile = owner;
    const struct profile_location *location = &profile->locations[number];
    const struct location_key *wanted = key;
    if (location->module != wanted->like->module || location->function != wanted->like->function ||
        location->address != wanted->like->address || location->line_count != wanted->like->line_count)
        return false;
    return !location->line_count ||
           !memcmp(profile->lines + location->line_first, wanted->lines, location->line_count * sizeof *wanted->lines);
}

/* Appends LIKE, for which there is room. */
static uint32_t append_location(struct builder *builder, const struct location_key *key)
{
    struct profile *profile = builder->profile;
    uint32_t count = key->like->line_count;
    if (profile->line_count + count >= PROFILE_NONE ||
        !array_reserve_((void **)&profile->lines, &builder->room.lines, profile->line_count + count,
                        sizeof *profile->lines)) {
        builder->failed = true;
        return PROFILE_NONE;
    }
    if (count)
        memcpy(profile->lines + profile->line_count, key->lines, count * sizeof *key->lines);
    profile->locations[profile->location_count] = *key->like;
    profile->locations[profile->location_count].line_first = count ? (uint32_t)profile->line_count : 0;
    profile->line_count += count;
    return (uint32_t)profile->location_count++;
}

uint32_t builder_location(struct builder *builder, const struct profile_location *like,
                          const struct profile_line *lines)
{
    struct profile *profile = builder->profile;
    struct location_key key = {like, lines};
    uint64_t parts[] = {like->module, like->function, like->address,
                        like->line_count ? hash_bytes(lines, like->line_count * sizeof *lines) : 0};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t found = hash_find(&builder->locations, value, is_location, profile, &key);
    if (found != HASH_NONE)
        return found;
    if (!make_room(builder, &builder->locations, value, &profile->locations, &builder->room.locations,
                   profile->location_count, sizeof *profile->locations))
        return PROFILE_NONE;
    return append_location(builder, &key);
}

struct process_key {
    size_t apart;
    const struct profile_process *like;
};

static bool is_process(const void *owner, uint32_t number, const void *key)
{
    const struct profile_process *process = &((const struct profile *)owner)->processes[number];
    const struct process_key *wanted = key;
    return number >= wanted->apart && process->pid == wanted->like->pid && process->image == wanted->like->image &&
           !strcmp(process->comm, wanted->like->comm) && same_text(process->command, wanted->like->command);
}

static uint32_t append_process(struct builder *builder, uint64_t value, const struct profile_process *like)
{
    struct profile *profile = builder->profile;
    if (!make_room(builder, &builder->processes, value, &profile->processes, &builder->room.processes,
                   profile->process_count, sizeof *profile->processes))
        return PROFILE_NONE;
    profile->processes[profile->process_count] = (struct profile_process){
        .pid = like->pid,
        .image = like->image,
        .comm = copy_of(builder, like->comm),
        .command = like->command ? builder_reason(builder, like->command) : NULL,
        .module = PROFILE_NONE,
    };
    return (uint32_t)profile->process_count++;
}

uint32_t builder_process(struct builder *builder, const struct profile_process *like)
{
    struct profile *profile = builder->profile;
    struct process_key key = {builder->apart, like};
    uint64_t parts[] = {(uint64_t)like->pid, like->image, hash_of_text(like->comm), hash_of_text(like->command)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t index = hash_find(&builder->processes, value, is_process, profile, &key);
    if (index == HASH_NONE)
        index = append_process(builder, value, like);
    if (builder->failed)
        return PROFILE_NONE;
    struct profile_process *process = &profile->processes[index];
    process->cpu_ns += like->unsampled_ns;
    process->unsampled_ns += like->unsampled_ns;
    process->wait_ns += like->unsampled_wait_ns;
    process->unsampled_wait_ns += like->unsampled_wait_ns;
    if (process->module == PROFILE_NONE)
        process->module = like->module;
    if (like->not_sampled && !process->not_sampled)
        process->not_sampled = builder_reason(builder, like->not_sampled);
    return index;
}

static bool is_thread(const void *owner, uint32_t number, const void *key)
{
    const struct profile_thread *thread = &((const struct profile *)owner)->threads[number], *like = key;
    return thread->process == like->process && thread->tid == like->tid && !strcmp(thread->comm, like->comm);
}

uint32_t builder_thread(struct builder *builder, const struct profile_thread *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {like->process, (uint64_t)like->tid, hash_of_text(like->comm)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t found = hash_find(&builder->threads, value, is_thread, profile, like);
    if (found != HASH_NONE)
        return found;
    if (!make_room(builder, &builder->threads, value, &profile->threads, &builder->room.threads, profile->thread_count,
                   sizeof *profile->threads))
        return PROFILE_NONE;
    profile->threads[profile->thread_count++] =
        (struct profile_thread){like->process, like->tid, copy_of(builder, like->comm)};
    return builder->failed ? PROFILE_NONE : (uint32_t)profile->thread_count - 1;
}

struct stack_key {
    const uint32_t *frames;
    uint32_t count;
};

static bool is_stack(const void *owner, uint32_t number, const void *key)
{
    const struct builder *builder = owner;
    const struct builder_stack *span = &builder->stack_spans[number];
    const struct stack_key *wanted = key;
    return span->count == wanted->count &&
           !memcmp(builder->profile->frames + span->first, wanted->frames, wanted->count * sizeof *wanted->frames);
}

/* Returns where the frames of the stack are, which are there once, or PROFILE_NONE. */
static uint32_t frames_of(struct builder *builder, const uint32_t *frames, uint32_t count)
{
    struct profile *profile = builder->profile;
    struct stack_key key = {frames, count};
    uint64_t value = hash_bytes(frames, count * sizeof *frames);
    uint32_t found = hash_find(&builder->stacks, value, is_stack, builder, &key);
    if (found != HASH_NONE)
        return builder->stack_spans[found].first;
    if (!make_room(builder, &builder->stacks, value, &builder->stack_spans, &builder->room.stacks, builder->stack_count,
                   sizeof *builder->stack_spans))
        return PROFILE_NONE;
    if (profile->frame_count + count >= PROFILE_NONE ||
        !array_reserve_((void **)&profile->frames, &builder->room.frames, profile->frame_count + count,
                        sizeof *profile->frames)) {
        builder->failed = true;
        return PROFILE_NONE;
    }
    uint32_t first = (uint32_t)profile->frame_count;
    memcpy(profile->frames + first, frames, count * sizeof *frames);
    profile->frame_count += count;
    builder->stack_spans[builder->stack_count++] = (struct builder_stack){first, count};
    return first;
}

static bool is_sample(const void *owner, uint32_t number, const void *key)
{
    const struct profile_sample *sample = &((const struct profile *)owner)->samples[number], *like = key;
    return sample->thread == like->thread && sample->frame_first == like->frame_first &&
           sample->frame_count == like->frame_count && sample->syscall == like->syscall && sample->cut == like->cut;
}

static struct profile_sample *sample_of(struct builder *builder, const struct profile_sample *wanted)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {wanted->thread, wanted->frame_first, (uint64_t)(uint32_t)wanted->syscall << 8 | wanted->cut};
    uint64_t value = hash_bytes(parts, sizeof parts);
    uint32_t found = hash_find(&builder->samples, value, is_sample, profile, wanted);
    if (found != HASH_NONE)
        return &profile->samples[found];
    if (!make_room(builder, &builder->samples, value, &profile->samples, &builder->room.samples, profile->sample_count,
                   sizeof *profile->samples))
        return NULL;
    profile->samples[profile->sample_count] = *wanted;
    return &profile->samples[profile->sample_count++];
}

uint32_t builder_sample(struct builder *builder, const struct profile_sample *like, const uint32_t *frames)
{
    struct profile *profile = builder->profile;
    struct profile_sample wanted = *like;
    if (builder->failed)
        return PROFILE_NONE;
    wanted.count = wanted.cpu_ns = wanted.wait_ns = 0;
    wanted.frame_first = frames_of(builder, frames, like->frame_count);
    struct profile_sample *sample = builder->failed ? NULL : sample_of(builder, &wanted);
    if (!sample)
        return PROFILE_NONE;
    profile_sample_add(sample, like);
    struct profile_process *process = &profile->processes[profile->threads[like->thread].process];
    process->cpu_ns += like->cpu_ns;
    process->wait_ns += like->wait_ns;
    return (uint32_t)(sample - profile->samples);
}

void builder_mark(struct builder *builder, uint64_t time_ns, const char *text)
{
    struct profile *profile = builder->profile;
    if (builder->failed)
        return;
    char *copy = copy_of(builder, text);
    if (!copy || !array_reserve_((void **)&profile->marks, &builder->room.marks, profile->mark_count + 1,
                                 sizeof *profile->marks)) {
        free(copy);
        builder->failed = true;
        return;
    }
    profile->marks[profile->mark_count++] = (struct profile_mark){time_ns, copy};
}

size_t builder_keep_apart(struct builder *builder)
{
    if (!builder->failed)
        builder->apart = builder->profile->process_count;
    return builder->apart;
}
