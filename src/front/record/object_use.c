/* SPDX-License-Identifier: MIT
 *
 * Which objects of earlier intervals are kept. */
#include "front/record/object.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Returns true if an ELF image inside the file OBJECT is used. */
static bool has_used_part(const struct object *object, const bool *before, const bool *now)
{
    for (unsigned i = 0; i < object->part_count && i < OBJECT_PARTS; i++)
        if (before[object->parts[i].number] || now[object->parts[i].number])
            return true;
    return false;
}

/* Another process that gets the number of an ended one has other code. So generated code is only kept for processes
 * that are still there. */
void objects_note_use(struct objects *objects, const bool *before, const bool *now)
{
    for (size_t i = 0; i < objects->count; i++) {
        struct object *object = &objects->items[i];
        if (object->kind == OBJECT_JIT)
            object->used = now[i] ? objects->interval : objects->interval - 1;
        else if (before[i] || now[i] || has_used_part(object, before, now))
            object->used = objects->interval;
    }
    objects->interval++;
}

/* An unused file. */
struct unused {
    uint32_t number, used;
    uint64_t bytes;
};

/* Sorts the most recently used object first. */
static int by_use(const void *one, const void *other)
{
    const struct unused *a = one, *b = other;
    return a->used != b->used ? (a->used < b->used ? 1 : -1) : (a->number > b->number) - (a->number < b->number);
}

/* Returns the bytes that would be free if the file was closed: it has been removed, or it is a copy in memory. */
static uint64_t held_bytes(int fd)
{
    enum { BLOCK = 512 };
    struct stat about;
    return fd >= 0 && fstat(fd, &about) == 0 && !about.st_nlink ? (uint64_t)about.st_blocks * BLOCK : 0;
}

/* Writes the unused files to FILES, and the unused code that is in no file to NUMBERS. Returns the number of files, and
 * sets *COUNT to that of the others. */
static size_t find_unused(const struct objects *objects, const uint64_t *bytes, struct unused *files, uint32_t *numbers,
                          size_t *count)
{
    size_t found = 0;
    *count = 0;
    for (uint32_t i = 0; i < objects->count; i++) {
        const struct object *object = &objects->items[i];
        if (object->used + 1 == objects->interval)
            continue;
        if (object->kind == OBJECT_FILE)
            files[found++] = (struct unused){i, object->used, bytes[i] + held_bytes(object->fd)};
        else if (object->kind == OBJECT_JIT)
            numbers[(*count)++] = i;
    }
    return found;
}

size_t objects_unneeded(const struct objects *objects, const uint64_t *bytes, uint32_t *numbers)
{
    struct unused *files = malloc((objects->count + 1) * sizeof *files);
    size_t count = 0, found = files ? find_unused(objects, bytes, files, numbers, &count) : 0;
    uint64_t sum = 0;
    if (found)
        qsort(files, found, sizeof *files, by_use);
    for (size_t i = 0; i < found; i++) {
        sum += files[i].bytes;
        if (i >= OBJECTS_UNUSED || sum > OBJECTS_UNUSED_BYTES ||
            objects->interval - files[i].used > OBJECTS_UNUSED_INTERVALS)
            numbers[count++] = files[i].number;
    }
    free(files);
    return count;
}
