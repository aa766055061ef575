/* SPDX-License-Identifier: MIT
 *
 * Unwinds whole stacks with arbitrary code, unwind tables, registers and stack content. The input is, in this
 * order, a byte of flags, the sizes of code and tables, code, tables, registers and stack. The harness wraps code
 * and tables in an ELF file, because the fuzzer would need long to find the format. */
#include "programs/elf/file.h"

#include "common/base/memory_run.h"
#include "common/model/runs.h"
#include "fuzz_unwinder.h"
#include "programs/unwind/frame.h"

#include <elf.h>

#define CODE UINT64_C(0x1000) /* ELF virtual addresses */
#define TABLES UINT64_C(0x4000)
#define LOADED UINT64_C(0x400000) /* where the file is mapped */
#define STACK UINT64_C(0x7fff0000)

enum { CODE_MOST = 0x1000, TABLES_MOST = 0x4000, STACK_MOST = 4096, FRAMES = 64, RUNS = 4, HOLE = 64 };
enum { HEADER_LINES = 32, HEADER_SIZE = 16 + 8 * HEADER_LINES };
enum { WITH_HEADER = 1, FRAME_POINTERS = 2, WITH_VDSO = 4, FEW_KNOWN = 8, WITH_HOLES = 16 };

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    uint8_t code[CODE_MOST];
    struct {
        uint8_t version, pointer, count, table;
        int32_t frames;
        uint32_t lines;
        int32_t items[HEADER_LINES][2];
        uint32_t filler; /* the seeds' tables are aligned to 8 */
        uint8_t frame[TABLES_MOST];
    } tables;
};

static Elf64_Phdr segment_of(uint32_t type, uint64_t vaddr, size_t offset, size_t size)
{
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = vaddr == CODE ? PF_R | PF_X : PF_R,
                        .p_offset = offset,
                        .p_vaddr = vaddr,
                        .p_filesz = size,
                        .p_memsz = size,
                        .p_align = 1};
}

/* Fills the binary search table with one line for each record, up to the first bad length. Takes the start of the code
 * from the record, assuming the common PC-relative 4-byte encoding. */
static void fill_header(struct image *image, size_t size)
{
    int32_t frames = (int32_t)(offsetof(struct image, tables.frame) - offsetof(struct image, tables));
    size_t at = 0, count = 0;

    image->tables.version = 1;
    image->tables.pointer = 0x1b;
    image->tables.count = 3;
    image->tables.table = 0x3b;
    image->tables.frames = frames - 4;
    while (at + 8 <= size && count < HEADER_LINES) {
        uint32_t length, kind;
        int32_t start;
        memcpy(&length, image->tables.frame + at, 4);
        memcpy(&kind, image->tables.frame + at + 4, 4);
        if (kind && at + 12 <= size) {
            memcpy(&start, image->tables.frame + at + 8, 4);
            image->tables.items[count][0] = (int32_t)((uint32_t)start + (uint32_t)frames + (uint32_t)at + 8);
            image->tables.items[count++][1] = frames + (int32_t)at;
        }
        if (length >= size - at)
            break;
        at += length + 4;
    }
    image->tables.lines = (uint32_t)count;
}

/* Returns an ELF file with the code and tables of the input. The caller closes it. */
static int make_file(struct cursor *input, uint64_t flags)
{
    static struct image image;
    size_t code_size = fuzz_below(input, 2, CODE_MOST + 1), tables_size = fuzz_below(input, 2, TABLES_MOST + 1);
    uint8_t *code = fuzz_copy(input, &code_size), *tables = fuzz_copy(input, &tables_size);
    /* without WITH_HEADER, the input starts with its own header */
    size_t place = flags & WITH_HEADER ? offsetof(struct image, tables.frame) : offsetof(struct image, tables);

    memset(&image, 0, sizeof image);
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    image.header.e_type = ET_DYN;
    image.header.e_machine = EM_X86_64;
    image.header.e_version = EV_CURRENT;
    image.header.e_phoff = offsetof(struct image, segments);
    image.header.e_ehsize = sizeof image.header;
    image.header.e_phentsize = sizeof *image.segments;
    image.header.e_phnum = 3;
    image.segments[0] = segment_of(PT_LOAD, CODE, offsetof(struct image, code), CODE_MOST);
    image.segments[1] = segment_of(PT_LOAD, TABLES, offsetof(struct image, tables), sizeof image.tables);
    image.segments[2] = segment_of(PT_GNU_EH_FRAME, TABLES, offsetof(struct image, tables), HEADER_SIZE + tables_size);
    memcpy(image.code, code, code_size);
    memcpy((uint8_t *)&image + place, tables, tables_size);
    if (flags & WITH_HEADER)
        fill_header(&image, tables_size);
    free(code);
    free(tables);
    return fuzz_file(&image, sizeof image);
}

