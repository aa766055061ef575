/* SPDX-License-Identifier: MIT */
#include "record/embedded.h"

#include "elf/file.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_BACK = 32768, IMAGE_MOST = 256 << 20 };

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

bool embedded_is_own(int fd, uint64_t offset)
{
    return has_text_at(fd, offset);
}

/* Returns the end of a 64-bit ELF image: its section headers are its last part. */
static uint64_t size_of(int fd, uint64_t base)
{
    Elf64_Ehdr header;
    if (pread(fd, &header, sizeof header, (off_t)base) != sizeof header || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shoff > IMAGE_MOST)
        return 0;
    return header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
}

/* Copies SIZE bytes at BASE, as far as there are so many, into a file of its own. */
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

int embedded_open(int fd, uint64_t offset, uint64_t *base)
{
    struct stat about;
    uint64_t at = offset - offset % PAGE;
    if (fstat(fd, &about) < 0 || offset >= (uint64_t)about.st_size)
        return -1;
    for (int i = 0; i < PAGES_BACK && at; i++, at -= PAGE) {
        char magic[SELFMAG];
        if (pread(fd, magic, sizeof magic, (off_t)at) != sizeof magic || memcmp(magic, ELFMAG, SELFMAG) != 0)
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
