/* SPDX-License-Identifier: MIT */
#include "programs/elf/inflate.h"

#include "programs/elf/file.h"
#include "programs/elf/sections.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Returns what DATA, a compressed section with its header, unpacks to. */
static uint8_t *inflate_data(const struct elf_data *data, uint64_t most, size_t *size)
{
    Elf32_Chdr compat = {0};
    Elf64_Chdr header = {0};
    size_t before = data->is_compat ? sizeof compat : sizeof header;
    if (data->size < before)
        return NULL;
    memcpy(data->is_compat ? (void *)&compat : (void *)&header, data->bytes, before);
    if (data->is_compat)
        header = (Elf64_Chdr){.ch_type = compat.ch_type, .ch_size = compat.ch_size};
    uint8_t *unpacked = header.ch_type == ELFCOMPRESS_ZLIB && header.ch_size && header.ch_size <= most
                            ? malloc((size_t)header.ch_size)
                            : NULL;
    uLongf length = (uLongf)header.ch_size;
    if (!unpacked ||
        uncompress(unpacked, &length, (const uint8_t *)data->bytes + before, data->size - before) != Z_OK ||
        length != header.ch_size) {
        free(unpacked);
        return NULL;
    }
    *size = length;
    return unpacked;
}

uint8_t *elf_inflate_debug_frame(int fd, uint64_t most, size_t *size)
{
    struct elf_file *file;
    struct elf_sections sections;
    uint8_t *unpacked = NULL;
    if (elf_file_open(fd, &file, NULL) < 0)
        return NULL;
    if (elf_sections_open(&sections, file, NULL) == 0) {
        const struct elf_data *data =
            elf_sections_packed_data(&sections, elf_sections_find(&sections, 0, ".debug_frame"), most);
        unpacked = data ? inflate_data(data, most, size) : NULL;
        elf_sections_close(&sections);
    }
    elf_file_close(file);
    return unpacked;
}
