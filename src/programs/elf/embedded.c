/* SPDX-License-Identifier: MIT */
#include "programs/elf/embedded.h"

#include "programs/elf/file.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_MOST = 32768, IMAGE_MOST = 256 << 20 };

static bool has_text_at(int fd, uint64_t offset)
{
    struct elf_file *file;
    uint64_t vaddr;
    if (elf_file_open(fd, &file, NULL) < 0)
        return false;
    bool text = elf_file_vaddr_of_offset(file, offset, &vaddr) && elf_file_is_text(file, vaddr);
    elf_file_close(file);
    return text;
}

bool elf_embedded_is_own(int fd, uint64_t offset)
{
    return has_text_at(fd, offset);
}

/* Returns the end of an ELF image: its section headers come last. Returns 0 if it has none. */
static uint64_t size_of(int fd, uint64_t base)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr compat;
        Elf64_Ehdr wide;
    } header = {{0}};
    if (pread(fd, &header, sizeof header, (off_t)base) != sizeof header)
        return 0;
    bool compat = header.ident[EI_CLASS] == ELFCLASS32;
    uint64_t sections = compat ? header.compat.e_shoff : header.wide.e_shoff;
    uint64_t count = compat ? header.compat.e_shnum : header.wide.e_shnum;
    return sections > IMAGE_MOST ? 0
                                 : sections + count * (compat ? header.compat.e_shentsize : header.wide.e_shentsize);
}

/* Copies up to SIZE bytes at BASE into a file of its own. */
static int copy(int fd, uint64_t base, uint64_t size)
{
    int image = memfd_create("image", MFD_CLOEXEC);
    off_t at = (off_t)base;
    while (image >= 0 && size) {
        ssize_t done = sendfile(image, fd, &at, size);
        if (done <= 0)
            break;
        size -= (uint64_t)done;
    }
    return image;
}

static bool begins_at(int fd, uint64_t base)
{
    char magic[SELFMAG];
    return pread(fd, magic, sizeof magic, (off_t)base) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

int elf_embedded_open(int fd, uint64_t offset, uint64_t *base)
{
    struct stat about;
    uint64_t at = offset - offset % PAGE;
    if (fstat(fd, &about) < 0 || offset >= (uint64_t)about.st_size)
        return -1;
    for (int i = 0; i < PAGES_MOST && at; i++, at -= PAGE) {
        if (!begins_at(fd, at))
            continue;
        uint64_t size = size_of(fd, at), needed = offset - at + PAGE;
        int image = copy(fd, at, size > needed ? size : needed);
        if (image >= 0 && has_text_at(image, offset - at)) {
            *base = at;
            return image;
        }
        if (image >= 0)
            close(image);
    }
    return -1;
}

int elf_embedded_next(int fd, uint64_t *base)
{
    struct stat about;
    uint64_t at = *base + (PAGE - *base % PAGE) % PAGE;
    if (fstat(fd, &about) < 0)
        return -1;
    for (int i = 0; i < PAGES_MOST && at < (uint64_t)about.st_size; i++, at += PAGE)
        if (begins_at(fd, at)) {
            *base = at;
            return copy(fd, at, size_of(fd, at));
        }
    return -1;
}
