/* SPDX-License-Identifier: MIT
 *
 * Puts a profile together from parts that may come again: what equals a part that is there already is that
 * part. What is given is copied. After the first failure for want of memory nothing is added any more, every
 * index that is returned is PROFILE_NONE, and `failed` tells. */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "base/hash.h"
#include "base/texts.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builder_stack {
    uint32_t first, count; /* of the profile's frames */
};

struct builder {
    struct profile *profile; /* what is built; its quality and command are the caller's to set */
    struct {
        size_t modules, functions, lines, locations, processes, threads, frames, samples, marks;
    } room;
    struct hash modules, functions, locations, processes, threads, samples;
    struct texts files;
    struct texts reasons; /* that processes and the quality point to */
    struct {
        struct builder_stack *items;
        size_t count, room;
        struct hash index;
    } stacks;
    struct viewer viewer; /* of all modules from now on, if it is another user: whose word they are */
    size_t merged;        /* how many profiles have been added */
    bool mixed;           /* some were of CPU time, some of wall time */
    bool failed;
};

/* Begins an empty profile. Look at failed before the first use of builder->profile. */
void builder_init(struct builder *builder);

/* Ends building: returns the profile, which the caller frees with profile_free, or NULL if memory ran out. The
 * builder holds nothing afterwards; called a second time it returns NULL. */
struct profile *builder_finish(struct builder *builder);

/* Each returns the index of the part that equals LIKE, whose members are read as the profile's own are:
 * indices that the same builder returned, strings that need not live on, `name` of a module left out. What
 * two parts of the same identity have to tell besides it is put together. */
uint32_t builder_module(struct builder *builder, const struct profile_module *like);

/* like->name NULL: any; that of a new function is the readable form of its linkage name. Of a name that is longer than
 * 64 KiB only the beginning is taken. */
uint32_t builder_function(struct builder *builder, const struct profile_function *like);
uint32_t builder_file(struct builder *builder, const char *path);

/* LINES are like->line_count of them; like->line_first is not read. */
uint32_t builder_location(struct builder *builder, const struct profile_location *like,
                          const struct profile_line *lines);

/* Adds what no sample stands for to the process; like->cpu_ns and wait_ns are not read, as samples bring their own. */
uint32_t builder_process(struct builder *builder, const struct profile_process *like);
uint32_t builder_thread(struct builder *builder, const struct profile_thread *like);

/* Adds LIKE to the sample of the same thread, stack, system call and cut. FRAMES are like->frame_count
 * indices of locations, leaf first, at least one; like->frame_first is not read. Returns the index of
 * that sample. When it was taken is to be added to the profile's instants. */
uint32_t builder_sample(struct builder *builder, const struct profile_sample *like, const uint32_t *frames);

/* Keeps that TEXT is about TIME_NS of the profile's time. */
void builder_mark(struct builder *builder, uint64_t time_ns, const char *text);

/* Returns a copy of TEXT that lives as long as the profile, or NULL: for members that are literals elsewhere. */
const char *builder_reason(struct builder *builder, const char *text);

/* The processes so far are the base of a comparison: later ones, even equal ones, are never merged with them. */
void builder_base_ends(struct builder *builder);

#endif
