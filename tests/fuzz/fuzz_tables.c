/* SPDX-License-Identifier: MIT
 *
 * What is read of code without a library: of ELF files notes, records of unwind tables and their index,
 * entries of the procedure linkage table, and names; maps that just-in-time compilers write; ranges. The
 * first byte chooses. */
#include "elf/cover.h"
#include "elf/demangle.h"
#include "elf/jitmap.h"
#include "elf/notes.h"
#include "elf/plt_slot.h"
#include "elf/unwind_table.h"

#include "fuzz.h"

static void read_notes(struct elf_cursor *input)
{
    uint8_t id[20];
    uint64_t alignment = elf_cursor_number(input, 1);
    size_t id_size = 0, size = elf_cursor_left(input);
    uint8_t *bytes = fuzz_copy(input, &size);

    if (elf_notes_build_id(bytes, size, alignment, id, sizeof id, &id_size))
        FUZZ_EXPECT(id_size && id_size <= sizeof id);
    free(bytes);
}

struct visits {
    size_t size, left;
};

static bool visit(void *owner, uint64_t start, uint64_t end, uint64_t offset)
{
    struct visits *visits = owner;

    FUZZ_EXPECT(start < end && offset < visits->size && visits->left);
    return --visits->left != 0;
}

static void read_records(struct elf_cursor *input)
{
    enum elf_unwind_format format =
        elf_cursor_number(input, 1) & 1 ? ELF_UNWIND_DEBUG_FRAME : ELF_UNWIND_EH_FRAME;
    uint64_t vaddr = format == ELF_UNWIND_DEBUG_FRAME ? 0 : elf_cursor_number(input, 8);
    struct visits visits = {.size = elf_cursor_left(input), .left = 1000};
    uint8_t *bytes = fuzz_copy(input, &visits.size);

    elf_unwind_table_walk(bytes, visits.size, vaddr, format, visit, &visits);
    free(bytes);
}

static void read_header(struct elf_cursor *input)
{
    uint64_t vaddr = elf_cursor_number(input, 8), start;
    size_t size = elf_cursor_left(input), count = 0, offset;
    uint8_t *bytes = fuzz_copy(input, &size);

    elf_unwind_table_start(bytes, size, vaddr, &start);
    offset = elf_unwind_table_lines(bytes, size, &count);
    FUZZ_EXPECT(offset <= size && (!offset || count <= (size - offset) / sizeof(struct elf_unwind_line)));
    free(bytes);
}

static void read_slot(struct elf_cursor *input)
{
    uint64_t vaddr = elf_cursor_number(input, 8);
    size_t size = elf_cursor_left(input);
    uint8_t *bytes = fuzz_copy(input, &size);

    elf_plt_slot_decode(bytes, size, vaddr);
    free(bytes);
}

static void read_name(struct elf_cursor *input)
{
    char *text = fuzz_text(input);

    free(elf_demangle(text));
    free(text);
}

static void ask_jitmap(const struct jitmap *map, uint64_t address)
{
    uint64_t start, end;
    const char *name;

    if (jitmap_find(map, address, &name, &start, &end))
        FUZZ_EXPECT(start <= address && address < end && *name);
}

/* From memory, and a part of it from a file. */
static void read_jitmap(struct elf_cursor *input)
{
    size_t size = elf_cursor_left(input);
    uint8_t *bytes = fuzz_copy(input, &size);
    struct jitmap *map, *cut;
    int fd = fuzz_file(bytes, size);
    uint64_t asked[128];

    for (unsigned i = 0; i < 64; i++) {
        asked[i] = UINT64_MAX >> 1 >> (63 - i);
        asked[127 - i] = ~asked[i];
    }
    FUZZ_EXPECT(jitmap_parse((const char *)bytes, size, asked, 128, &map) == 0 &&
                jitmap_read(fd, size / 2 + 1, asked, 128, &cut, NULL) == 0);
    for (unsigned i = 0; i < 128; i++) {
        ask_jitmap(map, asked[i]);
        ask_jitmap(cut, asked[i]);
    }
    jitmap_free(map);
    jitmap_free(cut);
    close(fd);
    free(bytes);
}

/* Ranges close to each other, so that they overlap, with distinct priorities. */
static void make_cover(struct elf_cursor *input)
{
    struct elf_cover_range ranges[64];
    struct elf_cover cover = {0};
    size_t count = 0;

    for (; count < 64 && elf_cursor_left(input); count++) {
        uint64_t start = elf_cursor_number(input, 1), length = elf_cursor_number(input, 1);
        uint64_t base = start & 1 ? UINT64_MAX - 256 : 0;
        ranges[count] = (struct elf_cover_range){base + start, base + start + length, (uint32_t)count,
                                                 (uint32_t)elf_cursor_number(input, 1)};
        if (ranges[count].end < ranges[count].start)
            ranges[count].end = UINT64_MAX;
    }
    FUZZ_EXPECT(elf_cover_build(&cover, ranges, count) && cover.count <= 2 * count);
    for (size_t i = 0; i < cover.count; i++)
        FUZZ_EXPECT(cover.pieces[i].start < cover.pieces[i].end &&
                    (i == 0 || cover.pieces[i - 1].end <= cover.pieces[i].start));
    for (uint64_t at = 0; at < 512; at++) {
        const struct elf_cover_range *found = elf_cover_find(&cover, at), *best = NULL;
        for (size_t i = 0; i < count; i++)
            if (ranges[i].start <= at && at < ranges[i].end && (!best || ranges[i].priority > best->priority))
                best = &ranges[i];
        FUZZ_EXPECT(!found == !best && (!found || found->priority == best->priority));
    }
    elf_cover_free(&cover);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void (*const readers[])(struct elf_cursor *) = {read_notes, read_records, read_header, read_slot,
                                                           read_name,  make_cover,   read_jitmap};
    struct elf_cursor input = fuzz_input(bytes, size);

    readers[fuzz_below(&input, 1, sizeof readers / sizeof *readers)](&input);
    return 0;
}
