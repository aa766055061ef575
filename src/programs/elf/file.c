/* SPDX-License-Identifier: MIT */
#include "programs/elf/file.h"

#include "common/arch/machine.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "programs/elf/image.h"
#include "programs/elf/notes.h"
#include "programs/files/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits. Linux runs no program with more than 64 KiB of program headers. No linked file has more sections. */
#define SEGMENTS_MAX 4096
#define SECTIONS_MAX (UINT64_C(1) << 18)
#define NOTES_MAX 65536   /* bytes read from one segment or section of notes */
#define NOTES_BUDGET 256  /* segments and sections of notes that are read */
#define DYNAMIC_MAX 65536 /* bytes of the dynamic section that are read */
#define IMAGE_MAX (UINT64_C(1) << 30)

int elf_file_read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    if (offset > INT64_MAX - size)
        return -EIO;
    if (file->image) {
        if (offset > file->size || size > file->size - offset)
            return -EIO;
        memcpy(to, file->image + offset, size);
        return 0;
    }
    while (size) {
        ssize_t got = pread(file->fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? -errno : -EIO;
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

bool elf_file_directory(const struct elf_file *file, char place[PATH_MAX])
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    ssize_t length = -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
    if (fetch_is_needed())
        length = snprintf(place, PATH_MAX, "%s", fetch_place(file->fd));
    else if (file->fd >= 0)
        length = proc_readlink(link, place, PATH_MAX);
    if (length <= 0 || length >= PATH_MAX || *place != '/')
        return false;
    strrchr(place, '/')[1] = 0;
    return true;
}

/* Reads the header of either class. */
static int read_header(const struct elf_file *file, Elf64_Ehdr *header)
{
    Elf32_Ehdr compat;
    int status = elf_file_read_at(file, 0, &compat, sizeof compat);
    if (status || compat.e_ident[EI_CLASS] != ELFCLASS32)
        return status ? status : elf_file_read_at(file, 0, header, sizeof *header);
    *header = (Elf64_Ehdr){
        .e_type = compat.e_type,
        .e_machine = compat.e_machine,
        .e_entry = compat.e_entry,
        .e_phoff = compat.e_phoff,
        .e_shoff = compat.e_shoff,
        .e_phentsize = compat.e_phentsize,
        .e_phnum = compat.e_phnum,
        .e_shentsize = compat.e_shentsize,
        .e_shnum = compat.e_shnum,
        .e_shstrndx = compat.e_shstrndx,
    };
    memcpy(header->e_ident, compat.e_ident, sizeof compat.e_ident);
    return 0;
}

static bool is_compat(const Elf64_Ehdr *header)
{
    return header->e_ident[EI_CLASS] == ELFCLASS32;
}

static int check_kind(const struct elf_file *file, const Elf64_Ehdr *header, struct error *error)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return error_set(error, ENOEXEC, "not an ELF file");
    if ((header->e_ident[EI_CLASS] != ELFCLASS64 && !is_compat(header)) || header->e_ident[EI_VERSION] != EV_CURRENT)
        return error_set(error, ENOEXEC, "a damaged ELF file: neither 32-bit nor 64-bit");
    if (header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != (is_compat(header) ? ARCH_ELF_MACHINE_COMPAT : ARCH_ELF_MACHINE))
        return error_set(error, ENOTSUP, "a %s ELF file for another machine (number %u)",
                         is_compat(header) ? "32-bit" : "64-bit", header->e_machine);
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN && !(file->is_shared && header->e_type == ET_REL))
        return error_set(error, ENOTSUP, "an ELF file that is neither a program nor a library (type %u)",
                         header->e_type);
    return 0;
}

static Elf64_Shdr wide_section(const Elf32_Shdr *compat)
{
    return (Elf64_Shdr){
        .sh_name = compat->sh_name,
        .sh_type = compat->sh_type,
        .sh_flags = compat->sh_flags,
        .sh_addr = compat->sh_addr,
        .sh_offset = compat->sh_offset,
        .sh_size = compat->sh_size,
        .sh_link = compat->sh_link,
        .sh_info = compat->sh_info,
        .sh_addralign = compat->sh_addralign,
        .sh_entsize = compat->sh_entsize,
    };
}

bool elf_file_sections(const struct elf_file *file, const struct elf_header *header, size_t count, Elf64_Shdr *sections)
{
    size_t size = header->is_compat ? sizeof(Elf32_Shdr) : sizeof *sections;
    if (!header->is_compat)
        return elf_file_read_at(file, header->sections_at, sections, count * size) == 0;
    Elf32_Shdr *compat = malloc(count * size + 1);
    bool read = compat && elf_file_read_at(file, header->sections_at, compat, count * size) == 0;
    for (size_t i = 0; read && i < count; i++)
        sections[i] = wide_section(&compat[i]);
    free(compat);
    return read;
}