/* Returns a plausible word: an address in the code or the stack, made of two bytes, or any number. */
static uint64_t next_word(struct cursor *input)
{
    switch (cursor_number(input, 1) & 3) {
    case 0:
        return LOADED + cursor_number(input, 2) % (CODE_MOST + 64);
    case 1:
        return STACK - 256 + cursor_number(input, 2) % (STACK_MOST + 512);
    case 2:
        return cursor_number(input, 8);
    default:
        return cursor_number(input, 1);
    }
}

/* Divides a stack of WORDS words into runs with holes between, or one run. Returns the number of runs. */
static size_t make_runs(struct memory_run runs[RUNS], bool with_holes, size_t words)
{
    size_t count = with_holes ? RUNS : 1, each = words / count * 8;

    for (size_t i = 0; i < count; i++)
        runs[i] = (struct memory_run){STACK + i * (each + HOLE), each};
    runs[count - 1].size += words * 8 - count * each;
    FUZZ_EXPECT(runs_fit(runs, count, words * 8));
    return count;
}

static void unwind(struct cursor *input, struct unwind_image *image, uint64_t flags)
{
    struct unwind_registers registers = {.known = UINT32_MAX >> (32 - UNWIND_REGISTERS)};
    struct unwind_frame frames[FRAMES];
    enum unwind_end end = UNWIND_WHOLE;
    size_t most = 1 + fuzz_below(input, 1, FRAMES), count, words = 0;
    uint64_t *stack;
    struct memory_run runs[RUNS];

    for (int i = 0; i < UNWIND_REGISTERS; i++)
        registers.value[UNWIND_REGISTERS - 1 - i] = next_word(input); /* the PC first */
    if (flags & FEW_KNOWN)
        registers.known = 1u << UNWIND_PC | 1u << UNWIND_SP;
    stack = malloc(STACK_MOST);
    FUZZ_EXPECT(stack);
    while (words < STACK_MOST / sizeof *stack && cursor_left(input))
        stack[words++] = next_word(input);
    stack = realloc(stack, words ? words * sizeof *stack : 1);
    FUZZ_EXPECT(stack);
    size_t run_count = make_runs(runs, flags & WITH_HOLES, words);
    struct unwind_stack copied = {runs, run_count, stack};
    count = unwind_capture(image, &registers, &copied, frames, most, &end);
    FUZZ_EXPECT(count >= 1 && count <= most && frames[0].pc == registers.value[UNWIND_PC]);
    FUZZ_EXPECT(end == UNWIND_WHOLE || end == UNWIND_TRUNCATED || end == UNWIND_UNKNOWN);
    free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint64_t flags = cursor_number(&input, 1);
    struct unwinder *unwinder = fuzz_unwinder(flags & FRAME_POINTERS ? UNWIND_FRAME_POINTERS : UNWIND_DWARF);
    struct unwind_image *image = unwind_image_new(unwinder);
    int fd = make_file(&input, flags);
    struct unwind_object *object = unwind_object_new(unwinder, fd);
    struct unwind_object *vdso = flags & WITH_VDSO ? unwind_object_new_vdso(unwinder, false) : NULL;
    struct unwind_mapping mappings[] = {
        {LOADED, LOADED + CODE_MOST, offsetof(struct image, code), object},
        {LOADED + CODE_MOST, LOADED + 2 * CODE_MOST, 0, vdso},
    };

    FUZZ_EXPECT(image && object && unwind_image_map(image, mappings, 2));
    struct cursor again = input;
    unwind(&input, image, flags);
    unwind(&again, image, flags); /* uses the caches of the first time */
    unwind_image_free(image);
    unwind_object_free(object);
    unwind_object_free(vdso);
    close(fd);
    return 0;
}
