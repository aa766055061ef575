/* SPDX-License-Identifier: MIT */
#include "profile/profile/builder.h"

#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MOST ((size_t)256 << 10) /* bytes of a name; demangled names have the same limit */

void builder_init(struct builder *builder)
{
    *builder = (struct builder){.profile = calloc(1, sizeof *builder->profile)};
    builder->failed = !builder->profile;
}

struct profile *builder_finish(struct builder *builder)
{
    struct profile *profile = builder->profile;
    struct hash *indices[] = {&builder->modules, &builder->functions,    &builder->locations, &builder->processes,
                              &builder->threads, &builder->stacks.index, &builder->samples};
    if (profile) {
        texts_hand_over(&builder->files, &profile->files, &profile->file_count);
        texts_hand_over(&builder->reasons, &profile->reasons, &profile->reason_count);
    }
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        hash_fini(indices[i]);
    free(builder->stacks.items);
    if (builder->failed) {
        profile_free(profile);
        profile = NULL;
    }
    *builder = (struct builder){.failed = true};
    return profile;
}

/* Appends *ITEM to the LIST of the profile, like hash_append_, or finds it there, like hash_intern_. */
#define APPEND(builder, list, list_count, value, item)                                                                 \
    added(builder, hash_append_(&(builder)->list, value, item, (void **)&(builder)->profile->list,                     \
                                &(builder)->room.list, &(builder)->profile->list_count, sizeof *(item)))
#define INTERN(builder, list, list_count, value, equal, item)                                                          \
    added(builder,                                                                                                     \
          hash_intern_(&(builder)->list, value, equal, (builder)->profile, item, (void **)&(builder)->profile->list,   \
                       &(builder)->room.list, &(builder)->profile->list_count, sizeof *(item)))

/* Returns NUMBER, or PROFILE_NONE if memory ran out. */
static uint32_t added(struct builder *builder, uint32_t number)
{
    builder->failed |= number == HASH_NONE;
    return number;
}

static uint64_t hash_of_text(const char *text)
{
    return text ? hash_bytes(text, strlen(text)) : 1;
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? !strcmp(one, other) : one == other;
}

/* Returns a copy of TEXT, or NULL for NULL. */
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
    size_t before = profile->module_count;
    uint32_t number = INTERN(builder, modules, module_count, value, is_module, like);
    if (number == HASH_NONE)
        return PROFILE_NONE;
    struct profile_module *module = &profile->modules[number];
    module->executable |= like->executable;
    module->is_compat |= like->is_compat;
    module->no_symbols |= like->no_symbols;
    if (!module->viewer.user)
        module->viewer = like->viewer.user ? like->viewer : builder->viewer;
    module->viewer_named |= builder->viewer.user != 0;
    profile_sources_add(&module->sources, &like->sources);
    if (number < before)
        return number;
    module->path = copy_of(builder, like->path);
    module->build_id = copy_of(builder, like->build_id);
    module->name = module->path ? profile_module_name(module->path) : NULL;
    return builder->failed ? PROFILE_NONE : number;
}

static bool is_function(const void *owner, uint32_t number, const void *key)
{
    const struct profile_function *function = &((const struct profile *)owner)->functions[number], *like = key;
    return function->module == like->module && function->start == like->start &&
           (!like->name || !strcmp(function->name, like->name)) &&
           same_text(function->linkage_name, like->linkage_name);
}

/* Returns NAME, or a COPY of its beginning if it is too long. A process's own map may contain names of any length. */
static char *within_bounds(struct builder *builder, char *name, char **copy)
{
    *copy = NULL;
    if (!name || strnlen(name, NAME_MOST + 1) <= NAME_MOST)
        return name;
    *copy = strndup(name, NAME_MOST);
    builder->failed |= !*copy;
    return *copy;
}