/* Section 0 has the numbers that are too large for the header. Sections that are beyond the end of the file do not
 * count. */
static void count_sections(const struct elf_file *file, const Elf64_Ehdr *raw, struct elf_header *header)
{
    Elf64_Shdr first = {0};
    size_t size = header->is_compat ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    if (!raw->e_shoff || raw->e_shoff > file->size || (raw->e_shnum && raw->e_shentsize != size) ||
        !elf_file_sections(file, header, 1, &first))
        return;
    uint64_t most = (file->size - raw->e_shoff) / size, count = raw->e_shnum ? raw->e_shnum : first.sh_size;
    header->section_count = (size_t)(count <= most ? count : 0);
    header->names = raw->e_shstrndx == SHN_XINDEX ? first.sh_link : raw->e_shstrndx;
}

int elf_file_header(const struct elf_file *file, struct elf_header *header, struct error *error)
{
    Elf64_Ehdr raw;
    int status = read_header(file, &raw);
    if (status == -EIO)
        return error_set(error, ENOEXEC, "not an ELF file: too short");
    if (status < 0)
        return error_system(error, -status, "cannot read the file");
    if ((status = check_kind(file, &raw, error)) < 0)
        return status;
    *header = (struct elf_header){
        .is_compat = is_compat(&raw),
        .type = raw.e_type,
        .entry = raw.e_entry,
        .segments_at = raw.e_phoff,
        .segment_count = raw.e_phnum,
        .sections_at = raw.e_shoff,
    };
    size_t size = header->is_compat ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    if (raw.e_phnum > SEGMENTS_MAX || (raw.e_phnum && raw.e_phentsize != size))
        return error_set(error, ENOEXEC, "a damaged ELF file: %u program headers of %u bytes", raw.e_phnum,
                         raw.e_phentsize);
    count_sections(file, &raw, header);
    if (header->section_count > SECTIONS_MAX)
        return error_set(error, ENOEXEC, "a damaged ELF file: %zu sections", header->section_count);
    return 0;
}

/* Reads program header INDEX. */
static int read_segment(const struct elf_file *file, const struct elf_header *header, size_t index, Elf64_Phdr *segment)
{
    Elf32_Phdr compat;
    size_t size = header->is_compat ? sizeof compat : sizeof *segment;
    if (header->segments_at > INT64_MAX - (index + 1) * size)
        return -EIO;
    if (!header->is_compat)
        return elf_file_read_at(file, header->segments_at + index * size, segment, size);
    int status = elf_file_read_at(file, header->segments_at + index * size, &compat, size);
    if (status == 0)
        *segment = (Elf64_Phdr){
            .p_type = compat.p_type,
            .p_flags = compat.p_flags,
            .p_offset = compat.p_offset,
            .p_vaddr = compat.p_vaddr,
            .p_filesz = compat.p_filesz,
            .p_memsz = compat.p_memsz,
            .p_align = compat.p_align,
        };
    return status;
}

static bool is_sound(const Elf64_Phdr *header)
{
    return header->p_filesz <= header->p_memsz && header->p_memsz <= UINT64_MAX - header->p_vaddr &&
           header->p_filesz <= UINT64_MAX - header->p_offset;
}

static void note_segment(struct elf_file *file, const Elf64_Phdr *header)
{
    if (header->p_type == PT_LOAD && header->p_memsz)
        file->segments[file->segment_count++] = (struct elf_segment){
            .vaddr = header->p_vaddr,
            .offset = header->p_offset,
            .file_size = header->p_filesz,
            .memory_size = header->p_memsz,
            .executable = header->p_flags & PF_X,
        };
    if (header->p_type == PT_GNU_EH_FRAME) {
        file->unwind_start = header->p_vaddr;
        file->unwind_end = header->p_vaddr + header->p_memsz;
    }
}

static void find_build_id(struct elf_file *file, uint64_t offset, uint64_t size, uint64_t alignment)
{
    size_t wanted = size < NOTES_MAX ? (size_t)size : NOTES_MAX;
    uint8_t *notes = malloc(wanted ? wanted : 1);
    if (notes && elf_file_read_at(file, offset, notes, wanted) == 0)
        elf_notes_build_id(notes, wanted, alignment, file->build_id, sizeof file->build_id, &file->build_id_size);
    free(notes);
}

/* A file that holds only debug information has notes, but its segments may not lead to them. */
static void find_build_id_in_sections(struct elf_file *file, const struct elf_header *header)
{
    unsigned budget = NOTES_BUDGET;
    Elf64_Shdr *sections = calloc(header->section_count + 1, sizeof *sections);
    bool read = sections && elf_file_sections(file, header, header->section_count, sections);
    for (size_t i = 1; read && i < header->section_count && !file->build_id_size && budget; i++)
        if (sections[i].sh_type == SHT_NOTE && budget--)
            find_build_id(file, sections[i].sh_offset, sections[i].sh_size, sections[i].sh_addralign);
    free(sections);
}

