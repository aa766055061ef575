/* SPDX-License-Identifier: MIT */
#include "profile/profile/frames.h"

#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The source of a function is the file of its first line, with the smallest line number in that file. */
static void learn_line(struct frames *frames, const struct profile_line *line)
{
    struct frames_source *source = &frames->sources[line->function];
    const char *file = line->file == PROFILE_NONE ? NULL : frames->profile->files[line->file];
    if (!source->file) {
        source->file = file;
        source->line = 0;
    }
    if (file && !strcmp(file, source->file) && line->line && (!source->line || line->line < source->line))
        source->line = line->line;
}

int frames_init(struct frames *frames, const struct profile *profile)
{
    *frames = (struct frames){.profile = profile};
    frames->sources = calloc(profile->function_count + 1, sizeof *frames->sources);
    if (!frames->sources)
        return -ENOMEM;
    for (size_t i = 0; i < profile->function_count; i++)
        frames->sources[i].number = HASH_NONE;
    for (size_t i = 0; i < profile->line_count; i++)
        learn_line(frames, &profile->lines[i]);
    return 0;
}

void frames_fini(struct frames *frames)
{
    free(frames->items);
    free(frames->sources);
    hash_fini(&frames->index);
    texts_fini(&frames->made_up);
    memset(frames, 0, sizeof *frames);
}

static bool same_text(const char *left, const char *right)
{
    return left == right || (left && right && !strcmp(left, right));
}

static bool is_frame(const void *owner, uint32_t number, const void *key)
{
    const struct frames_item *item = &((const struct frames *)owner)->items[number], *wanted = key;
    return same_text(item->name, wanted->name) && same_text(item->path, wanted->path) &&
           same_text(item->file, wanted->file);
}

/* Returns the number of the frame that ITEM describes. Adds the frame if it is new. */
static uint32_t find_or_add(struct frames *frames, const struct frames_item *item)
{
    uint64_t value = hash_number(hash_bytes(item->name, strlen(item->name)) ^
                                 hash_number(hash_bytes(item->path, strlen(item->path))));
    uint32_t number = HASH_INTERN(frames, value, is_frame, frames, item);
    struct frames_item *found = number == HASH_NONE ? NULL : &frames->items[number];
    if (found && item->line && (!found->line || item->line < found->line))
        found->line = item->line;
    return number;
}

static uint32_t number_of_function(struct frames *frames, uint32_t number)
{
    const struct profile_function *function = &frames->profile->functions[number];
    const struct profile_module *module = &frames->profile->modules[function->module];
    struct frames_source *source = &frames->sources[number];
    if (source->number == HASH_NONE)
        source->number = find_or_add(frames, &(struct frames_item){
                                                 .name = function->name,
                                                 .full_name = function->full_name,
                                                 .module = module->name,
                                                 .path = module->path,
                                                 .file = source->file,
                                                 .line = source->line,
                                                 .start = function->start,
                                             });
    return source->number;
}

uint32_t frames_number(struct frames *frames, uint32_t function, const char *name, const char *module)
{
    if (function != PROFILE_NONE)
        return number_of_function(frames, function);
    uint32_t text = texts_add(&frames->made_up, name);
    if (text == HASH_NONE)
        return HASH_NONE;
    return find_or_add(frames,
                       &(struct frames_item){.name = frames->made_up.items[text], .module = module, .path = module});
}
