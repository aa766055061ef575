/* SPDX-License-Identifier: MIT
 *
 * Finds executable memory without a file that holds a copy of a file's code. */
#include "front/record/record_parts.h"

#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "common/base/reader.h"
#include "front/record/object.h"
#include "programs/elf/file.h"
#include "programs/files/mapped.h"
#include "programs/files/process_folder.h"
#include "programs/files/remapped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAPS_LIMIT = 16 << 20 };

/* One child reads all of them: to start one for each would delay the next samples. It ends with this process. */
static bool read_maps(const char *folder, struct buffer *text)
{
    static struct reader reader;
    char path[PROCESS_FOLDER_SIZE + 8];
    snprintf(path, sizeof path, "%s/maps", folder);
    return reader_read(&reader, path, MAPS_LIMIT, text) == 0 && text->length;
}

static bool is_text(const struct object *object, uint64_t offset)
{
    struct elf_file *file;
    uint64_t vaddr;
    if (object->kind != OBJECT_FILE || object->fd < 0 || elf_file_open(object->fd, &file, NULL) < 0)
        return false;
    bool text = elf_file_vaddr_of_offset(file, offset, &vaddr) && elf_file_is_text(file, vaddr);
    elf_file_close(file);
    return text;
}

/* If RANGE is a copy of a file's code, changes it to a range of that file and returns the number of that object.
 * Otherwise returns HASH_NONE. Sets *DOUBTED if it may become a copy. */
static uint32_t find_copied(struct objects *objects, pid_t pid, const char *folder, const char *text,
                            struct address_range *range, bool *doubted)
{
    struct address_range guesses[REMAPPED_GUESSES];
    size_t count = remapped_guess(text, range, guesses);
    uint32_t found = HASH_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = found == HASH_NONE ? objects_of_range(objects, pid, &guesses[i]) : HASH_NONE;
        const struct object *object = number == HASH_NONE ? NULL : &objects->items[number];
        bool can_be = object && is_text(object, guesses[i].offset - object->base);
        *doubted |= can_be;
        if (can_be && mapped_is_copy(object->fd, folder, &guesses[i])) {
            found = number;
            free(range->path);
            *range = guesses[i];
            range->copy = true;
        } else {
            free(guesses[i].path);
        }
    }
    *doubted &= found == HASH_NONE;
    return found;
}

/* Copies found earlier. */
static bool is_known(const struct address_map *before, struct address_range *range)
{
    const struct address_range *known = address_map_find(before, range->start);
    char *path;
    if (!known || !known->copy || known->start != range->start || known->end != range->end ||
        !(path = strdup(known->path)))
        return false;
    free(range->path);
    *range = *known;
    range->path = path;
    return true;
}

bool copies_find(struct objects *objects, pid_t pid, const struct address_map *before, struct address_map *map,
                 uint32_t *numbers)
{
    char folder[PROCESS_FOLDER_SIZE];
    struct buffer text = {0};
    bool tried = false, doubted = false;
    for (size_t i = 0; i < map->count; i++) {
        struct address_range *range = &map->items[i];
        if (numbers[i] == HASH_NONE || objects->items[numbers[i]].kind != OBJECT_JIT)
            continue;
        if (is_known(before, range)) {
            numbers[i] = objects_of_range(objects, pid, range);
            continue;
        }
        if (!tried)
            process_folder(pid, folder);
        if (!tried && !read_maps(folder, &text))
            break;
        tried = true;
        bool doubt = false;
        uint32_t copied = find_copied(objects, pid, folder, text.bytes, range, &doubt);
        if (copied != HASH_NONE)
            numbers[i] = copied;
        doubted |= doubt;
    }
    buffer_fini(&text);
    return doubted;
}
