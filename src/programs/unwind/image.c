/* SPDX-License-Identifier: MIT
 *
 * The mappings of a process, by address, and the objects behind them. */
#include "common/base/search.h"
#include "programs/elf/file.h"
#include "programs/unwind/object.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>

struct unwind_image *unwind_image_new(struct unwinder *unwinder)
{
    struct unwind_image *image = calloc(1, sizeof *image);
    if (image)
        image->unwinder = unwinder;
    return image;
}

void unwind_image_free(struct unwind_image *image)
{
    if (!image)
        return;
    unwind_generated_free(image->generated);
    free(image->mappings);
    free(image);
}

static int compare(const void *a, const void *b)
{
    const struct unwind_mapping *one = a, *other = b;
    return (one->start > other->start) - (one->start < other->start);
}

bool unwind_image_map(struct unwind_image *image, const struct unwind_mapping *mappings, size_t count)
{
    struct unwind_mapping *copy = calloc(count ? count : 1, sizeof *copy);
    if (!copy)
        return false;
    if (count) {
        memcpy(copy, mappings, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, compare);
    }
    free(image->mappings);
    image->mappings = copy;
    image->count = count;
    return true;
}

void unwind_image_forget(struct unwind_image *image, const struct unwind_object *object)
{
    for (size_t i = 0; i < image->count; i++)
        if (image->mappings[i].object == object)
            image->mappings[i].object = NULL;
}

uint64_t unwind_image_missed(const struct unwind_image *image)
{
    return image->missed;
}

uint64_t unwind_image_crossed(const struct unwind_image *image)
{
    return image->crossed;
}

uint64_t unwind_image_outside(const struct unwind_image *image)
{
    return image->outside;
}

const struct unwind_mapping *unwind_image_find(const struct unwind_image *image, uint64_t address)
{
    size_t count = SEARCH_UP_TO(image->mappings, image->count, start, address);
    return count && address < image->mappings[count - 1].end ? &image->mappings[count - 1] : NULL;
}

struct unwind_object *unwind_walk_object(const struct unwind_walk *walk, uint64_t *vaddr)
{
    uint64_t address = walk->registers.value[UNWIND_PC] - walk->call, offset;
    const struct unwind_mapping *mapping = unwind_image_find(walk->image, address);
    if (!mapping || !mapping->object)
        return NULL;
    offset = mapping->offset + (address - mapping->start);
    return elf_file_vaddr_of_offset(mapping->object->file, offset, vaddr) ? mapping->object : NULL;
}
