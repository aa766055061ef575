/* SPDX-License-Identifier: MIT
 *
 * An ELF file as its program headers describe it. Every byte may come from a stranger. A broken file gives an error, or
 * fewer results than it claims, but never a crash. Reading takes no more memory or time than the limits below. Only
 * little-endian programs and libraries for this machine are read. 32-bit ones are included if the machine runs them. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define ELF_BUILD_ID_MAX 64 /* bytes; a longer one is ignored */

struct elf_file;

/* Reads the headers of the file that FD is open on and sets *FILE. The caller keeps FD, and keeps it open until
 * elf_file_close: all functions that take FILE read it with pread. The file may shrink or change at any time.
 * Returns 0, or -errno with ERROR set and *FILE NULL: -EINVAL not a regular file, -ENOEXEC not an ELF file or a
 * broken one, -ENOTSUP a machine or a kind of ELF file that is not supported, -ENOMEM, -EIO and others from reading.
 * The text of ERROR does not name the file, because FD has no name. */
int elf_file_open(int fd, struct elf_file **file, struct error *error);

/* Like elf_file_open, for a copy of the SIZE bytes at IMAGE: for the vDSO. Returns -E2BIG if SIZE is larger than 1
 * GiB. */
int elf_file_from_memory(const void *image, size_t size, struct elf_file **file, struct error *error);

/* Like elf_file_open, for the vDSO of this process, which all processes of a kernel share. Returns -ENOENT if none
 * exists. */
int elf_file_from_vdso(struct elf_file **file, struct error *error);

/* Like elf_file_open, for the vDSO of 32-bit processes, which a child of this process maps. Returns -ENOENT if none
 * exists. */
int elf_file_from_compat_vdso(struct elf_file **file, struct error *error);

/* Return a file in memory with that vDSO, or with the one of 32-bit processes, which the caller closes; or -errno. */
int elf_vdso_image(void);
int elf_vdso_compat_image(void);

/* Frees FILE; NULL is allowed. The descriptor stays open. Symbols that elf_symbols_new read from FILE stay valid. */
void elf_file_close(struct elf_file *file);

/* Returns the build-id, with its size in bytes in *SIZE, at most ELF_BUILD_ID_MAX. Returns NULL, with *SIZE 0, if none
 * exists. Valid as long as FILE. */
const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *size);

/* Sets *VADDR to the ELF virtual address at which byte FILE_OFFSET of the file is loaded. If there are several, because
 * a linker maps one page twice, takes the one in an executable segment. Bytes that the kernel maps around a segment to
 * fill its pages belong to the segment. Returns false, with *VADDR untouched, if the byte is not loaded. */
bool elf_file_vaddr_of_offset(const struct elf_file *file, uint64_t file_offset, uint64_t *vaddr);

/* Sets *OFFSET to the file offset of the byte that is loaded at VADDR. Returns false, with *OFFSET untouched, if it
 * does not come from the file. */
bool elf_file_offset_of_vaddr(const struct elf_file *file, uint64_t vaddr, uint64_t *offset);

/* Sets the lowest start and the highest end of executable segments, as ELF virtual addresses; 0 and 0 if none
 * exists. */
void elf_file_text_range(const struct elf_file *file, uint64_t *start, uint64_t *end);

/* True if VADDR is in an executable segment. */
bool elf_file_is_text(const struct elf_file *file, uint64_t vaddr);

/* Sets *START to the ELF virtual address where the file's part of VADDR's segment ends, if the segment is executable.
 * The rest of the last page is mapped, too, but is not code. Returns false if the page has no rest. */
bool elf_file_behind_text(const struct elf_file *file, uint64_t vaddr, uint64_t *start);

/* Returns the ELF virtual address at which the kernel enters the file as a program, or 0 if it cannot be one. */
uint64_t elf_file_entry(const struct elf_file *file);

/* Returns true for a file of a 32-bit program. */
bool elf_file_is_compat(const struct elf_file *file);

/* Returns true for a program that is not also a library. libc.so.6 can be started, but has a soname. */
bool elf_file_is_program(const struct elf_file *file);

/* Reads the SIZE bytes that the file loads at VADDR, before relocation, into BYTES. Returns 0, -EFAULT if they are not
 * all in the file's part of one segment, -EIO if the file has become shorter, or another -errno of pread. */
int elf_file_read(const struct elf_file *file, uint64_t vaddr, void *bytes, size_t size);

/* Sets *START and *END to the ELF virtual addresses of .eh_frame_hdr, found through PT_GNU_EH_FRAME. False if
 * none. */
bool elf_file_unwind_header(const struct elf_file *file, uint64_t *start, uint64_t *end);

#endif
