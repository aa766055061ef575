/* SPDX-License-Identifier: MIT
 *
 * Reads lines and inlined calls through libdw, which ptprofil runs in a separate process and the harness calls
 * directly. The input is a byte of flags, then the debug sections, each after its size. The harness wraps them in an
 * ELF file, because the fuzzer would need long to find the format. Zeros follow each section: libdw is known to search
 * for the end of a string beyond its section, which is why it runs in a separate process. */
#include "programs/elf/dwarf.h"

#include "fuzz.h"
#include "programs/elf/file.h"

#include <elf.h>

#define CODE UINT64_C(0x401000) /* the address of the code in the seeds */

enum { CODE_SIZE = 0x1000, PLACES = 64, IS_SHARED = 1, NAME_SIZE = 24, GAP = 16 };

static const char parts[][NAME_SIZE] = {".debug_info",     ".debug_abbrev", ".debug_line",     ".debug_str",
                                        ".debug_line_str", ".debug_ranges", ".debug_rnglists", ".debug_addr"};

enum { PARTS = sizeof parts / sizeof *parts };

/* The ELF file without the content of its sections. The last section holds the section names. */
struct head {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[1 + PARTS + 1];
    char names[PARTS][NAME_SIZE];
};

static void fill_head(struct head *head)
{
    memcpy(head->header.e_ident, ELFMAG, SELFMAG);
    head->header.e_ident[EI_CLASS] = ELFCLASS64;
    head->header.e_ident[EI_DATA] = ELFDATA2LSB;
    head->header.e_ident[EI_VERSION] = EV_CURRENT;
    head->header.e_type = ET_EXEC;
    head->header.e_machine = EM_X86_64;
    head->header.e_version = EV_CURRENT;
    head->header.e_phoff = offsetof(struct head, segment);
    head->header.e_shoff = offsetof(struct head, sections);
    head->header.e_ehsize = sizeof head->header;
    head->header.e_phentsize = sizeof head->segment;
    head->header.e_phnum = 1;
    head->header.e_shentsize = sizeof *head->sections;
    head->header.e_shnum = 1 + PARTS + 1;
    head->header.e_shstrndx = 1 + PARTS;
    head->segment = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE, .p_memsz = CODE_SIZE};
    memcpy(head->names, parts, sizeof parts);
    head->sections[1 + PARTS] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                             .sh_offset = offsetof(struct head, names),
                                             .sh_size = sizeof head->names,
                                             .sh_addralign = 1};
}

/* Returns the content of the file, which the caller frees. */
static uint8_t *make_image(struct cursor *input, size_t *size)
{
    struct head head = {0};
    uint8_t *image = calloc(1, sizeof head + cursor_left(input) + PARTS * (GAP + 2));

    FUZZ_EXPECT(image);
    fill_head(&head);
    *size = sizeof head;
    for (size_t i = 0; i < PARTS; i++) {
        size_t length = cursor_number(input, 2);
        uint8_t *bytes = fuzz_copy(input, &length);
        head.sections[1 + i] = (Elf64_Shdr){.sh_name = (uint32_t)(i * NAME_SIZE),
                                            .sh_type = SHT_PROGBITS,
                                            .sh_offset = *size,
                                            .sh_size = length,
                                            .sh_addralign = 1};
        memcpy(image + *size, bytes, length);
        *size += length + GAP;
        free(bytes);
    }
    memcpy(image, &head, sizeof head);
    return image;
}

static void ask(struct elf_dwarf *dwarf)
{
    struct elf_line chain[ELF_LINES_MAX];

    for (uint64_t at = CODE; at < CODE + CODE_SIZE; at += CODE_SIZE / PLACES) {
        size_t count = elf_dwarf_find(dwarf, at, chain);
        FUZZ_EXPECT(count <= ELF_LINES_MAX && (!count || !chain[count - 1].function));
        for (size_t frame = 0; frame + 1 < count; frame++)
            FUZZ_EXPECT(chain[frame].function);
    }
}

static void read_dwarf(struct cursor *input, bool is_shared)
{
    size_t size;
    uint8_t *image = make_image(input, &size);
    struct elf_dwarf *dwarf;
    struct elf_file *file;

    FUZZ_EXPECT(elf_file_from_memory(image, size, &file, NULL) == 0);
    if (elf_dwarf_new(file, file, is_shared ? file : NULL, &dwarf, NULL) == 0)
        ask(dwarf);
    elf_dwarf_free(dwarf);
    elf_file_close(file);
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint64_t flags = cursor_number(&input, 1);

    read_dwarf(&input, flags & IS_SHARED);
    return 0;
}