struct dynamic_facts {
    bool is_pie, has_soname;
};

static void note_dynamic(struct dynamic_facts *facts, int64_t tag, uint64_t value)
{
    if (tag == DT_FLAGS_1)
        facts->is_pie = value & DF_1_PIE;
    if (tag == DT_SONAME)
        facts->has_soname = true;
}

static struct dynamic_facts read_dynamic(const struct elf_file *file, const Elf64_Phdr *header)
{
    struct dynamic_facts facts = {0};
    size_t size = header->p_filesz < DYNAMIC_MAX ? (size_t)header->p_filesz : DYNAMIC_MAX;
    size_t count = size / (file->is_compat ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn));
    void *entries = calloc(1, size ? size : 1);
    const Elf64_Dyn *wide = entries;
    const Elf32_Dyn *compat = entries;
    if (!entries || elf_file_read_at(file, header->p_offset, entries, size) < 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t tag = file->is_compat ? compat[i].d_tag : wide[i].d_tag;
        if (tag == DT_NULL)
            break;
        note_dynamic(&facts, tag, file->is_compat ? compat[i].d_un.d_val : wide[i].d_un.d_val);
    }
    free(entries);
    return facts;
}

/* One pass over the program headers. */
static int read_segments(struct elf_file *file, const struct elf_header *header, struct error *error)
{
    struct dynamic_facts facts = {0};
    unsigned budget = NOTES_BUDGET;
    Elf64_Phdr segment;
    file->segments = calloc(header->segment_count + 1, sizeof *file->segments);
    if (!file->segments)
        return error_system(error, ENOMEM, "cannot read program headers");
    for (size_t i = 0; i < header->segment_count; i++) {
        if (read_segment(file, header, i, &segment) < 0)
            return error_set(error, ENOEXEC, "a damaged ELF file: program headers are missing");
        if (!is_sound(&segment))
            continue;
        note_segment(file, &segment);
        if (segment.p_type == PT_NOTE && !file->build_id_size && budget && budget--)
            find_build_id(file, segment.p_offset, segment.p_filesz, segment.p_align);
        if (segment.p_type == PT_DYNAMIC)
            facts = read_dynamic(file, &segment);
        file->is_interpreted |= segment.p_type == PT_INTERP;
    }
    file->is_program = header->type == ET_EXEC || facts.is_pie || (file->is_interpreted && !facts.has_soname);
    return 0;
}

/* Fills FILE, with its source already set, and sets *RESULT. Frees FILE on failure. */
static int load(struct elf_file *file, struct elf_file **result, struct error *error)
{
    struct elf_header header;
    int status = elf_file_header(file, &header, error);
    if (status == 0) {
        file->is_compat = header.is_compat;
        file->entry = header.entry;
        status = read_segments(file, &header, error);
    }
    if (status == 0 && !file->build_id_size)
        find_build_id_in_sections(file, &header);
    if (status < 0)
        elf_file_close(file);
    else
        *result = file;
    return status;
}

static int open_file(int fd, bool is_shared, struct elf_file **file, struct error *error)
{
    struct stat information;
    struct elf_file *opened;
    *file = NULL;
    if (fstat(fd, &information) < 0)
        return error_system(error, errno, "cannot look at the file");
    if (!S_ISREG(information.st_mode))
        return error_set(error, EINVAL, "not a regular file");
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return error_system(error, ENOMEM, "cannot read the file");
    opened->fd = fd;
    opened->size = (uint64_t)information.st_size;
    opened->is_shared = is_shared;
    return load(opened, file, error);
}

int elf_file_open(int fd, struct elf_file **file, struct error *error)
{
    return open_file(fd, false, file, error);
}

int elf_file_open_shared(int fd, struct elf_file **file, struct error *error)
{
    return open_file(fd, true, file, error);
}

int elf_file_adopt(uint8_t *image, size_t size, struct elf_file **file, struct error *error)
{
    struct elf_file *opened = calloc(1, sizeof *opened);
    *file = NULL;
    if (!opened) {
        free(image);
        return error_system(error, ENOMEM, "cannot read the image");
    }
    opened->fd = -1;
    opened->image = image;
    opened->size = size;
    return load(opened, file, error);
}

int elf_file_from_memory(const void *image, size_t size, struct elf_file **file, struct error *error)
{
    uint8_t *copy;
    *file = NULL;
    if (size > IMAGE_MAX)
        return error_set(error, E2BIG, "an ELF image of %zu bytes", size);
    copy = malloc(size ? size : 1);
    if (!copy)
        return error_system(error, ENOMEM, "cannot copy the image");
    if (size)
        memcpy(copy, image, size);
    return elf_file_adopt(copy, size, file, error);
}

void elf_file_close(struct elf_file *file)
{
    if (!file)
        return;
    free(file->segments);
    free(file->image);
    free(file);
}
