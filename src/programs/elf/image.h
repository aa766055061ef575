/* SPDX-License-Identifier: MIT
 *
 * The parts of an ELF file that only the modules of this folder see. */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include "programs/elf/file.h"

#include <elf.h>
#include <limits.h>

struct elf_segment {
    uint64_t vaddr, offset, file_size, memory_size; /* no sum of these overflows; file_size <= memory_size */
    bool executable;
};

struct elf_file {
    int fd;         /* -1: in memory */
    uint8_t *image; /* owned; NULL: read from fd */
    uint64_t size;  /* size of the file when it was opened */
    struct elf_segment *segments;
    size_t segment_count;
    uint64_t unwind_start, unwind_end;
    uint8_t build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
    uint64_t entry;
    bool is_program;
    bool is_interpreted; /* names an interpreter (PT_INTERP) */
    bool is_compat;      /* of 32 bits */
    bool is_shared;      /* opened by elf_file_open_shared */
};

/* Like elf_file_open, for the file that dwz made for shared debug information. It has the type of an object file, which
 * cannot be loaded. */
int elf_file_open_shared(int fd, struct elf_file **file, struct error *error);

/* Like elf_file_from_memory, but takes ownership of IMAGE, which was allocated by malloc, even if it fails. */
int elf_file_adopt(uint8_t *image, size_t size, struct elf_file **file, struct error *error);

/* Reads SIZE bytes at OFFSET of the file. Returns 0, -EIO if the file ends before, or another -errno of
 * pread. */
int elf_file_read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t size);

/* Sets PLACE to the directory of FILE, with a slash at its end. Returns false, with PLACE undefined, if FILE is in
 * memory or its directory is unknown. */
bool elf_file_directory(const struct elf_file *file, char place[PATH_MAX]);

/* The facts of an ELF header, of both classes. */
struct elf_header {
    bool is_compat;
    uint16_t type;
    uint64_t entry;
    uint64_t segments_at, sections_at; /* offsets in the file */
    size_t segment_count;
    size_t section_count; /* 0: none can be read */
    size_t names;         /* index of the section with the sections' names */
};

/* Reads the header of FILE, and checks that its numbers are within limits. Returns 0 or -errno with ERROR set. */
int elf_file_header(const struct elf_file *file, struct elf_header *header, struct error *error);

/* Reads the first COUNT section headers. Returns false if the file does not have them, or memory runs out. */
bool elf_file_sections(const struct elf_file *file, const struct elf_header *header, size_t count,
                       Elf64_Shdr *sections);

/* Returns the segment that loads VADDR from the file, or NULL. */
const struct elf_segment *elf_file_segment(const struct elf_file *file, uint64_t vaddr);

#endif
