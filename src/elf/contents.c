/* SPDX-License-Identifier: MIT */
#include "elf/contents.h"

#include "elf/sections.h"

#include <string.h>

enum { CONTENTS_MOST = 64 << 20 };

bool elf_contents_find(const struct elf_file *file, const char *name, const char *text, char *found, size_t size)
{
    struct elf_sections sections;
    if (elf_sections_open(&sections, file, NULL) < 0)
        return false;
    const Elf_Data *data = elf_sections_data(&sections, elf_sections_find(&sections, 0, name), CONTENTS_MOST);
    const char *begin = data ? data->d_buf : NULL;
    const char *at = begin ? memmem(begin, data->d_size, text, strlen(text)) : NULL;
    bool is_there = at && data->d_size - (size_t)(at - begin) >= size;
    if (is_there) {
        memcpy(found, at, size - 1);
        found[size - 1] = 0;
    }
    elf_sections_close(&sections);
    return is_there;
}
