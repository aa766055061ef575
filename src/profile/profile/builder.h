/* SPDX-License-Identifier: MIT
 *
 * Builds a profile from parts. A part that equals an earlier one becomes the same part. All input is copied. If memory
 * runs out, nothing more is added, every returned index is PROFILE_NONE, and `failed` is set. */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "common/base/texts.h"
#include "profile/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builder_stack {
    uint32_t first, count; /* indices of the profile's frames */
};

struct builder {
    struct profile *profile; /* the profile being built; the caller sets its quality and its command */
    struct {
        size_t modules, functions, lines, locations, processes, threads, frames, samples, marks;
    } room;
    struct hash modules, functions, locations, processes, threads, samples;
    struct texts files;
    struct texts reasons; /* texts to which processes and the quality point */
    struct {
        struct builder_stack *items;
        size_t count, room;
        struct hash index;
    } stacks;
    char *(*readable)(const char *linkage_name); /* see builder_function; NULL: none */
    struct viewer viewer;                        /* user who chose the files of all later modules, if not ours */
    size_t merged;                               /* number of profiles that were added */
    bool mixed;                                  /* some were profiles of CPU time, others of wall time */
    bool failed;
};

/* Begins an empty profile. Check failed before the first use of builder->profile. */
void builder_init(struct builder *builder);

/* Ends building. Returns the profile, which the caller frees with profile_free, or NULL if memory ran out. The builder
 * is empty afterwards; a second call returns NULL. */
struct profile *builder_finish(struct builder *builder);

/* Each returns the index of the part that equals LIKE. The indices in LIKE come from the same builder. Strings are
 * copied. A module's `name` is ignored. Data of equal parts is merged. */
uint32_t builder_module(struct builder *builder, const struct profile_module *like);

/* If like->name is NULL, any name matches, and a new function gets its linkage name, in the form that builder->readable
 * returns for it. Names are cut to 256 KiB. */
uint32_t builder_function(struct builder *builder, const struct profile_function *like);
uint32_t builder_file(struct builder *builder, const char *path);

/* LINES has like->line_count lines; like->line_first is ignored. */
uint32_t builder_location(struct builder *builder, const struct profile_location *like,
                          const struct profile_line *lines);

/* Adds like->unsampled_ns and like->unsampled_wait_ns to the process. Ignores like->cpu_ns and like->wait_ns, because
 * each sample adds its own time. */
uint32_t builder_process(struct builder *builder, const struct profile_process *like);
uint32_t builder_thread(struct builder *builder, const struct profile_thread *like);

/* Adds LIKE to the sample with the same thread, stack, system call and cut. FRAMES are like->frame_count (at least
 * one) indices of locations, leaf first; like->frame_first is ignored. Returns the index of that sample. The caller
 * adds its time to the profile's instants. */
uint32_t builder_sample(struct builder *builder, const struct profile_sample *like, const uint32_t *frames);

/* Adds a mark with TEXT at TIME_NS of the profile's time. */
void builder_mark(struct builder *builder, uint64_t time_ns, const char *text);

/* Returns a copy of TEXT that lives as long as the profile, or NULL. For members that may also point to literals. */
const char *builder_reason(struct builder *builder, const char *text);

/* Makes the processes added so far the base of a comparison. Later processes stay separate, even equal ones. */
void builder_base_ends(struct builder *builder);

#endif
