/* SPDX-License-Identifier: MIT
 *
 * Fuzzes the parsers that ptprofil has itself: ELF notes, unwind tables and their index, entries of the procedure
 * linkage table, mangled names, maps of just-in-time compilers, and covers of ranges. The first byte chooses. */
#include "common/arch/arch.h"
#include "common/arch/code.h"
#include "common/names/demangle.h"
#include "programs/elf/notes.h"
#include "programs/elf/range_cover.h"
#include "programs/elf/unwind_table.h"
#include "programs/jit/map.h"

#include "fuzz.h"

static void read_notes(struct cursor *input)
{
    uint8_t id[20];
    uint64_t alignment = cursor_number(input, 1);
    size_t id_size = 0, size = cursor_left(input);
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

static void read_records(struct cursor *input)
{
    uint64_t kind = cursor_number(input, 1);
    enum elf_unwind_format format = kind & 1 ? ELF_UNWIND_DEBUG_FRAME : ELF_UNWIND_EH_FRAME;
    uint64_t vaddr = format == ELF_UNWIND_DEBUG_FRAME ? 0 : cursor_number(input, 8);
    struct visits visits = {.size = cursor_left(input), .left = 1000};
    uint8_t *bytes = fuzz_copy(input, &visits.size);

    elf_unwind_table_walk(bytes, visits.size, vaddr, format, kind & 2, visit, &visits);
    free(bytes);
}

static void read_header(struct cursor *input)
{
    uint64_t vaddr = cursor_number(input, 8), start;
    size_t size = cursor_left(input), count = 0, offset;
    uint8_t *bytes = fuzz_copy(input, &size);

    elf_unwind_table_start(bytes, size, vaddr, &start);
    offset = elf_unwind_table_lines(bytes, size, &count);
    FUZZ_EXPECT(offset <= size && (!offset || count <= (size - offset) / sizeof(struct elf_unwind_line)));
    free(bytes);
}

/* Decodes code of compat programs. */
static void read_compat(const uint8_t *bytes, size_t size, uint64_t address)
{
    struct arch_site site = {.address = address};
    uint8_t planted;

    FUZZ_EXPECT(arch_landing_mark_compat(bytes, size) <= size);
    FUZZ_EXPECT(arch_call_tail_compat(bytes, size) <= size);
    FUZZ_EXPECT(!arch_breakpoint_compat(bytes, size, &planted) || size >= 2);
    FUZZ_EXPECT(!arch_find_site_compat(bytes, size, address, &site) || site.address - address < size);
}

static void read_slot(struct cursor *input)
{
    uint64_t vaddr = cursor_number(input, 8);
    size_t size = cursor_left(input);
    uint8_t *bytes = fuzz_copy(input, &size);

    arch_plt_slot_decode(bytes, size, vaddr);
    arch_plt_slot_decode_compat(bytes, size, vaddr);
    read_compat(bytes, size, vaddr);
    free(bytes);
}

static void read_name(struct cursor *input)
{
    char *text = fuzz_text(input);

    free(demangle_name(text));
    free(text);
}

static void ask_jit_map(const struct jit_map *map, uint64_t address)
{
    uint64_t start, end;
    const char *name;

    if (jit_map_find(map, address, &name, &start, &end))
        FUZZ_EXPECT(start <= address && address < end && *name);
}

/* Reads the map from memory, and its first half from a file. */
static void read_jit_map(struct cursor *input)
{
    size_t size = cursor_left(input);
    uint8_t *bytes = fuzz_copy(input, &size);
    struct jit_map *map, *cut;
    int fd = fuzz_file(bytes, size);
    uint64_t asked[128];

    for (unsigned i = 0; i < 64; i++) {
        asked[i] = UINT64_MAX >> 1 >> (63 - i);
        asked[127 - i] = ~asked[i];
    }
    FUZZ_EXPECT(jit_map_parse((const char *)bytes, size, asked, 128, &map) == 0 &&
                jit_map_read(fd, size / 2 + 1, asked, 128, &cut, NULL) == 0);
    for (unsigned i = 0; i < 128; i++) {
        ask_jit_map(map, asked[i]);
        ask_jit_map(cut, asked[i]);
    }
    jit_map_free(map);
    jit_map_free(cut);
    close(fd);
    free(bytes);
}

/* Ranges start within 256 bytes of 0 or of the highest address, so that many overlap. */
static void make_cover(struct cursor *input)
{
    struct range_cover_part ranges[64];
    struct range_cover cover = {0};
    size_t count = 0;

    for (; count < 64 && cursor_left(input); count++) {
        uint64_t start = cursor_number(input, 1), length = cursor_number(input, 1);
        uint64_t base = start & 1 ? UINT64_MAX - 256 : 0;
        ranges[count] = (struct range_cover_part){base + start, base + start + length, (uint32_t)count,
                                                  (uint32_t)cursor_number(input, 1)};
        if (ranges[count].end < ranges[count].start)
            ranges[count].end = UINT64_MAX;
    }
    FUZZ_EXPECT(range_cover_build(&cover, ranges, count) && cover.count <= 2 * count);
    for (size_t i = 0; i < cover.count; i++)
        FUZZ_EXPECT(cover.pieces[i].start < cover.pieces[i].end &&
                    (i == 0 || cover.pieces[i - 1].end <= cover.pieces[i].start));
    for (uint64_t at = 0; at < 512; at++) {
        const struct range_cover_part *found = range_cover_find(&cover, at), *best = NULL;
        for (size_t i = 0; i < count; i++)
            if (ranges[i].start <= at && at < ranges[i].end && (!best || ranges[i].priority > best->priority))
                best = &ranges[i];
        FUZZ_EXPECT(!found == !best && (!found || found->priority == best->priority));
    }
    range_cover_fini(&cover);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void (*const readers[])(struct cursor *) = {read_notes, read_records, read_header, read_slot,
                                                       read_name,  make_cover,   read_jit_map};
    struct cursor input = fuzz_input(bytes, size);

    readers[fuzz_below(&input, 1, sizeof readers / sizeof *readers)](&input);
    return 0;
}