static uint32_t add_function(struct builder *builder, const struct profile_function *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {like->module, like->start, hash_of_text(like->linkage_name ? like->linkage_name : like->name)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    size_t before = profile->function_count;
    uint32_t number = INTERN(builder, functions, function_count, value, is_function, like);
    if (number == HASH_NONE || number < before)
        return number;
    struct profile_function *function = &profile->functions[number];
    char *readable = like->name || !builder->readable ? NULL : builder->readable(like->linkage_name);
    function->name = readable ? readable : copy_of(builder, like->name ? like->name : like->linkage_name);
    function->linkage_name = copy_of(builder, like->linkage_name);
    return builder->failed ? PROFILE_NONE : number;
}

uint32_t builder_function(struct builder *builder, const struct profile_function *like)
{
    struct profile_function function = *like;
    char *copies[2];
    function.name = within_bounds(builder, like->name, &copies[0]);
    function.linkage_name = within_bounds(builder, like->linkage_name, &copies[1]);
    uint32_t number = add_function(builder, &function);
    free(copies[0]);
    free(copies[1]);
    return number;
}

uint32_t builder_file(struct builder *builder, const char *path)
{
    return added(builder, builder->failed ? HASH_NONE : texts_add(&builder->files, path));
}

const char *builder_reason(struct builder *builder, const char *text)
{
    uint32_t number = added(builder, builder->failed ? HASH_NONE : texts_add(&builder->reasons, text));
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

static uint32_t append_location(struct builder *builder, uint64_t value, const struct location_key *key)
{
    struct profile *profile = builder->profile;
    struct profile_location location = *key->like;
    uint32_t count = location.line_count;
    if (profile->line_count + count >= PROFILE_NONE ||
        !array_reserve_((void **)&profile->lines, &builder->room.lines, profile->line_count + count,
                        sizeof *profile->lines)) {
        builder->failed = true;
        return PROFILE_NONE;
    }
    if (count)
        memcpy(profile->lines + profile->line_count, key->lines, count * sizeof *key->lines);
    location.line_first = count ? (uint32_t)profile->line_count : 0;
    profile->line_count += count;
    return APPEND(builder, locations, location_count, value, &location);
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
    return found != HASH_NONE ? found : append_location(builder, value, &key);
}

/* Processes with the same number on different machines are different. */
static bool same_rank(const struct profile_rank *one, const struct profile_rank *other)
{
    return one->known == other->known && one->number == other->number && same_text(one->host, other->host) &&
           same_text(one->job, other->job);
}

static bool is_process(const void *owner, uint32_t number, const void *key)
{
    const struct profile *profile = owner;
    const struct profile_process *process = &profile->processes[number], *like = key;
    return number >= profile->base_count && process->pid == like->pid && process->image == like->image &&
           !strcmp(process->comm, like->comm) && same_text(process->command, like->command) &&
           same_rank(&process->rank, &like->rank);
}

static uint32_t append_process(struct builder *builder, uint64_t value, const struct profile_process *like)
{
    struct profile_process process = {.pid = like->pid, .image = like->image, .module = PROFILE_NONE};
    uint32_t number = APPEND(builder, processes, process_count, value, &process);
    if (number != HASH_NONE) {
        builder->profile->processes[number].comm = copy_of(builder, like->comm);
        struct profile_process *added = &builder->profile->processes[number];
        added->command = like->command ? builder_reason(builder, like->command) : NULL;
        added->rank = like->rank;
        added->rank.host = like->rank.host ? builder_reason(builder, like->rank.host) : NULL;
        added->unit = like->unit ? builder_reason(builder, like->unit) : NULL;
        added->container = like->container ? builder_reason(builder, like->container) : NULL;
        added->rank.job = like->rank.job ? builder_reason(builder, like->rank.job) : NULL;
    }
    return number;
}

uint32_t builder_process(struct builder *builder, const struct profile_process *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {(uint64_t)like->pid,           like->image,
                        hash_of_text(like->comm),      hash_of_text(like->command),
                        hash_of_text(like->rank.host), like->rank.number};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    uint32_t index = hash_find(&builder->processes, value, is_process, profile, like);
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
    return thread->process == like->process && thread->tid == like->tid && thread->estimated == like->estimated &&
           !strcmp(thread->comm, like->comm);
}

uint32_t builder_thread(struct builder *builder, const struct profile_thread *like)
{
    struct profile *profile = builder->profile;
    uint64_t parts[] = {like->process, (uint64_t)like->tid, hash_of_text(like->comm)};
    uint64_t value = hash_bytes(parts, sizeof parts);
    if (builder->failed)
        return PROFILE_NONE;
    size_t before = profile->thread_count;
    uint32_t number = INTERN(builder, threads, thread_count, value, is_thread, like);
    if (number != HASH_NONE && number >= before)
        profile->threads[number].comm = copy_of(builder, like->comm);
    return builder->failed ? PROFILE_NONE : number;
}

struct stack_key {
    const uint32_t *frames;
    uint32_t count;
};

static bool is_stack(const void *owner, uint32_t number, const void *key)
{
    const struct builder *builder = owner;
    const struct builder_stack *span = &builder->stacks.items[number];
    const struct stack_key *wanted = key;
    return span->count == wanted->count &&
           !memcmp(builder->profile->frames + span->first, wanted->frames, wanted->count * sizeof *wanted->frames);
}

/* Returns the index of the stack's frames, which are stored once, or PROFILE_NONE. */
static uint32_t frames_of(struct builder *builder, const uint32_t *frames, uint32_t count)
{
    struct profile *profile = builder->profile;
    struct stack_key key = {frames, count};
    uint64_t value = hash_bytes(frames, count * sizeof *frames);
    uint32_t found = hash_find(&builder->stacks.index, value, is_stack, builder, &key);
    if (found != HASH_NONE)
        return builder->stacks.items[found].first;
    if (profile->frame_count + count >= PROFILE_NONE ||
        !array_reserve_((void **)&profile->frames, &builder->room.frames, profile->frame_count + count,
                        sizeof *profile->frames)) {
        builder->failed = true;
        return PROFILE_NONE;
    }
    const struct builder_stack span = {(uint32_t)profile->frame_count, count};
    if (added(builder, HASH_APPEND(&builder->stacks, value, &span)) == HASH_NONE)
        return PROFILE_NONE;
    memcpy(profile->frames + span.first, frames, count * sizeof *frames);
    profile->frame_count += count;
    return span.first;
}

static bool is_sample(const void *owner, uint32_t number, const void *key)
{
    const struct profile_sample *sample = &((const struct profile *)owner)->samples[number], *like = key;
    return sample->thread == like->thread && sample->frame_first == like->frame_first &&
           sample->frame_count == like->frame_count && sample->syscall == like->syscall && sample->cut == like->cut;
}

static struct profile_sample *sample_of(struct builder *builder, const struct profile_sample *wanted)
{
    uint64_t parts[] = {wanted->thread, wanted->frame_first, (uint64_t)(uint32_t)wanted->syscall << 8 | wanted->cut};
    uint64_t value = hash_bytes(parts, sizeof parts);
    uint32_t number = INTERN(builder, samples, sample_count, value, is_sample, wanted);
    return number == HASH_NONE ? NULL : &builder->profile->samples[number];
}

uint32_t builder_sample(struct builder *builder, const struct profile_sample *like, const uint32_t *frames)
{
    struct profile *profile = builder->profile;
    struct profile_sample wanted = *like;
    if (builder->failed)
        return PROFILE_NONE;
    wanted.count = wanted.cpu_ns = wanted.wait_ns = wanted.period_ns = 0;
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

void builder_base_ends(struct builder *builder)
{
    if (!builder->failed)
        builder->profile->base_count = builder->profile->process_count;
}
