/* SPDX-License-Identifier: MIT
 *
 * Compares the code in a core file with the files that it came from:
 *
 *     core_text CORE
 * Prints the number of bytes of code in the core, and how many of them differ. Ends with 0 if all are equal. */
#include "target.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct whole_file {
    const unsigned char *bytes;
    size_t size;
};

/* An entry of the note NT_FILE. Two words precede all entries: their number, and the unit of OFFSET. */
struct mapped {
    uint64_t start, end, offset;
};

static unsigned long compared, different;

static struct whole_file open_whole(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(bytes != MAP_FAILED && close(fd) == 0);
    return (struct whole_file){bytes, (size_t)status.st_size};
}

static const Elf64_Phdr *segments_of(const struct whole_file *core, size_t *count)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)core->bytes;
    CHECK(core->size > sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_type == ET_CORE);
    *count = header->e_phnum;
    return (const Elf64_Phdr *)(core->bytes + header->e_phoff);
}

/* Returns the content of the note NT_FILE. */
static const unsigned char *find_files(const struct whole_file *core)
{
    size_t count;
    const Elf64_Phdr *segments = segments_of(core, &count);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; segments[i].p_type == PT_NOTE && at + sizeof(Elf64_Nhdr) < segments[i].p_filesz;) {
            const Elf64_Nhdr *note = (const Elf64_Nhdr *)(core->bytes + segments[i].p_offset + at);
            uint64_t name = (note->n_namesz + 3u) & ~3u;
            if (note->n_type == NT_FILE)
                return (const unsigned char *)(note + 1) + name;
            at += sizeof *note + name + ((note->n_descsz + 3u) & ~3u);
        }
    die("the core has no list of files");
}

static void compare(const struct whole_file *core, const struct mapped *mapped, uint64_t unit, const char *path)
{
    size_t count;
    const Elf64_Phdr *segments = segments_of(core, &count);
    for (size_t i = 0; i < count; i++) {
        if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X) || segments[i].p_vaddr != mapped->start)
            continue;
        struct whole_file file = open_whole(path);
        for (uint64_t k = 0; k < segments[i].p_filesz && mapped->offset * unit + k < file.size; k++) {
            different += core->bytes[segments[i].p_offset + k] != file.bytes[mapped->offset * unit + k];
            compared++;
        }
        CHECK(munmap((void *)(uintptr_t)file.bytes, file.size) == 0);
    }
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    struct whole_file core = open_whole(argv[1]);
    const unsigned char *files = find_files(&core);
    const uint64_t count = ((const uint64_t *)files)[0], unit = ((const uint64_t *)files)[1];
    const struct mapped *mapped = (const struct mapped *)(files + 16);
    const char *path = (const char *)(mapped + count);
    for (uint64_t i = 0; i < count; i++, path += strlen(path) + 1)
        compare(&core, &mapped[i], unit, path);
    printf("compared %lu\ndifferent %lu\n", compared, different);
    return different != 0;
}
