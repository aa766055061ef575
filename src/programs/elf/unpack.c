/* SPDX-License-Identifier: MIT
 *
 * Unpacks .gnu_debugdata: an ELF file, compressed by xz, with a .symtab of the functions that .dynsym leaves out. */
#include "programs/elf/debug_file.h"

#include "common/base/array.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"

#include <lzma.h>
#include <stdlib.h>

#define PACKED_MAX (UINT64_C(64) << 20)
#define UNPACKED_MAX ((size_t)128 << 20) /* a few bytes can claim any unpacked size */
#define WORK_MAX (UINT64_C(128) << 20)   /* memory for decompressing; xz -9 takes 65 MiB */

struct unpacked {
    uint8_t *bytes;
    size_t size, room;
};

/* Runs STREAM to its end. Returns false if it is damaged or too large, or if memory runs out. */
static bool run(lzma_stream *stream, struct unpacked *unpacked)
{
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) {
        size_t room = unpacked->room;
        uint8_t *grown = room < UNPACKED_MAX ? array_grow(unpacked->bytes, &room, room ? room + 1 : 65536, 1) : NULL;
        if (!grown)
            return false;
        unpacked->bytes = grown;
        unpacked->room = room;
        stream->next_out = grown + unpacked->size;
        stream->avail_out = room - unpacked->size;
        result = lzma_code(stream, LZMA_FINISH);
        unpacked->size = room - stream->avail_out;
    }
    return result == LZMA_STREAM_END;
}

struct elf_debug_file elf_debug_file_unpack(const struct elf_sections *sections)
{
    struct elf_data *data = elf_sections_data(sections, elf_sections_find(sections, 0, ".gnu_debugdata"), PACKED_MAX);
    struct elf_debug_file debug = {.fd = -1};
    struct unpacked unpacked = {0};
    lzma_stream stream = LZMA_STREAM_INIT;
    bool done;
    if (!data || lzma_stream_decoder(&stream, WORK_MAX, 0) != LZMA_OK)
        return debug;
    stream.next_in = data->bytes;
    stream.avail_in = data->size;
    done = run(&stream, &unpacked);
    lzma_end(&stream);
    if (done)
        elf_file_adopt(unpacked.bytes, unpacked.size, &debug.file, NULL);
    else
        free(unpacked.bytes);
    return debug;
}
