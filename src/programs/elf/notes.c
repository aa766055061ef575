/* SPDX-License-Identifier: MIT */
#include "programs/elf/notes.h"

#include "common/base/cursor.h"

#include <elf.h>

/* Names and descriptors are padded to the alignment, except that the last one may end where the notes end. */
static const uint8_t *read_padded(struct cursor *cursor, uint64_t size, uint64_t before, uint64_t alignment)
{
    const uint8_t *taken = cursor_take(cursor, size);
    uint64_t fill = -(before + size) & (alignment - 1);
    if (fill > cursor_left(cursor))
        fill = cursor_left(cursor);
    cursor_take(cursor, fill);
    return taken;
}

bool elf_notes_build_id(const uint8_t *notes, size_t size, uint64_t alignment, uint8_t *id, size_t room,
                        size_t *id_size)
{
    struct cursor cursor = {.at = notes, .end = notes + size};
    if (alignment != 8)
        alignment = 4;
    while (cursor_left(&cursor) >= sizeof(Elf64_Nhdr)) {
        uint64_t name_size = cursor_number(&cursor, 4);
        uint64_t text_size = cursor_number(&cursor, 4);
        uint64_t type = cursor_number(&cursor, 4);
        const uint8_t *name = read_padded(&cursor, name_size, sizeof(Elf64_Nhdr), alignment);
        const uint8_t *text = read_padded(&cursor, text_size, 0, alignment);

        if (cursor.failed)
            return false;
        if (type != NT_GNU_BUILD_ID || name_size != sizeof ELF_NOTE_GNU ||
            memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
            continue;
        if (!text_size || text_size > room)
            return false;
        memcpy(id, text, text_size);
        *id_size = text_size;
        return true;
    }
    return false;
}
